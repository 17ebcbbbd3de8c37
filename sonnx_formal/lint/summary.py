"""What an examination looks like: in words, and as JSON."""

from collections import Counter
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from sonnx_formal.lint.examination import Examination, Judged
from sonnx_formal.lint.finding import Finding, Verdict
from sonnx_formal.lint.fix import Fix
from sonnx_formal.lint.operand import Operand
from sonnx_formal.lint.profile import OPERATORS, since
from sonnx_formal.lint.wording import one_line

SCHEMA = "sonnx-formal/lint/1"
EXIT_STATUS = {Verdict.CONFORMS: 0, Verdict.VIOLATES: 1, Verdict.UNDECIDED: 2}
_STYLES = {Verdict.CONFORMS: "green", Verdict.VIOLATES: "red", Verdict.UNDECIDED: "yellow"}
_ADVICE = {
    Verdict.CONFORMS: "remark",
    Verdict.VIOLATES: "repair",
    Verdict.UNDECIDED: "decides",
}


def print_summary(console: Console, examination: Examination) -> None:
    """Findings, then how many nodes there are of each verdict, then what was not judged."""
    for judged in examination.nodes:
        _print_findings(console, judged)
    for note in examination.notes:
        _say(console, f"note: {note}")
    console.print(_table(examination))
    if examination.others:
        counts = ", ".join(
            f"{name(domain, operator)} {count}"
            for (domain, operator), count in examination.others.items()
        )
        _say(console, f"outside the scope of this toolkit, and not judged: {counts}")
    line = Text(f"{one_line(examination.path)}: ")
    line.append(str(examination.verdict), _STYLES[examination.verdict])
    console.print(line, soft_wrap=True)


def print_fix(console: Console, fix: Fix) -> None:
    """What was written, and why it is the same."""
    done = fix.equivalence
    _say(
        console,
        f"{fix.output}: broadcasting is explicit at {_count(len(fix.explicit), 'node')};"
        f" {_count(done.values, 'value')} the same bit for bit in each of"
        f" {_count(done.runs, 'run')} before and after",
    )
    if done.not_run:
        _say(console, f"{_count(done.not_run, 'run')} more ended in an error before and after")
    left = fix.after
    counts = Counter(one.verdict for one in left.nodes)
    line = Text(f"{one_line(fix.output)}: ")
    line.append(str(left.verdict), _STYLES[left.verdict])
    line.append(f" ({', '.join(f'{counts[one]} {one}' for one in Verdict if counts[one])})")
    console.print(line, soft_wrap=True)


def as_json(examination: Examination, fix: Fix | None) -> dict[str, Any]:
    """The examination as JSON values, as `lint.schema.json` describes it."""
    return {
        "schema": SCHEMA,
        "model": str(examination.path),
        "verdict": str(examination.verdict),
        "nodes": [_node(one) for one in examination.nodes],
        "others": [
            {"domain": domain, "operator": operator, "count": count}
            for (domain, operator), count in examination.others.items()
        ],
        "notes": [*examination.notes],
        "fix": _fix(fix) if fix else None,
    }


def name(domain: str, operator: str) -> str:
    """An operator in a message: Add, ai.onnx.ml::Scaler."""
    return f"{domain}::{operator}" if domain else operator


def _print_findings(console: Console, judged: Judged) -> None:
    node = judged.node
    for finding in judged.findings:
        line = Text(str(finding.verdict), _STYLES[finding.verdict])
        where = f"({node.proto.op_type}, opset {node.version})"
        line.append(f"  {one_line(node.name)}  {where}", "bold")
        console.print(line, soft_wrap=True)
        _say(console, f"  {finding.requirement}: {finding.found}")
        _say(console, f"  {_ADVICE[finding.verdict]}: {finding.advice}")


def _say(console: Console, text: str) -> None:
    """As it is: what looks like markup is data."""
    indent = text[: len(text) - len(text.lstrip())]
    console.print(Text(indent + one_line(text)), soft_wrap=True)


def _table(examination: Examination) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("operator")
    for heading in ("nodes", *Verdict):
        table.add_column(str(heading), justify="right")
    for operator in (*OPERATORS, "all"):
        verdicts = Counter(
            one.verdict for one in examination.nodes if operator in {"all", one.node.proto.op_type}
        )
        counts = [verdicts.total(), *(verdicts[one] for one in Verdict)]
        table.add_row(operator, *map(str, counts))
    return table


def _node(judged: Judged) -> dict[str, Any]:
    node = judged.node
    return {
        "node": node.name,
        "path": [*node.path],
        "operator": node.proto.op_type,
        "opset": node.version,
        "since": since(node),
        "inputs": [_operand(one) for one in node.inputs],
        "outputs": [_operand(one) for one in node.outputs],
        "verdict": str(judged.verdict),
        "findings": [_finding(one) for one in judged.findings],
    }


def _operand(operand: Operand) -> dict[str, Any]:
    return {
        "name": operand.name,
        "element_type": operand.element_type,
        "shape": None if operand.shape is None else [*operand.shape],
        "sparse": operand.sparse,
        "constant": operand.constant is not None,
    }


def _finding(finding: Finding) -> dict[str, str]:
    return {
        "requirement": finding.requirement,
        "verdict": str(finding.verdict),
        "found": finding.found,
        "advice": finding.advice,
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "output": str(fix.output),
        "explicit": [*fix.explicit],
        "runs": fix.equivalence.runs,
        "values": fix.equivalence.values,
        "not_run": fix.equivalence.not_run,
        "verdict": str(fix.after.verdict),
    }


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
