"""`evidence.json`: everything that the report says, from which all its renderings are made."""

from collections.abc import Mapping

from sonnx_formal.check.document import CheckReport
from sonnx_formal.core import documents
from sonnx_formal.core.documents import Count, Document, Part
from sonnx_formal.evidence.certify import CertifiedProofs
from sonnx_formal.evidence.hypotheses import UseOfHypotheses
from sonnx_formal.evidence.mutation.mutate import Mutation
from sonnx_formal.evidence.trust.base import TrustedBase
from sonnx_formal.evidence.vacuity import Vacuity
from sonnx_formal.prover.document import GoalEntry, ProverEntry
from sonnx_formal.report import tables
from sonnx_formal.report.gaps.gap import Gap
from sonnx_formal.report.pages import Page
from sonnx_formal.report.self_test.document import SelfTest
from sonnx_formal.report.sources import SourceFile
from sonnx_formal.report.trace.document import Trace


class DocumentEntry(Part, frozen=True):
    """A document that the evidence was put together from, or that is missing."""

    name: str
    purpose: str
    command: str
    """What writes it."""
    sha256: str | None
    """Of the document without times; null where it is missing."""


class FileTally(Part, frozen=True):
    """The goals of a file of the library."""

    file: str
    goals: Count
    proved: Count
    two_families: Count
    certified: Count
    by_prover: dict[str, int]
    steps: dict[str, int]
    """What each prover took over the goals that it proves, in its own unit."""

    @property
    def one_family(self) -> int:
        """Goals that one family of provers proves."""
        return self.proved - self.two_families

    @property
    def unproved(self) -> int:
        """Goals without a proof."""
        return self.goals - self.proved


class VectorGroup(Part, frozen=True):
    """The test vectors of an operator over an element type."""

    file: str
    operator: str
    element_type: str
    sha256: str
    classes: dict[str, int]

    @property
    def cases(self) -> int:
        """How many there are."""
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


class Evidence(Document, frozen=True, tag="sonnx-formal/evidence/2"):
    """The whole evidence."""

    command = "report --json PATH"

    version: str
    """Of sonnx-formal."""
    documents: tuple[DocumentEntry, ...]
    sources: tuple[SourceFile, ...]
    gaps: tuple[Gap, ...]
    claims: tuple[tables.Claim, ...]
    non_claims: tuple[tables.NonClaim, ...]
    assumptions: tuple[tables.ReportAssumption, ...]
    why3: str | None
    provers: tuple[ProverEntry, ...]
    goals: tuple[GoalEntry, ...]
    files: tuple[FileTally, ...]
    trace: Trace | None
    vectors: VectorSummary | None
    check: CheckReport | None
    trusted_base: TrustedBase | None
    vacuity: Vacuity | None
    mutation: Mutation | None
    hypotheses: UseOfHypotheses | None
    certified: CertifiedProofs | None
    self_test: SelfTest | None
    pages: tuple[Page, ...]
    listings: tuple[Listing, ...]
    tools: tuple[tables.ToolNote, ...]
    standards: tuple[tables.Standard, ...]

    @property
    def accepted(self) -> bool:
        """Whether no gap is blocking."""
        return not any(gap.blocking for gap in self.gaps)

    @property
    def missing(self) -> frozenset[str]:
        """The names of the documents that are missing."""
        return frozenset(each.name for each in self.documents if each.sha256 is None)


def encoded(evidence: Evidence) -> str:
    """The text of `evidence.json`."""
    return documents.encode(evidence).decode()


def decoded(text: str | bytes) -> Evidence:
    """The evidence in a text. Raises `UserError` when it is not as its schema says."""
    data = text.encode() if isinstance(text, str) else text
    return documents.decode(data, Evidence, "evidence.json")


def missing_of(needs: tuple[str, ...], evidence: Evidence) -> tuple[str, ...]:
    """Which of the documents that something needs are missing."""
    return tuple(name for name in needs if name in evidence.missing)


def by_id(goals: tuple[GoalEntry, ...]) -> Mapping[str, GoalEntry]:
    """The goals by their ids."""
    return {goal.id: goal for goal in goals}
