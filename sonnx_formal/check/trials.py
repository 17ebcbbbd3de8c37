"""What implementations are put to: test vectors, all combinations, operands that are excluded."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite, prod
from typing import Any

import numpy as np

from sonnx_formal.backends.backend import PLAIN, CallOutcome, Crashed, Form
from sonnx_formal.backends.plainest import ones, places, plainest
from sonnx_formal.backends.process import NotAvailableError, Worker
from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Inadmissible, Oracle, OracleError
from sonnx_formal.oracle.tables import UNLISTED
from sonnx_formal.spec.attributes import UNSET
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import BY_NAME, MACHINE, REAL, Array, ElementType, Family
from sonnx_formal.spec.operator import Instance, ShapeRule
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.manifest import Case

MOST = 1 << 17
"""So many combinations are tried at most: a condition and two numbers of 8 bits."""
_NARROW = 16
_NAMES = {1: "all-elements", 2: "all-pairs"}
Shape = tuple[int, ...]
_WRONG_SHAPES: dict[ShapeRule, dict[str, tuple[Shape | None, Shape]]] = {
    ShapeRule.SAME: {
        "shapes": ((2,), (3,)),
        "broadcast": ((2,), (1,)),
        "broadcast-left": ((1,), (2,)),
        "broadcast-rank-0": ((1,), ()),
        "broadcast-axes": ((2, 1), (1, 2)),
        "same-size": ((2, 3), (3, 2)),
        "zero-size": ((0,), (1,)),
    },
    ShapeRule.SCALAR_BOUNDS: {
        "one-element": (None, (1,)),
        "two-elements": (None, (2,)),
        "two-axes": (None, (1, 1)),
        "no-element": (None, (0,)),
    },
    ShapeRule.MATRIX_PRODUCT: {
        "inner-dimensions": ((1, 2), (1, 2)),
        "vector-by-matrix": ((1,), (1, 1)),
        "matrix-by-vector": ((1, 1), (1,)),
        "three-axes": ((1, 1, 1), (1, 1, 1)),
        "broadcast-columns": ((1, 2), (1, 1)),
    },
}
"""The shape of an operand but the first, beside that of the others: None for their plain shapes.
Where operands are broadcast, the vectors have the shapes that do not go together."""


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
    """Of sums of floats that a bound judges, the exact ones, infinities and NaNs taken for 0."""

    @property
    def result_type(self) -> ElementType:
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
    """What sums of floats are to come near to: those over the real numbers."""
    if not instance.bounds_sums:
        return None
    operator = call.operator
    names = {parameter.name for parameter in operator.parameters}
    operands = (
        _exactly(operand) if operand is not None and input_.type in names else operand
        for _, input_, operand in call.bound()
    )
    beyond = any(REAL in parameter.beyond for parameter in operator.parameters)
    reading = UNLISTED if beyond else None
    return oracle.evaluate(Call(operator, tuple(operands), call.attributes, reading))


def _exactly(array: Array) -> Array:
    """The elements as real numbers; 0 for infinities and NaNs, which the sums are not about."""
    made: Array = np.empty(array.shape, REAL.dtype)
    for index in np.ndindex(array.shape):
        element = float(array[index])
        made[index] = Fraction(element) if isfinite(element) else Fraction(0)
    return made


def outcome(worker: Worker, trial: Trial, form: Form = PLAIN) -> CallOutcome:
    run = worker.run_alone if trial.alone else worker.run
    try:
        return run(trial.call, form)
    except NotAvailableError as error:
        return Crashed(str(error))  # it had loaded before


@dataclass(frozen=True)
class Exhaustive:
    """The trials of all combinations of elements, or why there are none."""

    trials: tuple[Trial, ...] = ()
    why_not: str | None = None

    @property
    def combinations(self) -> int:
        return sum(trial.call.arrays[0].size for trial in self.trials)


def exhaustive(oracle: Oracle, instance: Instance) -> Exhaustive:
    """Each element with each, if few; what may kill, and what has no result, is a trial apart."""
    operator = instance.operator
    if operator.shape_rule is ShapeRule.SCALAR_BOUNDS:
        return Exhaustive(why_not="each choice of its bounds would be a trial of its own")
    if not operator.shape_rule.by_element:
        return Exhaustive(why_not="it is not element by element")
    if plainest(instance) is None:
        return Exhaustive(why_not="it has attributes that have to be chosen")
    types = [instance.type_of(input_) for input_ in places(operator)]
    every = [_all_elements(type_) for type_ in types]
    if not all(every) or prod(map(len, every)) > MOST:
        return Exhaustive(why_not="there are too many combinations of elements")
    if operator.definition.domain and operator.exact is None:
        return Exhaustive(why_not="where it is defined is not declared")
    combinations = list(itertools.product(*every))
    hazards = set(operator.hazards(instance.types))
    outside = {elements for elements in combinations if is_outside(instance, elements)}
    parts = {
        "": [elements for elements in combinations if elements not in hazards | outside],
        "-hazards": sorted(hazards - outside),
        "-outside-domain": sorted(outside),
    }
    name = f"{instance.name}-{_NAMES.get(len(types), 'all-combinations')}"
    trials = tuple(
        posed(oracle, f"{name}{suffix}", instance, combined(instance, part), alone=bool(suffix))
        for suffix, part in parts.items()
        if part
    )
    if trials[0].violated is not None:
        raise UserError(
            f"{instance}: {trials[0].violated} excludes elements that the declaration takes to be"
            " inside the domain"
        )
    return Exhaustive(trials)


def combined(instance: Instance, combinations: list[tuple[Any, ...]]) -> Call:
    """The call of an element-wise operator on combinations of elements, one after the other."""
    operator = instance.operator
    columns = zip(places(operator), zip(*combinations, strict=True), strict=True)
    operands = (filled(column, instance.type_of(input_)) for input_, column in columns)
    return Call(operator, tuple(operands), operator.least_attributes or UNSET)


def filled(elements: Sequence[Any], type_: ElementType) -> Array:
    """A tensor of one axis of these elements."""
    made: Array = np.empty(len(elements), type_.dtype)
    made[:] = elements
    return made


def is_outside(instance: Instance, elements: tuple[Any, ...]) -> bool:
    """Whether integers or truth values are declared to have no result."""
    operator = instance.operator
    if operator.definition.domain is None or operator.exact is None:
        return False
    types = [instance.type_of(input_) for input_ in places(operator)]
    whole = all(type_.family in {Family.INTEGER, Family.BOOLEAN} for type_ in types)
    if not whole or len(types) != len(elements):
        return False
    return operator.exact(*(Fraction(int(element)) for element in elements)) is None


def _all_elements(type_: ElementType) -> list[Any]:
    """The elements of a type of 16 bits at most; none of all other types."""
    if type_.family is Family.BOOLEAN:
        return [False, True]
    bits = 8 * type_.dtype.itemsize
    if type_.family not in {Family.INTEGER, Family.FLOAT} or bits > _NARROW:
        return []
    every = np.arange(1 << bits, dtype=f"u{type_.dtype.itemsize}").view(type_.dtype)
    return every.tolist() if type_.family is Family.INTEGER else [*every]


def inadmissible(oracle: Oracle, instance: Instance, accepted: Iterable[Trial]) -> Iterator[Trial]:
    """What the operator does not take; without a rule of shapes, made of an accepted trial."""
    known = [trial.call for trial in accepted if trial.violated is None]
    known.sort(key=lambda call: sum(array.size for array in call.arrays))
    plain = plainest(instance) or next(iter(known), None)
    calls = [*_shapes(instance)]
    if plain is not None:
        calls += [*_two_types(instance, plain), *_unlisted(instance, plain)]
    for name, call in calls:
        try:
            trial = posed(oracle, f"{instance.name}-inadmissible-{name}", instance, call)
        except OracleError as error:
            raise UserError(f"{call}: no restriction of {instance} excludes it: {error}") from None
        if trial.violated is None:
            raise UserError(f"{call}: the definition accepts what the declaration excludes")
        yield trial
    for elements in itertools.product((1, 0), repeat=len(places(instance.operator))):
        if is_outside(instance, elements):
            name = f"{instance.name}-inadmissible-outside-domain"
            yield posed(oracle, name, instance, combined(instance, [elements]), alone=True)
            return


def _shapes(instance: Instance) -> Iterator[tuple[str, Call]]:
    pairs = _WRONG_SHAPES.get(instance.operator.shape_rule, {})
    inputs = places(instance.operator)
    if (plain := plainest(instance)) is None:
        return
    types = [instance.type_of(input_) for input_ in inputs]
    for (name, (usual, other)), place in itertools.product(pairs.items(), range(1, len(inputs))):
        shapes = [each.shape if usual is None else usual for each in plain.arrays]
        operands = [*map(ones, shapes, types)]
        operands[place] = ones(other, types[place])
        suffix = f"-{inputs[place].name}" if len(inputs) > 2 else ""  # noqa: PLR2004
        yield f"{name}{suffix}", plain.with_operands(operands)


def _two_types(instance: Instance, plain: Call) -> Iterator[tuple[str, Call]]:
    """Another type for one operand, where that of another one or the document decides."""
    bound = plain.bound()
    parameters = {parameter.name for parameter in instance.operator.parameters}
    for place, (name, input_, operand) in enumerate(bound):
        first = next(at for at, (_, each, _) in enumerate(bound) if each.type == input_.type)
        if operand is None or (place == first and input_.type in parameters):
            continue
        type_ = instance.type_of(input_)
        other = BY_NAME["int32" if type_.name != "int32" else "int64"]
        suffix = f"-{name}" if len(bound) > 2 else ""  # noqa: PLR2004
        yield f"two-types{suffix}", _retyped(plain, {place: other})


def _unlisted(instance: Instance, plain: Call) -> Iterator[tuple[str, Call]]:
    given = [None if x is None else input_.type for _, input_, x in plain.bound()]
    for parameter in instance.operator.parameters:
        changed = [place for place, type_ in enumerate(given) if type_ == parameter.name]
        for type_ in MACHINE if changed else ():
            if type_ not in (*parameter.types, *parameter.beyond):
                suffix = f"-{parameter.name}" if len(instance.types) > 1 else ""
                yield f"unlisted-{type_}{suffix}", _retyped(plain, dict.fromkeys(changed, type_))


def _retyped(call: Call, types: dict[int, ElementType]) -> Call:
    operands: Sequence[Array | None] = [
        ones(operand.shape, types[place]) if operand is not None and place in types else operand
        for place, (_, _, operand) in enumerate(call.bound())
    ]
    return call.with_operands(operands)
