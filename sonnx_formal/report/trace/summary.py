"""What a trace looks like: a table, what is wrong, the gaps; and as CSV."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.core.terminal import say
from sonnx_formal.report.trace.document import Proof, RequirementLine, State, Trace, TraceFault

_STYLES = {
    Proof.PLANNED: "dim",
    Proof.UNPROVED: "red",
    Proof.ONE_FAMILY: "yellow",
    Proof.TWO_FAMILIES: "green",
}
COLUMNS = (
    "id", "document", "section", "kind", "levels", "status", "text", "proof", "ladder", "goals",
    "goals proved by two families", "vectors", "confirmed by", "tests", "findings", "gaps",
    "errors",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def exit_status(trace: Trace) -> int:
    """Zero only if the trace is whole."""
    return 0 if trace.state is State.WHOLE else 1


def print_summary(console: Console, trace: Trace) -> None:
    """The gaps first, then the table, the findings, and what is wrong."""
    say(console, "Gaps", *_gaps(trace), "")
    console.print(_table(trace))
    shown = sum(line.proof is not None for line in trace.findings)
    found = f"{len(trace.findings)} findings about the source documents"
    say(console, f"\n{found}, {shown} of them shown by goals")
    for error in trace.errors:
        subject = Text(f"{error.subject}: {error.rule}", "red")
        console.print(subject + Text(f": {error.message}"), soft_wrap=True)
    say(console, _last_line(trace))


def as_csv(trace: Trace | None) -> str:
    """A row for each requirement, below a row of titles; several values in a cell have a line each.

    Where there is no trace, there is no row. A text that a spreadsheet would take for a formula
    begins with an apostrophe.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for line in trace.requirements if trace else ():
        cells = _cells(line, trace.errors if trace else ())
        writer.writerow(f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in cells)
    return text.getvalue()


def _cells(line: RequirementLine, errors: Iterable[TraceFault]) -> tuple[str, ...]:
    return (
        line.id,
        line.document,
        line.section,
        line.kind,
        "\n".join(line.levels),
        line.claim,
        line.text,
        line.proof,
        "\n".join(line.ladder),
        "\n".join(dict.fromkeys(goal.symbol for goal in line.goals)),
        f"{line.two_families} of {len(line.goals)}",
        "\n".join(f"{count.name}: {count.cases}" for count in line.vectors),
        "\n".join(map(str, line.confirmed_by)),
        "\n".join(line.tests),
        "\n".join(line.findings),
        "\n".join(line.gaps),
        "\n".join(f"{each.rule}: {each.message}" for each in errors if each.subject == line.id),
    )


def _gaps(trace: Trace) -> Iterator[str]:
    """Each gap once, with how many requirements have it."""
    for name in trace.not_given:
        yield f"  no {name} given: nothing is taken for it"
    documents: dict[str, list[str]] = {}
    for line in trace.requirements:
        for gap in line.gaps:
            kind = "some goals proved by one family of provers only" if "one family" in gap else gap
            documents.setdefault(kind, []).append(line.document)
    for gap, names in documents.items():
        yield f"  {len(names)} requirements of {', '.join(dict.fromkeys(names))}: {gap}"


def _table(trace: Trace) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("requirement", "proof"):
        table.add_column(name, no_wrap=True)
    for name in ("goals", "by two", "cases"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("vectors pass on", overflow="fold")
    for line in trace.requirements:
        confirmed = (each.implementation if each.complete else each for each in line.confirmed_by)
        proof = Text(line.proof, _STYLES[line.proof])
        counts = len(line.goals), line.two_families, line.cases
        table.add_row(line.id, proof, *map(str, counts), Text(", ".join(map(str, confirmed))))
    return table


def _last_line(trace: Trace) -> str:
    counts = Counter(line.proof for line in trace.requirements)
    parts = [f"{counts[proof]} {proof}" for proof in reversed(Proof) if counts[proof]]
    total = f"{len(trace.requirements)} requirements: {', '.join(parts)}"
    match trace.state:
        case State.WHOLE:
            ending = "the trace is whole"
        case State.INCOMPLETE:
            ending = f"the trace is incomplete: not given: {', '.join(trace.not_given)}"
        case State.BROKEN:
            number = len(trace.errors)
            ending = f"the trace is broken: {number} error{'s' * (number > 1)}"
    return f"{total}; {ending}"
