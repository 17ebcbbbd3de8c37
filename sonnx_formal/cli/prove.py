"""The command `prove`."""

import os
from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output
from sonnx_formal.core import documents
from sonnx_formal.core.files import cache_folder
from sonnx_formal.core.progress import Progress
from sonnx_formal.prover.document import document
from sonnx_formal.prover.prove import Mode, ProofRequest, prove
from sonnx_formal.prover.summary import exit_status, print_summary


@click.command("prove")
@click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="CPU time that a prover gets for a goal.",
)
@click.option(
    "--jobs",
    metavar="N",
    type=click.IntRange(min=1),
    # No core waits while one prover ends and the next one starts.
    default=len(os.sched_getaffinity(0)) + 1,
    show_default="one more than cores",
    help="Provers at a time.",
)
@click.option("--fresh", is_flag=True, help="Believe nothing: read neither cache nor certificate.")
@click.option("--replay", is_flag=True, help="Only re-run the certificate, with step limits.")
@click.option(
    "--families",
    metavar="N",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Independent solver families that are to prove each goal.",
)
@json_option("Write the result as JSON.")
def command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    files: tuple[Path, ...],
    timeout: int,
    jobs: int,
    fresh: bool,
    replay: bool,
    families: int,
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
    # A replay of what is proved has no use for explanations, and these take Why3 time.
    described = mode is not Mode.REPLAY or json_path is not None
    request = ProofRequest(files, timeout, jobs, mode, families, described=described)
    console = standard_output()
    with Progress(console) as progress:
        found = prove(request, progress)
    say_command(console)
    print_summary(console, found, request, cache_folder() / "unproved")
    if json_path:
        documents.write(json_path, document(found))
    return exit_status(found)
