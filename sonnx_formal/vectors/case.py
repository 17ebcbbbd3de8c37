"""One test vector: operands and what the formal definition says of them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from numpy.typing import NDArray

from sonnx_formal.oracle.attributes import UNSET, Attributes

Array = NDArray[Any]


class Operator(StrEnum):
    """An operator of the source documents."""

    MUL = "mul"
    DIV = "div"
    MATMUL = "matmul"
    ONNX_MUL_14 = "onnx-mul-14"
    ONNX_MUL_13 = "onnx-mul-13"
    ONNX_MUL_7 = "onnx-mul-7"
    ONNX_MUL_6 = "onnx-mul-6"
    ONNX_MUL_1 = "onnx-mul-1"
    OV_MULTIPLY_1 = "ov-multiply-1"


SONNX = (Operator.MUL, Operator.DIV, Operator.MATMUL)
"""The operators of SONNX; the others are named as their documents."""
ONNX_MUL = {
    Operator.ONNX_MUL_14: 14,
    Operator.ONNX_MUL_13: 13,
    Operator.ONNX_MUL_7: 7,
    Operator.ONNX_MUL_6: 6,
    Operator.ONNX_MUL_1: 1,
}
"""The versions of ONNX Mul, and the operator sets that they came with."""
LEGACY = (Operator.ONNX_MUL_6, Operator.ONNX_MUL_1)
"""Those with the attributes axis and broadcast."""


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
    """Integer results that wrap around."""
    ZERO_SIZE = "zero-size"
    RANK_0 = "rank-0"
    HAZARD = "hazard"
    """What kills some runtimes, as the least integer divided by -1."""
    RANDOM = "random"
    EXACT_SUM = "exact-sum"
    """Sums of floats that no order rounds."""
    CANCELLATION = "cancellation"
    """Great terms of a sum that cancel each other."""
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
    operator: Operator
    element_type: str
    """As in `sonnx_formal.spec.element_types`, for example `bfloat16` or `real`."""
    case_class: CaseClass
    requirements: tuple[str, ...]
    """The ids of the requirements that the case exercises."""
    a: Array
    b: Array
    outcome: Array | str
    """The result, computed by the oracle and by nothing else; of a rejected case, the id of the
    requirement that the oracle names."""
    attributes: Attributes = UNSET

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
