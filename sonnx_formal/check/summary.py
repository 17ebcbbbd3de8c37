"""What the result of a cross-check looks like in a terminal: what was found, and the matrix."""

from collections import Counter
from dataclasses import asdict
from math import prod

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.backends.backend import PLAIN
from sonnx_formal.check.document import (
    AboutOperator,
    CheckExample,
    CheckFinding,
    CheckReport,
    ProbeRow,
    SumErrorsRow,
    TensorText,
    Verdict,
)
from sonnx_formal.oracle.notation import list_text
from sonnx_formal.spec.attributes import Attributes

ALL_PASS, NOT_ALL_PASS = 0, 1
_SHOWN = 16
"""Elements of a tensor; all of them are in the JSON."""
_STYLES = {
    Verdict.PASS: "green",
    Verdict.WITHIN_BOUND: "green",
    Verdict.DIVERGES: "red",
    Verdict.CRASHES: "red",
    Verdict.REFUSES: "yellow",
}


def exit_status(report: CheckReport) -> int:
    """Zero only if whoever had to pass did."""
    return NOT_ALL_PASS if any(backend.failed for backend in report.backends) else ALL_PASS


def print_summary(console: Console, report: CheckReport) -> None:
    """The whole report in words."""
    for finding in report.findings:
        count = f"{_number(finding.elements, 'element')} of " if finding.elements else ""
        _print_verdict(console, finding, f"{count}{_number(finding.cases, 'case')}")
        _print_example(console, finding.example)
    for answer in report.probes:
        if answer.example is not None:
            _print_verdict(console, answer, f"probe {answer.probe}: {answer.question}")
            _print_form(console, answer.form)
            _print_example(console, answer.example)
    _print_errors(console, report)
    _print_not_asked(console, report)
    _print_exhaustive(console, report)
    for backend in report.backends:
        missing = f": not installed: {backend.missing}" if backend.missing is not None else ""
        _say(console, f"{backend.name} {backend.version or ''}".strip() + missing)
    console.print(_table(report))
    _say(console, _last_line(report))


def _print_form(console: Console, form: dict[str, bool | int]) -> None:
    for name, value in form.items():
        if value != asdict(PLAIN)[name]:
            _say(console, f"  with {name.replace('_', ' ')}" + f" {value}" * (value is not True))


def _print_verdict(console: Console, told: CheckFinding | ProbeRow, more: str) -> None:
    line = f"{told.backend}: {_about(told)} {told.verdict}: {told.kind}"
    text = Text(line, style=_STYLES.get(told.verdict, "")) + Text(f" ({more})", style="")
    console.print(text, soft_wrap=True)


def _print_errors(console: Console, report: CheckReport) -> None:
    """Of sums that may depend on their order: how near the worst came to the bound."""
    under = f" on sums in {report.accumulate}" if report.accumulate else ""
    rows: dict[str, list[SumErrorsRow]] = {}
    for row in report.errors:
        rows.setdefault(f"{row.backend}: {_about(row)}", []).append(row)
    for where, of_backend in rows.items():
        elements = sum(row.elements for row in of_backend)
        outside = sum(row.outside for row in of_backend)
        worst = max(of_backend, key=lambda row: row.of_bound)
        _say(
            console,
            f"{where}: {_number(elements, 'rounded sum')}, "
            f"{outside or 'none'} outside the bound{under}, the worst at "
            f"{worst.of_bound:.3g} of it ({_number(worst.products, 'product')})",
        )


def _print_not_asked(console: Console, report: CheckReport) -> None:
    """Which probes say nothing about whom, and why: no one is to take silence for a pass."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for answer in report.probes:
        if answer.verdict is Verdict.NOT_SUPPORTED:
            reasons.setdefault((answer.backend, answer.kind), []).append(answer.probe)
    for (backend, reason), names in reasons.items():
        _say(console, f"{backend}: not probed for {', '.join(dict.fromkeys(names))}: {reason}")


def _print_exhaustive(console: Console, report: CheckReport) -> None:
    """Of which operators all combinations of elements were tried, and why not of the others."""
    said: dict[str, dict[str, list[str]]] = {}
    for run in report.exhaustive:
        how = f"not tried: {run.why_not}" if run.why_not else f"all {run.combinations:,} tried"
        said.setdefault(how, {}).setdefault(run.operator, []).append(run.element_type)
    for how, operators in said.items():
        named = "; ".join(f"{name} {', '.join(types)}" for name, types in operators.items())
        _say(console, f"combinations of elements, {how} ({named})")


def _print_example(console: Console, example: CheckExample) -> None:
    if example.attributes:
        _say(console, f"  with {Attributes.of(example.attributes)}")
    for name, tensor in [
        *((operand.name, operand) for operand in example.operands),
        ("expected", example.expected),
        ("got", example.got),
    ]:
        if tensor is not None:
            _say(console, f"  {name:8} = {_shown(tensor)}")
    if example.index and example.expected is not None and prod(example.expected.shape) > 1:
        _say(console, f"  first at  {list(example.index)}")


def _about(about: AboutOperator | SumErrorsRow) -> str:
    return f"{about.operator} {about.element_type}"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _shown(tensor: TensorText) -> str:
    size = prod(tensor.shape)
    if size > _SHOWN:
        return f"{tensor.element_type} of shape {list(tensor.shape)}, all of it by --json"
    shape = f"  shape {list(tensor.shape)}" if size != 1 else ""
    bits = f"  bits {list_text(tensor.bits)}" if tensor.bits else ""
    return f"{list_text(tensor.decimal)}{bits}{shape}"


def _table(report: CheckReport) -> Table:
    table = Table("", "", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for backend in report.backends:
        table.add_column(backend.name, overflow="fold")
    if report.probes:
        table.add_column("probe")
    # Of each operator and of each probe, the backends follow one another in their order.
    cells: dict[tuple[str, ...], list[Text]] = {}
    for row in report.matrix:
        counts = [_verdict(each, f"{count} ") for each, count in row.counts.items() if count]
        cells.setdefault((row.operator, row.element_type), []).append(Text("\n").join(counts))
    for answer in report.probes:
        place = (answer.operator, answer.element_type, answer.probe)
        cells.setdefault(place, []).append(_verdict(answer.verdict))
    for (operator, element_type, *probe), of_backends in cells.items():
        table.add_row(operator, element_type, *of_backends, *probe)
    return table


def _verdict(verdict: Verdict, count: str = "") -> Text:
    return Text(f"{count}{verdict}", style=_STYLES.get(verdict, "dim"))


def _last_line(report: CheckReport) -> str:
    total: Counter[Verdict] = Counter()
    for row in report.matrix:
        total.update(row.counts)
    counts = ", ".join(f"{total[verdict]} {verdict}" for verdict in Verdict if total[verdict])
    failed = [backend.name for backend in report.backends if backend.failed]
    ending = f"; had to pass and did not: {', '.join(failed)}" if failed else ""
    return f"\n{counts} in {report.seconds:.1f} s{ending}"


def _say(console: Console, line: str) -> None:
    console.print(Text(line), soft_wrap=True)
