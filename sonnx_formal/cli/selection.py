"""The options that select operators and element types."""

import click

from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.oracle.frames import OPERATORS
from sonnx_formal.vectors.case import Operator

OPERATOR = click.Choice(OPERATORS)
ELEMENT_TYPE = click.Choice([*NUMERICAL])

operators_option = click.option(
    "--op",
    "operators",
    multiple=True,
    type=click.Choice([one.value for one in Operator]),
    help="Only this.",
)
types_option = click.option("--type", "types", multiple=True, type=ELEMENT_TYPE, help="Only this.")
