"""The command `sonnx-formal`: what there is, and how every command ends."""

import io
import os
import select
import sys
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from sonnx_formal.core.errors import BAD_INPUT, INTERNAL, INTERRUPTED, UNREAD, UserError
from sonnx_formal.core.signals import interruptible
from sonnx_formal.core.texts import one_line, printable

TRACEBACK_VARIABLE = "SONNX_FORMAL_TRACEBACK"
"""Set to anything, an error of this program is shown with where it came from."""
_PACKAGE = Path(__file__).parents[1]
_LONGEST_ERROR = 300
"""Characters of an error's own words."""

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
        "exhaustive": "Compare implementations on all pairs of 16-bit floats.",
        "kernels": "Write libsonnx: C kernels proved to compute the operators.",
        "lint": "Tell which nodes of a model are inside the SONNX profile.",
        "network": "Run a model node by node, and compare each with its definition.",
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
    with interruptible() as interruption, ExitStack() as files:
        output = select.poll()  # a file of its own: Rich puts another in the place of the broken
        for stream in (1, 2):
            with suppress(OSError):  # it may be closed
                copy = os.dup(stream)
                files.callback(os.close, copy)
                output.register(copy, 0)
        status = _run(output)
    sys.exit(interruption.status if status == INTERRUPTED else status)


def _run(output: select.poll) -> int:  # noqa: PLR0911 (a way to end each)
    try:
        status = int(cli.main(standalone_mode=False) or 0)
        print(end="", flush=True)  # what cannot be written is said now, if there is an output
        return status
    except UserError as error:
        _complain(f"sonnx-formal: {error}")
        return error.exit_status
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        _complain(shown.getvalue())
        return BAD_INPUT
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except SystemExit:
        if not _unread(output):  # completion in the shell
            raise
        return _to_nobody()  # of a broken pipe, Click and Rich make 1
    except Exception as error:
        if isinstance(error, BrokenPipeError):
            if _unread(output):
                return _to_nobody()
        elif isinstance(error, OSError) and error.strerror:
            _complain(f"sonnx-formal: {_of_the_machine(error)}")
            return BAD_INPUT
        if TRACEBACK_VARIABLE in os.environ:
            sys.excepthook(type(error), error, error.__traceback__)
        _complain(f"sonnx-formal: {_internal(error)}")
        return INTERNAL


def _complain(text: str) -> None:
    """On standard error; names and words in it are of strangers."""
    click.echo(printable(text.rstrip("\n")), err=True)


def _of_the_machine(error: OSError) -> str:
    """What a file, a folder or a device did not let happen."""
    if error.filename is not None:
        return one_line(f"{os.fsdecode(error.filename)}: {error.strerror}")
    try:
        Path.cwd()
    except OSError:
        return "the working directory is not there any more: change to one that is"
    _write_to_nowhere()
    return f"standard output cannot be written: {error.strerror}"


def _unread(output: select.poll) -> bool:
    """Whether what is printed goes to a pipe that nobody reads any more."""
    return any(state & select.POLLERR for _stream, state in output.poll(0))


def _to_nobody() -> int:
    _write_to_nowhere()
    return UNREAD


def _write_to_nowhere() -> None:
    """What is left of standard output, so that nothing fails at the end."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _internal(error: Exception) -> str:
    import traceback  # noqa: PLC0415 (what ends well does without)

    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if Path(each.filename).is_relative_to(_PACKAGE)]
    place = f" ({Path(ours[-1].filename).relative_to(_PACKAGE)}, line {ours[-1].lineno})"
    what = one_line(f"{type(error).__name__}: {error}")[:_LONGEST_ERROR]
    return (
        f"an error of this program: {what}{place}: please report it, with what the same command"
        f" says with {TRACEBACK_VARIABLE}=1 in the environment"
    )


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
