"""Implementations as a user may bring them: a right one, and some that fail in each way."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sonnx_formal import reference as ops
from sonnx_formal.core.errors import UserError
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


def refuses_aloud(op: str, _a: Array, _b: Array) -> Array:
    print("no licence\nfor it", file=sys.stderr, flush=True)
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


def adds_c_first(_op: str, a: Array, b: Array, c: Array) -> Array:
    """A Gemm in an order that the specification allows."""
    total = c.copy()
    with np.errstate(all="ignore"):
        for k in range(a.shape[1]):
            total += a[:, k : k + 1] * b[k]
    return total


def adds_c_hundredfold(op: str, a: Array, b: Array, c: Array) -> Array:
    with np.errstate(all="ignore"):
        return adds_c_first(op, a, b, 100 * c)


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


def gives(content: Any) -> Callable[[str, Array, Array], Array]:
    """Whoever gives an array of this content, and does not look at what it is given."""
    return lambda _op, _a, _b: np.array(content, object)


gives_none, gives_a_text = gives([None]), gives(["abc"])
gives_a_minus_infinity = gives([float("-inf")])


def says(data: bytes) -> Callable[[str, Array, Array], Array]:
    """Whoever writes this to the parent behind the worker's back, and then answers nothing."""

    def say(_op: str, _a: Array, _b: Array) -> Array:
        os.write(_channel(), data)
        time.sleep(1000)
        raise AssertionError

    return say


def _channel() -> int:
    """The descriptor of the worker's only socket."""
    found = Path("/proc/self/fd").iterdir()
    return next(int(x.name) for x in found if x.is_symlink() and "socket:" in str(x.readlink()))


def _frame(message: object) -> bytes:
    """The answer to the first question."""
    data = msgspec.msgpack.encode([1, message])
    return len(data).to_bytes(8, "little") + data


def _array(type_: str, shape: Sequence[int], content: object) -> bytes:
    return _frame({"type": "Result", "array": [type_, shape, content]})


says_junk = says(b"junk, and more junk")
says_a_length = says((1 << 40).to_bytes(8, "little"))
says_half_a_frame = says((100).to_bytes(8, "little") + b"half")
says_no_message = says(_frame([1, 2]))
says_a_version = says(_frame("1.0"))
says_a_fraction = says(_array("real", [1], ["1e99999999"]))
says_a_quotient = says(_array("real", [1], ["1/0"]))
says_long_digits = says(_array("real", [1], (1 << 25).to_bytes(4, "little") + b"9" * (1 << 25)))
says_many_elements = says(_array("int8", [1 << 40], b""))
says_a_negative_size = says(_array("int8", [-1], b""))
says_text_elements = says(_array("string", [1], b"a"))
says_nothing_true = says(_array("bool", [1], b"\x02"))
says_nested_lists = says((100_000).to_bytes(8, "little") + b"\x91" * 100_000)


def speaks_twice(op: str, a: Array, b: Array) -> Array:
    """The second answer would be that to the next question."""
    os.write(_channel(), _array("int32", [1, 1], bytes(4)))
    return right(op, a, b)


def leaves_its_group(_op: str, _a: Array, _b: Array) -> Array:
    os.setpgid(0, os.getpgid(os.getppid()))
    time.sleep(1000)
    raise AssertionError


def detaches(_op: str, _a: Array, _b: Array) -> Array:
    """Starts a process without a parent, a terminal or our variables; and leaves a file."""
    command = ["setsid", "-f", "env", "-i", f"KEPT={os.environ['KEPT']}", "sleep", "1000"]
    subprocess.run(command, check=True)
    Path(tempfile.mkdtemp(prefix=os.environ["KEPT"]), "file").touch()
    time.sleep(1000)
    raise AssertionError


def refuses_with_odd_letters(_op: str, _a: Array, _b: Array) -> Array:
    raise ValueError("\x1b[2J\udcff")


def refuses_as_we_do(_op: str, _a: Array, _b: Array) -> Array:
    raise UserError("not today")
