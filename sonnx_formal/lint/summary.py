"""What an examination looks like in a terminal."""

import re
from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.lint.examination import Examination, FixEntry
from sonnx_formal.lint.model import one_line
from sonnx_formal.lint.profile import LintVerdict

EXIT_STATUS = dict(zip(LintVerdict, (1, 2, 2, 0), strict=True))
_COLOURS = re.compile(
    r"(?:^|: )(?:(?P<red>violates)|(?P<green>conforms)"
    r"|(?P<yellow>cannot be decided statically|not judged))(?=  | \()",
    re.MULTILINE,
)
_OF_A_NODE = (LintVerdict.CONFORMS, LintVerdict.VIOLATES, LintVerdict.UNDECIDED)


def print_summary(console: Console, examination: Examination) -> None:
    """Findings, then how many nodes there are of each verdict, then what was not judged."""
    _say(console, examination.details)
    if examination.nodes:
        console.print(_table(examination))
    _say(console, examination.conclusion)


def print_fix(console: Console, fix: FixEntry, after: Examination) -> None:
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
    counts = Counter(each.verdict for each in after.nodes)
    of_each = ", ".join(f"{counts[each]} {each}" for each in _OF_A_NODE if counts[each])
    _say(console, f"{path}: {after.verdict} ({after.coverage}: {of_each})")


def _say(console: Console, words: str) -> None:
    """As it is: what looks like markup is data. Verdicts have their colours."""
    if words:
        text = Text(words.rstrip("\n"))
        text.highlight_regex(_COLOURS)
        console.print(text, soft_wrap=True)


def _table(examination: Examination) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("operator")
    for heading in ("nodes", *_OF_A_NODE):
        table.add_column(str(heading), justify="right")
    verdicts = [(each.operator, each.verdict) for each in examination.nodes]
    for operator in (*sorted({name for name, _ in verdicts}), "all"):
        counts = Counter(verdict for name, verdict in verdicts if operator in {"all", name})
        table.add_row(operator, str(counts.total()), *(str(counts[each]) for each in _OF_A_NODE))
    return table


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
