"""The requirements that a case exercises, by their ids."""

from collections.abc import Iterator

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.requirements import UnknownRequirementError, requirement


def exercised(
    instance: Instance, call: Call, outcome: Array | str, items: tuple[str, ...]
) -> tuple[str, ...]:
    """The requirements that the operator's declaration says a case exercises, and further items.

    What forbids operands is exercised by the cases that it rejects, and of these, it alone.

    :raises UserError: when the registry does not have one of them.
    """
    document = instance.document
    accepted = None if isinstance(outcome, str) else outcome
    found = [outcome] if isinstance(outcome, str) else []
    found += [f"{document}.{item}" for item in _items(instance, call, accepted)]
    found += [f"{document}.{item}" for item in items]
    for identifier in found:
        try:
            requirement(identifier)
        except UnknownRequirementError as error:
            file = f"{identifier.partition('.')[0].lower()}.toml"
            raise UserError(
                f"sonnx_formal/spec/requirements/{file}: {error}: the declaration of "
                f"{instance.operator} has vectors for it"
            ) from None
    return tuple(dict.fromkeys(found))


def _items(instance: Instance, call: Call, result: Array | None) -> Iterator[str]:
    operator = instance.operator
    if result is not None:
        lists = {each.item for each in operator.definition.restrictions if each.extended}
        beyond = lists if instance.extension else set()
        yield from (item for item in operator.always if item not in beyond)
        if result.size:
            yield from operator.computed
    yield from operator.also(call, result)
