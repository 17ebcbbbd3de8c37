"""The oracle: results computed by the formal definitions themselves."""

import threading
from contextlib import AbstractContextManager, ExitStack
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import EndedError, Responder
from sonnx_formal.oracle import frames, tables
from sonnx_formal.oracle.frames import INFINITY, Inadmissible, OracleError
from sonnx_formal.oracle.program import find_program
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call, check_attributes
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.element_types import Array, ElementType

TIMEOUT_SECONDS = 600.0
START_SECONDS = 60.0
"""In which a program has to have named its tables."""


class OracleDied(OracleError):
    """The process ended in the middle of a call."""


class OracleTimeout(OracleError):
    """The answer did not come within the time limit."""


class Oracle(AbstractContextManager["Oracle"]):
    """Evaluates the operators by their formal definitions; a context manager.

    The definitions run as a program of their own: the first call builds it where that has not been
    done, and starts it; a call after its death starts it anew. NumPy only carries bits. Threads may
    share an oracle; a process that was forked needs one of its own.
    """

    def __init__(self, *, timeout: float = TIMEOUT_SECONDS) -> None:
        """:param timeout: the seconds that a call may take; building is not counted."""
        self._timeout = timeout
        self._program: Path | None = None
        self._running: Responder | None = None
        self._lock = threading.Lock()

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """End the program. A later call starts it anew."""
        with self._lock:
            self._end()

    def build(self) -> Path:
        """The program that computes, built where need be. Raises `UserError` if it cannot be."""
        if self._program is None:
            self._program = find_program()
        return self._program

    def evaluate(self, call: Call) -> Array:
        """The result of a call by the formal definition of its operator: a new array.

        Arrays may be of any layout and byte order. Real numbers are object arrays of
        `fractions.Fraction` or integers, and `float("inf")` where SONNX-DIV R5 says so; bfloat16 is
        that of `ml_dtypes`. Every NaN in a result is the positive quiet NaN without payload.

        :raises Inadmissible: with the id of the requirement that the operands violate.
        :raises TypeError: for too few or too many operands, and for values without element type.
        :raises OracleTimeout: when the time is over.
        :raises OracleError: when the program fails or refuses, as it does tensors of more than 2^22
            elements, and sums of more than some 200,000 terms.
        :raises UserError: for attributes or a reading that the operator does not have, and when the
            program cannot be built.
        """
        call = call.with_operands([*map(_array, call.operands)])
        check_attributes(call.operator, call.attributes)
        if call.reading not in (None, *tables.readings(call.operator)):
            known = " or ".join(tables.readings(call.operator))
            hint = f"it is {known}" if known else "leave it out"
            raise UserError(f"{call.operator} has no reading {call.reading}: {hint}")
        try:
            return frames.result(self._ask(frames.evaluation(call)))
        except Inadmissible as error:
            raise Inadmissible(error.requirement, f"{error.what}: {call}") from None

    def apply(
        self,
        name: str,
        *operands: Array | np.generic | None,
        reading: str | None = None,
        **attributes: Any,
    ) -> Array:
        """`evaluate` of the operator of this name with these attributes."""
        made = Attributes.of(attributes)
        return self.evaluate(Call(operator(name), tuple(map(_array, operands)), made, reading))

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
        return frames.rounded(self._ask(frames.rounding(type_, negative, *ratio)))

    def _ask(self, request: bytes) -> memoryview:
        with self._lock:
            while True:
                running = self._started()
                try:
                    return _answer(running, self._timeout, request)
                except OracleDied:
                    if running.starter.is_alive():
                        raise
                    # It died with the thread that had started it: no fault of this call's.

    def _started(self) -> Responder:
        """The running program, which agrees on what the names of the tables mean."""
        if self._running is None or not self._running.alive:
            self._end()
            program = self.build()
            try:
                running = Responder([str(program)])
            except OSError as error:
                raise OracleError(f"{program} could not be started: {error.strerror}") from None
            with ExitStack() as failing:
                failing.callback(running.close)
                found, ours = frames.tables_digest(_answer(running, START_SECONDS)), tables.digest()
                if found != ours:
                    raise OracleError(
                        f"{program}: built from other declarations of operators: its tables are"
                        f" {found[:12]}…, ours {ours[:12]}…; remove its folder, and it is built"
                        " anew"
                    )
                failing.pop_all()
            self._running = running
        return self._running

    def _end(self) -> None:
        if self._running:
            self._running.close()
            self._running = None


def _answer(running: Responder, seconds: float, request: bytes | None = None) -> memoryview:
    try:
        return running.answer(seconds, request)
    except TimeoutError:
        raise OracleTimeout(f"no answer within {seconds:g} s") from None
    except EndedError as error:
        raise OracleDied(f"the oracle died: {error}") from None


def evaluate(
    name: str, *operands: Array | np.generic | None, reading: str | None = None, **attributes: Any
) -> Array:
    """The result of an operator by its formal definition, from an oracle for this one call.

    :param name: the operator, as `sonnx-formal eval` knows it: `mul`, `onnx-mul-6`.
    :param operands: in the order of the inputs; None for an optional one that is left out.
    :param reading: another way to read the document: `r5` of `div`.
    :param attributes: by the names that the document gives them.
    :raises Inadmissible, TypeError, UserError: as `Oracle.evaluate` does.
    """
    with Oracle() as oracle:
        return oracle.apply(name, *operands, reading=reading, **attributes)


def _array(value: Array | np.generic | None) -> Array | None:
    if value is None:
        return None
    if isinstance(value, np.ma.MaskedArray) or not isinstance(value, np.ndarray | np.generic):
        raise TypeError(f"not a NumPy array: {type(value).__name__}")
    return np.asarray(value)
