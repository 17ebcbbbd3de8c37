"""What the declarations of MaxPool and AveragePool have in common: a kernel without elements."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.operator import Arrangement, Predicate, Restriction, Test
from sonnx_formal.spec.structural import Shape
from sonnx_formal.spec.windows import (
    PADDINGS,
    POSITIVE,
    PREDICATES,
    SPATIAL,
    TWO,
    Sliding,
    all_at_least,
    ints,
    numbers,
    windows,
)

_SHAPES = "ops.max_pool.definition.MaxPoolShape"


def windows_of(attributes: Attributes, x: Shape) -> list[Sliding]:
    """The windows along rows and columns of X."""
    return windows(attributes, x, ints(attributes, "kernel_shape"))


def pooled(attributes: Attributes, x: Shape) -> Shape:
    """The shape of Y."""
    return (*x[:SPATIAL], *(along.places for along in windows_of(attributes, x)))


def _each(holds: Callable[[Sliding], bool]) -> Callable[[Attributes, Shape], bool]:
    """Of both windows."""
    return lambda attributes, x: all(map(holds, windows_of(attributes, x)))


OF_POOLING = {
    **PREDICATES,
    "known_padding": Predicate(lambda a: a.get("auto_pad") in PADDINGS, "set auto_pad to NOTSET"),
    "explicit_padding": Predicate(
        lambda a: a.get("auto_pad") == "NOTSET",
        "set auto_pad to NOTSET, and pads to the padding that is meant",
    ),
    "known_rounding": Predicate(lambda a: a.get("ceil_mode") in {0, 1}, "set ceil_mode to 0"),
    "rounded_down": Predicate(
        lambda a: a.get("ceil_mode") == 0, "set ceil_mode to 0, and pad more at the end"
    ),
    "kernel_each": Predicate(numbers("kernel_shape"), TWO),
    "strides_each": Predicate(numbers("strides"), TWO),
    "strides_positive": Predicate(all_at_least(1, "strides"), POSITIVE),
    "less_padding": Predicate(
        _each(lambda w: max(w.before, w.after) < w.span), "pad less, or give a longer kernel"
    ),
    "fits": Predicate(_each(lambda w: w.places >= 0), "give more padding, or a smaller kernel"),
    "no_empty_window": Predicate(
        _each(lambda w: all(map(w.meets, range(w.places)))), "pad less, or dilate less"
    ),
}
_OF_MODES = (
    ("AUTO_PAD.C1", "known_padding", "auto_pad is none of its values"),
    ("AUTO_PAD.C2", "explicit_padding", "the padding is not explicit"),
    ("CEIL_MODE.C1", "known_rounding", "ceil_mode is neither 0 nor 1"),
    ("CEIL_MODE.C2", "rounded_down", "ceil_mode is not 0"),
)
_OF_NUMBERS = (
    ("KERNEL_SHAPE.C2", "kernel_each", "kernel_shape is not two numbers"),
    ("KERNEL_SHAPE.C1", "kernel_positive", "the kernel has no element"),
    ("DILATIONS.C2", "dilations_each", "dilations are not two numbers"),
    ("DILATIONS.C1", "dilations_positive", "a dilation is not positive"),
    ("STRIDES.C2", "strides_each", "strides are not two numbers"),
    ("STRIDES.C1", "strides_positive", "a stride is not positive"),
)
_IMAGE, _TWO_EACH = (1, 1, 3, 3), (2, 2)
_PLAIN = {
    "kernel_shape": _TWO_EACH,
    "strides": (1, 1),
    "pads": (0, 0, 0, 0),
    "dilations": (1, 1),
    "auto_pad": "NOTSET",
    "ceil_mode": 0,
}


@dataclass(frozen=True)
class Pooling:
    """An operator that takes the elements of X under each position of a window."""

    argument: str
    """What its definition takes for the windows: a function of `arguments.ml`."""
    own: Mapping[str, object]
    """The attributes of its own, each with a value that is accepted."""

    def restrictions(
        self, dense: str, own: Restriction, *, pads: tuple[str, str], window: str, fits: str
    ) -> tuple[Restriction, ...]:
        """What it asks for, in the order in which it is looked at.

        :param dense: the item that no tensor is sparse.
        :param own: about its own attribute.
        :param pads: the items that there are four, and that none is negative.
        :param window: that of each window, which is not all padding.
        :param fits: that the kernel is no larger than X with its padding.
        """
        each, not_negative = pads
        return (
            Restriction(dense, Test("dense", ("x",)), "the tensor is sparse"),
            Restriction(
                "T", Test("listed", ("x.element",)), "the elements are of no type of the document"
            ),
            Restriction(
                "X.C1",
                Test(f"{_SHAPES}.two_spatial_axes", ("x.dims",)),
                "X has not two spatial axes",
            ),
            *(self._of_attributes(*asked) for asked in _OF_MODES),
            own,
            *(self._of_attributes(*asked) for asked in _OF_NUMBERS),
            self._of_attributes(each, "pads_each", "pads are not four numbers"),
            self._of_attributes(not_negative, "pads_not_negative", "a pad is negative"),
            self._of_shape(window, "less_padding", "the kernel is not longer than the padding"),
            self._of_shape(fits, "fits", "a dimension of Y would be negative"),
            self._of_shape(window, "no_empty_window", "a window is all padding"),
        )

    def _of_attributes(self, item: str, predicate: str, broken: str) -> Restriction:
        return Restriction(item, Test(f"{_SHAPES}.{predicate}", (self.argument,)), broken)

    def _of_shape(self, item: str, predicate: str, broken: str) -> Restriction:
        return Restriction(item, Test(f"{_SHAPES}.{predicate}", (self.argument, "x.dims")), broken)

    def attributes(self, name: str, meaning: str) -> tuple[Attribute, ...]:
        """All that it has, with a number of its own."""
        meanings = (
            ("auto_pad", AttributeKind.STRING, "NOTSET: the padding is what pads says."),
            ("ceil_mode", AttributeKind.INT, "0: the shape of Y is rounded down."),
            ("dilations", AttributeKind.INTS, "The distances of elements of the kernel."),
            ("kernel_shape", AttributeKind.INTS, "The elements of the kernel, axis by axis."),
            ("pads", AttributeKind.INTS, "The padding before both axes, then after them."),
            ("strides", AttributeKind.INTS, "The distances of positions of the window."),
            (name, AttributeKind.INT, meaning),
        )
        return tuple(Attribute(*each, required=True) for each in sorted(meanings))

    def set(self, **others: object) -> Attributes:
        """Attributes that are accepted, but for these."""
        return Attributes.of({**_PLAIN, **self.own, **others})

    def accepted(self, x: Shape, kernel: Shape, **others: object) -> Arrangement:
        return Arrangement((x,), self.set(kernel_shape=kernel, **others))

    def broken(self, x: Shape = _IMAGE, **others: object) -> Arrangement:
        return Arrangement((x,), self.set(**others), broken=True)

    def arrangements(self, *own: Arrangement) -> tuple[Arrangement, ...]:
        """What both have, then those of its own."""
        accepted, broken = self.accepted, self.broken
        return (
            accepted(_IMAGE, _TWO_EACH),
            accepted((2, 3, 4, 5), (2, 3)),
            accepted((1, 2, 5, 6), (2, 1), strides=(3, 2)),
            accepted((1, 1, 4, 3), (3, 2), pads=(2, 1, 0, 1)),
            accepted((1, 1, 7, 5), (3, 2), strides=(2, 1), pads=(1, 0, 4, 2), dilations=(2, 3)),
            accepted((2, 1, 1, 1), (1, 1)),
            accepted((1, 1, 2, 3), (3, 1)),
            accepted((0, 1, 3, 3), _TWO_EACH),
            accepted((1, 1, 0, 3), (1, 2)),
            broken((1, 3, 3)),
            broken((1, 1, 3, 3, 3)),
            broken(auto_pad="WIDE"),
            broken(auto_pad="SAME_UPPER"),
            broken(ceil_mode=2),
            broken(ceil_mode=1),
            broken(kernel_shape=(2,)),
            broken(kernel_shape=(2, 0)),
            broken(dilations=(1, 1, 1)),
            broken(dilations=(0, 1)),
            broken(strides=()),
            broken(strides=(1, -1)),
            broken(pads=(1, 1)),
            broken(pads=(0, -1, 0, 0)),
            broken(pads=(0, 2, 0, 0)),
            broken(pads=(0, 0, 2, 0)),
            broken(kernel_shape=(2, 5)),
            # The elements of the kernel are before the only element of X and after it.
            broken((1, 1, 1, 1), pads=(1, 1, 1, 1), dilations=_TWO_EACH),
            broken((1, 1, 0, 1), pads=(1, 1, 1, 1)),
            *own,
        )
