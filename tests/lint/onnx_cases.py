"""The hand-made set, continued: operators of which only ONNX has a document."""

from typing import Any

import numpy as np
import onnx

from tests.lint import quantization_cases
from tests.lint.models import (
    BAD,
    BOOL,
    C64,
    F8,
    F16,
    F32,
    F64,
    I8,
    I32,
    I64,
    OPEN,
    STRING,
    U8,
    Dims,
    NodeCase,
    binary,
    model,
    node,
    of_sparse,
    tensor,
    value,
)


def _equal(*shapes: Dims, of_c: int = BOOL, **options: Any) -> onnx.ModelProto:
    return binary("Equal", *shapes, of_c=of_c, **options)


EQUAL: list[NodeCase] = [
    ("Equal", _equal(c=[2, 3]), BAD, ()),
    ("Equal of truth values", _equal(of_a=BOOL), BAD, ()),
    ("Equal, broadcast", _equal([2, 3], [3]), BAD, ()),
    ("Equal, broadcast both ways", _equal([2, 1], [1, 3], [2, 3]), BAD, ()),
    ("Equal beside one symbol", _equal(["N", 3], ["N", 1], ["N", 3]), BAD, ()),
    ("Equal of shapes that do not go together", _equal([2, 3], [4, 3]), BAD, ("SHAPE",)),
    ("Equal to another shape", _equal([2, 3], [3], [3]), BAD, ("SHAPE",)),
    ("Equal beside two symbols", _equal(["N", 3], ["M", 3]), OPEN, ("SHAPE",)),
    ("Equal of an unknown shape", _equal(None, [3]), OPEN, ("SHAPE",)),
    ("Equal of texts", _equal(of_a=STRING), BAD, ("T",)),
    ("Equal of complex numbers", _equal(of_a=C64), BAD, ("T",)),
    ("Equal of two types", _equal(of_a=F32, of_b=F64), BAD, ("T",)),
    ("Equal that is no truth value", _equal(of_c=F32), BAD, ("T",)),
    ("Equal of a type that opset 7 lacks", _equal(of_a=F32, opset=7), BAD, ("T",)),
    ("Equal of a sparse tensor", of_sparse("Equal", value("B"), of_y=BOOL, opset=13), BAD, ("T",)),
]


def _min(
    *shapes: Dims,
    y: Dims = None,
    of: tuple[int, ...] = (F32,),
    of_y: int | None = None,
    opset: int = 13,
) -> onnx.ModelProto:
    """A node n of operands of these shapes, and of these types, of which the last one goes on."""
    types = (*of, *of[-1:] * len(shapes))
    names = [f"X{number}" for number in range(len(shapes))]
    inputs = [value(*each) for each in zip(names, shapes, types, strict=False)]
    return model(
        [node("Min", names, ["Y"], name="n")], inputs, [value("Y", y, of_y or of[0])], opset=opset
    )


MIN: list[NodeCase] = [
    ("Min", _min((2, 3), (2, 3), y=(2, 3)), BAD, ()),
    ("Min of one", _min((2, 3), y=(2, 3)), BAD, ()),
    ("Min of three, broadcast", _min((2, 1), (3,), (), y=(2, 3)), BAD, ()),
    ("Min of bytes", _min((2,), (2,), of=(I8,)), BAD, ()),
    ("Min of shapes that do not go together", _min((2, 3), (3,), (4,)), BAD, ("SHAPE",)),
    ("Min to another shape", _min((2, 3), (3,), y=(3,)), BAD, ("SHAPE",)),
    ("Min of two symbols", _min(("N",), ("M",)), OPEN, ("SHAPE",)),
    ("Min of an unknown shape", _min((2,), None), OPEN, ("SHAPE",)),
    ("Min of truth values", _min((2,), of=(BOOL,)), BAD, ("T",)),
    ("Min of two types", _min((2,), (2,), of=(F32, I8)), BAD, ("T",)),
    ("Min to another type", _min((2,), (2,), of_y=F64), BAD, ("T",)),
    ("Min of a type that opset 8 lacks", _min((2,), of=(I8,), opset=8), BAD, ("T",)),
    ("Min of a sparse tensor", of_sparse("Min", value("B"), opset=13), BAD, ("T",)),
]


def _unary(
    operator: str,
    x: Dims = (2, 3),
    y: Dims = None,
    *,
    of: int = F32,
    of_y: int | None = None,
    **attributes: Any,
) -> onnx.ModelProto:
    return model(
        [node(operator, ["X"], ["Y"], name="n", **attributes)],
        [value("X", x, of)],
        [value("Y", y, of_y or of)],
    )


def _transposed(*x: Any, **options: Any) -> onnx.ModelProto:
    return _unary("Transpose", *x, **options)


IDENTITY: list[NodeCase] = [
    ("Identity", _unary("Identity", (2, 3), (2, 3)), BAD, ()),
    ("Identity of texts", _unary("Identity", of=STRING), BAD, ()),
    ("Identity of an open shape", _unary("Identity", ("N", None), ("N", 4)), BAD, ()),
    ("Identity of an unknown shape", _unary("Identity", None), BAD, ()),
    ("Identity to another shape", _unary("Identity", (2, 3), (3, 2)), BAD, ("SHAPE",)),
    ("Identity of complex numbers", _unary("Identity", of=C64), BAD, ("V",)),
    ("Identity of floats of 8 bits", _unary("Identity", of=F8), BAD, ("V",)),
    ("Identity to another type", _unary("Identity", of_y=F64), BAD, ("V",)),
    ("Identity of a sparse tensor", of_sparse("Identity", opset=13), BAD, ("V",)),
]
TRANSPOSE: list[NodeCase] = [
    ("Transpose", _transposed((2, 3), (3, 2)), BAD, ()),
    ("Transpose of three axes", _transposed((2, 3, 4), (4, 2, 3), perm=[2, 0, 1]), BAD, ()),
    ("Transpose of a scalar", _transposed((), ()), BAD, ()),
    ("Transpose of texts", _transposed(of=STRING, perm=[0, 1]), BAD, ()),
    ("Transpose of an open shape", _transposed(("N", 3), (3, "N")), BAD, ()),
    ("Transpose of too few axes", _transposed(perm=[0]), BAD, ("PERM.C1",)),
    ("Transpose of an axis twice", _transposed(perm=[1, 1]), BAD, ("PERM.C1",)),
    ("Transpose of an axis from the end", _transposed(perm=[0, -1]), BAD, ("PERM.C1",)),
    ("Transpose of an unknown shape", _transposed(None, perm=[1, 0]), OPEN, ("PERM.C1",)),
    ("Transpose to another shape", _transposed((2, 3), (2, 3)), BAD, ("SHAPE",)),
    ("Transpose of complex numbers", _transposed(of=C64), BAD, ("T",)),
    ("Transpose to another type", _transposed(of_y=F64), BAD, ("T",)),
    ("Transpose of a sparse tensor", of_sparse("Transpose", opset=13), BAD, ("T",)),
]


def _with_axes(  # noqa: PLR0913 (what may differ)
    operator: str,
    asked: Any = None,
    x: Dims = (2, 1, 3),
    y: Dims = None,
    *,
    of: int = F32,
    of_y: int | None = None,
    dtype: Any = np.int64,
    **options: Any,
) -> onnx.ModelProto:
    """A node n: X, A -> Y, with constant axes A; with an A of this shape, if it is a tuple."""
    opset, names = options.pop("opset", 13), ["X", "A"] if asked is not None else ["X"]
    return model(
        [node(operator, names, ["Y"], name="n", **options)],
        [value("X", x, of), *([value("A", asked, I64)] if isinstance(asked, tuple) else [])],
        [value("Y", y, of_y or of)],
        [tensor("A", asked, dtype)] if isinstance(asked, list | int) else [],
        opset=opset,
    )


def _squeeze(*given: Any, **options: Any) -> onnx.ModelProto:
    return _with_axes("Squeeze", *given, **options)


def _sum(*given: Any, **options: Any) -> onnx.ModelProto:
    return _with_axes("ReduceSum", *given, **options)


_IN_RANGE = ("AXES.C1", "AXES.C2")
SQUEEZE: list[NodeCase] = [
    ("Squeeze", _squeeze([1], y=(2, 3)), BAD, ()),
    ("Squeeze from the end", _squeeze([-2], y=(2, 3)), BAD, ()),
    ("Squeeze of texts", _squeeze([1], of=STRING), BAD, ()),
    ("Squeeze without axes", _squeeze(y=(2, 3)), BAD, ()),
    ("Squeeze without axes, of an open shape", _squeeze(None, ("N", 1)), BAD, ()),
    ("Squeeze of an open shape", _squeeze([1], ("N", 1), ("N",)), BAD, ()),
    ("Squeeze too far", _squeeze([3]), BAD, ("AXES.C1",)),
    ("Squeeze of two elements", _squeeze([0]), BAD, ("AXES.C2",)),
    ("Squeeze of an open dimension", _squeeze([0], ("N", 1)), OPEN, ("AXES.C2",)),
    ("Squeeze with axes that are computed", _squeeze((1,)), OPEN, _IN_RANGE),
    ("Squeeze of an unknown shape", _squeeze([0], None), OPEN, _IN_RANGE),
    ("Squeeze with axes of int32", _squeeze([1], dtype=np.int32), BAD, ("AXES.T",)),
    ("Squeeze with axes of two axes", _squeeze([[1]]), BAD, ("AXES.T",)),
    ("Squeeze with a scalar", _squeeze(1), BAD, ("AXES.T",)),
    ("Squeeze to another shape", _squeeze([1], y=(3, 2)), BAD, ("SHAPE",)),
    ("Squeeze of complex numbers", _squeeze([1], of=C64), BAD, ("T",)),
    ("Squeeze to another type", _squeeze([1], of_y=F64), BAD, ("T",)),
    ("Squeeze of a sparse tensor", of_sparse("Squeeze", opset=13), BAD, ("T",)),
    ("Squeeze, opset 11, of an attribute", _squeeze(opset=11, axes=[1]), OPEN, ("FUNC",)),
]
REDUCE_SUM: list[NodeCase] = [
    ("ReduceSum", _sum([0, -1], y=(1, 1, 1)), BAD, ()),
    ("ReduceSum that drops the axes", _sum([0], y=(1, 3), keepdims=0), BAD, ()),
    ("ReduceSum of all", _sum(y=(), keepdims=0), BAD, ()),
    ("ReduceSum of all, with empty axes", _sum([], y=(1, 1, 1)), BAD, ()),
    ("ReduceSum of none", _sum([], y=(2, 1, 3), noop_with_empty_axes=1), BAD, ()),
    ("ReduceSum of an open shape", _sum([0], ("N", 3), (1, 3)), BAD, ()),
    ("ReduceSum of integers", _sum([0], of=I32), BAD, ()),
    ("ReduceSum too far", _sum([3]), BAD, ("AXES.C1",)),
    ("ReduceSum too far before", _sum([-4]), BAD, ("AXES.C1",)),
    ("ReduceSum twice along an axis", _sum([1, -2]), BAD, ("AXES.C2",)),
    ("ReduceSum with axes that are computed", _sum((1,)), OPEN, _IN_RANGE),
    ("ReduceSum of an unknown shape", _sum([0], None), OPEN, _IN_RANGE),
    ("ReduceSum with axes of int32", _sum([1], dtype=np.int32), BAD, ("AXES.T",)),
    ("ReduceSum with axes of two axes", _sum([[1]]), BAD, ("AXES.T",)),
    ("ReduceSum that keeps two", _sum([1], keepdims=2), BAD, ("KEEPDIMS.C1",)),
    (
        "ReduceSum of anything",
        _sum([1], noop_with_empty_axes=-1),
        BAD,
        ("NOOP_WITH_EMPTY_AXES.C1",),
    ),
    ("ReduceSum to another shape", _sum([1], y=(2, 3)), BAD, ("SHAPE",)),
    ("ReduceSum of bytes", _sum([1], of=I8), BAD, ("T",)),
    ("ReduceSum of truth values", _sum([1], of=BOOL), BAD, ("T",)),
    ("ReduceSum to another type", _sum([1], of_y=F64), BAD, ("T",)),
    ("ReduceSum of a sparse tensor", of_sparse("ReduceSum", opset=13), BAD, ("T",)),
    ("ReduceSum, opset 11, of an attribute", _sum(opset=11, axes=[1]), OPEN, ("FUNC",)),
]
_IMAGE = (1, 1, 3, 3)


_PLAIN: dict[str, Any] = {
    "auto_pad": "NOTSET",
    "ceil_mode": 0,
    "count_include_pad": 0,
    "dilations": [1, 1],
    "kernel_shape": [2, 2],
    "pads": [0, 0, 0, 0],
    "strides": [1, 1],
}


def _averaged(
    x: Dims = _IMAGE, y: Dims = None, *, of: int = F32, of_y: int | None = None, **attributes: Any
) -> onnx.ModelProto:
    """A node n: X -> Y; attributes that are None are not set."""
    every = {key: each for key, each in {**_PLAIN, **attributes}.items() if each is not None}
    return model(
        [node("AveragePool", ["X"], ["Y"], name="n", **every)],
        [value("X", x, of)],
        [value("Y", y, of_y or of)],
        opset=19,
    )


def _without(name: str) -> onnx.ModelProto:
    unset: dict[str, Any] = {name: None}
    return _averaged(**unset)


_AROUND: dict[str, Any] = {"pads": [1, 1, 1, 1]}
AVERAGE_POOL: list[NodeCase] = [
    ("AveragePool", _averaged(y=(1, 1, 2, 2)), BAD, ()),
    ("AveragePool in steps", _averaged((2, 3, 5, 6), (2, 3, 2, 3), strides=[2, 2]), BAD, ()),
    ("AveragePool, padded", _averaged(y=(1, 1, 4, 4), count_include_pad=1, **_AROUND), BAD, ()),
    ("AveragePool of halves", _averaged(of=F16), BAD, ()),
    ("AveragePool of a batch of any size", _averaged(("N", 1, 3, 3)), BAD, ()),
    ("AveragePool of an image of any size", _averaged((1, 1, "H", 3)), OPEN, ("SHAPE", "PADS.C3")),
    ("AveragePool of one spatial axis", _averaged((1, 1, 3), kernel_shape=[2]), BAD, ("X.C1",)),
    ("AveragePool with another padding", _averaged(auto_pad="SAME"), BAD, ("AUTO_PAD.C1",)),
    ("AveragePool with automatic padding", _averaged(auto_pad="VALID"), BAD, ("AUTO_PAD.C2",)),
    ("AveragePool rounded anyhow", _averaged(ceil_mode=2), BAD, ("CEIL_MODE.C1",)),
    ("AveragePool rounded up", _averaged(ceil_mode=1), BAD, ("CEIL_MODE.C2",)),
    (
        "AveragePool that counts twice",
        _averaged(count_include_pad=2),
        BAD,
        ("COUNT_INCLUDE_PAD.C1",),
    ),
    ("AveragePool with one size", _averaged(kernel_shape=[2]), BAD, ("KERNEL_SHAPE.C2",)),
    ("AveragePool with an empty kernel", _averaged(kernel_shape=[0, 2]), BAD, ("KERNEL_SHAPE.C1",)),
    ("AveragePool with one dilation", _averaged(dilations=[1]), BAD, ("DILATIONS.C2",)),
    ("AveragePool without dilation", _averaged(dilations=[0, 0]), BAD, ("DILATIONS.C1",)),
    ("AveragePool with one stride", _averaged(strides=[1]), BAD, ("STRIDES.C2",)),
    ("AveragePool in place", _averaged(strides=[0, 1]), BAD, ("STRIDES.C1",)),
    ("AveragePool with two pads", _averaged(pads=[1, 1]), BAD, ("PADS.C2",)),
    ("AveragePool with a negative pad", _averaged(pads=[0, 0, -1, 0]), BAD, ("PADS.C1",)),
    ("AveragePool of padding alone", _averaged(pads=[2, 0, 0, 0]), BAD, ("PADS.C3",)),
    ("AveragePool with a kernel too large", _averaged(kernel_shape=[5, 2]), BAD, ("SHAPE",)),
    ("AveragePool to another shape", _averaged(y=(1, 1, 2, 3)), BAD, ("SHAPE",)),
    ("AveragePool of integers", _averaged(of=I32), BAD, ("T",)),
    ("AveragePool to another type", _averaged(of_y=F64), BAD, ("T",)),
    *(
        (f"AveragePool without {name}", _without(name), BAD, (f"ATTR.{name.upper()}",))
        for name in _PLAIN
        if name != "kernel_shape"  # without which it is no node of ONNX
    ),
    (
        "AveragePool of a sparse tensor",
        of_sparse("AveragePool", x=_IMAGE, opset=19, **_PLAIN),
        BAD,
        ("T",),
    ),
]


def _convolved(  # noqa: PLR0913 (what may differ)
    x: Dims = _IMAGE,
    w: Dims = (1, 1, 2, 2),
    zeros: tuple[Dims, ...] = (),
    y: Dims = None,
    *,
    of: tuple[int, int] = (U8, I8),
    of_zeros: tuple[int, int] | None = None,
    of_y: int = I32,
    **attributes: Any,
) -> onnx.ModelProto:
    """A node n: x, w and zero points of these shapes -> y."""
    names = ["X", "W", "XZ", "WZ"][: 2 + len(zeros)]
    types = (*of, *(of_zeros or of))
    return model(
        [node("ConvInteger", names, ["Y"], name="n", **attributes)],
        [value(*each) for each in zip(names, (x, w, *zeros), types, strict=False)],
        [value("Y", y, of_y)],
    )


_TWO = (1, 2, 3, 3)
CONV_INTEGER: list[NodeCase] = [
    ("ConvInteger", _convolved(y=(1, 1, 2, 2)), BAD, ()),
    ("ConvInteger with zero points", _convolved(zeros=((), ())), BAD, ()),
    ("ConvInteger with one a channel", _convolved(w=(2, 1, 2, 2), zeros=((), (2,))), BAD, ()),
    ("ConvInteger, depthwise", _convolved(_TWO, (2, 1, 2, 2), group=2), BAD, ()),
    ("ConvInteger, padded", _convolved(y=(1, 1, 4, 4), **_AROUND), BAD, ()),
    ("ConvInteger of a batch of any size", _convolved(("N", 1, 3, 3)), BAD, ()),
    ("ConvInteger of an image of any size", _convolved((1, 1, "H", 3)), OPEN, ("X.C2",)),
    ("ConvInteger of one spatial axis", _convolved((1, 1, 3)), BAD, ("X.C1",)),
    ("ConvInteger with a kernel of three axes", _convolved(w=(1, 1, 2)), BAD, ("W.C1",)),
    ("ConvInteger of other channels", _convolved(_TWO), BAD, ("W.C2",)),
    ("ConvInteger with no row", _convolved(w=(1, 1, 0, 2)), BAD, ("W.C3",)),
    ("ConvInteger with a kernel too large", _convolved((1, 1, 1, 3)), BAD, ("X.C2",)),
    ("ConvInteger with two zero points", _convolved(zeros=((1,),)), BAD, ("X_ZERO_POINT.C1",)),
    (
        "ConvInteger with a matrix of zero points",
        _convolved(zeros=((), (1, 1))),
        BAD,
        ("W_ZERO_POINT.C1",),
    ),
    (
        "ConvInteger with too many zero points",
        _convolved(zeros=((), (2,))),
        BAD,
        ("W_ZERO_POINT.C2",),
    ),
    ("ConvInteger with another padding", _convolved(auto_pad="SAME"), BAD, ("AUTO_PAD.C1",)),
    ("ConvInteger with automatic padding", _convolved(auto_pad="VALID"), BAD, ("AUTO_PAD.C2",)),
    ("ConvInteger in place", _convolved(strides=[0, 1]), BAD, ("STRIDES.C1",)),
    ("ConvInteger with one stride", _convolved(strides=[1]), BAD, ("STRIDES.C1",)),
    ("ConvInteger with a negative pad", _convolved(pads=[0, 0, -1, 0]), BAD, ("PADS.C1",)),
    ("ConvInteger with two pads", _convolved(pads=[1, 1]), BAD, ("PADS.C2",)),
    ("ConvInteger without dilation", _convolved(dilations=[0, 0]), BAD, ("DILATIONS.C1",)),
    ("ConvInteger with one dilation", _convolved(dilations=[1]), BAD, ("DILATIONS.C2",)),
    ("ConvInteger without groups", _convolved(group=0), BAD, ("GROUP.C1",)),
    ("ConvInteger of unequal groups", _convolved((1, 3, 3, 3), group=2), BAD, ("GROUP.C2",)),
    ("ConvInteger of groups", _convolved((1, 4, 3, 3), (2, 2, 2, 2), group=2), BAD, ("GROUP.C3",)),
    ("ConvInteger with another kernel", _convolved(kernel_shape=[2, 1]), BAD,
     ("KERNEL_SHAPE.C1",)),
    ("ConvInteger to another shape", _convolved(y=(1, 1, 2, 3)), BAD, ("SHAPE",)),
    ("ConvInteger of int32", _convolved(of=(I32, I8)), BAD, ("T",)),
    (
        "ConvInteger with a zero point of another type",
        _convolved(zeros=((), ()), of_zeros=(I8, I8)),
        BAD,
        ("T",),
    ),
    ("ConvInteger to another type", _convolved(of_y=I64), BAD, ("T",)),
    (
        "ConvInteger of a sparse tensor",
        of_sparse("ConvInteger", value("W", (1, 1, 2, 2), I8), x=_IMAGE, of_y=I32),
        BAD,
        ("T",),
    ),
]  # fmt: skip
DOCUMENTS: dict[str, list[NodeCase]] = {
    "ONNX-EQUAL-13": EQUAL,
    "ONNX-MIN-13": MIN,
    "ONNX-IDENTITY-14": IDENTITY,
    "ONNX-TRANSPOSE-13": TRANSPOSE,
    "ONNX-SQUEEZE-13": SQUEEZE,
    "ONNX-REDUCESUM-13": REDUCE_SUM,
    "ONNX-AVERAGEPOOL-19": AVERAGE_POOL,
    "ONNX-CONVINTEGER-10": CONV_INTEGER,
    "ONNX-QUANTIZELINEAR-21": quantization_cases.QUANTIZE,
    "ONNX-DEQUANTIZELINEAR-21": quantization_cases.DEQUANTIZE,
}
"""The cases of each document; what is found is of its items."""
