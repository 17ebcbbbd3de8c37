"""Plots of rounding errors: what was observed, against the number of products and the bound."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sonnx_formal.check.document import CheckReport
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.texts import counted

WIDTH, HEIGHT = 520, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 14, 44
_MOST_TICKS = 7

Point = tuple[int, float]
"""A number of products, and the error that was observed of so many."""


class Mark(NamedTuple):
    """A point of a curve or of an axis, and what it stands for."""

    x: float
    y: float
    text: str


class Curve(NamedTuple):
    """What one implementation does, or what the bound allows."""

    name: str
    style: int
    marks: tuple[Mark, ...]

    @property
    def path(self) -> str:
        return " ".join(f"{each.x:.1f},{each.y:.1f}" for each in self.marks)


class Plot(NamedTuple):
    """Two logarithmic axes."""

    title: str
    across: tuple[Mark, ...]
    up: tuple[Mark, ...]
    bound: Curve | None
    curves: tuple[Curve, ...]


def plots(check: CheckReport) -> Iterator[tuple[str, Plot, Plot]]:
    """Of each operator and type, the error beneath the bound, and in units in the last place."""
    groups = grouped(check.errors, lambda each: f"{each.operator} {each.element_type}")
    for name, here in groups.items():
        relative: dict[str, list[Point]] = {backend.name: [] for backend in check.backends}
        places: dict[str, list[Point]] = {backend.name: [] for backend in check.backends}
        bounds: dict[int, float] = {}
        for each in sorted(here, key=lambda each: each.products):
            relative.setdefault(each.backend, []).append((each.products, each.relative))
            places.setdefault(each.backend, []).append((each.products, each.last_places))
            bounds[each.products] = max(bounds.get(each.products, 0.0), each.relative_bound)
        yield (
            name,
            _plot(
                f"{name}: greatest error in relation to the sum of magnitudes",
                relative,
                [*bounds.items()],
            ),
            _plot(f"{name}: greatest error in units in the last place of the exact sum", places),
        )


def _plot(title: str, curves: Mapping[str, Sequence[Point]], bounds: Sequence[Point] = ()) -> Plot:
    drawn = {name: _drawn(points) for name, points in curves.items()}
    limit = _drawn(bounds)
    values = [value for points in (limit, *drawn.values()) for _, value in points] or [1.0]
    low = math.floor(math.log10(min(values)))
    high = max(math.ceil(math.log10(max(values))), low + 1)
    most = max(products for points in curves.values() for products, _ in points)
    last = max(1, math.ceil(math.log2(max(most, 1))))

    def mark(products: int, value: float, text: str = "") -> Mark:
        x = LEFT + math.log2(max(products, 1)) / last * (WIDTH - LEFT - RIGHT)
        up = (math.log10(value) - low) / (high - low)
        y = HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM)
        return Mark(x, y, text or f"{counted(products, 'product')}: {value:.3g}")

    step = -(-(high - low) // _MOST_TICKS)
    return Plot(
        title,
        across=tuple(mark(1 << two, 1.0, str(1 << two)) for two in range(0, last + 1, 2)),
        up=tuple(
            mark(1, 10.0**ten, f"1e{ten}" if ten else "1") for ten in range(low, high + 1, step)
        ),
        bound=Curve("proved bound", -1, tuple(mark(*point) for point in limit)) if limit else None,
        curves=tuple(
            Curve(name, style, tuple(mark(*point) for point in points))
            for style, (name, points) in enumerate(drawn.items())
            if points
        ),
    )


def _drawn(points: Sequence[Point]) -> list[Point]:
    """Those that have a place on a logarithmic axis."""
    return [(products, value) for products, value in points if 0 < value < math.inf]
