"""The extracted floating-point operations on arrays of bit patterns."""

import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from sonnx_formal.oracle.program import NUMBERS, build
from sonnx_formal.spec.element_types import Format
from tests.formats import Patterns, dtype_of

_ROOTS = ["scalar.ieee754.encoding.Encoding", "scalar.ieee754.arithmetic.Comparison"]
_ROOTS += ["scalar.ieee754.arithmetic.Arithmetic", "scalar.ieee754.square_root.SquareRoot"]
_MAIN = Path(__file__).with_name("extracted_floats.ml")

RELATIONS = ("Less", "Equal", "Greater", "Unordered")
"""What the numbers mean that `compare` results in."""


def build_floats(folder: Path) -> Path:
    """Make the program in `folder`. Raises `UserError`."""
    return build(_ROOTS, [NUMBERS, _MAIN], folder)


@dataclass(frozen=True)
class Seconds:
    """The CPU time that an operation took on many operands."""

    alone: float
    """From value to value."""
    patterns: float
    """From bit pattern to bit pattern."""


class Floats:
    """The running program; a context manager. One thread at a time."""

    def __init__(self, program: Path) -> None:
        # In a group of its own, so that Ctrl-C is ours to handle.
        self._process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, process_group=0
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is not None:
            self._process.kill()  # it may be in the middle of an answer
        with suppress(BrokenPipeError):
            self._process.communicate()

    def apply(self, form: Format, operation: str, *operands: Patterns) -> Patterns:
        """The results, as patterns; of `compare`, as indices of `RELATIONS`.

        :param operation: add, sub, mul, div, compare; sqrt, negate, absolute, or roundtrip (decode
            and encode, nothing between), which have one operand.
        :raises ValueError: when the program refuses, and is gone then.
        """
        self._ask("apply", form, operation, operands)
        size = operands[0].size * dtype_of(form).itemsize
        return np.frombuffer(self._read(size), dtype_of(form).newbyteorder("<")).astype(
            dtype_of(form)
        )

    def time(self, form: Format, operation: str, *operands: Patterns) -> Seconds:
        """How long the operation takes on all of the operands."""
        alone, patterns = self._ask("time", form, operation, operands).split()[1:]
        return Seconds(float(alone), float(patterns))

    def _ask(self, what: str, form: Format, operation: str, operands: tuple[Patterns, ...]) -> str:
        [count] = {operand.size for operand in operands}
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with suppress(BrokenPipeError):  # it has answered before the end of the request
            stdin.write(
                f"{what} {form.name} {operation} {dtype_of(form).itemsize} {count}\n".encode()
            )
            for operand in operands:
                stdin.write(operand.astype(dtype_of(form).newbyteorder("<")).tobytes())
            stdin.flush()
        answer = stdout.readline().decode().rstrip("\n")
        if not answer.startswith("ok"):
            raise ValueError(answer or "the program of the extracted operations died")
        return answer

    def _read(self, size: int) -> bytes:
        assert self._process.stdout is not None
        data = self._process.stdout.read(size)
        if len(data) != size:
            raise ValueError("the program of the extracted operations died")
        return data
