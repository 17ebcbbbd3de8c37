"""What the command `vectors` says to people."""

from collections.abc import Mapping

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.operator import System
from sonnx_formal.vectors.case import CaseClass
from sonnx_formal.vectors.results import Generation, Verification

_MOST_LINES = 20
_EXPORTED = "those that ONNX has and that have a result"


def print_generation(console: Console, made: Generation) -> None:
    """A table of operators and classes, and where everything is."""
    for systems in ({System.SONNX}, {*System} - {System.SONNX}):
        mine = [operator.name for operator in operators() if operator.system in systems]
        _print_numbers(console, {name: made.classes[name] for name in mine if name in made.classes})
    _say(
        console,
        f"{made.cases} cases in {made.files} file{'s' * (made.files != 1)}, "
        f"{made.bytes / 1e6:.1f} MB, seed {made.seed}, {made.seconds:.1f} s: {made.directory}",
    )
    if made.onnx_directory:
        _say(console, f"{_EXPORTED}, as backend tests of ONNX: {made.onnx_directory}")


def _print_numbers(console: Console, numbers: Mapping[str, Mapping[CaseClass, int]]) -> None:
    """How many cases of each class, operator by operator, if there are any."""
    if not numbers:
        return
    table = Table(show_footer=True, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("class", "all", header_style="bold")
    for operator, each in numbers.items():
        footer = str(sum(each.values()))
        table.add_column(operator, footer, justify="right", header_style="bold")
    for case_class in CaseClass:
        cells = [each.get(case_class) for each in numbers.values()]
        if any(cells):
            table.add_row(case_class.value, *(str(cell or "") for cell in cells))
    console.print(table)
    console.print()


def print_verification(console: Console, found: Verification) -> None:
    """The differences, the first of them; then the verdict."""
    count = len(found.differences)
    for difference in found.differences[:_MOST_LINES]:
        _say(console, str(difference))
    if count > _MOST_LINES:
        _say(console, f"… and {count - _MOST_LINES} more: --json has them all")
    _say(
        console,
        f"{found.verified} of {found.cases} cases are as the oracle says; "
        f"{count} difference{'s' * (count != 1)}",
    )


def _say(console: Console, line: str) -> None:
    console.print(Text(line), soft_wrap=True)
