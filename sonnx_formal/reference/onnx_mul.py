"""ONNX Mul, in each of its versions."""

from collections.abc import Sequence
from operator import index

import numpy as np

from sonnx_formal.reference.elementwise import applied
from sonnx_formal.spec.admission import Shape, accepted
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import attributes_of
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Operator, Predicate, ShapeRule
from sonnx_formal.spec.operators.other_systems import ONNX_MUL


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
            14 on).
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
    operator = _version(opset)
    set_ = {"axis": axis, "broadcast": broadcast or None, "consumed_inputs": consumed_inputs}
    for name, value in set_.items():
        if value is not None and not operator.attribute(name):
            raise TypeError(f"{operator.title} has no attribute {name}: leave it out")
    if operator.shape_rule is ShapeRule.MULTIDIRECTIONAL:
        return applied(np.multiply, accepted(operator, a, b))
    attributes = attributes_of(
        operator, axis=axis, broadcast=broadcast, consumed_inputs=consumed_inputs
    )
    operands = accepted(operator, a, b, attributes=attributes, predicates=_PREDICATES)
    if broadcast:
        a, b = operands.arrays
        operands = operands.with_operands([a, b.reshape(_beside(attributes, a.shape, b.shape))])
    return applied(np.multiply, operands)


def _version(opset: int) -> Operator:
    for operator in ONNX_MUL:
        if operator.onnx and operator.onnx.since <= index(opset):
            return operator
    raise ValueError(f"there is no operator set {opset}: the first is 1")


def _start(attributes: Attributes, a: Shape, b: Shape) -> int:
    """The axis of A at which the shape of B begins."""
    axis = attributes.get("axis")
    return axis if isinstance(axis, int) else len(a) - len(b)


def _beside(attributes: Attributes, a: Shape, b: Shape) -> Shape:
    """The shape of B with which NumPy repeats it as the attributes say: axes of 1 follow."""
    if _has_one_element(b):
        return ()
    return b + (1,) * (len(a) - len(b) - _start(attributes, a, b))


def _has_one_element(b: Shape) -> bool:
    return set(b) <= {1}


def _is_switch(attributes: Attributes) -> bool:
    return attributes.get("broadcast") in {0, 1}


def _same_unless_broadcast(attributes: Attributes, a: Shape, b: Shape) -> bool:
    return bool(attributes.get("broadcast")) or a == b


def _room_at_axis(attributes: Attributes, a: Shape, b: Shape) -> bool:
    start = _start(attributes, a, b)
    return (
        not attributes.get("broadcast")
        or _has_one_element(b)
        or attributes.get("axis") is None
        or 0 <= start <= len(a) - len(b)
    )


def _follows_if_broadcast(attributes: Attributes, a: Shape, b: Shape) -> bool:
    start = _start(attributes, a, b)
    return (
        not attributes.get("broadcast")
        or (_has_one_element(b) and len(b) <= len(a))
        or (start >= 0 and a[start : start + len(b)] == b)
    )


_PREDICATES = {
    "is_switch": Predicate(_is_switch, "pass 0 or 1 for broadcast"),
    "same_unless_broadcast": Predicate(_same_unless_broadcast, "pass broadcast=1, or reshape B"),
    "room_at_axis": Predicate(
        _room_at_axis, "pass an axis of A, counted from 0, from which on A has as many axes as B"
    ),
    "follows_if_broadcast": Predicate(
        _follows_if_broadcast, "reshape B, or pass the axis of A at which its shape begins"
    ),
}
