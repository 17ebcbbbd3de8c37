"""How the operators of ONNX and OpenVINO are put to implementations."""

from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import helper

from sonnx_formal.backends.backend import PLAIN, Form, NotApplicableError
from sonnx_formal.backends.onnx_model import model
from sonnx_formal.backends.openvino_layer import layer_file
from sonnx_formal.backends.our_own import OurOwn
from sonnx_formal.backends.process import Refused, Result, Worker
from sonnx_formal.backends.runtimes import ModelRunner, OnnxReference
from sonnx_formal.backends.users_own import UsersCallable, UsersCommand
from sonnx_formal.oracle import Attributes
from sonnx_formal.oracle.attributes import UNSET
from sonnx_formal.vectors.case import ONNX_MUL, SONNX, Array, Operator

A = np.ones((2, 3), np.float32)
B = np.ones(2, np.float32)
AT_0 = Attributes(axis=0, broadcast=1, consumed_inputs=(0, 0))


@pytest.mark.parametrize(("operator", "version"), ONNX_MUL.items())
def test_models_of_each_version(operator: Operator, version: int) -> None:
    attributes = AT_0 if version == 1 else UNSET
    made = model(operator, A, A, attributes=attributes)
    onnx.checker.check_model(made)
    assert [one.version for one in made.opset_import] == [version]
    (node,) = made.graph.node
    values = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    assert Attributes.of(values) == attributes


def test_onnx_has_no_operator_of_openvino() -> None:
    with pytest.raises(NotApplicableError, match="ONNX has no ov-multiply-1"):
        model(Operator.OV_MULTIPLY_1, A, A)


def ports(layer: ElementTree.Element, side: str) -> dict[str | None, tuple[int, ...]]:
    return {
        port.get("id"): tuple(int(one.text or "") for one in port.iter("dim"))
        for port in layer.findall(f"{side}/port")
    }


@pytest.mark.parametrize("rule", [None, "none", "numpy"])
def test_the_layer_of_openvino(rule: str | None) -> None:
    a, b = np.zeros((8, 1, 6, 1), np.int8), np.zeros((7, 1, 5), np.int8)
    net = ElementTree.fromstring(layer_file(a, b, rule))
    layers = {one.get("id"): one for one in net.iter("layer")}
    kinds = [layer.get("type") for layer in layers.values()]
    assert kinds == ["Parameter", "Parameter", "Multiply", "Result"]
    assert {layer.get("version") for layer in layers.values()} == {"opset1"}
    multiply = layers["2"]
    assert ports(multiply, "input") == {"0": (8, 1, 6, 1), "1": (7, 1, 5)}
    data = multiply.find("data")
    assert (data.attrib if data is not None else None) == (rule and {"auto_broadcast": rule})
    for number, shape in [("0", "8,1,6,1"), ("1", "7,1,5")]:
        parameter = layers[number].find("data")
        assert parameter is not None
        assert parameter.attrib == {"shape": shape, "element_type": "i8"}
    edges = [(one.get("from-layer"), one.get("to-layer"), one.get("to-port")) for one in net[1]]
    assert edges == [("0", "2", "0"), ("1", "2", "1"), ("2", "3", "0")]


@pytest.mark.parametrize(
    ("dtype", "name", "precision"),
    [
        (np.float16, "f16", "FP16"),
        (ml_dtypes.bfloat16, "bf16", "BF16"),
        (np.float64, "f64", "FP64"),
        (np.int64, "i64", "I64"),
        (np.uint8, "u8", "U8"),
    ],
)
def test_element_types_of_the_layer(dtype: Any, name: str, precision: str) -> None:
    array: Array = np.zeros((), dtype)
    net = ElementTree.fromstring(layer_file(array, array, None))
    assert {one.get("element_type") for one in net.iter("data")} == {name}
    assert {one.get("precision") for one in net.iter("port")} == {precision}
    assert {one.get("shape") for one in net.iter("data")} == {""}


def test_our_own_takes_them_in_its_process() -> None:
    with Worker("numpy") as worker:
        outcome = worker.run(Operator.ONNX_MUL_1, A, B, attributes=AT_0)
        assert isinstance(outcome, Result)
        assert outcome.array.shape == (2, 3)
        outcome = worker.run(Operator.ONNX_MUL_6, A, B)
        assert isinstance(outcome, Refused)
        assert outcome.requirement == "ONNX-MUL-6.B.C1"
        none = Attributes(auto_broadcast="none")
        outcome = worker.run(Operator.OV_MULTIPLY_1, A, B, PLAIN, none)
        assert isinstance(outcome, Refused)
        assert outcome.requirement == "OV-MULTIPLY-1.ATTR.AUTO_BROADCAST"
    with pytest.raises(NotApplicableError):
        OurOwn().run(Operator.OV_MULTIPLY_1, A, A, Form(as_file=True), UNSET)


class SinceVersion7(ModelRunner):
    """A runtime that loads no models of older operator sets."""

    operators = (*SONNX, *ONNX_MUL)

    def compile(self, model: Any) -> Callable[[Array, Array], Array]:
        if model.opset_import[0].version < 7:
            raise RuntimeError("unsupported operator set")
        return lambda a, b: np.asarray(a * b)


def test_operator_sets_that_a_runtime_does_not_load() -> None:
    runtime = SinceVersion7()
    taken = [one for one in Operator if runtime.supports(one, "float32")]
    later = [operator for operator, version in ONNX_MUL.items() if version >= 7]
    assert taken == [*SONNX, *later]
    assert not runtime.supports(Operator.MUL, "real")
    with pytest.raises(NotApplicableError, match="it reads no files of OpenVINO"):
        runtime.run(Operator.MUL, A, A, Form(as_file=True), UNSET)


def test_the_reference_evaluator_loads_all_of_them() -> None:
    runtime = OnnxReference()
    assert all(runtime.supports(operator, "float32") for operator in ONNX_MUL)
    assert not runtime.supports(Operator.OV_MULTIPLY_1, "float32")


def test_what_a_user_s_own_is_asked_for() -> None:
    function, command = UsersCallable("operator:mul"), UsersCommand("true")
    for operator in Operator:
        assert function.supports(operator, "int8") == (operator in SONNX)
        assert command.supports(operator, "int8") == (operator is not Operator.OV_MULTIPLY_1)
