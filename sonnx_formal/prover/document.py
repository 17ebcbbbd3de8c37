"""The document that `prove --json` writes: the verdict on each goal, and who came to it."""

from collections import Counter
from collections.abc import Container
from enum import StrEnum

from msgspec import UNSET, convert

from sonnx_formal.core.documents import Count, Part, Sha256
from sonnx_formal.prover.plan import GoalRun
from sonnx_formal.prover.prove import ProofRun, UsedFile
from sonnx_formal.prover.provenance import MadeDocument
from sonnx_formal.prover.provers import AttemptEntry, ProofEntry
from sonnx_formal.prover.tasks import Location


class ProverEntry(Part, frozen=True):
    """A prover that took part."""

    name: str
    version: str
    family: str
    """Provers of one family share code."""


class GoalVerdict(StrEnum):
    """What came of a goal. The first alone is a result."""

    PROVED = "proved"
    CONDITIONAL = "conditional"
    """It is proved, but rests on what is not."""
    UNPROVED = "unproved"
    OPEN = "open"
    """The run ended before everything was tried."""


class GoalEntry(Part, frozen=True):
    """One goal and what came of it."""

    id: str
    """`<file>:<module>.<name>.<piece>`, unique."""
    file: str
    module: str
    name: str
    explanation: str
    """From `[@expl:…]`, or Why3's own."""
    location: Location
    task_sha256: Sha256
    verdict: GoalVerdict
    rests_on: str | None
    """Of a conditional one, the first goal that it rests on and that is not proved."""
    reason: str
    """Why nothing was tried, else empty."""
    proofs: tuple[ProofEntry, ...]
    attempts: tuple[AttemptEntry, ...]
    """What proved nothing."""

    def __post_init__(self) -> None:
        conditional = self.verdict is GoalVerdict.CONDITIONAL
        if (self.proved or conditional) != bool(self.proofs):
            raise ValueError(f"{self.id} is {self.verdict}, with {len(self.proofs)} proofs")
        if conditional != bool(self.rests_on):
            raise ValueError(f"{self.id} is {self.verdict}, and rests on {self.rests_on}")

    @property
    def proved(self) -> bool:
        """Whether a prover proves it, and all that it rests on is proved, too."""
        return self.verdict is GoalVerdict.PROVED

    @property
    def families(self) -> tuple[str, ...]:
        """The families of provers that prove it; none unless it is proved."""
        return tuple(sorted({proof.family for proof in self.proofs})) if self.proved else ()

    @property
    def said(self) -> str:
        """Why it is not proved, in a line."""
        if self.rests_on:
            return f"it rests on {self.rests_on}"
        answers = ", ".join(f"{attempt.prover}: {attempt.answer}" for attempt in self.attempts)
        return self.reason or answers or "not tried"


class ProofTotals(Part, frozen=True, kw_only=True):
    """How a run ended."""

    goals: Count
    proved: Count
    conditional: Count
    unproved: Count
    open: Count
    two_families: Count
    """Goals proved by provers of two families or more."""
    interrupted: bool
    disagreement: str | None
    """The id of a goal that one prover proves and another refutes."""


class ProofReport(MadeDocument, frozen=True, tag="sonnx-formal/prove/4"):
    """The output of `sonnx-formal prove --json`."""

    command = "prove --json PATH"

    why3: str
    """Its version."""
    provers: tuple[ProverEntry, ...]
    goals: tuple[GoalEntry, ...]
    rests_on: tuple[UsedFile, ...]
    summary: ProofTotals

    def __post_init__(self) -> None:
        said = [each.cached for goal in self.goals for each in (*goal.proofs, *goal.attempts)]
        if UNSET not in said and said.count(True) != self.made.from_cache:
            raise ValueError(f"{said.count(True)} verdicts are from the cache, and not all counted")


def document(found: ProofRun) -> ProofReport:
    """What `--json` writes of a run."""
    goals = tuple(
        GoalEntry(
            id=run.goal.id,
            file=run.goal.source.name,
            module=run.goal.module,
            name=run.goal.name,
            explanation=run.goal.explanation,
            location=run.goal.location,
            task_sha256=run.goal.task.sha256,
            verdict=_verdict(run, found.conditional),
            rests_on=found.conditional.get(run.goal.id),
            reason=run.reason,
            proofs=convert(run.proofs, tuple[ProofEntry, ...], from_attributes=True),
            attempts=convert(run.attempts, tuple[AttemptEntry, ...], from_attributes=True),
        )
        for run in found.runs
    )
    verdicts = Counter(goal.verdict for goal in goals)
    return ProofReport(
        made=found.made,
        why3=found.why3.version,
        provers=convert(found.provers, tuple[ProverEntry, ...], from_attributes=True),
        goals=goals,
        rests_on=found.rests_on,
        summary=ProofTotals(
            goals=len(goals),
            proved=verdicts[GoalVerdict.PROVED],
            conditional=verdicts[GoalVerdict.CONDITIONAL],
            unproved=verdicts[GoalVerdict.UNPROVED],
            open=verdicts[GoalVerdict.OPEN],
            two_families=sum(len(goal.families) > 1 for goal in goals),
            interrupted=found.interrupted,
            disagreement=found.disagreement.goal.id if found.disagreement else None,
        ),
    )


def _verdict(run: GoalRun, conditional: Container[str]) -> GoalVerdict:
    if run.proved:
        return GoalVerdict.CONDITIONAL if run.goal.id in conditional else GoalVerdict.PROVED
    return GoalVerdict.OPEN if run.open else GoalVerdict.UNPROVED
