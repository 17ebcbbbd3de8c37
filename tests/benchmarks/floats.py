"""The speed of the extracted floating-point arithmetic, on one core, beside that of others.

CPU time is measured, so that a busy machine changes little. Of several runs the fastest counts.
"""

import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sonnx_formal.spec.element_types import FORMATS, Format
from tests.benchmarks.implementations import Implementation, Operation, implementations
from tests.benchmarks.measurement import Say
from tests.formats import Patterns, dtype_of
from tests.theories.extracted_floats import Floats, build_floats

OPERATIONS = ("add", "mul", "div")
COUNT = 100_000
RUNS = 3


@dataclass(frozen=True)
class Speed:
    """Operations a second of one kind."""

    format: str
    operation: str
    patterns: int
    """Ours, from bit patterns to the bit pattern of the result."""
    alone: int
    """Ours, from value to value."""
    others: dict[str, int]
    """By the name of the implementation: from value to value, called from Python."""


def measure_floats(say: Say, count: int = COUNT) -> Iterator[Speed]:
    """Measure `count` operations of each kind. Raises `UserError` when nothing can be built."""
    with tempfile.TemporaryDirectory(prefix="sonnx-formal-bench-") as scratch:
        say("building the extracted arithmetic …")
        with Floats(build_floats(Path(scratch))) as floats:
            for form in FORMATS:
                say(f"{form.name} …")
                yield from _measure_format(floats, form, count)


def _measure_format(floats: Floats, form: Format, count: int) -> Iterator[Speed]:
    x, y = finite_patterns(form, count, seed=1), finite_patterns(form, count, seed=2)
    others = [(each, each.operands(x), each.operands(y)) for each in implementations(form)]
    for operation in OPERATIONS:
        ours = [floats.time(form, operation, x, y) for _ in range(RUNS)]
        yield Speed(
            form.name,
            operation,
            _rate(count, min(each.patterns for each in ours)),
            _rate(count, min(each.alone for each in ours)),
            {each.name: _speed(each, operation, *operands) for each, *operands in others},
        )


def finite_patterns(form: Format, count: int, seed: int) -> Patterns:
    """Any finite numbers, each pattern as likely as any other: exponents far apart, overflow."""
    chance = np.random.default_rng(seed)
    magnitudes = chance.integers(0, form.infinity, count, np.uint64)
    signs = chance.integers(0, 2, count, np.uint64) * np.uint64(form.sign)
    return (magnitudes + signs).astype(dtype_of(form))


def _speed(implementation: Implementation, operation: str, x: list[Any], y: list[Any]) -> int:
    function = implementation.operation(operation)
    return _rate(len(x), min(_seconds(function, x, y) for _ in range(RUNS)))


def _seconds(function: Operation, x: list[Any], y: list[Any]) -> float:
    began = time.process_time()
    deque(map(function, x, y), maxlen=0)
    return time.process_time() - began


def _rate(count: int, seconds: float) -> int:
    return round(count / max(seconds, 1e-6))
