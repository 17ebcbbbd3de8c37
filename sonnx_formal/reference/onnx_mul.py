"""ONNX Mul, in each of its versions."""

from collections.abc import Sequence
from operator import index

from sonnx_formal.reference.element_types import Array
from sonnx_formal.reference.elementwise import broadcastable, products
from sonnx_formal.reference.operands import described
from sonnx_formal.reference.system_operands import MACHINE_TYPES, of_one_type
from sonnx_formal.reference.violation import SpecViolation

_FLOATS = ("float16", "float32", "float64")
_WIDE = ("int32", "int64", "uint32", "uint64")
TYPES = {
    14: MACHINE_TYPES,
    13: (*_WIDE, *_FLOATS, "bfloat16"),
    7: (*_WIDE, *_FLOATS),
    6: (*_WIDE, *_FLOATS),
    1: _FLOATS,
}
"""The element types of each version, by the operator set that it came with; the last one first."""

_WITHOUT_ATTRIBUTES = 7


def onnx_mul(  # noqa: PLR0913 (the attributes of the operator)
    a: Array,
    b: Array,
    *,
    opset: int,
    axis: int | None = None,
    broadcast: int = 0,
    consumed_inputs: Sequence[int] | None = None,
) -> Array:
    """The product C of A and B, element by element, by the version of Mul of an operator set.

    Source: ONNX-MUL-14, -13, -7, -6 and -1; the sections Summary, Attributes, Inputs, Outputs and
    Type Constraints of each.

    Args:
        a, b: arrays of one type: int32, int64, uint32, uint64 (from operator set 6 on), float16,
            float32, float64, bfloat16 of ml_dtypes (from 13 on), int8, int16, uint8, uint16 (from
            14 on). Any byte order and any strides will do. The operands are not modified.
        opset: the operator set. The version is the last that is not newer: 14, 13, 7, 6 or 1.
            From 7 on, the shapes go together as NumPy broadcasts. Before, B has the shape of A or,
            where `broadcast` is 1, one element and no more axes than A, or a run of the dimensions
            of A.
        axis: before operator set 7, the axis of A at which that run begins; None if it ends where
            the shape of A ends. It means nothing where nothing is broadcast, or B has one element.
        broadcast: before operator set 7, 1 to allow that, else 0.
        consumed_inputs: before operator set 6; it means nothing.

    Returns:
        A new array of that type. From operator set 7 on, its shape is the one that A and B are
        broadcast to; before, it is that of A. Integers are modulo 2^n for a type of n bits;
        floating-point products are those of IEEE 754, rounded to nearest, ties to even.

    Raises:
        SpecViolation: ONNX-MUL-14, or the document of another version in its place. Of each: .T,
            another type, two types, or a sparse operand. Of versions 14, 13 and 7: .SHAPE, shapes
            that do not go together. Of versions 6 and 1: .ATTR.BROADCAST, neither 0 nor 1; .B.C1,
            shapes that differ without broadcasting; .ATTR.AXIS, no room for B from that axis on;
            .B.C2, a B of several elements that are no run of A's dimensions, or with more axes.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass; or
            the version has no such attribute.
        ValueError: there is no such operator set.
    """
    version = _version(opset)
    document = f"ONNX-MUL-{version}"
    if consumed_inputs is not None and version > 1:
        raise TypeError(f"ONNX Mul {version} has no attribute consumed_inputs: leave it out")
    if version < _WITHOUT_ATTRIBUTES:
        return _legacy_mul(document, TYPES[version], a, b, axis=axis, broadcast=index(broadcast))
    for name, value in [("axis", axis), ("broadcast", broadcast or None)]:
        if value is not None:
            raise TypeError(f"ONNX Mul {version} has no attribute {name}: leave it out")
    element, a, b = of_one_type(document, TYPES[version], a, b)
    if not broadcastable(a.shape, b.shape):
        raise SpecViolation(f"{document}.SHAPE", f"{described(a, b)}; reshape one of them")
    return products(element, a, b)


def _version(opset: int) -> int:
    """The last version that is not newer than the operator set."""
    found = next((version for version in TYPES if version <= index(opset)), None)
    if found is None:
        raise ValueError(f"there is no operator set {opset}: the first is 1")
    return found


def _legacy_mul(  # noqa: PLR0913 (the attributes of the operator)
    document: str,
    types: Sequence[str],
    a: Array,
    b: Array,
    *,
    axis: int | None,
    broadcast: int,
) -> Array:
    element, a, b = of_one_type(document, types, a, b)
    if broadcast not in {0, 1}:
        raise SpecViolation(f"{document}.ATTR.BROADCAST", f"broadcast is {broadcast}; pass 0 or 1")
    if broadcast:
        b = b.reshape(_shape_beside(document, a, b, None if axis is None else index(axis)))
    elif a.shape != b.shape:
        raise SpecViolation(
            f"{document}.B.C1", f"{described(a, b)}, broadcast is 0; pass broadcast=1, or reshape B"
        )
    return products(element, a, b)


def _shape_beside(document: str, a: Array, b: Array, axis: int | None) -> tuple[int, ...]:
    """The shape of B with which NumPy repeats it as the attributes say: axes of 1 follow."""
    free = a.ndim - b.ndim
    if b.size == 1:  # each dimension is 1
        if free >= 0:
            return ()
    elif axis is not None and not 0 <= axis <= free:
        raise SpecViolation(
            f"{document}.ATTR.AXIS",
            f"{described(a, b)}, axis is {axis}; pass an axis of A, counted from 0, from which on A"
            " has as many axes as B",
        )
    start = free if axis is None else axis
    if start < 0 or a.shape[start : start + b.ndim] != b.shape:
        given = "is not given" if axis is None else f"is {axis}"
        raise SpecViolation(
            f"{document}.B.C2",
            f"{described(a, b)}, axis {given}; reshape B, or pass the axis of A at which its shape"
            " begins",
        )
    return b.shape + (1,) * (free - start)
