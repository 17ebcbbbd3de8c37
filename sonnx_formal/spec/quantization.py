"""What the declarations of QuantizeLinear and DequantizeLinear have in common."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, cast

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.operator import Arrangement, Predicate, Restriction, Test
from sonnx_formal.spec.structural import Shape

if TYPE_CHECKING:
    from sonnx_formal.spec.admission import Operand
    from sonnx_formal.spec.element_types import Array

_GRANULARITY = "tensor.granularity.Granularity"
AXIS = Attribute(
    "axis", AttributeKind.INT, "Along which there is a scale for each entry; if not set, 1."
)
BLOCK_SIZE = Attribute(
    "block_size",
    AttributeKind.INT,
    "How many entries along the axis have one scale; if not set, 0: there are no blocks.",
)


def axis_among(rank: int, axis: int | None) -> int:
    """The axis, counted from the first one; it may be none of the tensor."""
    number = 1 if axis is None else axis
    return number + rank if number < 0 else number


@dataclass(frozen=True)
class Granularity:
    """What has a scale of its own: all elements, an entry along the axis, or a block of entries."""

    axis: int | None
    block: int

    @classmethod
    def of(cls, attributes: Attributes) -> Self:
        """As the attributes of a node say it."""
        axis, block = attributes.get("axis"), attributes.get("block_size")
        return cls(cast("int | None", axis), cast("int | None", block) or 0)

    def blocked(self, x: Shape, parameter: Shape) -> bool:
        """Whether a parameter of a tensor has an element for each block."""
        return self.block > 0 and 0 < len(parameter) == len(x)

    def block_dims(self, x: Shape) -> Shape:
        """The shape of such a parameter."""
        axis = axis_among(len(x), self.axis)
        return tuple(-(-n // self.block) if k == axis else n for k, n in enumerate(x))


def _sized(attributes: Attributes) -> bool:
    return Granularity.of(attributes).block >= 0


def _some_granularity(attributes: Attributes, x: Shape, parameter: Shape) -> bool:
    granularity = Granularity.of(attributes)
    if granularity.block == 0:
        return len(parameter) <= 1
    return granularity.blocked(x, parameter)


def _has_axis(attributes: Attributes, x: Shape, parameter: Shape) -> bool:
    axis = Granularity.of(attributes).axis
    return not parameter or 0 <= axis_among(len(x), axis) < len(x)


def _elements_there(attributes: Attributes, x: Shape, parameter: Shape) -> bool:
    granularity = Granularity.of(attributes)
    if granularity.blocked(x, parameter):
        return parameter == granularity.block_dims(x)
    return not parameter or parameter[0] == x[axis_among(len(x), granularity.axis)]


def _one_shape(scale: "Operand", zero: "Operand | None") -> bool:
    return zero is None or zero.array.shape == scale.array.shape


def zeros(zero: "Array | None") -> bool:
    """Whether a zero point, if it is there, has no element but zero, of either sign."""
    return zero is None or bool((zero == 0).all())


PREDICATES = {
    "sized": Predicate(_sized, "take a positive one, or leave it out"),
    "some_granularity": Predicate(
        _some_granularity, "give it no axes, or one; or, with block_size, the axes of x"
    ),
    "has_axis": Predicate(_has_axis, "take an axis of x, or a scale without axes"),
    "elements_there": Predicate(
        _elements_there, "give it an element for each entry or block along the axis, or no axes"
    ),
    "one_shape": Predicate(_one_shape, "give it the shape of the scale"),
}


def of_types(scale: str, zero: str) -> tuple[Restriction, ...]:
    """What both ask of storage, and of the type of x."""
    return (
        Restriction("T", Test("dense", ("x", scale, zero)), "a tensor is sparse"),
        Restriction("T", Test("listed", ("x.element",)), "x has elements of another type"),
    )


def of_shapes(scale: str, zero: str) -> tuple[Restriction, ...]:
    """What both ask of the shapes of scale and zero point."""
    stem, of_all = scale.upper(), ("granularity", "x.dims", f"{scale}.dims")
    return (
        Restriction(
            "BLOCK_SIZE.C1",
            Test(f"{_GRANULARITY}.sized", ("granularity",)),
            "block_size is negative",
        ),
        Restriction(
            f"{stem}.C1",
            Test(f"{_GRANULARITY}.some_granularity", of_all),
            f"{scale} has not the axes that block_size asks for",
        ),
        Restriction("AXIS.C1", Test(f"{_GRANULARITY}.has_axis", of_all), "x has not the axis"),
        Restriction(
            f"{stem}.C2",
            Test(f"{_GRANULARITY}.elements_there", of_all),
            f"{scale} has not one element for each entry or block along the axis",
        ),
        Restriction(
            f"{zero.upper()}.C1",
            Test("one_shape", (scale, zero)),
            f"{zero} has not the shape of {scale}",
        ),
    )


ANY = frozenset[str]()


def accepted(
    x: Any, scale: Any, zero: Any, types: frozenset[str] = ANY, **set_: object
) -> Arrangement:
    """Operands and attributes that go together: over these types, or over all if none is given."""
    return Arrangement((x, scale, zero), Attributes.of(set_), types=types)


def with_each(
    x: list[Any], parameters: Iterable[tuple[Any, Any]], types: frozenset[str], **set_: object
) -> Arrangement:
    """The elements x with each of these scales and zero points: a row of the first axis each."""
    scales, zeros = zip(*parameters, strict=True)
    return accepted([x] * len(scales), [*scales], [*zeros], types, axis=0, **set_)


def broken(
    x: Any, scale: Any, zero: Any = None, types: frozenset[str] = ANY, **set_: object
) -> Arrangement:
    """Likewise, that do not."""
    return Arrangement((x, scale, zero), Attributes.of(set_), broken=True, types=types)


BROKEN_BLOCKS = (
    broken((2, 5), (2, 3), (2, 3)),
    broken((2, 5), (2, 3), (2, 3), axis=1, block_size=-2),
    broken((2, 5), (2, 5), (2, 5), axis=1, block_size=2),
    broken((2, 5), (2, 3), (2, 3), axis=2, block_size=2),
    broken((2, 5), (2, 3), None, axis=0, block_size=2),
    broken((2, 5), (2, 3, 1), None, axis=1, block_size=2),
    broken((5,), (5,), (5,), axis=0, block_size=2),
    broken((2, 3), (3,), (3,), block_size=2),
    broken((2, 3), (), None, block_size=2),
    broken((), (), None, block_size=1),
)
"""Blocks that do not go together with X."""
BROKEN_SHAPES = (
    broken((2, 3), (1, 1)),
    broken((2, 3), (3, 1), (3, 1)),
    broken((2, 3), (3,), (3,), axis=2),
    broken((2, 3), (3,), None, axis=-3),
    broken((3,), (3,), (3,)),
    broken((), (1,)),
    broken((2, 3), (2,), (2,)),
    broken((2, 3), (1,), (1,)),
    broken((2, 3), (3,), (3,), axis=0),
    broken((2, 3), (), (1,)),
    broken((2, 3), (3,), ()),
    broken((2, 3), (3,), (2,)),
)
"""Without blocks, shapes that do not."""
