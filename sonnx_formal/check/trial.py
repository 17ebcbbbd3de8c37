"""What an implementation is put to: a call, and what the specification has for it."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite

import numpy as np

from sonnx_formal.backends.backend import PLAIN, CallOutcome, Crashed, Form
from sonnx_formal.backends.process import NotAvailableError, Worker
from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.oracle.tables import UNLISTED
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import REAL, Array, ElementType
from sonnx_formal.spec.operator import Instance
from sonnx_formal.vectors.case import Case, CaseClass


@dataclass(frozen=True, eq=False)
class Trial:
    """A call with its result or, where it is inadmissible, the requirement that it violates."""

    name: str
    call: Call
    instance: Instance
    expected: Array | None
    violated: str | None = None
    """The id of the requirement, where there is no result."""
    alone: bool = False
    """Whether some implementations die of it: it is run in a process of its own."""
    exact: Array | None = None
    """Of a matrix product of floats, the exact sums, infinities and NaNs taken for 0."""

    @property
    def result_type(self) -> ElementType:
        """The type of the elements of the result."""
        return self.instance.type_of(self.call.operator.output)


def of_case(case: Case, oracle: Oracle) -> Trial:
    """The trial that a test vector stands for."""
    return Trial(
        case.name,
        case.call,
        case.instance,
        None if case.violated else case.expected,
        case.violated,
        case.case_class is CaseClass.HAZARD,
        None if case.violated else exact_sums(oracle, case.call, case.instance),
    )


def posed(
    oracle: Oracle, name: str, instance: Instance, call: Call, *, alone: bool = False
) -> Trial:
    """The trial of a call, by the formal definition."""
    if instance.extension:
        call = replace(call, reading=UNLISTED)
    expected, violated, exact = None, None, None
    try:
        expected = oracle.evaluate(call)
        exact = exact_sums(oracle, call, instance)
    except Inadmissible as error:
        violated = error.requirement
    return Trial(name, call, instance, expected, violated, alone, exact)


def exact_sums(oracle: Oracle, call: Call, instance: Instance) -> Array | None:
    """What a matrix product of floats is to come near to: that over the real numbers."""
    if not instance.multiplies_floats:
        return None
    return oracle.evaluate(Call(call.operator, tuple(map(_exactly, call.arrays)), call.attributes))


def _exactly(array: Array) -> Array:
    """The elements as real numbers; 0 for infinities and NaNs, which the sums are not about."""
    made: Array = np.empty(array.shape, REAL.dtype)
    for index in np.ndindex(array.shape):
        element = float(array[index])
        made[index] = Fraction(element) if isfinite(element) else Fraction(0)
    return made


def outcome(worker: Worker, trial: Trial, form: Form = PLAIN) -> CallOutcome:
    """What becomes of a trial."""
    run = worker.run_alone if trial.alone else worker.run
    try:
        return run(trial.call, form)
    except NotAvailableError as error:
        return Crashed(str(error))  # it had loaded before
