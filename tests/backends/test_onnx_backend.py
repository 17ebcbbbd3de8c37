"""ONNX's own node tests for the operators of SONNX, by ONNX's own runner, and what is outside."""

import unittest
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.backend.base import Backend
from onnx.backend.test.case import node as node_cases
from onnx.backend.test.case.test_case import TestCase as Case
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner

from sonnx_formal.backends.onnx_backend import Onnx, Sonnx
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.catalogue import operators as declared
from sonnx_formal.spec.operator import System

OPERATORS, ONNX_OPERATORS = (
    {each.onnx.op_type for each in declared() if each.system is system and each.onnx}
    for system in (System.SONNX, System.ONNX)
)
NOT_OURS = {
    *("test_identity_sequence", "test_identity_opt"),  # no tensors
    *("test_equal_string", "test_equal_string_broadcast"),  # of Equal since 19
    # A zero point with one axis beside a scale without any.
    *("test_quantizelinear_e4m3fn", "test_quantizelinear_e5m2"),
    "test_dequantizelinear_e4m3fn_zero_point",
}
CLIPPED = ("example", "inbounds", "outbounds", "splitbounds", "min_greater_than_max")
OUTSIDE_THE_PROFILE = {
    # Two comparisons, each with a bound of rank 0.
    "test_clip_expanded": "SONNX-LESS-FLOAT.A.C1",
    **{f"test_clip_{each}_expanded": "SONNX-LESS-FLOAT.A.C1" for each in CLIPPED},
    **{f"test_clip_default_{each}_expanded": "SONNX-LESS-FLOAT.A.C1" for each in ("min", "max")},
    **{f"test_clip_default_int8_{x}_expanded": "SONNX-LESS-INT.A.C1" for x in ("min", "max")},
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
    **{
        f"test_concat_{rank}d_axis_negative_{axis}": "SONNX-CONCAT.R1"
        for rank in (1, 2, 3)
        for axis in range(1, rank + 1)
    },
    **{
        f"test_gemm_default_{each}_bias": "SONNX-GEMM.R3"
        for each in ("zero", "scalar", "single_elem_vector", "vector")
    },
    # Some axes of three.
    "test_slice": "SONNX-SLICE.X.C1",
    "test_slice_neg": "SONNX-SLICE.X.C1",
    "test_slice_start_out_of_bounds": "SONNX-SLICE.X.C1",
    "test_slice_end_out_of_bounds": "SONNX-SLICE.X.C1",
    "test_slice_neg_steps": "SONNX-SLICE.S.C2",  # from 20 on, of 20 elements
}
NO_CALL = {
    "test_clip_default": "Clip",  # without a bound
    "test_basic_conv": "Conv",  # without strides, dilations, the group
    "test_conv_with": "Conv",
    "test_gemm_default_no_bias": "Gemm",  # without C
    "test_gemm_alpha": "Gemm",  # with an attribute that SONNX excludes
    "test_gemm_beta": "Gemm",
    "test_gemm_transpose": "Gemm",
    "test_gemm_all_attributes": "Gemm",
    "test_maxpool": "MaxPool",  # none sets all attributes
    "test_slice_default": "Slice",  # without the axes, or the steps
    "test_slice_negative_axes": "Slice",  # without the steps
}
"""How the names of tests begin that lack something SONNX asks for, or have what it excludes."""

OTHERS = {"reducesumsquare"}
"""Operators whose tests are of these operators alone, too, where they are expanded."""
Results = Callable[[type[Backend], str], unittest.TestResult]


def operators(test: Case) -> set[str]:
    assert test.model is not None
    return {node.op_type for node in test.model.graph.node}


def of_these(tests: Iterable[Case]) -> dict[str, Case]:
    ours = (OPERATORS, ONNX_OPERATORS)
    return {test.name: test for test in tests if any(operators(test) <= each for each in ours)}


@pytest.fixture(scope="module")
def node_tests() -> dict[str, Case]:
    """All that ONNX has of these operators, of one node or several, by name.

    A module of ONNX makes the tests of an operator when it is imported: those of others take time.
    """
    with np.errstate(all="ignore"):
        for name in {each.lower() for each in OPERATORS | ONNX_OPERATORS} | OTHERS:
            import_module(f"{node_cases.__name__}.{name}")
    return of_these(node_cases._NodeTestCases)


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
    with np.errstate(all="ignore"):
        assert set(node_tests) == set(of_these(load_model_tests(kind="node")))
    assert set(OUTSIDE_THE_PROFILE) <= set(node_tests)
    inside = [name for name, test in node_tests.items() if operators(test) <= OPERATORS]
    assert len(inside) >= 57
    assert {each for name in inside for each in operators(node_tests[name])} == OPERATORS
    for name in inside:
        result = results(Sonnx, name)
        if name in OUTSIDE_THE_PROFILE:
            ((_, trace),) = result.errors
            assert f"SpecViolation: {OUTSIDE_THE_PROFILE[name]}: " in trace
        elif operator := next((op for x, op in NO_CALL.items() if name.startswith(x)), None):
            ((_, trace),) = result.errors
            assert "TypeError: " in trace
            assert f"(operator '{operator}')" in trace
        else:
            assert passed(result), name


@pytest.mark.filterwarnings("ignore")
def test_operators_of_onnx(node_tests: dict[str, Case], results: Results) -> None:
    """What SONNX has and what it lacks."""
    names = [name for name, test in node_tests.items() if operators(test) <= ONNX_OPERATORS]
    assert {each for name in names for each in operators(node_tests[name])} == ONNX_OPERATORS
    assert len(names) >= 69
    # No node of AveragePool sets all attributes.
    not_ours = {name for name in names if name.startswith("test_averagepool_")}
    # Numbers of fewer than 8 bits.
    quantized = ("test_quantizelinear_", "test_dequantizelinear_")
    types = ("float4e2m1", "int4", "uint4", "int2", "uint2")
    small = tuple(f"{name}{type_}" for name in quantized for type_ in types)
    not_ours |= {name for name in names if name.startswith(small)}
    not_ours |= NOT_OURS
    assert {name for name in names if not passed(results(Onnx, name))} == not_ours


@pytest.mark.filterwarnings("ignore")
def test_average_pool_with_all_attributes_set(node_tests: dict[str, Case]) -> None:
    """To what holds where a node does not set them: along two axes, with explicit padding."""
    defaults: dict[str, object] = {"strides": [1, 1], "dilations": [1, 1], "pads": [0] * 4}
    defaults |= {"auto_pad": "NOTSET", "ceil_mode": 0, "count_include_pad": 0}
    computed = 0
    for name, test in node_tests.items():
        assert test.model
        if not name.startswith("test_averagepool_2d_"):
            continue
        made = onnx.ModelProto.FromString(test.model.SerializeToString())
        (node,) = made.graph.node
        given = {each.name: helper.get_attribute_value(each) for each in node.attribute}
        for each, value in defaults.items():
            if each not in given:
                node.attribute.append(helper.make_attribute(each, value))
        assert test.data_sets
        ((inputs, (wanted,)),) = test.data_sets
        if given.get("ceil_mode") or given.get("auto_pad", b"NOTSET") != b"NOTSET":
            with pytest.raises(SpecViolation, match=r"\.(CEIL_MODE|AUTO_PAD)\.C2"):
                Onnx.run_model(made, inputs)
            continue
        (result,) = Onnx.run_model(made, inputs)
        np.testing.assert_allclose(result, wanted, test.rtol, test.atol, err_msg=name)
        computed += 1
    assert computed == 7


@pytest.mark.filterwarnings("ignore")
def test_mul_broadcasts_as_onnx_has_it(node_tests: dict[str, Case], results: Results) -> None:
    names = [name for name in node_tests if name.startswith("test_mul")]
    assert {"test_mul_bcast", "test_mul", "test_mul_int8"} <= set(names)
    assert all(passed(results(Onnx, name)) for name in names)


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
    (by_column,) = Onnx.run_model(mul_model(9, b), inputs)
    assert by_column.tolist() == [[4, 18], [12, 36]]
    (by_row,) = Onnx.run_model(mul_model(6, b, broadcast=1, axis=0), inputs)
    assert by_row.tolist() == [[4, 8], [27, 36]]
    with pytest.raises(SpecViolation, match=r"ONNX-MUL-6\.B\.C1"):
        Onnx.run_model(mul_model(6, b), inputs)
    with pytest.raises(SpecViolation, match=r"SONNX-MUL\.R4"):
        Sonnx.run_model(mul_model(9, b), inputs)


def test_texts_are_objects_to_onnx() -> None:
    types = [helper.make_tensor_value_info(x, onnx.TensorProto.STRING, [1]) for x in ("a", "b")]
    result = helper.make_tensor_value_info("c", onnx.TensorProto.STRING, [2])
    node = helper.make_node("Concat", ["a", "b"], ["c"], axis=0)
    model = helper.make_model(
        helper.make_graph([node], "graph", types, [result]),
        opset_imports=[helper.make_opsetid("", 13)],
        ir_version=8,
    )
    words = [np.array([word], object) for word in ("é", "")]
    (joined,) = Sonnx.run_model(model, words)
    assert joined.tolist() == ["é", ""]


def test_inputs_by_name() -> None:
    (result,) = Onnx.prepare(mul_model(14)).run({"y": Y, "x": X})
    assert result.tolist() == [[4, 18], [12, 36]]


def test_what_they_do_not_run() -> None:
    model = mul_model(14)
    assert Sonnx.is_compatible(model)
    assert not Sonnx.is_compatible(model, "CUDA:1")
    model.graph.node[1].op_type = "Mod"
    for backend in (Sonnx, Onnx):
        assert not backend.is_compatible(model)
        with pytest.raises(ValueError, match="and nothing else"):
            backend.prepare(model)
    model.graph.node[1].op_type = "Div"
    assert Sonnx.is_compatible(model)
    assert not Onnx.is_compatible(model)
