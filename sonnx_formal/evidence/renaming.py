"""A task with other names: what it says is the same, and a prover meets its symbols otherwise."""

import hashlib
import re

from sonnx_formal.prover.smtlib import SYMBOL, TESTER, declared, forms
from sonnx_formal.prover.tasks import Task

_SORTS = {"Bool", "Int", "Real", "Array"}


def renamed(task: Task) -> Task:
    """The task with another name for each symbol that it declares.

    Names follow from the old ones, in an order that has nothing to do with theirs. A bound variable
    of such a name is renamed alike, so it hides the same symbol as before.
    """
    names = {
        name: f"s{hashlib.sha256(name.encode()).hexdigest()[:16]}"
        for form in forms(task.text)
        for name in declared(form)
        if name not in _SORTS and not name.isdigit()
    }
    assert len({*names.values()}) == len(names), "two names with one digest"

    def new(symbol: re.Match[str]) -> str:
        name = symbol[0]
        constructor = name.removeprefix(TESTER)
        if name not in names and constructor in names:
            return TESTER + names[constructor]
        return names.get(name, name)

    return Task.of(SYMBOL.sub(new, task.text), task.premises)
