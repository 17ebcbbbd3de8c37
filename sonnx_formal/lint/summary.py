"""What an examination looks like: in a terminal, and in SARIF 2.1.0 for code review tools."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import quote

from msgspec import structs
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.core.sarif import Value, result, sarif_log
from sonnx_formal.core.texts import one_line
from sonnx_formal.lint.examination import (
    Examination,
    Examinations,
    FixEntry,
    JudgedNode,
    ProfileShare,
    causes,
    of_onnx,
)
from sonnx_formal.lint.profile import LintVerdict, NodeFinding
from sonnx_formal.spec.requirements.registry import requirement

EXIT_STATUS = dict(zip(LintVerdict, (1, 2, 2, 0), strict=True))
_COLOURS = re.compile(
    r"(?:^|: )(?:(?P<red>violates)|(?P<green>conforms)"
    r"|(?P<yellow>cannot be decided statically|not judged))(?=  | \()",
    re.MULTILINE,
)
_OF_A_NODE = (LintVerdict.CONFORMS, LintVerdict.VIOLATES, LintVerdict.UNDECIDED)


_KINDS = {
    LintVerdict.VIOLATES: ("fail", "error"),
    LintVerdict.UNDECIDED: ("open", "none"),
    LintVerdict.CONFORMS: ("informational", "none"),
}
"""Kind and level: the level of whatever is no failure is none (3.27.10)."""


def print_summary(console: Console, examination: Examination) -> None:
    _say(console, examination.details)
    if examination.nodes:
        console.print(_table(examination))
    _say(console, examination.conclusion)


def print_summaries(console: Console, examinations: Examinations) -> None:
    """The causes, whichever models have them; then a row a model; then the share of all."""
    models = _by_short_names(examinations.models)
    _say(console, causes(models))
    table = _table_with("model", "nodes", "judged", *_OF_A_NODE, "inside", "verdict")
    for each in models:
        counts = Counter(node.verdict for node in each.nodes)
        numbers = (each.total, each.judged, *(counts[verdict] for verdict in _OF_A_NODE))
        ends = each.share.percent, str(each.verdict)
        table.add_row(Text(one_line(each.model)), *map(str, numbers), *ends)
    console.print(table)
    _say_shares(console, examinations.share, models)
    _say(console, of_onnx(models))
    of = _count(len(examinations.models), "model")
    _say(console, f"{of}: {examinations.verdict}")


def _say_shares(console: Console, of_all: ProfileShare, models: Sequence[Examination]) -> None:
    """A line each model that is not inside as a whole; then of all together."""
    for each in models:
        if each.share.outside:
            _say(console, f"{one_line(each.model)}: {each.share}")
    if of_all.total:
        _say(console, f"all {_count(len(models), 'model')}: {of_all}")


def _by_short_names(models: Sequence[Examination]) -> list[Examination]:
    """As they are called within the folder that all are in."""
    paths = [Path(each.model).absolute() for each in models]
    folder = os.path.commonpath([path.parent for path in paths]) if paths else ""
    return [
        structs.replace(each, model=str(path.relative_to(folder)))
        for each, path in zip(models, paths, strict=True)
    ]


def print_fix(console: Console, fix: FixEntry, after: Examination) -> None:
    done, path = fix.equivalence, one_line(fix.output)
    _say(
        console,
        f"{path}: broadcasting is explicit at {_count(len(fix.explicit), 'node')};"
        f" {_count(done.values, 'value')} the same bit for bit in each of"
        f" {_count(done.runs, 'run')} before and after",
    )
    if done.not_run:
        _say(console, f"{_count(done.not_run, 'run')} more ended in an error before and after")
    counts = Counter(each.verdict for each in after.nodes)
    of_each = ", ".join(f"{counts[each]} {each}" for each in _OF_A_NODE if counts[each])
    _say(console, f"{path}: {after.verdict} ({after.coverage}: {of_each})")


def _say(console: Console, words: str) -> None:
    """As it is: what looks like markup is data. Verdicts have their colours."""
    if words:
        text = Text(words.rstrip("\n"))
        text.highlight_regex(_COLOURS)
        console.print(text, soft_wrap=True)


def _table(examination: Examination) -> Table:
    table = _table_with("operator", "nodes", *_OF_A_NODE)
    verdicts = [(each.operator, each.verdict) for each in examination.nodes]
    for operator in (*sorted({name for name, _ in verdicts}), "all"):
        counts = Counter(verdict for name, verdict in verdicts if operator in {"all", name})
        table.add_row(operator, str(counts.total()), *(str(counts[each]) for each in _OF_A_NODE))
    return table


def _table_with(first: str, *others: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first)
    for heading in others:
        table.add_column(str(heading), justify="right")
    return table


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def as_sarif(
    examinations: Sequence[Examination],
    version: str,
    exit_status: int,
    unreadable: Sequence[str] = (),
) -> Value:
    """One run: a result for each finding, a rule for each requirement, notes for what is open."""
    results = [
        _result(examination, index, node, finding)
        for index, examination in enumerate(examinations)
        for node in examination.nodes
        for finding in node.findings
    ]
    ids = sorted({each["ruleId"] for each in results})
    notes = [note for index, each in enumerate(examinations) for note in _notes(each, index)]
    notes += [{"level": "error", "message": {"text": text}} for text in unreadable]
    ended = {
        "executionSuccessful": not unreadable,
        "exitCode": exit_status,
        "toolExecutionNotifications": notes,
    }
    return sarif_log(
        version,
        [*map(_rule, ids)],
        [each | {"ruleIndex": ids.index(each["ruleId"])} for each in results],
        invocations=[ended],
        artifacts=[{"location": _location(each)} for each in examinations],
    )


def _notes(examination: Examination, index: int) -> Iterator[Value]:
    location = {"physicalLocation": {"artifactLocation": _location(examination) | {"index": index}}}
    texts = [("note", note) for note in examination.notes]
    if examination.others:
        outside = f"{examination.coverage}; outside the scope: {examination.unjudged}"
        texts.append(("warning", outside))
    for level, text in texts:
        yield {"level": level, "message": {"text": text}, "locations": [location]}


def _rule(identifier: str) -> Value:
    known = requirement(identifier)
    return {
        "id": known.id,
        "shortDescription": {"text": " ".join(known.text.split())},
        "fullDescription": {"text": f"{known.document}, {known.section}"},
        "properties": {"kind": str(known.kind)},
    }


def _result(
    examination: Examination, index: int, judged: JudgedNode, finding: NodeFinding
) -> Value:
    kind, level = _KINDS[finding.verdict]
    place = {
        "physicalLocation": {"artifactLocation": _location(examination) | {"index": index}},
        "logicalLocations": [{"name": judged.name, "fullyQualifiedName": judged.node}],
    }
    return result(
        finding.requirement,
        level,
        f"{finding.found}. {finding.advice}.",
        kind=kind,
        locations=[place],
        properties={"operator": judged.operator, "opset": judged.opset},
    )


def _location(examination: Examination) -> Value:
    """A relative path stays one: where it starts is for whoever reads the file to know."""
    path = Path(examination.model)
    return {"uri": path.as_uri() if path.is_absolute() else quote(path.as_posix())}
