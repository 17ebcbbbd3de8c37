"""From a request to a document: what is recorded is taken, the rest is asked of cvc5."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.core.exit_codes import INTERRUPTED
from sonnx_formal.evidence.certify.proofs import Certifier, Kind, certified_record, trusted_steps
from sonnx_formal.evidence.records.each import End
from sonnx_formal.evidence.records.keeping import Effort, find_out
from sonnx_formal.evidence.records.record import Result
from sonnx_formal.evidence.records.selection import Selection
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.progress import Progress

SCHEMA = "sonnx-formal/certified/1"
MISSING = "not tried"


@dataclass(frozen=True)
class Certified:
    """What is known of each goal."""

    selection: Selection
    results: dict[str, Result]
    """By task; a task that was not tried is not in it."""
    end: End
    checker: str | None

    def of(self, goal: Goal) -> Result | None:
        """The result for one goal."""
        return self.results.get(goal.task.sha256)


def certify(
    library: Path, selection: Selection, certifier: Certifier, effort: Effort, progress: Progress
) -> Certified:
    """Ask for a proof of each goal whose recorded result does not hold, and record what comes.

    Raises `UserError` when the record cannot be read or written.
    """
    record = certified_record(library)
    results, end = find_out(record, selection, certifier, effort, progress)
    return Certified(selection, results, end, certifier.checker.name if certifier.checker else None)


def exit_status(certified: Certified) -> int:
    """Zero only if every goal was tried and nothing was refused."""
    if certified.end is End.INTERRUPTED:
        return INTERRUPTED
    bad = {Kind.REFUSED, Kind.CONTRADICTION, MISSING}
    return (
        1 if any(_outcome(certified.of(goal)) in bad for goal in certified.selection.goals) else 0
    )


def as_json(certified: Certified) -> dict[str, Any]:
    """What `certified.schema.json` describes."""
    return {
        "schema": SCHEMA,
        "checker": certified.checker,
        "goals": [
            {"id": goal.id, "task_sha256": goal.task.sha256} | _public(certified.of(goal))
            for goal in certified.selection.goals
        ],
        "summary": dict(_counts(certified, certified.selection.goals)),
    }


def print_certified(console: Console, certified: Certified) -> None:
    """A line a file, the proofs with trusted steps in numbers, and whatever is wrong."""
    table = Table(show_footer=True, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    all_ = _counts(certified, certified.selection.goals)
    table.add_column("file", "all", header_style="bold", no_wrap=True)
    for name, number in all_.items():
        table.add_column(name.replace("_", " "), str(number), header_style="bold", justify="right")
    for file in certified.selection.files:
        goals = [goal for goal in certified.selection.goals if goal.source.name == file]
        table.add_row(Text(file), *(str(number) for number in _counts(certified, goals).values()))
    console.print(table)
    for goal in certified.selection.goals:
        result = certified.of(goal)
        if result and result["outcome"] in {Kind.REFUSED, Kind.CONTRADICTION}:
            line = f"{result['outcome']}: {goal.id}: {result['because']}"
            console.print(Text(line), soft_wrap=True)
    checked, proofs = all_["independently_checked"], all_["proof"]
    verdict = (
        f"\n{proofs} of {all_['goals']} goals have a proof of which cvc5 has checked each step; "
        f"{all_['without_trusted_steps']} have no step that is only trusted; "
        f"{checked} checked independently"
    )
    if checked < proofs:
        verdict += f"\n{proofs - checked} proofs: not independently checked"
    if all_["not_tried"]:
        verdict += f"\n{certified.end}: {all_['not_tried']} goals were not tried"
    console.print(Text(verdict), soft_wrap=True)


def _counts(certified: Certified, goals: Sequence[Goal]) -> dict[str, int]:
    results = [certified.of(goal) for goal in goals]
    outcomes = Counter(_outcome(result) for result in results)
    proofs = [one for one in results if one and one["outcome"] == Kind.PROOF]
    return {
        "goals": len(goals),
        "proof": len(proofs),
        "without_trusted_steps": sum(trusted_steps(one) == 0 for one in proofs),
        "independently_checked": sum(one["complete"] is True for one in proofs),
        "no_proof": outcomes[Kind.NO_PROOF],
        "refused": outcomes[Kind.REFUSED] + outcomes[Kind.CONTRADICTION],
        "not_tried": outcomes[MISSING],
    }


def _outcome(result: Result | None) -> str:
    return result["outcome"] if result else MISSING


def _public(result: Result | None) -> dict[str, Any]:
    if result is None:
        return {"outcome": MISSING}
    return {name: value for name, value in result.items() if name != "goal"}
