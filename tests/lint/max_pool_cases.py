"""The hand-made set, continued: MaxPool."""

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
    "auto_pad": "NOTSET",
    "ceil_mode": 0,
    "dilations": [1, 1],
    "kernel_shape": [2, 2],
    "pads": [0, 0, 0, 0],
    "storage_order": 0,
    "strides": [1, 1],
}
_X = (1, 1, 3, 3)


def _pool(
    x: Dims = _X, y: Dims = None, *, of: int = F32, of_y: int | None = None, **attributes: Any
) -> onnx.ModelProto:
    """A node n: X -> Y; attributes that are None are not set."""
    every = {key: each for key, each in {**_PLAIN, **attributes}.items() if each is not None}
    return model(
        [node("MaxPool", ["X"], ["Y"], name="n", **every)],
        [value("X", x, of)],
        [value("Y", y, of_y or of)],
    )


def _without(name: str) -> onnx.ModelProto:
    unset: dict[str, Any] = {name: None}
    return _pool(**unset)


_PADDED: dict[str, Any] = {"pads": [1, 1, 1, 1], "dilations": [2, 2]}
CASES: list[NodeCase] = [
    ("MaxPool", _pool(y=(1, 1, 2, 2)), BAD, ()),
    ("MaxPool in steps", _pool((2, 3, 5, 6), (2, 3, 2, 3), strides=[2, 2]), BAD, ()),
    ("MaxPool of a batch of any size", _pool(("N", 1, 3, 3)), BAD, ()),
    ("MaxPool to another shape", _pool(y=(1, 1, 2, 3)), BAD, ("Y.C1",)),
    ("MaxPool of one spatial axis", _pool((1, 1, 3)), BAD, ("X.C1",)),
    ("MaxPool with another padding", _pool(auto_pad="SAME"), BAD, ("AUTO_PAD.C1",)),
    ("MaxPool with automatic padding", _pool(auto_pad="VALID"), BAD, ("AUTO_PAD.C2",)),
    ("MaxPool rounded anyhow", _pool(ceil_mode=2), BAD, ("CEIL_MODE.C1",)),
    ("MaxPool rounded up", _pool(ceil_mode=1), BAD, ("CEIL_MODE.C2",)),
    ("MaxPool column by column", _pool(storage_order=1), BAD, ("STORAGE_ORDER.C1",)),
    ("MaxPool with one size", _pool(kernel_shape=[2]), BAD, ("KERNEL_SHAPE.C2",)),
    ("MaxPool with an empty kernel", _pool(kernel_shape=[0, 2]), BAD, ("KERNEL_SHAPE.C1",)),
    ("MaxPool with one dilation", _pool(dilations=[1]), BAD, ("DILATIONS.C2",)),
    ("MaxPool without dilation", _pool(dilations=[0, 0]), BAD, ("DILATIONS.C1",)),
    ("MaxPool with one stride", _pool(strides=[1]), BAD, ("STRIDES.C2",)),
    ("MaxPool in place", _pool(strides=[0, 1]), BAD, ("STRIDES.C1",)),
    ("MaxPool with two pads", _pool(pads=[1, 1]), BAD, ("PADS.C1",)),
    ("MaxPool with a negative pad", _pool(pads=[0, 0, -1, 0]), BAD, ("ATTR.PADS",)),
    ("MaxPool with much padding", _pool(pads=[0, 2, 0, 0]), BAD, ("PADS.C2",)),
    ("MaxPool of padding alone", _pool((1, 1, 1, 1), **_PADDED), BAD, ("PADS.C2",)),
    ("MaxPool with a kernel too large", _pool(kernel_shape=[5, 2]), BAD, ("Y.C1",)),
    ("MaxPool of an image of any size", _pool((1, 1, "H", 3)), OPEN, ("Y.C1", "PADS.C2")),
    ("MaxPool of long integers", _pool(of=I32), BAD, ("T",)),
    ("MaxPool to another type", _pool(of_y=F64), BAD, ("T",)),
    *(
        (f"MaxPool without {name}", _without(name), BAD, (f"ATTR.{name.upper()}",))
        for name in _PLAIN
        if name != "kernel_shape"  # without it, it is no node of ONNX
    ),
    (
        "MaxPool of a sparse tensor",
        of_sparse("MaxPool", x=_X, **_PLAIN),
        BAD,
        ("SONNX-GENERAL.GR1",),
    ),
]
