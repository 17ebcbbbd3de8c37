"""The operands of the worked examples in the source documents."""

from collections.abc import Iterator
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np

from sonnx_formal.oracle.attributes import Attributes
from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.vectors.arrays import Operands, Shape
from sonnx_formal.vectors.case import LEGACY, SONNX, Array, CaseClass, Operator
from sonnx_formal.vectors.small import GREATEST

INF, NAN = float("inf"), float("nan")

_Example = tuple[str, Any, Any]

_MUL: tuple[_Example, ...] = (
    ("SONNX-MUL.EX1", [2, 3, 7], [3, 3, 5]),
    ("SONNX-MUL.EX2", [[1, 2], [4, 0], [5, 6]], [[3, 2], [4, 1], [5, 4]]),
    ("SONNX-MUL.EX3", [[2, 1], [0, 9], [5, 6]], [[1, 3], [0, 6], [5, 6]]),
)
_DIV: tuple[_Example, ...] = (
    ("SONNX-DIV.EX1", [6, 9, 35], [3, 3, 5]),
    ("SONNX-DIV.EX2", [[3, 4], [16, 0], [25, 24]], [[3, 2], [4, 1], [5, 4]]),
)
_DIV_WITH_A_POINT: tuple[_Example, ...] = (
    ("SONNX-DIV.EX3", [[1, 3], [5, 7], [9, 12]], [[11, 22], [33, -44], [-55, 66]]),
    ("SONNX-DIV.EX4", [[6, 9, 35]], [[3, 3, 0]]),
)
_MATMUL: tuple[_Example, ...] = (("EX1", [[1, 2], [3, 4]], [[5, 6], [7, 8]]),)
_MATMUL_EXACT: tuple[_Example, ...] = (
    *_MATMUL,
    ("EX2", [[1, 2], [3, 4], [5, 6]], [[7, 8, 9], [10, 11, 12]]),
)
_MATMUL_FLOAT: tuple[_Example, ...] = (
    *_MATMUL,
    ("EX2", [[INF, -INF, NAN], [NAN, INF, -INF]], [[1, 2], [4, 5], [7, 8]]),
    ("EX3", [[INF, INF], [NAN, INF]], [[1, 2, 3, 4], [4, 5, 6, 7]]),
)


def examples(operator: Operator, element_type: str) -> Iterator[Operands]:
    """The examples that the document gives for a type.

    The two NumPy sessions of SONNX Div are about numbers with digits after the point, and about
    infinity: integers have neither.
    """
    if operator not in SONNX:
        yield from _of_system(operator, element_type)
        return
    kind = NUMERICAL[element_type].kind
    match operator:
        case Operator.MUL:
            chosen = _MUL
        case Operator.DIV:
            chosen = _DIV if kind == "integer" else (*_DIV, *_DIV_WITH_A_POINT)
        case Operator.MATMUL:
            named = _MATMUL_FLOAT if kind == "float" else _MATMUL_EXACT
            document = matmul_document(element_type)
            chosen = tuple((f"{document}.{item}", a, b) for item, a, b in named)
        case _:
            chosen = ()
    for identifier, a, b in chosen:
        operands = _tensor(element_type, a), _tensor(element_type, b)
        yield Operands(CaseClass.EXAMPLE, *operands, (identifier,))


def matmul_document(element_type: str) -> str:
    """The document that speaks of MatMul over a type, or comes nearest to it."""
    kinds = {"real": "REAL", "integer": "INT", "float": "FLOAT"}
    return f"SONNX-MATMUL-{kinds[NUMERICAL[element_type].kind]}"


_LEGACY: tuple[tuple[Shape, int | None], ...] = (
    ((), None),
    ((1, 1), None),
    ((5,), None),
    ((4, 5), None),
    ((3, 4), 1),
    ((2,), 0),
)
"""The shapes of B, and axis, with A of shape (2, 3, 4, 5)."""
_LAYERS: tuple[tuple[Shape, Shape], ...] = (
    ((256, 56), (256, 56)),
    ((8, 1, 6, 1), (7, 1, 5)),
)


def _of_system(operator: Operator, element_type: str) -> Iterator[Operands]:
    """The documents of ONNX and OpenVINO give shapes, some of them of float32, and no numbers."""
    document = operator.upper()
    made: list[tuple[Shape, Shape, Attributes]] = []
    if operator in LEGACY:
        made = [((2, 3, 4, 5), shape, Attributes(axis, 1)) for shape, axis in _LEGACY]
    elif operator is Operator.ONNX_MUL_14 and element_type == "float32":
        made = [((3, 4, 5), (5,), Attributes())]
    elif operator is Operator.OV_MULTIPLY_1 and element_type == "float32":
        made = [(*shapes, Attributes()) for shapes in _LAYERS]
    for number, (a, b, attributes) in enumerate(made, 1):
        operands = _counted(element_type, a), _counted(element_type, b)
        identifier = (f"{document}.EX{number}",)
        yield Operands(CaseClass.EXAMPLE, *operands, identifier, attributes)


def _counted(element_type: str, shape: Shape) -> Array:
    """1, 2, … 11, and again."""
    numbers = np.arange(prod(shape)) % GREATEST + 1
    return numbers.astype(NUMERICAL[element_type].dtype).reshape(shape)


def _tensor(element_type: str, rows: Any) -> Array:
    """Whole numbers, infinities and NaN, all of which are exact in every type that has them."""
    if element_type != "real":
        return np.array(rows, NUMERICAL[element_type].dtype)
    plain = np.array(rows, object)
    exact = np.empty(plain.shape, object)
    exact.ravel()[:] = [Fraction(number) for number in plain.ravel()]
    return exact
