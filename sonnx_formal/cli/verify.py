"""`verify-report`: what the hashes tell at once, and then the rest, whose modules load slowly."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from sonnx_formal.cli.conventions import CORES, CommandOutcome, exit_codes, reporting
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.terminal import Progress, say
from sonnx_formal.core.texts import counted
from sonnx_formal.report.seal import EVIDENCE, SUMS, Flaw, check_hashes

if TYPE_CHECKING:
    from sonnx_formal.report.bundle import VerificationReport
    from sonnx_formal.report.evidence import Evidence


@click.command("verify-report")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--replay",
    is_flag=True,
    help="Also prove all goals anew, and compute all expected results anew.",
)
@reporting("Write what was found as JSON.")
@exit_codes("nothing was changed", "something does not follow, and is named")
def verify_report_command(
    folder: Path, replay: bool, progress: Progress
) -> "CommandOutcome[VerificationReport]":
    """Check a report: hashes, and what follows from what.

    At once, whether every file has the hash in SHA256SUMS, and whether documents and sources have
    those in evidence.json. Then, for a minute or two: evidence.json follows from the documents, the
    sources and the certificate; each rendering and the PDF are, byte for byte, what evidence.json
    renders to; the test vectors are as their manifest says. With --replay, Why3 and the provers
    run, too.
    """
    files, at_once = check_hashes(folder)
    for flaw in at_once:
        progress.warn(_said(flaw))
    if not at_once:
        progress.warn(
            f"hashes: {counted(files, 'file is', 'files are')} as {SUMS} and {EVIDENCE} say"
        )
    progress("loading what the rest needs")
    from sonnx_formal.report.bundle import VerificationReport, verify_contents  # noqa: PLC0415 (NumPy, the PDF: seconds)

    evidence, later = verify_contents(folder, progress)
    if replay and evidence:
        try:
            later += _replayed(folder, evidence, progress)
        except UserError as error:
            if not (at_once or later):
                raise
            later.append(Flaw("replay", str(error)))
    flaws = (*at_once, *later)
    blocking = sum(gap.blocking for gap in evidence.gaps) if evidence else 0
    verdict = VerificationReport(not flaws, replay, blocking, flaws)
    show = partial(_print_flaws, folder=folder, said=len(at_once))
    return CommandOutcome(verdict, show, 1 if flaws else 0)


def _replayed(folder: Path, evidence: "Evidence", progress: Progress) -> Iterator[Flaw]:
    from sonnx_formal.report.bundle import recomputed_vectors, replayed_proofs  # noqa: PLC0415 (as above)

    yield from replayed_proofs(folder, evidence, CORES, progress)
    if evidence.vectors:
        yield from recomputed_vectors(folder, progress)


def _said(flaw: Flaw) -> str:
    return f"{flaw.file}: {flaw.what}"


def _print_flaws(console: Console, verdict: "VerificationReport", folder: Path, said: int) -> None:
    """Those that the hashes did not tell, and what comes of all."""
    say(console, *map(_said, verdict.flaws[said:]), style="red")
    if verdict.verified:
        anew = "proofs and results, too, were found out anew"
        how = anew if verdict.replayed else "no prover was run"
        say(console, f"everything follows from the sources in {folder}; {how}")
    else:
        count = counted(len(verdict.flaws), "flaw")
        say(console, f"{folder} is not as it was made: {count}", style="red")
    if verdict.blocking_gaps:
        say(console, f"the evidence itself says: {counted(verdict.blocking_gaps, 'blocking gap')}")
