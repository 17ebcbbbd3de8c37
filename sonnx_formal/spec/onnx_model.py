"""Calls as models of one node, and arrays as tensors, in ONNX's own format."""

import msgspec
import numpy as np
import onnx
from onnx import helper, numpy_helper

from sonnx_formal.spec.attributes import Attribute, AttributeValue
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, ElementType, Family, element_type_of
from sonnx_formal.spec.operator import IR_VERSION, OPSET, Instance, ShapeRule

NEWEST_OPSET = onnx.defs.onnx_opset_version()
NEWEST_IR_VERSION = onnx.IR_VERSION
"""The version that `onnx` writes if it is not told."""

Shape = tuple[int, ...]


class NotInOnnxError(ValueError):
    """ONNX has no such operator, or no such element type."""


def is_in_onnx(instance: Instance) -> bool:
    """Whether ONNX has the operator over these types: it has no real numbers, for one thing.

    Of an operator that `onnx` does not know here, that is for the declaration to say.
    """
    if instance.operator.onnx is None or _has_reals(instance):
        return False
    return all(_in_onnx(type_) in port.types for type_, port in _ports(instance))


def has_valid_model(instance: Instance) -> bool:
    """Whether there is a model over these types to which ONNX's checker does not object.

    What the schema gives one type has to have one, which runtimes do not insist on.
    """
    if not is_in_onnx(instance):
        return False
    ports = [(port.type_str, type_) for type_, port in _ports(instance)]
    return len(dict(ports)) == len(set(ports))


def _ports(instance: Instance) -> list[tuple[ElementType, onnx.defs.OpSchema.FormalParameter]]:
    """The types of operands and result, and what the schema says of each; none without a schema."""
    operator = instance.operator
    assert operator.onnx is not None
    since = operator.onnx.since
    version = since if operator.onnx.until is not None else max(since, OPSET)
    try:
        schema = onnx.defs.get_schema(operator.onnx.op_type, version, "")
    except onnx.defs.SchemaError:
        return []
    last = len(schema.inputs) - 1
    taken = [
        (instance.type_of(input_), schema.inputs[min(place, last)])
        for place, input_ in enumerate(operator.inputs)
    ]
    return [*taken, (instance.type_of(operator.output), schema.outputs[0])]


def _in_onnx(type_: ElementType) -> str:
    """As schemas have it: `tensor(float)`."""
    element = helper.np_dtype_to_tensor_dtype(type_.dtype)
    return f"tensor({onnx.TensorProto.DataType.Name(element).lower()})"


def _has_reals(instance: Instance) -> bool:
    return any(type_.family is Family.REAL for type_ in instance.types)


def model(
    call: Call,
    *,
    opset: int = OPSET,
    ir_version: int = IR_VERSION,
    open_dimensions: bool = False,
    result: Shape | None = None,
) -> onnx.ModelProto:
    """The model of one operator for operands of these shapes and types.

    :param opset: of an operator that came later, and of one that later sets replaced, it is that
        which the operator came with.
    :param open_dimensions: leave the dimensions to the operands: say only how many there are.
    :param result: its shape, if more is known than the shape rule says.
    :raises NotInOnnxError: when ONNX does not have the operator, or has no such element type. It
        may be that it does not have the operator over the type: runtimes have to reject that.
    """
    operator, bound = call.operator, call.bound()
    if operator.onnx is None or _has_reals(call.instance()):
        raise NotInOnnxError(f"ONNX has no {call.instance()}")

    def described(name: str, type_: ElementType, shape: Shape | None) -> onnx.ValueInfoProto:
        element = helper.np_dtype_to_tensor_dtype(type_.dtype)
        dims = [None] * len(shape) if shape is not None and open_dimensions else shape
        return helper.make_tensor_value_info(name, element, dims)

    node = helper.make_node(
        operator.onnx.op_type,
        ["" if operand is None else name for name, _, operand in bound],
        [operator.output.name],
    )
    for name, value in call.attributes.values:
        node.attribute.append(_attribute(operator.attribute(name), name, value))
    inputs = [described(name, element_type_of(x), x.shape) for name, _, x in bound if x is not None]
    shape = result_shape(call) if result is None else result
    output = described(operator.output.name, call.result_type, shape)
    graph = helper.make_graph([node], operator.name, inputs, [output])
    since, until = operator.onnx.since, operator.onnx.until
    imports = [helper.make_opsetid("", since if until is not None else max(since, opset))]
    return helper.make_model(graph, opset_imports=imports, ir_version=ir_version)


def tensor(name: str, array: Array) -> onnx.TensorProto:
    plain = array.astype(object) if array.dtype.kind == "U" else array
    return numpy_helper.from_array(np.ascontiguousarray(plain).reshape(array.shape), name)


def result_shape(call: Call) -> Shape | None:
    """The shape by the shape rule; None, which leaves it to the runtime, where that is not all."""
    shapes = [operand.shape for operand in call.arrays]
    match call.operator.shape_rule, shapes:
        case ShapeRule.UNIDIRECTIONAL | ShapeRule.SCALAR_BOUNDS, [first, *_]:
            return first
        case ShapeRule.MATRIX_PRODUCT, [(rows, inner), (other, columns)] if inner == other:
            return rows, columns
        case ShapeRule.SAME | ShapeRule.MULTIDIRECTIONAL | ShapeRule.BY_ATTRIBUTE, [first, *others]:
            return first if set(others) <= {first} else None
        case _:
            return None


def _attribute(declared: Attribute | None, name: str, value: AttributeValue) -> onnx.AttributeProto:
    if declared is None:
        raise TypeError(f"the operator has no attribute {name}")
    kind = onnx.AttributeProto.AttributeType.Value(declared.kind.name)
    return helper.make_attribute(name, msgspec.convert(value, declared.kind.type), attr_type=kind)
