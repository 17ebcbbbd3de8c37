"""What `sonnx-formal network` prints: a row a node, then what is wrong."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.check.network_document import NetworkReport
from sonnx_formal.check.summary import STYLES
from sonnx_formal.core.terminal import say


def print_network(console: Console, report: NetworkReport) -> None:
    """Print the verdict on each node by each implementation; then reasons, and the last word."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    names = [each.name for each in report.asked]
    for heading in ("node", "operator", "types", "result", *names):
        table.add_column(heading, overflow="fold")
    for row in report.nodes:
        verdicts = {each.backend: each.verdict for each in row.answers}
        result = row.violated if row.shape is None else f"[{', '.join(map(str, row.shape))}]"
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
    for backend in report.backends:
        if backend.missing is not None:
            say(console, f"{backend.name}: not installed: {backend.missing}")
    if report.nodes and (violated := report.nodes[-1].violated):
        say(
            console,
            f"{report.nodes[-1].node} violates {violated}: the definition has no result for it,"
            " and nothing goes on from there",
            style="red",
        )
    say(console, f"\n{len(report.nodes)} of {report.of} nodes in {report.seconds or 0:.1f} s")
