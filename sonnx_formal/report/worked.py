"""One requirement, followed from its text to the bits of one result."""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from pathlib import Path
from textwrap import dedent

from sonnx_formal.check.document import MatrixRow, NamedTensor
from sonnx_formal.core.documents import Part
from sonnx_formal.prover.whyml import modules
from sonnx_formal.report.cases import tensors, verdict_on, was_asked
from sonnx_formal.report.documents import LIBRARY, Documents
from sonnx_formal.report.pages import Page
from sonnx_formal.report.trace.document import Proof, RequirementLine
from sonnx_formal.spec.requirements.entries import CaseClass, Kind, Level, ids_in
from sonnx_formal.vectors.manifest import Case, CaseEntry, FileEntry
from sonnx_formal.vectors.storage import read_cases

_PROVED = {Proof.ONE_FAMILY, Proof.TWO_FAMILIES}


class Formula(Part, frozen=True):
    """What states a requirement in the library."""

    file: str
    line: int
    text: str


class CaseVerdict(Part, frozen=True):
    """What an implementation makes of a test vector."""

    implementation: str
    verdict: str


class WorkedVector(Part, frozen=True):
    """A test vector; of operands and result of one shape, their first element alone."""

    name: str
    file: str
    case_class: str
    index: tuple[int, ...] | None
    """The place of the element; None where all is shown."""
    shape: tuple[int, ...]
    """Of the result."""
    operands: tuple[NamedTensor, ...]
    expected: NamedTensor
    verdicts: tuple[CaseVerdict, ...]


class WorkedRequirement(Part, frozen=True):
    """The example of how the evidence hangs together."""

    id: str
    formula: Formula | None
    vector: WorkedVector | None


def worked_requirement(
    found: Documents, sources: Mapping[str, bytes], pages: tuple[Page, ...], vectors: Path | None
) -> WorkedRequirement | None:
    """The definition of a float operator, if there is one: what rounds shows why bits matter.

    :param vectors: the folder of the test vectors, None where there is none.
    """
    order = {name: place for place, page in enumerate(pages) for name in page.documents}

    def rank(line: RequirementLine) -> tuple[object, ...]:
        return (
            line.proof not in _PROVED,
            not line.vectors,
            line.kind is not Kind.DEFINITION,
            Level.IEEE_754 not in line.levels,
            order.get(line.document, len(order)),
        )

    lines = found.trace.requirements if found.trace else ()
    line = min((each for each in lines if each.goals), key=rank, default=None)
    if line is None:
        return None
    return WorkedRequirement(
        line.id,
        next(_formulas(line, sources, pages), None),
        _vector(line.id, found, vectors) if vectors else None,
    )


def _formulas(
    line: RequirementLine, sources: Mapping[str, bytes], pages: tuple[Page, ...]
) -> Iterator[Formula]:
    """The clauses of contracts that name the requirement, those of the definition first."""
    listings = [page.listing for page in pages if line.document in page.documents]
    others = [goal.id.partition(":")[0] for goal in line.goals]
    for file in dict.fromkeys((*listings, *others)):
        text = sources.get(f"{LIBRARY}{file}", b"").decode(errors="replace")
        for module in modules(text):
            for clause in (each for made in module.declarations for each in made.clauses):
                stated = text[clause.start : clause.end]
                if line.id in ids_in(stated):
                    column = clause.start - text.rfind("\n", 0, clause.start) - 1
                    number = text.count("\n", 0, clause.start) + 1
                    yield Formula(file, number, dedent(" " * column + stated))


def _vector(identifier: str, found: Documents, vectors: Path) -> WorkedVector | None:
    """The smallest one, a tie if possible, of a type that many implementations have."""
    matrix = found.check.by_instance() if found.check else {}

    def rows(file: FileEntry) -> Sequence[MatrixRow]:
        return matrix.get((file.operator, "-".join(file.types)), ())

    def rank(file: FileEntry, case: CaseEntry) -> tuple[object, ...]:
        size, asked = sum(map(prod, case.shapes.values())), sum(map(was_asked, rows(file)))
        return case.case_class is not CaseClass.TIE, not size, -asked, size, case.name

    fitting = [
        (file, case)
        for file in (found.vectors.files if found.vectors else ())
        for case in file.cases
        if identifier in case.requirements and not case.violated
    ]

    for file, entry in sorted(fitting, key=lambda each: rank(*each))[:1]:
        for case in read_cases(vectors / file.file, file):
            if isinstance(case, Case) and case.name == entry.name:
                return _shown(case, file, rows(file))
    return None


def _shown(case: Case, file: FileEntry, rows: Sequence[MatrixRow]) -> WorkedVector:
    shape = case.expected.shape
    by_element = case.instance.operator.shape_rule.by_element
    first = tuple(0 for _ in shape)
    same = by_element and all(array.shape == shape for array in case.call.arrays)
    index = first if same and prod(shape) else None
    *operands, expected = tensors(case, index)
    return WorkedVector(
        case.name,
        file.file,
        str(case.case_class),
        index,
        shape,
        tuple(operands),
        expected,
        tuple(CaseVerdict(row.backend, verdict_on(case.name, row)) for row in rows),
    )
