"""The hand-made set, continued: Conv."""

from typing import Any

import onnx

from tests.lint.models import (
    BAD,
    F32,
    F64,
    I32,
    OPEN,
    Dims,
    NodeCase,
    model,
    node,
    of_sparse,
    value,
)

_PLAIN: dict[str, Any] = {
    "strides": [1, 1],
    "pads": [0, 0, 0, 0],
    "dilations": [1, 1],
    "group": 1,
    "kernel_shape": [2, 2],
}
_X, _W = (1, 1, 3, 3), (1, 1, 2, 2)


def _conv(  # noqa: PLR0913 (what may differ)
    x: Dims = _X,
    w: Dims = _W,
    b: Dims = None,
    y: Dims = None,
    *,
    of: tuple[int, int] = (F32, F32),
    of_y: int | None = None,
    **attributes: Any,
) -> onnx.ModelProto:
    """A node n: X, W and, of a shape, B -> Y; attributes that are None are not set."""
    every = {key: each for key, each in {**_PLAIN, **attributes}.items() if each is not None}
    bias = [] if b is None else [value("B", b, of[0])]
    return model(
        [node("Conv", ["X", "W", *(each.name for each in bias)], ["Y"], name="n", **every)],
        [value("X", x, of[0]), value("W", w, of[1]), *bias],
        [value("Y", y, of_y or of[0])],
    )


def _without(name: str) -> onnx.ModelProto:
    unset: dict[str, Any] = {name: None}
    return _conv(**unset)


CASES: list[NodeCase] = [
    ("Conv", _conv(y=(1, 1, 2, 2)), BAD, ()),
    ("Conv with a bias", _conv(b=(1,), y=(1, 1, 2, 2), auto_pad="NOTSET"), BAD, ()),
    ("Conv, depthwise", _conv((1, 2, 3, 3), (2, 1, 2, 2), y=(1, 2, 2, 2), group=2), BAD, ()),
    ("Conv of a batch of any size", _conv(("N", 1, 3, 3)), BAD, ()),
    ("Conv to another shape", _conv(y=(1, 1, 2, 3)), BAD, ("STRIDES.C2",)),
    ("Conv of one spatial axis", _conv((1, 1, 3)), BAD, ("X.C1",)),
    ("Conv with a kernel of three axes", _conv(w=(1, 1, 2)), BAD, ("R1",)),
    ("Conv with a bias of two axes", _conv(b=(1, 1)), BAD, ("B.C1",)),
    ("Conv with a longer bias", _conv(b=(2,)), BAD, ("B.C1",)),
    ("Conv with another padding", _conv(auto_pad="SAME"), BAD, ("AUTO_PAD.C1",)),
    ("Conv with automatic padding", _conv(auto_pad="VALID"), BAD, ("AUTO_PAD.C2",)),
    ("Conv in place", _conv(strides=[0, 1]), BAD, ("STRIDES.C1",)),
    ("Conv with two pads", _conv(pads=[1, 1]), BAD, ("PADS.C2",)),
    ("Conv with a negative pad", _conv(pads=[0, 0, -1, 0]), BAD, ("PADS.C1",)),
    ("Conv with one dilation", _conv(dilations=[1]), BAD, ("DILATIONS.C2",)),
    ("Conv without dilation", _conv(dilations=[0, 0]), BAD, ("DILATIONS.C1",)),
    ("Conv without groups", _conv(group=0), BAD, ("GROUP.C1",)),
    ("Conv of unequal groups", _conv((1, 3, 3, 3), group=2), BAD, ("GROUP.C2",)),
    ("Conv of groups", _conv((1, 4, 3, 3), (2, 2, 2, 2), group=2), BAD, ("GROUP.C3",)),
    ("Conv of other channels", _conv((1, 2, 3, 3)), BAD, ("X.C2",)),
    ("Conv, depthwise with a multiplier", _conv((1, 2, 3, 3), (4, 1, 2, 2), group=2), BAD, ("R3",)),
    ("Conv with an empty kernel", _conv(kernel_shape=[0, 2]), BAD, ("KERNEL_SHAPE.C1",)),
    ("Conv with another kernel", _conv(kernel_shape=[2, 1]), BAD, ("KERNEL_SHAPE.C2",)),
    ("Conv with a kernel too large", _conv((1, 1, 1, 3)), BAD, ("X.C3",)),
    ("Conv of an image of any size", _conv((1, 1, "H", 3)), OPEN, ("X.C3",)),
    ("Conv of integers", _conv(of=(I32, I32)), BAD, ("T",)),
    ("Conv of two types", _conv(of=(F32, F64)), BAD, ("T",)),
    ("Conv to another type", _conv(of_y=F64), BAD, ("T",)),
    *((f"Conv without {name}", _without(name), BAD, (f"ATTR.{name.upper()}",)) for name in _PLAIN),
    (
        "Conv of a sparse tensor",
        of_sparse("Conv", value("W", _W), x=_X, **_PLAIN),
        BAD,
        ("SONNX-GENERAL.GR1",),
    ),
]
