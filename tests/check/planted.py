"""Implementations for 16-bit floats with bugs of the kind that only some pairs show."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from sonnx_formal import reference
from sonnx_formal.check.compare import magnitudes, patterns
from sonnx_formal.spec.element_types import Array, element_type_of

__version__ = os.environ.get("PLANTED_VERSION", "1")


def right(op: str, a: Array, b: Array) -> Array:
    """Tells which block it is asked for, where somebody wants to know."""
    if log := os.environ.get("PLANTED_LOG"):
        with Path(log).open("a") as file:
            print(_block(a), file=file)
    result: Array = getattr(reference, op)(a, b)
    return result


def slow(op: str, a: Array, b: Array) -> Array:
    time.sleep(0.3)
    return right(op, a, b)


def flushes_subnormals(op: str, a: Array, b: Array) -> Array:
    result = right(op, a, b)
    type_ = element_type_of(result)
    bits = patterns(result, type_)
    small = magnitudes(result, type_) < type_.format.trailing
    return np.where(small, bits & type_.format.sign, bits).view(type_.dtype)


def loses_the_sign_of_zero(op: str, a: Array, b: Array) -> Array:
    return right(op, a, b) + np.zeros((), a.dtype)


def rounds_ties_away(op: str, a: Array, b: Array) -> Array:
    """Of products of binary16."""
    result = right(op, a, b)
    exact = a.astype(np.float64) * b.astype(np.float64)
    away = np.nextafter(result, np.copysign(np.float16(np.inf), result))
    tie = away.astype(np.float64) - exact == exact - result.astype(np.float64)
    return np.where(tie & np.isfinite(result), away, result)


def nan_for_infinity(op: str, a: Array, b: Array) -> Array:
    result = right(op, a, b)
    return np.where(np.isinf(result), result - result, result)


def dies_in_block_1(op: str, a: Array, b: Array) -> Array:
    if _block(a) == 1 and "PLANTED_SOUND" not in os.environ:
        os.kill(os.getpid(), signal.SIGFPE)
    return right(op, a, b)


def hangs_in_block_1(op: str, a: Array, b: Array) -> Array:
    if _block(a) == 1:
        time.sleep(1000)
    return right(op, a, b)


def refuses_block_1(op: str, a: Array, b: Array) -> Array:
    if _block(a) == 1:
        raise NotImplementedError("no such numbers")
    return right(op, a, b)


def widens_block_1(op: str, a: Array, b: Array) -> Array:
    return right(op, a, b).astype(np.float32) if _block(a) == 1 else right(op, a, b)


def cuts_block_1(op: str, a: Array, b: Array) -> Array:
    return right(op, a, b)[:-1] if _block(a) == 1 else right(op, a, b)


def _block(a: Array) -> int:
    """By the first of its 64 left operands."""
    return int(patterns(a, element_type_of(a))[0]) // 64
