"""Shapes of which not everything may be known, and how two of them compare."""

from dataclasses import dataclass
from itertools import zip_longest

import onnx

Dimension = int | str | None
"""A number; a symbol, which stands for one number throughout a graph; or unknown."""
Shape = tuple[Dimension, ...]
StaticShape = tuple[int, ...]
_NO_NAMES = {"", "?"}
"""Symbols by which exporters mean that nothing is known, not even equality."""


@dataclass(frozen=True)
class Same:
    """The shapes are equal, whatever the symbols stand for."""


@dataclass(frozen=True)
class Different:
    """The shapes differ, whatever the symbols stand for."""

    broadcastable: bool
    """Whether broadcasting could bring them together: not excluded by what is known."""


@dataclass(frozen=True)
class Open:
    """Both are possible."""

    question: str
    """What would decide it: dimension N of A = dimension 3 of B."""


def shape_of(proto: onnx.TensorShapeProto) -> Shape:
    """The shape in ONNX's own format."""
    return tuple(map(dimension, proto.dim))


def dimension(proto: onnx.TensorShapeProto.Dimension) -> Dimension:
    """A dimension in ONNX's own format. Negative ones are a way to say unknown."""
    if proto.HasField("dim_value"):
        return proto.dim_value if proto.dim_value >= 0 else None
    return None if proto.dim_param in _NO_NAMES else proto.dim_param


def static(shape: Shape | None) -> StaticShape | None:
    """The shape, if all of it is known."""
    if shape is None:
        return None
    numbers = tuple(one for one in shape if isinstance(one, int))
    return numbers if len(numbers) == len(shape) else None


def compare(a: Shape | None, b: Shape | None) -> Same | Different | Open:
    """How the shapes of two operands relate."""
    if a is None or b is None:
        unknown = " and ".join(n for n, shape in [("A", a), ("B", b)] if shape is None)
        return Open(f"the shape of {unknown}")
    if len(a) != len(b) or any(differ(m, n) for m, n in zip(a, b, strict=True)):
        return Different(_may_broadcast(a, b))
    for axis, (m, n) in enumerate(zip(a, b, strict=True)):
        if m is None or m != n:
            return Open(
                f"whether dimension {axis} of A, {described_dimension(m)}, is that of B,"
                f" {described_dimension(n)}"
            )
    return Same()


def differ(m: Dimension, n: Dimension) -> bool:
    """Whether two dimensions are different for certain."""
    return isinstance(m, int) and isinstance(n, int) and m != n


def broadcast(a: StaticShape, b: StaticShape) -> StaticShape | None:
    """The shape that ONNX broadcasts both to, from version 7 of Mul and Div on."""
    if not _may_broadcast(a, b):
        return None
    pairs = zip_longest(reversed(a), reversed(b), fillvalue=1)
    return tuple(reversed([n if m == 1 else m for m, n in pairs]))


def described(shape: Shape | None) -> str:
    """A shape in a message: (N, 3); of unknown shape."""
    if shape is None:
        return "of unknown shape"
    inner = ", ".join(map(described_dimension, shape))
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def described_dimension(one: Dimension) -> str:
    """A dimension in a message."""
    return "?" if one is None else str(one)


def _may_broadcast(a: Shape, b: Shape) -> bool:
    """Aligned at the last axis: no two numbers that differ, unless one is 1."""
    pairs = zip(reversed(a), reversed(b), strict=False)
    return not any(differ(m, n) and 1 not in (m, n) for m, n in pairs)
