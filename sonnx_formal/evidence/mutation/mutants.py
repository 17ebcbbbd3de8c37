"""Every mutant of a file: one small edit of a definition, of its body or of its contract.

Proofs are left alone: lemmas, programs, `assert`, variants.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.evidence.mutation import operators
from sonnx_formal.evidence.mutation.operators import Change
from sonnx_formal.prover.whyml.modules import Clause, Declaration, modules
from sonnx_formal.prover.whyml.tokens import Token

_CONTRACT = ("requires", "ensures")
_LONG = 12
_WORDS = 3


class Mutant(Part, frozen=True):
    """One edit of one file."""

    id: str
    """`<file>:<module>.<definition> <part>: <before> => <after>`: without line numbers."""
    kind: str
    file: str
    module: str
    definition: str
    part: str
    """`body`, or the clause: `requires 1`, `ensures 2`."""
    line: int
    start: Count
    end: Count
    """What is replaced: characters of the file, from 0."""
    replacement: str

    def apply(self, text: str) -> str:
        """The text of the file with the edit."""
        return text[: self.start] + self.replacement + text[self.end :]


def mutants(file: str, text: str) -> list[Mutant]:
    """The mutants of a file, in the order of the file; those with one resulting text once."""
    seen: set[tuple[int, int, str]] = set()
    ids: Counter[str] = Counter()
    found = []
    for module in modules(text):
        for definition in module.declarations:
            if not definition.is_definition:
                continue
            for part, change in _changes(definition):
                edit = (change.start, change.end, change.replacement)
                if edit in seen or text[change.start : change.end] == change.replacement:
                    continue
                seen.add(edit)
                where = f"{file}:{module.name}.{definition.name} {part}"
                identity = f"{where}: {_in_words(text, change)}"
                ids[identity] += 1
                if ids[identity] > 1:
                    identity += f" ({ids[identity]})"
                found.append(
                    Mutant(
                        id=identity,
                        kind=change.kind,
                        file=file,
                        module=module.name,
                        definition=definition.name,
                        part=part,
                        line=text.count("\n", 0, change.start) + 1,
                        start=change.start,
                        end=change.end,
                        replacement=change.replacement,
                    )
                )
    return found


def _changes(definition: Declaration) -> Iterator[tuple[str, Change]]:
    numbers: Counter[str] = Counter()
    for clause in definition.clauses:
        if clause.keyword in _CONTRACT:
            numbers[clause.keyword] += 1
            part = f"{clause.keyword} {numbers[clause.keyword]}"
            yield part, _dropped(clause)
            yield from ((part, change) for change in _common(definition, clause.inside))
    body = operators.without_proofs(definition.body)
    yield from (("body", change) for change in _common(definition, body))
    yield from (("body", change) for change in operators.constant_results(definition))


def _common(definition: Declaration, tokens: Sequence[Token]) -> Iterator[Change]:
    yield from operators.swapped_operators(tokens)
    yield from operators.other_constants(tokens)
    yield from operators.dropped_conjuncts(tokens)
    yield from operators.dropped_hypotheses(tokens)
    yield from operators.dropped_signs(tokens)
    yield from operators.transposed_arguments(tokens)
    yield from operators.other_parameters(tokens, definition.parameters)
    yield from operators.changed_branches(tokens)


def _dropped(clause: Clause) -> Change:
    return Change(f"dropped {clause.keyword}", clause.start, clause.end, "")


def _in_words(text: str, change: Change) -> str:
    """What is replaced by what; where that is short, with the words around it."""
    before = " ".join(text[change.start : change.end].split())
    after = " ".join(change.replacement.split()) or "nothing"
    if len(before) <= _LONG:
        left = text[: change.start].rpartition("\n")[2].split(" ")[-_WORDS:]
        right = text[change.end :].partition("\n")[0].split(" ")[:_WORDS]
        before = f"{' '.join(left)}[{before}]{' '.join(right)}".strip()
    return f"{before} => {after}"
