"""The JSON document of `sonnx-formal check --json`: what came of a cross-check."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from sonnx_formal.core.documents import Count, Part, Sha256
from sonnx_formal.core.grouping import grouped
from sonnx_formal.prover.provenance import MadeDocument

LONG = 64
"""Of so many products, a sum is a long one. The bound on one product is half a unit in the last
place, and every implementation that rounds comes up to it."""
Nested = str | list[Any]
"""A text, or a list of these of any depth."""


class Verdict(StrEnum):
    """What one implementation makes of one trial; of the last two, or of a type or form at all."""

    PASS = "pass"
    WITHIN_BOUND = "within bound"
    """Sums that may depend on their order: each is as near to the exact sum as the proved bound on
    the error of every order, and where no order rounds, it is the exact one."""
    DIVERGES = "diverges"
    REFUSES = "refuses"
    CRASHES = "crashes"
    """The process ended, or it gave no answer in time."""
    NOT_JUDGED = "not judged"
    NOT_SUPPORTED = "not supported"
    """Not a thing that it can be asked."""
    NOT_INSTALLED = "not installed"


class CheckedBackend(Part, frozen=True):
    """An implementation that was asked for."""

    name: str
    version: str | None
    """None if it is not there."""
    ours: bool
    """Whether it is the implementation of this project, which confirms nothing by itself."""
    missing: str | None
    """The reason for which it is not there."""
    required: bool
    failed: bool
    """Whether it had to pass and did not."""


class AboutOperator(Part, frozen=True):
    """Whatever is about an operator over some element types."""

    operator: str
    element_type: str
    """The names of the types, `float32` or `float32-int8`."""


class Told(AboutOperator, frozen=True):
    """Whatever is wrong with an implementation, or leaves it unjudged."""

    backend: str
    verdict: Verdict
    kind: str
    """In words, what is wrong; of a probe, or why it was not asked."""
    admissible: bool
    """Whether the specification has a result for the operands."""

    @property
    def fails(self) -> bool:
        """Whether a required implementation fails of it."""
        # Outside the domain of an operator, an implementation may do what it likes.
        return self.admissible and self.verdict in {Verdict.DIVERGES, Verdict.CRASHES}


class MatrixRow(AboutOperator, frozen=True):
    """How many cases came to each verdict."""

    backend: str
    counts: dict[Verdict, Count]
    not_passed: dict[str, Verdict]
    """The verdicts on the cases that did not pass, by name, if supported."""


class ExhaustiveRun(AboutOperator, frozen=True):
    """Whether all combinations of elements were tried."""

    combinations: Count
    why_not: str | None


class SumErrors(Part, frozen=True):
    """The worst of the elements that were looked at, each sum being of so many products."""

    products: Count
    elements: Count = 0
    outside: Count = 0
    """Of the elements, those outside the proved bound."""
    of_bound: float = 0.0
    """The greatest error as a part of its bound."""
    relative: float = 0.0
    """The greatest error in relation to the sum of the magnitudes of the products, where these are
    not so small that underflow decides."""
    relative_bound: float = 0.0
    """The bound of that element, likewise."""
    last_places: float = 0.0
    """The greatest error in units in the last place of the exact sum."""

    def with_all(self, others: "SumErrors") -> "SumErrors":
        """With the elements of others of as many products."""
        worse = max(self, others, key=lambda each: (each.relative, each.relative_bound))
        return SumErrors(
            self.products,
            self.elements + others.elements,
            self.outside + others.outside,
            max(self.of_bound, others.of_bound),
            worse.relative,
            worse.relative_bound,
            max(self.last_places, others.last_places),
        )


class SumErrorsRow(SumErrors, frozen=True, kw_only=True):
    """Of an implementation, the rounding errors of sums of so many products."""

    operator: str
    element_type: str
    backend: str


class TensorText(Part, frozen=True):
    """A tensor as nested texts."""

    element_type: str
    shape: tuple[Count, ...]
    decimal: Nested
    """Exact values; a float of more than 17 decimal digits in hexadecimal."""
    bits: Nested | None
    """Bit patterns in hexadecimal; real numbers and texts have none."""


class NamedTensor(TensorText, frozen=True):
    """An operand, by the name of its input."""

    name: str


class CheckExample(Part, frozen=True):
    """The smallest input that was found."""

    found_in: str
    """The case that it was made from."""
    operands: tuple[NamedTensor, ...]
    attributes: dict[str, int | float | str | list[Any]]
    violated: str | None
    """The requirement that the operands violate."""
    expected: TensorText | None
    got: TensorText | None
    index: tuple[Count, ...] | None
    """The place of the first element that is wrong."""
    said: str | UnsetType = UNSET
    """Where it refuses, what it wrote to standard error besides."""


class CheckFinding(Told, frozen=True):
    """One way in which an implementation departs from the definitions."""

    cases: Count
    elements: Count
    """Wrong elements of all cases."""
    example: CheckExample


class ProbeRow(Told, frozen=True):
    """An answer to what test vectors cannot ask. A pass is a yes."""

    probe: str
    question: str
    form: dict[str, bool | int]
    """The way in which the operator was put to it, as `backends.backend.Form` has it."""
    example: CheckExample | None


class Standing(StrEnum):
    """What became of a divergence that is on record."""

    CONFIRMED = "as recorded"
    STALE = "not as recorded"
    """The runtime of the same version does something else, or what is right: correct the record."""
    OTHER_VERSION = "recorded of another version"
    NOT_ASKED = "not asked"
    """The runtime is not installed, or was not asked for."""


class KnownDivergence(AboutOperator, frozen=True):
    """A divergence of a runtime that is on record, and whether it is still there."""

    backend: str
    version: str
    """The one that it is recorded of."""
    what: str
    crash: str | None
    """The signal, where it dies."""
    example: CheckExample
    """`got` is what is recorded."""
    standing: Standing
    now: str
    """What it did in this run, in words; empty where it was not asked."""


class CheckReport(MadeDocument, frozen=True, tag="sonnx-formal/check/5"):
    """Implementations against the formal definitions: the output of `sonnx-formal check --json`."""

    command = "check --vectors DIR --json PATH"

    manifest_sha256: Sha256 | None
    """Of the manifest of the test vectors; None if these were made in the run."""
    backends: tuple[CheckedBackend, ...]
    matrix: tuple[MatrixRow, ...]
    exhaustive: tuple[ExhaustiveRun, ...]
    accumulate: str | None
    """The type in which sums of narrower floats are to be accumulated, if not their own."""
    errors: tuple[SumErrorsRow, ...]
    findings: tuple[CheckFinding, ...]
    probes: tuple[ProbeRow, ...]
    known: tuple[KnownDivergence, ...]

    @property
    def here(self) -> tuple[CheckedBackend, ...]:
        """The implementations that are installed."""
        return tuple(each for each in self.backends if each.missing is None)

    def by_instance(self) -> dict[tuple[str, str], list[MatrixRow]]:
        """Of each operator and type, a row for each of these, in their order."""
        names = {each.name for each in self.here}
        rows = (row for row in self.matrix if row.backend in names)
        return grouped(rows, lambda row: (row.operator, row.element_type))

    @property
    def stale(self) -> tuple[KnownDivergence, ...]:
        """What is on record and not so."""
        return tuple(each for each in self.known if each.standing is Standing.STALE)

    def worst_errors(self) -> Iterator[SumErrorsRow]:
        """Of each implementation, operator and type, all sums as the worst of the long ones.

        That is the one nearest to its bound; where there are no long ones, one of the longest.
        """
        named = grouped(self.errors, lambda each: (each.backend, each.operator, each.element_type))
        for here in named.values():
            long = min(LONG, max(each.products for each in here))
            yield replace(
                max(
                    (each for each in here if each.products >= long), key=lambda each: each.of_bound
                ),
                elements=sum(each.elements for each in here),
                outside=sum(each.outside for each in here),
                last_places=max(each.last_places for each in here),
            )
