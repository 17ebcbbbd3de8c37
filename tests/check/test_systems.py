"""The cross-check on ONNX Mul and OpenVINO Multiply-1."""

import json
from importlib import resources

import jsonschema
from rich.console import Console

from sonnx_formal.check.compare import Verdict
from sonnx_formal.check.summary import as_json, print_summary
from sonnx_formal.check.trial import inadmissible
from sonnx_formal.oracle import Oracle
from sonnx_formal.vectors.case import SONNX, Operator
from sonnx_formal.vectors.combinations import COMBINATIONS
from tests.check.conftest import Check

SCHEMA = json.loads(
    resources.files("sonnx_formal.check").joinpath("check.schema.json").read_text("utf-8")
)
LEGACY = (Operator.ONNX_MUL_6, "int32")


def test_types_that_a_document_lacks_are_asked_for(oracle: Oracle) -> None:
    for operator, element_type in COMBINATIONS:
        if operator in SONNX:
            continue
        trials = list(inadmissible(oracle, operator, element_type))
        listed = sum(one is operator for one, _ in COMBINATIONS)
        assert len(trials) == 1 + 12 - listed
        assert {one.violated for one in trials} == {f"{operator.upper()}.T"}


def test_the_reference_evaluator_knows_no_attributes(check: Check) -> None:
    """ONNX's own, which runs every version of Mul as it would run the last one."""
    report = check("onnx-reference", LEGACY, (Operator.ONNX_MUL_7, "int32"))
    counts = {operator: each for (_, operator, _), each in report.counts.items()}
    assert set(counts[Operator.ONNX_MUL_7]) == {Verdict.PASS, Verdict.NOT_JUDGED}
    assert counts[Operator.ONNX_MUL_6][Verdict.DIVERGES] > 0
    computed = [one.kind for one in report.findings if not one.admissible]
    for item in ("B.C1", "B.C2", "ATTR.AXIS", "ATTR.BROADCAST"):
        assert f"computes what ONNX-MUL-6.{item} excludes" in computed


def test_attributes_are_part_of_an_example(check: Check) -> None:
    report = check("onnx-reference", LEGACY)
    value = as_json(report, None)
    jsonschema.validate(value, SCHEMA, jsonschema.Draft202012Validator)
    examples = [one["example"] for one in value["findings"] if one["verdict"] == "diverges"]
    assert {"axis": 0, "broadcast": 1} in [one["attributes"] for one in examples]
    console = Console(record=True, width=200, file=None)
    with console.capture() as said:
        print_summary(console, report)
    assert "  with axis=0, broadcast=1\n" in said.get()


def test_who_does_not_support_a_system_is_recorded(check: Check) -> None:
    report = check("onnx-reference,numpy", (Operator.OV_MULTIPLY_1, "bfloat16"))
    verdicts = {name: set(each) for (name, _, _), each in report.counts.items()}
    assert verdicts == {"onnx-reference": {Verdict.NOT_SUPPORTED}, "numpy": {Verdict.PASS}}
