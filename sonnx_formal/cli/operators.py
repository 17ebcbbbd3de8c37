"""Operators and element types as commands take them and list them in their help."""

from typing import Any

import click
from click.shell_completion import CompletionItem

from sonnx_formal.spec import catalogue
from sonnx_formal.spec.element_types import ELEMENT_TYPES
from sonnx_formal.spec.operator import Operator

_USED = {type_ for instance in catalogue.instances() for type_ in instance.types}

operators_option = click.option(
    "--op",
    "operators",
    multiple=True,
    type=click.Choice([operator.name for operator in catalogue.operators()]),
    help="Only this.",
)
types_option = click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice([type_.name for type_ in ELEMENT_TYPES if type_ in _USED]),
    help="Only this.",
)


class OperatorName(click.ParamType[Operator]):
    """The name of a declared operator, which a shell completes."""

    name = "operator"

    def convert(
        self, value: Any, _param: click.Parameter | None, _ctx: click.Context | None
    ) -> Operator:
        """Raises `UserError` where there is no such operator."""
        return catalogue.operator(str(value))

    def shell_complete(
        self, _ctx: click.Context, _param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """The names that begin so."""
        names = (operator.name for operator in catalogue.operators())
        return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def operators_and_types() -> str:
    """For the end of a help text: the operators, and the element types that they have."""
    groups: dict[str, list[str]] = {}
    for operator in catalogue.operators():
        types = ", ".join(instance.label for instance in operator.instances())
        groups.setdefault(types, []).append(operator.name)
    return "\n\n".join(f"{', '.join(names)}: {types}." for types, names in groups.items())
