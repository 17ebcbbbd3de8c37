"""What the command `vectors` says: tables for people, JSON for programs."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.vectors.case import SONNX, CaseClass, Operator
from sonnx_formal.vectors.making import Made
from sonnx_formal.vectors.manifest import Manifest
from sonnx_formal.vectors.verifying import Verification

SCHEMA = "sonnx-formal/vectors-result/1"
_MOST_LINES = 20
_EXPORTED = "those that ONNX has and that have a result"


def print_made(console: Console, made: Made) -> None:
    """A table of operators and classes, and where everything is."""
    manifest, request = made.manifest, made.request
    numbers = _numbers(manifest)
    for group in (SONNX, [one for one in Operator if one not in SONNX]):
        _print_numbers(console, {one: numbers[one] for one in group if numbers[one]})
    files = len(manifest.files)
    size = sum(file.bytes for file in manifest.files) / 1e6
    _say(
        console,
        f"{_total(manifest)} cases in {files} file{'s' * (files != 1)}, {size:.1f} MB, "
        f"seed {manifest.origin.seed}, {made.seconds:.1f} s: {request.directory}",
    )
    if request.onnx_directory:
        _say(console, f"{_EXPORTED}, as backend tests of ONNX: {request.onnx_directory}")


def _print_numbers(console: Console, numbers: Mapping[Operator, Counter[CaseClass]]) -> None:
    """How many cases of each class, operator by operator, if there are any."""
    if not numbers:
        return
    table = Table(show_footer=True, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("class", "all", header_style="bold")
    for operator, each in numbers.items():
        footer = str(each.total())
        table.add_column(operator.value, footer, justify="right", header_style="bold")
    for case_class in CaseClass:
        cells = [each[case_class] for each in numbers.values()]
        if any(cells):
            table.add_row(case_class.value, *(str(cell or "") for cell in cells))
    console.print(table)
    console.print()


def print_verified(console: Console, verification: Verification) -> None:
    """The differences, the first of them; then the verdict."""
    differences = verification.differences
    for difference in differences[:_MOST_LINES]:
        _say(console, str(difference))
    if len(differences) > _MOST_LINES:
        _say(console, f"… and {len(differences) - _MOST_LINES} more: --json has them all")
    total = _total(verification.manifest)
    found = f"{len(differences)} difference{'s' * (len(differences) != 1)}"
    _say(console, f"{verification.verified} of {total} cases are as the oracle says; {found}")


def made_as_json(made: Made) -> dict[str, Any]:
    """The result of making vectors, as `vectors.schema.json` describes it."""
    manifest, request = made.manifest, made.request
    return {
        "schema": SCHEMA,
        "made": {
            "directory": str(request.directory),
            "onnx_directory": str(request.onnx_directory) if request.onnx_directory else None,
            "seed": manifest.origin.seed,
            "cases": _total(manifest),
            "classes": {
                operator.value: {case_class.value: count for case_class, count in each.items()}
                for operator, each in _numbers(manifest).items()
                if each
            },
            "seconds": round(made.seconds, 3),
        },
    }


def verified_as_json(verification: Verification) -> dict[str, Any]:
    """The result of verifying vectors, as `vectors.schema.json` describes it."""
    return {
        "schema": SCHEMA,
        "verification": {
            "directory": str(verification.directory),
            "cases": _total(verification.manifest),
            "verified": verification.verified,
            "differences": [
                {"file": each.file, "case": each.case, "what": each.what}
                for each in verification.differences
            ],
        },
    }


def _numbers(manifest: Manifest) -> dict[Operator, Counter[CaseClass]]:
    """How many cases there are of each operator and class."""
    numbers: dict[Operator, Counter[CaseClass]] = {operator: Counter() for operator in Operator}
    for file in manifest.files:
        numbers[file.operator].update(case.case_class for case in file.cases)
    return numbers


def _total(manifest: Manifest) -> int:
    return sum(len(file.cases) for file in manifest.files)


def _say(console: Console, line: str) -> None:
    console.print(Text(line), soft_wrap=True)
