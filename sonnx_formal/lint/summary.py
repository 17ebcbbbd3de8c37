"""What an examination looks like in a terminal."""

from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.lint.errors import one_line
from sonnx_formal.lint.examination import Examination
from sonnx_formal.lint.finding import Conformance
from sonnx_formal.lint.fix import Fix

EXIT_STATUS = {
    Conformance.CONFORMS: 0,
    Conformance.VIOLATES: 1,
    Conformance.UNDECIDED: 2,
    Conformance.NOT_JUDGED: 2,
}
_STYLES = {
    Conformance.CONFORMS: "green",
    Conformance.VIOLATES: "red",
    Conformance.UNDECIDED: "yellow",
    Conformance.NOT_JUDGED: "yellow",
}
_OF_A_NODE = (Conformance.CONFORMS, Conformance.VIOLATES, Conformance.UNDECIDED)


def print_summary(console: Console, examination: Examination) -> None:
    """Findings, then how many nodes there are of each verdict, then what was not judged."""
    for judged in examination.nodes:
        for verdict, where, what in judged.lines():
            _say(console, Text.assemble((verdict, _STYLES[verdict]), (f"  {where}", "bold")))
            _say(console, what)
    for note in examination.notes:
        _say(console, f"note: {one_line(note)}")
    if examination.nodes:
        console.print(_table(examination))
    if examination.others:
        _say(console, f"outside the scope of this toolkit, and not judged: {examination.unjudged}")
    _say_verdict(console, examination)


def print_fix(console: Console, fix: Fix) -> None:
    """What was written, and why it is the same."""
    done, path = fix.equivalence, one_line(fix.output)
    _say(
        console,
        f"{path}: broadcasting is explicit at {_count(len(fix.explicit), 'node')};"
        f" {_count(done.values, 'value')} the same bit for bit in each of"
        f" {_count(done.runs, 'run')} before and after",
    )
    if done.not_run:
        _say(console, f"{_count(done.not_run, 'run')} more ended in an error before and after")
    counts = Counter(each.verdict for each in fix.after.nodes)
    of_each = ", ".join(f"{counts[each]} {each}" for each in _OF_A_NODE if counts[each])
    _say_verdict(console, fix.after, f": {of_each}")


def _say_verdict(console: Console, examination: Examination, details: str = "") -> None:
    verdict = examination.verdict
    rest = f" ({examination.coverage}{details})"
    path = one_line(examination.path)
    _say(console, Text.assemble(f"{path}: ", (verdict, _STYLES[verdict]), rest))


def _say(console: Console, text: str | Text) -> None:
    """As it is: what looks like markup is data."""
    console.print(Text(text) if isinstance(text, str) else text, soft_wrap=True)


def _table(examination: Examination) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("operator")
    for heading in ("nodes", *_OF_A_NODE):
        table.add_column(str(heading), justify="right")
    for operator in (*sorted({each.op_type for each in examination.nodes}), "all"):
        counts = Counter(
            each.verdict for each in examination.nodes if operator in {"all", each.op_type}
        )
        table.add_row(operator, str(counts.total()), *(str(counts[each]) for each in _OF_A_NODE))
    return table


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
