"""The command `prove`."""

from pathlib import Path

import click

from sonnx_formal.cli.conventions import (
    CORES,
    json_option,
    number_option,
    say_command,
    standard_output,
)
from sonnx_formal.core import documents
from sonnx_formal.core.files import cache_folder
from sonnx_formal.core.progress import Progress
from sonnx_formal.core.terminal import say
from sonnx_formal.prover.document import document
from sonnx_formal.prover.prove import Mode, ProofRequest, prove
from sonnx_formal.prover.summary import exit_status, print_summary


@click.command("prove")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@number_option("--timeout", 10, "CPU time that a prover gets for a goal.", metavar="SECONDS")
# No core waits while one prover ends and the next one starts.
@number_option("--jobs", CORES + 1, "Provers at a time.", show_default="one more than cores")
@click.option("--fresh", is_flag=True, help="Believe nothing: read neither cache nor certificate.")
@click.option("--replay", is_flag=True, help="Only re-run the certificate, with step limits.")
@number_option("--families", 1, "Independent solver families that are to prove each goal.")
@click.option("--stop-at-first-failure", is_flag=True, help="End when a goal is not proved.")
@json_option("Write the result as JSON.")
def command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    files: tuple[Path, ...],
    timeout: int,
    jobs: int,
    fresh: bool,
    replay: bool,
    families: int,
    stop_at_first_failure: bool,
    json_path: Path | None,
) -> int:
    """Prove the goals of each FILE, or of the whole library.

    \b
    Exit status:
      0    everything is proved
      1    something is not proved
      2    bad input, or a tool is missing
      3    two provers contradict each other
      130  interrupted
    """
    if fresh and replay:
        raise click.UsageError("--fresh and --replay exclude each other")
    mode = Mode.FRESH if fresh else Mode.REPLAY if replay else Mode.NORMAL
    # What is proved has no use for explanations, and these take Why3 time.
    described = json_path is not None
    request = ProofRequest(files, timeout, jobs, mode, families, described, stop_at_first_failure)
    console = standard_output()
    with Progress(console) as progress:
        found = prove(request, progress)
    say_command(console)
    print_summary(console, found, request, cache_folder() / "unproved")
    if json_path and found.rejected:
        say(console, f"{json_path} was not written: the goals of these files are unknown")
    elif json_path:
        documents.write(json_path, document(found))
    return exit_status(found)
