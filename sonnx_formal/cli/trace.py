"""The command `trace`."""

import os
from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_atomically
from sonnx_formal.oracle.program import formal_sources_sha256
from sonnx_formal.prover.sources import find_library
from sonnx_formal.report.trace.crosscheck import CrossCheck, read_crosscheck
from sonnx_formal.report.trace.evidence import TraceEvidence, committed_registry
from sonnx_formal.report.trace.goals import goals_of_library, goals_of_run
from sonnx_formal.report.trace.summary import as_csv, exit_status, print_summary
from sonnx_formal.report.trace.trace import trace
from sonnx_formal.report.trace.usage import ids_used, names_of_tests
from sonnx_formal.spec.completeness import missing_files
from sonnx_formal.vectors.manifest import Manifest, manifest_sha256, read_manifest


@click.command("trace")
@click.option(
    "--vectors",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Test vectors that `sonnx-formal vectors` wrote there.",
)
@click.option(
    "--check",
    "crosscheck",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="What `sonnx-formal check --vectors DIR --json PATH` found of them.",
)
@click.option(
    "--proofs",
    "run",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="What `sonnx-formal prove --json PATH` found, in place of the committed certificate.",
)
@click.option(
    "--csv",
    "csv_path",
    metavar="PATH",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a table of the requirements.",
)
@json_option("Write the trace as JSON.")
def command(
    folder: Path | None,
    crosscheck: Path | None,
    run: Path | None,
    csv_path: Path | None,
    json_path: Path | None,
) -> int:
    """Trace each requirement to goals, vectors and tests, and back.

    What has no proof or no passing vector, links that lead nowhere, goals that serve no
    requirement and ids that no document has are errors. Evidence that is not given counts for
    nothing: without vectors and a cross-check, the trace is incomplete. What is planned, proved by
    one family of provers or claimed of real numbers only is listed as a gap.

    \b
    Examples:
      sonnx-formal vectors -o build/vectors
      sonnx-formal check --vectors build/vectors --json build/check.json
      sonnx-formal trace --vectors build/vectors --check build/check.json --csv trace.csv

    \b
    Exit status:
      0    the trace is whole
      1    it is broken or incomplete
      2    bad input, or a tool is missing
      130  interrupted
    """
    library = find_library()
    root, jobs = library.parent, len(os.sched_getaffinity(0))
    registry = committed_registry()
    chosen = registry.has_goals_in
    evidence = TraceEvidence(
        goals=goals_of_run(library, run, jobs, chosen)
        if run
        else goals_of_library(library, jobs, chosen),
        vectors=_current(folder) if folder else None,
        crosscheck=_of_these(folder, crosscheck) if crosscheck else None,
        tests=names_of_tests(root) if (root / "tests").is_dir() else None,
        used=ids_used(root),
        missing=tuple(missing_files(root)),
    )
    found = trace(registry, evidence)
    console = standard_output()
    say_command(console)
    print_summary(console, found)
    if json_path:
        documents.write(json_path, found)
    if csv_path:
        _write(csv_path, as_csv(found))
    return exit_status(found)


def _current(folder: Path) -> Manifest:
    """The manifest of vectors of the library as it is now. Raises `UserError`."""
    manifest = read_manifest(folder)
    if manifest.origin.formal_sources_sha256 != formal_sources_sha256():
        raise UserError(
            f"{folder}: the vectors are of other formal sources: generate them anew with "
            "`sonnx-formal vectors`"
        )
    return manifest


def _of_these(folder: Path | None, crosscheck: Path) -> CrossCheck:
    """The cross-check of these vectors. Raises `UserError`."""
    if folder is None:
        raise click.UsageError("--check is about test vectors: name them with --vectors")
    return read_crosscheck(crosscheck, manifest_sha256(folder))


def _write(path: Path, text: str) -> None:
    try:
        write_atomically(path, text)
    except OSError as error:
        raise UserError(f"{path} could not be written: {error.strerror}") from None
