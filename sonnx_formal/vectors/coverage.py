"""The requirements that a case exercises, by their ids."""

from collections.abc import Iterator

import numpy as np

from sonnx_formal.spec.requirements import requirement
from sonnx_formal.vectors.arrays import Operands
from sonnx_formal.vectors.case import LEGACY, SONNX, Array, Operator
from sonnx_formal.vectors.examples import matmul_document

_MATMUL_CONSTRAINTS = ("A.C1", "A.C2", "A.C3", "B.C1", "B.C2", "B.C3", "Y.C1", "Y.C2")


def exercised(
    operator: Operator, element_type: str, operands: Operands, outcome: Array | str
) -> tuple[str, ...]:
    """The requirements of the operator's document, then those that the operands name.

    A definition is exercised where there is an element to compute. What forbids operands is
    exercised by the cases that it rejects, and of these, it alone.

    Raises `UnknownRequirementError` for an id that the registry does not have.
    """
    if isinstance(outcome, str):
        implied = [outcome]
    elif operator not in SONNX:
        implied = list(_of_system(operator, operands, outcome))
    elif operator is Operator.MATMUL:
        implied = list(_of_matmul(element_type, operands))
    else:
        implied = list(_of_elementwise(operator, element_type, operands))
    return tuple(requirement(one).id for one in (*implied, *operands.requirements))


def _of_elementwise(operator: Operator, element_type: str, operands: Operands) -> Iterator[str]:
    document = f"SONNX-{operator.upper()}"
    yield from (f"{document}.{item}" for item in ("R1", "C1", "T"))
    with np.errstate(invalid="ignore"):  # signalling NaNs
        zeros = np.count_nonzero(operands.b == 0) if operator is Operator.DIV else 0
    if zeros < operands.a.size:
        yield f"{document}.FUNC"
    if zeros:
        yield f"{document}.R5"
    elif operator is Operator.DIV:
        yield f"{document}.C2"


def _of_system(operator: Operator, operands: Operands, result: Array) -> Iterator[str]:
    document = operator.upper()
    yield from (f"{document}.{item}" for item in ("SHAPE", "T"))
    if result.size:
        yield f"{document}.FUNC"
    if operator is Operator.OV_MULTIPLY_1:
        yield f"{document}.ATTR.AUTO_BROADCAST"
    if operator in LEGACY:
        yield f"{document}.ATTR.BROADCAST"
        yield from (f"{document}.{item}" for item in _legacy_items(operands))


def _legacy_items(operands: Operands) -> Iterator[str]:
    if operands.attributes.consumed_inputs is not None:
        yield "ATTR.CONSUMED_INPUTS"
    if operands.attributes.broadcast != 1:
        yield "B.C1"
        return
    yield "B.C2"
    if operands.b.size != 1:
        yield "B.C3"
        yield "ATTR.AXIS"


def _of_matmul(element_type: str, operands: Operands) -> Iterator[str]:
    document = matmul_document(element_type)
    yield from (f"{document}.{item}" for item in _MATMUL_CONSTRAINTS)
    if element_type != "bfloat16":  # which is an extension of ours
        yield f"{document}.T"
    if operands.a.shape[0] and operands.b.shape[1]:
        yield f"{document}.FUNC"
        yield f"{document}.ACC"
