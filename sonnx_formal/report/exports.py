"""The evidence for other programs: as JUnit XML, as SARIF, as a CycloneDX bill of materials."""

import json
import re
import uuid
from collections.abc import Iterator
from importlib import resources
from typing import Any, assert_never

from junitparser import Error, Failure, Skipped, TestCase

from sonnx_formal.check.document import Verdict
from sonnx_formal.core.documents import encode
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.junit import junit_case, junit_log
from sonnx_formal.core.sarif import Value, result, sarif_log
from sonnx_formal.prover.document import GoalEntry, GoalVerdict
from sonnx_formal.prover.provers import LIMITED
from sonnx_formal.report.documents import sha256
from sonnx_formal.report.evidence import Evidence
from sonnx_formal.report.trace.document import Proof

_RULES = {
    "unproved": "A goal without a proof",
    "finding": "A finding about a source document",
    "gap": "Something that is not shown",
    "divergence": "An implementation departs from the definitions",
}
_LOCKED = re.compile(r"^([a-z0-9-]+)==([^\s;]+)", re.MULTILINE)


def junit_xml(evidence: Evidence) -> str:
    """The test suites, without times. Time-outs are errors, and so is missing evidence."""
    by_file = grouped(evidence.goals, lambda goal: goal.file)
    suites = {f"goals of {file}": [*map(_goal, goals)] for file, goals in by_file.items()}
    suites["test vectors"] = [*_vectors(evidence)]
    suites["requirements"] = [*_requirements(evidence)]
    suites["blocking gaps"] = [
        junit_case(gap.id, "gaps", Error("; ".join((gap.title, *gap.items[:20])), "blocking gap"))
        for gap in evidence.gaps
        if gap.blocking
    ]
    return junit_log(suites)


def _goal(goal: GoalEntry) -> TestCase:
    match goal.verdict:
        case GoalVerdict.PROVED:
            return junit_case(goal.id, goal.file)
        case GoalVerdict.CONDITIONAL:
            return junit_case(goal.id, goal.file, Error(goal.said, "rests on what is not proved"))
        case GoalVerdict.UNPROVED | GoalVerdict.OPEN:
            answers = {attempt.answer for attempt in goal.attempts}
            if not answers or answers & LIMITED:  # which say nothing of the goal
                return junit_case(goal.id, goal.file, Error(goal.said, "no verdict"))
            return junit_case(goal.id, goal.file, Failure(goal.said, "not proved"))
        case _:
            assert_never(goal.verdict)


def _vectors(evidence: Evidence) -> Iterator[TestCase]:
    for cell in evidence.check.matrix if evidence.check else ():
        name = f"{cell.backend} {cell.operator} {cell.element_type}"
        said = ", ".join(f"{count} {verdict}" for verdict, count in cell.counts.items() if count)
        if any(cell.counts.get(each) for each in (Verdict.DIVERGES, Verdict.CRASHES)):
            yield junit_case(name, cell.backend, Failure(said, "diverges"))
        elif cell.counts.get(Verdict.PASS):
            yield junit_case(name, cell.backend)
        else:
            yield junit_case(name, cell.backend, Skipped(said or "nothing was run"))


def _requirements(evidence: Evidence) -> Iterator[TestCase]:
    for line in evidence.trace.requirements if evidence.trace else ():
        match line.proof:
            case Proof.PLANNED:
                yield junit_case(line.id, line.document, Skipped("planned"))
            case Proof.UNPROVED:
                yield junit_case(line.id, line.document, Failure("a goal has no proof", "unproved"))
            case Proof.CONDITIONAL:
                yield junit_case(line.id, line.document, Error(line.proof, "conditional"))
            case Proof.ONE_FAMILY | Proof.TWO_FAMILIES:
                yield junit_case(line.id, line.document)
            case _:
                assert_never(line.proof)


def sarif(evidence: Evidence) -> str:
    """Unproved goals, blocking and other gaps, findings and divergences, as one run."""
    rules = [{"id": name, "shortDescription": {"text": text}} for name, text in _RULES.items()]
    results = [*_results(evidence)]
    return _text(sarif_log(evidence.version, rules, results, columnKind="unicodeCodePoints"))


def _results(evidence: Evidence) -> Iterator[Value]:
    for goal in evidence.goals:
        if not goal.proved:
            place = {
                "artifactLocation": {"uri": f"why3/{goal.location.file}"},
                "region": {"startLine": goal.location.line},
            }
            yield result(
                "unproved",
                "error",
                f"{goal.id} does not count as proved: {goal.said}",
                locations=[{"physicalLocation": place}],
                partialFingerprints={"task/sha256": goal.task_sha256},
            )
    for gap in evidence.gaps:
        items = f" ({gap.count:,})" if gap.count else ""
        level = "error" if gap.blocking else "note"
        text = f"{gap.title}{items}, {gap.gap_class}. {gap.text} {gap.consequence}"
        yield result("gap", level, text, **_named(f"gap-{gap.id}"))
    for line in evidence.trace.findings if evidence.trace else ():
        text = f"{line.id}: {line.title}. Decision: {line.decision}"
        yield result("finding", "warning", text, **_named(line.id))
    for found in evidence.check.findings if evidence.check else ():
        if found.verdict in {"diverges", "crashes"}:
            what = f"{found.operator} {found.element_type} {found.verdict}: {found.kind}"
            text = f"{found.backend}: {what}"
            yield result("divergence", "warning", text, **_named(found.backend))


def _named(name: str) -> dict[str, Any]:
    return {"locations": [{"logicalLocations": [{"fullyQualifiedName": name}]}]}


def bill_of_materials(evidence: Evidence) -> str:
    """The project, the tools, the locked packages; the serial number follows from the evidence."""
    lock = resources.files("sonnx_formal.cli.setup") / "requirements.lock"
    locked = dict(_LOCKED.findall(lock.read_text(encoding="utf-8")))
    tools = sorted(_tools(evidence, locked).items())
    packages = [
        _component(name, version) | {"bom-ref": purl, "purl": purl}
        for name, version in locked.items()
        for purl in [f"pkg:pypi/{name}@{version}"]
    ]
    value = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, sha256(encode(evidence)))}",
        "version": 1,
        "metadata": {"component": _component("sonnx-formal", evidence.version, "application")},
        "components": [
            *(_component(*tool, "application") for tool in tools),
            *packages,
            *_libsonnx(evidence),
        ],
    }
    return _text(value)


def _component(name: str, version: str, kind: str = "library") -> dict[str, Any]:
    return {"type": kind, "bom-ref": f"{name}@{version}", "name": name, "version": version}


def _libsonnx(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """The files of the library of kernels, with their hashes."""
    for file in evidence.kernels.files if evidence.kernels else ():
        hashes = [{"alg": "SHA-256", "content": file.sha256}]
        yield _component(file.name, evidence.version, "file") | {"hashes": hashes}


def _tools(evidence: Evidence, locked: dict[str, str]) -> dict[str, str]:
    """What is no locked package, with its version; of Why3 and provers, that of the proofs."""
    provers = {prover.name: prover.version for prover in evidence.provers}
    tools = {f"prover {name}": version for name, version in provers.items()}
    if evidence.why3:
        tools["why3"] = evidence.why3
    for tool in evidence.trusted_base.tools if evidence.trusted_base else ():
        if tool.version and tool.name not in locked.keys() | provers.keys():
            tools.setdefault(tool.name, tool.version)
    for name, version in evidence.vectors.tools.items() if evidence.vectors else ():
        if name.replace("_", "-") not in locked:
            tools.setdefault(name, version)
    tools.pop("sonnx-formal", None)
    return tools


def _text(value: Value) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"
