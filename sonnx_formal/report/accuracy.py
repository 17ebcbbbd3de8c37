"""Plots of rounding errors: what was observed, against the number of products and the bound."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sonnx_formal.check.document import CheckReport, SumErrorsRow

WIDTH, HEIGHT = 520, 300
LEFT, RIGHT, TOP, BOTTOM = 62, 14, 14, 44
_MOST_TICKS = 7


@dataclass(frozen=True)
class Tick:
    """A labelled place of an axis."""

    place: float
    label: str


@dataclass(frozen=True)
class Mark:
    """A point of a curve, and what it stands for."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Curve:
    """What one implementation does, or what the bound allows."""

    name: str
    style: int
    """Which of the styles of curves it has."""
    marks: tuple[Mark, ...]

    @property
    def path(self) -> str:
        """The points of a polyline."""
        return " ".join(f"{each.x:.1f},{each.y:.1f}" for each in self.marks)


@dataclass(frozen=True)
class Plot:
    """Two logarithmic axes."""

    title: str
    across: tuple[Tick, ...]
    up: tuple[Tick, ...]
    bound: Curve | None
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Worst:
    """All sums of an implementation, an operator and a type."""

    backend: str
    operator: str
    element_type: str
    elements: int
    outside: int
    of_bound: float
    products: int
    """Of the sum that came nearest to its bound."""
    last_places: float


@dataclass(frozen=True)
class Accuracy:
    """What is known of sums."""

    accumulate: str | None
    rows: tuple[Worst, ...]
    plots: tuple[tuple[str, Plot, Plot], ...]
    """Of each operator and type, the error beneath the bound, and in units in the last place."""


def accuracy(check: CheckReport) -> Accuracy | None:
    """Arrange the errors that the cross-check observed; None if it observed none."""
    if not check.errors:
        return None
    names = [backend.name for backend in check.backends]
    groups: dict[str, list[SumErrorsRow]] = {}
    for errors in check.errors:
        groups.setdefault(f"{errors.operator} {errors.element_type}", []).append(errors)
    return Accuracy(
        check.accumulate,
        tuple(_worst(check.errors)),
        tuple((name, *_plots(name, here, names)) for name, here in groups.items()),
    )


def _worst(errors: Sequence[SumErrorsRow]) -> Iterator[Worst]:
    groups: dict[tuple[str, str, str], list[SumErrorsRow]] = {}
    for each in errors:
        groups.setdefault((each.backend, each.operator, each.element_type), []).append(each)
    for key, here in groups.items():
        nearest = max(here, key=lambda each: each.of_bound)
        yield Worst(
            *key,
            sum(each.elements for each in here),
            sum(each.outside for each in here),
            nearest.of_bound,
            nearest.products,
            max(each.last_places for each in here),
        )


def _plots(label: str, errors: Sequence[SumErrorsRow], names: Sequence[str]) -> tuple[Plot, Plot]:
    bounds: dict[int, float] = {}
    for each in errors:
        bounds[each.products] = max(bounds.get(each.products, 0.0), each.relative_bound)
    return (
        _plot(
            f"{label}: greatest error in relation to the sum of magnitudes",
            errors,
            names,
            lambda each: each.relative,
            {products: bound for products, bound in sorted(bounds.items()) if bound},
        ),
        _plot(
            f"{label}: greatest error in units in the last place of the exact sum",
            errors,
            names,
            lambda each: each.last_places,
            {},
        ),
    )


def _plot(
    title: str,
    errors: Sequence[SumErrorsRow],
    names: Sequence[str],
    height: Callable[[SumErrorsRow], float],
    bounds: dict[int, float],
) -> Plot:
    values = [*filter(_is_drawn, map(height, errors)), *bounds.values()]
    low, high = _decades(values)
    most = max((each.products for each in errors), default=1)
    last = max(1, math.ceil(math.log2(max(most, 1))))

    def mark(products: int, value: float) -> Mark:
        x = LEFT + math.log2(max(products, 1)) / last * (WIDTH - LEFT - RIGHT)
        up = (math.log10(value) - low) / (high - low)
        text = f"{products} products: {value:.3g}"
        return Mark(x, HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM), text)

    curves = []
    for style, name in enumerate(names):
        here = sorted(
            (each for each in errors if each.backend == name), key=lambda each: each.products
        )
        marks = tuple(mark(each.products, height(each)) for each in here if _is_drawn(height(each)))
        if marks:
            curves.append(Curve(name, style, marks))
    limit = tuple(mark(products, bound) for products, bound in bounds.items())
    return Plot(
        title,
        tuple(Tick(mark(1 << two, 1.0).x, str(1 << two)) for two in range(0, last + 1, 2)),
        tuple(
            Tick(mark(1, 10.0**ten).y, _power(ten))
            for ten in range(low, high + 1, _step(low, high))
        ),
        Curve("proved bound", -1, limit) if limit else None,
        tuple(curves),
    )


def _is_drawn(value: float) -> bool:
    """Whether it has a place on a logarithmic axis."""
    return 0 < value < math.inf


def _decades(values: Sequence[float]) -> tuple[int, int]:
    if not values:
        return 0, 1
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return low, max(high, low + 1)


def _step(low: int, high: int) -> int:
    return -(-(high - low) // _MOST_TICKS)


def _power(ten: int) -> str:
    return "1" if ten == 0 else f"1e{ten}"
