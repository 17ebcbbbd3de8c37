"""The cross-check on ONNX Mul and OpenVINO Multiply-1."""

import math

import numpy as np
import pytest
from rich.console import Console

from sonnx_formal.backends.plainest import places, plainest
from sonnx_formal.check.crosscheck import fails
from sonnx_formal.check.document import Verdict
from sonnx_formal.check.summary import print_summary
from sonnx_formal.check.trials import exhaustive, inadmissible, of_case
from sonnx_formal.core import documents
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.catalogue import instances, operators
from sonnx_formal.spec.element_types import MACHINE
from sonnx_formal.spec.operator import Instance, Operator, System
from sonnx_formal.vectors.generate import generate
from tests.check.conftest import Check, failed, over

pytestmark = pytest.mark.long

LEGACY = over("onnx-mul-6", "int32")


@pytest.mark.parametrize("operator", operators(), ids=str)
def test_types_that_a_document_lacks_are_asked_for(oracle: Oracle, operator: Operator) -> None:
    machine = {type_.name for type_ in MACHINE}
    for instance in operator.instances():
        accepted = []
        if plainest(instance) is None:  # then a vector says what the operator accepts
            accepted = [of_case(case, oracle) for case in generate(instance, 0, oracle)]
        trials = list(inadmissible(oracle, instance, accepted))
        names = [trial.name for trial in trials if "-unlisted-" in trial.name]
        known = [{type_.name for type_ in (*x.types, *x.beyond)} for x in operator.parameters]
        assert len(names) == sum(len(machine - each) for each in known)
        calls = [trial.call for trial in accepted if trial.violated is None]
        calls.sort(key=lambda call: sum(array.size for array in call.arrays))
        plain = plainest(instance) or calls[0]
        given = [input_.type for _, input_, operand in plain.bound() if operand is not None]
        two_types = len(given) - len({*given} & {each.name for each in operator.parameters})
        assert len([trial for trial in trials if "-two-types" in trial.name]) == two_types
        assert all(trial.violated for trial in trials)
        if operator.system is not System.SONNX and trials:
            assert len(trials) == two_types + len(names)
            assert {trial.violated for trial in trials} == {f"{instance.document}.T"}


def test_the_reference_evaluator_knows_no_attributes(check: Check) -> None:
    """ONNX's own, which runs every version of Mul as it would run the last one."""
    report = check("onnx-reference", LEGACY, over("onnx-mul-7", "int32"))
    counts = {row.operator: row.counts for row in report.matrix}
    of_seven = {verdict for verdict, count in counts["onnx-mul-7"].items() if count}
    assert of_seven == {Verdict.PASS, Verdict.NOT_JUDGED}
    assert counts["onnx-mul-6"][Verdict.DIVERGES] > 0
    computed = [each.kind for each in report.findings if not each.admissible]
    for item in ("B.C1", "B.C2", "ATTR.AXIS", "ATTR.BROADCAST"):
        assert f"computes what ONNX-MUL-6.{item} excludes" in computed


def test_attributes_are_part_of_an_example(check: Check) -> None:
    report = check("onnx-reference", LEGACY)
    documents.encode(report)
    examples = [each.example for each in report.findings if each.verdict is Verdict.DIVERGES]
    assert {"axis": 0, "broadcast": 1} in [example.attributes for example in examples]
    console = Console(record=True, width=200, file=None)
    with console.capture() as said:
        print_summary(console, report)
    assert "  with axis=0, broadcast=1\n" in said.get()


def test_who_does_not_support_a_system_is_recorded(check: Check) -> None:
    report = check("onnx-reference,reference", over("ov-multiply-1", "bfloat16"))
    verdicts = {
        row.backend: {verdict for verdict, count in row.counts.items() if count}
        for row in report.matrix
    }
    assert verdicts == {"onnx-reference": {Verdict.NOT_SUPPORTED}, "reference": {Verdict.PASS}}


def test_what_is_not_tried_exhaustively_says_so(check: Check) -> None:
    chosen = [over("onnx-mul-14", "uint8"), over("matmul", "uint64"), over("div", "int16")]
    report = check("reference", *chosen, cases=[])
    told = {run.operator: (run.combinations, run.why_not) for run in report.exhaustive}
    assert told == {
        "onnx-mul-14": (65_536, None),
        "matmul": (0, "it is not element by element"),
        "div": (0, "there are too many combinations of elements"),
    }
    console = Console(record=True, width=200, file=None)
    with console.capture() as said:
        print_summary(console, report)
    assert "combinations of elements, all 65,536 tried (onnx-mul-14 uint8)\n" in said.get()
    assert "not tried: it is not element by element (matmul uint64)\n" in said.get()


ALONE = [
    each
    for each in instances()
    if each.operator.shape_rule.by_element
    and len(places(each.operator)) == 1
    and each.types[0].dtype.itemsize == 2
]


@pytest.mark.parametrize("instance", ALONE, ids=str)
def test_every_single_operand_of_16_bits_is_tried(oracle: Oracle, instance: Instance) -> None:
    (trial,) = exhaustive(oracle, instance).trials
    (operand,) = trial.call.arrays
    assert operand.dtype == instance.types[0].dtype
    assert operand.view(np.uint16).tolist() == [*range(1 << 16)]
    assert trial.expected is not None


def test_every_operator_of_8_bits_is_tried_exhaustively(oracle: Oracle) -> None:
    narrow = [each for each in instances() if each.label in {"int8", "uint8"}]
    assert len(narrow) >= 8
    for instance in narrow:
        types = [instance.type_of(input_) for input_ in places(instance.operator)]
        together = math.prod(2 if type_.name == "bool" else 256 for type_ in types)
        together *= instance.operator.shape_rule.by_element
        assert exhaustive(oracle, instance).combinations == together


def test_a_library_without_a_kernel_has_nothing_to_pass(check: Check) -> None:
    report = check("libsonnx", over("onnx-mul-14", "float32"))
    assert report.matrix
    assert failed(report) == []


def test_who_says_that_it_has_a_kernel_has_to_pass(check: Check) -> None:
    """The same counts: nothing is asked of who has no kernel, and the other one answers nothing."""
    report = check("libsonnx", over("onnx-mul-14", "float32"))
    (backend,) = report.backends
    assert not fails(backend, set(), report)
    assert fails(backend, {("onnx-mul-14", "float32")}, report)
