"""What a report looks like: a table by file, the survivors by name, and as JSON."""

from typing import Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.core.exit_codes import INTERRUPTED
from sonnx_formal.evidence.mutation.mutants import Mutant
from sonnx_formal.evidence.mutation.run import OPERATORS, THRESHOLD, FileReport, Report
from sonnx_formal.evidence.mutation.trial import Outcome

SCHEMA = "sonnx-formal/mutation/1"
_COLUMNS = (Outcome.KILLED, Outcome.SURVIVED, Outcome.EQUIVALENT, Outcome.IMPLIED, Outcome.INVALID)


def exit_status(report: Report) -> int:
    """Zero only if all were tried, enough were noticed, and every survivor has its reason."""
    if report.interrupted:
        return INTERRUPTED
    return 0 if report.is_good else 1


def print_summary(console: Console, report: Report) -> None:
    """The whole report in words."""
    provers = ", ".join(f"{name} {version}" for name, version in report.provers.items())
    _say(console, f"Why3 {report.why3}; {provers}")
    console.print(_table(report))
    recorded = sum(len(file.results) for file in report.files) - report.tried_now
    _say(console, f"\n{report.tried_now} mutants tried now, {recorded} from the record")
    if report.interrupted:
        _say(console, "interrupted: what is finished is in the record")
    for file in report.files:
        if file.untried:
            _say(console, f"{file.file}: {file.untried} mutants were not tried: run it again")
        elif not file.is_good_enough:
            _say(console, f"{file.file}: below {THRESHOLD:.0%}: state more goals about it")
    for mutant in (m for file in report.files for m in file.survivors):
        _say(console, f"\nsurvived: {mutant.file}:{mutant.line} {mutant.id}")
        _say(
            console, f"  {report.reason(mutant) or 'no reason is given in evidence/mutation.toml'}"
        )
    for stale in report.stale_dispositions:
        _say(console, f"\nevidence/mutation.toml: {stale.pattern} names no survivor: remove it")


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON values, as `mutation.schema.json` describes it."""
    return {
        "schema": SCHEMA,
        "why3": report.why3,
        "provers": report.provers,
        "threshold": {"files": OPERATORS, "score": THRESHOLD},
        "files": [_file(file) for file in report.files],
        "mutants": [
            _mutant(report, file, mutant) for file in report.files for mutant in file.mutants
        ],
        "summary": {
            **_counts(list(report.files)),
            "unexplained": [mutant.id for mutant in report.unexplained],
            "stale_dispositions": [one.pattern for one in report.stale_dispositions],
            "interrupted": report.interrupted,
            "good": report.is_good and not report.interrupted,
        },
    }


def _file(file: FileReport) -> dict[str, Any]:
    return {"file": file.file, **_counts([file]), "good": file.is_good_enough}


def _counts(files: list[FileReport]) -> dict[str, Any]:
    outcomes: dict[str, int] = {
        str(outcome): sum(file.count(outcome) for file in files) for outcome in _COLUMNS
    }
    counted = outcomes["killed"] + outcomes["survived"]
    return {
        "mutants": sum(len(file.mutants) for file in files),
        **outcomes,
        "untried": sum(file.untried for file in files),
        "score": round(outcomes["killed"] / counted, 4) if counted else None,
    }


def _mutant(report: Report, file: FileReport, mutant: Mutant) -> dict[str, Any]:
    result = file.results.get(mutant.id)
    survived = result is not None and result.outcome is Outcome.SURVIVED
    return {
        "id": mutant.id,
        "file": mutant.file,
        "module": mutant.module,
        "definition": mutant.definition,
        "part": mutant.part,
        "line": mutant.line,
        "kind": mutant.kind,
        "outcome": str(result.outcome) if result else "untried",
        "by": result.by if result else "",
        "reason": report.reason(mutant) if survived else None,
    }


def _table(report: Report) -> Table:
    table = Table(show_footer=True, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    names = ["file", "mutants", *(str(one) for one in _COLUMNS), "untried", "score"]
    footers = ["all", *_cells(_counts(list(report.files)))]
    for name, footer in zip(names, footers, strict=True):
        justify: Literal["left", "right"] = "left" if name == "file" else "right"
        table.add_column(name, footer, justify=justify, no_wrap=True, header_style="bold")
    for file in report.files:
        table.add_row(Text(file.file), *_cells(_counts([file])))
    return table


def _cells(counts: dict[str, Any]) -> list[str]:
    score = counts.pop("score")
    return [*(str(n) for n in counts.values()), "-" if score is None else f"{100 * score:.1f} %"]


def _say(console: Console, text: str) -> None:
    console.print(Text(text), soft_wrap=True)
