"""Elements and arrays as text: every value exactly."""

import math
from collections.abc import Callable
from decimal import Context, Decimal
from typing import Any

from sonnx_formal.spec.element_types import ElementType, Family, Format

_MOST_DIGITS = 17
_LEAST_PLAIN = -6  # the exponent of the first digit, down to which there is no power of ten


def element_text(element: Any, type_: ElementType) -> str:
    """An element by its value; of a float type, the element is its bit pattern.

    A float is a decimal where that takes no more than 17 digits, else hexadecimal: always exact.
    """
    if type_.family is Family.FLOAT:
        return _float_text(element, type_.format)
    if type_.family is Family.BOOLEAN:
        return "true" if element else "false"
    return str(element)


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


def _float_text(pattern: int, form: Format) -> str:
    sign = "-" if pattern >= form.sign else ""
    magnitude = pattern % form.sign
    if magnitude > form.infinity:
        return "nan"
    if magnitude == form.infinity:
        return f"{sign}inf"
    if magnitude == 0:
        return f"{sign}0"
    exponent, trailing = divmod(magnitude, form.trailing)
    significand = trailing if exponent == 0 else trailing + form.trailing
    # The value of the last digit is 2^last.
    last = max(exponent, 1) + 1 - form.emax - form.precision
    exact = Decimal(math.ldexp(significand, last)).normalize(Context(prec=1100))
    if len(exact.as_tuple().digits) > _MOST_DIGITS:
        return sign + _hexadecimal(significand, last)
    plain = _LEAST_PLAIN <= exact.adjusted() < _MOST_DIGITS
    return f"{sign}{exact:f}" if plain else f"{sign}{exact:e}"


def _hexadecimal(significand: int, last: int) -> str:
    """The digits after a first digit 1, and a power of two."""
    places = significand.bit_length() - 1
    fraction = significand - (1 << places)
    width = -(-places // 4)
    digits = f"{fraction << (4 * width - places):0{width}x}".rstrip("0") if fraction else ""
    return f"0x1{'.' if digits else ''}{digits}p{places + last:+d}"
