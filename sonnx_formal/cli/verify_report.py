"""The command `verify-report`."""

import os
from pathlib import Path

import click
from rich.text import Text

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.progress import Progress
from sonnx_formal.report.replay import recomputed_vectors, replayed_proofs
from sonnx_formal.report.verify import Flaw, ReportCheck, VerificationReport, verify


@click.command("verify-report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--replay",
    is_flag=True,
    help="Also prove all goals anew, and compute all expected results anew.",
)
@json_option("Write what was found as JSON.")
def command(folder: Path, replay: bool, json_path: Path | None) -> int:
    """Check a report: hashes, and what follows from what.

    Every file has the hash in SHA256SUMS; evidence.json follows from the documents, the sources and
    the certificate; each rendering and the PDF are, byte for byte, what evidence.json renders to;
    the test vectors are as their manifest says. With --replay, Why3 and the provers run, too.

    \b
    Exit status:
      0    nothing was changed
      1    something does not follow, and is named
      2    bad input, or a tool is missing
      130  interrupted
    """
    console = standard_output()
    with Progress(console) as progress:
        found = verify(folder, lambda what: progress("verifying the report", what))
    flaws = list(found.flaws)
    if replay and found.evidence:
        flaws += _replayed(folder, found)
    say_command(console)
    for flaw in flaws:
        console.print(Text(f"{flaw.file}: {flaw.what}", "red"), soft_wrap=True)
    evidence = found.evidence
    blocking = sum(gap.blocking for gap in evidence.gaps) if evidence else 0
    if not flaws:
        how = "proofs and results, too, were found out anew" if replay else "no prover was run"
        console.print(
            Text(f"everything follows from the sources in {folder}; {how}"), soft_wrap=True
        )
    if blocking:
        console.print(Text(f"the evidence itself says: {blocking} blocking gaps"), soft_wrap=True)
    if json_path:
        verdict = VerificationReport(not flaws, replay, blocking, tuple(flaws))
        documents.write(json_path, verdict)
    return 1 if flaws else 0


def _replayed(folder: Path, found: ReportCheck) -> list[Flaw]:
    assert found.evidence
    console = standard_output()
    jobs = len(os.sched_getaffinity(0))
    flaws: list[Flaw] = []
    try:
        with Progress(console) as progress:
            flaws += replayed_proofs(folder, found.evidence, jobs, progress)
        if found.evidence.vectors:
            with Progress(console) as step:
                flaws += recomputed_vectors(
                    folder, lambda what, number, of: step(f"verifying vectors, {number}/{of}", what)
                )
    except UserError as error:
        if not found.flaws:
            raise
        flaws.append(Flaw("replay", str(error)))
    return flaws
