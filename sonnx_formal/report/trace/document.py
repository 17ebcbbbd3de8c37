"""The document that `trace --json` writes: each requirement and finding with all that serves it."""

from enum import StrEnum

from msgspec import field

from sonnx_formal.core.documents import Count, Document, Part, Sha256
from sonnx_formal.spec.requirements.entries import Kind, LeftOut, Level, Sketch, Status, ids_in


class Proof(StrEnum):
    """The lower part of a requirement's ladder: what is known of the weakest of its goals."""

    PLANNED = "planned"
    UNPROVED = "unproved"
    ONE_FAMILY = "proved by one family"
    TWO_FAMILIES = "proved by two families"


class TraceRule(StrEnum):
    """What can be wrong with a trace."""

    UNPROVED = "a formalised requirement, or a finding, without proof"
    MISSING_GOAL = "a link to a goal that does not exist"
    UNLINKED_GOAL = "goals that Why3 explains with a requirement that does not link them"
    ORPHAN_GOAL = "an operator-level goal that serves no requirement"
    STALE_SCAFFOLDING = "an exemption that fits no goal"
    NO_VECTOR = "a formalised requirement without a passing vector"
    MISSING_VECTOR = "a link to a class of vectors that has none for it"
    UNEXPECTED_VECTOR = "vectors where the registry says that there can be none"
    MISSING_TEST = "a link to a test that does not exist"
    NO_LONGER_PLANNED = "a planned requirement with goals or vectors"
    UNKNOWN_ID = "an id that is not in the registry"
    MISSING_FILE = "a file that an operator needs and that does not exist"


class State(StrEnum):
    """What a trace comes to."""

    WHOLE = "whole"
    """Each formalised requirement has its proofs and passing vectors, and no rule is broken."""
    INCOMPLETE = "incomplete"
    """No rule is broken, but some evidence was not given: that is no pass."""
    BROKEN = "broken"


class DocumentLine(Part, frozen=True):
    """A source document."""

    id: str
    title: str
    text_sha256: Sha256
    """Of the text that the requirements were taken from, which says which edition that was."""


class GoalLink(Part, frozen=True):
    """A goal of the library that serves a requirement or shows a finding."""

    id: str
    """`file.mlw:Module.goal.k`."""
    explanation: str
    families: tuple[str, ...]
    """Families of provers with a proof of this very text; empty for an unproved goal."""

    @property
    def symbol(self) -> str:
        """`file.mlw:Module.goal`: all pieces of a goal have it."""
        return self.id.rpartition(".")[0]

    @property
    def explained_by(self) -> set[str]:
        """The ids of the requirements that Why3 names for it."""
        return ids_in(self.explanation)


class VectorCount(Part, frozen=True):
    """How many test vectors of a class exercise a requirement."""

    name: str = field(name="class")
    cases: Count


class Confirmation(Part, frozen=True):
    """An implementation that passes on vectors of a requirement."""

    implementation: str
    combinations: Count
    """Pairs of operator and element type on which it passes."""
    of: Count
    """Pairs that have vectors of the requirement."""

    @property
    def complete(self) -> bool:
        """Whether it passes wherever there are vectors."""
        return self.combinations == self.of

    def __str__(self) -> str:
        return f"{self.implementation} {self.combinations}/{self.of}"


class RequirementLine(Part, frozen=True):
    """One requirement, what serves it, and how far it is."""

    id: str
    document: str
    section: str
    kind: Kind
    text: str
    status: Status
    levels: tuple[Level, ...]
    departs: tuple[Level, ...]
    """Where the definition decides against the text, as one of the findings says."""
    precondition: bool
    proof: Proof
    ladder: tuple[str, ...]
    """The rungs that it has reached, from the lowest."""
    goals: tuple[GoalLink, ...]
    """All that serve it."""
    vectors: tuple[VectorCount, ...]
    """Those that exercise it, by class."""
    no_vector: str | None
    """Why no vector can exercise it."""
    confirmed_by: tuple[Confirmation, ...]
    tests: tuple[str, ...]
    findings: tuple[str, ...]
    """Ids of the findings about it."""
    gaps: tuple[str, ...]
    """What an assessor should know before anything else, in words."""

    @property
    def claim(self) -> str:
        """The status in words, with what it holds of."""
        departs = f"; departs from the text over {', '.join(self.departs)}" if self.departs else ""
        return self.status + departs

    @property
    def planned(self) -> bool:
        """Whether it is not formalised yet."""
        return self.status is Status.PLANNED

    @property
    def confirmations(self) -> int:
        """On how many implementations all its vectors pass, of every element type."""
        return sum(each.complete for each in self.confirmed_by)

    @property
    def cases(self) -> int:
        """How many vectors exercise it."""
        return sum(count.cases for count in self.vectors)

    @property
    def two_families(self) -> int:
        """How many of its goals two families of provers prove."""
        return sum(len(goal.families) > 1 for goal in self.goals)


class FindingLine(Part, frozen=True):
    """One finding about a source document, and the goals that show it."""

    id: str
    document: str
    section: str
    title: str
    readings: tuple[str, str]
    requirements: tuple[str, ...]
    proof: Proof | None
    """None where no goal shows it."""
    goals: tuple[GoalLink, ...]
    sketch: Sketch | None
    not_shown: str | None
    """Why there is no theorem."""
    decision: str
    proposal: str


class TraceFault(Part, frozen=True):
    """A rule that is broken."""

    rule: TraceRule
    subject: str
    """The id or symbol that it is about."""
    message: str
    """What is wrong, and the way out."""


class Trace(Document, frozen=True, tag="sonnx-formal/trace/1"):
    """The output of `sonnx-formal trace --json`."""

    command = "trace --json PATH"

    state: State
    not_given: tuple[str, ...]
    """Evidence that was not there: vectors, cross-check, tests."""
    documents: tuple[DocumentLine, ...]
    requirements: tuple[RequirementLine, ...]
    findings: tuple[FindingLine, ...]
    left_out: tuple[LeftOut, ...]
    errors: tuple[TraceFault, ...]
