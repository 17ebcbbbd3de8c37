"""The factors of the error bound, which depend on numbers of roundings only. Rounded upwards."""

import math
from fractions import Fraction
from functools import cache

from sonnx_formal.spec.formats import Format


def least(form: Format) -> Fraction:
    """The least positive number of a format: one unit."""
    return Fraction(1, 1 << (form.emax + form.precision - 2))


def greatest(form: Format) -> Fraction:
    """The greatest finite number of a format."""
    digits = (1 << form.precision) - 1
    return Fraction(digits) * Fraction(2) ** (form.emax + 1 - form.precision)


def roundoff(form: Format) -> Fraction:
    """How far rounding may be from a number beside it, in relation to the number: u = 2^-p."""
    return Fraction(1, 1 << form.precision)


@cache
def relative_error(form: Format, roundings: int) -> float:
    """At least (1 + u)^h - 1, where h is the number of roundings, or infinity.

    Source: why3/accuracy/computable_bound.mlw, `growth_fraction`.
    """
    top = 1 << form.precision
    return upwards((top + 1) ** roundings - top**roundings, top**roundings)


@cache
def underflow_error(form: Format, products: int, roundings: int) -> float:
    """At least (n / 2) (1 + u)^(h - 1) units, as a number, or infinity.

    Source: why3/accuracy/computable_bound.mlw, `small_fraction`.
    """
    if not products:
        return 0.0
    top = 1 << form.precision
    unit = least(form)
    above = products * (top + 1) ** (roundings - 1) * unit.numerator
    return upwards(above, 2 * top ** (roundings - 1) * unit.denominator)


def upwards(numerator: int, denominator: int) -> float:
    """The quotient of integers at least 0 rounded up, or infinity."""
    if not numerator:
        return 0.0
    try:
        nearest = numerator / denominator
    except OverflowError:
        return math.inf
    return math.nextafter(nearest, math.inf)
