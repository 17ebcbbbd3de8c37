"""OpenVINO Multiply-1."""

from sonnx_formal.reference.element_types import Array
from sonnx_formal.reference.elementwise import broadcastable, products
from sonnx_formal.reference.operands import described
from sonnx_formal.reference.system_operands import MACHINE_TYPES, of_one_type
from sonnx_formal.reference.violation import SpecViolation

_DOCUMENT = "OV-MULTIPLY-1"
_RULES = ("none", "numpy")


def openvino_multiply(a: Array, b: Array, *, auto_broadcast: str = "numpy") -> Array:
    """The product of A and B, element by element.

    Source: OV-MULTIPLY-1; the sections Attributes, Inputs, Outputs, Types and Detailed description.

    Args:
        a, b: arrays of one type: int8, int16, int32, int64, uint8, uint16, uint32, uint64,
            float16, bfloat16 (of ml_dtypes), float32 or float64. Any byte order and any strides
            will do. The operands are not modified.
        auto_broadcast: `numpy`, where the shapes go together as NumPy broadcasts, or `none`, where
            they are equal.

    Returns:
        A new array of that type and of the shape that A and B are broadcast to. Integers are modulo
        2^n for a type of n bits; floating-point products are those of IEEE 754, rounded to nearest,
        ties to even.

    Raises:
        SpecViolation: OV-MULTIPLY-1.T, another type, two types, or a sparse operand;
            .ATTR.AUTO_BROADCAST, another rule than these two, or shapes that differ with `none`;
            .SHAPE, shapes that do not go together.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    element, a, b = of_one_type(_DOCUMENT, MACHINE_TYPES, a, b)
    if auto_broadcast not in _RULES:
        raise SpecViolation(
            f"{_DOCUMENT}.ATTR.AUTO_BROADCAST",
            f"auto_broadcast is {auto_broadcast!r}; pass {' or '.join(map(repr, _RULES))}",
        )
    if auto_broadcast == "none" and a.shape != b.shape:
        raise SpecViolation(
            f"{_DOCUMENT}.ATTR.AUTO_BROADCAST",
            f"{described(a, b)}, auto_broadcast is 'none'; pass 'numpy', or give both one shape",
        )
    if not broadcastable(a.shape, b.shape):
        raise SpecViolation(f"{_DOCUMENT}.SHAPE", f"{described(a, b)}; reshape one of them")
    return products(element, a, b)
