"""What is about one operator: `eval`, `new-operator`."""

import difflib
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import click
import msgspec
from jinja2 import Environment, StrictUndefined

from sonnx_formal.cli.conventions import STANDARD_OUTPUT, exit_codes, json_option, timeout_option
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_file
from sonnx_formal.core.grouping import grouped
from sonnx_formal.oracle import evaluation
from sonnx_formal.oracle.oracle import TIMEOUT_SECONDS
from sonnx_formal.oracle.tables import readings
from sonnx_formal.prover.sources import find_library
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.catalogue import operator, operators
from sonnx_formal.spec.element_types import BOOLEAN, BY_NAME, Family
from sonnx_formal.spec.operator import Instance, Operator, Presence, ShapeRule

_FILES = {
    "definition.mlw": "why3/ops/{name}/definition.mlw",
    "floats.mlw": "why3/ops/{name}/floats.mlw",
    "examples.mlw": "why3/ops/{name}/examples.mlw",
    "declaration.py": "sonnx_formal/spec/operators/{name}.py",
    "registry.toml": "sonnx_formal/spec/requirements/sonnx-{name}.toml",
    "reference.py": "sonnx_formal/reference/{name}.py",
}


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


@click.command("new-operator")
@click.argument("name")
@click.option("--like", required=True, metavar="OPERATOR", help="What it takes, it takes, too.")
@click.option(
    "--inputs", metavar="A,B", help="The names of its operands, if they are not those of the other."
)
@exit_codes("the skeleton is written", bad="bad input")
def new_operator_command(name: str, like: str, inputs: str | None) -> int:
    """Write the skeleton of a new element-wise operator of SONNX.

    NAME is in snake case, as in leaky_relu. The skeleton is a theory that type-checks, a
    declaration, the requirements, and a function under test; each place that says TO BE WRITTEN
    wants an author, and `sonnx-formal trace` names what is still missing. Nothing is overwritten.

    \b
    Examples:
      sonnx-formal new-operator neg --like add --inputs X
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", name):
        raise UserError(f"{name!r} is not in snake case, as leaky_relu is")
    if name in {known.name for known in operators()}:
        raise UserError(f"{name} is declared already, in sonnx_formal/spec/operators/")
    texts = _skeleton(name, operator(like), inputs.split(",") if inputs else None)
    root = find_library().parent
    for path in texts:
        if (root / path).exists():
            raise UserError(f"{path} is there already: choose another name, or remove it")
    for path, text in texts.items():
        write_file(root / path, text)
        click.echo(path)
    return 0


def _skeleton(name: str, like: Operator, inputs: list[str] | None) -> dict[Path, str]:
    required = all(input_.presence is Presence.REQUIRED for input_ in like.inputs)
    if like.shape_rule is not ShapeRule.SAME or len(like.parameters) != 1 or not required:
        raise UserError(
            f"{like} is not element-wise over one type: skeletons are made like those that are, "
            "such as add"
        )
    inputs = inputs or [input_.name for input_ in like.inputs]
    for each in inputs:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", each):
            raise UserError(f"--inputs: {each!r} is not the name of an operand")
    stem = "".join(part.capitalize() for part in name.split("_"))
    types = like.parameters[0].types
    reals, integers, floats = (
        [type_ for type_ in types if type_.family is family]
        for family in (Family.REAL, Family.INTEGER, Family.FLOAT)
    )
    first, *others = names = [each.lower() for each in inputs]
    context = {
        "name": name,
        "title": f"SONNX {stem}",
        "stem": stem,
        "constant": name.upper(),
        "document": f"SONNX-{stem.upper()}",
        "inputs": inputs,
        "names": names,
        "first": first,
        "others": others,
        "output": like.output.name if like.output.name not in inputs else "Y",
        "types": types,
        "reals": reals,
        "integers": integers,
        "floats": floats,
        "onnx": stem,
        "since": like.onnx.since if like.onnx else 1,
        "requirements": _requirements(several=bool(others)),
    }
    made = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)
    folder = resources.files("sonnx_formal.cli") / "skeleton"
    return {
        Path(path.format(name=name)): made.from_string(
            (folder / f"{template}.jinja").read_text("utf-8")
        ).render(context)
        for template, path in _FILES.items()
        if template != "floats.mlw" or floats
    }


def _requirements(*, several: bool) -> list[tuple[str, str, str]]:
    """Item, kind and text of the requirements that an element-wise operator begins with."""
    return [
        ("R1", "restriction", "No operand is a sparse tensor."),
        *([("R2", "restriction", "All operands have one shape.")] if several else []),
        ("C1", "constraint", "The result has the shape of the operands."),
        ("T", "type", "TO BE WRITTEN: the element types."),
        ("FUNC", "definition", "TO BE WRITTEN: what the element at each index is."),
        ("EX1", "example", "TO BE WRITTEN: the first worked example."),
    ]
