"""The options that select operators and element types."""

import click

from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.oracle.frames import OPERATORS

OPERATOR = click.Choice(OPERATORS)
ELEMENT_TYPE = click.Choice([*NUMERICAL])

operators_option = click.option(
    "--op", "operators", multiple=True, type=OPERATOR, help="Only this."
)
types_option = click.option("--type", "types", multiple=True, type=ELEMENT_TYPE, help="Only this.")
