"""The smallest input that shows a divergence, found by trying simpler ones."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np

from sonnx_formal.backends.process import Worker
from sonnx_formal.check.compare import Index, Judgement, Verdict, judge
from sonnx_formal.check.elements import complexity, simple_elements
from sonnx_formal.check.trial import Trial, outcome, posed
from sonnx_formal.oracle import Oracle
from sonnx_formal.vectors.case import Array, Operator

_SINGLES = 12
"""How many single elements are tried before a tensor is cut up."""
_STEPS = 150
"""How many simplifications are tried at most."""
_PAIRED = 12
"""Of a sum of so many terms, any two are taken out together."""


@dataclass(frozen=True, eq=False)
class Example:
    """An input that shows what is wrong, and what came of it."""

    trial: Trial
    judgement: Judgement

    @property
    def size(self) -> tuple[int, tuple[int, bool]]:
        """Less for what is easier to understand."""
        elements = [complexity(one) for array in self._operands for one in array.ravel()[:64]]
        weight = sum(bits for bits, _ in elements), any(negative for _, negative in elements)
        return sum(array.size for array in self._operands), weight

    @property
    def _operands(self) -> tuple[Array, Array]:
        return self.trial.a, self.trial.b

    def index(self, kind: str) -> Index | None:
        """Where the first element is wrong in this way."""
        return next((index for index, one in self.judgement.wrong if one == kind), None)


class Search:
    """Looks for smaller examples with the implementation at hand."""

    def __init__(
        self, worker: Worker, oracle: Oracle, *, strict: bool, accumulate: str | None
    ) -> None:
        self._worker = worker
        self._oracle = oracle
        self._strict = strict
        self._accumulate = accumulate

    def smaller(self, example: Example, verdict: Verdict, kind: str) -> Example:
        """The smallest example found of the same verdict and kind; perhaps the one given."""
        if verdict is Verdict.CRASHES and kind.startswith("no answer"):
            return example  # each try would take as long
        steps = self._simpler if example.trial.violated is None else _nothing

        def still(a: Array, b: Array) -> Example | None:
            found = self._tried(example.trial, a, b)
            shows = found.judgement.verdict is verdict and kind in found.judgement.kinds
            return found if shows else None

        return steps(example, kind, still)

    def _tried(self, like: Trial, a: Array, b: Array) -> Example:
        trial = posed(
            self._oracle,
            like.name,
            like.operator,
            like.element_type,
            a,
            b,
            alone=like.alone,
            attributes=like.attributes,
        )
        if trial.violated is not None:
            return Example(trial, Judgement(Verdict.NOT_JUDGED))
        became = outcome(self._worker, trial)
        found = judge(trial, became, strict=self._strict, accumulate=self._accumulate)
        return Example(trial, found)

    def _simpler(self, example: Example, kind: str, still: "Still") -> Example:
        if example.trial.operator is Operator.MATMUL:
            return _smaller_matrices(example, kind, still)
        found = self._single_element(example, kind, still)
        if found is not None or example.trial.a.shape != example.trial.b.shape:
            return found or example
        return _cut(example, still)

    def _single_element(self, example: Example, kind: str, still: "Still") -> Example | None:
        """One element that shows it: a simple one, or one of the example's."""
        trial = example.trial
        candidates = []
        if trial.a.shape == trial.b.shape:
            candidates = [
                (trial.a[index], trial.b[index])
                for index, one in example.judgement.wrong
                if one == kind
            ]
        if example.judgement.verdict is Verdict.DIVERGES and example.judgement.wrong:
            candidates += self._simple_candidates(trial, kind)
        candidates.sort(key=lambda pair: _weight(*pair))
        for x, y in candidates[:_SINGLES]:
            found = still(_one(x, trial), _one(y, trial))
            if found:
                return found
        return None

    def _simple_candidates(self, like: Trial, kind: str) -> list[tuple[object, object]]:
        """Pairs of simple elements that are wrong in this way, all tried in one tensor."""
        simple = simple_elements(like.type)
        pairs = [(x, y) for x, y in product(simple, simple) if not _is_hazard(like, x, y)]
        a, b = np.empty(len(pairs), like.type.dtype), np.empty(len(pairs), like.type.dtype)
        a[:], b[:] = [x for x, _ in pairs], [y for _, y in pairs]
        found = self._tried(like, a, b)
        return [pairs[index[0]] for index, one in found.judgement.wrong if one == kind]


Still = Callable[[Array, Array], Example | None]


def _nothing(example: Example, _kind: str, _still: Still) -> Example:
    return example


def _is_hazard(trial: Trial, x: object, y: object) -> bool:
    if trial.operator is not Operator.DIV or trial.type.kind != "integer":
        return False
    return y == 0 or (y == -1 and x == np.iinfo(trial.type.dtype).min)


def _weight(x: object, y: object) -> tuple[int, bool]:
    (bits, negative), (more, negative_too) = complexity(x), complexity(y)
    return bits + more, negative or negative_too


def _one(element: object, trial: Trial) -> Array:
    made: Array = np.empty(1, trial.type.dtype)
    made[0] = element
    return made


def _cut(example: Example, still: Still) -> Example:
    """Halves of the tensors, as long as one of them shows it."""
    a, b = example.trial.a.ravel(), example.trial.b.ravel()
    while a.size > 1:
        half = a.size // 2
        for part in (slice(half), slice(half, None)):
            found = still(a[part], b[part])
            if found:
                example, a, b = found, a[part], b[part]
                break
        else:
            return example
    return example


def _smaller_matrices(example: Example, kind: str, still: Still) -> Example:
    """One row and one column, fewer terms, and simpler elements, as long as it shows."""
    index = example.index(kind)
    if index:
        i, j = index
        found = still(example.trial.a[i : i + 1], example.trial.b[:, j : j + 1])
        example = found or example
    steps = 0
    simplified = True
    while simplified and steps < _STEPS:
        simplified = False
        for a, b in _simpler_matrices(example.trial):
            steps += 1
            found = still(a, b)
            if found and found.size < example.size:
                example, simplified = found, True
                break
            if steps >= _STEPS:
                break
    return example


def _simpler_matrices(trial: Trial) -> Iterator[tuple[Array, Array]]:
    a, b = trial.a, trial.b
    count = a.shape[1]
    width = count // 2
    while width:
        for start in range(0, count, width):
            gone = slice(start, start + width)
            yield np.delete(a, gone, axis=1), np.delete(b, gone, axis=0)
        width //= 2
    if count <= _PAIRED:
        for pair in combinations(range(count), 2):  # which may cancel each other
            yield np.delete(a, pair, axis=1), np.delete(b, pair, axis=0)
    for axis, array in ((0, a), (1, b)):
        if array.shape[axis] > 1:
            kept = np.take(array, [0], axis=axis)
            yield (kept, b) if array is a else (a, kept)
    for array in (a, b):
        for place in np.ndindex(array.shape):
            for value in (0, 1, 2):
                if complexity(np.asarray(value)[()]) < complexity(array[place]):
                    changed = array.copy()
                    changed[place] = value
                    yield (changed, b) if array is a else (a, changed)
