"""The hand-made set, continued: Reshape, of which a constant S decides nearly everything."""

from typing import Any

import numpy as np
import onnx

from tests.lint.models import (
    BAD,
    BOOL,
    C64,
    F32,
    I8,
    I64,
    OPEN,
    Dims,
    NodeCase,
    model,
    node,
    of_sparse,
    tensor,
    value,
)

_OF_ELEMENTS = ("S.C1", "ALLOWZERO.C2", "ALLOWZERO.C3", "X.C1")


def _model(  # noqa: PLR0913 (what may differ)
    s: Any,
    x: Dims = (2, 3),
    y: Dims = None,
    *,
    of: int = F32,
    of_y: int | None = None,
    dtype: Any = np.int64,
    **attributes: Any,
) -> onnx.ModelProto:
    """A node n: X, S -> Y, with a constant S; with S of this shape, if it is a tuple."""
    constant = [] if isinstance(s, tuple) else [tensor("S", s, dtype)]
    inputs = [value("S", s, I64)] if isinstance(s, tuple) else []
    return model(
        [node("Reshape", ["X", "S"], ["Y"], name="n", **attributes)],
        [value("X", x, of), *inputs],
        [value("Y", y, of_y or of)],
        constant,
    )


CASES: list[NodeCase] = [
    ("Reshape", _model([3, 2], allowzero=0), BAD, ()),
    ("Reshape with a dimension to infer", _model([3, -1], y=(3, 2), allowzero=0), BAD, ()),
    ("Reshape with a dimension to copy", _model([-1, 0], of=BOOL, allowzero=0), BAD, ()),
    ("Reshape of nothing", _model([0, 7], (0, 3), of=I8, allowzero=1), BAD, ()),
    ("Reshape to rank 0", _model([], (1, 1), (), allowzero=0), BAD, ()),
    ("Reshape without allowzero", _model([3, 2], y=(3, 2)), BAD, ("ATTR.ALLOWZERO",)),
    ("Reshape with allowzero = 2", _model([3, 2], allowzero=2), BAD, ("ALLOWZERO.C1",)),
    ("Reshape with two dimensions to infer", _model([-1, -1], allowzero=0), BAD, ("S.C1",)),
    ("Reshape that copies what is not", _model([6, 1, 0], allowzero=0), BAD, ("ALLOWZERO.C2",)),
    ("Reshape to a negative shape", _model([-5], allowzero=1), BAD, ("ALLOWZERO.C3",)),
    ("Reshape with 0 beside -1", _model([0, -1], allowzero=1), BAD, ("ALLOWZERO.C3",)),
    (
        "Reshape that infers of nothing",
        _model([3, -1], (0, 3), allowzero=0),
        BAD,
        ("ALLOWZERO.C3",),
    ),
    ("Reshape to another size", _model([4, 2], allowzero=0), BAD, ("X.C1",)),
    ("Reshape with a remainder", _model([4, -1], allowzero=0), BAD, ("X.C1",)),
    ("Reshape with S of int32", _model([3, 2], dtype=np.int32, allowzero=0), BAD, ("S.T",)),
    ("Reshape with S of two axes", _model([[3, 2]], allowzero=0), BAD, ("S.T",)),
    ("Reshape of complex numbers", _model([3, 2], of=C64, allowzero=0), BAD, ("T",)),
    (
        "Reshape of a sparse tensor",
        of_sparse("Reshape", tensor("S", [6], np.int64), allowzero=0),
        BAD,
        ("SONNX-GENERAL.GR1",),
    ),
    ("Reshape to another type", _model([3, 2], of_y=I8, allowzero=0), BAD, ("T",)),
    ("Reshape to another shape", _model([3, 2], y=(2, 3), allowzero=0), BAD, ("SHAPE",)),
    ("Reshape with an S that is computed", _model((2,), allowzero=0), OPEN, _OF_ELEMENTS),
    ("Reshape of an open shape", _model([-1, 3], ("N", 3), allowzero=0), OPEN, _OF_ELEMENTS[2:]),
]
