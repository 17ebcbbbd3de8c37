"""The folder of a report: the evidence, its renderings, all that they follow from, and hashes."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sonnx_formal.core.documents import Count, Document, decode, encode
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import check_replaceable, read_file, read_given, replaced
from sonnx_formal.core.terminal import Progress, Step
from sonnx_formal.prover.prove import ProofRequest, prove
from sonnx_formal.prover.provenance import Mode
from sonnx_formal.report.cases import CASES
from sonnx_formal.report.documents import (
    ITEM,
    KINDS,
    VECTORS,
    Documents,
    read_documents,
    read_sources,
)
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.exports import bill_of_materials, junit_xml, sarif
from sonnx_formal.report.pdf import date_of_sources, pdf, unlike
from sonnx_formal.report.seal import EVIDENCE, SOURCES, SUMS, Flaw, check_hashes, sums
from sonnx_formal.report.trace.document import as_csv
from sonnx_formal.report.vector_pages import vector_pages
from sonnx_formal.report.views import assurance_svg, page, summary
from sonnx_formal.vectors.folder import verify as verify_vectors

PDF = "report.pdf"
DOCUMENTS = "documents"

_TIMEOUT = 10  # of a search, which a replay is not

RENDERINGS: Mapping[str, Callable[[Evidence], str]] = {
    "report.html": page,
    "report.md": summary,
    "assurance.svg": assurance_svg,
    "junit.xml": junit_xml,
    "report.sarif": sarif,
    "trace.csv": lambda evidence: as_csv(evidence.trace),
    "sbom.cdx.json": bill_of_materials,
}
"""The files that are rendered from the evidence, but for the PDF."""


_OTHERS = (EVIDENCE, PDF, DOCUMENTS, SOURCES, VECTORS, CASES, *RENDERINGS)
"""What a report has in its folder besides its hashes."""


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


def check_folder(folder: Path) -> None:
    """Raises `UserError` where a report cannot be written since something else is there."""
    check_replaceable(folder.resolve(), SUMS, _OTHERS)


def write_bundle(
    folder: Path,
    documents: Documents,
    sources: Mapping[str, bytes],
    vectors: Path,
    say: Callable[[str], None],
) -> Evidence:
    """Write a report; one that is there already is replaced as a whole, or not at all.

    :param vectors: the folder of the test vectors; need not exist if there is no such document.
    :raises UserError: when it cannot be written, or the folder holds something else.
    """
    with replaced(folder, SUMS, _OTHERS) as made, ThreadPoolExecutor(1) as beside:
        say(EVIDENCE)
        # What is rendered is what the file says, read back.
        data = encode(assemble(documents, sources, vectors if documents.vectors else None))
        evidence = decode(data, Evidence, EVIDENCE)
        drawn = beside.submit(pdf, evidence, date_of_sources())
        files = {EVIDENCE: data}
        for kind in KINDS:
            if kind.name != VECTORS and (document := kind.found(documents)):
                files[str(kind.path(DOCUMENTS))] = encode(document)
        if documents.item:
            files[f"{DOCUMENTS}/{ITEM}"] = encode(documents.item)
        files |= {f"{SOURCES}/{path}": source for path, source in sources.items()}
        for name, render in RENDERINGS.items():
            say(name)
            files[name] = render(evidence).encode()
        if documents.vectors:
            say(CASES)
            files |= {path: text.encode() for path, text in vector_pages(evidence, vectors)}
        say(PDF)
        files[PDF] = drawn.result()
        for name, content in files.items():
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if documents.vectors:
            shutil.copytree(vectors, made / VECTORS)
        (made / SUMS).write_text(sums(made), encoding="utf-8")
    return evidence


def verify(folder: Path, step: Step) -> tuple[Evidence | None, list[Flaw]]:
    """Check a report with nothing but the files in its folder. No prover is run.

    The evidence is None where it cannot be read. Raises `UserError` when there is no report.
    """
    flaws = check_hashes(folder).flaws
    evidence, others = verify_contents(folder, step)
    return evidence, flaws + others


def verify_contents(folder: Path, step: Step) -> tuple[Evidence | None, list[Flaw]]:
    """The same, but for the hashes, which tell nothing of what follows from what."""
    parts = (EVIDENCE, *RENDERINGS, VECTORS, PDF)

    def begin(part: str) -> None:
        step(f"{parts.index(part) + 1} of {len(parts)} parts of the report", part)

    begin(EVIDENCE)
    try:
        data = read_file(folder / EVIDENCE)
        evidence = decode(data, Evidence, EVIDENCE)
    except UserError as error:
        what = str(error).removeprefix(f"{folder}/").removeprefix(f"{EVIDENCE}: ")
        return None, [Flaw(EVIDENCE, what)]
    with ThreadPoolExecutor(1) as beside:
        paper = beside.submit(lambda: [*unlike(folder / PDF, evidence)])
        flaws = [*_derivation(folder, data, evidence)]
        for name, render in RENDERINGS.items():
            begin(name)
            # What is missing is said already, with the hashes.
            path = folder / name
            if path.is_file() and read_given(path) != render(evidence).encode():
                flaws.append(Flaw(name, f"is not what {EVIDENCE} renders to"))
        begin(VECTORS)
        if evidence.vectors:
            flaws += _changed_cases(folder, evidence)
        begin(PDF)
        flaws += (Flaw(PDF, what) for what in paper.result())
    return evidence, flaws


def _changed_cases(folder: Path, evidence: Evidence) -> Iterator[Flaw]:
    try:
        for name, text in vector_pages(evidence, folder / VECTORS):
            path = folder / name
            if not path.is_file() or read_given(path) != text.encode():
                yield Flaw(name, f"is not what {EVIDENCE} and {VECTORS}/ render to")
    except UserError as error:
        yield Flaw(VECTORS, str(error).replace(f"{folder}/", ""))


def _derivation(folder: Path, data: bytes, evidence: Evidence) -> Iterator[Flaw]:
    try:
        documents = read_documents(folder, DOCUMENTS)
        vectors = folder / VECTORS if documents.vectors else None
        derived = assemble(documents, read_sources(folder / SOURCES), vectors)
    except UserError as error:
        yield Flaw(DOCUMENTS, str(error).replace(f"{folder}/", ""))
        return
    if encode(derived) != data:
        names = Evidence.__struct_fields__
        fields = [name for name in names if getattr(derived, name) != getattr(evidence, name)]
        where = ", ".join(fields) or "the layout of the file"
        yield Flaw(EVIDENCE, f"does not follow from {DOCUMENTS}/ and {SOURCES}/: {where}")


def replayed_proofs(
    folder: Path, evidence: Evidence, jobs: int, progress: Progress
) -> Iterator[Flaw]:
    """Prove every goal of its sources by their certificate. Raises `UserError`, as `prove` does."""
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
    """Compute each expected result anew. Raises `UserError` when the definitions cannot be run."""
    for difference in verify_vectors(folder / VECTORS, step).differences:
        yield Flaw(f"{VECTORS}/{difference.file}", f"{difference.case or ''} {difference.what}")
