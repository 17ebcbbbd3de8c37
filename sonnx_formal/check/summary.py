"""What the result of a cross-check looks like in a terminal: failures first, then the matrix."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import prod

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.backends.backend import PLAIN
from sonnx_formal.check.causes import Cause, causes
from sonnx_formal.check.document import (
    CheckExample,
    CheckReport,
    KnownDivergence,
    ProbeRow,
    TensorText,
    Verdict,
)
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.terminal import say
from sonnx_formal.oracle.notation import list_text
from sonnx_formal.spec.attributes import Attributes

_SHOWN = 16
"""Elements of a tensor, and last lines of standard error; all of them are in the JSON."""
STYLES = {
    Verdict.PASS: "green",
    Verdict.WITHIN_BOUND: "green",
    Verdict.DIVERGES: "red",
    Verdict.CRASHES: "red",
    Verdict.REFUSES: "yellow",
}
"""Of verdicts; the others have none."""


def print_summary(console: Console, report: CheckReport, *, only_failures: bool = False) -> None:
    """Print what failed, by cause, and an example of each; then what passed and what was not told.

    :param only_failures: leave out the rest.
    """
    found = causes(report)
    failures = [cause for cause in found if cause.verdict is not Verdict.NOT_JUDGED]
    if failures:
        console.print(_failures(failures), "")
    for cause in failures:
        _print_example(console, cause)
    for stale in report.stale:
        _print_stale(console, stale)
    if not only_failures:
        say(console, *(_not_judged(each) for each in found if each.verdict is Verdict.NOT_JUDGED))
        say(console, *_sums(report), *_not_asked(report), *_exhaustive(report), *_known(report))
        for backend in report.backends:
            missing = f": not installed: {backend.missing}" if backend.missing is not None else ""
            say(console, f"{backend.name} {backend.version or ''}".strip() + missing)
        console.print(_table(report))
    say(console, _last_line(report))


def _failures(failures: Sequence[Cause]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("implementation", "verdict", "cause", "operator", "types"):
        table.add_column(name, overflow="fold")
    for name in ("cases", "elements"):
        table.add_column(name, justify="right", no_wrap=True)
    for cause in failures:
        ((operator, types),) = cause.types.items()
        numbers = (Text(str(number or "")) for number in (cause.cases, cause.elements))
        kind = Text(cause.kind if cause.question is None else f"{cause.kind} ({cause.question})")
        texts = Text(cause.backend), _verdict(cause.verdict), kind, Text(operator), Text(types)
        table.add_row(*texts, *numbers)
    return table


def _print_example(console: Console, cause: Cause) -> None:
    smallest, ((operator, types),) = cause.smallest, cause.types.items()
    count = _number(cause.cases, "case")
    if cause.elements:
        count = f"{_number(cause.elements, 'element')} of {count}"
    line = f"{cause.backend}: {operator} {types} {cause.verdict}: {cause.kind}"
    more = Text(f" ({cause.question or count})", style="")
    console.print(Text(line, style=STYLES[cause.verdict]) + more, soft_wrap=True)
    if types != smallest.element_type:
        say(console, f"  of {smallest.element_type}")
    if isinstance(smallest, ProbeRow):
        say(console, *_form(smallest.form))
    if smallest.example is not None:
        say(console, *_example(smallest.example))


def _print_stale(console: Console, known: KnownDivergence) -> None:
    what = f"{known.backend} {known.version}: {known.operator} {known.element_type}"
    line = f"{what}: {known.standing}: {known.what}, and now: {known.now}"
    console.print(Text(line, style="red"), soft_wrap=True)
    say(console, *_example(known.example))


def _known(report: CheckReport) -> Iterator[str]:
    for (name, version), here in grouped(report.known, lambda x: (x.backend, x.version)).items():
        standings = Counter(each.standing for each in here)
        told = ", ".join(f"{count} {standing}" for standing, count in standings.items())
        yield f"{name} {version}: of {_number(len(here), 'known divergence')}, {told}"


def _not_judged(cause: Cause) -> str:
    where = "; ".join(f"{operator} {types}" for operator, types in cause.types.items())
    return (
        f"{cause.backend}: not judged: {cause.kind}"
        f" ({cause.question or _number(cause.cases, 'case')}; {where})"
    )


def _sums(report: CheckReport) -> Iterator[str]:
    under = f" on sums in {report.accumulate}" if report.accumulate else ""
    for worst in report.worst_errors():
        yield (
            f"{worst.backend}: {worst.operator} {worst.element_type}: "
            f"{_number(worst.elements, 'rounded sum')}, {worst.outside or 'none'} outside the "
            f"bound{under}; of long ones, the worst at {worst.of_bound:.3g} of it "
            f"({_number(worst.products, 'product')})"
        )


def _form(form: dict[str, bool | int]) -> Iterator[str]:
    for name, value in form.items():
        if value != asdict(PLAIN)[name]:
            yield f"  with {name.replace('_', ' ')}" + f" {value}" * (value is not True)


def _not_asked(report: CheckReport) -> Iterator[str]:
    """Which probes say nothing about whom, and why: no one is to take silence for a pass."""
    silent = (each for each in report.probes if each.verdict is Verdict.NOT_SUPPORTED)
    for (backend, why), answers in grouped(silent, lambda each: (each.backend, each.kind)).items():
        names = ", ".join(dict.fromkeys(answer.probe for answer in answers))
        yield f"{backend}: not probed for {names}: {why}"


def _exhaustive(report: CheckReport) -> Iterator[str]:
    for why, runs in grouped(report.exhaustive, lambda x: x.why_not or x.combinations).items():
        how = f"not tried: {why}" if isinstance(why, str) else f"all {why:,} tried"
        named = "; ".join(
            f"{name} {', '.join(run.element_type for run in mine)}"
            for name, mine in grouped(runs, lambda run: run.operator).items()
        )
        yield f"combinations of elements, {how} ({named})"


def _example(example: CheckExample) -> Iterator[str]:
    if example.attributes:
        yield f"  with {Attributes.of(example.attributes)}"
    for name, tensor in [
        *((operand.name, operand) for operand in example.operands),
        ("expected", example.expected),
        ("got", example.got),
    ]:
        if tensor is not None:
            yield f"  {name:8} = {_shown(tensor)}"
    if example.index and example.expected is not None and prod(example.expected.shape) > 1:
        yield f"  first at  {list(example.index)}"
    for line in (example.said or "").splitlines()[-_SHOWN:]:
        yield f"  stderr    {line}"


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
    there = [backend.name for backend in report.backends if backend.missing is None]
    for name in there:
        table.add_column(name, overflow="fold")
    if report.probes:
        table.add_column("probe")
    # Of each operator and of each probe, the backends follow one another in their order.
    cells: dict[tuple[str, ...], list[Text]] = {}
    for row in (row for row in report.matrix if row.backend in there):
        counts = [_verdict(each, f"{count} ") for each, count in row.counts.items() if count]
        cells.setdefault((row.operator, row.element_type), []).append(Text("\n").join(counts))
    for answer in (answer for answer in report.probes if answer.backend in there):
        place = (answer.operator, answer.element_type, answer.probe)
        cells.setdefault(place, []).append(_verdict(answer.verdict))
    for (operator, element_type, *probe), of_backends in cells.items():
        table.add_row(operator, element_type, *of_backends, *probe)
    return table


def _verdict(verdict: Verdict, count: str = "") -> Text:
    return Text(f"{count}{verdict}", style=STYLES.get(verdict, "dim"))


def _last_line(report: CheckReport) -> str:
    total: Counter[Verdict] = Counter()
    for row in report.matrix:
        total.update(row.counts)
    del total[Verdict.NOT_INSTALLED]
    counts = ", ".join(f"{total[verdict]} {verdict}" for verdict in Verdict if total[verdict])
    failed = [backend.name for backend in report.backends if backend.failed]
    ending = f"; had to pass and did not: {', '.join(failed)}" if failed else ""
    return f"\n{counts} in {report.made.took:,.1f} s{ending}"
