"""Runtimes that run ONNX models: the reference evaluator, and optional packages."""

import importlib
from collections.abc import Callable, Collection
from typing import Any

import ml_dtypes
import numpy as np

from sonnx_formal.backends.backend import (
    PLAIN,
    Array,
    Form,
    NotApplicableError,
    NotInstalledError,
)
from sonnx_formal.backends.openvino_layer import layer_file
from sonnx_formal.oracle.attributes import UNSET, Attributes
from sonnx_formal.vectors.case import ONNX_MUL, SONNX, Operator

_KEPT_MODELS = 256


class ModelRunner:
    """A runtime that compiles a model and runs it; compiled models are kept a while."""

    package: str
    """What pip installs."""
    operators: Collection[Operator] = SONNX
    """What it is asked for."""

    def __init__(self) -> None:
        self._compiled: dict[Any, Callable[[Array, Array], Array]] = {}

    @property
    def version(self) -> str:
        return importlib.metadata.version(self.package)

    def supports(self, operator: Operator, element_type: str) -> bool:
        """ONNX has no real numbers. Which other types a runtime lacks, it says when it is asked.

        A version of ONNX Mul is supported by who takes the plainest model of its operator set.
        """
        if element_type == "real" or operator not in self.operators:
            return False
        return operator not in ONNX_MUL or self._loads(operator)

    def _loads(self, operator: Operator) -> bool:
        one = np.ones(1, np.float32)
        try:
            self.run(operator, one, one, PLAIN, UNSET)
        except Exception:  # each runtime has its own
            return False
        return True

    def run(
        self, operator: Operator, a: Array, b: Array, form: Form, attributes: Attributes
    ) -> Array:
        key = (operator, a.dtype, a.shape, b.dtype, b.shape, form, attributes)
        if key not in self._compiled:
            if len(self._compiled) >= _KEPT_MODELS:
                self._compiled.pop(next(iter(self._compiled)))
            self._compiled[key] = self.prepare(operator, a, b, form, attributes)
        return self._compiled[key](a, b)

    def prepare(
        self, operator: Operator, a: Array, b: Array, form: Form, attributes: Attributes
    ) -> Callable[[Array, Array], Array]:
        """A function that runs the operator on operands of these types and shapes."""
        if form.as_file:
            raise NotApplicableError("it reads no files of OpenVINO")
        if form.own_precision:
            raise NotApplicableError("it is never told in which precision to compute")
        return self.compile(_model(operator, a, b, form, attributes))

    def compile(self, model: Any) -> Callable[[Array, Array], Array]:
        """A function that runs the model, an `onnx.ModelProto`."""
        raise NotImplementedError

    def need(self, *modules: str) -> tuple[Any, ...]:
        """The modules of the package. Raises `NotInstalledError`."""
        try:
            return tuple(importlib.import_module(one) for one in modules)
        except ImportError as error:
            raise NotInstalledError(f"{error}; get it with: pip install {self.package}") from None


class OnnxReference(ModelRunner):
    """The reference evaluator of the `onnx` package."""

    package = "onnx"
    operators = (*SONNX, *ONNX_MUL)

    def __init__(self) -> None:
        super().__init__()
        (self._reference,) = self.need("onnx.reference")

    def compile(self, model: Any) -> Callable[[Array, Array], Array]:
        evaluator = self._reference.ReferenceEvaluator(model)

        def run(a: Array, b: Array) -> Array:
            with np.errstate(all="ignore"):
                (result,) = evaluator.run(None, {"A": a, "B": b})
            return np.asarray(result)

        return run


class OnnxRuntime(ModelRunner):
    """onnxruntime on the processor."""

    package = "onnxruntime"
    operators = (*SONNX, *ONNX_MUL)

    def __init__(self) -> None:
        super().__init__()
        (self._runtime,) = self.need("onnxruntime")
        self._runtime.set_default_logger_severity(4)
        self._options = self._runtime.SessionOptions()
        self._options.intra_op_num_threads = 1

    def compile(self, model: Any) -> Callable[[Array, Array], Array]:
        session = self._runtime.InferenceSession(
            model.SerializeToString(), self._options, providers=["CPUExecutionProvider"]
        )

        def run(a: Array, b: Array) -> Array:
            (result,) = session.run(None, {"A": a, "B": b})
            return np.asarray(result)

        return run


class OpenVino(ModelRunner):
    """OpenVINO on the processor, told to compute float32 in float32 if the form does not forbid it.

    A model of its own, in place of one of ONNX, is what can tell it not to broadcast.
    """

    package = "openvino"
    operators = (*SONNX, Operator.OV_MULTIPLY_1)

    def __init__(self) -> None:
        super().__init__()
        (self._openvino,) = self.need("openvino")
        self._core = self._openvino.Core()

    def prepare(
        self, operator: Operator, a: Array, b: Array, form: Form, attributes: Attributes
    ) -> Callable[[Array, Array], Array]:
        hints = {} if form.own_precision else {"INFERENCE_PRECISION_HINT": "f32"}
        if form.own_precision:
            able = self._core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
            if not {"BF16", "FP16"} & set(able):
                raise NotApplicableError(
                    "this processor has no arithmetic narrower than float32, so that it would show"
                    " nothing here"
                )
        network = self._network(operator, a, b, form, attributes)
        request = self._core.compile_model(network, "CPU", hints).create_infer_request()

        def run(a: Array, b: Array) -> Array:
            request.infer([self._tensor(a), self._tensor(b)])
            result = request.get_output_tensor(0)
            bits = np.array(result.data)
            if result.element_type == self._openvino.Type.bf16:
                return bits.view(ml_dtypes.bfloat16)
            return bits

        return run

    def _network(
        self, operator: Operator, a: Array, b: Array, form: Form, attributes: Attributes
    ) -> Any:
        if operator is Operator.OV_MULTIPLY_1:
            rule = attributes.auto_broadcast
            if form.as_file:
                return self._core.read_model(layer_file(a, b, rule), b"")
            return self._of_operation("opset1", "multiply", (a, b), form, rule or "numpy")
        if form.as_file:
            raise NotApplicableError("only Multiply-1 is put to it as a layer of a file")
        if form.never_broadcast:
            if operator is Operator.MATMUL:
                raise NotApplicableError("only Mul and Div have such an attribute")
            name = "multiply" if operator is Operator.MUL else "divide"
            return self._of_operation("opset13", name, (a, b), form, "none")
        return self._core.read_model(_model(operator, a, b, form, attributes).SerializeToString())

    def _of_operation(
        self, opset: str, name: str, arrays: tuple[Array, Array], form: Form, rule: str
    ) -> Any:
        """A model of an operation of OpenVINO itself, with this `auto_broadcast`."""
        operations = importlib.import_module(f"openvino.{opset}")
        parameter = importlib.import_module("openvino.opset13").parameter
        operands = [
            parameter([-1] * one.ndim if form.open_dimensions else one.shape, self._type(one.dtype))
            for one in arrays
        ]
        node = getattr(operations, name)(*operands, auto_broadcast=rule)
        return self._openvino.Model([node], operands)

    def _type(self, dtype: np.dtype[Any]) -> Any:
        """The element type that OpenVINO has for it."""
        bfloat16 = dtype == ml_dtypes.bfloat16
        return self._openvino.Type.bf16 if bfloat16 else self._openvino.Type(dtype)

    def _tensor(self, array: Array) -> Any:
        array = np.array(array, order="C")
        if array.dtype == ml_dtypes.bfloat16:
            bits = array.view(np.uint16)
            return self._openvino.Tensor(bits, array.shape, self._openvino.Type.bf16)
        return self._openvino.Tensor(array)


class Tvm(ModelRunner):
    """Apache TVM, which compiles for this processor by LLVM."""

    package = "apache-tvm"

    def __init__(self) -> None:
        super().__init__()
        self._tvm, self._onnx = self.need("tvm", "tvm.relax.frontend.onnx")

    def compile(self, model: Any) -> Callable[[Array, Array], Array]:
        module = self._onnx.from_onnx(model)
        compiled = self._tvm.compile(module, target="llvm")
        machine = self._tvm.relax.VirtualMachine(compiled, self._tvm.cpu())

        def run(a: Array, b: Array) -> Array:
            tensors = [self._tvm.runtime.tensor(one) for one in (a, b)]
            return np.asarray(machine["main"](*tensors).numpy())

        return run


def _model(operator: Operator, a: Array, b: Array, form: Form, attributes: Attributes) -> Any:
    # Imported only here: who does not need `onnx` starts sooner.
    onnx_model = importlib.import_module("sonnx_formal.backends.onnx_model")
    return onnx_model.model(operator, a, b, form, attributes)
