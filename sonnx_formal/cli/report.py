"""The command `report`."""

from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_atomically
from sonnx_formal.core.progress import Progress
from sonnx_formal.prover.sources import find_library
from sonnx_formal.report.bundle import write_bundle
from sonnx_formal.report.collect import collect
from sonnx_formal.report.documents import KINDS, VECTORS, read
from sonnx_formal.report.evidence import Evidence, encoded
from sonnx_formal.report.sources import read_sources

_MADE = Path("build/evidence")
_SHOWN = 5


@click.command("report")
@click.option(
    "-o",
    "--output",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path("build/report"),
    show_default=True,
    help="Write the report there; one that is there already is replaced.",
)
@click.option(
    "--from",
    "given",
    metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Take the documents that the commands wrote there, and run nothing.",
)
@json_option("Write evidence.json there, too.")
def command(folder: Path, given: Path | None, json_path: Path | None) -> int:
    """Write the evidence: what is proved, and what is not.

    Runs the commands that find out (for minutes; their documents go to build/evidence), puts what
    they wrote together as evidence.json, and renders it as HTML, PDF, Markdown, JUnit XML, SARIF,
    CSV and CycloneDX. A document that is missing is a gap, and the report says so.

    \b
    Examples:
      sonnx-formal report -o report
      sonnx-formal report --from build/evidence

    \b
    Exit status:
      0    no gap is blocking
      1    something is unproved, untraced, unaccounted for, missing, or of other sources
      2    bad input, or a tool is missing
      130  interrupted: what was there before is there still
    """
    console = standard_output()
    if given is None:
        collect(_MADE, lambda line: console.print(Text(line, "bold"), soft_wrap=True))
    documents = _documents(given or _MADE)
    sources = read_sources(find_library().parent)
    with Progress(console) as progress:
        evidence = write_bundle(
            folder,
            documents,
            sources,
            (given or _MADE) / VECTORS,
            lambda what: progress("writing the report", what),
        )
    if json_path:
        try:
            write_atomically(json_path, encoded(evidence))
        except OSError as error:
            raise UserError(f"{json_path} could not be written: {error.strerror}") from None
    say_command(console)
    _print(console, evidence, folder)
    return 0 if evidence.accepted else 1


def _documents(folder: Path) -> dict[str, dict[str, object]]:
    found = {kind.name: read(kind, folder / kind.path) for kind in KINDS}
    return {name: document for name, document in found.items() if document is not None}


def _print(console: Console, evidence: Evidence, folder: Path) -> None:
    for gap in evidence.gaps:
        count = f" ({gap.count:,})" if gap.count else ""
        style = "red" if gap.blocking else ""
        kind = "blocking gap: " if gap.blocking else "gap: "
        console.print(Text(f"{kind}{gap.title}{count}", style), soft_wrap=True)
        if gap.blocking:
            for item in gap.items[:_SHOWN]:
                console.print(Text(f"  {item}"), soft_wrap=True)
            if gap.count > _SHOWN:
                console.print(Text(f"  and {gap.count - _SHOWN:,} more"), soft_wrap=True)
    verdict = "no gap is blocking" if evidence.accepted else "not accepted"
    console.print(Text(f"\n{verdict}; the report is {folder / 'report.html'}"), soft_wrap=True)
