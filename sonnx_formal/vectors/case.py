"""One test vector: operands and what the formal definition says of them."""

from dataclasses import dataclass
from enum import StrEnum

from sonnx_formal.oracle.tables import UNLISTED
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance


class CaseClass(StrEnum):
    """What a case is there to show."""

    NOMINAL = "nominal"
    EXAMPLE = "example"
    """A worked example of the source document."""
    BOUNDARY = "boundary"
    SPECIAL = "special"
    """Special values, each with each."""
    TIE = "tie"
    """Exact results half-way between two numbers of the format."""
    SUBNORMAL = "subnormal"
    OVERFLOW = "overflow"
    WRAP = "wrap"
    """Integer results that wrap around, or may."""
    ZERO_SIZE = "zero-size"
    RANK_0 = "rank-0"
    HAZARD = "hazard"
    """What kills some runtimes, as the least integer divided by -1."""
    RANDOM = "random"
    EXACT_SUM = "exact-sum"
    """Sums of floats that no order rounds."""
    CANCELLATION = "cancellation"
    """Great terms of a sum that cancel each other; two of them to zero or nearly so."""
    GROWTH = "growth"
    """Sums of up to 4096 products."""
    ORDER_DEPENDENT = "order-dependent"
    """Sums that overflow in some order and not in another."""
    BROADCAST = "broadcast"
    """Two shapes that are brought together."""
    AXIS = "axis"
    """The shape of B begins at a given axis of A."""
    REJECTED = "rejected"
    """Operands or attributes that the document excludes."""


@dataclass(frozen=True, eq=False)
class Case:
    """One test vector."""

    name: str
    """Unique among all cases, for example `mul-float32-tie-0007`."""
    instance: Instance
    call: Call
    case_class: CaseClass
    requirements: tuple[str, ...]
    """The ids of the requirements that the case exercises."""
    outcome: Array | str
    """The result, computed by the oracle and by nothing else; of a rejected case, the id of the
    requirement that the oracle names."""

    @property
    def violated(self) -> str | None:
        """The requirement that a rejected case violates."""
        return self.outcome if isinstance(self.outcome, str) else None

    @property
    def expected(self) -> Array:
        """The result. Raises `ValueError` if there is none."""
        if isinstance(self.outcome, str):
            raise ValueError(f"{self.name} has no result: it violates {self.outcome}")
        return self.outcome


def call_of(
    instance: Instance, operands: tuple[Array | None, ...], attributes: Attributes = UNSET
) -> Call:
    """A call over the types of an instance, be they an extension of ours."""
    reading = UNLISTED if instance.extension else None
    return Call(instance.operator, operands, attributes, reading)
