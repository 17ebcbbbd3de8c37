"""SONNX Mul."""

from operator import mul

from sonnx_formal.spec.elementwise import OF_ALL_NUMBERS, OF_ONE_DOCUMENT
from sonnx_formal.spec.operator import Arithmetic, Example

MUL = OF_ONE_DOCUMENT.operator(
    "Mul",
    Arithmetic.PRODUCT,
    mul,
    Example("EX1", ([2, 3, 7], [3, 3, 5]), OF_ALL_NUMBERS),
    Example("EX2", ([[1, 2], [4, 0], [5, 6]], [[3, 2], [4, 1], [5, 4]]), OF_ALL_NUMBERS),
    Example("EX3", ([[2, 1], [0, 9], [5, 6]], [[1, 3], [0, 6], [5, 6]]), OF_ALL_NUMBERS),
)
OPERATORS = (MUL,)
