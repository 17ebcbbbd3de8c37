"""The linter and the implementation agree on which operands the specification allows."""

from itertools import product
from pathlib import Path

import numpy as np
import onnx
import pytest

from sonnx_formal.lint.examination import examine
from sonnx_formal.lint.profile import LintVerdict
from sonnx_formal.reference.div import div
from sonnx_formal.reference.matmul import matmul
from sonnx_formal.reference.mul import mul
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.element_types import Array
from tests.lint.models import model, node, value

SHAPES = [(), (1,), (3,), (2, 3), (3, 2), (3, 3), (1, 3), (2, 1), (0,), (0, 3), (2, 3, 3)]
TYPES = [
    "BOOL", "STRING", "COMPLEX64", "COMPLEX128", "INT8", "INT16", "INT32", "INT64", "UINT8",
    "UINT16", "UINT32", "UINT64", "FLOAT16", "BFLOAT16", "FLOAT", "DOUBLE", "FLOAT8E4M3FN",
]  # fmt: skip
OPERATORS = {"Mul": mul, "Div": div, "MatMul": matmul}
EXTENSION = ("MatMul", "BFLOAT16")
"""What our MatMul does, and no document has."""


def _ones(shape: tuple[int, ...], element: int) -> Array:
    dtype = onnx.helper.tensor_dtype_to_np_dtype(element)
    return np.full(shape, "1", object) if dtype.hasobject else np.ones(shape, dtype)


def _rejection(operator: str, a: Array, b: Array) -> str | None:
    """The requirement that the implementation rejects the operands with, if it does."""
    try:
        OPERATORS[operator](a, b)
    except SpecViolation as error:
        return error.requirement
    return None


def _judged(
    operator: str, a: tuple[int, ...], b: tuple[int, ...], types: tuple[int, int], folder: Path
) -> tuple[LintVerdict, set[str]]:
    """The divisor is constant, so that it is known not to be zero."""
    divisor = onnx.numpy_helper.from_array(_ones(b, types[1]), "B")
    what = model(
        [node(operator, ["A", "B"], ["C"])],
        [value("A", a, types[0])],
        [value("C", None, types[0])],
        [divisor],
    )
    (judged,) = examine(what, folder / "model.onnx").nodes
    return judged.verdict, {
        entry.requirement for entry in judged.findings if entry.verdict is LintVerdict.VIOLATES
    }


@pytest.mark.parametrize("operator", OPERATORS)
def test_shapes(operator: str, tmp_path: Path) -> None:
    float32 = onnx.TensorProto.FLOAT
    accepted = 0
    for a, b in product(SHAPES, repeat=2):
        verdict, violated = _judged(operator, a, b, (float32, float32), tmp_path)
        rejection = _rejection(operator, _ones(a, float32), _ones(b, float32))
        if rejection:
            assert rejection in violated, (a, b)
        else:
            accepted += 1
            assert verdict is LintVerdict.CONFORMS, (a, b)
    assert accepted >= 9


@pytest.mark.parametrize("operator", OPERATORS)
def test_types(operator: str, tmp_path: Path) -> None:
    accepted = 0
    for names in product(TYPES, repeat=2):
        of_a, of_b = (onnx.TensorProto.DataType.Value(entry) for entry in names)
        verdict, violated = _judged(operator, (3, 3), (3, 3), (of_a, of_b), tmp_path)
        rejection = _rejection(operator, _ones((3, 3), of_a), _ones((3, 3), of_b))
        if rejection:
            assert rejection in violated, names
        else:
            accepted += 1
            conforms = (operator, names[0]) != EXTENSION
            assert (verdict is LintVerdict.CONFORMS) is conforms, names
    assert accepted == (8 if operator == "MatMul" else 12)
