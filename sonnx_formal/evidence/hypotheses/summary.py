"""The use of preconditions: in words, as JSON, and as an exit status."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.core.exit_codes import INTERRUPTED
from sonnx_formal.evidence.hypotheses.cores import Cores, hypotheses_record
from sonnx_formal.evidence.hypotheses.justified import Justified, justified_path, read_justified
from sonnx_formal.evidence.hypotheses.use import Precondition, Use, is_about_function, preconditions
from sonnx_formal.evidence.records.each import End
from sonnx_formal.evidence.records.keeping import Effort, find_out
from sonnx_formal.evidence.records.selection import Selection
from sonnx_formal.prover.progress import Progress

SCHEMA = "sonnx-formal/hypotheses/1"


@dataclass(frozen=True)
class Hypotheses:
    """What is known of the preconditions of the selected files."""

    selection: Selection
    preconditions: tuple[Precondition, ...]
    reasons: dict[tuple[str, str], str]
    """Of those that are unused for a reason: function and precondition."""
    obsolete: tuple[Justified, ...]
    """Reasons for a precondition that is used, or that is no more."""
    missing: int
    """Goals that nobody was asked about."""
    end: End

    def reason(self, one: Precondition) -> str | None:
        """Why a precondition stays that no proof uses."""
        return self.reasons.get((one.function, one.name))


def hypotheses(
    library: Path, selection: Selection, cores: Cores, effort: Effort, progress: Progress
) -> Hypotheses:
    """Ask for the cores that are not recorded, record them, and see what they use.

    Raises `UserError` when a file cannot be read or written.
    """
    justified = read_justified(justified_path(library))
    goals = tuple(goal for goal in selection.goals if is_about_function(goal))
    under = Selection(selection.files, goals, selection.whole)
    results, end = find_out(hypotheses_record(library), under, cores, effort, progress)
    found = preconditions(library, goals, results)
    use = {(one.function, one.name): one.use for one in found}
    return Hypotheses(
        selection=under,
        preconditions=tuple(found),
        reasons={(one.function, one.precondition): one.reason for one in justified},
        obsolete=tuple(
            one
            for one in justified
            if one.function.partition(":")[0] in selection.files
            and use.get((one.function, one.precondition), Use.USED) is Use.USED
        ),
        missing=sum(goal.task.sha256 not in results for goal in goals),
        end=end,
    )


def exit_status(found: Hypotheses) -> int:
    """Zero only if each precondition is used, or unused for a reason."""
    if found.end is End.INTERRUPTED:
        return INTERRUPTED
    return 1 if _open(found) or found.obsolete or found.missing else 0


def as_json(found: Hypotheses) -> dict[str, Any]:
    """What `hypotheses.schema.json` describes."""
    return {
        "schema": SCHEMA,
        "preconditions": [
            {
                "function": one.function,
                "name": one.name,
                "goals": one.goals,
                "use": one.use,
                "reason": found.reason(one) if one.use is Use.UNUSED else None,
            }
            for one in found.preconditions
        ],
        "obsolete_reasons": [
            {"function": one.function, "name": one.precondition} for one in found.obsolete
        ],
        "summary": _counts(found, found.preconditions),
    }


def print_hypotheses(console: Console, found: Hypotheses) -> None:
    """A line a file, then each precondition that no proof uses."""
    table = Table(show_footer=True, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("file", "all", header_style="bold", no_wrap=True)
    for name, number in _counts(found, found.preconditions).items():
        table.add_column(name.replace("_", " "), str(number), header_style="bold", justify="right")
    for file in found.selection.files:
        mine = [one for one in found.preconditions if one.function.startswith(f"{file}:")]
        if mine:
            table.add_row(Text(file), *(str(n) for n in _counts(found, mine).values()))
    console.print(table)
    for one in found.preconditions:
        if one.use is not Use.USED:
            why = f"; {found.reason(one)}" if found.reason(one) else ""
            console.print(Text(f"{one.use}: {one.function}: {one.name}{why}"), soft_wrap=True)
    for other in found.obsolete:
        line = f"no longer unused, or gone: {other.function}: {other.precondition}"
        console.print(Text(line), soft_wrap=True)
    if found.missing:
        line = f"{found.end}: {found.missing} goals were not tried: run it again to go on"
        console.print(Text(line), soft_wrap=True)
    if _open(found):
        text = "\nTo go on: drop what no proof needs, or give the reason in evidence/%s."
        console.print(Text(text % justified_path(Path()).name), soft_wrap=True)


def _open(found: Hypotheses) -> list[Precondition]:
    """Those that no proof uses, without a reason."""
    return [
        one for one in found.preconditions if one.use is Use.UNUSED and found.reason(one) is None
    ]


def _counts(found: Hypotheses, some: Sequence[Precondition]) -> dict[str, int]:
    uses = Counter(one.use for one in some)
    return {
        "preconditions": len(some),
        "used": uses[Use.USED],
        "unused": uses[Use.UNUSED],
        "justified": sum(one.use is Use.UNUSED and found.reason(one) is not None for one in some),
        "undetermined": uses[Use.UNDETERMINED],
    }
