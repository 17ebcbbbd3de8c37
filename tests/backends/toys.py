"""A user's own implementations of operators of other signatures: a right one, and some bugs."""

from typing import Any

import numpy as np

from sonnx_formal.spec.element_types import Array

EVERY_KIND = {
    "int": 3,
    "float": 0.5,
    "string": "é",
    "ints": (1, -2),
    "floats": (1.0, float("inf")),
    "strings": ("a", ""),
}


def right(name: str, *operands: Array | None, **attributes: Any) -> Array:
    """Each as ONNX has it, for operands of the same types and shapes only."""
    with np.errstate(all="ignore"):
        return np.asarray(_result(name, operands, attributes))


def _result(name: str, operands: tuple[Any, ...], attributes: dict[str, Any]) -> Any:  # noqa: PLR0911 (one each)
    match name, operands:
        case "toy-neg", (x,):
            return -x
        case "toy-less", (a, b):
            _require_alike(a, b)
            return a < b
        case "toy-where", (condition, x, y):
            _require_alike(x, y)
            assert condition.dtype == bool
            return np.where(condition, x, y)
        case "toy-clip", (x, least, *others):
            (greatest,) = others or (None,)
            assert all(x.dtype == each.dtype for each in (least, greatest) if each is not None)
            raised = x if least is None else np.maximum(x, least)
            return raised if greatest is None else np.minimum(raised, greatest)
        case "toy-concat", _:
            assert len({operand.dtype for operand in operands}) == 1
            return np.concatenate(operands, attributes["axis"])
        case "toy-quantize", (x, scale, zero):
            assert x.dtype == scale.dtype
            assert zero.dtype in {np.dtype(np.int8), np.dtype(np.uint8)}
            return np.clip(np.rint(x / scale) + zero, -128, 127).astype(zero.dtype)
        case "toy-reshape", (data, shape):
            assert shape.dtype == np.int64
            return data.reshape(shape)
        case "toy-every-kind", (x,):
            assert attributes == EVERY_KIND
            return x
        case _:
            raise NotImplementedError(name)


def _require_alike(a: Array, b: Array) -> None:
    if a.dtype != b.dtype or a.shape != b.shape:
        raise TypeError("not alike")


def takes_equals_for_less(name: str, *operands: Array | None, **attributes: Any) -> Array:
    """Less or equal."""
    found = right(name, *operands, **attributes)
    match name, operands:
        case "toy-less", (a, b):
            return np.asarray(a == b) | found
        case _:
            return found


def gives_numbers_for_truth(name: str, *operands: Array | None, **attributes: Any) -> Array:
    found = right(name, *operands, **attributes)
    return found.astype(np.int8) if found.dtype == bool else found


def has_bugs(name: str, *operands: Array | None, **attributes: Any) -> Array:
    """One too many where 7 is chosen and not 5, or 3 is left as it is; -128 negated is 127."""
    found = right(name, *operands, **attributes)
    wrong: Any = np.False_
    match name, operands:
        case "toy-neg", (x,):
            return np.where(x == np.int8(-128), np.int8(127), found)
        case "toy-where", (condition, x, y):
            wrong = (condition == np.True_) & (x == np.int8(7)) & (y == np.int8(5))
        case "toy-clip", (x, *_):
            wrong = x == np.int8(3)
    return np.asarray(found + np.asarray(wrong).astype(found.dtype))
