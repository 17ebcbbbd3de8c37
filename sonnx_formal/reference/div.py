"""SONNX Div."""

import math
from fractions import Fraction

import numpy as np

from sonnx_formal.reference.elementwise import applied
from sonnx_formal.spec.admission import accepted, violation
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.spec.operators.div import DIV


def div(a: Array, b: Array) -> Array:
    """The quotient C of A and B, element by element: C[i] = A[i] / B[i].

    Source: SONNX-DIV; the sections Restrictions, Informal specification, Inputs and outputs.

    Args:
        a, b: arrays of any one shape and of one type: int8, int16, int32, int64, uint8, uint16,
            uint32, uint64, float16, bfloat16 (of ml_dtypes), float32, float64, or object with a
            `fractions.Fraction` at each index, for real numbers.

    Returns:
        A new array of that shape and type. Integer quotients are truncated towards zero; the
        least number divided by -1 is itself, the quotient modulo 2^n. Floating-point quotients
        are those of IEEE 754, rounded to nearest, ties to even: x / 0 is an infinity with the
        sign of the quotient, and 0 / 0 is NaN. Real quotients are exact, and `math.inf` where the
        divisor is zero (SONNX-DIV.R5).

    Raises:
        SpecViolation: SONNX-DIV.R1, shapes that differ; .R4, shapes that differ but could be
            broadcast; .R2, a sparse operand; .R3, booleans, strings, complex numbers, objects
            other than fractions (`math.inf` is one), or two types; .T, numbers of a type that the
            document lacks; .C2, an integer divisor that is zero.
        TypeError: an operand is not a NumPy array, or is a masked array or another subclass.
    """
    operands = accepted(DIV, a, b)
    match operands.result_type.family:
        case Family.REAL:
            return applied(_real_quotients, operands)
        case Family.INTEGER:
            _require_no_zero(operands)
            with np.errstate(all="ignore"):
                return _truncated_quotients(*operands.arrays)
        case Family.FLOAT:
            return applied(np.divide, operands)
        case Family.BOOLEAN | Family.TEXT | Family.COMPLEX:
            raise AssertionError("R3 excludes these")


def _real_quotient(x: Fraction, y: Fraction) -> Fraction | float:
    return x / y if y else math.inf


_real_quotients = np.frompyfunc(_real_quotient, 2, 1)


def _truncated_quotients(a: Array, b: Array) -> Array:
    """Quotients of magnitudes, which are unsigned numbers of the same width, with the signs on.

    The magnitude of the least number is the one that is not a number of the signed type; as an
    unsigned number it has the same bits.
    """
    unsigned = np.dtype(f"u{a.itemsize}")
    magnitudes = np.abs(a).view(unsigned) // np.abs(b).view(unsigned)
    quotients: Array = np.where((a < 0) == (b < 0), magnitudes, -magnitudes)
    return quotients.view(a.dtype)


def _require_no_zero(operands: Call) -> None:
    _, b = operands.arrays
    zeros = np.flatnonzero(b == 0)
    if zeros.size:
        index = tuple(map(int, np.unravel_index(zeros[0], b.shape)))
        advice = "leave these out, or divide floating-point numbers"
        found = f"B has zeros at {zeros.size} indices, the first at {index}"
        raise violation(operands, ["C2"], f"{found}: {advice}")
