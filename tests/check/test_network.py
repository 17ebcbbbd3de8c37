"""Models node by node: small networks, one that is wrong somewhere, and what cannot be run."""

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto
from rich.console import Console

from sonnx_formal.check.document import Verdict
from sonnx_formal.check.network import NetworkRequest, examined
from sonnx_formal.check.network_document import NetworkReport
from sonnx_formal.check.network_summary import print_network
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.lint import lint
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.element_types import Array
from tests.check.conftest import FAKES, REPOSITORY
from tests.check.networks import network, node, of_bytes, of_floats, of_integers
from tests.check.test_injected_bugs import Bug, with_bug

ENVIRONMENT = os.environ | {"PYTHONPATH": f"{FAKES}:{REPOSITORY}"}
OURS = ("reference", "libsonnx", "libsonnx-soft", "onnx-reference")
RIGHT = {Verdict.PASS, Verdict.WITHIN_BOUND, Verdict.NOT_SUPPORTED}
REFUSED_BY_ONNX = {"ONNX DequantizeLinear 13"}
"""What its evaluator has of newer operator sets only."""


def run(
    oracle: Oracle,
    model: onnx.ModelProto,
    *backends: str,
    given: Any = (),
    environment: Mapping[str, str] = ENVIRONMENT,
    **others: Any,
) -> NetworkReport:
    sha256 = hashlib.sha256(model.SerializeToString()).hexdigest()
    request = NetworkRequest(
        "made.onnx", model, sha256, backends, given, environment=environment, **others
    )
    report = examined(request, oracle, lambda _: None)
    documents.encode(report)
    return report


def shown(report: NetworkReport) -> str:
    console = Console(width=200)
    with console.capture() as capture:
        print_network(console, report)
    return capture.get()


@pytest.mark.long
@pytest.mark.parametrize("make", [of_floats, of_integers, of_bytes])
def test_all_agree_on_small_networks(oracle: Oracle, make: Any) -> None:
    """Every node has a verdict of our own implementations; and none is wrong."""
    report = run(oracle, make(), *OURS)
    assert len(report.nodes) == report.of == len(make().graph.node)
    assert report.passes
    for row in report.nodes:
        verdicts = {each.backend: each.verdict for each in row.answers}
        assert set(verdicts) == set(OURS)
        assert verdicts["reference"] is Verdict.PASS
        assert verdicts["libsonnx"] is Verdict.PASS
        if row.operator in REFUSED_BY_ONNX:
            assert verdicts.pop("onnx-reference") is Verdict.REFUSES
        assert set(verdicts.values()) <= RIGHT
    assert f"made.onnx passes: {report.of} of {report.of} nodes" in shown(report)
    assert re.search(rf"^libsonnx \S+: {report.of} pass$", shown(report), re.MULTILINE)


@pytest.mark.parametrize(
    ("make", "of_onnx"),
    [
        (of_floats, ""),
        (of_integers, "ConvInteger 1"),
        (of_bytes, "QuantizeLinear 3, DequantizeLinear 3, ConvInteger 2"),
    ],
)
def test_each_node_is_inside_what_is_declared(make: Any, of_onnx: str) -> None:
    """In documents of SONNX or, where it has none, of ONNX, which the linter says."""
    found = lint(make())
    assert found.conforms
    assert found.judged == found.total == len(make().graph.node)
    assert ("by ONNX's own documents" in str(found)) == bool(of_onnx)
    assert of_onnx in str(found)


@pytest.mark.parametrize("make", [of_floats, of_integers, of_bytes])
def test_results_have_the_shapes_and_types_that_onnx_infers(oracle: Oracle, make: Any) -> None:
    model = make()
    report = run(oracle, model, "onnx-reference")
    inferred = {
        value.name: tuple(each.dim_value for each in value.type.tensor_type.shape.dim)
        for value in (*model.graph.value_info, *model.graph.output)
    }
    assert {row.node: row.shape for row in report.nodes} == inferred


def test_an_implementation_that_is_wrong_at_one_node(oracle: Oracle) -> None:
    """What it makes of the node before is right, for what goes on is not its own."""
    nodes = [node("Mul", ["x", "x"], "square"), node("Mul", ["square", "x"], "cube")]
    model = network(
        nodes, {"x": (TensorProto.INT16, [1])}, ("cube", TensorProto.INT16, [1]), weights={}
    )
    # It is wrong where both operands are 7 or more.
    wrong = "fakes:wrong_from_seven_on"
    given = [np.array([4], np.int16)]
    report = run(oracle, model, wrong, given=given, required=frozenset([wrong]))
    assert report.passes
    given = [np.array([7], np.int16)]
    report = run(oracle, model, wrong, given=given, required=frozenset([wrong]))
    assert not report.passes
    assert [each.verdict for row in report.nodes for each in row.answers] == [
        Verdict.DIVERGES,
        Verdict.DIVERGES,
    ]
    assert f"square: {wrong} diverges: off by one" in shown(report)
    assert run(oracle, model, wrong, given=given).passes  # nobody asks for it to be right


BROKEN = {
    ("quantize_linear.py", "np.rint(quotient.", "np.floor(quotient."): {
        "bytes",
        "small",
        "classes",
    },
    ("conv_integer.py", "wide - zero", "wide + zero"): {"products", "by_channel"},
    ("dequantize_linear.py", "granularity, scale.", "granularity, 2 * scale."): {
        *("convolved", "features", "w4_of_floats")
    },
}
"""An error in a function of our reference, and the nodes of the network of bytes that it spoils."""


@pytest.mark.parametrize("error", BROKEN, ids=lambda error: error[0].removesuffix(".py"))
def test_the_nodes_are_named_that_a_broken_function_computes(
    oracle: Oracle, tmp_path: Path, error: tuple[str, str, str]
) -> None:
    """And no others: what goes on from there is right."""
    copy = with_bug(Bug(*error, where=("", ""), kind=""), tmp_path)
    environment = os.environ | {"PYTHONPATH": str(copy)}
    report = run(oracle, of_bytes(), "reference", environment=environment)
    assert not report.passes
    verdicts = {row.node: row.answers[0].verdict for row in report.nodes}
    assert len(verdicts) == report.of
    assert verdicts == {
        name: Verdict.DIVERGES if name in BROKEN[error] else Verdict.PASS for name in verdicts
    }
    assert {*re.findall(r"^(\w+): reference diverges: ", shown(report), re.M)} == BROKEN[error]
    assert "made.onnx does not pass" in shown(report)


def test_nothing_goes_on_from_a_node_without_a_result(oracle: Oracle) -> None:
    nodes = [node("Add", ["x", "z"], "broadcast"), node("Mul", ["broadcast", "broadcast"], "y")]
    model = network(
        nodes,
        {"x": (TensorProto.FLOAT, [2, 1]), "z": (TensorProto.FLOAT, [1])},
        ("y", TensorProto.FLOAT, [2, 1]),
        weights={},
    )
    report = run(oracle, model, "reference")
    assert not report.passes
    ((row),) = report.nodes
    assert (row.violated, row.shape, row.answers) == ("SONNX-ADD-FLOAT.A.C1", None, ())
    assert "broadcast violates SONNX-ADD-FLOAT.A.C1" in shown(report)
    assert "1 of 2 nodes" in shown(report)


def test_inputs_are_the_same_for_the_same_seed(oracle: Oracle) -> None:
    model = of_integers()
    first, again, other = (run(oracle, model, "reference", seed=seed) for seed in (0, 0, 1))
    assert [row.answers for row in first.nodes] == [row.answers for row in again.nodes]
    assert other.passes


MUL = network(
    [node("Mul", ["x", "x"], "y")],
    {"x": (TensorProto.INT16, [2, 3])},
    ("y", TensorProto.INT16, [2, 3]),
    weights={},
)
SOFTMAX = network(
    [node("Softmax", ["x"], "y")],
    {"x": (TensorProto.FLOAT, [2])},
    ("y", TensorProto.FLOAT, [2]),
    weights={},
)


@pytest.mark.parametrize(
    ("model", "backend", "given", "message"),
    [
        (SOFTMAX, "reference", [], "made.onnx: the node y is a Softmax, of which there is no"),
        (MUL, "reference", [np.array([1], np.int8)], r"x is int16 \[2, 3\]; given is int8 \[1\]"),
        (MUL, "reference", [np.array([[1]], np.int16)], r"given is int16 \[1, 1\]"),
        (MUL, "reference", [np.zeros((2, 3), np.int16)] * 2, "2 inputs are given; it has x"),
        (MUL, "tvm", [], "there is nothing to ask, for nothing is installed: tvm: "),
    ],
)
def test_what_cannot_be_run(
    oracle: Oracle, model: onnx.ModelProto, backend: str, given: list[Array], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        run(oracle, model, backend, given=given)


def test_a_required_backend_that_is_missing(oracle: Oracle) -> None:
    with pytest.raises(UserError, match="tvm, which is required, is not installed"):
        run(oracle, MUL, "reference", "tvm", required=frozenset(["tvm"]))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from sonnx_formal.cli.main import cli  # noqa: PLC0415

    path, x = tmp_path / "mul.onnx", tmp_path / "x.npy"
    onnx.save(MUL, path)
    np.save(x, np.full((2, 3), 300, np.int16))
    arguments = ["network", str(path), "--input", str(x), "--backend", "reference,libsonnx"]
    status = cli.main([*arguments, "--json", str(tmp_path / "y.json")], standalone_mode=False)
    assert status == 0
    assert "SONNX Mul" in capsys.readouterr().out
    report = documents.read(tmp_path / "y.json", NetworkReport)
    assert report.model_sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert [each.verdict for each in report.nodes[0].answers] == [Verdict.PASS, Verdict.PASS]
