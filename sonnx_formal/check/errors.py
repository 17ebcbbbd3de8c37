"""How far sums are from the exact ones, and how far they may be."""

from fractions import Fraction
from typing import Any

import numpy as np

from sonnx_formal.accuracy.growth import relative_error
from sonnx_formal.core.documents import Count, Part
from sonnx_formal.spec.formats import Format


class SumErrors(Part, frozen=True):
    """The worst of the elements that were looked at, each sum being of so many products."""

    products: Count
    elements: Count = 0
    outside: Count = 0
    """Of the elements, those outside the proved bound."""
    of_bound: float = 0.0
    """The greatest error as a part of its bound."""
    relative: float = 0.0
    """The greatest error in relation to the sum of the magnitudes of the products, where these are
    not so small that underflow decides."""
    relative_bound: float = 0.0
    """The bound of that element, likewise."""
    last_places: float = 0.0
    """The greatest error in units in the last place of the exact sum."""

    def with_all(self, others: "SumErrors") -> "SumErrors":
        """With the elements of others of as many products."""
        worse = max(self, others, key=lambda each: (each.relative, each.relative_bound))
        return SumErrors(
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
) -> SumErrors:
    """The error of one element, in exact numbers; an infinity or a NaN is outside any bound.

    :param bound: how far the element may be from the exact sum.
    :param magnitude: the sum of the magnitudes of the products.
    """
    if not np.isfinite(got):
        return SumErrors(products, 1, 1)
    error, most = abs(Fraction(float(got)) - exact), Fraction(bound)
    # Else the bound is rather about what underflows than about the magnitude.
    relative = bound <= 2 * relative_error(form, products) * magnitude
    return SumErrors(
        products,
        elements=1,
        outside=int(error > most),
        of_bound=float(error / most),
        relative=float(error / Fraction(magnitude)) if relative else 0.0,
        relative_bound=float(most / Fraction(magnitude)) if relative else 0.0,
        last_places=float(error / _last_place(exact, form)),
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
