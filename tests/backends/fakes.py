"""Implementations as a user may bring them: a right one, and some that fail in each way."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from sonnx_formal import reference as ops
from sonnx_formal.spec.element_types import Array

NOT_A_FUNCTION = 3


def right(op: str, a: Array, b: Array) -> Array:
    result: Array = getattr(ops, op)(a, b)
    return result


def talks(op: str, a: Array, b: Array) -> Array:
    """Prints, which must not get among the messages."""
    print("hello " * 10_000, flush=True)
    print("hello " * 10_000, file=sys.stderr, flush=True)
    return right(op, a, b)


def dies(_op: str, _a: Array, _b: Array) -> Array:
    os.kill(os.getpid(), signal.SIGFPE)
    raise AssertionError


def aborts(_op: str, _a: Array, _b: Array) -> Array:
    os.abort()


def leaves(_op: str, _a: Array, _b: Array) -> Array:
    print("no licence", file=sys.stderr, flush=True)
    os._exit(3)


def hangs(_op: str, _a: Array, _b: Array) -> Array:
    time.sleep(1000)
    raise AssertionError


def refuses(op: str, _a: Array, _b: Array) -> Array:
    raise NotImplementedError(f"there is no {op}")


def raises_exit(_op: str, _a: Array, _b: Array) -> Array:
    sys.exit(0)


def returns_a_list(op: str, a: Array, b: Array) -> Any:
    return right(op, a, b).tolist()


def returns_complex(op: str, a: Array, b: Array) -> Array:
    return right(op, a, b).astype(np.complex64)


def returns_float64(op: str, a: Array, b: Array) -> Array:
    return right(op, a, b).astype(np.float64)


def returns_a_vector(op: str, a: Array, b: Array) -> Array:
    return right(op, a, b).ravel()


def swaps_bytes(op: str, a: Array, b: Array) -> Array:
    """The same values in the other byte order, which is not wrong."""
    result = right(op, a, b)
    return result.astype(result.dtype.newbyteorder())


def broadcasts(op: str, a: Array, b: Array) -> Array:
    return np.asarray({"mul": np.multiply, "div": np.divide, "matmul": np.matmul}[op](a, b))


def dies_of_three_fives(op: str, a: Array, b: Array) -> Array:
    """Only 3 times 5 kills it."""
    if op == "mul" and np.any((a == 3) & (b == 5)):
        os.kill(os.getpid(), signal.SIGFPE)
    return right(op, a, b)


def hangs_at_zero_divisors(op: str, a: Array, b: Array) -> Array:
    if op == "div" and not b.all():
        time.sleep(1000)
    return right(op, a, b)


def wrong_from_seven_on(op: str, a: Array, b: Array) -> Array:
    """Products of which both factors are 7 or more are one too large."""
    result = right(op, a, b)
    if op == "mul":
        result = result + ((a >= 7) & (b >= 7)).astype(result.dtype)
    return result


def loses_the_sign_of_zero(op: str, a: Array, b: Array) -> Array:
    return right(op, a, b) + np.zeros((), a.dtype)


def wrong_where_terms_are_two_and_three(op: str, a: Array, b: Array) -> Array:
    """A MatMul that is wrong where a term is 2 * 3."""
    result = right(op, a, b)
    if op == "matmul":
        hit = ((a == 2)[:, :, np.newaxis] & (b == 3)[np.newaxis]).any(axis=1)
        result = result + hit.astype(result.dtype)
    return result


def sums_backwards(op: str, a: Array, b: Array) -> Array:
    """A MatMul in another order, which the specification allows."""
    return right(op, a[:, ::-1], b[::-1]) if op == "matmul" else right(op, a, b)


def sums_by_rows(op: str, a: Array, b: Array) -> Array:
    """A MatMul whose order depends on the number of rows."""
    return sums_backwards(op, a, b) if len(a) == 1 else right(op, a, b)


def dies_of_long_sums(op: str, a: Array, b: Array) -> Array:
    if op == "matmul" and a.ndim == 2 and a.shape[1] > 200:
        os.kill(os.getpid(), signal.SIGFPE)
    return right(op, a, b)


def meets_one(op: str, a: Array, b: Array) -> Array:
    return _meets("one", "other", op, a, b)


def meets_other(op: str, a: Array, b: Array) -> Array:
    return _meets("other", "one", op, a, b)


def _meets(me: str, you: str, op: str, a: Array, b: Array) -> Array:
    """Answers only once the other was asked something, too."""
    place = Path(os.environ["MEETING_PLACE"])
    (place / me).touch()
    while not (place / you).exists():
        time.sleep(0.01)
    return right(op, a, b)
