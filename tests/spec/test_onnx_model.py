"""Models of one node say what the declaration and the call say, whatever the signature."""

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.onnx_model import NotInOnnxError, is_in_onnx, model, tensor
from sonnx_formal.spec.operator import Operator
from tests.signatures import CLIP, CONCAT, EVERY_KIND, LESS, NEG, QUANTIZE, RESHAPE, WHERE

ONE: Array = np.array([[1, -2]], np.float32)
POSITIVE: Array = ONE > 0
ZERO: Array = np.array(0, np.float32)
SHAPE: Array = np.array([2, 1])
ALONG_0 = Attributes.of({"axis": 0})


@pytest.mark.parametrize(
    ("toy", "operands", "attributes", "expected"),
    [
        (NEG, (ONE,), UNSET, -ONE),
        (LESS, (ONE, -ONE), UNSET, ONE < -ONE),
        (WHERE, (POSITIVE, ONE, ZERO), UNSET, np.maximum(ONE, 0)),
        (CLIP, (ONE, None, ZERO), UNSET, np.minimum(ONE, 0)),
        (CONCAT, (ONE, ONE, -ONE), ALONG_0, np.concatenate([ONE, ONE, -ONE])),
        (QUANTIZE, (ONE, np.array(0.5, np.float32), np.array(1, np.int8)), UNSET, [[3, -3]]),
        (RESHAPE, (ONE, SHAPE), Attributes.of({"allowzero": 1}), ONE.T),
    ],
)
def test_models_are_sound_and_compute(
    toy: Operator, operands: tuple[Array | None, ...], attributes: Attributes, expected: Any
) -> None:
    call = Call(toy, operands, attributes)
    made = model(call, result=np.shape(expected))
    onnx.checker.check_model(made, full_check=True)
    assert [input_.name for input_ in made.graph.input] == [
        name for name, _, operand in call.bound() if operand is not None
    ]
    feed = dict(zip([i.name for i in made.graph.input], call.arrays, strict=True))
    (result,) = ReferenceEvaluator(made).run(None, feed)
    assert isinstance(result, np.ndarray)
    np.testing.assert_array_equal(result, expected)
    assert helper.tensor_dtype_to_np_dtype(made.graph.output[0].type.tensor_type.elem_type) == (
        result.dtype
    )


def test_attributes_are_of_the_declared_kind() -> None:
    values = {
        "int": 3,
        "float": 1,
        "string": "é",
        "ints": (),
        "floats": (1, 0.5),
        "strings": ("a", ""),
    }
    (node,) = model(Call(EVERY_KIND, (ONE,), Attributes.of(values))).graph.node
    found = {each.name: each for each in node.attribute}
    for name in values:
        assert onnx.AttributeProto.AttributeType.Name(found[name].type) == name.upper()
    assert helper.get_attribute_value(found["string"]) == "é".encode()
    assert helper.get_attribute_value(found["float"]) == 1.0


def test_an_attribute_that_is_not_declared_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="no attribute axes"):
        model(Call(EVERY_KIND, (ONE,), Attributes.of({"axes": 1})))


@pytest.mark.parametrize(
    ("name", "asked", "opset"),
    [("mul", 14, 14), ("mul", 20, 20), ("matmul", 14, 14), ("onnx-mul-7", 14, 7), ("mul", 9, 14)],
)
def test_operator_sets(name: str, asked: int, opset: int) -> None:
    made = model(Call(operator(name), (ONE, ONE)), opset=asked)
    assert [each.version for each in made.opset_import] == [opset]


def test_dimensions() -> None:
    def dims(**options: Any) -> list[list[int] | None]:
        graph = model(Call(operator("mul"), (ONE, ONE)), **options).graph
        types = [each.type.tensor_type for each in (*graph.input, *graph.output)]
        return [
            [d.dim_value for d in type_.shape.dim] if type_.HasField("shape") else None
            for type_ in types
        ]

    assert dims() == [[1, 2]] * 3
    assert dims(open_dimensions=True) == [[0, 0]] * 3
    assert dims(result=(7,)) == [[1, 2], [1, 2], [7]]


def test_what_onnx_does_not_have() -> None:
    real = np.empty(0, object)
    for call in (Call(operator("mul"), (real, real)), Call(operator("ov-multiply-1"), (ONE, ONE))):
        assert not is_in_onnx(call.instance())
        with pytest.raises(NotInOnnxError, match="ONNX has no"):
            model(call)


def test_what_onnx_has_over_other_types_only() -> None:
    """A model of it can be made: to reject that is for runtimes."""
    every = [each for name in ("neg", "abs", "relu") for each in operator(name).instances()]
    assert {each.name for each in every if not is_in_onnx(each)} == {
        *("neg-real", "abs-real", "relu-real"),
        *("neg-uint8", "neg-uint16", "neg-uint32", "neg-uint64"),
    }
    call = Call(operator("neg"), (np.ones(1, np.uint8),))
    (node,) = model(call).graph.node
    assert node.op_type == "Neg"


def test_tensors_come_back() -> None:
    for each in (ONE, POSITIVE, SHAPE):
        proto = onnx.TensorProto.FromString(tensor("X", each).SerializeToString())
        again = numpy_helper.to_array(proto)
        assert again.dtype == each.dtype
        np.testing.assert_array_equal(again, each)
