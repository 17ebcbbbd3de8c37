"""Every mutant of a file: one small edit of a definition, of its body or of its contract.

Proofs are left alone: lemmas, programs, `assert`, variants.
"""

from collections import Counter
from collections.abc import Iterator

from msgspec import structs

from sonnx_formal.evidence.mutation.operators import Change, slips, slips_of_body
from sonnx_formal.prover.whyml import Clause, Declaration, modules

EQUIVALENT = "mutant_is_equivalent"
"""The goal that a mutant means the same as what it was made from."""
_LONG = 12
_WORDS = 3


class Mutant(Change, frozen=True, kw_only=True):
    """One edit of one file."""

    id: str
    """`<file>:<module>.<definition> <part>: <before> => <after>`: without line numbers."""
    file: str
    module: str
    definition: str
    part: str
    """`body`, or the clause: `requires 1`, `ensures 2`."""
    line: int

    def apply(self, text: str, start: int = 0, end: int | None = None) -> str:
        """The text of the file, or a part of it, with the edit if that is inside."""
        if not start <= self.start < (len(text) if end is None else end):
            return text[start:end]
        return text[start : self.start] + self.replacement + text[self.end : end]


def mutants(file: str, text: str) -> list[Mutant]:
    """The mutants of a file, in the order of the file; those with one resulting text once."""
    seen: set[tuple[int, int, str]] = set()
    ids: Counter[str] = Counter()
    found = []
    for module in modules(text):
        for definition in module.declarations:
            for part, change in _changes(definition):
                edit = (change.start, change.end, change.replacement)
                if edit in seen or text[change.start : change.end] == change.replacement:
                    continue
                seen.add(edit)
                where = f"{file}:{module.name}.{definition.name} {part}"
                identity = f"{where}: {_in_words(text, change)}"
                ids[identity] += 1
                found.append(
                    Mutant(
                        id=identity + (f" ({ids[identity]})" if ids[identity] > 1 else ""),
                        file=file,
                        module=module.name,
                        definition=definition.name,
                        part=part,
                        line=text.count("\n", 0, change.start) + 1,
                        **structs.asdict(change),
                    )
                )
    return found


def _changes(definition: Declaration) -> Iterator[tuple[str, Change]]:
    if not definition.is_definition:
        return
    numbers: Counter[str] = Counter()
    for clause in definition.clauses:
        if clause.keyword in {"requires", "ensures"}:
            numbers[clause.keyword] += 1
            part = f"{clause.keyword} {numbers[clause.keyword]}"
            yield part, Change(f"dropped {clause.keyword}", clause.start, clause.end, "")
            yield from ((part, slip) for slip in slips(clause.inside, definition.parameters))
    yield from (("body", slip) for slip in slips_of_body(definition))


def _in_words(text: str, change: Change) -> str:
    """What is replaced by what; where that is short, with the words around it."""
    before = " ".join(text[change.start : change.end].split())
    after = " ".join(change.replacement.split()) or "nothing"
    if len(before) <= _LONG:
        left = text[: change.start].rpartition("\n")[2].split(" ")[-_WORDS:]
        right = text[change.end :].partition("\n")[0].split(" ")[:_WORDS]
        before = f"{' '.join(left)}[{before}]{' '.join(right)}".strip()
    return f"{before} => {after}"


def with_equivalence(mutant: Mutant, text: str) -> str:
    """The edited file, with the goal `EQUIVALENT` after the definition.

    Of the body: both give the same result for operands that satisfy the preconditions; where the
    definition is recursive, the mutant satisfies the equation that defined the original. Of the
    preconditions: they hold of the same operands. Of another clause: the definition, which is not
    edited, satisfies both or neither.
    """
    (module,) = (module for module in modules(text) if module.name == mutant.module)
    definition = next(d for d in module.declarations if d.start <= mutant.start < d.end)
    requires = [clause for clause in definition.clauses if clause.keyword == "requires"]
    before = " /\\ ".join(["true", *(_said(text, clause) for clause in requires)])
    if mutant.part == "body":
        start, end = definition.body[0].start, definition.body[-1].end
        relation = "<->" if "predicate" in definition.head else "="
        changed = mutant.apply(text, start, end)
        claim = f"({before}) -> (({text[start:end]}) {relation} ({changed}))"
    elif mutant.part.startswith("requires"):
        after = " /\\ ".join(["true", *(_said(text, clause, mutant) for clause in requires)])
        claim = f"({before}) <-> ({after})"
    else:
        (clause,) = (c for c in definition.clauses if c.start <= mutant.start < c.end)
        name = definition.name if definition.name[0].isalpha() else f"( {definition.name} )"
        names = [name for group in definition.parameters for name in group.names or ("()",)]
        both = f"{_said(text, clause)} <-> {_said(text, clause, mutant)}"
        claim = f"({before}) -> let result = {' '.join([name, *names])} in {both}"
    groups = ", ".join(
        f"{' '.join(group.names)}: {group.type.replace(' . ', '.')}"
        for group in definition.parameters
        if group.names
    )
    quantifier = f"forall {groups}. " if groups else ""
    edited = mutant.apply(text)
    place = definition.end + len(edited) - len(text)
    return f"{edited[:place]}\n  goal {EQUIVALENT}: {quantifier}{claim}\n{edited[place:]}"


def _said(text: str, clause: Clause, mutant: Mutant | None = None) -> str:
    """What a clause says, before the edit or in the mutant; nothing, where it was dropped."""
    if not clause.inside or (mutant and mutant.start == clause.start):
        return "true"
    start, end = clause.inside[0].start, clause.inside[-1].end
    return f"({mutant.apply(text, start, end) if mutant else text[start:end]})"
