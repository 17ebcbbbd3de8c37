"""All declared operators: each module of `spec.operators` declares some in `OPERATORS`."""

import difflib
import importlib
import pkgutil
from collections.abc import Collection
from functools import cache

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec import operators as declarations
from sonnx_formal.spec.operator import Instance, Operator, System

_ORDER = tuple(System)


@cache
def operators() -> tuple[Operator, ...]:
    """The operators: those of SONNX, then those of other systems, by their names."""
    found: list[Operator] = []
    for module in pkgutil.iter_modules(declarations.__path__):
        declared = importlib.import_module(f"{declarations.__name__}.{module.name}")
        found.extend(declared.OPERATORS)
    names = [operator.name for operator in found]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is declared twice in {declarations.__name__}")
    return tuple(sorted(found, key=lambda each: (_ORDER.index(each.system), each.name)))


def operator(name: str) -> Operator:
    """The operator of this name. Raises `UserError` where there is none."""
    known = {each.name: each for each in operators()}
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"it is one of {', '.join(known)}"
        raise UserError(f"there is no operator {name!r}: {hint}")
    return known[name]


def instances() -> tuple[Instance, ...]:
    """Every operator with every choice of element types."""
    return tuple(instance for each in operators() for instance in each.instances())


def selected(operators: Collection[str], types: Collection[str]) -> list[Instance]:
    """The instances of operators and over element types of these names, where none means all.

    :raises UserError: when no document has one.
    """
    found = [
        instance
        for instance in instances()
        if not operators or instance.operator.name in operators
        if not types or any(type_.name in types for type_ in instance.types)
    ]
    if not found:
        asked = f"{' or '.join(operators)} over {' or '.join(types)}"
        raise UserError(f"no document has {asked}: leave --op or --type out")
    return found
