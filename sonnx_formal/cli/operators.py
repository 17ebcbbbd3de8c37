"""The options that select operators and element types."""

import click

from sonnx_formal.spec.catalogue import instances, operators
from sonnx_formal.spec.element_types import ELEMENT_TYPES

_USED = {type_ for instance in instances() for type_ in instance.types}

operators_option = click.option(
    "--op",
    "operators",
    multiple=True,
    type=click.Choice([operator.name for operator in operators()]),
    help="Only this.",
)
types_option = click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice([type_.name for type_ in ELEMENT_TYPES if type_ in _USED]),
    help="Only this.",
)
