"""What declarations of operators with a kernel have in common: windows over rows and columns."""

from collections.abc import Callable
from dataclasses import dataclass

from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.operator import Predicate
from sonnx_formal.spec.structural import Shape

AXES = 4
SPATIAL = 2
PADDINGS = {"NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"}
TWO = "give two numbers, for rows and for columns"
POSITIVE = "give positive numbers"


@dataclass(frozen=True)
class Sliding:
    """A kernel along an axis, as in `tensor.window`."""

    length: int
    before: int
    after: int
    kernel: int
    stride: int
    dilation: int

    @property
    def padded(self) -> int:
        """The length with the padding."""
        return self.before + self.length + self.after

    @property
    def span(self) -> int:
        """What the kernel reaches over."""
        return self.dilation * (self.kernel - 1) + 1

    @property
    def places(self) -> int:
        """The number of positions of the window."""
        return (self.padded - self.span) // self.stride + 1

    def meets(self, place: int) -> bool:
        """Whether the window there is not all padding."""
        first = place * self.stride - self.before
        reached = range(first, first + self.span, self.dilation)
        return any(0 <= position < self.length for position in reached)


def ints(attributes: Attributes, name: str) -> Shape:
    """The value of an attribute that is a list of integers."""
    value = attributes.get(name)
    assert isinstance(value, tuple), name
    return tuple(map(int, value))


def windows(attributes: Attributes, x: Shape, kernel: Shape) -> list[Sliding]:
    """The windows along rows and columns of X, for so many rows and columns of the kernel."""
    pads, strides, dilations = (ints(attributes, name) for name in ("pads", "strides", "dilations"))
    return [
        Sliding(*each)
        for each in zip(
            x[SPATIAL:], pads[:SPATIAL], pads[SPATIAL:], kernel, strides, dilations, strict=True
        )
    ]


def numbers(name: str, count: int = SPATIAL) -> Callable[[Attributes], bool]:
    """Whether the attribute has so many of them."""
    return lambda attributes: len(ints(attributes, name)) == count


def all_at_least(low: int, name: str) -> Callable[[Attributes], bool]:
    """Whether none of the numbers of the attribute is less."""
    return lambda attributes: all(low <= each for each in ints(attributes, name))


PREDICATES = {
    "two_spatial_axes": Predicate(
        lambda x: len(x) == AXES, "give X axes for samples, channels, rows and columns"
    ),
    "pads_each": Predicate(
        numbers("pads", 2 * SPATIAL), "give four numbers: before rows and columns, and after them"
    ),
    "pads_not_negative": Predicate(all_at_least(0, "pads"), "leave rows and columns out by Slice"),
    "dilations_each": Predicate(numbers("dilations"), TWO),
    "dilations_positive": Predicate(all_at_least(1, "dilations"), POSITIVE),
    "kernel_positive": Predicate(all_at_least(1, "kernel_shape"), POSITIVE),
}
