"""SONNX Concat."""

from typing import TYPE_CHECKING

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.element_types import BOOLEAN, FLOATS, INTEGERS, TEXT
from sonnx_formal.spec.operator import (
    Arrangement,
    Example,
    Input,
    Predicate,
    Presence,
    Restriction,
    Rule,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.structural import OF_NUMBERS, Shape, structural

if TYPE_CHECKING:
    from sonnx_formal.spec.admission import Operand

_OPERANDS = ("x",)
_WITH_AXIS = ("axis", "x")


def _elsewhere(axis: int, shape: Shape) -> Shape:
    return tuple(size for k, size in enumerate(shape) if k != axis)


def joined(axis: int, x: "tuple[Operand, ...]") -> Shape:
    """The shape of the operands one after the other."""
    first, *_ = shapes = [operand.array.shape for operand in x]
    total = sum(shape[axis] for shape in shapes)
    return tuple(total if k == axis else size for k, size in enumerate(first))


_PREDICATES = {
    "dense": Predicate(lambda _x: True, ""),
    "all_listed": Predicate(
        lambda x: x[0].listed, "convert all to one type, which is one of {types}"
    ),
    "one_type": Predicate(
        lambda x: len({operand.type for operand in x}) == 1, "convert all to one type"
    ),
    "axis_not_negative": Predicate(lambda axis: axis >= 0, "count the axis from the first one"),
    "in_range": Predicate(
        lambda axis, x: axis < x[0].array.ndim, "give an axis that the operands have"
    ),
    "one_rank": Predicate(
        lambda x: len({operand.array.ndim for operand in x}) == 1,
        "give all the same number of axes",
    ),
    "one_shape_elsewhere": Predicate(
        lambda axis, x: all(
            _elsewhere(axis, operand.array.shape) == _elsewhere(axis, x[0].array.shape)
            for operand in x
        ),
        "give all the same dimensions on the other axes",
    ),
}


def _accepted(axis: int, *shapes: Shape) -> Arrangement:
    return Arrangement(shapes, Attributes.of({"axis": axis}))


def _broken(axis: int, *shapes: Shape) -> Arrangement:
    return Arrangement(shapes, Attributes.of({"axis": axis}), broken=True)


CONCAT = structural(
    "Concat",
    since=13,
    inputs=(Input("X", "T", Presence.VARIADIC),),
    restrictions=(
        Restriction("SONNX-GENERAL.GR1", Test("dense", _OPERANDS), "a tensor is sparse"),
        Restriction(
            "T", Test("all_listed", _OPERANDS), "the elements are of no type of the document"
        ),
        Restriction("T", Test("one_type", _OPERANDS), "the elements are of more than one type"),
        Restriction(
            "R1",
            Test("ops.concat.definition.ConcatShape.axis_not_negative", ("axis",)),
            "the axis is negative",
        ),
        Restriction("AXIS.C1", Test("in_range", _WITH_AXIS), "the operands have no such axis"),
        Restriction("X.C2", Test("one_rank", _OPERANDS), "the ranks differ"),
        Restriction(
            "X.C3",
            Test("one_shape_elsewhere", _WITH_AXIS),
            "the dimensions differ on an axis besides the one of the concatenation",
        ),
    ),
    predicates=_PREDICATES,
    takes=_WITH_AXIS,
    shape=joined,
    always=("T", "ATTR.AXIS", "AXIS.C1", "R1", "AXIS.C2", "X.C1", "X.C2", "X.C3", "Y.C1", "Y.C2"),
    attributes=(
        Attribute("axis", AttributeKind.INT, "The axis along which they stand.", required=True),
    ),
    examples=(
        # The elements are in a figure only.
        Example("EX1", ((2, 3), (2, 2), (2, 1)), OF_NUMBERS, Attributes.of({"axis": 1})),
    ),
    types=(TypeParameter("T", (*INTEGERS, *FLOATS, BOOLEAN, TEXT)),),
    states={Rule.RESULT_TYPE: "Y.C4", Rule.RESULT_SHAPE: "Y.C3"},
    arrangements=(
        _accepted(0, (2, 3), (1, 3)),
        _accepted(1, (2, 3), (2, 2), (2, 1)),
        _accepted(0, (4,)),
        _accepted(0, (1,), (1,), (1,), (1,), (1,)),
        _accepted(1, (2, 1, 3), (2, 2, 3)),
        _accepted(2, (1, 2, 3), (1, 2, 1), (1, 2, 2)),
        _accepted(3, (2, 1, 1, 2), (2, 1, 1, 1)),
        _accepted(1, (2, 2), (2, 0), (2, 1)),
        _accepted(0, (0,), (0,)),
        _accepted(0, (0, 3), (2, 3), (0, 3)),
        _accepted(0, (2, 0), (3, 0)),
        _accepted(1, (2, 0, 3), (2, 0, 3)),
        _broken(-1, (2, 3), (2, 3)),
        _broken(-3, (2, 3)),
        _broken(2, (2, 3), (2, 3)),
        _broken(0, ()),
        _broken(0, (), ()),
        _broken(0, (2, 3), (3,)),
        _broken(0, (3,), (3, 3)),
        _broken(0, (1, 2), (1, 2), (1, 2, 1)),
        _broken(0, (2, 3), (2, 2)),
        _broken(1, (2, 3), (1, 3)),
        _broken(1, (2, 3, 4), (2, 3, 4), (2, 3, 5)),
        _broken(0, (2, 3), (0, 0)),
    ),
)
OPERATORS = (CONCAT,)
