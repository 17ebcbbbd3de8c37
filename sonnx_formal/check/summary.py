"""What a report looks like: the matrix, what was found, and as JSON."""

from collections import Counter
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.backends import OUR_OWN
from sonnx_formal.backends.backend import PLAIN
from sonnx_formal.check.compare import Verdict
from sonnx_formal.check.crosscheck import Candidate, Finding, Report
from sonnx_formal.check.elements import element_type_of, patterns
from sonnx_formal.check.probes import Answer, Probe
from sonnx_formal.check.smallest import Example
from sonnx_formal.oracle.attributes import UNSET
from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.oracle.notation import bits_text, element_text, list_text, nested
from sonnx_formal.vectors.case import Array

SCHEMA = "sonnx-formal/check/1"
ALL_PASS, NOT_ALL_PASS = 0, 1
_SHOWN = 16
"""Elements of a tensor; all of them are in the JSON."""
_STYLES = {
    Verdict.PASS: "green",
    Verdict.WITHIN_BOUND: "green",
    Verdict.DIVERGES: "red",
    Verdict.CRASHES: "red",
    Verdict.REFUSES: "yellow",
}


def exit_status(report: Report) -> int:
    """Zero only if whoever had to pass did."""
    return NOT_ALL_PASS if report.failed() else ALL_PASS


def print_summary(console: Console, report: Report) -> None:
    """The whole report in words."""
    for finding in report.findings:
        _print_finding(console, finding)
    for backend, probe, answer in report.answers:
        if answer.example is not None:
            _print_answer(console, backend, probe, answer)
    _print_errors(console, report)
    _print_not_asked(console, report)
    for one in report.candidates:
        _say(console, f"{one.name} {one.version or ''}".strip() + _note(one))
    console.print(_table(report))
    _say(console, _last_line(report))


def as_json(report: Report, manifest_sha256: str | None) -> dict[str, Any]:
    """The report as JSON values, as `check.schema.json` describes it.

    :param manifest_sha256: of the manifest of the test vectors, where these were read and not made.
    """
    return {
        "schema": SCHEMA,
        "manifest_sha256": manifest_sha256,
        "backends": [
            {
                "name": one.name,
                "version": one.version,
                "ours": one.name == OUR_OWN,
                "missing": one.missing,
                "required": one.name in report.request.required,
                "failed": one.name in report.failed(),
            }
            for one in report.candidates
        ],
        "matrix": [
            {
                "backend": backend,
                "operator": str(operator),
                "element_type": element_type,
                "counts": {str(verdict): counts[verdict] for verdict in Verdict},
                "not_passed": {
                    name: str(verdict)
                    for name, verdict in report.not_passed[backend, operator, element_type].items()
                },
            }
            for (backend, operator, element_type), counts in report.counts.items()
        ],
        "accumulate": report.request.accumulate,
        "errors": [
            {
                "backend": backend,
                "operator": str(operator),
                "element_type": element_type,
                **asdict(errors),
            }
            for (backend, operator, element_type), by_products in report.errors.items()
            for _, errors in sorted(by_products.items())
        ],
        "findings": [_finding(one) for one in report.findings],
        "probes": [_probe(*one) for one in report.answers],
        "seconds": round(report.seconds, 3),
    }


def _probe(backend: str, probe: Probe, answer: Answer) -> dict[str, Any]:
    return {
        "backend": backend,
        "probe": probe.name,
        "question": probe.question,
        "operator": str(probe.operator),
        "element_type": probe.element_type,
        "verdict": str(answer.verdict),
        "kind": answer.kind,
        "admissible": answer.admissible,
        "form": asdict(answer.form),
        "example": _example(answer.example, answer.kind) if answer.example else None,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "backend": finding.backend,
        "operator": str(finding.operator),
        "element_type": finding.element_type,
        "verdict": str(finding.verdict),
        "kind": finding.kind,
        "admissible": finding.admissible,
        "cases": finding.trials,
        "elements": finding.elements,
        "example": _example(finding.example, finding.kind),
    }


def _example(example: Example, kind: str) -> dict[str, Any]:
    trial, got, index = example.trial, example.judgement.got, example.index(kind)
    return {
        "found_in": trial.name,
        "a": _tensor(trial.a),
        "b": _tensor(trial.b),
        "violated": trial.violated,
        "expected": _tensor(trial.expected) if trial.expected is not None else None,
        "got": _tensor(got) if got is not None else None,
        "index": list(index) if index is not None else None,
    } | ({"attributes": set_} if (set_ := trial.attributes.those_set()) else {})


def _tensor(array: Array) -> dict[str, Any]:
    decimal, bits = _texts(array)
    return {
        "element_type": element_type_of(array),
        "shape": list(array.shape),
        "decimal": decimal,
        "bits": bits,
    }


def _texts(array: Array) -> tuple[Any, Any]:
    """Nested lists of the values and of the bit patterns; real numbers have none."""
    type_ = NUMERICAL[element_type_of(array)]
    if type_.kind == "real":
        return nested(array.tolist(), str), None
    pattern_lists = patterns(array, type_).tolist()
    values = pattern_lists if type_.kind == "float" else array.tolist()
    return (
        nested(values, lambda one: element_text(one, type_)),
        nested(pattern_lists, lambda one: bits_text(one, type_)),
    )


def _print_finding(console: Console, finding: Finding) -> None:
    count = f"{_number(finding.elements, 'element')} of " if finding.elements else ""
    where = f"{finding.backend}: {finding.operator} {finding.element_type}"
    style = _STYLES.get(finding.verdict, "")
    line = Text(f"{where} {finding.verdict}: {finding.kind}", style=style)
    cases = _number(finding.trials, "case")
    console.print(line + Text(f" ({count}{cases})", style=""), soft_wrap=True)
    _print_example(console, finding.example, finding.kind)


def _print_answer(console: Console, backend: str, probe: Probe, answer: Answer) -> None:
    where = f"{backend}: {probe.operator} {probe.element_type}"
    style = _STYLES.get(answer.verdict, "")
    line = Text(f"{where} {answer.verdict}: {answer.kind}", style=style)
    console.print(line + Text(f" (probe {probe.name}: {probe.question})"), soft_wrap=True)
    for name, value in asdict(answer.form).items():
        if value != asdict(PLAIN)[name]:
            _say(console, f"  with {name.replace('_', ' ')}" + f" {value}" * (value is not True))
    if answer.example is not None:
        _print_example(console, answer.example, answer.kind)


def _print_errors(console: Console, report: Report) -> None:
    """Of sums that may depend on their order: how near the worst came to the bound."""
    wider = report.request.accumulate
    under = f" on sums in {wider}" if wider else ""
    for (backend, operator, element_type), by_products in report.errors.items():
        if by_products:
            elements = sum(one.elements for one in by_products.values())
            outside = sum(one.outside for one in by_products.values())
            worst = max(by_products.values(), key=lambda one: one.of_bound)
            _say(
                console,
                f"{backend}: {operator} {element_type}: {_number(elements, 'rounded sum')}, "
                f"{outside or 'none'} outside the bound{under}, the worst at "
                f"{worst.of_bound:.3g} of it ({_number(worst.products, 'product')})",
            )


def _print_not_asked(console: Console, report: Report) -> None:
    """Which probes say nothing about whom, and why: no one is to take silence for a pass."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for backend, probe, answer in report.answers:
        if answer.verdict is Verdict.NOT_SUPPORTED:
            reasons.setdefault((backend, answer.kind), []).append(probe.name)
    for (backend, reason), names in reasons.items():
        _say(console, f"{backend}: not probed for {', '.join(dict.fromkeys(names))}: {reason}")


def _print_example(console: Console, example: Example, kind: str) -> None:
    trial, got = example.trial, example.judgement.got
    if trial.attributes != UNSET:
        _say(console, f"  with {trial.attributes}")
    for name, array in [
        ("A", trial.a),
        ("B", trial.b),
        ("expected", trial.expected),
        ("got", got),
    ]:
        if array is not None:
            _say(console, f"  {name:8} = {_shown(array)}")
    index = example.index(kind)
    if index and trial.expected is not None and trial.expected.size > 1:
        _say(console, f"  first at  {list(index)}")


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _shown(array: Array) -> str:
    if array.size > _SHOWN:
        return f"{element_type_of(array)} of shape {list(array.shape)}, all of it by --json"
    decimal, bits = _texts(array)
    shape = f"  shape {list(array.shape)}" if array.size != 1 else ""
    return f"{list_text(decimal)}" + (f"  bits {list_text(bits)}" if bits else "") + shape


def _note(candidate: Candidate) -> str:
    return f": not installed: {candidate.missing}" if candidate.missing is not None else ""


def _table(report: Report) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("")
    table.add_column("")
    for one in report.candidates:
        table.add_column(one.name, overflow="fold")
    if report.answers:
        table.add_column("probe")
    for operator, element_type in report.request.combinations:
        cells = [
            _cell(report.counts[one.name, operator, element_type]) for one in report.candidates
        ]
        table.add_row(operator.value, element_type, *cells)
    probes = dict.fromkeys(probe for _, probe, _ in report.answers)
    answers = {(backend, probe): answer for backend, probe, answer in report.answers}
    for probe in probes:
        verdicts = [answers[one.name, probe].verdict for one in report.candidates]
        cells = [Text(verdict, style=_STYLES.get(verdict, "dim")) for verdict in verdicts]
        table.add_row(probe.operator.value, probe.element_type, *cells, probe.name)
    return table


def _cell(counts: Counter[Verdict]) -> Text:
    lines = [
        Text(f"{counts[verdict]} {verdict}", style=_STYLES.get(verdict, "dim"))
        for verdict in Verdict
        if counts[verdict]
    ]
    return Text("\n").join(lines)


def _last_line(report: Report) -> str:
    total = sum(report.counts.values(), Counter())
    counts = ", ".join(f"{total[verdict]} {verdict}" for verdict in Verdict if total[verdict])
    failed = report.failed()
    ending = f"; had to pass and did not: {', '.join(failed)}" if failed else ""
    return f"\n{counts} in {report.seconds:.1f} s{ending}"


def _say(console: Console, line: str) -> None:
    console.print(Text(line), soft_wrap=True)
