"""`evidence.json`: everything that the report says, from which all its renderings are made."""

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from msgspec.structs import replace

from sonnx_formal.check.document import CheckReport
from sonnx_formal.check.exhaustive_document import ExhaustiveReport
from sonnx_formal.core.documents import Count, Document, Part, Sha256, encode
from sonnx_formal.core.grouping import grouped
from sonnx_formal.evidence.certify import CertifiedProofs
from sonnx_formal.evidence.hypotheses import UseOfHypotheses
from sonnx_formal.evidence.mutation.mutate import Mutation
from sonnx_formal.evidence.stability import StabilityReport
from sonnx_formal.evidence.trust.base import TrustedBase
from sonnx_formal.evidence.vacuity import Vacuity
from sonnx_formal.kernels.document import KernelLibrary
from sonnx_formal.kernels.speed import KernelSpeeds
from sonnx_formal.kernels.targets import OnLibsonnx, TargetRuns
from sonnx_formal.prover.document import GoalEntry, GoalVerdict, ProverEntry
from sonnx_formal.report.consistency import OpenHypotheses, open_hypotheses
from sonnx_formal.report.coverage import CoverageRow, coverage
from sonnx_formal.report.documents import (
    KINDS,
    LIBRARY,
    ConfigurationItem,
    DocumentEntry,
    Documents,
    SelfTest,
    SourceFile,
    library_sha256,
    sha256,
)
from sonnx_formal.report.gaps import Gap, gaps
from sonnx_formal.report.pages import Page, pages
from sonnx_formal.report.staleness import why_stale
from sonnx_formal.report.tables import (
    Argument,
    Claim,
    Hazard,
    NonClaim,
    ReportAssumption,
    Standard,
    ToolNote,
    tables,
)
from sonnx_formal.report.trace.document import Trace
from sonnx_formal.report.worked import WorkedRequirement, worked_requirement
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.vectors.manifest import Manifest


class FileTally(Part, frozen=True):
    """The goals of a file of the library."""

    file: str
    goals: Count
    proved: Count
    conditional: Count
    two_families: Count
    certified: Count
    by_prover: dict[str, int]
    steps: dict[str, int]
    """What each prover took over the goals that it proves, in its own unit."""

    @property
    def one_family(self) -> int:
        return self.proved - self.two_families

    @property
    def unproved(self) -> int:
        return self.goals - self.proved - self.conditional


class VectorGroup(Part, frozen=True):
    """The test vectors of an operator over an element type."""

    file: str
    operator: str
    element_type: str
    sha256: str
    classes: dict[str, int]
    requirements: dict[str, int]
    """How many of them exercise each requirement."""

    @property
    def cases(self) -> int:
        return sum(self.classes.values())


class VectorSummary(Part, frozen=True):
    """The test vectors."""

    seed: int
    formal_sources_sha256: str
    tools: dict[str, str]
    groups: tuple[VectorGroup, ...]


class Listing(Part, frozen=True):
    """A file of the library that is shown."""

    file: str
    text: str


class Evidence(Document, frozen=True, tag="sonnx-formal/evidence/10"):
    """The whole evidence."""

    command = "report --json PATH"

    version: str
    """Of sonnx-formal."""
    item: ConfigurationItem | None
    library_sha256: Sha256
    """Of the formal library: what each document of these sources names."""
    worked: WorkedRequirement | None
    documents: tuple[DocumentEntry, ...]
    sources: tuple[SourceFile, ...]
    gaps: tuple[Gap, ...]
    claims: tuple[Claim, ...]
    non_claims: tuple[NonClaim, ...]
    assumptions: tuple[ReportAssumption, ...]
    why3: str | None
    provers: tuple[ProverEntry, ...]
    goals: tuple[GoalEntry, ...]
    files: tuple[FileTally, ...]
    trace: Trace | None
    vectors: VectorSummary | None
    check: CheckReport | None
    exhaustive: ExhaustiveReport | None
    kernels: KernelLibrary | None
    targets: TargetRuns | None
    kernel_speed: KernelSpeeds | None
    trusted_base: TrustedBase | None
    vacuity: Vacuity | None
    open_hypotheses: OpenHypotheses | None
    mutation: Mutation | None
    hypotheses: UseOfHypotheses | None
    certified: CertifiedProofs | None
    stability: StabilityReport | None
    self_test: SelfTest | None
    coverage: tuple[CoverageRow, ...]
    pages: tuple[Page, ...]
    listings: tuple[Listing, ...]
    tools: tuple[ToolNote, ...]
    hazards: tuple[Hazard, ...]
    argument: tuple[Argument, ...]
    standards: tuple[Standard, ...]

    @property
    def accepted(self) -> bool:
        return not any(gap.blocking for gap in self.gaps)

    @property
    def missing(self) -> frozenset[str]:
        return frozenset(each.name for each in self.documents if each.sha256 is None)

    @property
    def holding(self) -> frozenset[str]:
        """The documents that are there, and of what is here."""
        return frozenset(each.name for each in self.documents if each.holds)


def assemble(found: Documents, files: Mapping[str, bytes], vectors: Path | None = None) -> Evidence:
    """Put the evidence together, of these documents and the files of `read_sources`.

    :param vectors: the folder of the test vectors, None where there is none.
    """
    library = library_sha256(files)
    entries = tuple(
        DocumentEntry(
            kind.name,
            kind.purpose,
            shlex.join(kind.command()),
            made=str(document.made) if document else None,
            sha256=sha256(encode(document)) if document else None,
            needed=not kind.is_given,
            stale=why_stale(document, found.kernels, library)
            if isinstance(document, OnLibsonnx)
            else None,
        )
        for kind in KINDS
        for document in [kind.found(found)]
    )
    written = tables()
    vacuity, mutation = found.vacuity, found.mutation
    goals = found.prove.goals if found.prove else ()
    unanswered = open_hypotheses(vacuity, mutation, goals) if vacuity else None
    # Of thousands of hypotheses and mutants, those that are worth showing.
    if vacuity:
        worth = (each for each in vacuity.hypotheses if each.finding != "consistent")
        vacuity = replace(vacuity, hypotheses=tuple(worth))
    if mutation:
        open_ = (each for each in mutation.mutants if each.outcome in {"survived", "untried"})
        mutation = replace(mutation, mutants=tuple(open_))
    shown = pages(operators())
    prove = found.prove
    return Evidence(
        version=version("sonnx-formal"),
        item=found.item,
        library_sha256=library,
        worked=worked_requirement(found, files, shown, vectors),
        documents=entries,
        sources=tuple(SourceFile(path, sha256(data), len(data)) for path, data in files.items()),
        gaps=gaps(entries, found, files),
        claims=written.claim,
        non_claims=written.non_claim,
        assumptions=written.assumption,
        why3=prove.why3 if prove else None,
        provers=prove.provers if prove else (),
        goals=goals,
        files=tuple(_files(goals, found.certified)),
        trace=found.trace,
        vectors=_vectors(found.vectors) if found.vectors else None,
        check=found.check,
        exhaustive=found.exhaustive,
        kernels=found.kernels,
        targets=found.targets,
        kernel_speed=found.kernel_speed,
        trusted_base=found.trusted_base,
        vacuity=vacuity,
        open_hypotheses=unanswered,
        mutation=mutation,
        hypotheses=found.hypotheses,
        certified=found.certified,
        stability=found.stability,
        self_test=found.self_test,
        coverage=coverage(found, operators()),
        pages=shown,
        listings=tuple(
            Listing(page.listing, data.decode(errors="replace"))
            for page in shown
            if (data := files.get(f"{LIBRARY}{page.listing}")) is not None
        ),
        tools=written.tool,
        hazards=written.hazard,
        argument=written.argument,
        standards=written.standard,
    )


def _files(goals: Sequence[GoalEntry], certified: CertifiedProofs | None) -> Iterator[FileTally]:
    checked = certified.checked if certified else frozenset()
    for file, here in sorted(grouped(goals, lambda goal: goal.file).items()):
        proofs = [proof for goal in here for proof in goal.proofs]
        steps: Counter[str] = Counter()
        for proof in proofs:
            steps[proof.prover] += proof.steps or 0
        yield FileTally(
            file=file,
            goals=len(here),
            proved=sum(goal.proved for goal in here),
            conditional=sum(goal.verdict is GoalVerdict.CONDITIONAL for goal in here),
            two_families=sum(len(goal.families) > 1 for goal in here),
            certified=sum((goal.id, goal.task_sha256) in checked for goal in here),
            by_prover=dict(sorted(Counter(proof.prover for proof in proofs).items())),
            steps=dict(sorted(steps.items())),
        )


def _vectors(vectors: Manifest) -> VectorSummary:
    groups = (
        VectorGroup(
            file.file,
            file.operator,
            "-".join(file.types),
            file.sha256,
            dict(sorted(Counter(case.case_class for case in file.cases).items())),
            dict(sorted(Counter(n for case in file.cases for n in case.requirements).items())),
        )
        for file in vectors.files
    )
    origin = vectors.origin
    return VectorSummary(origin.seed, origin.formal_sources_sha256, origin.tools, tuple(groups))
