"""How far sums are from the exact ones, and how far they may be."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from sonnx_formal.accuracy.growth import relative_error
from sonnx_formal.spec.formats import Format


@dataclass(frozen=True)
class Error:
    """Of one element, in exact numbers."""

    error: Fraction
    """How far it is from the exact sum."""
    bound: Fraction
    """How far it may be."""
    magnitude: Fraction
    """The sum of the magnitudes of the products."""
    last_place: Fraction
    """The unit in the last place of the exact sum."""
    underflow: bool
    """Whether the bound is rather about what underflows than about the magnitude."""

    @property
    def outside(self) -> bool:
        """Whether no legal order gives it."""
        return self.error > self.bound

    @property
    def of_bound(self) -> float:
        """The error as a part of the bound."""
        return float(self.error / self.bound)


@dataclass(frozen=True)
class Errors:
    """The worst of the elements that were looked at, each sum being of so many products."""

    products: int
    elements: int = 0
    outside: int = 0
    of_bound: float = 0.0
    """The greatest error as a part of its bound."""
    relative: float = 0.0
    """The greatest error in relation to the sum of the magnitudes of the products, where these are
    not so small that underflow decides."""
    relative_bound: float = 0.0
    """The bound of that element, likewise."""
    last_places: float = 0.0
    """The greatest error in units in the last place of the exact sum."""

    def with_one(self, error: Error | None) -> "Errors":
        """With an element more; with an infinity or a NaN, if there is no error."""
        if error is None:
            return self.with_all(Errors(self.products, 1, 1))
        one = Errors(
            self.products,
            1,
            int(error.outside),
            error.of_bound,
            0.0 if error.underflow else float(error.error / error.magnitude),
            0.0 if error.underflow else float(error.bound / error.magnitude),
            float(error.error / error.last_place),
        )
        return self.with_all(one)

    def with_all(self, others: "Errors") -> "Errors":
        """With the elements of others of as many products."""
        worse = max(self, others, key=lambda one: (one.relative, one.relative_bound))
        return Errors(
            self.products,
            self.elements + others.elements,
            self.outside + others.outside,
            max(self.of_bound, others.of_bound),
            worse.relative,
            worse.relative_bound,
            max(self.last_places, others.last_places),
        )


def error_of(  # noqa: PLR0913, PLR0917
    got: Any, exact: Fraction, bound: float, magnitude: float, products: int, form: Format
) -> Error | None:
    """The error of an element; None if it is infinite or NaN."""
    if not np.isfinite(got):
        return None
    return Error(
        abs(Fraction(float(got)) - exact),
        Fraction(bound),
        Fraction(magnitude),
        _last_place(exact, form),
        bound > 2 * relative_error(form, products) * magnitude,
    )


def _last_place(number: Fraction, form: Format) -> Fraction:
    """The distance between the numbers of the format around this one."""
    magnitude = abs(number)
    exponent = 1 - form.emax
    if magnitude:
        digits = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
        if Fraction(2) ** digits > magnitude:
            digits -= 1
        exponent = max(exponent, digits)
    return Fraction(2) ** (exponent + 1 - form.precision)
