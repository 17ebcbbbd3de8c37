"""The command `eval`."""

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from sonnx_formal.cli.conventions import STANDARD_OUTPUT, exit_codes, json_option, timeout_option
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.grouping import grouped
from sonnx_formal.oracle import evaluation
from sonnx_formal.oracle.definitions import TIMEOUT_SECONDS
from sonnx_formal.oracle.tables import readings
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.catalogue import operator, operators
from sonnx_formal.spec.element_types import BOOLEAN, BY_NAME
from sonnx_formal.spec.operator import Instance, Operator


def _attribute_options(function: Callable[..., Any]) -> Callable[..., Any]:
    every = ((attribute, each.title) for each in operators() for attribute in each.attributes)
    for name, owners in reversed(grouped(every, lambda owned: owned[0].name).items()):
        attribute = owners[0][0]
        titles = " and ".join(sorted(title for _, title in owners))
        several = attribute.kind.several
        function = click.option(
            f"--{name.replace('_', '-')}",
            f"attribute_{name}",
            type=attribute.kind.element,
            multiple=several,
            metavar=attribute.kind.upper(),
            help=f"Of {titles}: {attribute.meaning}" + (" May be repeated." if several else ""),
        )(function)
    return function


def _operators_and_types() -> str:
    of_types = ((each.name, ", ".join(x.label for x in each.instances())) for each in operators())
    groups = grouped(of_types, lambda each: each[1]).items()
    return "\n\n".join(f"{', '.join(name for name, _ in x)}: {types}." for types, x in groups)


def _completed(_context: click.Context, _argument: click.Parameter, incomplete: str) -> list[str]:
    return [each.name for each in operators() if each.name.startswith(incomplete)]


# Negative numbers look like options.
@click.command(
    "eval", context_settings={"ignore_unknown_options": True}, epilog=_operators_and_types()
)
@click.argument("name", metavar="OPERATOR", shell_complete=_completed)
@click.argument("operands", nargs=-1, required=True)
@click.option("--type", "type_name", required=True, metavar="TYPE", help="Of the elements.")
@click.option(
    "--reading",
    help="r5 of div: x/0 over floats as SONNX-DIV R5 has it to the letter. "
    "unlisted: over a type that no document lists, such as matmul over bfloat16.",
)
@_attribute_options
@click.option("--bits", is_flag=True, help="Print bit patterns.")
@timeout_option(TIMEOUT_SECONDS, "Time that the evaluation gets.")
@json_option("Write the result as JSON instead; - is standard output.", dash=True)
@exit_codes(
    "there is a result",
    bad="bad input, such as operands that violate a requirement, or a tool is missing",
)
def eval_command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    name: str,
    operands: tuple[str, ...],
    type_name: str,
    reading: str | None,
    bits: bool,
    timeout: float,
    json_path: Path | None,
    **attributes: Any,
) -> int:
    """Evaluate an operator on operands by its formal definition.

    mul, div and the like are those of SONNX; others are named as their documents, such as
    onnx-mul-14 and ov-multiply-1. TYPE is the element type; of an operator whose operands have
    several, one for each, as in float32-int8. All of them are listed at the end.

    Operands are nested lists: of 1, -0, 1.5e-3, 0x1.8p3, 1/3, inf, nan, true, bits:0x3c00,
    bits:0b101; an empty one is left out. A number that a float type does not have is rounded to
    nearest, ties to even; a line on standard error says so. Results are exact: decimal up to 17
    digits, else hexadecimal.

    \b
    Examples:
      sonnx-formal eval mul --type float16 "[[1, 2]]" "[[3, nan]]"
      sonnx-formal eval div --type real "[1, 2/3]" "[3, 0]"
      sonnx-formal eval div --type float32 --reading r5 "[-1]" "[0]"
      sonnx-formal eval matmul --type int32 "[[1, 2]]" "[[3], [4]]"
      sonnx-formal eval mul --type int8 -128 -1
      sonnx-formal eval onnx-mul-14 --type int8 "[[1], [2]]" "[3, 4]"
      sonnx-formal eval onnx-mul-6 --broadcast 1 --axis 0 --type int32 "[[1, 2]]" "[3]"
    """
    if bits and json_path:
        raise click.UsageError("--json has the bits in any case: leave --bits out")
    for text in operands:
        if text.startswith("--"):
            raise click.NoSuchOption(text)
    chosen = operator(name)
    if reading and reading not in readings(chosen):
        known = " or ".join(readings(chosen))
        hint = f"it is {known}" if known else f"{chosen} has one reading, leave it out"
        raise UserError(f"--reading {reading}: {hint}")
    result = evaluation.run(
        _instance(chosen, type_name),
        operands,
        reading=reading,
        attributes=Attributes.of(
            {name.removeprefix("attribute_"): x for name, x in attributes.items() if x != ()}
        ),
        timeout=timeout,
        note=lambda line: click.echo(f"sonnx-formal: {line}", err=True),
    )
    if json_path == STANDARD_OUTPUT:
        click.echo(msgspec.json.encode(result))
    elif json_path:
        documents.write(json_path, result)
    else:
        click.echo(result.text(bits=bits))
    return 0


def _instance(chosen: Operator, label: str) -> Instance:
    """The operator with these types. Raises `UserError` where it has no such definition."""
    found = {instance.label: instance for instance in chosen.instances()}
    if label in found:
        return found[label]
    type_ = BY_NAME.get(label)
    if type_ and (type_.numerical or type_ is BOOLEAN) and len(chosen.parameters) == 1:
        return Instance(chosen, (type_,))  # the definition names what it violates
    near = difflib.get_close_matches(label, found, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it is defined over {', '.join(found)}"
    raise UserError(f"{chosen} is not defined over {label!r}: {hint}")
