"""The verdict on an outcome: what the implementation gave against what the definition gives."""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isfinite
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from sonnx_formal.accuracy.bound import WIDER, Outcome, SumBound, relative_error, sum_bound
from sonnx_formal.backends.backend import (
    CallOutcome,
    Crashed,
    Hung,
    NotApplicable,
    Refused,
    Result,
    WrongKind,
)
from sonnx_formal.check.document import SumErrors, Verdict
from sonnx_formal.check.trials import Trial
from sonnx_formal.spec.element_types import Array, ElementType, Family, Format, element_type_of
from sonnx_formal.spec.operator import Arithmetic, Operator

OUTSIDE_BOUND = "farther from the exact sum than any order allows"
NO_BOUND = "not the sums of the reference order, and no bound on others is known"
ORDER_OPEN = "another order of the same sum may overflow"
_GREATEST = Fraction(sys.float_info.max)
_LONGEST_KIND = 240
Index = tuple[int, ...]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Judgement:
    verdict: Verdict
    kinds: tuple[str, ...] = ()
    """In words, what is wrong; those of a divergence, each once."""
    wrong: tuple[tuple[Index, str], ...] = ()
    """Where a judged element is wrong, and the kind of each."""
    got: Array | None = None
    errors: SumErrors | None = None
    """Of sums that may depend on their order."""
    hung: bool = False
    said: str = ""
    """Of a refusal, what was written to standard error besides."""


def judge(
    trial: Trial, outcome: CallOutcome, *, strict: bool, accumulate: str | None = None
) -> Judgement:
    """The verdict on an outcome.

    :param strict: for our own implementation: sums of floats follow the reference order to the bit,
        and each rejection names the requirement.
    :param accumulate: the element type in which sums are to be accumulated, if it is wider than
        that of the operands: a sum of floats is judged by what is possible then.
    """
    match outcome:
        case Crashed(how):
            return Judgement(Verdict.CRASHES, (how,))
        case Hung(seconds):
            return Judgement(Verdict.CRASHES, (f"no answer within {seconds:g} s",), hung=True)
        case Refused():
            return _judge_refusal(trial, outcome, strict=strict)
        case NotApplicable(message):
            return Judgement(Verdict.NOT_SUPPORTED, (message,))
        case WrongKind(message):
            return Judgement(Verdict.DIVERGES, (message,))
        case Result(got):
            return _judge_result(trial, got, strict=strict, accumulate=accumulate)
        case _:
            assert_never(outcome)


def _judge_refusal(trial: Trial, refused: Refused, *, strict: bool) -> Judgement:
    if trial.violated is None:
        return Judgement(Verdict.REFUSES, (_short(refused.message),), said=refused.said)
    if strict and refused.requirement != trial.violated:
        named = refused.requirement or _short(refused.message)
        return Judgement(Verdict.DIVERGES, (f"names {named} instead of {trial.violated}",))
    return Judgement(Verdict.PASS)


def _short(message: str) -> str:
    """On one line; with the end, where long messages tend to say what is wrong."""
    line = " ".join(message.split())
    if len(line) <= _LONGEST_KIND:
        return line
    return f"{line[: _LONGEST_KIND // 3]} … {line[-_LONGEST_KIND * 2 // 3 :]}"


def _judge_result(trial: Trial, got: Array, *, strict: bool, accumulate: str | None) -> Judgement:
    if trial.expected is None:
        verdict = Verdict.DIVERGES if strict else Verdict.NOT_JUDGED
        return Judgement(verdict, (f"computes what {trial.violated} excludes",), got=got)
    if element_type_of(got) is not trial.result_type:
        kind = f"element type {element_type_of(got)} instead of {trial.result_type}"
        return Judgement(Verdict.DIVERGES, (kind,), got=got)
    if got.shape != trial.expected.shape:
        return Judgement(Verdict.DIVERGES, ("shape",), got=got)
    differs = ~same_by(trial.instance.operator, trial.expected, got, trial.result_type)
    if not strict and trial.instance.bounds_sums:
        return _judge_sums(trial, got, differs, _bound(trial, accumulate))
    if not strict and trial.instance.sums_floats and differs.any():
        return Judgement(Verdict.NOT_JUDGED, (NO_BOUND,), got=got)
    return _judgement(Verdict.PASS, _wrong(trial, got, differs), got)


def _judge_sums(trial: Trial, got: Array, differs: Mask, bound: SumBound) -> Judgement:
    """Sums of products: bit for bit where every order has one result, else by the bound."""
    bounded = np.asarray(bound.outcome == Outcome.BOUNDED)
    open_ = np.asarray(bound.outcome == Outcome.ORDER_DEPENDENT)
    differs &= ~(bound.zero_sign_open & (magnitudes(got, trial.result_type) == 0))
    wrong = [*_wrong(trial, got, differs & ~bounded & ~open_)]
    errors = SumErrors(bound.sums.count)
    for index in _places(bounded):
        error = _error(trial, bound, got[index], index)
        if error.outside:
            wrong.append((index, OUTSIDE_BOUND))
        errors = errors.with_all(error)
    verdict = Verdict.WITHIN_BOUND if bounded.any() else Verdict.PASS
    told = errors if bounded.any() else None
    if open_.any() and not wrong:
        return Judgement(Verdict.NOT_JUDGED, (ORDER_OPEN,), got=got, errors=told)
    return _judgement(verdict, wrong, got, told)


def _judgement(
    otherwise: Verdict,
    wrong: Iterable[tuple[Index, str]],
    got: Array,
    errors: SumErrors | None = None,
) -> Judgement:
    wrong = tuple(wrong)
    kinds = tuple(sorted({kind for _, kind in wrong}))
    return Judgement(Verdict.DIVERGES if wrong else otherwise, kinds, wrong, got, errors)


def _error(trial: Trial, bound: SumBound, got: Any, index: Index) -> SumErrors:
    """The error of one element, in exact numbers; an infinity or a NaN is outside any bound."""
    assert trial.exact is not None
    products, form = bound.sums.count, trial.result_type.format
    if not isfinite(number := float(got)):
        return SumErrors(products, 1, 1, of_bound=float(_GREATEST))
    allowed, terms = float(bound.bound[index]), float(bound.magnitude[index])
    # Else the bound is rather about what underflows than about the magnitude.
    relative = allowed <= 2 * relative_error(form, products) * terms
    most, magnitude = Fraction(allowed), Fraction(terms)
    error = abs(Fraction(number) - trial.exact[index])
    return SumErrors(
        products,
        elements=1,
        outside=int(error > most),
        of_bound=_number(error / most),
        relative=_number(error / magnitude) if relative else 0.0,
        relative_bound=_number(most / magnitude) if relative else 0.0,
        last_places=_number(error / _last_place(trial.exact[index], form)),
    )


def _number(ratio: Fraction) -> float:
    """As a document has it: what is beyond the greatest number is that."""
    return float(min(ratio, _GREATEST))


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


@lru_cache(maxsize=4096)
def _bound(trial: Trial, accumulate: str | None) -> SumBound:
    wider = accumulate if accumulate in WIDER[trial.result_type.name] else None
    return sum_bound(trial.call, accumulate=wider)


def _wrong(trial: Trial, got: Array, where: Mask) -> Iterator[tuple[Index, str]]:
    assert trial.expected is not None
    for index in _places(where):
        yield index, _difference(trial.expected[index], got[index], trial.result_type)


def _places(where: Mask) -> list[Index]:
    return [tuple(place) for place in np.argwhere(where).tolist()]


def same(expected: Array, got: Array, type_: ElementType) -> Mask:
    """Where the elements are the same bit for bit; all NaNs are one value, zeros have a sign."""
    match type_.family:
        case Family.FLOAT:
            bits = patterns(expected, type_) == patterns(got, type_)
            nan = (magnitudes(each, type_) >= type_.format.least_nan for each in (expected, got))
            return np.asarray(bits | np.logical_and(*nan))
        case Family.REAL | Family.INTEGER | Family.BOOLEAN | Family.TEXT | Family.COMPLEX:
            return np.asarray(expected == got, np.bool_).reshape(expected.shape)
        case _:
            assert_never(type_.family)


def same_by(operator: Operator, expected: Array, got: Array, type_: ElementType) -> Mask:
    """Where the elements are the same; each bit of a NaN counts where elements are copied."""
    if operator.arithmetic is Arithmetic.COPY and type_.family is Family.FLOAT:
        return np.asarray(patterns(expected, type_) == patterns(got, type_))
    return same(expected, got, type_)


def patterns(array: Array, type_: ElementType) -> Array:
    """The bit patterns of an array of a type of a fixed width."""
    return np.ascontiguousarray(array).reshape(array.shape).view(type_.pattern)


def magnitudes(array: Array, type_: ElementType) -> Array:
    """The bit patterns of floats, less the sign. A NaN that signals warns who asks it otherwise."""
    found: Array = patterns(array, type_) % type_.format.sign
    return found


def _difference(expected: Any, got: Any, type_: ElementType) -> str:
    match type_.family:
        case Family.REAL:
            return "another number"
        case Family.INTEGER:
            bounds = type_.bounds
            if got == bounds.max or got == bounds.min < 0:
                return f"the {'greatest' if got > 0 else 'least'} number instead"
            return "off by one" if abs(int(expected) - int(got)) == 1 else "another number"
        case Family.FLOAT:
            return _difference_of_floats(expected, got, type_)
        case Family.BOOLEAN:
            return f"{str(bool(got)).lower()} instead of {str(bool(expected)).lower()}"
        case Family.TEXT | Family.COMPLEX:
            return "another value"
        case _:
            assert_never(type_.family)


def _difference_of_floats(expected: Any, got: Any, type_: ElementType) -> str:
    form = type_.format
    right, wrong = (int(np.asarray(each).view(type_.pattern)) for each in (expected, got))
    of_right, of_wrong = (_sort(each % form.sign, form) for each in (right, wrong))
    if of_right != of_wrong:
        return f"{of_wrong} instead of {of_right}"
    if of_right == "NaN":
        return "a NaN of other bits"
    apart = abs(right % form.sign - wrong % form.sign)
    if apart == 0:
        return "sign of zero" if of_right == "zero" else "sign"
    if (right >= form.sign) != (wrong >= form.sign):
        return "sign and value"
    return "one unit in the last place" if apart == 1 else "more than one unit in the last place"


def _sort(magnitude: int, form: Format) -> str:
    if magnitude >= form.least_nan:
        return "NaN"
    if magnitude == form.infinity:
        return "infinity"
    if magnitude == 0:
        return "zero"
    return "subnormal" if magnitude < form.trailing else "normal"
