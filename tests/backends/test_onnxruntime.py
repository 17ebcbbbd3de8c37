"""onnxruntime and what NumPy has no type for, with a stand-in that passes on its first operand."""

from __future__ import annotations

import ctypes
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

from sonnx_formal.backends.runtimes import OnnxRuntime
from sonnx_formal.spec.element_types import BY_NAME

NUMBERS = {"bfloat16": 16, "float8e4m3fn": 17, "float8e5m2": 19}


class Value:
    """An `OrtValue`: a type of ONNX, and bytes that are its own."""

    def __init__(self, array: Any, type_: str) -> None:
        self._array, self._type = array, type_
        self._bytes = ctypes.create_string_buffer(array.tobytes(), max(array.nbytes, 1))

    @staticmethod
    def ortvalue_from_numpy(array: Any) -> Value:
        return Value(array, f"tensor({array.dtype})")

    @staticmethod
    def ortvalue_from_numpy_with_onnx_type(array: Any, number: int) -> Value:
        assert array.dtype.kind == "u"
        return Value(array, f"tensor({onnx.TensorProto.DataType.Name(number).lower()})")

    def data_type(self) -> str:
        return self._type

    def shape(self) -> list[int]:
        return list(self._array.shape)

    def tensor_size_in_bytes(self) -> int:
        return int(self._array.nbytes)

    def data_ptr(self) -> int:
        return ctypes.addressof(self._bytes)

    def numpy(self) -> Any:
        if self._type not in {"tensor(float32)", "tensor(int32)"}:
            raise RuntimeError(f"No corresponding Numpy type for Tensor Type. {self._type}")
        return self._array


class Session:
    def __init__(self, model: bytes, _options: Any, **_providers: Any) -> None:
        graph = onnx.ModelProto.FromString(model).graph
        self._ports = [
            [
                SimpleNamespace(name=each.name, type=f"tensor({name.lower()})")
                for each in ports
                for name in [onnx.TensorProto.DataType.Name(each.type.tensor_type.elem_type)]
            ]
            for ports in (graph.input, graph.output)
        ]

    def get_inputs(self) -> Any:
        return self._ports[0]

    def get_outputs(self) -> Any:
        return self._ports[1]

    def run(self, _names: None, operands: dict[str, Any]) -> list[Any]:
        return [next(iter(operands.values()))]

    def run_with_ort_values(self, _names: None, operands: dict[str, Value]) -> list[Value]:
        return [next(iter(operands.values()))]


@pytest.fixture
def runtime(monkeypatch: pytest.MonkeyPatch) -> OnnxRuntime:
    module = ModuleType("onnxruntime")
    module.__dict__.update(
        InferenceSession=Session,
        OrtValue=Value,
        SessionOptions=SimpleNamespace,
        set_default_logger_severity=lambda _level: None,
    )
    monkeypatch.setitem(sys.modules, "onnxruntime", module)
    return OnnxRuntime()


def identity(number: int, shape: tuple[int, ...]) -> onnx.ModelProto:
    x, y = (helper.make_tensor_value_info(name, number, shape) for name in "xy")
    node = helper.make_node("Identity", ["x"], ["y"])
    return helper.make_model(helper.make_graph([node], "graph", [x], [y]))


@pytest.mark.parametrize("name", NUMBERS)
def test_each_bit_pattern_arrives_and_comes_back(runtime: OnnxRuntime, name: str) -> None:
    type_ = BY_NAME[name]
    for shape in ((1 << type_.width,), (16, -1), (0, 3), ()):
        patterns = np.arange(1 << type_.width, dtype=type_.pattern)
        x = (patterns if -1 in shape else np.resize(patterns, shape)).reshape(shape)
        run = runtime.compile(identity(NUMBERS[name], x.shape))
        result = run([np.array(x.view(type_.dtype), order="F")])
        assert (result.dtype, result.shape) == (type_.dtype, x.shape)
        assert np.array_equal(result.view(type_.pattern), x)


def test_types_of_numpy_are_passed_as_they_are(runtime: OnnxRuntime) -> None:
    x = np.array([1, -2], np.float32)
    assert runtime.compile(identity(onnx.TensorProto.FLOAT, x.shape))([x]) is x
