"""The verdict on an outcome: what the implementation gave against what the definition gives."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import numpy as np

from sonnx_formal.backends.process import (
    Crashed,
    Hung,
    NotApplicable,
    Outcome,
    Refused,
    Result,
    WrongKind,
)
from sonnx_formal.check.elements import Mask, difference, element_type_of, same
from sonnx_formal.check.exactness import independent_of_order
from sonnx_formal.check.trial import Trial
from sonnx_formal.vectors.case import Array, Operator

_LONGEST_KIND = 240
Index = tuple[int, ...]


class Verdict(StrEnum):
    """What one implementation makes of one trial; of the last two, or of a type or form at all."""

    PASS = "pass"
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


def judge(trial: Trial, outcome: Outcome, *, strict: bool) -> Judgement:
    """The verdict on an outcome.

    :param strict: for our own implementation: float MatMul follows the reference order to the bit,
        and each rejection names the requirement.
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
            return _judge_result(trial, got, strict=strict)


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


def _judge_result(trial: Trial, got: Array, *, strict: bool) -> Judgement:
    if trial.expected is None:
        verdict = Verdict.DIVERGES if strict else Verdict.NOT_JUDGED
        return Judgement(verdict, (f"computes what {trial.violated} excludes",), got=got)
    if got.dtype != trial.expected.dtype:
        kind = f"element type {element_type_of(got)} instead of {trial.element_type}"
        return Judgement(Verdict.DIVERGES, (kind,), got=got)
    if got.shape != trial.expected.shape:
        return Judgement(Verdict.DIVERGES, ("shape",), got=got)
    judged = np.ones(got.shape, np.bool_) if strict else _judged(trial)
    wrong = tuple(_wrong(trial, got, judged & ~same(trial.expected, got, trial.type)))
    if wrong:
        kinds = tuple(sorted({kind for _, kind in wrong}))
        return Judgement(Verdict.DIVERGES, kinds, wrong, got)
    return Judgement(Verdict.PASS if judged.all() else Verdict.NOT_JUDGED, got=got)


@lru_cache(maxsize=4096)
def _judged(trial: Trial) -> Mask:
    """Where the bits of a result are settled whatever the order of summation."""
    if trial.operator is Operator.MATMUL and trial.type.kind == "float":
        return independent_of_order(trial.a, trial.b, trial.type)
    assert trial.expected is not None
    return np.ones(trial.expected.shape, np.bool_)


def _wrong(trial: Trial, got: Array, where: Mask) -> Iterator[tuple[Index, str]]:
    assert trial.expected is not None
    for place in np.argwhere(where):
        index = tuple(map(int, place))
        yield index, difference(trial.expected[index], got[index], trial.type)
