"""A page for each file of test vectors, so that nobody has to open an `.npz`."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from sonnx_formal.check.document import MatrixRow, NamedTensor
from sonnx_formal.core.grouping import grouped
from sonnx_formal.report.cases import page_of_cases, tensors, verdict_on
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.views import View, environment
from sonnx_formal.spec.attributes import AttributeValue
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.manifest import Case, file_name
from sonnx_formal.vectors.storage import load


class CaseView(NamedTuple):
    """A test vector as its page has it."""

    name: str
    case_class: CaseClass
    requirements: tuple[str, ...]
    tensors: tuple[NamedTensor, ...]
    attributes: Mapping[str, AttributeValue]
    violated: str | None
    verdicts: Mapping[str, Sequence[str]]
    """The implementations by what they make of it."""


def vector_pages(evidence: Evidence, vectors: Path) -> Iterator[tuple[str, str]]:
    """The pages of the test vectors in a folder, each after its path in the folder of the report.

    :raises UserError: when the vectors are not as their manifest says.
    """
    template = environment().get_template("cases.html")
    view = View(evidence)
    groups = {each.file: each for each in evidence.vectors.groups} if evidence.vectors else {}
    for file, cases in groupby(load(vectors), lambda case: file_name(case.instance)):
        if (group := groups.get(file)) is None:
            continue  # the evidence is of other vectors, which is said where it is derived
        rows = view.matrix.get((group.operator, group.element_type), ())
        shown = [_case(case, rows) for case in cases]
        identifiers = dict.fromkeys(name for case in shown for name in case.requirements)
        yield (
            page_of_cases(file),
            template.render(
                evidence=evidence,
                view=view,
                group=group,
                classes=_by_class(shown),
                requirements={
                    name: _by_class([case for case in shown if name in case.requirements])
                    for name in sorted(identifiers)
                },
            ),
        )


def _by_class(cases: Sequence[CaseView]) -> Mapping[CaseClass, Sequence[CaseView]]:
    return grouped(cases, lambda case: case.case_class)


def _case(case: Case, rows: Sequence[MatrixRow]) -> CaseView:
    by_verdict = grouped(rows, lambda row: verdict_on(case.name, row))
    return CaseView(
        case.name,
        case.case_class,
        case.requirements,
        tuple(tensors(case)),
        case.call.attributes.as_dict(),
        case.violated,
        {verdict: [row.backend for row in here] for verdict, here in by_verdict.items()},
    )
