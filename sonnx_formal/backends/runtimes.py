"""Runtimes that run ONNX models: the reference evaluator, and optional packages."""

import ctypes
import importlib
from collections.abc import Callable, Mapping, Sequence
from itertools import compress
from typing import Any
from xml.etree import ElementTree

import ml_dtypes
import numpy as np

from sonnx_formal.backends import backend
from sonnx_formal.backends.backend import Form, NoResultError, NotApplicableError
from sonnx_formal.backends.plainest import plainest
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import BY_NAME, Array
from sonnx_formal.spec.operator import Arithmetic, Instance, Operator, System

_KEPT_MODELS = 256
_FLOAT32 = BY_NAME["float32"]

Compiled = Callable[[Sequence[Array]], Array]
"""A model that takes the operands that are there."""


class ModelRunner:
    """A runtime that compiles a model and runs it; compiled models are kept a while."""

    package: str
    """The name for which pip installs it."""
    modules: tuple[str, ...] = ()

    def __init__(self) -> None:
        """Raises `NoResultError` when it is not installed."""
        self._compiled: dict[Any, Compiled] = {}
        try:
            self._imported: list[Any] = [*map(importlib.import_module, self.modules)]
        except ImportError as error:
            why = f"{error}; get it with: pip install {self.package}"
            raise NoResultError(backend.Refused(why)) from None

    @property
    def version(self) -> str:
        return backend.version_of(self.package)

    def asked(self, operator: Operator) -> bool:
        return operator.onnx is not None

    def supports(self, instance: Instance) -> bool:
        """What ONNX has. Which other types a runtime lacks, it says when it is asked.

        An older version of ONNX's is supported by who takes the plainest model of its operator set.
        """
        if backend.has_reals(instance) or not self.asked(instance.operator):
            return False
        if instance.operator.onnx is not None and not backend.is_in_onnx(instance):
            return False
        return instance.operator.system is not System.ONNX or self._loads(instance.operator)

    def _loads(self, operator: Operator) -> bool:
        plain = (instance for instance in operator.instances() if instance.types[0] is _FLOAT32)
        call = next(map(plainest, plain), None)
        try:
            if call is not None:
                self.run(call, backend.PLAIN)
        except Exception:  # each runtime has its own
            return False
        return True

    def run(self, call: Call, form: Form) -> Array:
        described = tuple(
            None if operand is None else (operand.dtype, operand.shape) for operand in call.operands
        )
        # Attributes as they are written: -0.0 is 0.0 to Python, and another model.
        key = (call.operator, described, form, repr(call.attributes))
        if key not in self._compiled:
            if len(self._compiled) >= _KEPT_MODELS:
                self._compiled.pop(next(iter(self._compiled)))
            self._compiled[key] = self.prepare(call, form)
        return self._compiled[key](call.arrays)

    def prepare(self, call: Call, form: Form) -> Compiled:
        """A function that runs the operator on operands of these types and shapes."""
        if form.as_file:
            raise NotApplicableError("it reads no files of OpenVINO")
        if form.own_precision:
            raise NotApplicableError("it is never told in which precision to compute")
        return self.compile(model(call, form))

    def compile(self, model: Any) -> Compiled:
        """A function that runs the model, an `onnx.ModelProto`."""
        raise NotImplementedError


class OnnxReference(ModelRunner):
    """The reference evaluator of the `onnx` package."""

    package = "onnx"
    modules = ("onnx.reference",)

    def compile(self, model: Any) -> Compiled:
        return _named(self._imported[0].ReferenceEvaluator(model), model)


class OnnxRuntime(ModelRunner):
    """onnxruntime on the processor."""

    package = "onnxruntime"
    modules = ("onnxruntime",)

    def __init__(self) -> None:
        super().__init__()
        (self._runtime,) = self._imported
        self._runtime.set_default_logger_severity(4)
        self._options = self._runtime.SessionOptions()
        self._options.intra_op_num_threads = 1

    def compile(self, model: Any) -> Compiled:
        session = self._runtime.InferenceSession(
            model.SerializeToString(), self._options, providers=["CPUExecutionProvider"]
        )
        inputs, (output,) = session.get_inputs(), session.get_outputs()
        if _ORT_TYPES.keys().isdisjoint(each.type for each in (*inputs, output)):
            return _named(session, model)

        def run(operands: Sequence[Array]) -> Array:
            values = map(self._value, inputs, operands)
            given = {each.name: value for each, value in zip(inputs, values, strict=True)}
            (result,) = session.run_with_ort_values(None, given)
            return _array(result)

        return run

    def _value(self, port: Any, operand: Array) -> Any:
        """An operand as onnxruntime has it: of what NumPy has no type for, by its bits."""
        create = self._runtime.OrtValue
        if port.type not in _ORT_TYPES:
            return create.ortvalue_from_numpy(np.array(operand, order="C"))
        number, _ = _ORT_TYPES[port.type]
        bits = np.array(operand, order="C").view(np.dtype(f"u{operand.itemsize}"))
        return create.ortvalue_from_numpy_with_onnx_type(bits, number)


class OpenVino(ModelRunner):
    """OpenVINO on the processor, told to compute float32 in float32 if the form does not forbid it.

    A model of its own, in place of one of ONNX, is what can tell it not to broadcast.
    """

    package = "openvino"
    modules = ("openvino",)

    def __init__(self) -> None:
        super().__init__()
        (self._openvino,) = self._imported
        self._core = self._openvino.Core()
        types = self._openvino.Type
        self._by_bits = {
            np.dtype(ml_dtypes.bfloat16): types.bf16,
            np.dtype(ml_dtypes.float8_e4m3fn): types.f8e4m3,
            np.dtype(ml_dtypes.float8_e5m2): types.f8e5m2,
        }
        """The types that NumPy does not have: OpenVINO takes and gives bit patterns of them."""

    def asked(self, operator: Operator) -> bool:
        if operator.system is System.OPENVINO:
            return operation(operator) is not None
        return operator.onnx is not None and operator.goes_by_onnx_name

    def prepare(self, call: Call, form: Form) -> Compiled:
        hints = {} if form.own_precision else {"INFERENCE_PRECISION_HINT": "f32"}
        if form.own_precision:
            able = self._core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
            if not {"BF16", "FP16"} & set(able):
                raise NotApplicableError(
                    "this processor has no arithmetic narrower than float32, so that it would show"
                    " nothing here"
                )
        compiled = self._core.compile_model(self._network(call, form), "CPU", hints)
        names = [name for name, _, operand in call.bound() if operand is not None]
        if len(compiled.inputs) < len(names):  # it drops those that have no effect
            taken = {name for port in compiled.inputs for name in port.names}
            kept = [name in taken for name in names]
        else:
            kept = [True] * len(names)
        request = compiled.create_infer_request()

        def run(operands: Sequence[Array]) -> Array:
            request.infer([self._tensor(operand) for operand in compress(operands, kept)])
            result = request.get_output_tensor(0)
            data = np.array(result.data)
            for dtype, type_ in self._by_bits.items():
                if result.element_type == type_:
                    return data.view(dtype)
            return data

        return run

    def _network(self, call: Call, form: Form) -> Any:
        if call.operator.system is System.OPENVINO:
            if form.as_file:
                return self._core.read_model(layer_file(call), b"")
            attributes = {"auto_broadcast": "numpy"} | call.attributes.as_dict()
            return self._of_operation("opset1", call, form, attributes)
        if form.as_file:
            raise NotApplicableError("only its own operators are put to it as a layer of a file")
        if form.never_broadcast:
            return self._of_operation("opset13", call, form, {"auto_broadcast": "none"})
        return self._core.read_model(model(call, form).SerializeToString())

    def _of_operation(
        self, opset: str, call: Call, form: Form, attributes: Mapping[str, Any]
    ) -> Any:
        """A model of an operation of OpenVINO itself, with these attributes."""
        name = operation(call.operator)
        if name is None:
            raise NotApplicableError("no operation of OpenVINO for it has such an attribute")
        operations = importlib.import_module(f"openvino.{opset}")
        parameter = importlib.import_module("openvino.opset13").parameter
        operands = [
            parameter(
                [-1] * operand.ndim if form.open_dimensions else operand.shape,
                self._tensor(operand).element_type,
            )
            for operand in call.arrays
        ]
        node = getattr(operations, name.lower())(*operands, **attributes)
        return self._openvino.Model([node], operands)

    def _tensor(self, array: Array) -> Any:
        array = np.array(array, order="C")
        if type_ := self._by_bits.get(array.dtype):
            bits = array.view(np.dtype(f"u{array.dtype.itemsize}"))
            return self._openvino.Tensor(bits, array.shape, type_)
        return self._openvino.Tensor(array)


class Tvm(ModelRunner):
    """Apache TVM, which compiles for this processor by LLVM."""

    package = "apache-tvm"
    modules = ("tvm", "tvm.relax.frontend.onnx")

    def compile(self, model: Any) -> Compiled:
        tvm, onnx = self._imported
        compiled = tvm.compile(onnx.from_onnx(model), target="llvm")
        machine = tvm.relax.VirtualMachine(compiled, tvm.cpu())

        def run(operands: Sequence[Array]) -> Array:
            return np.asarray(machine["main"](*map(tvm.runtime.tensor, operands)).numpy())

        return run


def model(call: Call, form: Form) -> Any:
    """The model of a call, an `onnx.ModelProto`. Raises `NotApplicableError` if there is none."""
    # Imported only here: who does not need `onnx` starts sooner.
    onnx_model = importlib.import_module("sonnx_formal.spec.onnx_model")
    if form.never_broadcast:
        raise NotApplicableError("ONNX has no way to tell a runtime not to broadcast")
    try:
        return onnx_model.model(
            call, opset=form.opset, ir_version=form.ir_version, open_dimensions=form.open_dimensions
        )
    except onnx_model.NotInOnnxError as error:
        raise NotApplicableError(str(error)) from None


_ORT_TYPES = {
    "tensor(bfloat16)": (16, np.dtype(ml_dtypes.bfloat16)),
    "tensor(float8e4m3fn)": (17, np.dtype(ml_dtypes.float8_e4m3fn)),
    "tensor(float8e5m2)": (19, np.dtype(ml_dtypes.float8_e5m2)),
}
"""The types that NumPy does not have, as onnxruntime calls them: the number that ONNX has for each
(`TensorProto.DataType`), and the type of ml_dtypes."""


def _array(value: Any) -> Array:
    """A result of onnxruntime; of what NumPy has no type for, out of its memory."""
    if value.data_type() not in _ORT_TYPES:
        return np.asarray(value.numpy())
    _, dtype = _ORT_TYPES[value.data_type()]
    data = ctypes.string_at(value.data_ptr(), value.tensor_size_in_bytes())
    return np.frombuffer(data, dtype).reshape(value.shape())


def _named(session: Any, model: Any) -> Compiled:
    """A session that takes its operands by the names of the model's inputs."""
    names = [input_.name for input_ in model.graph.input]

    def run(operands: Sequence[Array]) -> Array:
        with np.errstate(all="ignore"):
            (result,) = session.run(None, dict(zip(names, operands, strict=True)))
        return np.asarray(result)

    return run


_OPERATIONS = {
    Arithmetic.PRODUCT: "Multiply",
    Arithmetic.QUOTIENT: "Divide",
    Arithmetic.SUM: "Add",
    Arithmetic.DIFFERENCE: "Subtract",
}


def operation(operator: Operator) -> str | None:
    """The type of layer that computes the same; None where OpenVINO has none that may broadcast.

    A function of OpenVINO's Python interface has this name in lower case.
    """
    return _OPERATIONS.get(operator.arithmetic)


def layer_file(call: Call) -> bytes:
    """The XML, for operands of these shapes and types; there are no weights.

    What comes out is left open: OpenVINO infers it.
    """
    kind = operation(call.operator)
    assert kind is not None
    operands = dict(enumerate(call.arrays))
    middle, last = len(operands), len(operands) + 1
    open_ = np.empty((), call.arrays[0].dtype)
    net = ElementTree.Element("net", name=kind.lower(), version="11")
    layers = ElementTree.SubElement(net, "layers")
    for operand in operands.values():
        data = {"shape": ",".join(map(str, operand.shape)), "element_type": _type(operand)}
        _add_layer(layers, "Parameter", data, output={0: operand})
    data = {name: str(value) for name, value in call.attributes.values}
    _add_layer(layers, kind, data, input=operands, output={middle: open_})
    _add_layer(layers, "Result", {}, input={0: open_})
    edges = ElementTree.SubElement(net, "edges")
    for ends in [*((number, 0, middle, number) for number in operands), (middle, middle, last, 0)]:
        names = ("from-layer", "from-port", "to-layer", "to-port")
        ElementTree.SubElement(edges, "edge", dict(zip(names, map(str, ends), strict=True)))
    content: bytes = ElementTree.tostring(net, "utf-8", xml_declaration=True)
    return content


def _add_layer(
    layers: ElementTree.Element, type_: str, data: dict[str, str], **sides: Mapping[int, Array]
) -> None:
    """:param sides: the ports of `input` and `output`."""
    number = str(len(layers))
    attributes = {"id": number, "name": f"layer_{number}", "type": type_, "version": "opset1"}
    layer = ElementTree.SubElement(layers, "layer", attributes)
    if data:
        ElementTree.SubElement(layer, "data", data)
    for side, ports in sides.items():
        parent = ElementTree.SubElement(layer, side)
        for identifier, array in ports.items():
            precision = _type(array).upper().replace("F", "FP").replace("BFP", "BF")
            port = ElementTree.SubElement(parent, "port", id=str(identifier), precision=precision)
            for dimension in array.shape:
                ElementTree.SubElement(port, "dim").text = str(dimension)


def _type(array: Array) -> str:
    """As OpenVINO names it: i8, u16, bf16, f32."""
    return array.dtype.name.replace("uint", "u").replace("int", "i").replace("float", "f")
