"""What `sonnx-formal exhaustive` prints: a row an operator and type, then what is wrong."""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.check.exhaustive_document import LEFT, ExhaustiveReport, PairClass, Sweep
from sonnx_formal.core.terminal import say

_NUMBERS = ("blocks", "judged", "earlier", "same bits", "other NaN", "diverging", "seconds")


def print_exhaustive(console: Console, report: ExhaustiveReport) -> None:
    """Print all counts; of each class that is wrong, the smallest pair; then the verdict."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for name in ("implementation", "version", "operator", "type"):
        table.add_column(name, overflow="fold")
    for name in _NUMBERS:
        table.add_column(name, justify="right", no_wrap=True)
    for sweep in report.sweeps:
        key = sweep.key
        names = (key.backend, key.version, key.operator, key.element_type)
        style = "" if sweep.passes else "red"
        table.add_row(*(Text(each, style) for each in (*names, *_numbers(sweep))))
    console.print(table)
    for sweep in report.sweeps:
        for found in sweep.diverging:
            say(console, f"\n{_named(sweep)}: {found.agreement}", style="red")
            say(console, *_counted(found))
        say(console, *_unjudged(sweep), style="yellow")
    say(console, _last_line(report))


def _numbers(sweep: Sweep) -> Iterator[str]:
    yield from map(str, (sweep.blocks, sweep.judged, sweep.from_state))
    yield f"{sweep.same:,}"
    yield f"{sweep.other_nan:,}"
    yield f"{sweep.wrong:,}"
    yield f"{sweep.seconds or 0:.0f}"


def _named(sweep: Sweep) -> str:
    return f"{sweep.key.backend}: {sweep.key.operator} {sweep.key.element_type}"


def _counted(found: PairClass) -> Iterator[str]:
    yield f"  {found.pairs:,} pair{'s' * (found.pairs != 1)}, the smallest:"
    if example := found.smallest:
        for name, number in (
            ("A", example.a),
            ("B", example.b),
            ("expected", example.expected),
            ("got", example.got),
        ):
            yield f"  {name:8} = {number.decimal}  bits {number.bits}"


def _unjudged(sweep: Sweep) -> Iterator[str]:
    for each in sweep.not_judged:
        first, last = each.first * LEFT, (each.first + 1) * LEFT - 1
        where = f"the first has A from {first:#06x} to {last:#06x}"
        yield f"{_named(sweep)}: {each.blocks} blocks not judged: {each.reason} ({where})"


def _last_line(report: ExhaustiveReport) -> str:
    judged, asked = (
        sum(getattr(sweep, name) for sweep in report.sweeps) for name in ("judged", "blocks")
    )
    wrong = sum(sweep.wrong for sweep in report.sweeps)
    ending = "; interrupted: the next run goes on from here" if report.interrupted else ""
    return (
        f"\n{judged} of {asked} blocks judged, {wrong:,} pairs diverge,"
        f" in {report.made.took:,.1f} s{ending}"
    )
