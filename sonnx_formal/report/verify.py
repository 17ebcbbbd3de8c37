"""A report checked against itself, and its proofs and expected results found out anew."""

from collections.abc import Callable, Iterator
from pathlib import Path

from sonnx_formal.core.documents import Count, Document, Part, decode, encode
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.progress import Progress, Step
from sonnx_formal.prover.prove import Mode, ProofRequest, prove
from sonnx_formal.report.bundle import DOCUMENTS, EVIDENCE, PDF, RENDERINGS, SOURCES, SUMS, files_in
from sonnx_formal.report.documents import KINDS, VECTORS, read, sha256
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.pdf import unlike
from sonnx_formal.report.sources import read_sources
from sonnx_formal.vectors.folder import verify as verify_vectors
from sonnx_formal.vectors.storage import load

_TIMEOUT = 10  # of a search, which a replay is not


class Flaw(Part, frozen=True):
    """Something that is not as it should be."""

    file: str
    what: str


class VerificationReport(Document, frozen=True, tag="sonnx-formal/verify-report/1"):
    """The output of `sonnx-formal verify-report --json`."""

    command = "verify-report DIR --json PATH"

    verified: bool
    """Whether nothing was changed."""
    replayed: bool
    """Whether proofs and expected results were found out anew."""
    blocking_gaps: Count
    """What the evidence itself says."""
    flaws: tuple[Flaw, ...]


def verify(folder: Path, say: Callable[[str], None]) -> tuple[Evidence | None, list[Flaw]]:
    """Check a report with nothing but the files in its folder. No prover is run.

    The evidence is None where it cannot be read.

    :param say: is told what comes next.
    :raises UserError: when there is no report.
    """
    if not (folder / SUMS).is_file():
        raise UserError(f"{folder / SUMS}: no such file: is {folder} the folder of a report?")
    say("hashes")
    flaws = [*_hashes(folder)]
    say("evidence")
    try:
        data = (folder / EVIDENCE).read_bytes()
        evidence = decode(data, Evidence, EVIDENCE)
    except OSError as error:
        return None, [*flaws, Flaw(EVIDENCE, str(error.strerror))]
    except UserError as error:
        said = str(error).removeprefix(f"{EVIDENCE}: ")
        return None, [*flaws, Flaw(EVIDENCE, said)]
    flaws += _derivation(folder, data, evidence)
    for name, render in RENDERINGS.items():
        say(name)
        # What is missing is said already, with the hashes.
        path = folder / name
        if path.is_file() and path.read_bytes() != render(evidence).encode():
            flaws.append(Flaw(name, f"is not what {EVIDENCE} renders to"))
    say(PDF)
    flaws += (Flaw(PDF, what) for what in unlike(folder / PDF, evidence))
    say("test vectors")
    if evidence.vectors:
        try:
            for _ in load(folder / VECTORS):
                pass
        except UserError as error:
            flaws.append(Flaw(VECTORS, str(error).replace(f"{folder}/", "")))
    return evidence, flaws


def _hashes(folder: Path) -> Iterator[Flaw]:
    listed: dict[str, str] = {}
    try:
        lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        yield Flaw(SUMS, "cannot be read")
        return
    for number, line in enumerate(lines, start=1):
        seal, separator, name = line.partition("  ")
        if not separator or name in listed:
            yield Flaw(
                SUMS, f"line {number} is not as `sha256sum` writes it, or a file is there twice"
            )
            continue
        listed[name] = seal
    present = files_in(folder)
    for name in sorted(set(listed) - set(present)):
        yield Flaw(name, "is missing")
    for name in present:
        if name not in listed:
            yield Flaw(name, f"{SUMS} does not have it: it was added")
        elif (folder / name).is_symlink():
            yield Flaw(name, "is a link")
        elif sha256((folder / name).read_bytes()) != listed[name]:
            yield Flaw(name, f"was changed: its hash is not the one in {SUMS}")


def _derivation(folder: Path, data: bytes, evidence: Evidence) -> Iterator[Flaw]:
    """Whether the evidence is what the documents and the sources give."""
    documents = {}
    for kind in KINDS:
        name = kind.path if kind.name == VECTORS else f"{DOCUMENTS}/{kind.path}"
        try:
            if (found := read(kind, folder / name)) is not None:
                documents[kind.name] = found
        except UserError as error:
            yield Flaw(name, str(error).removeprefix(f"{folder / name}: "))
            return
    try:
        derived = assemble(documents, read_sources(folder / SOURCES))
    except UserError as error:
        yield Flaw(DOCUMENTS, str(error))
        return
    if encode(derived) != data:
        names = Evidence.__struct_fields__
        fields = [name for name in names if getattr(derived, name) != getattr(evidence, name)]
        where = ", ".join(fields) or "the layout of the file"
        yield Flaw(EVIDENCE, f"does not follow from {DOCUMENTS}/ and {SOURCES}/: {where}")


def replayed_proofs(
    folder: Path, evidence: Evidence, jobs: int, progress: Progress
) -> Iterator[Flaw]:
    """Export every goal from the sources of the report, and prove it by their certificate.

    :raises UserError: when a tool is missing, or Why3 rejects a source.
    """
    request = ProofRequest((), _TIMEOUT, jobs, Mode.REPLAY, families=2, described=False)
    found = prove(request, progress, library=(folder / SOURCES / "why3").resolve())
    if found.interrupted:
        raise KeyboardInterrupt
    recorded = {goal.id: goal for goal in evidence.goals}
    for run in found.runs:
        goal = recorded.pop(run.goal.id, None)
        if goal is None:
            yield Flaw(SOURCES, f"{run.goal.id} is a goal, and the evidence has none of this id")
        elif goal.task_sha256 != run.goal.task.sha256:
            yield Flaw(SOURCES, f"{run.goal.id}: Why3 states another text than the evidence says")
        elif goal.proved and not run.proved:
            yield Flaw(SOURCES, f"{run.goal.id} is not proved: {run.reason or 'no prover could'}")
        elif missing := set(goal.families) - set(run.families):
            yield Flaw(SOURCES, f"{run.goal.id} is not proved by {', '.join(sorted(missing))}")
    for identifier in recorded:
        yield Flaw(SOURCES, f"the evidence has {identifier}, and Why3 states no such goal")


def recomputed_vectors(folder: Path, step: Step) -> Iterator[Flaw]:
    """Compute each expected result by the definitions of this installation.

    :raises UserError: when the definitions cannot be run.
    """
    for difference in verify_vectors(folder / VECTORS, step).differences:
        yield Flaw(f"{VECTORS}/{difference.file}", f"{difference.case or ''} {difference.what}")
