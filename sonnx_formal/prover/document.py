"""The document that `prove --json` writes: the verdict on each goal, and who came to it."""

from collections import Counter
from typing import Literal

from msgspec import UNSET, convert

from sonnx_formal.core.documents import Count, Document, Part, Seconds, Sha256
from sonnx_formal.prover.prove import ProofRun, UsedFile
from sonnx_formal.prover.provenance import Provenance
from sonnx_formal.prover.provers import AttemptEntry, ProofEntry
from sonnx_formal.prover.tasks import Location


class ProverEntry(Part, frozen=True):
    """A prover that took part."""

    name: str
    version: str
    family: str
    """Provers of one family share code."""


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
    verdict: Literal["proved", "unproved", "open"]
    """Open: the run ended before everything was tried."""
    reason: str
    """Why nothing was tried, else empty."""
    proofs: tuple[ProofEntry, ...]
    attempts: tuple[AttemptEntry, ...]
    """What proved nothing."""

    def __post_init__(self) -> None:
        if self.proved != bool(self.proofs):
            raise ValueError(f"{self.id} is {self.verdict}, with {len(self.proofs)} proofs")

    @property
    def proved(self) -> bool:
        """Whether a prover proves it."""
        return self.verdict == "proved"

    @property
    def families(self) -> tuple[str, ...]:
        """The families of provers that prove it."""
        return tuple(sorted({proof.family for proof in self.proofs}))

    @property
    def said(self) -> str:
        """Why there is no proof, in a line."""
        answers = ", ".join(f"{attempt.prover}: {attempt.answer}" for attempt in self.attempts)
        return self.reason or answers or "not tried"


class ProofTotals(Part, frozen=True, kw_only=True):
    """How a run ended."""

    goals: Count
    proved: Count
    unproved: Count
    open: Count
    two_families: Count
    """Goals proved by provers of two families or more."""
    seconds: Seconds = UNSET
    """By the clock on the wall."""
    interrupted: bool
    disagreement: str | None
    """The id of a goal that one prover proves and another refutes."""


class ProofReport(Document, frozen=True, tag="sonnx-formal/prove/2"):
    """The output of `sonnx-formal prove --json`."""

    command = "prove --json PATH"

    made: Provenance
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
            verdict="proved" if run.proved else "open" if run.open else "unproved",
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
            proved=verdicts["proved"],
            unproved=verdicts["unproved"],
            open=verdicts["open"],
            two_families=sum(len(goal.families) > 1 for goal in goals),
            seconds=round(found.seconds, 3),
            interrupted=found.interrupted,
            disagreement=found.disagreement.goal.id if found.disagreement else None,
        ),
    )
