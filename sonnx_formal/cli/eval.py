"""The command `eval`."""

import difflib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import msgspec

from sonnx_formal.cli.conventions import STANDARD_OUTPUT, exit_codes, json_option, timeout_option
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import read_given
from sonnx_formal.core.grouping import grouped
from sonnx_formal.oracle import evaluation
from sonnx_formal.oracle.definitions import TIMEOUT_SECONDS
from sonnx_formal.oracle.notation import Notation
from sonnx_formal.oracle.tables import readings
from sonnx_formal.oracle.tensor_files import SUFFIXES
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.catalogue import operator, operators
from sonnx_formal.spec.element_types import BOOLEAN, BY_NAME, SPELLINGS
from sonnx_formal.spec.operator import Instance, Operator


def _attribute_options(function: Callable[..., Any]) -> Callable[..., Any]:
    every = ((attribute, each.title) for each in operators() for attribute in each.attributes)
    for name, owners in reversed(grouped(every, lambda owned: owned[0].name).items()):
        attribute = owners[0][0]
        meanings = (
            f"Of {' and '.join(sorted(title for _, title in those))}: {meaning}"
            for meaning, those in grouped(owners, lambda owned: owned[0].meaning).items()
        )
        several = attribute.kind.several
        function = click.option(
            f"--{name.replace('_', '-')}",
            f"attribute_{name}",
            type=attribute.kind.element,
            multiple=several,
            metavar=attribute.kind.upper(),
            help=" ".join([*meanings, *(["May be repeated."] if several else [])]),
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
@click.option("--type", "type_name", metavar="TYPE", help="Of the elements; files say it, too.")
@click.option(
    "--file", "files", is_flag=True, help="Operands are files: .npy, .pb (TensorProto), or text."
)
@click.option(
    "--reading",
    help="r5 of div: x/0 over floats as SONNX-DIV R5 has it to the letter. "
    "unlisted: over a type that no document lists, such as matmul over bfloat16.",
)
@_attribute_options
@click.option(
    "--as",
    "notation",
    type=click.Choice([each.value for each in Notation]),
    default=Notation.EXACT.value,
    show_default=True,
    help="How to print numbers: exact is decimal up to 17 digits, else hexadecimal; decimal has "
    "as few digits as are rounded to a float.",
)
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
    type_name: str | None,
    files: bool,
    reading: str | None,
    notation: str,
    bits: bool,
    timeout: float,
    json_path: Path | None,
    **attributes: Any,
) -> int:
    """Evaluate an operator on operands by its formal definition.

    mul, div and the like are those of SONNX, or of ONNX where SONNX lacks them; other versions
    and systems are named as their documents, such as onnx-mul-14 and ov-multiply-1. TYPE is the
    element type, also as half, fp32 or u8; of an operator whose operands have several, one for
    each, as in float32-int8. All of them are listed at the end.

    Operands are nested lists: of 1, -0, 1.5e-3, 0x1.8p3, 1/3, inf, nan, true, bits:0x3c00,
    bits:0b101; an empty one is left out, and - is a line of standard input. A number that a float
    type does not have is rounded to nearest, ties to even; a line on standard error says so.

    \b
    Examples:
      sonnx-formal eval mul --type float16 "[[1, 2]]" "[[3, nan]]"
      sonnx-formal eval div --type real "[1, 2/3]" "[3, 0]"
      sonnx-formal eval div --type float32 --reading r5 "[-1]" "[0]"
      sonnx-formal eval matmul --type int32 "[[1, 2]]" "[[3], [4]]"
      sonnx-formal eval mul --type int8 -128 -1
      sonnx-formal eval onnx-mul-14 --type int8 "[[1], [2]]" "[3, 4]"
      sonnx-formal eval add --file A.npy B.pb
      sonnx-formal eval onnx-mul-6 --broadcast 1 --axis 0 --type int32 "[[1, 2]]" "[3]"
    """
    if json_path and (bits or notation != Notation.EXACT):
        raise click.UsageError("--json has values and bits in any case: leave --bits and --as out")
    if bits and notation != Notation.EXACT:
        raise click.UsageError("--bits and --as: choose one of them")
    if type_name is None and not files:
        raise click.UsageError("Missing option '--type'.")
    chosen = operator(name)
    for text in operands:
        if text.startswith("--"):
            raise _unknown_option(text, chosen)
    if reading and reading not in readings(chosen):
        known = " or ".join(readings(chosen))
        hint = f"it is {known}" if known else f"{chosen} has one reading, leave it out"
        raise UserError(f"--reading {reading}: {hint}")
    result = evaluation.run(
        chosen,
        None if type_name is None else _instance(chosen, type_name),
        [_operand(text, files=files) for text in operands],
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
        click.echo(result.bits_text() if bits else result.text(Notation(notation)))
    return 0


def _unknown_option(text: str, chosen: Operator) -> click.UsageError:
    """What is no option may be meant as an attribute."""
    option = text.partition("=")[0]
    known = [name for each in eval_command.params for name in each.opts if name.startswith("--")]
    near = difflib.get_close_matches(option, known, n=1, cutoff=0.8)
    attributes = ", ".join(attribute.name for attribute in chosen.attributes) or "none"
    hint = f"did you mean {near[0]}?" if near else f"as attributes, it has {attributes}"
    what = f"there is no option {option}, and {chosen} has no such attribute"
    return click.UsageError(f"{what}: {hint}")


def _operand(text: str, *, files: bool) -> str | Path:
    """The text of an operand, or the file that it is in."""
    if text == "-":
        line = sys.stdin.readline().strip()
        if not line:
            raise UserError("standard input has no operand left: there is to be one a line")
        return line
    if not files or not text:
        return text
    path = Path(text)
    if path.suffix in SUFFIXES:
        return path
    try:
        return read_given(path).decode().strip()
    except UnicodeDecodeError:
        raise UserError(f"{path}: neither .npy, .pb nor text") from None


def _instance(chosen: Operator, label: str) -> Instance:
    """The operator with these types. Raises `UserError` where it has no such definition."""
    found = {instance.label: instance for instance in chosen.instances(every=True)}
    parts = label.lower().split("-")
    plain = "-".join(SPELLINGS.get(part, part) for part in parts)
    # A type that makes no difference to the result need not be said.
    rest = (p.types[0].name for p in chosen.parameters[len(parts) :] if p.beside)
    whole = "-".join((plain, *rest))
    if whole in found:
        return found[whole]
    type_ = BY_NAME.get(plain)
    if type_ and (type_.numerical or type_ is BOOLEAN) and len(chosen.parameters) == 1:
        return Instance(chosen, (type_,))  # the definition names what it violates
    near = difflib.get_close_matches(plain, found, n=1)
    hint = f"did you mean {near[0]}?" if near else f"it is defined over {', '.join(found)}"
    raise UserError(f"{chosen} is not defined over {label!r}: {hint}")
