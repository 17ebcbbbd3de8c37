"""One test vector: operands and the result that the formal definition gives for them."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


class Operator(StrEnum):
    """An operator of the source documents."""

    MUL = "mul"
    DIV = "div"
    MATMUL = "matmul"


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


@dataclass(frozen=True, eq=False)
class Case:
    """One test vector."""

    name: str
    """Unique among all cases, for example `mul-float32-tie-0007`."""
    operator: Operator
    element_type: str
    """As in `sonnx_formal.ops.element_types`, for example `bfloat16` or `real`."""
    case_class: CaseClass
    requirements: tuple[str, ...]
    """The ids of the requirements that the case exercises."""
    a: Array
    b: Array
    expected: Array
    """The result, computed by the oracle and by nothing else."""
