"""The command `certify`: which goals have a proof that was checked step by step."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from msgspec import structs
from rich.console import Console

from sonnx_formal.core.documents import Count, Document, Part, Sha256
from sonnx_formal.core.errors import INTERRUPTED
from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.certify.proofs import Certification, CertifyOutcome, CertifyQuestion
from sonnx_formal.evidence.inquiry import inquire
from sonnx_formal.evidence.loop import Effort, End
from sonnx_formal.evidence.selection import Selection
from sonnx_formal.evidence.tables import print_by_file, say


class CertifiedGoal(Certification, frozen=True, kw_only=True, omit_defaults=True):
    """A goal, and whether a proof of it was written out and checked."""

    id: str
    task_sha256: Sha256


class CertifiedSummary(Part, frozen=True):
    """How many there are of each kind."""

    goals: Count
    proof: Count
    without_trusted_steps: Count
    independently_checked: Count
    no_proof: Count
    refused: Count
    """With contradictions."""
    not_tried: Count


class CertifiedProofs(Document, frozen=True, tag="sonnx-formal/certified/2"):
    """Proofs that were checked step by step."""

    command = "certify --json PATH"

    checker: str | None
    """The independent checker of this machine; None: there is none."""
    goals: tuple[CertifiedGoal, ...]
    interrupted: bool
    summary: CertifiedSummary


def certify(
    library: Path,
    selection: Selection,
    question: CertifyQuestion,
    effort: Effort,
    progress: Progress,
) -> CertifiedProofs:
    """Ask for a proof of each goal whose recorded result does not hold, and record what comes.

    Raises `UserError` when the record cannot be read or written.
    """
    answers, end = inquire(library, selection, selection.goals, question, effort, progress)
    not_tried = Certification(outcome=CertifyOutcome.NOT_TRIED)
    goals = tuple(
        CertifiedGoal(
            id=goal.id,
            task_sha256=goal.task.sha256,
            **structs.asdict(answers.get(goal.task.sha256, not_tried)),
        )
        for goal in selection.goals
    )
    checker = question.checker.name if question.checker else None
    return CertifiedProofs(checker, goals, end is End.INTERRUPTED, _counts(goals))


def exit_status(certified: CertifiedProofs) -> int:
    """Zero only if every goal was tried and nothing was refused."""
    if certified.interrupted:
        return INTERRUPTED
    return 1 if certified.summary.refused or certified.summary.not_tried else 0


def print_certified(console: Console, certified: CertifiedProofs) -> None:
    """A line a file, the proofs with trusted steps in numbers, and whatever is wrong."""
    print_by_file(
        console,
        [name.replace("_", " ") for name in CertifiedSummary.__struct_fields__],
        certified.goals,
        lambda goal: goal.id,
        lambda goals: structs.astuple(_counts(goals)),
    )
    all_ = certified.summary
    for goal in certified.goals:
        if goal.outcome in {CertifyOutcome.REFUSED, CertifyOutcome.CONTRADICTION}:
            say(console, f"{goal.outcome}: {goal.id}: {goal.because}")
    say(
        console,
        f"\n{all_.proof} of {all_.goals} goals have a proof of which cvc5 has checked each step; "
        f"{all_.without_trusted_steps} have no step that is only trusted; "
        f"{all_.independently_checked} checked independently",
    )
    if unchecked := all_.proof - all_.independently_checked:
        say(console, f"{unchecked} proofs: not independently checked")
    if all_.not_tried:
        end = End.INTERRUPTED if certified.interrupted else End.OUT_OF_TIME
        say(console, f"{end}: {all_.not_tried} goals were not tried")


def _counts(goals: Sequence[CertifiedGoal]) -> CertifiedSummary:
    outcomes = Counter(goal.outcome for goal in goals)
    proofs = [goal for goal in goals if goal.outcome is CertifyOutcome.PROOF]
    return CertifiedSummary(
        goals=len(goals),
        proof=len(proofs),
        without_trusted_steps=sum(not goal.trusted for goal in proofs),
        independently_checked=sum(goal.complete is True for goal in proofs),
        no_proof=outcomes[CertifyOutcome.NO_PROOF],
        refused=outcomes[CertifyOutcome.REFUSED] + outcomes[CertifyOutcome.CONTRADICTION],
        not_tried=outcomes[CertifyOutcome.NOT_TRIED],
    )
