"""The command `new-operator`."""

import re
from importlib import resources
from pathlib import Path

import click
from jinja2 import Environment, StrictUndefined

from sonnx_formal.cli.conventions import exit_codes
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_file
from sonnx_formal.prover.sources import find_library
from sonnx_formal.spec.catalogue import operator, operators
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Operator, Presence, ShapeRule

_FILES = {
    "definition.mlw": "why3/ops/{name}/definition.mlw",
    "floats.mlw": "why3/ops/{name}/floats.mlw",
    "examples.mlw": "why3/ops/{name}/examples.mlw",
    "declaration.py": "sonnx_formal/spec/operators/{name}.py",
    "registry.toml": "sonnx_formal/spec/requirements/sonnx-{name}.toml",
    "reference.py": "sonnx_formal/reference/{name}.py",
}


@click.command("new-operator")
@click.argument("name")
@click.option("--like", required=True, metavar="OPERATOR", help="What it takes, it takes, too.")
@click.option(
    "--inputs", metavar="A,B", help="The names of its operands, if they are not those of the other."
)
@exit_codes("the skeleton is written", bad="bad input")
def command(name: str, like: str, inputs: str | None) -> int:
    """Write the skeleton of a new element-wise operator of SONNX.

    NAME is in snake case, as in leaky_relu. The skeleton is a theory that type-checks, a
    declaration, the requirements, and a function under test; each place that says TO BE WRITTEN
    wants an author, and `sonnx-formal trace` names what is still missing. Nothing is overwritten.

    \b
    Examples:
      sonnx-formal new-operator ceil --like abs --inputs A
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
