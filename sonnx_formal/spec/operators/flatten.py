"""SONNX Flatten."""

from math import prod

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.element_types import BOOLEAN, INTEGERS, REAL, TEXT, element_types
from sonnx_formal.spec.operator import (
    Arrangement,
    Example,
    Predicate,
    Restriction,
    Rule,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.structural import OF_NUMBERS, Shape, X, admitted, axes_of, structural

_X = [[[*range(k, k + 4)] for k in range(first, first + 12, 4)] for first in (0, 12)]


def matrix_of(axis: int, dims: Shape) -> Shape:
    """As many rows as the axes before this one have elements, and as many columns as the rest."""
    (start,) = axes_of(len(dims), (axis,))
    return prod(dims[:start]), prod(dims[start:])


def _accepted(dims: Shape, axis: int) -> Arrangement:
    return Arrangement((dims,), Attributes.of({"axis": axis}))


def _broken(dims: Shape, axis: int) -> Arrangement:
    return Arrangement((dims,), Attributes.of({"axis": axis}), broken=True)


FLATTEN = structural(
    "Flatten",
    since=13,
    inputs=(X,),
    restrictions=(
        *admitted("x"),
        Restriction(
            "AXIS.C1",
            Test("ops.flatten.definition.FlattenShape.axis_exists", ("axis", "x.dims")),
            "axis is none of X",
        ),
    ),
    predicates={
        "axis_exists": Predicate(
            lambda axis, dims: -len(dims) <= axis <= len(dims),
            "set it to an axis of X or, for a single column, to the number of its axes",
        )
    },
    takes=("axis", "x"),
    shape=lambda axis, x: matrix_of(axis, x.array.shape),
    states={Rule.RESULT_TYPE: "T", Rule.RESULT_SHAPE: "Y.C1"},
    always=("ATTR.AXIS", "AXIS.C1", "X.C1"),
    types=(
        TypeParameter(
            "T",
            (REAL, *INTEGERS, *element_types("float16", "float32", "float64")),
            beyond=(*element_types("bfloat16"), BOOLEAN, TEXT),
        ),
    ),
    attributes=(
        Attribute(
            "axis", AttributeKind.INT, "The first axis of X that makes columns.", required=True
        ),
    ),
    examples=tuple(
        Example(f"EX{axis + 1}", (_X,), OF_NUMBERS, Attributes.of({"axis": axis}))
        for axis in range(3)
    ),
    arrangements=(
        _accepted((2, 3), 1),
        _accepted((2, 3), 0),
        _accepted((2, 3), 2),
        _accepted((2, 3), -1),
        _accepted((2, 3), -2),
        _accepted((2, 3, 4), 1),
        _accepted((2, 3, 4), 2),
        _accepted((2, 3, 4), -1),
        _accepted((2, 1, 3, 2), -2),
        _accepted((2, 1, 3, 2), 4),
        _accepted((5,), 0),
        _accepted((5,), 1),
        _accepted((), 0),
        _accepted((0,), 0),
        _accepted((0,), 1),
        _accepted((0, 3), 1),
        _accepted((3, 0, 2), 1),
        _accepted((3, 0, 2), -1),
        _broken((2, 3), 3),
        _broken((2, 3), -3),
        _broken((), 1),
        _broken((), -1),
        _broken((0,), 2),
    ),
)
OPERATORS = (FLATTEN,)
