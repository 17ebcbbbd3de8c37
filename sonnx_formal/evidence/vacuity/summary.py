"""What a report looks like: a table by file, what is contradictory, and as JSON."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.core.exit_codes import INTERRUPTED
from sonnx_formal.evidence.records.each import End
from sonnx_formal.evidence.vacuity.asking import EFFORT_SECONDS, Finding
from sonnx_formal.evidence.vacuity.hypotheses import Scope
from sonnx_formal.evidence.vacuity.run import Looked, Report
from sonnx_formal.evidence.vacuity.witnesses import Witnessed

SCHEMA = "sonnx-formal/vacuity/1"
NOT_ASKED = "not asked"
_COLUMNS = (*map(str, Finding), NOT_ASKED)


def exit_status(report: Report) -> int:
    """Zero only if everything was asked, and every contradiction has its reason."""
    if report.end is End.INTERRUPTED:
        return INTERRUPTED
    return 0 if report.is_good else 1


def print_summary(console: Console, report: Report) -> None:
    """The whole report in words."""
    provers = ", ".join(f"{name} {version}" for name, version in report.provers.items())
    _say(console, f"Why3 {report.why3}; {provers}")
    console.print(_table(report))
    _say(
        console,
        f"\ninconclusive: no contradiction within what a prover does in {EFFORT_SECONDS} s, "
        "which excludes none",
    )
    if report.end is not End.FINISHED:
        _say(console, f"{report.end}: what is finished is in the record, run it again for the rest")
    for one in report.looked:
        if one.asked and one.asked.finding is Finding.CONTRADICTORY:
            _print_contradictory(console, one)
    for stale in report.stale_dispositions:
        _say(
            console,
            f"\nevidence/vacuity.toml: {stale.pattern} names no contradictory goal: remove it",
        )
    for what, all_ in (("preconditions", report.preconditions), ("parameters", report.parameters)):
        without = [one.name for one in all_ if not one.witnesses]
        line = f"\n{len(all_) - len(without)} of {len(all_)} symbols with {what} have a witness"
        _say(console, line if what == "preconditions" else line.replace("with p", "that are p"))
        for name in without:
            _say(console, f"  without: {name}")


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON values, as `vacuity.schema.json` describes it."""
    return {
        "schema": SCHEMA,
        "why3": report.why3,
        "provers": report.provers,
        "hypotheses": [
            {
                "of": one.hypotheses.of,
                "scope": str(one.hypotheses.scope),
                "explanation": one.hypotheses.explanation,
                "sha256": one.hypotheses.task.sha256,
                "finding": _finding(one),
                "provers": list(one.asked.provers) if one.asked else [],
                "reason": one.reason if _finding(one) == Finding.CONTRADICTORY else None,
            }
            for one in report.looked
        ],
        "preconditions": [_witnessed(one) for one in report.preconditions],
        "parameters": [_witnessed(one) for one in report.parameters],
        "summary": {
            "contexts": _counts([o for o in report.looked if o.hypotheses.scope is Scope.CONTEXT]),
            "goals": _counts([o for o in report.looked if o.hypotheses.scope is Scope.GOAL]),
            "unaccounted": [
                one.hypotheses.of for one in report.looked if one.is_bad and one.asked is not None
            ],
            "stale_dispositions": [one.pattern for one in report.stale_dispositions],
            "interrupted": report.end is End.INTERRUPTED,
            "good": report.is_good and report.end is not End.INTERRUPTED,
        },
    }


def _witnessed(one: Witnessed) -> dict[str, Any]:
    return {
        "name": one.name,
        "preconditions": one.preconditions,
        "witnesses": list(one.witnesses),
    }


def _finding(one: Looked) -> str:
    return str(one.asked.finding) if one.asked else NOT_ASKED


def _counts(looked: Sequence[Looked]) -> dict[str, int]:
    counts = Counter(map(_finding, looked))
    distinct = len({one.hypotheses.task.sha256 for one in looked})
    findings = {name.replace(" ", "_"): counts[name] for name in _COLUMNS}
    return {"all": len(looked), "distinct": distinct, **findings}


def _table(report: Report) -> Table:
    table = Table(show_footer=True, box=None, pad_edge=False, padding=(0, 2, 0, 0))
    names = ["file", "goals", "modules", *_COLUMNS]
    for name, footer in zip(names, ["all", *_cells(report.looked)], strict=True):
        justify: Literal["left", "right"] = "left" if name == "file" else "right"
        table.add_column(name, footer, justify=justify, no_wrap=True, header_style="bold")
    by_file: dict[str, list[Looked]] = {}
    for one in report.looked:
        by_file.setdefault(one.hypotheses.of.partition(":")[0], []).append(one)
    for file, looked in by_file.items():
        table.add_row(Text(file), *_cells(looked))
    return table


def _cells(looked: Sequence[Looked]) -> list[str]:
    scopes = Counter(one.hypotheses.scope for one in looked)
    findings = Counter(map(_finding, looked))
    numbers = [scopes[Scope.GOAL], scopes[Scope.CONTEXT], *(findings[name] for name in _COLUMNS)]
    return [str(number) for number in numbers]


def _print_contradictory(console: Console, one: Looked) -> None:
    expl = f" ({one.hypotheses.explanation})" if one.hypotheses.explanation else ""
    if one.hypotheses.scope is Scope.CONTEXT:
        advice = "whatever stands in this module is proved of nothing"
    else:
        advice = "evidence/vacuity.toml has no reason for it"
    _say(console, f"\ncontradictory: {one.hypotheses.of}{expl}")
    _say(console, f"  {one.reason or advice}")


def _say(console: Console, text: str) -> None:
    console.print(Text(text), soft_wrap=True)
