"""What a cross-check found, by cause: what is wrong in one way is told once, whatever the type."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from sonnx_formal.check.document import CheckExample, CheckFinding, CheckReport, ProbeRow, Verdict
from sonnx_formal.core.grouping import grouped

_GRAVEST_FIRST = (Verdict.CRASHES, Verdict.DIVERGES, Verdict.REFUSES, Verdict.NOT_JUDGED)


@dataclass(frozen=True)
class Cause:
    """One way in which an implementation fails, or for which it is not judged."""

    told: tuple[CheckFinding | ProbeRow, ...]
    """At least one; all of one implementation, verdict and kind."""

    @property
    def backend(self) -> str:
        return self.told[0].backend

    @property
    def verdict(self) -> Verdict:
        return self.told[0].verdict

    @property
    def kind(self) -> str:
        return self.told[0].kind

    @property
    def question(self) -> str | None:
        """What a probe asked; None of the cases."""
        first = self.told[0]
        return f"probe {first.probe}: {first.question}" if isinstance(first, ProbeRow) else None

    @property
    def types(self) -> dict[str, str]:
        """The element types by operator."""
        by_operator = grouped(self.told, lambda each: each.operator)
        return {
            name: ", ".join(dict.fromkeys(each.element_type for each in here))
            for name, here in by_operator.items()
        }

    @property
    def cases(self) -> int:
        return sum(each.cases for each in self.told if isinstance(each, CheckFinding))

    @property
    def elements(self) -> int:
        """Those that are wrong."""
        return sum(each.elements for each in self.told if isinstance(each, CheckFinding))

    @property
    def smallest(self) -> CheckFinding | ProbeRow:
        """The finding whose example is the smallest."""
        return min(self.told, key=lambda each: _size(each.example))


def causes(report: CheckReport) -> list[Cause]:
    """The failures, each by operator, the gravest first; then why what is not judged."""
    told: Sequence[CheckFinding | ProbeRow] = [
        *report.findings,
        *(answer for answer in report.probes if answer.example is not None),
    ]
    groups = [Cause(tuple(here)) for here in grouped(told, _what_is_common).values()]
    return sorted(groups, key=lambda cause: _GRAVEST_FIRST.index(cause.verdict))


def _what_is_common(told: CheckFinding | ProbeRow) -> tuple[object, ...]:
    operator = None if told.verdict is Verdict.NOT_JUDGED else told.operator
    probe = told.probe if isinstance(told, ProbeRow) else None
    return told.backend, told.verdict, operator, told.kind, told.admissible, probe


def _size(example: CheckExample | None) -> int:
    return sum(prod(operand.shape) for operand in example.operands) if example else 0
