"""What there is of each operator over each type, and of what there is not, why."""

from collections.abc import Iterable, Iterator
from enum import StrEnum

from sonnx_formal.backends.backend import has_reals, is_in_onnx
from sonnx_formal.check.document import CheckedBackend, CheckReport, Verdict
from sonnx_formal.core.documents import Part
from sonnx_formal.core.texts import counted
from sonnx_formal.kernels import supports
from sonnx_formal.kernels.document import KernelLibrary
from sonnx_formal.prover.document import GoalEntry
from sonnx_formal.report.documents import Documents
from sonnx_formal.spec.operator import Instance, Operator
from sonnx_formal.vectors.manifest import Manifest

_PASSES = (Verdict.PASS, Verdict.WITHIN_BOUND)


class Covered(StrEnum):
    """How much of it there is."""

    WHOLE = "whole"
    PART = "in part"
    NONE = "none"


class CoverageCell(Part, frozen=True):
    """One thing of an operator over a type."""

    column: str
    covered: Covered
    what: str
    """What there is, or why there is no more of it."""

    @property
    def short(self) -> str:
        """It in a narrow column: of all that there is, how many, or nothing; of a part, the words.

        What has no part has a reason, which stands below the table.
        """
        number, _, noun = self.what.partition(" ")
        match self.covered:
            case Covered.NONE:
                return ""
            case Covered.WHOLE if self.column == "defined":
                return noun  # that no document lists the type
            case Covered.WHOLE if not number.replace(",", "").isdigit():
                return ""
            case Covered.WHOLE if "," not in noun:
                return number
            case Covered.WHOLE | Covered.PART:
                return self.what


class CoverageRow(Part, frozen=True):
    """An operator over element types."""

    operator: str
    element_type: str
    cells: tuple[CoverageCell, ...]
    """In the same order in each row."""


def coverage(found: Documents, operators: Iterable[Operator]) -> tuple[CoverageRow, ...]:
    """A row for each operator of SONNX, or of ONNX where SONNX lacks it, and each of its types."""
    return tuple(
        CoverageRow(operator.name, instance.label, tuple(_cells(instance, found)))
        for operator in operators
        if operator.goes_by_onnx_name
        for instance in operator.instances()
    )


def _cells(instance: Instance, found: Documents) -> Iterator[CoverageCell]:
    yield _cell("defined", Covered.WHOLE, _definition(instance))
    goals = found.prove.goals if found.prove else ()
    yield _cell("proved", *(proofs(instance, goals) if found.prove else _missing("prove")))
    vectors = found.vectors
    yield _cell("vectors", *(_vectors(instance, vectors) if vectors else _missing("vectors")))
    kernels = found.kernels
    yield _cell("kernel", *(_kernels(instance, kernels) if kernels else _missing("kernels")))
    if found.check is None:
        yield _cell("implementations", *_missing("check"))
        return
    for backend in found.check.backends:
        yield _cell(backend.name, *_verdicts(instance, backend, found.check))


_Found = tuple[Covered, str]


def _cell(column: str, covered: Covered, what: str) -> CoverageCell:
    return CoverageCell(column, covered, what)


def _missing(document: str) -> _Found:
    return Covered.NONE, f"the document {document} is missing"


def _definition(instance: Instance) -> str:
    extension = ", which no document lists" if instance.extension else ""
    return f"{instance.module}{extension}"


def proofs(instance: Instance, goals: Iterable[GoalEntry]) -> _Found:
    """Of the operator's folder, but of the modules of other types."""
    mine = instance.module
    folder = mine.rsplit(".", 2)[0].replace(".", "/")
    others = {each.module for each in instance.operator.instances()} - {mine}
    here = [
        goal
        for goal in goals
        if goal.file.startswith(f"{folder}/")
        and f"{goal.file.removesuffix('.mlw').replace('/', '.')}.{goal.module}" not in others
    ]
    return _of_all(sum(goal.proved for goal in here), len(here), "goal")


def _of_all(done: int, every: int, what: str) -> _Found:
    if done == every > 0:
        return Covered.WHOLE, counted(every, what)
    return Covered.PART if done else Covered.NONE, f"{done} of {counted(every, what)}"


def _vectors(instance: Instance, vectors: Manifest) -> _Found:
    name, types = instance.operator.name, tuple(type_.name for type_ in instance.types)
    cases = (
        len(each.cases) for each in vectors.files if (each.operator, each.types) == (name, types)
    )
    number = sum(cases)
    return Covered.WHOLE if number else Covered.NONE, counted(number, "vector")


def _kernels(instance: Instance, kernels: KernelLibrary) -> _Found:
    name, label = instance.operator.name, instance.label
    entries = [each for each in kernels.kernels if (each.operator, each.type) == (name, label)]
    functions = [each.function for each in entries if each.function]
    if functions:
        return Covered.WHOLE, ", ".join(functions)
    return Covered.NONE, _no_kernel(instance)


def _no_kernel(instance: Instance) -> str:
    if has_reals(instance):
        return "real numbers: only definitions compute with them"
    if not instance.types[0].has_patterns:
        return "elements of no fixed width"
    return "open: there is no kernel"


def _verdicts(instance: Instance, backend: CheckedBackend, check: CheckReport) -> _Found:
    if backend.missing is not None:
        return Covered.NONE, f"not installed: {backend.missing}"
    about = instance.operator.name, instance.label, backend.name
    counts = [
        row.counts for row in check.matrix if (row.operator, row.element_type, row.backend) == about
    ]
    if not counts:
        return Covered.NONE, "it was not asked"
    told = {verdict: number for verdict, number in counts[0].items() if number}
    if told.keys() <= {Verdict.NOT_SUPPORTED}:
        return Covered.NONE, _unsupported(instance, backend)
    passed = sum(told.get(each, 0) for each in _PASSES)
    what = ", ".join(f"{number} {verdict}" for verdict, number in told.items())
    if told.keys() <= {*_PASSES}:
        return Covered.WHOLE, what
    if passed:
        return Covered.PART, what
    kinds = (
        each.kind
        for each in check.findings
        if (each.operator, each.element_type, each.backend) == about and each.kind
    )
    return Covered.NONE, ": ".join([what, *kinds][:2])


def _unsupported(instance: Instance, backend: CheckedBackend) -> str:
    if has_reals(instance):
        return "real numbers: only definitions compute with them"
    if backend.ours:
        return "no kernel of this kind" if supports(instance) else _no_kernel(instance)
    if instance.operator.onnx is None:
        return "ONNX has no such operator"
    if not is_in_onnx(instance):
        return f"{instance.operator.onnx.op_type} of ONNX has not the type"
    return "it says that it does not support it"
