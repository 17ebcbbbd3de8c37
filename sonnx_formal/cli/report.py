"""What is made of all evidence: `refinements`, `report`, `self-test`, `trace`."""

import time
from functools import partial
from pathlib import Path

import click
from msgspec.structs import replace
from rich.console import Console

from sonnx_formal.cli.conventions import (
    CORES,
    CommandOutcome,
    exit_codes,
    json_option,
    path_option,
    reporting,
    standard_output,
    written_option,
)
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import is_folder, write_file
from sonnx_formal.core.terminal import Progress, say
from sonnx_formal.oracle.program import formal_sources_sha256
from sonnx_formal.prover.provenance import BegunRun
from sonnx_formal.prover.sources import find_library
from sonnx_formal.report.bundle import check_folder, write_bundle
from sonnx_formal.report.collection import PAGES, collect, outlook, proofs_to_take, record
from sonnx_formal.report.documents import VECTORS, SelfTest, read_documents, read_sources
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.item import configuration_item
from sonnx_formal.report.refinements import chapters, markdown, report
from sonnx_formal.report.self_test import run_all
from sonnx_formal.report.tables import tables
from sonnx_formal.report.trace.document import State, Trace, as_csv, print_summary
from sonnx_formal.report.trace.inputs import (
    TraceEvidence,
    ids_used,
    names_of_tests,
    read_crosscheck,
    stated_goals,
)
from sonnx_formal.report.trace.trace import trace
from sonnx_formal.spec.catalogue import missing_files
from sonnx_formal.spec.requirements.registry import registry
from sonnx_formal.vectors.manifest import manifest_sha256, read_manifest

_MADE = Path("build/evidence")
_SHOWN = 5


@click.command("refinements")
@written_option(
    "-o --output path", "PATH", "Write the page there; without this, to standard output."
)
@json_option("Write the theorems as JSON, too.")
@exit_codes("done", bad="bad input, or the formal library is missing")
def refinements_command(path: Path | None, json_path: Path | None) -> int:
    """Show how operators of SONNX, ONNX and OpenVINO compare.

    A page in Markdown, made from the formal sources: each theorem and each counterexample, in words
    and as it is stated. Whether they are proved, `sonnx-formal prove` says.

    \b
    Examples:
      sonnx-formal refinements
      sonnx-formal refinements -o build/refinements.md --json build/refinements.json
    """
    found = chapters(find_library())
    if path is None:
        click.echo(markdown(found), nl=False)
    else:
        write_file(path, markdown(found))
    if json_path:
        documents.write(json_path, report(found))
    return 0


@click.command("report")
@path_option(
    "-o --output folder",
    "DIR",
    "Write the report there; one that is there already is replaced.",
    default=Path("build/report"),
)
@path_option(
    "--from given",
    "DIR",
    "Take the documents that the commands wrote there, and run nothing.",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
)
@path_option(
    "--proofs given_proofs",
    "PATH",
    "Take over what `sonnx-formal prove --replay --families 2 --json PATH` found.",
)
@reporting("Write evidence.json there, too.")
@exit_codes(
    "no gap is blocking",
    "something is unproved, untraced, unaccounted for, missing, or of other sources",
    interrupted="interrupted: what was there before is there still",
)
def report_command(
    folder: Path, given: Path | None, given_proofs: Path | None, progress: Progress
) -> CommandOutcome[Evidence]:
    """Write the evidence: what is proved, and what is not.

    Runs the commands that find out (their documents go to build/evidence), puts what they wrote
    together as evidence.json, and renders it as HTML, PDF, Markdown, JUnit XML, SARIF, CSV and
    CycloneDX, with a page for each file of test vectors. A document that is missing is a gap, and
    the report says so. SOURCE_DATE_EPOCH is its date. What `make machines` and `make bench` found
    of libsonnx is shown if it is there, as targets.json and kernel-speed.json.

    Before it starts, it says how long each step will take. The proofs of an earlier replay or fresh
    run are taken over (those of --proofs, or those in build/evidence) if they are of the whole
    library as it is, by the same tools and without the cache; if not, it says why.

    \b
    Examples:
      sonnx-formal report -o report
      sonnx-formal report --proofs replay.json
      sonnx-formal report --from build/evidence
    """
    if given and given_proofs:
        raise click.UsageError("--from takes over all documents, --proofs one: give one of them")
    if given and not is_folder(given):  # which a device is not, though no file either
        raise UserError(f"{given} is not a folder: give the one that the commands wrote to")
    check_folder(folder)  # before the work, not after
    console = standard_output()
    if given is None:
        taken = proofs_to_take(given_proofs, _MADE, find_library())
        say(console, *outlook(_MADE, taken, tables().duration))
        collect(_MADE, taken, console, progress)
    written, root = given or _MADE, find_library().parent
    began = time.monotonic()
    evidence = write_bundle(
        folder,
        replace(read_documents(written), item=configuration_item(root)),
        read_sources(root),
        written / VECTORS,
        partial(progress, "writing the report"),
    )
    if given is None:
        record(_MADE, {PAGES: time.monotonic() - began})
    return CommandOutcome(evidence, partial(_print_gaps, folder=folder), int(not evidence.accepted))


def _print_gaps(console: Console, evidence: Evidence, folder: Path) -> None:
    for gap in evidence.gaps:
        count = f" ({gap.count:,})" if gap.count else ""
        if not gap.blocking:
            say(console, f"{gap.gap_class}: {gap.title}{count}")
            continue
        say(console, f"blocking {gap.gap_class}: {gap.title}{count}", style="red")
        say(console, *(f"  {item}" for item in gap.items[:_SHOWN]))
        if gap.count > _SHOWN:
            say(console, f"  and {gap.count - _SHOWN:,} more")
    verdict = "no gap is blocking" if evidence.accepted else "not accepted"
    say(console, f"\n{verdict}; the report is {folder / 'report.html'}")


@click.command("self-test")
@reporting("Write what was caught as JSON.")
@exit_codes("everything was caught", "something was not", bad="a tool is missing")
def self_test_command(progress: Progress) -> CommandOutcome[SelfTest]:
    """Do wrong what must be noticed, and see whether it is.

    Each thing is done in a temporary folder: a false lemma, a prover that lies, a cache entry, a
    test vector and a report that are edited, and so on.
    """
    done = run_all(partial(progress, "self-test"))
    missed = done.summary.caught < done.summary.injections
    return CommandOutcome(done, _print_injections, int(missed))


def _print_injections(console: Console, done: SelfTest) -> None:
    for entry in done.injections:
        if entry.caught:
            say(console, f"{entry.injected}: caught by {entry.guard}: {entry.said}")
        else:
            say(console, f"{entry.injected}: NOT caught", style="red")
    say(console, f"\n{done.summary.caught} of {done.summary.injections} caught")


@click.command("trace")
@path_option("--vectors folder", "DIR", "Test vectors that `sonnx-formal vectors` wrote there.")
@path_option(
    "--check crosscheck",
    "PATH",
    "What `sonnx-formal check --vectors DIR --json PATH` found of them.",
)
@path_option(
    "--proofs run",
    "PATH",
    "What `sonnx-formal prove --json PATH` found, in place of the committed certificate.",
)
@written_option("--csv csv_path", "PATH", "Write a table of the requirements.")
@reporting("Write the trace as JSON.")
@exit_codes("the trace is whole", "it is broken or incomplete")
def trace_command(
    folder: Path | None,
    crosscheck: Path | None,
    run: Path | None,
    csv_path: Path | None,
    progress: Progress,
) -> CommandOutcome[Trace]:
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
    """
    if crosscheck and folder is None:
        raise click.UsageError("--check is about test vectors: name them with --vectors")
    progress("reading what is to be traced")
    manifest = read_manifest(folder) if folder else None
    if manifest and manifest.origin.formal_sources_sha256 != formal_sources_sha256():
        raise UserError(
            f"{folder}: the vectors are of other formal sources: generate them anew with "
            "`sonnx-formal vectors`"
        )
    library = find_library()
    root, asked = library.parent, registry()
    evidence = TraceEvidence(
        made=BegunRun.of(library),
        goals=stated_goals(library, run, CORES, asked.has_goals_in),
        vectors=manifest,
        crosscheck=read_crosscheck(crosscheck, manifest_sha256(folder))
        if crosscheck and folder
        else None,
        tests=names_of_tests(root) if (root / "tests").is_dir() else None,
        used=ids_used(root),
        missing=tuple(missing_files(root)),
    )
    found = trace(asked, evidence)
    if csv_path:
        write_file(csv_path, as_csv(found))
    return CommandOutcome(found, print_summary, int(found.state is not State.WHOLE))
