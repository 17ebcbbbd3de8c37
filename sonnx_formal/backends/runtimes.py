"""Runtimes that run ONNX models: the reference evaluator, and optional packages."""

import importlib
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from sonnx_formal.backends.backend import Array, Form, NotApplicableError, NotInstalledError
from sonnx_formal.vectors.case import Operator

_KEPT_MODELS = 256


class ModelRunner:
    """A runtime that compiles a model and runs it; compiled models are kept a while."""

    package: str
    """What pip installs."""

    def __init__(self) -> None:
        self._compiled: dict[Any, Callable[[Array, Array], Array]] = {}

    @property
    def version(self) -> str:
        return importlib.metadata.version(self.package)

    def supports(self, operator: Operator, element_type: str) -> bool:
        """ONNX has no real numbers. Which other types a runtime lacks, it says when it is asked."""
        return element_type != "real"

    def run(self, operator: Operator, a: Array, b: Array, form: Form) -> Array:
        key = (operator, a.dtype, a.shape, b.dtype, b.shape, form)
        if key not in self._compiled:
            if len(self._compiled) >= _KEPT_MODELS:
                self._compiled.pop(next(iter(self._compiled)))
            self._compiled[key] = self.prepare(operator, a, b, form)
        return self._compiled[key](a, b)

    def prepare(
        self, operator: Operator, a: Array, b: Array, form: Form
    ) -> Callable[[Array, Array], Array]:
        """A function that runs the operator on operands of these types and shapes."""
        if form.own_precision:
            raise NotApplicableError("it is never told in which precision to compute")
        return self.compile(_model(operator, a, b, form))

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

    def __init__(self) -> None:
        super().__init__()
        (self._openvino,) = self.need("openvino")
        self._core = self._openvino.Core()

    def prepare(
        self, operator: Operator, a: Array, b: Array, form: Form
    ) -> Callable[[Array, Array], Array]:
        hints = {} if form.own_precision else {"INFERENCE_PRECISION_HINT": "f32"}
        if form.own_precision:
            able = self._core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
            if not {"BF16", "FP16"} & set(able):
                raise NotApplicableError(
                    "this processor has no arithmetic narrower than float32, so that it would show"
                    " nothing here"
                )
        if form.never_broadcast:
            network = self._network(operator, a, b, form)
        else:
            network = self._core.read_model(_model(operator, a, b, form).SerializeToString())
        request = self._core.compile_model(network, "CPU", hints).create_infer_request()

        def run(a: Array, b: Array) -> Array:
            request.infer([self._tensor(a), self._tensor(b)])
            result = request.get_output_tensor(0)
            bits = np.array(result.data)
            if result.element_type == self._openvino.Type.bf16:
                return bits.view(ml_dtypes.bfloat16)
            return bits

        return run

    def _network(self, operator: Operator, a: Array, b: Array, form: Form) -> Any:
        """The operator of OpenVINO itself, with `auto_broadcast` none."""
        if operator is Operator.MATMUL:
            raise NotApplicableError("only Mul and Div have such an attribute")
        operations = importlib.import_module("openvino.opset13")
        operands = [
            operations.parameter([-1] * one.ndim if form.open_dimensions else one.shape, one.dtype)
            for one in (a, b)
        ]
        node = operations.multiply if operator is Operator.MUL else operations.divide
        return self._openvino.Model([node(*operands, auto_broadcast="none")], operands)

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


def _model(operator: Operator, a: Array, b: Array, form: Form) -> Any:
    # Imported only here: who does not need `onnx` starts sooner.
    onnx_model = importlib.import_module("sonnx_formal.backends.onnx_model")
    return onnx_model.model(operator, a, b, form)
