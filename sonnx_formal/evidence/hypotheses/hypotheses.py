"""The command `hypotheses`: which preconditions do proofs use?"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from msgspec import Meta, structs
from rich.console import Console

from sonnx_formal.core.documents import Count, Document, Part
from sonnx_formal.core.errors import INTERRUPTED
from sonnx_formal.core.progress import Progress
from sonnx_formal.core.tables import Words, read_tables
from sonnx_formal.evidence.hypotheses.cores import CoresQuestion
from sonnx_formal.evidence.hypotheses.preconditions import (
    Precondition,
    Use,
    is_about_function,
    preconditions,
)
from sonnx_formal.evidence.inquiry import inquire
from sonnx_formal.evidence.loop import Effort, End
from sonnx_formal.evidence.selection import Selection
from sonnx_formal.evidence.tables import print_by_file, say

REASONS = "unused_preconditions.toml"


class JustifiedPrecondition(Part, frozen=True):
    """A precondition that the source document asks for, though no property needs it."""

    functions: Annotated[tuple[Words, ...], Meta(min_length=1)]
    """As in the ids of goals: `ops/mul.mlw:Mul.mul`."""
    precondition: Words
    reason: Words


class PreconditionReasons(Part, frozen=True):
    """`why3/evidence/unused_preconditions.toml`: what people decided."""

    precondition: tuple[JustifiedPrecondition, ...] = ()


class ObsoleteReason(Part, frozen=True):
    """A reason for a precondition that is used, or is no more."""

    function: str
    name: str


class HypothesesSummary(Part, frozen=True):
    """How many there are of each kind."""

    preconditions: Count
    used: Count
    unused: Count
    justified: Count
    """Of those that are unused."""
    undetermined: Count


class UseOfHypotheses(Document, frozen=True, tag="sonnx-formal/hypotheses/2"):
    """Which preconditions proofs use."""

    command = "hypotheses --json PATH"

    preconditions: tuple[Precondition, ...]
    obsolete_reasons: tuple[ObsoleteReason, ...]
    not_tried: Count
    """Goals that nobody was asked about."""
    interrupted: bool
    summary: HypothesesSummary


def find_use(
    library: Path, selection: Selection, question: CoresQuestion, effort: Effort, progress: Progress
) -> UseOfHypotheses:
    """Ask for the cores that are not recorded, record them, and see what they use.

    Raises `UserError` when a file cannot be read or written.
    """
    decided = read_tables(library / "evidence" / REASONS, PreconditionReasons)
    reasons = {
        (function, justified.precondition): justified.reason
        for justified in decided.precondition
        for function in justified.functions
    }
    goals = [goal for goal in selection.goals if is_about_function(goal)]
    answers, end = inquire(library, selection, goals, question, effort, progress)
    found = tuple(preconditions(goals, answers, reasons))
    use = {(entry.function, entry.name): entry.use for entry in found}
    return UseOfHypotheses(
        preconditions=found,
        obsolete_reasons=tuple(
            ObsoleteReason(function, name)
            for function, name in reasons
            if function.partition(":")[0] in selection.files
            and use.get((function, name), Use.USED) is Use.USED
        ),
        not_tried=sum(goal.task.sha256 not in answers for goal in goals),
        interrupted=end is End.INTERRUPTED,
        summary=_counts(found),
    )


def exit_status(found: UseOfHypotheses) -> int:
    """Zero only if each precondition is used, or unused for a reason."""
    if found.interrupted:
        return INTERRUPTED
    return 1 if _has_open(found) or found.obsolete_reasons or found.not_tried else 0


def print_use(console: Console, found: UseOfHypotheses) -> None:
    """A line a file, then each precondition that no proof uses."""
    print_by_file(
        console,
        HypothesesSummary.__struct_fields__,
        found.preconditions,
        lambda entry: entry.function,
        lambda entries: structs.astuple(_counts(entries)),
    )
    for entry in found.preconditions:
        if entry.use is not Use.USED:
            why = f"; {entry.reason}" if entry.reason else ""
            say(console, f"{entry.use}: {entry.function}: {entry.name}{why}")
    for obsolete in found.obsolete_reasons:
        say(console, f"no longer unused, or gone: {obsolete.function}: {obsolete.name}")
    if found.not_tried:
        end = End.INTERRUPTED if found.interrupted else End.OUT_OF_TIME
        say(console, f"{end}: {found.not_tried} goals were not tried: run it again to go on")
    if _has_open(found):
        todo = "drop what no proof needs, or give the reason in evidence/"
        say(console, f"\nTo go on: {todo}{REASONS}.")


def _has_open(found: UseOfHypotheses) -> bool:
    """Whether no proof uses some precondition, without a reason."""
    return found.summary.unused > found.summary.justified


def _counts(entries: Sequence[Precondition]) -> HypothesesSummary:
    uses = Counter(entry.use for entry in entries)
    return HypothesesSummary(
        preconditions=len(entries),
        used=uses[Use.USED],
        unused=uses[Use.UNUSED],
        justified=sum(entry.reason is not None for entry in entries),
        undetermined=uses[Use.UNDETERMINED],
    )
