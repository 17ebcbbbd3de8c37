"""A call as ONNX lays out its backend tests: a folder with a model, the operands, the result."""

import onnx
from onnx import numpy_helper

from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import TEXT, Array
from sonnx_formal.spec.onnx_model import tensor

MODEL = "model.onnx"
DATA = "test_data_set_0"
RESULT = f"{DATA}/output_0.pb"


def files_of(call: Call, model: onnx.ModelProto) -> dict[str, bytes]:
    """The model and the operands that are there, by their names in the folder."""
    there = [(name, operand) for name, _, operand in call.bound() if operand is not None]
    operands = {
        f"{DATA}/input_{number}.pb": tensor_bytes(name, operand)
        for number, (name, operand) in enumerate(there)
    }
    return {MODEL: model.SerializeToString(deterministic=True)} | operands


def tensor_bytes(name: str, array: Array) -> bytes:
    data: bytes = tensor(name, array).SerializeToString(deterministic=True)
    return data


def array_in(data: bytes) -> Array:
    """The array of a tensor's file. Whatever is wrong with it, some exception says so."""
    tensor = onnx.TensorProto.FromString(data)
    array: Array = numpy_helper.to_array(tensor)
    return array.astype(TEXT.dtype) if tensor.data_type == onnx.TensorProto.STRING else array
