"""The definitions as a running program, which answers about tensors."""

import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Self

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import EndedError, Responder
from sonnx_formal.oracle import frames, tables
from sonnx_formal.oracle.frames import Inadmissible, OracleError
from sonnx_formal.oracle.program import find_program
from sonnx_formal.oracle.tensors import INFINITY, WireTensor
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import bound, check_attributes, sentence
from sonnx_formal.spec.element_types import ElementType, Family
from sonnx_formal.spec.operator import Arithmetic, Operator

TIMEOUT_SECONDS = 600.0
START_SECONDS = 60.0
"""In which a program has to have named its tables."""


class OracleDied(OracleError):
    """The process ended in the middle of a call."""


class OracleTimeout(OracleError):
    """The answer did not come within the time limit."""


class DefinitionProcess:
    """Evaluates operators on tensors by their formal definitions; a context manager.

    The definitions run as a program of their own: the first call builds it where that has not been
    done, and starts it; a call after its death starts it anew. Threads may share it; a process that
    was forked needs one of its own.
    """

    def __init__(self, *, timeout: float = TIMEOUT_SECONDS) -> None:
        """:param timeout: the seconds that a call may take; building is not counted."""
        self._timeout = timeout
        self._program: Path | None = None
        self._running: Responder | None = None
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        return self

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

    def compute(
        self,
        operator: Operator,
        operands: Sequence[WireTensor | None],
        attributes: Attributes,
        reading: str | None,
    ) -> WireTensor:
        """The result of an operator by its formal definition.

        To a definition, NaN is one value. What copies elements is polymorphic: it is asked of the
        bit patterns, too, as integers, so that each NaN of the result has the bits that it had.

        :raises Inadmissible: with the id of the requirement that the operands violate.
        :raises TypeError: for too few or too many operands.
        :raises OracleTimeout: when the time is over.
        :raises OracleError: when the program fails or refuses, as it does tensors of more than 2^22
            elements, and sums of more than some 200,000 terms.
        :raises UserError: for attributes or a reading that the operator does not have, and when the
            program cannot be built.
        """
        ports = bound(operator, operands)
        check_attributes(operator, attributes)
        if reading not in (None, *tables.readings(operator)):
            known = " or ".join(tables.readings(operator))
            hint = f"it is {known}" if known else "leave it out"
            raise UserError(f"{operator} has no reading {reading}: {hint}")
        try:
            request = frames.evaluation(operator, operands, attributes, reading)
            result = frames.result(self._ask(request))
            copied = operator.arithmetic is Arithmetic.COPY
            if not copied or result.type.family is not Family.FLOAT:
                return result
            patterns = [x and x.as_patterns for x in operands]
            request = frames.evaluation(operator, patterns, attributes, reading)
            return replace(result, content=frames.result(self._ask(request)).content)
        except Inadmissible as error:
            given = [(name, x.type, x.shape) for name, _, x in ports if x is not None]
            subject = sentence(operator, given, attributes)
            raise Inadmissible(error.requirement, error.what, subject) from None

    def rounded(
        self, type_: ElementType, number: Fraction | float, *, negative: bool = False
    ) -> tuple[int, bool]:
        """The float that a number is rounded to by the formal definition, ties to even.

        :param number: the magnitude, a fraction of 0 or more, `float("inf")` or NaN. Infinity is
            NaN in a type that has none.
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
