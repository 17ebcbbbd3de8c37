"""What the declarations of QuantizeLinear and DequantizeLinear have in common."""

from typing import TYPE_CHECKING

from sonnx_formal.spec.attributes import Attribute, AttributeKind
from sonnx_formal.spec.element_types import BY_NAME
from sonnx_formal.spec.operator import Predicate, Restriction, Test
from sonnx_formal.spec.structural import Shape

if TYPE_CHECKING:
    from sonnx_formal.spec.admission import Operand

_PER_AXIS = "tensor.per_axis.PerAxis"
AXIS = Attribute(
    "axis", AttributeKind.INT, "Along which there is a scale for each entry; if not set, 1."
)


def axis_among(rank: int, axis: int | None) -> int:
    """The axis, counted from the first one; it may be none of the tensor."""
    number = 1 if axis is None else axis
    return number + rank if number < 0 else number


def _axis_exists(axis: int | None, x: Shape, parameter: Shape) -> bool:
    return not parameter or 0 <= axis_among(len(x), axis) < len(x)


def _element_each(axis: int | None, x: Shape, parameter: Shape) -> bool:
    return not parameter or parameter[0] == x[axis_among(len(x), axis)]


def _single_scale(scale: "Operand") -> bool:
    return scale.type is BY_NAME["float32"]


def _one_shape(scale: "Operand", zero: "Operand | None") -> bool:
    return zero is None or zero.array.shape == scale.array.shape


PREDICATES = {
    "single_scale": Predicate(_single_scale, "give it elements of float32"),
    "scalar_or_vector": Predicate(lambda parameter: len(parameter) <= 1, "give it no axes, or one"),
    "axis_exists": Predicate(_axis_exists, "take an axis of x, or a scale without axes"),
    "element_each": Predicate(
        _element_each, "give it an element for each entry along the axis, or no axes"
    ),
    "one_shape": Predicate(_one_shape, "give it the shape of the scale"),
}


def of_types(scale: str, zero: str) -> tuple[Restriction, ...]:
    """What both ask of the types of x and of the scale."""
    return (
        Restriction("T", Test("dense", ("x", scale, zero)), "a tensor is sparse"),
        Restriction("T", Test("listed", ("x.element",)), "x has elements of another type"),
        Restriction("T", Test("single_scale", (scale,)), f"{scale} is not of float32"),
    )


def of_shapes(scale: str, zero: str) -> tuple[Restriction, ...]:
    """What both ask of the shapes of scale and zero point."""
    stem, of_all = scale.upper(), ("axis", "x.dims", f"{scale}.dims")
    return (
        Restriction(
            f"{stem}.C1",
            Test(f"{_PER_AXIS}.scalar_or_vector", (f"{scale}.dims",)),
            f"{scale} has more than one axis",
        ),
        Restriction("AXIS.C1", Test(f"{_PER_AXIS}.axis_exists", of_all), "x has not the axis"),
        Restriction(
            f"{stem}.C2",
            Test(f"{_PER_AXIS}.element_each", of_all),
            f"{scale} has not one element for each entry along the axis",
        ),
        Restriction(
            f"{zero.upper()}.C1",
            Test("one_shape", (scale, zero)),
            f"{zero} has not the shape of {scale}",
        ),
    )
