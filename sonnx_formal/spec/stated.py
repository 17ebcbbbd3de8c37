"""The requirement that stands behind a restriction, in the document in question."""

from collections.abc import Iterable

from sonnx_formal.spec.operator import Operator, Restriction
from sonnx_formal.spec.requirements import requirement, requirements


def stated(document: str, items: Iterable[str]) -> str:
    """The id of the first item that a document states.

    An item may be the id of a requirement of another document, which holds for all operators.

    :raises UnknownRequirementError: when the registry has none of them.
    """
    found = [item if item in requirements() else f"{document}.{item}" for item in items]
    for identifier in found:
        if identifier in requirements():
            return identifier
    return requirement(found[0]).id


def restriction_items(operator: Operator, restriction: Restriction) -> list[str]:
    """The item of a restriction; then, since not each document states it, those that imply it."""
    return [restriction.item, *(item for rule in restriction.says for item in operator.items(rule))]
