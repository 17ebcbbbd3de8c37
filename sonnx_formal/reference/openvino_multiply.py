"""OpenVINO Multiply-1."""

import numpy as np

from sonnx_formal.reference.elementwise import applied
from sonnx_formal.spec.admission import Shape, accepted, compatible
from sonnx_formal.spec.call import all_attributes_of
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Predicate
from sonnx_formal.spec.operators.other_systems import OV_MULTIPLY_1


def openvino_multiply(a: Array, b: Array, *, auto_broadcast: str = "numpy") -> Array:
    """The product of A and B, element by element.

    Source: OV-MULTIPLY-1; the sections Attributes, Inputs, Outputs, Types and Detailed description.

    Args:
        a, b: arrays of one type: int8, int16, int32, int64, uint8, uint16, uint32, uint64,
            float16, bfloat16 (of ml_dtypes), float32 or float64.
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
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass;
            or the rule is no text.
    """
    attributes = all_attributes_of(OV_MULTIPLY_1, auto_broadcast=auto_broadcast)
    operands = accepted(OV_MULTIPLY_1, a, b, attributes=attributes, predicates=_PREDICATES)
    return applied(np.multiply, operands)


def _same_if_none(rule: str, a: Shape, b: Shape) -> bool:
    return rule == "numpy" or (rule == "none" and a == b)


def _compatible_if_numpy(rule: str, a: Shape, b: Shape) -> bool:
    return rule != "numpy" or compatible(a, b)


_PREDICATES = {
    "same_if_none": Predicate(_same_if_none, "pass 'numpy', or 'none' and operands of one shape"),
    "compatible_if_numpy": Predicate(_compatible_if_numpy, "reshape one of them"),
}
