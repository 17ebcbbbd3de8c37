"""The command `eval`."""

import json
from pathlib import Path

import click

from sonnx_formal.cli.options import STANDARD_OUTPUT, json_option, timeout_option
from sonnx_formal.cli.output import write_json
from sonnx_formal.cli.selection import ELEMENT_TYPE, OPERATOR
from sonnx_formal.oracle import Attributes, evaluation
from sonnx_formal.oracle.frames import READINGS, Operator, Reading
from sonnx_formal.oracle.oracle import TIMEOUT_SECONDS


# Negative numbers look like options.
@click.command("eval", context_settings={"ignore_unknown_options": True})
@click.argument("operator", type=OPERATOR)
@click.argument("a")
@click.argument("b")
@click.option("--type", "type_name", required=True, type=ELEMENT_TYPE, help="Of the elements.")
@click.option(
    "--reading",
    type=click.Choice([one for one in READINGS if one]),
    help="r5: x/0 over floats as SONNX-DIV R5 has it to the letter. "
    "unlisted: matmul over bfloat16, which no document lists.",
)
@click.option("--axis", type=int, help="Of ONNX Mul 6 and 1: where in A the shape of B begins.")
@click.option("--broadcast", type=int, help="Of ONNX Mul 6 and 1: 1 allows broadcasting.")
@click.option(
    "--consumed-inputs",
    "consumed_inputs",
    metavar="N",
    type=int,
    multiple=True,
    help="Of ONNX Mul 1, without a meaning; may be repeated.",
)
@click.option("--auto-broadcast", metavar="RULE", help="Of OpenVINO Multiply-1: none or numpy.")
@click.option("--bits", is_flag=True, help="Print bit patterns.")
@timeout_option(TIMEOUT_SECONDS, "Time that the evaluation gets.")
@json_option("Write the result as JSON instead; - is standard output.", dash=True)
def command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    operator: Operator,
    a: str,
    b: str,
    type_name: str,
    reading: Reading | None,
    axis: int | None,
    broadcast: int | None,
    consumed_inputs: tuple[int, ...],
    auto_broadcast: str | None,
    bits: bool,
    timeout: float,
    json_path: Path | None,
) -> int:
    """Evaluate an operator on A and B by its formal definition.

    mul, div and matmul are those of SONNX; the others are ONNX Mul since version 14, 13, 7, 6 and
    1, and OpenVINO Multiply-1, which broadcast.

    A and B are nested lists: of 1, -0, 1.5e-3, 0x1.8p3, 1/3, inf, nan, bits:0x3c00, bits:0b101. A
    number that a float type does not have is rounded to nearest, ties to even; a line on standard
    error says so. Results are exact: decimal up to 17 digits, else hexadecimal.

    \b
    Examples:
      sonnx-formal eval mul --type float16 "[[1, 2]]" "[[3, nan]]"
      sonnx-formal eval div --type real "[1, 2/3]" "[3, 0]"
      sonnx-formal eval div --type float32 --reading r5 "[-1]" "[0]"
      sonnx-formal eval matmul --type int32 "[[1, 2]]" "[[3], [4]]"
      sonnx-formal eval mul --type int8 -128 -1
      sonnx-formal eval onnx-mul-14 --type int8 "[[1], [2]]" "[3, 4]"
      sonnx-formal eval onnx-mul-6 --broadcast 1 --axis 0 --type int32 "[[1, 2]]" "[3]"

    \b
    Exit status:
      0    there is a result
      2    bad input, such as operands that violate a requirement, or a tool is missing
      130  interrupted
    """
    if bits and json_path:
        raise click.UsageError("--json has the bits in any case: leave --bits out")
    result = evaluation.run(
        operator,
        type_name,
        a,
        b,
        reading=reading,
        attributes=Attributes(axis, broadcast, consumed_inputs or None, auto_broadcast),
        timeout=timeout,
        note=_note,
    )
    if json_path == STANDARD_OUTPUT:
        click.echo(json.dumps(result.as_json(), ensure_ascii=False))
    elif json_path:
        write_json(json_path, result.as_json())
    else:
        click.echo(result.text(bits=bits))
    return 0


def _note(line: str) -> None:
    click.echo(f"sonnx-formal: {line}", err=True)
