"""What an implementation is put to: operands, and what the specification has for them."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

import numpy as np

from sonnx_formal.backends.backend import PLAIN, Form
from sonnx_formal.backends.process import Crashed, NotAvailableError, Outcome, Worker
from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.oracle.attributes import UNSET, Attributes
from sonnx_formal.oracle.element_types import NUMERICAL, ElementType
from sonnx_formal.vectors.case import SONNX, Array, Case, CaseClass, Operator
from sonnx_formal.vectors.combinations import COMBINATIONS, MACHINE_TYPES
from sonnx_formal.vectors.generate import result

_FLOATS = {one.dtype for one in NUMERICAL.values() if one.kind == "float"}


@dataclass(frozen=True, eq=False)
class Trial:
    """Operands with their result or, where they are inadmissible, the requirement they violate."""

    name: str
    operator: Operator
    element_type: str
    a: Array
    b: Array
    expected: Array | None
    violated: str | None = None
    """The id of the requirement, where there is no result."""
    alone: bool = False
    """Whether some implementations die of it: it is run in a process of its own."""
    attributes: Attributes = UNSET
    exact: Array | None = None
    """Of a float MatMul, the exact sums as `Fraction`, infinities and NaNs taken for 0."""

    @property
    def type(self) -> ElementType:
        return NUMERICAL[self.element_type]


def of_case(case: Case, oracle: Oracle) -> Trial:
    """The trial that a test vector stands for."""
    alone = case.case_class is CaseClass.HAZARD
    return Trial(
        case.name,
        case.operator,
        case.element_type,
        case.a,
        case.b,
        None if case.violated else case.expected,
        case.violated,
        alone,
        case.attributes,
        None if case.violated else exact_sums(oracle, case.operator, case.a, case.b),
    )


def posed(  # noqa: PLR0913, PLR0917 (what a trial is)
    oracle: Oracle,
    name: str,
    operator: Operator,
    element_type: str,
    a: Array,
    b: Array,
    *,
    alone: bool = False,
    attributes: Attributes = UNSET,
) -> Trial:
    """The trial of these operands, by the formal definition."""
    expected, violated, exact = None, None, None
    try:
        expected = result(oracle, operator, a, b, attributes)
        exact = exact_sums(oracle, operator, a, b)
    except Inadmissible as error:
        violated = error.requirement
    return Trial(name, operator, element_type, a, b, expected, violated, alone, attributes, exact)


def exact_sums(oracle: Oracle, operator: Operator, a: Array, b: Array) -> Array | None:
    """What a float MatMul is to come near to: MatMul over the real numbers, by its definition."""
    if operator is not Operator.MATMUL or a.dtype not in _FLOATS:
        return None
    return result(oracle, operator, _exactly(a), _exactly(b))


def _exactly(array: Array) -> Array:
    """The elements as real numbers; 0 for infinities and NaNs, which the sums are not about."""
    made: Array = np.empty(array.shape, object)
    for index in np.ndindex(array.shape):
        element = float(array[index])
        made[index] = Fraction(element) if isfinite(element) else Fraction(0)
    return made


def outcome(worker: Worker, trial: Trial, form: Form = PLAIN) -> Outcome:
    """What becomes of a trial."""
    run = worker.run_alone if trial.alone else worker.run
    try:
        return run(trial.operator, trial.a, trial.b, form, trial.attributes)
    except NotAvailableError as error:
        return Crashed(str(error))  # it had loaded before


def all_pairs(oracle: Oracle, operator: Operator, element_type: str) -> Iterator[Trial]:
    """Of an integer type of 8 bits, each element with each; those that may kill, apart.

    Together these are all 65,536 pairs: the quotients by zero, which have no result, are one trial,
    and the least number divided by -1 is another.
    """
    dtype = NUMERICAL[element_type].dtype
    if operator not in {Operator.MUL, Operator.DIV} or element_type not in {"int8", "uint8"}:
        return
    bounds = np.iinfo(dtype)
    every = np.arange(bounds.min, bounds.max + 1).astype(dtype)
    a, b = (one.ravel() for one in np.meshgrid(every, every, indexing="ij"))
    zero = (b == 0) & (operator is Operator.DIV)
    least = (a == bounds.min) & (b == -1) & (operator is Operator.DIV)
    name = f"{operator}-{element_type}-all-pairs"
    rest = ~(zero | least)
    yield posed(oracle, name, operator, element_type, a[rest], b[rest])
    for part, of_part in [("least-by-minus-one", least), ("by-zero", zero)]:
        if of_part.any():
            left, right = a[of_part], b[of_part]
            yield posed(oracle, f"{name}-{part}", operator, element_type, left, right, alone=True)


def inadmissible(oracle: Oracle, operator: Operator, element_type: str) -> Iterator[Trial]:
    """Operands that the specification excludes, of each sort that has a requirement.

    Of the systems, the test vectors have those whose shapes are excluded.
    """

    def ones(*shape: int, of: str = element_type) -> Array:
        made: Array = np.ones(shape, NUMERICAL[of].dtype)
        if of == "real":
            made[...] = Fraction(1)
        return made

    other = "int32" if element_type != "int32" else "int64"
    if operator not in SONNX:
        pairs = {"two-types": (ones(1), ones(1, of=other))}
        for name in (one for one in MACHINE_TYPES if (operator, one) not in COMBINATIONS):
            pairs[f"unlisted-{name}"] = (ones(1, of=name), ones(1, of=name))
    elif operator is Operator.MATMUL:
        pairs = {
            "inner-dimensions": (ones(1, 2), ones(1, 2)),
            "vector-by-matrix": (ones(1), ones(1, 1)),
            "matrix-by-vector": (ones(1, 1), ones(1)),
            "three-axes": (ones(1, 1, 1), ones(1, 1, 1)),
            "broadcast-columns": (ones(1, 2), ones(1, 1)),
            "two-types": (ones(1, 1), ones(1, 1, of=other)),
        }
    else:
        pairs = {
            "shapes": (ones(2), ones(3)),
            "broadcast": (ones(2), ones(1)),
            "broadcast-left": (ones(1), ones(2)),
            "broadcast-rank-0": (ones(1), ones()),
            "broadcast-axes": (ones(2, 1), ones(1, 2)),
            "same-size": (ones(2, 3), ones(3, 2)),
            "zero-size": (ones(0), ones(1)),
            "two-types": (ones(1), ones(1, of=other)),
        }
    for name, (a, b) in pairs.items():
        full = f"{operator}-{element_type}-inadmissible-{name}"
        yield posed(oracle, full, operator, element_type, a, b)
    if operator is Operator.DIV and NUMERICAL[element_type].kind == "integer":
        full = f"{operator}-{element_type}-inadmissible-zero-divisor"
        zero = np.zeros_like(ones(1))
        yield posed(oracle, full, operator, element_type, ones(1), zero, alone=True)
