"""How the operators of ONNX and OpenVINO are put to implementations."""

from contextlib import closing
from typing import Any
from xml.etree import ElementTree

import ml_dtypes
import numpy as np
import pytest

from sonnx_formal.backends.backend import PLAIN, Form, NotApplicableError, Refused, Result
from sonnx_formal.backends.catalogue import ReferenceBackend, UsersCallable
from sonnx_formal.backends.command import UsersCommand
from sonnx_formal.backends.process import Worker
from sonnx_formal.backends.runtimes import (
    Compiled,
    ModelRunner,
    OnnxReference,
    layer_file,
    model,
    operation,
)
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operator, operators
from sonnx_formal.spec.element_types import REAL, Array, element_types
from sonnx_formal.spec.operator import Instance, Operator, System
from tests.toys.declarations import OPERATORS as TOYS

A = np.ones((2, 3), np.float32)
B = np.ones(2, np.float32)
AT_0 = Attributes.of({"axis": 0, "broadcast": 1})
MUL, OV_MULTIPLY_1 = operator("mul"), operator("ov-multiply-1")
ONNX_MUL = {
    each: each.onnx.since for each in operators() if each.name.startswith("onnx-mul") and each.onnx
}


def over(declared: Operator, type_: str) -> Instance:
    return Instance(declared, element_types(type_))


def test_onnx_has_no_operator_of_openvino() -> None:
    with pytest.raises(NotApplicableError, match="ONNX has no ov-multiply-1"):
        model(Call(OV_MULTIPLY_1, (A, A)), PLAIN)


def test_onnx_cannot_tell_a_runtime_not_to_broadcast() -> None:
    with pytest.raises(NotApplicableError, match="no way to tell a runtime not to broadcast"):
        model(Call(MUL, (A, A)), Form(never_broadcast=True))


@pytest.mark.parametrize(
    "form", [PLAIN, Form(opset=15, ir_version=9), Form(open_dimensions=True)], ids=str
)
def test_models_of_each_form(form: Form) -> None:
    made = model(Call(MUL, (A, A)), form)
    assert made.opset_import[0].version == form.opset
    assert made.ir_version == form.ir_version
    dims = [dim.dim_value for dim in made.graph.input[0].type.tensor_type.shape.dim]
    assert dims == ([0, 0] if form.open_dimensions else [2, 3])


def test_openvinos_operations() -> None:
    named = {name: operation(operator(name)) for name in ("mul", "div", "matmul", "ov-multiply-1")}
    expected = {"mul": "Multiply", "div": "Divide", "matmul": None, "ov-multiply-1": "Multiply"}
    assert named == expected
    assert {operation(toy) for toy in TOYS} == {None}


def ports(layer: ElementTree.Element, side: str) -> dict[str | None, tuple[int, ...]]:
    return {
        port.get("id"): tuple(int(dim.text or "") for dim in port.iter("dim"))
        for port in layer.findall(f"{side}/port")
    }


@pytest.mark.parametrize("rule", [None, "none", "numpy"])
def test_the_layer_of_openvino(rule: str | None) -> None:
    a, b = np.zeros((8, 1, 6, 1), np.int8), np.zeros((7, 1, 5), np.int8)
    call = Call(OV_MULTIPLY_1, (a, b), Attributes.of({"auto_broadcast": rule}))
    net = ElementTree.fromstring(layer_file(call))
    layers = {each.get("id"): each for each in net.iter("layer")}
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
    ends = ("from-layer", "from-port", "to-layer", "to-port")
    edges = [tuple(edge.get(end) for end in ends) for edge in net[1]]
    assert edges == [("0", "0", "2", "0"), ("1", "0", "2", "1"), ("2", "2", "3", "0")]


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
    net = ElementTree.fromstring(layer_file(Call(OV_MULTIPLY_1, (array, array))))
    assert {each.get("element_type") for each in net.iter("data")} == {name}
    assert {each.get("precision") for each in net.iter("port")} == {precision}
    assert {each.get("shape") for each in net.iter("data")} == {""}


def test_our_own_takes_them_in_its_process() -> None:
    consumed = Attributes.of({"axis": 0, "broadcast": 1, "consumed_inputs": [0, 0]})
    with Worker("reference") as worker:
        outcome = worker.run(Call(operator("onnx-mul-1"), (A, B), consumed))
        assert isinstance(outcome, Result)
        assert outcome.array.shape == (2, 3)
        outcome = worker.run(Call(operator("onnx-mul-6"), (A, B)))
        assert isinstance(outcome, Refused)
        assert outcome.requirement == "ONNX-MUL-6.B.C1"
        none = Attributes.of({"auto_broadcast": "none"})
        outcome = worker.run(Call(OV_MULTIPLY_1, (A, B), none))
        assert isinstance(outcome, Refused)
        assert outcome.requirement == "OV-MULTIPLY-1.ATTR.AUTO_BROADCAST"
    with pytest.raises(NotApplicableError):
        ReferenceBackend().run(Call(OV_MULTIPLY_1, (A, A)), Form(as_file=True))


class SinceVersion7(ModelRunner):
    """A runtime that loads no models of older operator sets."""

    def compile(self, model: Any) -> Compiled:
        if model.opset_import[0].version < 7:
            raise RuntimeError("unsupported operator set")
        return lambda operands: np.asarray(operands[0] * operands[1])


def test_operator_sets_that_a_runtime_does_not_load() -> None:
    runtime = SinceVersion7()
    taken = [
        each
        for each in operators()
        if any(runtime.supports(instance) for instance in each.instances(beyond=False))
    ]
    later = [each for each in operators() if ONNX_MUL.get(each, 0) >= 7]
    assert len(later) == 3
    # The document of Gemm lists real numbers alone, which no runtime has.
    own = [each for each in operators() if each.goes_by_onnx_name and each.name != "gemm"]
    assert taken == [each for each in operators() if each in own or each in later]
    assert not runtime.supports(Instance(MUL, (REAL,)))
    with pytest.raises(NotApplicableError, match="it reads no files of OpenVINO"):
        runtime.run(Call(MUL, (A, A)), Form(as_file=True))


def test_compiled_models_are_told_apart() -> None:
    """By all that a model says: types, shapes, attributes, form."""

    class Numbered(ModelRunner):
        compiled = 0

        def compile(self, model: Any) -> Compiled:
            number: Array = np.array(self.compiled)
            self.compiled += 1
            return lambda _: number

    runtime = Numbered()
    legacy = operator("onnx-mul-6")
    calls = [
        (Call(MUL, (A, A)), PLAIN),
        (Call(MUL, (B, B)), PLAIN),
        (Call(MUL, (A.astype(int), A.astype(int))), PLAIN),
        (Call(MUL, (A, A)), Form(opset=15)),
        (Call(legacy, (A, A)), PLAIN),
        (Call(legacy, (A, A), AT_0), PLAIN),
    ]
    for _ in range(2):
        assert [runtime.run(*each).item() for each in calls] == [*range(len(calls))]


def test_the_reference_evaluator_loads_all_of_them() -> None:
    runtime = OnnxReference()
    assert len(ONNX_MUL) == 5
    assert all(runtime.supports(over(each, "float32")) for each in ONNX_MUL)
    assert not runtime.supports(over(OV_MULTIPLY_1, "float32"))


def test_what_a_user_s_own_is_asked_for() -> None:
    function = UsersCallable("operator:mul")
    with (
        closing(UsersCommand("echo sonnx-formal values")) as values,
        closing(UsersCommand("echo sonnx-formal files")) as files,
    ):
        for each in operators():
            instance = next(x for x in each.instances() if x.types[0].has_patterns)
            assert function.supports(instance) == (each.system is System.SONNX)
            assert values.supports(instance) == (each.system is System.SONNX)
            assert files.supports(instance) == (each is not OV_MULTIPLY_1)


def test_each_sign_of_zero_in_an_attribute_is_a_model_of_its_own() -> None:
    class Shows(OnnxReference):
        def compile(self, model: Any) -> Compiled:
            alpha = model.graph.node[0].attribute[0].f
            return lambda _: np.array([alpha])

    shows = Shows()
    alphas = [0.0, -0.0, 0.0]
    calls = [Call(operator("leaky_relu"), (A,), Attributes.of({"alpha": x})) for x in alphas]
    found = [shows.run(call, PLAIN) for call in calls]
    assert np.signbit(found).ravel().tolist() == [False, True, False]
