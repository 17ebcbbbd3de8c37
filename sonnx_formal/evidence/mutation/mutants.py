"""Every mutant of a file: one small edit of a definition, of its body or of its contract.

Of a program, which is a kernel or a part of one, it is an edit of what is executed. Proofs are left
alone: lemmas, ghost code, `assert`, invariants, variants.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from msgspec import structs

from sonnx_formal.core.documents import Count
from sonnx_formal.evidence.mutation.constructors import AlgebraicType, constructor_slips
from sonnx_formal.evidence.mutation.copies import Copies, Places, expressions
from sonnx_formal.evidence.mutation.operators import (
    Change,
    before_proofs,
    executed,
    slips,
    slips_of_body,
)
from sonnx_formal.prover.whyml import Clause, Declaration, Token, modules

EQUIVALENT = "mutant_is_equivalent"
"""The goal that a mutant means the same as what it was made from."""
PROGRAM = "program"
"""The part of a mutant of what is executed."""
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
    """`body`, `program`, or the clause: `requires 1`, `ensures 2`."""
    line: int
    copies: tuple[tuple[Count, Count], ...] = ()
    """Where else the same is replaced."""

    def apply(self, text: str, start: int = 0, end: int | None = None) -> str:
        """The text of the file, or a part of it, with the edits that are inside."""
        end = len(text) if end is None else end
        for left, right in sorted([(self.start, self.end), *self.copies], reverse=True):
            if start <= left < end:
                text = text[:left] + self.replacement + text[right:]
                end += len(self.replacement) - (right - left)
        return text[start:end]


def mutants(file: str, text: str, types: Collection[AlgebraicType] = ()) -> list[Mutant]:
    """The mutants of a file, in the order of the file; those with one resulting text once.

    :param types: those that the file may use, its own among them.
    """
    seen: set[tuple[str, frozenset[tuple[int, int]]]] = set()
    ids: Counter[str] = Counter()
    found = []
    read = modules(text)
    again = Copies(text, read)
    for module in read:
        for definition in module.declarations:
            for part, change, copies in _changes(definition, types, again):
                edit = (change.replacement, frozenset([(change.start, change.end), *copies]))
                if edit in seen or text[change.start : change.end] == change.replacement:
                    continue
                seen.add(edit)
                where = f"{file}:{module.name}.{definition.name} {part}"
                alike = " and its copies" if copies else ""
                identity = f"{where}{alike}: {_in_words(text, change)}"
                ids[identity] += 1
                found.append(
                    Mutant(
                        id=identity + (f" ({ids[identity]})" if ids[identity] > 1 else ""),
                        file=file,
                        module=module.name,
                        definition=definition.name,
                        part=part,
                        line=text.count("\n", 0, change.start) + 1,
                        copies=copies,
                        **structs.asdict(change),
                    )
                )
    return found


@dataclass(frozen=True)
class _Piece:
    """What is edited of a definition: a clause, or the body."""

    part: str
    tokens: Sequence[Token]
    slips: Sequence[Change]


def _pieces(definition: Declaration) -> Iterator[_Piece]:
    numbers: Counter[str] = Counter()
    for clause in definition.clauses:
        if clause.keyword in {"requires", "ensures"}:
            numbers[clause.keyword] += 1
            dropped = Change(f"dropped {clause.keyword}", clause.start, clause.end, "")
            found = (dropped, *slips(clause.inside, definition.parameters))
            yield _Piece(f"{clause.keyword} {numbers[clause.keyword]}", clause.inside, found)
    yield _Piece("body", definition.body, tuple(slips_of_body(definition)))


def _changes(
    definition: Declaration, types: Collection[AlgebraicType], again: Copies
) -> Iterator[tuple[str, Change, Places]]:
    """The part, the edit, and where else it is made. Ids are numbered in this order."""
    if definition.is_program:
        found = slips(executed(definition.body), definition.parameters)
        yield from ((PROGRAM, slip, ()) for slip in found)
    if not definition.is_definition:
        return
    plain = list(_pieces(definition))
    more = [
        _Piece(
            piece.part, piece.tokens, tuple(constructor_slips(before_proofs(piece.tokens), types))
        )
        for piece in plain
    ]
    yield from ((piece.part, slip, ()) for piece in plain + more for slip in piece.slips)
    for piece in plain + more:
        whole = piece.part != "body"
        for tokens in [piece.tokens] if whole else expressions(piece.tokens):
            copied = again.of(tokens)
            for slip in piece.slips if copied.copies else ():
                if places := copied.places(slip):
                    yield piece.part, structs.replace(slip, kind="consistent"), places


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
    edited, satisfies both or neither. What is edited in copies, too, has to mean the same there,
    whatever the result is; and whatever is assumed, unless these are in the contract of the body.
    """
    (module,) = (module for module in modules(text) if module.name == mutant.module)
    definition = next(d for d in module.declarations if d.start <= mutant.start < d.end)
    requires = [clause for clause in definition.clauses if clause.keyword == "requires"]
    before = " /\\ ".join(["true", *(_said(text, clause) for clause in requires)])
    quantified = [
        f"{' '.join(group.names)}: {group.type.replace(' . ', '.')}"
        for group in definition.parameters
        if group.names
    ]
    if mutant.part == "body":
        start, end = definition.body[0].start, definition.body[-1].end
        relation = "<->" if "predicate" in definition.head else "="
        same = f"({text[start:end]}) {relation} ({mutant.apply(text, start, end)})"
        own = [
            clause
            for clause in definition.clauses
            if clause.keyword == "ensures"
            if any(clause.start <= copy < clause.end for copy, _end in mutant.copies)
        ]
        inside = [(clause.start, clause.end) for clause in own]
        for clause in own:
            alike = f"{_said(text, clause)} <-> {_said(text, clause, mutant)}"
            same = f"({same}) /\\ (forall result: {_result(definition)}. {alike})"
        elsewhere = not all(any(a <= copy < b for a, b in inside) for copy, _end in mutant.copies)
        claim = same if elsewhere else f"({before}) -> ({same})"
    elif mutant.part.startswith("requires") and not mutant.copies:
        after = " /\\ ".join(["true", *(_said(text, clause, mutant) for clause in requires)])
        claim = f"({before}) <-> ({after})"
    else:
        (clause,) = (c for c in definition.clauses if c.start <= mutant.start < c.end)
        name = definition.name if definition.name[0].isalpha() else f"( {definition.name} )"
        names = [name for group in definition.parameters for name in group.names or ("()",)]
        claim = f"{_said(text, clause)} <-> {_said(text, clause, mutant)}"
        if mutant.copies:
            quantified.append(f"result: {_result(definition)}")
        else:
            claim = f"({before}) -> let result = {' '.join([name, *names])} in {claim}"
    quantifier = f"forall {', '.join(quantified)}. " if quantified else ""
    place = len(mutant.apply(text, 0, definition.end))
    edited = mutant.apply(text)
    return f"{edited[:place]}\n  goal {EQUIVALENT}: {quantifier}{claim}\n{edited[place:]}"


def _result(definition: Declaration) -> str:
    """Its type, as in the source."""
    return definition.result.replace(" . ", ".") or "bool"


def _said(text: str, clause: Clause, mutant: Mutant | None = None) -> str:
    """What a clause says, before the edit or in the mutant; nothing, where it was dropped."""
    if not clause.inside or (mutant and mutant.start == clause.start):
        return "true"
    start, end = clause.inside[0].start, clause.inside[-1].end
    return f"({mutant.apply(text, start, end) if mutant else text[start:end]})"
