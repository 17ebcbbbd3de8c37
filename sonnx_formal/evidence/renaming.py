"""A task with other names: what it says is the same, and a prover meets its symbols otherwise."""

import hashlib
import re

from sonnx_formal.prover.tasks import Task

_SYMBOL = re.compile(r"[^\s()]+")
_DECLARED = re.compile(r"\(declare-(?:sort|fun|const)\s+([^\s()]+)")
_DATATYPES = "(declare-datatypes"
_TESTER = "is-"  # of a constructor: `is-Cons`
_SORTS = {"Bool", "Int", "Real", "Array"}


def renamed(task: Task) -> Task:
    """The task with another name for each symbol that it declares.

    Names follow from the old ones, in an order that has nothing to do with theirs. A bound variable
    of such a name is renamed alike, so it hides the same symbol as before.
    """
    names: dict[str, str] = {}
    for form in task.forms():
        declared = _DECLARED.match(form)
        if form.startswith(_DATATYPES):
            words = _SYMBOL.findall(form.removeprefix(_DATATYPES))
            found = [word for word in words if word not in _SORTS and not word.isdigit()]
        else:
            found = [declared[1]] if declared else []
        names |= {name: f"s{hashlib.sha256(name.encode()).hexdigest()[:16]}" for name in found}
    assert len({*names.values()}) == len(names), "two names with one digest"

    def new(symbol: re.Match[str]) -> str:
        name = symbol[0]
        constructor = name.removeprefix(_TESTER)
        if name not in names and constructor in names:
            return _TESTER + names[constructor]
        return names.get(name, name)

    return Task.of(_SYMBOL.sub(new, task.text), task.premises)
