"""QuantizeLinear and DequantizeLinear in models, of which ONNX has the only document."""

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest

from sonnx_formal.lint.examination import examine
from sonnx_formal.lint.model import read
from sonnx_formal.lint.profile import LintVerdict
from sonnx_formal.spec.requirements.registry import requirements
from tests.lint.models import F8, F32, I8, I32, U8, Dims, model, node, save, tensor, value

BAD, OPEN = LintVerdict.VIOLATES, LintVerdict.UNDECIDED
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


def quantized(
    scale: Any,
    zero: Any = None,
    of: tuple[int, int, int] = (F32, F32, U8),
    x: Dims = _X,
    y: Dims = None,
    **attributes: Any,
) -> onnx.ModelProto:
    to = (y, of[2])
    return _model("QuantizeLinear", scale, zero, of=of, x=x, y=to, attributes=attributes)


def dequantized(
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
CASES: dict[str, tuple[onnx.ModelProto, LintVerdict, tuple[str, ...]]] = {
    "bytes": (quantized(0.5, 7, y=_X), BAD, ()),
    "a scale a column": (quantized([1, 2, 3], [0, 0, 9]), BAD, ()),
    "a scale a row": (quantized([1, 2], [0, 9], axis=-2), BAD, ()),
    "blocks": (quantized([[1, 2], [3, 4]], block_size=2), BAD, ()),
    "half-precision bytes": (quantized(0.5, 7, (F16, F16, I8)), BAD, ()),
    "floats of 8 bits": (quantized(0.5, 0.0, _TO_F8), BAD, ()),
    "likewise, not saturated": (quantized(0.5, -0.0, _TO_F8, saturate=0), BAD, ()),
    "floats of 8 bits, by number": (quantized(0.5, None, _TO_F8, output_dtype=F8), BAD, ()),
    "floats of 8 bits, not centred": (quantized(0.5, 1.0, _TO_F8), BAD, ("Y_ZERO_POINT.C2",)),
    "floats of 8 bits, NaN": (quantized(0.5, np.nan, _TO_F8), BAD, ("Y_ZERO_POINT.C2",)),
    "floats of 8 bits, unknown": (quantized(0.5, (), _TO_F8), OPEN, ("Y_ZERO_POINT.C2",)),
    "scales of two axes": (quantized([[1, 2, 3]]), BAD, ("Y_SCALE.C1",)),
    "an axis too far": (quantized([1, 2], axis=2), BAD, ("AXIS.C1",)),
    "too few scales": (quantized([1, 2]), BAD, ("Y_SCALE.C2",)),
    "a zero point alone": (quantized(0.5, [1, 2, 3]), BAD, ("Y_ZERO_POINT.C1",)),
    "negative blocks": (quantized([[1, 2], [3, 4]], block_size=-2), BAD, ("BLOCK_SIZE.C1",)),
    "a type that y has not": (quantized(0.5, output_dtype=F16), BAD, ("OUTPUT_DTYPE.C1",)),
    "another type": (quantized(0.5, 7, output_dtype=I8), BAD, ("OUTPUT_DTYPE.C2",)),
    "another shape": (quantized(0.5, 7, y=(3, 2)), BAD, ("SHAPE",)),
    "a scale of another type": (quantized(0.5, 7, (F16, F32, U8)), BAD, ("T",)),
    "from bytes": (dequantized(0.5, 7, y=_X), BAD, ()),
    "from bytes, a scale a row": (dequantized([1, 2], (2,), axis=0), BAD, ()),
    "from blocks": (dequantized([[1, 2], [3, 4]], block_size=2), BAD, ()),
    "from floats of 8 bits": (dequantized(0.5, 0.0, _FROM_F8), BAD, ()),
    "from floats, not centred": (dequantized(0.5, 2.0, _FROM_F8), BAD, ("X_ZERO_POINT.C2",)),
    "from floats, unknown": (dequantized(0.5, (), _FROM_F8), OPEN, ("X_ZERO_POINT.C2",)),
    "from int32, not centred": (dequantized(0.5, 1, (I32, F32, I32)), BAD, ("X_ZERO_POINT.C2",)),
    "from scales of two axes": (dequantized([[1, 2, 3]]), BAD, ("X_SCALE.C1",)),
    "from an axis too far": (dequantized([1, 2], axis=-3), BAD, ("AXIS.C1",)),
    "from too few scales": (dequantized([1, 2]), BAD, ("X_SCALE.C2",)),
    "from a zero point alone": (dequantized(0.5, [1, 2, 3]), BAD, ("X_ZERO_POINT.C1",)),
    "from negative blocks": (dequantized([[1, 2, 3]], block_size=-1), BAD, ("BLOCK_SIZE.C1",)),
    "from another shape": (dequantized(0.5, 7, y=(3, 2)), BAD, ("SHAPE",)),
    "from two types": (dequantized(0.5, 7, (U8, F32, I8)), BAD, ("T",)),
}


@pytest.mark.parametrize("name", CASES)
def test_findings(name: str, tmp_path: Path) -> None:
    what, verdict, items = CASES[name]
    path = save(what, tmp_path)
    (entry,) = examine(read(path), path, []).nodes
    operator = what.graph.node[0].op_type.upper()
    expected = {(f"ONNX-{operator}-21.{item}", verdict) for item in items}
    assert {(each.requirement, each.verdict) for each in entry.findings} == expected


def test_each_constraint_has_a_case() -> None:
    violated = {
        f"ONNX-{what.graph.node[0].op_type.upper()}-21.{item}"
        for what, verdict, items in CASES.values()
        if verdict is BAD
        for item in items
    }
    attributes = {"ATTR.AXIS", "ATTR.BLOCK_SIZE", "ATTR.OUTPUT_DTYPE", "ATTR.SATURATE"}
    results = {"FUNC", "ACC", "Y.C1"}
    assert violated == {
        each.id
        for each in requirements().values()
        if each.document in {"ONNX-QUANTIZELINEAR-21", "ONNX-DEQUANTIZELINEAR-21"}
        and each.id.split("-21.")[1] not in attributes | results
    }
