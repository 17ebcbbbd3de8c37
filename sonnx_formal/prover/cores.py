"""Unsat cores: which assertions of a task a proof needs, and the task of these alone.

A task carries all that its module uses, and a proof needs a few lines of that. The task of these
lines is proved in a fraction of the time. What follows from some assertions follows from all, so
its proof is one of the whole task; any other answer says nothing about the whole.
"""

import hashlib
import re
from collections.abc import Collection
from functools import lru_cache
from itertools import count

from sonnx_formal.prover.smtlib import SYMBOL, TESTER, asserted, declared, forms, is_assertion
from sonnx_formal.prover.tasks import Task

Core = tuple[str, ...]
"""Digests of assertions. They stay when something else in the task changes."""

_NAMED = re.compile(r"\s*unsat\s*\(\s*((?:assertion-\d+\s*)*)\)")
_DIGITS = 6  # of two assertions of one digest, both would be kept


def asking(task: Task, asked: Collection[int] | None = None) -> str:
    """The task with a name for each assertion that is asked about, and the question for the core.

    :param asked: None for all of them.
    """
    parts, assertions = ["(set-option :produce-unsat-cores true)\n"], count()
    for form in forms(task.text):
        place = next(assertions) if is_assertion(form) else None
        if place is None or (asked is not None and place not in asked):
            parts.append(form)
        else:
            parts.append(f"(assert (! {asserted(form)} :named assertion-{place}))\n")
    return "".join(parts).rstrip() + "\n(get-unsat-core)\n"


def places(output: str) -> tuple[int, ...] | None:
    """Those that were asked about and are in the core that a prover printed; None: no proof."""
    match = _NAMED.match(output)
    if match is None:
        return None
    return tuple(sorted(int(place) for place in re.findall(r"\d+", match[1])))


def digests(task: Task) -> list[str]:
    """Of the assertions, in the order of the text."""
    return [_digest(form) for form in forms(task.text) if is_assertion(form)]


@lru_cache(maxsize=1 << 14)  # tasks of a module have most of them in common
def _digest(form: str) -> str:
    return hashlib.sha256(asserted(form).encode()).hexdigest()[:_DIGITS]


def restricted(task: Task, core: Core) -> Task:
    """The task with no assertions but these and the goal, and what these speak of declared."""
    parts, used, shown = [], set[str](), False
    for form in reversed(forms(task.text)):  # a declaration stands before what speaks of it
        if is_assertion(form):
            needed = not shown or _digest(form) in core  # Why3 writes last what is to be shown
            shown = True
        elif symbols := declared(form):
            needed = not used.isdisjoint(symbols)
        else:
            parts.append(form)
            continue
        if needed:
            parts.append(form)
            found = SYMBOL.findall(form)
            used.update(found, (symbol.removeprefix(TESTER) for symbol in found))
    return Task.of("".join(reversed(parts)))
