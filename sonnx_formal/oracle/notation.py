"""Elements and arrays as text."""

import json
import math
import re
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, ROUND_UP, Context, Decimal
from enum import StrEnum
from fractions import Fraction
from typing import Any, assert_never

from sonnx_formal.spec.element_types import ElementType, Family, Format

_MOST_DIGITS = 17
_LEAST_PLAIN = -6  # the exponent of the first digit, down to which there is no power of ten


class Notation(StrEnum):
    """How numbers are written."""

    EXACT = "exact"
    """A float is a decimal where that takes no more than 17 digits, else hexadecimal."""
    DECIMAL = "decimal"
    """Of a float, as few digits as are rounded to it."""
    HEXADECIMAL = "hexadecimal"


def element_text(element: Any, type_: ElementType, notation: Notation = Notation.EXACT) -> str:
    """An element by its value; of a float type, the element is its bit pattern."""
    match type_.family:
        case Family.FLOAT:
            return _float_text(element, type_.format, notation)
        case Family.BOOLEAN:
            return "true" if element else "false"
        case Family.INTEGER | Family.REAL if notation is Notation.HEXADECIMAL:
            decimal = _exact_text(element)
            return re.sub(r"\d+", lambda found: f"{int(Decimal(found[0])):#x}", decimal)
        case Family.INTEGER | Family.REAL:
            return _exact_text(element)
        case Family.TEXT:
            return json.dumps(element, ensure_ascii=False)
        case Family.COMPLEX:
            return str(element)
        case _:
            assert_never(type_.family)


def _exact_text(element: Any) -> str:
    """By decimals: of an integer, Python itself writes and reads no more than 4,300 digits."""
    if not isinstance(element, Fraction | int):
        return str(element)
    numerator, denominator = (f"{Decimal(x):f}" for x in element.as_integer_ratio())
    return numerator if denominator == "1" else f"{numerator}/{denominator}"


def bits_text(pattern: int, type_: ElementType) -> str:
    return f"0x{pattern:0{type_.width // 4}x}"


def nested(elements: Any, text: Callable[[Any], Any]) -> Any:
    """The same nested lists, or one element, with `text` of each element."""
    if isinstance(elements, list):
        return [nested(element, text) for element in elements]
    return text(elements)


def list_text(value: Any) -> str:
    """Nested lists of texts, numbers and truth values as one text."""
    if isinstance(value, list):
        return f"[{', '.join(map(list_text, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _float_text(pattern: int, form: Format, notation: Notation) -> str:
    sign = "-" if pattern >= form.sign else ""
    magnitude = pattern % form.sign
    if magnitude >= form.least_nan:
        return "nan"
    if magnitude == form.infinity:
        return f"{sign}inf"
    exact = Decimal(_number(magnitude, form))
    match notation:
        case Notation.EXACT:
            number = exact.normalize(Context(prec=1100))
        case Notation.DECIMAL:
            number = _shortest(exact, magnitude, form)
        case Notation.HEXADECIMAL:
            return sign + _hexadecimal(magnitude, form)
        case _:
            assert_never(notation)
    if len(number.as_tuple().digits) > _MOST_DIGITS:
        return sign + _hexadecimal(magnitude, form)
    plain = _LEAST_PLAIN <= number.adjusted() < _MOST_DIGITS
    return f"{sign}{number:f}" if plain else f"{sign}{number:e}"


def _parts(magnitude: int, form: Format) -> tuple[int, int]:
    """The significand as an integer, and the power of two by which its last digit counts."""
    exponent, trailing = divmod(magnitude, form.trailing)
    significand = trailing if exponent == 0 else trailing + form.trailing
    return significand, max(exponent, 1) + 1 - form.emax - form.precision


def _number(magnitude: int, form: Format) -> float:
    return math.ldexp(*_parts(magnitude, form))


def _shortest(exact: Decimal, magnitude: int, form: Format) -> Decimal:
    """With as few digits as are rounded to the number: to nearest, ties to even."""
    if magnitude == 0:
        return exact
    below, number, above = (
        significand * Fraction(2) ** last
        for significand, last in (_parts(magnitude + step, form) for step in (-1, 0, 1))
    )
    least, most = (below + number) / 2, (number + above) / 2
    # Up, too: above a power of two, the next number is twice as far away as below.
    tries = (
        Context(digits, rounding).plus(exact)
        for digits in range(1, _MOST_DIGITS + 1)
        for rounding in (ROUND_HALF_EVEN, ROUND_UP)
    )
    return next(
        tried.normalize()
        for tried in tries
        if least < tried < most or (magnitude % 2 == 0 and tried in {least, most})
    )


def _hexadecimal(magnitude: int, form: Format) -> str:
    """The digits after a first digit 1, and a power of two."""
    significand, last = _parts(magnitude, form)
    if not significand:
        return "0x0p+0"
    places = significand.bit_length() - 1
    fraction = significand - (1 << places)
    width = -(-places // 4)
    digits = f"{fraction << (4 * width - places):0{width}x}".rstrip("0") if fraction else ""
    return f"0x1{'.' if digits else ''}{digits}p{places + last:+d}"
