"""Shapes of which not everything may be known, and how two of them compare."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import onnx

Dimension = int | str | None
"""A number; a symbol, which stands for one number throughout a graph; or unknown."""
Shape = tuple[Dimension, ...]
StaticShape = tuple[int, ...]
_NO_NAMES = {"", "?"}
"""Symbols by which exporters mean that nothing is known, not even equality."""


@dataclass(frozen=True)
class ShapeDifference:
    """Two shapes differ, whatever the symbols stand for."""

    broadcastable: bool
    """Whether broadcasting could bring them together: not excluded by what is known."""


@dataclass(frozen=True)
class ShapeQuestion:
    """Whether two shapes differ depends on what the symbols stand for."""

    text: str
    """What would decide it: whether dimension 0 of A, N, is that of B, 3."""


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
    numbers = tuple(size for size in shape if isinstance(size, int))
    return numbers if len(numbers) == len(shape) else None


def compare(
    first: tuple[str, Shape | None], second: tuple[str, Shape | None]
) -> ShapeDifference | ShapeQuestion | None:
    """How the shapes of two operands relate, each with its name; None: they are equal."""
    (name, a), (other, b) = first, second
    if a is None or b is None:
        unknown = [operand for operand, shape in (first, second) if shape is None]
        return ShapeQuestion(f"the shape of {' and '.join(unknown)}")
    if len(a) != len(b) or any(map(differ, a, b)):
        return ShapeDifference(_may_broadcast(a, b))
    for axis, (m, n) in enumerate(zip(a, b, strict=True)):
        if m is None or m != n:
            return ShapeQuestion(
                f"whether dimension {axis} of {name}, {described_dimension(m)}, is that of"
                f" {other}, {described_dimension(n)}"
            )
    return None


def differ(m: Dimension, n: Dimension) -> bool:
    """Whether two dimensions are different for certain."""
    return isinstance(m, int) and isinstance(n, int) and m != n


def broadcast(shapes: Sequence[StaticShape]) -> StaticShape | None:
    """The shape that ONNX broadcasts all to, from version 7 of element-wise operators on."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def described(shape: Shape | None) -> str:
    """A shape in a message: (N, 3); of unknown shape."""
    if shape is None:
        return "of unknown shape"
    inner = ", ".join(map(described_dimension, shape))
    return f"({inner},)" if len(shape) == 1 else f"({inner})"


def described_dimension(size: Dimension) -> str:
    """A dimension in a message."""
    return "?" if size is None else str(size)


def _may_broadcast(a: Shape, b: Shape) -> bool:
    """Aligned at the last axis: no two numbers that differ, unless one is 1."""
    pairs = zip(reversed(a), reversed(b), strict=False)
    return not any(differ(m, n) and 1 not in (m, n) for m, n in pairs)
