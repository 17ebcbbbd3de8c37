"""The hand-made set, continued: QuantizeLinear and DequantizeLinear."""

from typing import Any

import ml_dtypes
import numpy as np
import onnx

from tests.lint.models import (
    BAD,
    F8,
    F32,
    I8,
    I32,
    OPEN,
    U8,
    Dims,
    NodeCase,
    model,
    node,
    tensor,
    value,
)

F16 = onnx.TensorProto.FLOAT16
E4M3FN = ml_dtypes.float8_e4m3fn
NUMPY: dict[int, Any] = {
    F32: np.float32,
    F16: np.float16,
    I8: np.int8,
    U8: np.uint8,
    I32: np.int32,
    F8: E4M3FN,
}
_X = (2, 3)


def _model(  # noqa: PLR0913 (three operands)
    operator: str,
    scale: Any,
    zero: Any,
    *,
    of: tuple[int, int, int],
    x: Dims,
    y: tuple[Dims, int],
    attributes: dict[str, Any],
) -> onnx.ModelProto:
    """A node n: x, a constant scale and, if there is any, a zero point -> y.

    A zero point is an input if it is a tuple, its shape; else a constant.

    :param of: the types of x, scale and zero point.
    """
    of_x, of_scale, of_zero = of
    inputs, constants = [value("x", x, of_x)], [tensor("scale", scale, NUMPY[of_scale])]
    if isinstance(zero, tuple):
        inputs.append(value("zero", zero, of_zero))
    elif zero is not None:
        constants.append(tensor("zero", zero, NUMPY[of_zero]))
    names = ["x", "scale", *([] if zero is None else ["zero"])]
    return model(
        [node(operator, names, ["y"], name="n", **attributes)],
        inputs,
        [value("y", *y)],
        constants,
        opset=21,
        ir_version=10,
    )


def _quantized(
    scale: Any,
    zero: Any = None,
    of: tuple[int, int, int] = (F32, F32, U8),
    x: Dims = _X,
    y: Dims = None,
    **attributes: Any,
) -> onnx.ModelProto:
    to = (y, of[2])
    return _model("QuantizeLinear", scale, zero, of=of, x=x, y=to, attributes=attributes)


def _dequantized(
    scale: Any,
    zero: Any = None,
    of: tuple[int, int, int] = (U8, F32, U8),
    x: Dims = _X,
    y: Dims = None,
    **attributes: Any,
) -> onnx.ModelProto:
    to = (y, of[1])
    return _model("DequantizeLinear", scale, zero, of=of, x=x, y=to, attributes=attributes)


_TO_F8, _FROM_F8 = (F32, F32, F8), (F8, F32, F8)
QUANTIZE: list[NodeCase] = [
    ("QuantizeLinear: bytes", _quantized(0.5, 7, y=_X), BAD, ()),
    ("QuantizeLinear: a scale a column", _quantized([1, 2, 3], [0, 0, 9]), BAD, ()),
    ("QuantizeLinear: a scale a row", _quantized([1, 2], [0, 9], axis=-2), BAD, ()),
    ("QuantizeLinear: blocks", _quantized([[1, 2], [3, 4]], block_size=2), BAD, ()),
    ("QuantizeLinear: half-precision bytes", _quantized(0.5, 7, (F16, F16, I8)), BAD, ()),
    ("QuantizeLinear: floats of 8 bits", _quantized(0.5, 0.0, _TO_F8), BAD, ()),
    ("QuantizeLinear: likewise, not saturated", _quantized(0.5, -0.0, _TO_F8, saturate=0), BAD, ()),
    (
        "QuantizeLinear: floats of 8 bits, by number",
        _quantized(0.5, None, _TO_F8, output_dtype=F8),
        BAD,
        (),
    ),
    (
        "QuantizeLinear: floats of 8 bits, not centred",
        _quantized(0.5, 1.0, _TO_F8),
        BAD,
        ("Y_ZERO_POINT.C2",),
    ),
    (
        "QuantizeLinear: floats of 8 bits, NaN",
        _quantized(0.5, np.nan, _TO_F8),
        BAD,
        ("Y_ZERO_POINT.C2",),
    ),
    (
        "QuantizeLinear: floats of 8 bits, unknown",
        _quantized(0.5, (), _TO_F8),
        OPEN,
        ("Y_ZERO_POINT.C2",),
    ),
    ("QuantizeLinear: scales of two axes", _quantized([[1, 2, 3]]), BAD, ("Y_SCALE.C1",)),
    ("QuantizeLinear: an axis too far", _quantized([1, 2], axis=2), BAD, ("AXIS.C1",)),
    ("QuantizeLinear: too few scales", _quantized([1, 2]), BAD, ("Y_SCALE.C2",)),
    ("QuantizeLinear: a zero point alone", _quantized(0.5, [1, 2, 3]), BAD, ("Y_ZERO_POINT.C1",)),
    (
        "QuantizeLinear: negative blocks",
        _quantized([[1, 2], [3, 4]], block_size=-2),
        BAD,
        ("BLOCK_SIZE.C1",),
    ),
    (
        "QuantizeLinear: a type that y has not",
        _quantized(0.5, output_dtype=F16),
        BAD,
        ("OUTPUT_DTYPE.C1",),
    ),
    (
        "QuantizeLinear: another type",
        _quantized(0.5, 7, output_dtype=I8),
        BAD,
        ("OUTPUT_DTYPE.C2",),
    ),
    ("QuantizeLinear: another shape", _quantized(0.5, 7, y=(3, 2)), BAD, ("SHAPE",)),
    ("QuantizeLinear: a scale of another type", _quantized(0.5, 7, (F16, F32, U8)), BAD, ("T",)),
]
DEQUANTIZE: list[NodeCase] = [
    ("DequantizeLinear: from bytes", _dequantized(0.5, 7, y=_X), BAD, ()),
    ("DequantizeLinear: from bytes, a scale a row", _dequantized([1, 2], (2,), axis=0), BAD, ()),
    ("DequantizeLinear: from blocks", _dequantized([[1, 2], [3, 4]], block_size=2), BAD, ()),
    ("DequantizeLinear: from floats of 8 bits", _dequantized(0.5, 0.0, _FROM_F8), BAD, ()),
    (
        "DequantizeLinear: from floats, not centred",
        _dequantized(0.5, 2.0, _FROM_F8),
        BAD,
        ("X_ZERO_POINT.C2",),
    ),
    (
        "DequantizeLinear: from floats, unknown",
        _dequantized(0.5, (), _FROM_F8),
        OPEN,
        ("X_ZERO_POINT.C2",),
    ),
    (
        "DequantizeLinear: from int32, not centred",
        _dequantized(0.5, 1, (I32, F32, I32)),
        BAD,
        ("X_ZERO_POINT.C2",),
    ),
    ("DequantizeLinear: from scales of two axes", _dequantized([[1, 2, 3]]), BAD, ("X_SCALE.C1",)),
    ("DequantizeLinear: from an axis too far", _dequantized([1, 2], axis=-3), BAD, ("AXIS.C1",)),
    ("DequantizeLinear: from too few scales", _dequantized([1, 2]), BAD, ("X_SCALE.C2",)),
    (
        "DequantizeLinear: from a zero point alone",
        _dequantized(0.5, [1, 2, 3]),
        BAD,
        ("X_ZERO_POINT.C1",),
    ),
    (
        "DequantizeLinear: from negative blocks",
        _dequantized([[1, 2, 3]], block_size=-1),
        BAD,
        ("BLOCK_SIZE.C1",),
    ),
    ("DequantizeLinear: from another shape", _dequantized(0.5, 7, y=(3, 2)), BAD, ("SHAPE",)),
    ("DequantizeLinear: from two types", _dequantized(0.5, 7, (U8, F32, I8)), BAD, ("T",)),
]
