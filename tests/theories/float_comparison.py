"""Our extracted arithmetic beside the implementations of others, pair by pair."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sonnx_formal.spec.element_types import Format
from tests.benchmarks.implementations import Implementation, results
from tests.formats import with_one_nan
from tests.theories.extracted_floats import Floats
from tests.theories.float_operands import UNARY, Pairs, pairs


@dataclass(frozen=True)
class Mismatch:
    """Operands and the two results, as bit patterns, NaNs as the one NaN."""

    x: int
    y: int
    ours: int
    theirs: int

    def size(self, form: Format) -> tuple[int, int, int]:
        """What a reader of examples calls small: few digits first, then small patterns."""
        digits = sum(bin(pattern % form.trailing).count("1") for pattern in (self.x, self.y))
        return digits, self.x % form.sign + self.y % form.sign, self.x + self.y


@dataclass
class Comparison:
    """One operation of one format, compared."""

    form: Format
    operation: str
    pairs: Counter[str] = field(default_factory=Counter)
    """How many pairs of each kind."""
    mismatches: dict[str, int] = field(default_factory=dict)
    """By implementation: on how many pairs its result is another one."""
    smallest: dict[str, Mismatch] = field(default_factory=dict)
    """By implementation that differs: an example, as small as were met."""

    @property
    def total(self) -> int:
        return self.pairs.total()

    @property
    def agrees(self) -> bool:
        return not any(self.mismatches.values())

    def add(self, floats: Floats, others: Sequence[Implementation], block: Pairs) -> None:
        """Compare these pairs too."""
        operands = (block.x,) if self.operation in UNARY else (block.x, block.y)
        ours = floats.apply(self.form, self.operation, *operands)
        for other in others:
            theirs = results(other, self.operation, *map(other.operands, operands))
            if self.operation != "compare":
                theirs = with_one_nan(self.form, theirs)
            different = np.flatnonzero(ours != theirs)
            self.mismatches[other.name] = self.mismatches.get(other.name, 0) + different.size
            for i in different:
                columns = block.x, block.y, ours, theirs
                self._keep(other.name, Mismatch(*(int(column[i]) for column in columns)))
        self.pairs[block.kind] += block.x.size

    def _keep(self, name: str, entry: Mismatch) -> None:
        best = self.smallest.get(name, entry)
        self.smallest[name] = min(entry, best, key=lambda each: each.size(self.form))


def compare(  # noqa: PLR0913
    floats: Floats,
    others: Sequence[Implementation],
    form: Format,
    operation: str,
    *,
    count: int,
    seed: int,
    advance: Callable[[int], None] = lambda _pairs: None,
) -> Comparison:
    """Compare on at least `count` pairs; `advance` is told how many are done since it was last."""
    comparison = Comparison(form, operation)
    for block in pairs(form, operation, count, seed):
        comparison.add(floats, others, block)
        advance(block.x.size)
    return comparison
