"""Evaluates the formal definitions: extracts them to OCaml, builds them and asks them.

Nothing here computes a result: a call is written down, sent to the program that
``why3 extract`` made of the library, and its answer is read back.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Generic, Literal, Self, TypeVar

from sonnx_formal.core.built import BuiltFolders
from sonnx_formal.oracle import program
from tests.theories.extracted_floats import RELATIONS

LIBRARY = program.LIBRARY
_BESIDE = Path(__file__).parent
_BUILT = BuiltFolders("evaluator", "the evaluator", kept=2, program=program.PROGRAM)
SOURCES = [
    _BESIDE / f"{name}.ml"
    for name in (
        *("forms", "systems", "elementwise", "structural", "gemm", "convolution", "pooling"),
        *("averaging", "conv_integer", "reduce_sum", "quantization", "float8", "evaluator"),
    )
]

INTEGER_TYPES = [f"{sign}{width}" for sign in ("Int", "UInt") for width in (8, 16, 32, 64)]
MATMUL_TYPES = ["Int32", "Int64", "UInt32", "UInt64"]
FLOAT_TYPES = ["Float16", "BFloat16", "Float32", "Float64"]
OPERATORS = ("Add", "Sub", "Mul", "Div", "MatMul")
ELEMENTWISE = {
    op: op.replace("_", " ").title().replace(" ", "")
    for op in (
        "neg",
        "abs",
        "relu",
        "less",
        "equal",
        "where",
        "clip",
        "max",
        "min",
        "sqrt",
        "leaky_relu",
    )
}
STRUCTURAL = {
    op: op.title()
    for op in (
        "reshape",
        "concat",
        "transpose",
        "unsqueeze",
        "flatten",
        "squeeze",
        "slice",
        "identity",
    )
}
ONNX_6_TYPES = ["Int32", "Int64", "UInt32", "UInt64", "Float16", "Float32", "Float64"]

# With --recursive each of these brings along what it uses.
ROOTS = [
    "tensor.offset.Offset",
    "tensor.tensor.Map",
    "tensor.matrix.Transpose",
    "tensor.operand.Operand",
    "scalar.exact_integer.ExactInteger",
    *(f"scalar.machine_types.{t}" for t in INTEGER_TYPES),
    "scalar.rational.ExtendedRational",
    "scalar.ieee754.encoding.Encoding",
    "scalar.ieee754.rounding.Rounding",
    "scalar.ieee754.arithmetic.Comparison",
    "scalar.ieee754.arithmetic_facts.Integers",
    "scalar.ieee754.square_root.SquareRoot",
    "accuracy.fused_multiply_add.FusedMultiplyAdd",
    "accuracy.fused_matmul.FusedMatMul",
    "accuracy.wide_accumulation.Conversion",
    "accuracy.computable_bound.ComputableBound",
    *(f"scalar.float_types.{t}" for t in FLOAT_TYPES),
    "scalar.additive.AdditiveInt",
    "scalar.additive.AdditiveRational",
    *(f"ops.{op.lower()}.floats.{op}{t}" for op in OPERATORS for t in FLOAT_TYPES),
    *(f"ops.{op.lower()}.definition.{op}Signature" for op in OPERATORS),
    *(f"ops.{op.lower()}.definition.{op}Rational" for op in OPERATORS),
    *(
        f"ops.{op.lower()}.definition.{op}{t}"
        for op in ("Add", "Sub", "Mul", "Div")
        for t in ("Int", *INTEGER_TYPES)
    ),
    *(f"ops.matmul.definition.MatMul{t}" for t in ("Int", *MATMUL_TYPES)),
    "ops.gemm.definition.GemmSignature",
    *(f"ops.gemm.definition.Gemm{t}" for t in ("Rational", "Int", "Int32", "UInt64")),
    *(f"ops.gemm.floats.Gemm{t}" for t in FLOAT_TYPES),
    "tensor.broadcast.BroadcastTensor",
    "tensor.unidirectional.AppendAxes",
    *(f"systems.onnx_mul.OnnxMul{version}Signature" for version in (14, 13, 7)),
    *(f"systems.onnx_mul_legacy.OnnxMul{version}Signature" for version in (6, 1)),
    "systems.openvino_multiply.MultiplySignature",
    *(f"systems.onnx_mul.OnnxMul{t}" for t in (*INTEGER_TYPES, *FLOAT_TYPES)),
    *(f"systems.openvino_multiply.Multiply{t}" for t in (*INTEGER_TYPES, *FLOAT_TYPES)),
    *(f"systems.onnx_mul_legacy.LegacyMul{t}" for t in ONNX_6_TYPES),
    *(f"ops.{op}.definition.{name}Signature" for op, name in ELEMENTWISE.items()),
    "ops.equal.definition.EqualBoolean",
    *(f"ops.{op}.floats.{name}Float16" for op, name in ELEMENTWISE.items()),
    *(
        f"ops.{op}.definition.{name}{t}"
        for op, name in ELEMENTWISE.items()
        if op not in {"sqrt", "leaky_relu"}
        for t in ("Rational", "Int8")
        if not (op in {"equal", "min"} and t == "Rational")
    ),
    *(
        f"ops.{op}.definition.{name}{part}"
        for op, name in STRUCTURAL.items()
        for part in ("Signature", "")
    ),
    "ops.conv.definition.ConvSignature",
    "ops.conv.definition.ConvRational",
    "ops.conv_integer.definition.ConvIntegerSignature",
    "tensor.convolution.ConvolutionDefaults",
    "ops.conv_integer.definition.ConvInteger",
    "ops.quantize_linear.definition.QuantizeLinearSignature",
    "ops.quantize_linear.definition.QuantizeLinearInt32ToUInt8",
    "ops.quantize_linear.floats.QuantizeLinearFloat32ToInt8",
    "ops.quantize_linear.floats.QuantizeLinearFloat16ToInt8",
    "ops.dequantize_linear.definition.DequantizeLinearSignature",
    "ops.dequantize_linear.definition.DequantizeLinearFloat32",
    "ops.dequantize_linear.definition.DequantizeLinearFloat16",
    "ops.quantize_linear.floats.QuantizeLinearFloat16ToFloat8E4M3FN",
    "ops.quantize_linear.definition.QuantizeLinearInt32ToFloat8E5M2",
    "ops.dequantize_linear.definition.DequantizeLinearFloat8E5M2ToFloat16",
    "ops.max_pool.definition.MaxPoolSignature",
    *(f"ops.max_pool.definition.MaxPool{t}" for t in ("Rational", "Int8")),
    "ops.max_pool.floats.MaxPoolFloat16",
    "ops.average_pool.definition.AveragePoolSignature",
    "ops.average_pool.definition.AveragePoolRational",
    "ops.average_pool.floats.AveragePoolFloat16",
    "ops.reduce_sum.definition.ReduceSumSignature",
    *(f"ops.reduce_sum.definition.ReduceSum{t}" for t in ("Rational", "Int", *MATMUL_TYPES)),
    *(f"ops.reduce_sum.floats.ReduceSum{t}" for t in FLOAT_TYPES),
]

INFINITY = "inf"


@dataclass(frozen=True)
class Float:
    """A floating-point datum: NaN, an infinity, or a number of units of its format."""

    negative: bool
    magnitude: int | Literal["inf", "nan"]

    def __str__(self) -> str:
        if self.magnitude == "nan":
            return "nan"
        unit = "" if self.magnitude == "inf" else "u"
        return f"{'-' if self.negative else '+'}{self.magnitude}{unit}"

    @classmethod
    def read(cls, text: str) -> Self:
        if text == "nan":
            return cls(False, "nan")
        magnitude: int | Literal["inf"] = "inf" if text[1:] == "inf" else int(text[1:-1])
        return cls(text[0] == "-", magnitude)


NAN = Float(False, "nan")
_FLOAT = re.compile(r"nan|[+-]inf|[+-]\d+u")

Element = int | Fraction | str | Float
"""An element of a tensor: an integer, a rational number or :data:`INFINITY`, or a float.

A truth value is an ``int`` to Python.
"""


E = TypeVar("E", bound=Element)


@dataclass(frozen=True)
class Tensor(Generic[E]):
    """A tensor of a call or an answer.

    :param shape: the dimensions, outermost first; ``()`` is rank 0.
    :param elements: the elements in row-major order.
    """

    shape: tuple[int, ...]
    elements: tuple[E, ...]


@dataclass(frozen=True)
class Operand:
    """What a graph says of a tensor: element type and storage as the formal library names them."""

    element: str
    storage: str
    dims: tuple[int, ...]


@dataclass(frozen=True)
class Power:
    """A power of two as the formal library has it, with its exponent."""

    exponent: int
    value: int

    def __str__(self) -> str:
        return f"2^{self.exponent}={self.value}"

    @classmethod
    def read(cls, text: str) -> Self:
        exponent, value = text.removeprefix("2^").split("=")
        return cls(int(exponent), int(value))


Record = dict[str, int]
"""The fields of a format by their names; as an argument, a format is its name or `p,emax`."""

Value = bool | Element | tuple[int, ...] | Tensor[Any] | Operand | Power | Record | list[Any]


_WORDS: dict[str, bool | str] = {
    **{"true": True, "false": False, "none": "none"},
    **{r: r for r in RELATIONS},
}


class DefinitionError(Exception):
    """The program refused a call: outside the domain, or no such definition."""


def _write_element(value: Element | Power | Record) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else str(value)


def _write(value: Value) -> str:
    match value:
        case list():
            return f"{{{'|'.join(map(_write, value))}}}"
        case tuple():
            return f"[{';'.join(map(str, value))}]"
        case Tensor(shape, elements):
            return f"{_write(shape)}:{';'.join(map(_write_element, elements))}"
        case Operand(element, storage, dims):
            return f"{element},{storage},{_write(dims)}"
        case _:
            return _write_element(value)


def _read_element(text: str) -> Element:
    if text in _WORDS:
        return _WORDS[text]
    if text == INFINITY:
        return INFINITY
    if _FLOAT.fullmatch(text):
        return Float.read(text)
    if "/" in text:
        numerator, denominator = map(int, text.split("/"))
        return Fraction(numerator, denominator)
    return int(text)


def _read_sequence(text: str) -> tuple[int, ...]:
    return tuple(map(int, text[1:-1].split(";"))) if text != "[]" else ()


def _read(text: str) -> Value:
    if text.startswith("{"):
        return [_read(part) for part in text[1:-1].split("|")]
    if text.startswith("2^"):
        return Power.read(text)
    if "," in text and "=" in text:
        return {name: int(value) for name, value in (part.split("=") for part in text.split(","))}
    if "," in text:
        element, storage, dims = text.split(",")
        return Operand(element, storage, _read_sequence(dims))
    if ":" in text:
        shape, elements = text.split(":")
        return Tensor(
            _read_sequence(shape),
            tuple(map(_read_element, elements.split(";"))) if elements else (),
        )
    return _read_sequence(text) if text.startswith("[") else _read_element(text)


def find_program() -> Path:
    """The program of the definitions as they are now; it is built where it is not in the cache.

    :raises UserError: when why3 or the OCaml compiler refuses.
    """
    made_from = [Path(__file__), Path(program.__file__), _BESIDE / "leak_by.mlw", *SOURCES]
    return _BUILT.find(lambda: program.key_of(made_from), _build) / program.PROGRAM


def _build(folder: Path) -> None:
    # `leak_by` is no file of the library, but one beside this.
    roots = ["-L", str(_BESIDE), *ROOTS, "leak_by.LeakByHalf"]
    with TemporaryDirectory() as scratch:
        built = program.build(roots, SOURCES, Path(scratch))
        shutil.copy2(built, folder / program.PROGRAM)


def is_evidence(stem: str) -> bool:
    """Whether a file holds concrete arguments and what is proved of them, not definitions.

    So does the model of Why3's theory of floats: parameters, and that its clauses hold of ours.
    """
    return stem.endswith(("witnesses", "examples", "literal")) or stem == "ieee_float_model"


_MODULE = re.compile(r"^module (\w+)$", re.MULTILINE)
_DECLARATION = re.compile(
    r"^  let (?:rec )?(?:function|predicate|constant) (?:\( *(\S+) *\)|([\w']+))", re.MULTILINE
)


def definitions_of(path: Path) -> set[str]:
    """The executable definitions of a file of the library, as its text declares them.

    Each by its whole name, ``folder.file.Module.symbol``.
    """
    file = ".".join(path.relative_to(LIBRARY).with_suffix("").parts)
    _, *parts = _MODULE.split(path.read_text())
    return {
        f"{file}.{module}.{operator or name}"
        for module, text in zip(parts[::2], parts[1::2], strict=True)
        for operator, name in _DECLARATION.findall(text)
    }


def definitions_in_sources() -> set[str]:
    """The name of every executable definition of the library; kernels are run as C."""
    return {
        definition.rpartition(".")[2]
        for path in sorted(LIBRARY.rglob("*.mlw"))
        if not is_evidence(path.stem) and not path.is_relative_to(LIBRARY / "kernels")
        for definition in definitions_of(path)
    }


class Evaluator:
    """The running program; a context manager."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate(timeout=10)

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise AssertionError(f"the evaluator died on: {line}")
        return answer.rstrip("\n")

    def names(self) -> list[str]:
        """The definitions that can be evaluated."""
        return self._ask("definitions").split()

    def text(self, name: str, *arguments: str) -> str:
        """The answer as the program writes it, to arguments as it reads them."""
        return self._ask(" ".join([name, *arguments]))

    def __call__(self, name: str, *arguments: Value) -> Value:
        """The value of the definition ``name`` (``folder.file.Module.symbol``) at ``arguments``.

        :raises DefinitionError: when the program refuses the call.
        """
        answer = self._ask(" ".join([name, *map(_write, arguments)]))
        if answer.startswith("error: "):
            raise DefinitionError(answer)
        return _read(answer)
