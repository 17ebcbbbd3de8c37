"""The oracle: results computed by the formal definitions themselves."""

import threading
from fractions import Fraction
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.oracle import frames
from sonnx_formal.oracle.attributes import UNSET, Attributes
from sonnx_formal.oracle.connection import Connection
from sonnx_formal.oracle.element_types import ElementType, element_type
from sonnx_formal.oracle.elements import INFINITY
from sonnx_formal.oracle.errors import Inadmissible, OracleDied
from sonnx_formal.oracle.frames import OPERATORS, READINGS, Operator, Reading
from sonnx_formal.oracle.program import Program, find_program

TIMEOUT_SECONDS = 600.0


class Oracle:
    """Evaluates the operators by their formal definitions; a context manager.

    The definitions run as a program of their own: the first call builds it where that has not been
    done, and starts it; a call after its death starts it anew. NumPy only carries bits. Threads may
    share an oracle; a process that was forked needs one of its own.
    """

    def __init__(self, *, timeout: float = TIMEOUT_SECONDS) -> None:
        """:param timeout: the seconds that a call may take; building is not counted."""
        self._timeout = timeout
        self._program: Program | None = None
        self._connection: Connection | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the program. A later call starts it anew."""
        with self._lock:
            self._end()

    def build(self) -> Program:
        """The program that computes, which the first call looks for and builds where need be.

        :raises UserError: when it cannot be built.
        """
        if self._program is None:
            self._program = find_program()
        return self._program

    @property
    def pid(self) -> int | None:
        """The process that computes, if there is one now."""
        return self._connection.pid if self._connection and self._connection.alive else None

    def evaluate(  # noqa: PLR0913 (what a node says)
        self,
        op: Operator,
        a: NDArray[Any] | np.generic,
        b: NDArray[Any] | np.generic,
        *,
        reading: Reading | None = None,
        attributes: Attributes = UNSET,
        timeout: float | None = None,
    ) -> NDArray[Any]:
        """The result of an operator by its formal definition.

        :param op: `mul` or `div`, element by element, or `matmul`, of SONNX; or of ONNX and
            OpenVINO, by the names of their documents, `onnx-mul-14` to `onnx-mul-1` and
            `ov-multiply-1`.
        :param a: an array of any layout and byte order; of int8 to int64, uint8 to uint64,
            float16, float32, float64, or `ml_dtypes.bfloat16`; or an object array of
            `fractions.Fraction` or integers, which stand for real numbers.
        :param b: the same; for `mul` and `div` of the same shape, for `matmul` both of rank 2.
            The others broadcast: ONNX and OpenVINO each by the rules of the document.
        :param reading: `r5`: Div over floats with SONNX-DIV R5 to the letter, so that x/0 is plus
            infinity for every x. `unlisted`: MatMul over bfloat16 too, which SONNX-MATMUL-FLOAT
            does not list.
        :param attributes: what the node says besides, if the operator has attributes.
        :param timeout: the seconds that this call may take.
        :return: a new array of the same type in native byte order. Every NaN is the positive quiet
            NaN without payload. Of real numbers, a `Fraction` an element, or `float("inf")` where
            SONNX-DIV R5 says so.
        :raises Inadmissible: with the id of the requirement that the operands violate.
        :raises TypeError: for values that the formal library has no element type for.
        :raises OracleTimeout: when the time is over.
        :raises OracleError: when the program fails or refuses, as it does tensors of more than 2^22
            elements, and sums of more than some 200,000 terms.
        :raises UserError: when the program cannot be built.
        """
        if op not in OPERATORS:
            raise ValueError(f"there is no operator {op!r}: it is one of {', '.join(OPERATORS)}")
        if reading not in READINGS:
            raise ValueError(f"there is no reading {reading!r}")
        left, right = _array(a), _array(b)
        request = frames.evaluation(op, reading, left, right, attributes)
        try:
            return frames.result(self._ask(request, timeout))
        except Inadmissible as error:
            call = f"{op} of {_described(left)} and {_described(right)}"
            call += f" with {attributes}" if attributes != UNSET else ""
            raise Inadmissible(error.requirement, f"{error.what}: {call}") from None

    def rounded(
        self, type_: ElementType, number: Fraction | float, *, negative: bool = False
    ) -> tuple[int, bool]:
        """The float that a number is rounded to by the formal definition, ties to even.

        :param number: the magnitude, a fraction of 0 or more; `float("inf")` and NaN are as they
            are.
        :param negative: the sign, which zero and infinity have too.
        :return: the bit pattern, and whether it stands for the number itself.
        """
        if isinstance(number, Fraction):
            ratio = number.numerator, number.denominator
        else:
            ratio = (1, 0) if number == INFINITY else (0, 0)
        return frames.rounded(self._ask(frames.rounding(type_, negative, *ratio), None))

    def _ask(self, request: bytes, timeout: float | None) -> memoryview:
        with self._lock:
            while True:
                connection = self._running()
                try:
                    return connection.exchange(
                        request, self._timeout if timeout is None else timeout
                    )
                except OracleDied:
                    if connection.starter.is_alive():
                        raise
                    # It died with the thread that had started it: no fault of this call's.

    def _running(self) -> Connection:
        if self._connection is None or not self._connection.alive:
            self._end()
            self._connection = Connection(self.build().path)
        return self._connection

    def _end(self) -> None:
        if self._connection:
            self._connection.close()
            self._connection = None


def evaluate(  # noqa: PLR0913 (what a node says)
    op: Operator,
    a: NDArray[Any] | np.generic,
    b: NDArray[Any] | np.generic,
    *,
    reading: Reading | None = None,
    attributes: Attributes = UNSET,
    timeout: float | None = None,
) -> NDArray[Any]:
    """`Oracle.evaluate` by an oracle for this one call."""
    with Oracle() as oracle:
        return oracle.evaluate(op, a, b, reading=reading, attributes=attributes, timeout=timeout)


def _described(array: NDArray[Any]) -> str:
    return f"{element_type(array).name}{list(array.shape)}"


def _array(value: NDArray[Any] | np.generic) -> NDArray[Any]:
    if isinstance(value, np.ma.MaskedArray) or not isinstance(value, np.ndarray | np.generic):
        raise TypeError(f"not a NumPy array: {type(value).__name__}")
    return np.asarray(value)
