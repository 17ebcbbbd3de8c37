"""What `sonnx-formal network` prints: a row a node, then what is wrong."""

from collections import Counter

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.check.document import Verdict
from sonnx_formal.check.network_document import NetworkReport
from sonnx_formal.check.summary import STYLES
from sonnx_formal.core.terminal import say

_TOLD = {*Verdict} - {Verdict.NOT_SUPPORTED}
"""What stands in the table; how often a node is not supported is told below it."""


def print_network(console: Console, report: NetworkReport) -> None:
    """Print the verdict on each node of each implementation; then reasons, and the last word."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    names = [each.name for each in report.asked]
    for heading in ("node", "operator", "types", "oracle"):
        table.add_column(heading, overflow="fold", no_wrap=heading != "node")
    for name in names:
        table.add_column(name, overflow="fold")
    for row in report.nodes:
        verdicts = {each.backend: each.verdict for each in row.answers if each.verdict in _TOLD}
        result = row.violated if row.shape is None else f"[{','.join(map(str, row.shape))}]"
        texts = (row.node, row.operator, row.element_type, result or "")
        of_each = (verdicts.get(name) for name in names)
        table.add_row(
            *(Text(each, "red" if row.violated else "") for each in texts),
            *(Text(str(each or ""), STYLES.get(each, "") if each else "") for each in of_each),
        )
    console.print(table)
    for row in report.nodes:
        for answer in row.answers:
            if answer.kinds:
                kinds = "; ".join(answer.kinds)
                say(console, f"{row.node}: {answer.backend} {answer.verdict}: {kinds}")
    say(console, "")
    for backend in report.backends:
        if backend.missing is None:
            say(console, f"{backend.name} {backend.version or ''}: {_counts(report, backend.name)}")
        else:
            say(console, f"{backend.name}: not installed: {backend.missing}")
    if report.nodes and (violated := report.nodes[-1].violated):
        say(
            console,
            f"{report.nodes[-1].node} violates {violated}: the definition has no result for it,"
            " and nothing goes on from there",
            style="red",
        )
    word = "passes" if report.passes else "does not pass"
    nodes = f"{len(report.nodes)} of {report.of} nodes"
    say(console, f"\n{report.model} {word}: {nodes} in {report.made.took:,.1f} s")


def _counts(report: NetworkReport, backend: str) -> str:
    """How often which verdict: `12 pass, 1 within bound`."""
    answers = (answer for row in report.nodes for answer in row.answers)
    counts = Counter(answer.verdict for answer in answers if answer.backend == backend)
    return ", ".join(f"{counts[each]} {each}" for each in Verdict if counts[each]) or "not asked"
