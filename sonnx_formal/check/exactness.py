"""Where a float MatMul has one result, in whatever order and however fused it is summed up."""

from fractions import Fraction
from math import lcm

import numpy as np

from sonnx_formal.check.elements import FORMATS, Mask
from sonnx_formal.extraction.formats import Format
from sonnx_formal.oracle.element_types import ElementType
from sonnx_formal.vectors.case import Array


def independent_of_order(a: Array, b: Array, type_: ElementType) -> Mask:
    """Where each order of summation must give the same bits, because nothing is rounded.

    That is: where each product and each sum of some of the products is a number of the format; or
    where infinities and NaNs settle the result and no sum of the others overflows.
    """
    form = FORMATS[type_.name]
    rows, columns = [list(map(float, row)) for row in a], [list(map(float, col)) for col in b.T]
    decided = [[_is_decided(row, column, form) for column in columns] for row in rows]
    return np.array(decided, np.bool_).reshape(len(rows), len(columns))


def _is_decided(row: list[float], column: list[float], form: Format) -> bool:
    products = [x * y for x, y in zip(row, column, strict=True)]
    # The operands decide which products are NaN or infinite, not the rounded product.
    special = [
        product
        for x, y, product in zip(row, column, products, strict=True)
        if not (np.isfinite(x) and np.isfinite(y))
    ]
    if any(np.isnan(special)) or len({one > 0 for one in special}) > 1:
        return True
    return _all_sums_exact(
        [
            Fraction(x) * Fraction(y)
            for x, y in zip(row, column, strict=True)
            if np.isfinite(x) and np.isfinite(y)
        ],
        form,
    )


def _all_sums_exact(products: list[Fraction], form: Format) -> bool:
    """Whether each product, and each sum of some of them, is a number of the format.

    All are whole numbers of the greatest power of two that divides every product, and none is
    greater than the sum of the magnitudes: if that is at most 2^precision times the power, and
    neither is out of range, no bit is lost.
    """
    products = [one for one in products if one]
    if not products:
        return True
    denominator = lcm(*(one.denominator for one in products))
    numerators = [abs(one.numerator) * (denominator // one.denominator) for one in products]
    unit = min(one & -one for one in numerators)
    least = Fraction(1, 1 << (form.emax + form.precision - 2))
    greatest = Fraction((1 << form.precision) - 1) * Fraction(2) ** (form.emax + 1 - form.precision)
    total = sum(numerators)
    return (
        total <= unit << form.precision
        and Fraction(unit, denominator) >= least
        and Fraction(total, denominator) <= greatest
    )
