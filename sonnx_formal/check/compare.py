"""The verdict on an outcome: what the implementation gave against what the definition gives."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from sonnx_formal.accuracy import MatMulBound, matmul_bound
from sonnx_formal.accuracy import Outcome as Settled
from sonnx_formal.backends.process import (
    Crashed,
    Hung,
    NotApplicable,
    Outcome,
    Refused,
    Result,
    WrongKind,
)
from sonnx_formal.check.elements import FORMATS, Mask, difference, element_type_of, same
from sonnx_formal.check.errors import Errors, error_of
from sonnx_formal.check.trial import Trial
from sonnx_formal.vectors.case import Array, Operator

OUTSIDE_BOUND = "farther from the exact sum than any order allows"
WIDER = {
    "float16": ("float32", "float64"),
    "bfloat16": ("float32", "float64"),
    "float32": ("float64",),
}
"""Types in which the sums of products of a type may be accumulated."""
_LONGEST_KIND = 240
Index = tuple[int, ...]


class Verdict(StrEnum):
    """What one implementation makes of one trial; of the last two, or of a type or form at all."""

    PASS = "pass"
    WITHIN_BOUND = "within bound"
    """Sums that may depend on their order: each is as near to the exact sum as the proved bound on
    the error of every order, and where no order rounds, it is the exact one."""
    DIVERGES = "diverges"
    REFUSES = "refuses"
    CRASHES = "crashes"
    """The process ended, or it gave no answer in time."""
    NOT_JUDGED = "not judged"
    NOT_SUPPORTED = "not supported"
    """Not a thing that it can be asked."""
    NOT_INSTALLED = "not installed"


@dataclass(frozen=True, eq=False)
class Judgement:
    """A verdict with its reasons."""

    verdict: Verdict
    kinds: tuple[str, ...] = ()
    """In words, what is wrong; those of a divergence, each once."""
    wrong: tuple[tuple[Index, str], ...] = ()
    """Where a judged element is wrong, and the kind of each."""
    got: Array | None = None
    errors: Errors | None = None
    """Of sums that may depend on their order."""


def judge(
    trial: Trial, outcome: Outcome, *, strict: bool, accumulate: str | None = None
) -> Judgement:
    """The verdict on an outcome.

    :param strict: for our own implementation: float MatMul follows the reference order to the bit,
        and each rejection names the requirement.
    :param accumulate: the element type in which sums are to be accumulated, if it is wider than
        that of the operands: a float MatMul is judged by what is possible then.
    """
    match outcome:
        case Crashed(how):
            return Judgement(Verdict.CRASHES, (how,))
        case Hung(seconds):
            return Judgement(Verdict.CRASHES, (f"no answer within {seconds:g} s",))
        case Refused(message, requirement):
            return _judge_refusal(trial, message, requirement, strict=strict)
        case NotApplicable(message):
            return Judgement(Verdict.NOT_SUPPORTED, (message,))
        case WrongKind(message):
            return Judgement(Verdict.DIVERGES, (message,))
        case Result(got):
            return _judge_result(trial, got, strict=strict, accumulate=accumulate)


def _judge_refusal(
    trial: Trial, message: str, requirement: str | None, *, strict: bool
) -> Judgement:
    if trial.violated is None:
        return Judgement(Verdict.REFUSES, (_short(message),))
    if strict and requirement != trial.violated:
        named = requirement or _short(message)
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
    if got.dtype != trial.expected.dtype:
        kind = f"element type {element_type_of(got)} instead of {trial.element_type}"
        return Judgement(Verdict.DIVERGES, (kind,), got=got)
    if got.shape != trial.expected.shape:
        return Judgement(Verdict.DIVERGES, ("shape",), got=got)
    differs = ~same(trial.expected, got, trial.type)
    if not strict and trial.operator is Operator.MATMUL and trial.type.kind == "float":
        return _judge_sums(trial, got, differs, _bound(trial, accumulate))
    wrong = tuple(_wrong(trial, got, differs))
    return _judgement(Verdict.PASS, wrong, got)


def _judge_sums(trial: Trial, got: Array, differs: Mask, bound: MatMulBound) -> Judgement:
    """A float MatMul: bit for bit where every order has one result, else by the bound."""
    assert trial.exact is not None
    bounded = np.asarray(bound.outcome == Settled.BOUNDED)
    open_ = np.asarray(bound.outcome == Settled.ORDER_DEPENDENT)
    differs &= ~(bound.zero_sign_open & (got == 0))
    wrong = [*_wrong(trial, got, differs & ~bounded & ~open_)]
    products = trial.a.shape[1]
    errors = Errors(products)
    for index in _places(bounded):
        error = error_of(
            got[index],
            trial.exact[index],
            float(bound.bound[index]),
            float(bound.magnitude[index]),
            products,
            FORMATS[trial.element_type],
        )
        if error is None or error.outside:
            wrong.append((index, OUTSIDE_BOUND))
        errors = errors.with_one(error)
    verdict = Verdict.WITHIN_BOUND if bounded.any() else Verdict.PASS
    settled = Verdict.NOT_JUDGED if open_.any() else verdict
    return _judgement(settled, tuple(wrong), got, errors if bounded.any() else None)


def _judgement(
    otherwise: Verdict,
    wrong: tuple[tuple[Index, str], ...],
    got: Array,
    errors: Errors | None = None,
) -> Judgement:
    if wrong:
        kinds = tuple(sorted({kind for _, kind in wrong}))
        return Judgement(Verdict.DIVERGES, kinds, wrong, got, errors)
    return Judgement(otherwise, got=got, errors=errors)


@lru_cache(maxsize=4096)
def _bound(trial: Trial, accumulate: str | None) -> MatMulBound:
    wider = accumulate if accumulate in WIDER.get(trial.element_type, ()) else None
    return matmul_bound(trial.a, trial.b, accumulate=wider)


def _wrong(trial: Trial, got: Array, where: Mask) -> Iterator[tuple[Index, str]]:
    assert trial.expected is not None
    for index in _places(where):
        yield index, difference(trial.expected[index], got[index], trial.type)


def _places(where: Mask) -> Iterator[Index]:
    for place in np.argwhere(where):
        yield tuple(map(int, place))
