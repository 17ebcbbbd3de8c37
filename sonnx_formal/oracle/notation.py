"""Elements and arrays as text: every value exactly."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from sonnx_formal.oracle.element_types import ElementType
from sonnx_formal.spec.formats import BFLOAT16, BINARY16, BINARY32, BINARY64, Format

_FORMATS = {"float16": BINARY16, "bfloat16": BFLOAT16, "float32": BINARY32, "float64": BINARY64}
_MOST_DIGITS = 17
_LEAST_PLAIN = -6  # the exponent of the first digit, down to which there is no power of ten


def element_text(element: Any, type_: ElementType) -> str:
    """An element by its value; of a float type, the element is its bit pattern.

    A float is a decimal where that takes no more than 17 digits, else hexadecimal: always exact.
    """
    if type_.kind == "float":
        return _float_text(element, _FORMATS[type_.name])
    return str(element)


def bits_text(pattern: int, type_: ElementType) -> str:
    """A bit pattern in hexadecimal digits."""
    return f"0x{pattern:0{2 * type_.dtype.itemsize}x}"


def nested(elements: Any, text: Callable[[Any], Any]) -> Any:
    """The same nested lists, or one element, with `text` of each element."""
    if isinstance(elements, list):
        return [nested(one, text) for one in elements]
    return text(elements)


def list_text(value: Any) -> str:
    """Nested lists of texts as one text."""
    return f"[{', '.join(map(list_text, value))}]" if isinstance(value, list) else str(value)


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
    return sign + (_decimal(significand, last) or _hexadecimal(significand, last))


def _decimal(significand: int, last: int) -> str | None:
    """The decimal digits, unless they are too many."""
    if last > 0:
        digits, exponent = str(significand << last), 0
    else:
        digits, exponent = str(significand * 5**-last), last
    kept = digits.rstrip("0")
    if len(kept) > _MOST_DIGITS:
        return None
    number = Decimal((0, tuple(map(int, kept)), exponent + len(digits) - len(kept)))
    plain = _LEAST_PLAIN <= number.adjusted() < _MOST_DIGITS
    return f"{number:f}" if plain else f"{number:e}"


def _hexadecimal(significand: int, last: int) -> str:
    """The digits after a first digit 1, and a power of two."""
    places = significand.bit_length() - 1
    fraction = significand - (1 << places)
    width = -(-places // 4)
    digits = f"{fraction << (4 * width - places):0{width}x}".rstrip("0") if fraction else ""
    return f"0x1{'.' if digits else ''}{digits}p{places + last:+d}"
