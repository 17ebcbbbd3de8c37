"""The hand-made set, continued: Concat, Unsqueeze, Flatten and Slice; Gemm."""

from typing import Any

import numpy as np
import onnx

from tests.lint.models import (
    BAD,
    BOOL,
    C64,
    F32,
    F64,
    I8,
    I64,
    OPEN,
    STRING,
    Dims,
    NodeCase,
    model,
    node,
    of_sparse,
    tensor,
    value,
)

_OF_SHAPES = ("AXIS.C1", "X.C2", "X.C3")


def _concat(
    *shapes: Dims,
    y: Dims = None,
    of: tuple[int, ...] = (F32,),
    of_y: int | None = None,
    **axis: Any,
) -> onnx.ModelProto:
    """A node n of operands of these shapes, and of these types, of which the last one goes on."""
    types = (*of, *of[-1:] * len(shapes))
    names = [f"X{number}" for number in range(len(shapes))]
    inputs = [value(*each) for each in zip(names, shapes, types, strict=False)]
    return model(
        [node("Concat", names, ["Y"], name="n", **axis)], inputs, [value("Y", y, of_y or of[0])]
    )


def _unsqueeze(  # noqa: PLR0913 (what may differ)
    a: Any,
    x: Dims = (2, 3),
    y: Dims = None,
    *,
    of: int = F32,
    of_y: int | None = None,
    dtype: Any = np.int64,
) -> onnx.ModelProto:
    """A node n: X, A -> Y, with a constant A; with A of this shape, if it is a tuple."""
    constant = [] if isinstance(a, tuple) else [tensor("A", a, dtype)]
    inputs = [value("A", a, I64)] if isinstance(a, tuple) else []
    return model(
        [node("Unsqueeze", ["X", "A"], ["Y"], name="n")],
        [value("X", x, of), *inputs],
        [value("Y", y, of_y or of)],
        constant,
    )


def _flatten(
    x: Dims = (2, 3), y: Dims = None, *, of: int = F32, of_y: int | None = None, **axis: Any
) -> onnx.ModelProto:
    return model(
        [node("Flatten", ["X"], ["Y"], name="n", **axis)],
        [value("X", x, of)],
        [value("Y", y, of_y or of)],
    )


def _slice(
    *cut: Any,
    x: Dims = (7,),
    y: Dims = None,
    of: int = F32,
    of_y: int | None = None,
    dtype: Any = np.int64,
) -> onnx.ModelProto:
    """A node n: X, S, E, A, K -> Y, with constants, which may have a type of their own."""
    named = [*zip("SEAK", cut, strict=False)]
    constants = [tensor(name, a, getattr(a, "dtype", dtype)) for name, a in named]
    operands = ["X", *(name for name, _ in named)]
    return model(
        [node("Slice", operands, ["Y"], name="n")],
        [value("X", x, of)],
        [value("Y", y, of_y or of)],
        constants,
    )


def _gemm(
    *shapes: Dims,
    y: Dims = None,
    of: tuple[int, ...] = (F32,),
    of_y: int | None = None,
    **attributes: Any,
) -> onnx.ModelProto:
    """A node n: A, B, C -> Y, of operands of these shapes; of these types, the last one goes on."""
    types = (*of, *of[-1:] * len(shapes))
    inputs = [value(*each) for each in zip("ABC", shapes, types, strict=False)]
    names = [each.name for each in inputs]
    return model(
        [node("Gemm", names, ["Y"], name="n", **attributes)], inputs, [value("Y", y, of_y or of[0])]
    )


_EVERY = [
    tensor(name, entries, np.int64)
    for name, entries in zip("SEAK", ([0, 0], [2, 3], [0, 1], [1, 1]), strict=True)
]
_TYPES_OF_SLICE = ("S.T", "E.T", "A.T", "K.T")
CONCAT: list[NodeCase] = [
    ("Concat", _concat((2, 3), (4, 3), y=(6, 3), axis=0), BAD, ()),
    ("Concat of one", _concat((2, 3), of=(BOOL,), axis=1), BAD, ()),
    ("Concat of texts", _concat((2,), (0,), y=(2,), of=(STRING,), axis=0), BAD, ()),
    ("Concat along the last axis", _concat((2, 3), (2, 3), axis=-1), BAD, ("R1",)),
    ("Concat along an axis too far", _concat((2, 3), (2, 3), axis=2), BAD, ("AXIS.C1",)),
    ("Concat of scalars", _concat((), (), axis=0), BAD, ("AXIS.C1",)),
    ("Concat of two ranks", _concat((2, 3), (3,), axis=0), BAD, ("X.C2",)),
    ("Concat of shapes that differ", _concat((2, 3), (2, 4), axis=0), BAD, ("X.C3",)),
    ("Concat of two types", _concat((2,), (2,), of=(F32, I8), axis=0), BAD, ("T",)),
    ("Concat of complex numbers", _concat((2,), (2,), of=(C64,), axis=0), BAD, ("T",)),
    ("Concat of a sparse tensor", of_sparse("Concat", axis=0), BAD, ("SONNX-GENERAL.GR1",)),
    ("Concat to another type", _concat((2,), (2,), of_y=I8, axis=0), BAD, ("Y.C4",)),
    ("Concat to another shape", _concat((2,), (2,), y=(5,), axis=0), BAD, ("Y.C3",)),
    ("Concat along an open dimension", _concat(("N", 3), (2, 3), axis=0), BAD, ()),
    ("Concat beside an open dimension", _concat(("N", 3), (2, 3), axis=1), OPEN, ("X.C3",)),
    ("Concat beside one symbol", _concat(("N", 3), ("N", 4), axis=1), BAD, ()),
    ("Concat beside two symbols", _concat(("N", 3), ("M", 4), axis=1), OPEN, ("X.C3",)),
    ("Concat of an unknown shape", _concat(None, (2, 3), axis=0), OPEN, _OF_SHAPES),
]
UNSQUEEZE: list[NodeCase] = [
    ("Unsqueeze", _unsqueeze([0]), BAD, ()),
    ("Unsqueeze at both ends", _unsqueeze([-1, 0], y=(1, 2, 3, 1)), BAD, ()),
    ("Unsqueeze of texts", _unsqueeze([1], of=STRING), BAD, ()),
    ("Unsqueeze nowhere", _unsqueeze([], (2,), (2,)), BAD, ()),
    ("Unsqueeze of a scalar", _unsqueeze([0], (), (1,)), BAD, ()),
    ("Unsqueeze too far", _unsqueeze([3]), BAD, ("A.C1",)),
    ("Unsqueeze too far before", _unsqueeze([-4]), BAD, ("A.C1",)),
    ("Unsqueeze twice", _unsqueeze([1, -3]), BAD, ("A.C2",)),
    ("Unsqueeze with A of int32", _unsqueeze([0], dtype=np.int32), BAD, ("A.T",)),
    ("Unsqueeze with A of two axes", _unsqueeze([[0]]), BAD, ("A.T",)),
    ("Unsqueeze of complex numbers", _unsqueeze([0], of=C64), BAD, ("T",)),
    (
        "Unsqueeze of a sparse tensor",
        of_sparse("Unsqueeze", tensor("A", [0], np.int64)),
        BAD,
        ("SONNX-GENERAL.GR1",),
    ),
    ("Unsqueeze to another type", _unsqueeze([0], of_y=I8), BAD, ("T",)),
    ("Unsqueeze to another shape", _unsqueeze([0], y=(2, 1, 3)), BAD, ("Y.C1",)),
    ("Unsqueeze with an A that is computed", _unsqueeze((1,)), OPEN, ("A.C1", "A.C2")),
    ("Unsqueeze of an open dimension", _unsqueeze([0], ("N", 3), (1, "N", 3)), BAD, ()),
    (
        "Unsqueeze of an open dimension to another shape",
        _unsqueeze([0], ("N", 3), (1, "N", 4)),
        BAD,
        ("Y.C1",),
    ),
    ("Unsqueeze of an unknown shape", _unsqueeze([0], None), OPEN, ("A.C1", "A.C2")),
]
FLATTEN: list[NodeCase] = [
    ("Flatten", _flatten(axis=1), BAD, ()),
    ("Flatten to a row", _flatten((2, 3, 4), (1, 24), axis=0), BAD, ()),
    ("Flatten to a column", _flatten((2, 3, 4), (24, 1), axis=3), BAD, ()),
    ("Flatten from the end", _flatten((2, 3, 4), (6, 4), of=I8, axis=-1), BAD, ()),
    ("Flatten of a scalar", _flatten((), (1, 1), axis=0), BAD, ()),
    ("Flatten without axis", _flatten(y=(2, 3)), BAD, ("ATTR.AXIS",)),
    ("Flatten too far", _flatten(axis=3), BAD, ("AXIS.C1",)),
    ("Flatten of a scalar too far", _flatten((), axis=1), BAD, ("AXIS.C1",)),
    ("Flatten of truth values", _flatten(of=BOOL, axis=1), BAD, ("T",)),
    ("Flatten of a sparse tensor", of_sparse("Flatten", axis=1), BAD, ("SONNX-GENERAL.GR1",)),
    ("Flatten to another type", _flatten(of_y=I8, axis=1), BAD, ("T",)),
    ("Flatten to another shape", _flatten(y=(3, 2), axis=1), BAD, ("Y.C1",)),
    ("Flatten of an open dimension", _flatten(("N", 3), axis=1), BAD, ()),
    ("Flatten of an open dimension too far", _flatten(("N", 3), axis=3), BAD, ("AXIS.C1",)),
    ("Flatten of an unknown shape", _flatten(None, axis=1), OPEN, ("AXIS.C1",)),
]
SLICE: list[NodeCase] = [
    ("Slice", _slice([0], [7], [0], [3], y=(3,)), BAD, ()),
    ("Slice back", _slice([-1], [-8], [-1], [-1], y=(7,)), BAD, ()),
    ("Slice of texts", _slice([1, 0], [3, 2], [1, 0], [2, 1], x=(2, 3), of=STRING), BAD, ()),
    ("Slice with indices of int32", _slice([0], [7], [0], [1], dtype=np.int32), BAD, ()),
    ("Slice without steps", _slice([0], [7], [0]), BAD, ("R3",)),
    ("Slice without axes", _slice([0], [7]), BAD, ("R1", "R3")),
    ("Slice with indices of int8", _slice([0], [7], [0], [1], dtype=np.int8), BAD, _TYPES_OF_SLICE),
    (
        "Slice with indices of two types",
        _slice(np.array([0], np.int32), [7], [0], [1]),
        BAD,
        ("S.C4",),
    ),
    ("Slice of a scalar", _slice([], [], [], [], x=()), BAD, ("X.C3",)),
    ("Slice along some axes", _slice([0], [2], [0], [1], x=(2, 3)), BAD, ("X.C1",)),
    ("Slice along an axis too far", _slice([0], [7], [1], [1]), BAD, ("A.C2",)),
    (
        "Slice twice along an axis",
        _slice([0, 0], [2, 2], [1, -1], [1, 1], x=(2, 3)),
        BAD,
        ("A.C3",),
    ),
    ("Slice without moving", _slice([0], [7], [0], [0]), BAD, ("K.C2",)),
    ("Slice from outside", _slice([7], [7], [0], [1]), BAD, ("S.C2",)),
    ("Slice of nothing", _slice([0], [0], [0], [1], x=(0,)), BAD, ("S.C2",)),
    ("Slice to where ONNX would clamp", _slice([0], [2**62], [0], [1]), BAD, ("E.C2",)),
    ("Slice away from the end", _slice([4], [2], [0], [1]), BAD, ("R6",)),
    ("Slice back, away from the end", _slice([2], [4], [0], [-1]), BAD, ("R7",)),
    ("Slice to nothing", _slice([3], [3], [0], [1]), BAD, ("Y.C2",)),
    ("Slice of complex numbers", _slice([0], [7], [0], [1], of=C64), BAD, ("T",)),
    ("Slice of a sparse tensor", of_sparse("Slice", *_EVERY), BAD, ("SONNX-GENERAL.GR1",)),
    ("Slice to another type", _slice([0], [7], [0], [1], of_y=I8), BAD, ("T",)),
    ("Slice to another shape", _slice([0], [7], [0], [3], y=(2,)), BAD, ("Y.C2",)),
    ("Slice with a K of two axes", _slice([0], [7], [0], [[1]]), BAD, ("K.T",)),
    ("Slice of an open shape", _slice([0], [7], [0], [1], x=("N",)), OPEN, ("R5", "S.C2", "E.C2")),
]
_AB, _ABC = ((2, 3), (3, 4)), ((2, 3), (3, 4), (2, 4))
# The type is one of the findings each time: the document has no type that ONNX has.
GEMM: list[NodeCase] = [
    ("Gemm", _gemm(*_ABC, y=(2, 4)), BAD, ("T",)),
    ("Gemm of integers", _gemm(*_ABC, of=(I64,)), BAD, ("T",)),
    ("Gemm of two types", _gemm(*_ABC, of=(F32, F64)), BAD, ("T",)),
    (
        "Gemm with all attributes as they are by default",
        _gemm(*_ABC, alpha=1.0, beta=1.0, transA=0, transB=0),
        BAD,
        ("T",),
    ),
    ("Gemm that scales the product", _gemm(*_ABC, alpha=0.5), BAD, ("R2", "T")),
    ("Gemm that scales C", _gemm(*_ABC, beta=0.0), BAD, ("R2", "T")),
    (
        "Gemm that transposes A",
        _gemm((3, 2), (3, 4), (2, 4), transA=1),
        BAD,
        ("R2", "B.SHAPE", "T"),
    ),
    ("Gemm that transposes B", _gemm((2, 3), (3, 3), (2, 3), transB=1), BAD, ("R2", "T")),
    ("Gemm without C", _gemm(*_AB), BAD, ("R4",)),
    ("Gemm with a row as C", _gemm(*_AB, (4,)), BAD, ("R3", "T")),
    ("Gemm with one row as C", _gemm(*_AB, (1, 4)), BAD, ("R3", "T")),
    ("Gemm with a column as C", _gemm(*_AB, (2, 1)), BAD, ("R3", "T")),
    ("Gemm with a scalar as C", _gemm(*_AB, ()), BAD, ("R3", "T")),
    ("Gemm with a C of another shape", _gemm(*_AB, (4, 2)), BAD, ("R3", "T")),
    ("Gemm of a row", _gemm((3,), (3, 4), (1, 4)), BAD, ("A.C1", "T")),
    ("Gemm of a batch", _gemm((2, 3), (5, 3, 4), (2, 4)), BAD, ("R1", "T")),
    ("Gemm of inner dimensions that differ", _gemm((2, 3), (4, 4), (2, 4)), BAD, ("B.SHAPE", "T")),
    ("Gemm with a row as C of an open batch", _gemm(("N", 3), (3, 4), (4,)), BAD, ("R3", "T")),
    (
        "Gemm of a sparse tensor",
        of_sparse("Gemm", value("B", (3, 4)), value("C", (2, 4))),
        BAD,
        ("SONNX-GENERAL.GR1", "T"),
    ),
]
