"""ONNX's own node tests for the operators of SONNX, by ONNX's own runner, and what is outside."""

import unittest
from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.backend.base import Backend
from onnx.backend.test.case.test_case import TestCase as Case
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

from sonnx_formal.backends.onnx_backend import OnnxMul, Sonnx
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.catalogue import operators as declared
from sonnx_formal.spec.operator import System

OPERATORS = {each.onnx.op_type for each in declared() if each.system is System.SONNX and each.onnx}
OUTSIDE_THE_PROFILE = {
    "test_add_bcast": "SONNX-ADD-FLOAT.A.C1",
    "test_sub_bcast": "SONNX-SUB-FLOAT.A.C1",
    "test_less_bcast": "SONNX-LESS-FLOAT.A.C1",
    "test_mul_bcast": "SONNX-MUL.R4",
    "test_div_bcast": "SONNX-DIV.R4",
    "test_matmul_3d": "SONNX-MATMUL-FLOAT.A.C1",
    "test_matmul_4d": "SONNX-MATMUL-FLOAT.A.C1",
    "test_matmul_bcast": "SONNX-MATMUL-FLOAT.A.C1",
    "test_matmul_1d_3d": "SONNX-MATMUL-FLOAT.A.C1",
    "test_matmul_4d_1d": "SONNX-MATMUL-FLOAT.A.C1",
    "test_matmul_1d_1d": "SONNX-MATMUL-FLOAT.A.C1",
}

Results = Callable[[type[Backend], str], unittest.TestResult]


def operators(test: Case) -> set[str]:
    assert test.model is not None
    return {node.op_type for node in test.model.graph.node}


@pytest.fixture(scope="module")
def node_tests() -> dict[str, Case]:
    """All that ONNX has for single nodes of these operators, by name."""
    with np.errstate(all="ignore"):
        tests = load_model_tests(kind="node")
    return {
        test.name: test
        for test in tests
        if operators(test) <= OPERATORS and test.model and len(test.model.graph.node) == 1
    }


@pytest.fixture(scope="module")
def results(node_tests: dict[str, Case]) -> Results:
    """Runs a test on the CPU by ONNX's runner."""

    def run(backend: type[Backend], name: str) -> unittest.TestResult:
        with pytest.MonkeyPatch.context() as patch:
            # Not the thousands of tests that it comes with.
            patch.setattr("onnx.backend.test.runner.load_model_tests", lambda kind: [])
            runner = Runner(backend, __name__)
        runner._add_model_test(node_tests[name], "Node")
        result = unittest.TestResult()
        runner.test_suite.run(result)
        return result

    return run


def passed(result: unittest.TestResult) -> bool:
    """On the CPU; the runner skips the same on CUDA."""
    assert result.failures == []
    return (result.testsRun, len(result.skipped), result.errors) == (2, 1, [])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.long
def test_all_of_them(node_tests: dict[str, Case], results: Results) -> None:
    """What is inside the profile passes; all else is rejected, and none is left out."""
    assert set(OUTSIDE_THE_PROFILE) <= set(node_tests)
    assert len(node_tests) >= 47
    assert set().union(*map(operators, node_tests.values())) == OPERATORS
    for name in node_tests:
        result = results(Sonnx, name)
        if name in OUTSIDE_THE_PROFILE:
            ((_, trace),) = result.errors
            assert f"SpecViolation: {OUTSIDE_THE_PROFILE[name]}: " in trace
        else:
            assert passed(result), name


@pytest.mark.filterwarnings("ignore")
def test_mul_broadcasts_as_onnx_has_it(node_tests: dict[str, Case], results: Results) -> None:
    names = [name for name in node_tests if name.startswith("test_mul")]
    assert {"test_mul_bcast", "test_mul", "test_mul_int8"} <= set(names)
    assert all(passed(results(OnnxMul, name)) for name in names)


@pytest.mark.filterwarnings("ignore")
def test_requirements_by_the_interface_of_the_backend(node_tests: dict[str, Case]) -> None:
    for name, requirement in OUTSIDE_THE_PROFILE.items():
        test = node_tests[name]
        assert test.model
        assert test.data_sets
        ((inputs, _),) = test.data_sets
        with pytest.raises(SpecViolation) as caught:
            Sonnx.run_model(test.model, inputs)
        assert caught.value.requirement == requirement


def mul_model(opset: int, b: Any = None, **attributes: Any) -> onnx.ModelProto:
    """x * y * y, of which y may be in the model."""
    shape = [2, 2]
    inputs = [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)]
    if b is None:
        inputs.append(helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [2]))
    graph = helper.make_graph(
        [
            helper.make_node("Mul", ["x", "y"], ["t"], **attributes),
            helper.make_node("Mul", ["t", "y"], ["z"], **attributes),
        ],
        "graph",
        inputs,
        [helper.make_tensor_value_info("z", onnx.TensorProto.FLOAT, shape)],
        [] if b is None else [numpy_helper.from_array(b, "y")],
    )
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


X, Y = np.array([[1, 2], [3, 4]], np.float32), np.array([2, 3], np.float32)


@pytest.mark.parametrize("b", [None, Y])
def test_the_version_is_that_of_the_operator_set(b: Any) -> None:
    inputs = [X, Y] if b is None else [X]
    (by_column,) = OnnxMul.run_model(mul_model(9, b), inputs)
    assert by_column.tolist() == [[4, 18], [12, 36]]
    (by_row,) = OnnxMul.run_model(mul_model(6, b, broadcast=1, axis=0), inputs)
    assert by_row.tolist() == [[4, 8], [27, 36]]
    with pytest.raises(SpecViolation, match=r"ONNX-MUL-6\.B\.C1"):
        OnnxMul.run_model(mul_model(6, b), inputs)
    with pytest.raises(SpecViolation, match=r"SONNX-MUL\.R4"):
        Sonnx.run_model(mul_model(9, b), inputs)


def test_inputs_by_name() -> None:
    (result,) = OnnxMul.prepare(mul_model(14)).run({"y": Y, "x": X})
    assert result.tolist() == [[4, 18], [12, 36]]


def test_what_they_do_not_run() -> None:
    model = mul_model(14)
    assert Sonnx.is_compatible(model)
    assert not Sonnx.is_compatible(model, "CUDA:1")
    model.graph.node[1].op_type = "Mod"
    for backend in (Sonnx, OnnxMul):
        assert not backend.is_compatible(model)
        with pytest.raises(ValueError, match="and nothing else"):
            backend.prepare(model)
    model.graph.node[1].op_type = "Div"
    assert Sonnx.is_compatible(model)
    assert not OnnxMul.is_compatible(model)
