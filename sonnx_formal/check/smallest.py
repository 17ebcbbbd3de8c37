"""The smallest input that shows a divergence, found by trying simpler ones."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, assert_never

import numpy as np

from sonnx_formal.backends.process import Worker
from sonnx_formal.check.compare import Index, Judgement, judge
from sonnx_formal.check.document import CheckExample, NamedTensor, Nested, TensorText, Verdict
from sonnx_formal.check.elements import complexity, filled, patterns, simple_elements
from sonnx_formal.check.trials import Trial, is_outside, outcome, posed
from sonnx_formal.oracle import Oracle
from sonnx_formal.oracle.notation import bits_text, element_text, nested
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, Family, element_type_of
from sonnx_formal.spec.operator import ShapeRule

_SINGLES = 12
"""How many single elements are tried before a tensor is cut up."""
_SIMPLE = 4096
"""How many combinations of simple elements are tried at once."""
_STEPS = 150
"""How many simplifications are tried at most."""
_PAIRED = 12
"""Of a sum of so many terms, any two are taken out together."""

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
        """Where elements are wrong in this way."""
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
        attributes = trial.call.attributes.as_dict().items()
        return CheckExample(
            trial.name,
            tuple(NamedTensor(*_exactly(x), n) for n, _, x in trial.call.bound() if x is not None),
            {name: [*value] if isinstance(value, tuple) else value for name, value in attributes},
            trial.violated,
            None if trial.expected is None else TensorText(*_exactly(trial.expected)),
            None if got is None else TensorText(*_exactly(got)),
            next(iter(self.places(kind)), None),
        )


def _exactly(array: Array) -> tuple[str, tuple[int, ...], Nested, Nested | None]:
    """The type and the shape; nested lists of the values, and of bit patterns if there are any."""
    type_ = element_type_of(array)
    values, bits = array.tolist(), None
    if type_.family is not Family.REAL:
        bits = patterns(array, type_).tolist()
        values = bits if type_.family is Family.FLOAT else values
    return (
        type_.name,
        array.shape,
        nested(values, lambda element: element_text(element, type_)),
        bits if bits is None else nested(bits, lambda pattern: bits_text(pattern, type_)),
    )


Still = Callable[[Call], Counterexample | None]


@dataclass(frozen=True)
class Search:
    """Looks for smaller examples with the implementation at hand."""

    worker: Worker
    oracle: Oracle
    strict: bool
    accumulate: str | None

    def smaller(self, example: Counterexample, verdict: Verdict, kind: str) -> Counterexample:
        """The smallest example found of the same verdict and kind; perhaps the one given."""
        if verdict is Verdict.CRASHES and kind.startswith("no answer"):
            return example  # each try would take as long
        if example.trial.violated is not None:
            return example

        def still(call: Call) -> Counterexample | None:
            found = self._tried(example.trial, call)
            shows = found.judgement.verdict is verdict and kind in found.judgement.kinds
            return found if shows else None

        rule = example.trial.call.operator.shape_rule
        match rule:
            case ShapeRule.MATRIX_PRODUCT:
                a, b = example.trial.call.arrays
                for i, j in example.places(kind)[:1]:
                    row = example.trial.call.with_operands([a[i : i + 1], b[:, j : j + 1]])
                    example = still(row) or example
                return _simplified(example, still, _simpler_matrices)
            case ShapeRule.OWN:
                return _simplified(example, still, _simpler_elements)
            case (
                ShapeRule.SAME
                | ShapeRule.MULTIDIRECTIONAL
                | ShapeRule.UNIDIRECTIONAL
                | ShapeRule.BY_ATTRIBUTE
            ):
                return self._single_element(example, kind, still) or _simplified(
                    example, still, _halves
                )
            case _:
                assert_never(rule)

    def _tried(self, like: Trial, call: Call) -> Counterexample:
        trial = posed(self.oracle, like.name, like.instance, call, alone=like.alone)
        if trial.violated is not None:
            return Counterexample(trial, Judgement(Verdict.NOT_JUDGED))
        became = outcome(self.worker, trial)
        found = judge(trial, became, strict=self.strict, accumulate=self.accumulate)
        return Counterexample(trial, found)

    def _single_element(
        self, example: Counterexample, kind: str, still: Still
    ) -> Counterexample | None:
        """One element that shows it: a simple one, or one of the example's."""
        trial = example.trial
        candidates = example.elements(kind)
        if example.judgement.verdict is Verdict.DIVERGES and example.judgement.wrong:
            call = _simple_call(trial)
            candidates += self._tried(trial, call).elements(kind) if call else []
        simplest = sorted(candidates, key=_weight)[:_SINGLES]
        return next(filter(None, (still(_of_elements(trial, [each])) for each in simplest)), None)


def _weight(elements: Sequence[Any]) -> Weight:
    parts = [complexity(element) for element in elements]
    return sum(bits for bits, _ in parts), any(negative for _, negative in parts)


def _simple_call(like: Trial) -> Call | None:
    """Simple elements, each with each as far as these are not too many; none that may kill."""
    bound = [input_ for _, input_, operand in like.call.bound() if operand is not None]
    types = [like.instance.type_of(input_) for input_ in bound]
    most = int(_SIMPLE ** (1 / len(types)) + 0.5)
    simple = [sorted(simple_elements(type_), key=complexity)[:most] for type_ in types]
    hazards = like.call.operator.hazards(like.instance.types)
    chosen = [
        elements
        for elements in product(*simple)
        if elements not in hazards and not is_outside(like.instance, elements)
    ]
    return _of_elements(like, chosen) if chosen else None


def _of_elements(like: Trial, chosen: list[Elements]) -> Call:
    """The same call on operands of one axis with these elements."""
    columns = iter(zip(*chosen, strict=True))
    operands = [
        None if operand is None else filled(next(columns), like.instance.type_of(input_))
        for _, input_, operand in like.call.bound()
    ]
    return like.call.with_operands(operands)


def _simplified(
    example: Counterexample, still: Still, simpler: Callable[[Call], Iterator[Call]]
) -> Counterexample:
    """Simpler operands, as long as one of them shows it."""
    candidates = simpler(example.trial.call)
    for _ in range(_STEPS):
        if (call := next(candidates, None)) is None:
            break
        found = still(call)
        if found and found.size < example.size:
            example, candidates = found, simpler(found.trial.call)
    return example


def _halves(call: Call) -> Iterator[Call]:
    """Of the tensors, where all are of one shape."""
    size = call.arrays[0].size
    if len({array.shape for array in call.arrays}) == 1 and size > 1:
        for part in (slice(size // 2), slice(size // 2, size)):
            halves = [each if each is None else each.ravel()[part] for each in call.operands]
            yield call.with_operands(halves)


def _simpler_matrices(call: Call) -> Iterator[Call]:
    """Fewer terms, fewer rows and columns, and simpler elements."""
    a, b = call.arrays
    count = a.shape[1]

    def without(terms: slice | tuple[int, ...]) -> Call:
        return call.with_operands([np.delete(a, terms, axis=1), np.delete(b, terms, axis=0)])

    width = count // 2
    while width:
        yield from (without(slice(start, start + width)) for start in range(0, count, width))
        width //= 2
    if count <= _PAIRED:
        yield from map(without, combinations(range(count), 2))  # which may cancel each other
    if a.shape[0] > 1:
        yield call.with_operands([a[:1], b])
    if b.shape[1] > 1:
        yield call.with_operands([a, b[:, :1]])
    yield from _simpler_elements(call)


def _simpler_elements(call: Call) -> Iterator[Call]:
    """One element replaced by 0, 1 or 2."""
    operands = call.operands
    for at, operand in enumerate(operands):
        if operand is None:
            continue
        for place in np.ndindex(operand.shape):
            for value in (0, 1, 2):
                changed = operand.copy()
                changed[place] = value
                if complexity(changed[place]) < complexity(operand[place]):
                    yield call.with_operands([*operands[:at], changed, *operands[at + 1 :]])
