"""The requirements that a case exercises, by their ids."""

from collections.abc import Iterator

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.requirements.registry import FOLDER, files, requirements


def exercised(
    instance: Instance, call: Call, outcome: Array | str, items: tuple[str, ...]
) -> tuple[str, ...]:
    """The requirements that the operator's declaration says a case exercises, and further items.

    What forbids operands is exercised by the cases that it rejects, and of these, it alone. An item
    that another part of the document states, but not this one, is none of this part.

    :raises UserError: when the registry does not have one of them.
    """
    found, result = ([outcome], None) if isinstance(outcome, str) else ([], outcome)
    known = requirements()
    for item in (*_items(instance, call, result), *items):
        identifier = f"{instance.document}.{item}"
        parts = {f"{document}.{item}" for document in instance.operator.documents.values()}
        if identifier in known or parts.isdisjoint(known):
            found.append(identifier)
    for identifier in found:
        if identifier not in known:
            raise UserError(
                f"{_file(instance.document)}: there is no requirement {identifier}: "
                f"state it, or correct the declaration of {instance.operator}"
            )
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


def _file(document: str) -> str:
    """The file of the registry that has a document, or ought to."""
    for name, file in files().items():
        if document in {each.name for each in file.document}:
            return f"{FOLDER}/{name}"
    return f"{FOLDER}/{document.lower()}.toml"
