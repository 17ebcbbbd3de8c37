"""ONNX Transpose since version 13."""

from sonnx_formal.spec.attributes import UNSET, Attribute, AttributeKind, Attributes
from sonnx_formal.spec.element_types import BOOLEAN, FLOATS, INTEGERS, TEXT
from sonnx_formal.spec.elementwise import of_onnx
from sonnx_formal.spec.operator import (
    Arrangement,
    Example,
    Input,
    Output,
    Predicate,
    Restriction,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.structural import OF_NUMBERS, Shape, structural


def axes(perm: Shape | None, rank: int) -> Shape:
    """The axis of the data for each axis of the result."""
    return tuple(reversed(range(rank))) if perm is None else perm


_PREDICATES = {
    "orders_axes": Predicate(
        lambda dims, perm: sorted(axes(perm, len(dims))) == [*range(len(dims))],
        "name each axis once, from 0 on",
    )
}


def _accepted(shape: Shape, *perm: int) -> Arrangement:
    return Arrangement((shape,), Attributes.of({"perm": [*perm]}))


def _broken(shape: Shape, *perm: int) -> Arrangement:
    return Arrangement((shape,), Attributes.of({"perm": [*perm]}), broken=True)


def _reversed(shape: Shape) -> Arrangement:
    return Arrangement((shape,), UNSET)


TRANSPOSE = of_onnx(
    structural(
        "Transpose",
        since=13,
        inputs=(Input("data", "T"),),
        restrictions=(
            Restriction("T", Test("dense", ("data",)), "the tensor is sparse"),
            Restriction(
                "T",
                Test("listed", ("data.element",)),
                "the elements are of no type of the document",
            ),
            Restriction(
                "PERM.C1",
                Test("ops.transpose.definition.TransposeShape.orders_axes", ("data.dims", "perm")),
                "perm does not name each axis once",
            ),
        ),
        predicates=_PREDICATES,
        takes=("perm", "data"),
        shape=lambda perm, data: tuple(
            data.array.shape[axis] for axis in axes(perm, data.array.ndim)
        ),
        always=("PERM.C1", "ATTR.PERM"),
        attributes=(Attribute("perm", AttributeKind.INTS, "The axis of data for each axis."),),
        examples=(
            Example("EX1", ((1, 2, 3),), OF_NUMBERS, Attributes.of({"perm": [1, 0, 2]})),
            Example("EX2", ((1, 2, 3),), OF_NUMBERS, Attributes.of({"perm": [1, 2, 0]})),
            Example("EX3", ((3,),), OF_NUMBERS),
        ),
        types=(TypeParameter("T", (*INTEGERS, *FLOATS, BOOLEAN, TEXT)),),
        output=Output("transposed", "T"),
        arrangements=(
            _reversed((2, 3)),
            _reversed((2, 3, 4)),
            _reversed((5,)),
            _reversed(()),
            _reversed((0, 3)),
            _accepted((2, 3), 1, 0),
            _accepted((2, 3), 0, 1),
            _accepted((2, 3, 4), 1, 2, 0),
            _accepted((2, 3, 4), 2, 0, 1),
            _accepted((2, 1, 3, 2), 3, 1, 0, 2),
            _accepted((2, 2, 1, 2, 3), 4, 2, 0, 3, 1),
            _accepted((1,), 0),
            _accepted((2, 0, 3), 2, 0, 1),
            _accepted((0,), 0),
            _broken((2, 3), -1, 0),
            _broken((2, 3), 0, -1),
            _broken((2, 3), 1, 1),
            _broken((2, 3), 0),
            _broken((2, 3), 0, 1, 2),
            _broken((2, 3), 0, 2),
            _broken((), 0),
            _broken((0, 3), 0, 0),
        ),
    )
)
OPERATORS = (TRANSPOSE,)
