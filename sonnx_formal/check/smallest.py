"""The smallest input that shows a divergence, found by trying simpler ones."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, product
from math import copysign, isinf, isnan
from typing import Any

import numpy as np
from msgspec import UNSET

from sonnx_formal.check.compare import Index, Judgement, patterns
from sonnx_formal.check.document import CheckExample, NamedTensor, Nested, TensorText, Verdict
from sonnx_formal.check.trials import Trial, filled, is_outside, posed
from sonnx_formal.oracle import Oracle
from sonnx_formal.oracle.notation import bits_text, element_text, nested
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, ElementType, Family, element_type_of
from sonnx_formal.spec.operator import Presence, ShapeRule
from sonnx_formal.vectors.elements import array, boundaries, of_numbers, special_values

_SINGLES = 12
"""How many single elements are tried before a tensor is cut up."""
_SIMPLE = 4096
"""How many combinations of simple elements are tried at once."""
_STEPS = 150
"""How many simplifications are tried at most."""
_REFUSED = 0.1
"""What counts for a try: operands that the oracle refuses, which no implementation is asked."""
_PAIRED = 12
"""Of so many elements or terms, any two are taken out together: they may cancel each other."""
_SPECIAL_BITS = 50
"""An infinity is simpler than a number of more bits than this."""

Elements = tuple[Any, ...]
Weight = tuple[int, bool]


@dataclass(frozen=True, eq=False)
class Counterexample:
    """An input that shows what is wrong, and what came of it."""

    trial: Trial
    judgement: Judgement

    @property
    def size(self) -> tuple[int, Weight]:
        """Less for what is easier to understand."""
        arrays = self.trial.call.arrays
        elements = [element for array in arrays for element in array.ravel()[:64]]
        return sum(array.size for array in arrays), _weight(elements)

    def places(self, kind: str) -> list[Index]:
        return [index for index, other in self.judgement.wrong if other == kind]

    def elements(self, kind: str) -> list[Elements]:
        """The elements of the operands wherever one is wrong in this way, if shapes are equal."""
        arrays = self.trial.call.arrays
        if len({array.shape for array in arrays}) > 1:
            return []
        return [tuple(array[index] for array in arrays) for index in self.places(kind)]

    def told(self, kind: str) -> CheckExample:
        """The example as the document has it: every value exactly, and its bits."""
        trial, got = self.trial, self.judgement.got
        attributes = trial.call.attributes.as_json().items()
        return CheckExample(
            trial.name,
            tuple(NamedTensor(*exactly(x), n) for n, _, x in trial.call.bound() if x is not None),
            {name: [*value] if isinstance(value, tuple) else value for name, value in attributes},
            trial.violated,
            None if trial.expected is None else TensorText(*exactly(trial.expected)),
            None if got is None else TensorText(*exactly(got)),
            next(iter(self.places(kind)), None),
            self.judgement.said or UNSET,
        )


def exactly(array: Array) -> tuple[str, tuple[int, ...], Nested, Nested | None]:
    """What `TensorText` says of an array: its type, its shape, its values, its bits if any."""
    type_ = element_type_of(array)
    values, bits = array.tolist(), None
    if type_.has_patterns:
        bits = patterns(array, type_).tolist()
        values = bits if type_.family is Family.FLOAT else values
    return (
        type_.name,
        array.shape,
        nested(values, lambda element: element_text(element, type_)),
        bits if bits is None else nested(bits, lambda pattern: bits_text(pattern, type_)),
    )


def smaller(
    example: Counterexample, kind: str, oracle: Oracle, judged: Callable[[Trial], Judgement]
) -> Counterexample:
    """The smallest example found of the same verdict and kind; perhaps the one given."""
    like, verdict = example.trial, example.judgement.verdict
    if like.violated is not None or example.judgement.hung:
        return example  # or each try would take as long

    def tried(call: Call) -> Counterexample:
        trial = posed(oracle, like.name, like.instance, call, alone=like.alone)
        excluded = Judgement(Verdict.NOT_JUDGED)
        return Counterexample(trial, judged(trial) if trial.violated is None else excluded)

    candidates: Iterator[Call] = chain(_parts(example, kind, tried), _simpler(like.call))
    steps = 0.0
    while steps < _STEPS and (call := next(candidates, None)) is not None:
        found = tried(call)
        steps += 1 if found.trial.violated is None else _REFUSED
        shows = found.judgement.verdict is verdict and kind in found.judgement.kinds
        if shows and found.size < example.size:
            example, candidates = found, _simpler(call)
    return example


def _parts(
    example: Counterexample, kind: str, tried: Callable[[Call], Counterexample]
) -> Iterator[Call]:
    """What single wrong elements are computed from, be they the example's or simple ones."""
    trial, rule = example.trial, example.trial.call.operator.shape_rule
    if rule is ShapeRule.MATRIX_PRODUCT:
        a, b = trial.call.arrays
        for i, j in example.places(kind)[:1]:
            yield trial.call.with_operands([a[i : i + 1], b[:, j : j + 1]])
    elif rule.by_element:
        wrong = example.elements(kind)
        if example.judgement.wrong and (simple := _simple_combinations(trial)):
            wrong += tried(_of_elements(trial, simple)).elements(kind)
        for elements in sorted(wrong, key=_weight)[:_SINGLES]:
            yield _of_elements(trial, [elements])


def _simple_combinations(like: Trial) -> list[Elements]:
    """Simple elements, each with each as far as these are not too many; none that may kill."""
    bound = [input_ for _, input_, operand in like.call.bound() if operand is not None]
    types = [like.instance.type_of(input_) for input_ in bound]
    most = int(_SIMPLE ** (1 / len(types)) + 0.5)
    simple = [sorted(_simple_elements(type_), key=_complexity)[:most] for type_ in types]
    hazards = like.call.operator.hazards(like.instance.types)
    return [
        elements
        for elements in product(*simple)
        if elements not in hazards and not is_outside(like.instance, elements)
    ]


def _simple_elements(type_: ElementType) -> Array:
    """Small whole numbers, and what test vectors have for boundaries and special values."""
    if type_.family in {Family.TEXT, Family.COMPLEX}:
        return filled([], type_)
    unsigned = type_.family is Family.INTEGER and not type_.signed
    numbers = of_numbers(type_, [*range(0 if unsigned else -8, 17), 49, 100])
    edges = {*boundaries(type_), *special_values(type_)}
    return np.concatenate([numbers, array(type_, [*edges], (len(edges),))])


def _of_elements(like: Trial, chosen: list[Elements]) -> Call:
    columns = iter(zip(*chosen, strict=True))
    operands = [
        None if operand is None else filled(next(columns), like.instance.type_of(input_))
        for _, input_, operand in like.call.bound()
    ]
    return like.call.with_operands(operands)


def _simpler(call: Call) -> Iterator[Call]:
    rule = call.operator.shape_rule
    if rule.by_element and len({array.shape for array in call.arrays}) == 1:
        flat = [each if each is None else each.ravel() for each in call.operands]
        yield from _cut(call.with_operands(flat), [0] * len(flat))
    elif rule is ShapeRule.SCALAR_BOUNDS:
        first, *bounds = call.arrays
        yield from _cut(call.with_operands([first.ravel(), *bounds]), [0, *(None for _ in bounds)])
    else:
        for axes in _axes(call):
            yield from _cut(call, axes)
    operands = call.operands
    for at, (_, input_, operand) in enumerate(call.bound()):
        if operand is not None and input_.presence is Presence.OPTIONAL:
            fewer = call.with_operands([*operands[:at], None, *operands[at + 1 :]])
            if fewer.result_type is call.result_type:
                yield fewer
    for at, operand in enumerate(operands):
        if operand is None or operand.dtype.kind == "U":
            continue
        for place, value in product(np.ndindex(operand.shape), (0, 1, 2)):
            changed = operand.copy()
            changed[place] = value
            if _complexity(changed[place]) < _complexity(operand[place]):
                yield call.with_operands([*operands[:at], changed, *operands[at + 1 :]])


def _axes(call: Call) -> Iterator[Sequence[int | None]]:
    """Axes that may have to be of one length: one of each of two operands, then of one alone."""
    extents = [
        (operand, axis, extent)
        for operand, array in enumerate(call.operands)
        if array is not None
        for axis, extent in enumerate(array.shape)
        if extent > 1
    ]
    pairs = [
        (first, second)
        for first, second in combinations(extents, 2)
        if first[0] != second[0] and first[2] == second[2]
    ]
    for chosen in [*pairs, *((each,) for each in extents)]:
        along = {operand: axis for operand, axis, _ in chosen}
        yield [along.get(operand) for operand in range(len(call.operands))]


def _cut(call: Call, axes: Sequence[int | None]) -> Iterator[Call]:
    """Parts left out along these axes of the operands, the greatest first."""
    places = list(zip(call.operands, axes, strict=True))
    count = next(x.shape[axis] for x, axis in places if x is not None and axis is not None)
    widths = [count >> halving for halving in range(1, count.bit_length())]
    parts: list[slice | tuple[int, ...]] = [
        slice(start, start + width) for width in widths for start in range(0, count, width)
    ]
    if count <= _PAIRED:
        parts += combinations(range(count), 2)
    for part in parts:
        yield call.with_operands(
            [x if x is None or axis is None else np.delete(x, part, axis) for x, axis in places]
        )


def _weight(elements: Sequence[Any]) -> Weight:
    parts = [_complexity(element) for element in elements]
    return sum(bits for bits, _ in parts), any(negative for _, negative in parts)


def _complexity(element: Any) -> Weight:
    """Less for what is easier to understand: 0, 1, -1, 2, … 1/2, … infinity, NaN."""
    if isinstance(element, str):
        return 8 * len(element), False
    if isinstance(element, int | np.integer | np.bool_):
        element = int(element)
    elif not isinstance(element, Fraction):
        element = float(element)
        if isnan(element):
            return _SPECIAL_BITS + 1, False
        if isinf(element):
            return _SPECIAL_BITS, element < 0
        if not element:
            return 1, copysign(1, element) < 0
    number = Fraction(element)
    return number.numerator.bit_length() + number.denominator.bit_length(), number < 0
