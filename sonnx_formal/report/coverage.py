"""What there is of each operator over each type, and of what there is not, why."""

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from sonnx_formal.backends.backend import has_reals, is_in_onnx
from sonnx_formal.check.document import CheckedBackend, CheckReport, Verdict
from sonnx_formal.core.documents import Part
from sonnx_formal.core.grouping import grouped
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
    short: str = ""
    """It in a narrow column: of all that there is, how many, or nothing; of a part, the words.

    What has no part has a reason, which stands below the table.
    """


class CoverageRow(Part, frozen=True):
    """An operator over element types."""

    operator: str
    element_type: str
    cells: tuple[CoverageCell, ...]
    """In the same order in each row."""


@dataclass(frozen=True)
class Found:
    """What there is of a thing, as a cell has it in any column."""

    covered: Covered
    what: str
    short: str = ""

    def cell(self, column: str) -> CoverageCell:
        """It in a column."""
        return CoverageCell(column, self.covered, self.what, self.short)


def coverage(found: Documents, operators: Iterable[Operator]) -> tuple[CoverageRow, ...]:
    """A row for each operator of SONNX, or of ONNX where SONNX lacks it, and each of its types."""
    goals = found.prove.goals if found.prove else ()
    by_folder = grouped(goals, lambda goal: goal.file.rpartition("/")[0])
    rows = []
    for operator in operators:
        if operator.goes_by_onnx_name:
            instances = tuple(operator.instances())
            modules = {each.module for each in instances}
            rows += [
                CoverageRow(operator.name, each.label, (*_cells(each, modules, found, by_folder),))
                for each in instances
            ]
    return tuple(rows)


def _cells(
    instance: Instance,
    modules: Set[str],
    found: Documents,
    by_folder: Mapping[str, Sequence[GoalEntry]],
) -> Iterator[CoverageCell]:
    yield _definition(instance).cell("defined")
    folder = instance.module.rsplit(".", 2)[0].replace(".", "/")  # `ops/mul`
    goals = by_folder.get(folder, ())
    proved = proofs(goals, modules - {instance.module}) if found.prove else _missing("prove")
    yield proved.cell("proved")
    vectors = _vectors(instance, found.vectors) if found.vectors else _missing("vectors")
    yield vectors.cell("vectors")
    kernels = _kernels(instance, found.kernels) if found.kernels else _missing("kernels")
    yield kernels.cell("kernel")
    if found.check is None:
        yield _missing("check").cell("implementations")
        return
    for backend in found.check.here:
        yield _verdicts(instance, backend, found.check).cell(backend.name)


def _missing(document: str) -> Found:
    return Found(Covered.NONE, f"the document {document} is missing")


def _definition(instance: Instance) -> Found:
    if not instance.extension:
        return Found(Covered.WHOLE, instance.module)
    extension = "which no document lists"
    return Found(Covered.WHOLE, f"{instance.module}, {extension}", extension)


def proofs(goals: Iterable[GoalEntry], others: Set[str]) -> Found:
    """Of the goals of an operator's folder, those that are not of the modules of other types."""
    here = [
        goal
        for goal in goals
        if f"{goal.file.removesuffix('.mlw').replace('/', '.')}.{goal.module}" not in others
    ]
    return _of_all(sum(goal.proved for goal in here), len(here), "goal")


def _of_all(done: int, every: int, what: str) -> Found:
    if done == every > 0:
        return Found(Covered.WHOLE, counted(every, what), f"{every:,}")
    part = f"{done} of {counted(every, what)}"
    return Found(Covered.PART, part, part) if done else Found(Covered.NONE, part)


def _vectors(instance: Instance, vectors: Manifest) -> Found:
    name, types = instance.operator.name, tuple(type_.name for type_ in instance.types)
    cases = (
        len(each.cases) for each in vectors.files if (each.operator, each.types) == (name, types)
    )
    number = sum(cases)
    what = counted(number, "vector")
    return Found(Covered.WHOLE, what, f"{number:,}") if number else Found(Covered.NONE, what)


def _kernels(instance: Instance, kernels: KernelLibrary) -> Found:
    name, label = instance.operator.name, instance.label
    entries = [each for each in kernels.kernels if (each.operator, each.type) == (name, label)]
    functions = [each.function for each in entries if each.function]
    if functions:
        return Found(Covered.WHOLE, ", ".join(functions))
    return Found(Covered.NONE, _no_kernel(instance))


def _no_kernel(instance: Instance) -> str:
    if has_reals(instance):
        return "real numbers: only definitions compute with them"
    if not instance.types[0].has_patterns:
        return "elements of no fixed width"
    return "open: there is no kernel"


def _verdicts(instance: Instance, backend: CheckedBackend, check: CheckReport) -> Found:
    about = instance.operator.name, instance.label, backend.name
    counts = [
        row.counts for row in check.matrix if (row.operator, row.element_type, row.backend) == about
    ]
    if not counts:
        return Found(Covered.NONE, "it was not asked")
    told = {verdict: number for verdict, number in counts[0].items() if number}
    if told.keys() <= {Verdict.NOT_SUPPORTED}:
        return Found(Covered.NONE, _unsupported(instance, backend))
    passed = sum(told.get(each, 0) for each in _PASSES)
    what = ", ".join(f"{number} {verdict}" for verdict, number in told.items())
    if told.keys() <= {*_PASSES}:
        return Found(Covered.WHOLE, what, f"{passed:,}" if len(told) == 1 else what)
    if passed:
        return Found(Covered.PART, what, what)
    kinds = (
        each.kind
        for each in check.findings
        if (each.operator, each.element_type, each.backend) == about and each.kind
    )
    return Found(Covered.NONE, ": ".join([what, *kinds][:2]))


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
