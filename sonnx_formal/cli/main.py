"""The command `sonnx-formal`: what there is, and how every command ends."""

import sys
from importlib import import_module
from typing import Any

import click

from sonnx_formal.core.errors import BAD_INPUT, INTERRUPTED, UserError
from sonnx_formal.core.signals import interruptible

_COMMANDS = {
    "Define and prove": {
        "doctor": "Show which tools are here, and how to get missing ones.",
        "new-operator": "Write the skeleton of a new element-wise operator of SONNX.",
        "prove": "Prove the goals of each FILE, or of the whole library.",
        "refinements": "Show how operators of SONNX, ONNX and OpenVINO compare.",
    },
    "Run and compare": {
        "check": "Cross-check implementations with the formal definitions.",
        "eval": "Evaluate an operator on operands by its formal definition.",
        "lint": "Tell which nodes of a model are inside the SONNX profile.",
        "vectors": "Derive test vectors from the formal definitions.",
    },
    "Evidence": {
        "certify": "Have cvc5 prove goals with proofs that are checked.",
        "hypotheses": "List the preconditions of functions that no proof uses.",
        "mutate": "Edit definitions wrongly, and see whether a goal notices.",
        "report": "Write the evidence: what is proved, and what is not.",
        "self-test": "Do wrong what must be noticed, and see whether it is.",
        "stability": "Repeat recorded proofs under other seeds and other names.",
        "trace": "Trace each requirement to goals, vectors and tests, and back.",
        "trusted-base": "List what is believed without a proof.",
        "vacuity": "Look for goals that are proved of nothing.",
        "verify-report": "Check a report: hashes, and what follows from what.",
    },
}
_SHARED = {
    **dict.fromkeys(
        ("certify", "hypotheses", "mutate", "stability", "trusted-base", "vacuity"), "evidence"
    ),
    **dict.fromkeys(("refinements", "self-test", "trace"), "report"),
    "doctor": "prove",
    "new-operator": "new_operator",
    "vectors": "check",
    "verify-report": "verify",
}
"""The modules of commands that have none of their own."""


def main() -> None:
    """The entry point: errors of the user's are one line, an interrupt is an exit status."""
    with interruptible() as interruption:
        status = _run()
    sys.exit(interruption.status if status == INTERRUPTED else status)


def _run() -> int:
    try:
        return int(cli.main(standalone_mode=False) or 0)
    except UserError as error:
        click.echo(f"sonnx-formal: {error}", err=True)
        return error.exit_status
    except click.ClickException as error:
        error.show()
        return BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED


class _Sections(click.Group):
    """The help lists the commands by what they are for."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section, commands in _COMMANDS.items():
            with formatter.section(section):
                formatter.write_dl(list(commands.items()))


@click.group(cls=_Sections, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="sonnx-formal", prog_name="sonnx-formal")
def cli() -> None:
    """Formal definitions of the SONNX operators: prove them, and check this machine."""


class _Announced(click.Command):
    """A command whose module is imported when it is called: NumPy and the like take a second."""

    def make_context(self, *given: Any, **extra: Any) -> click.Context:
        return load(self.name or "").make_context(*given, **extra)


def load(name: str) -> click.Command:
    module = import_module(f"sonnx_formal.cli.{_SHARED.get(name, name)}")
    found = (each for each in vars(module).values() if isinstance(each, click.Command))
    return next(command for command in found if command.name == name)


for _commands in _COMMANDS.values():
    for _name, _help in _commands.items():
        cli.add_command(_Announced(_name, short_help=_help))
