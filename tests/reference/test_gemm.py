"""Gemm: by the definition and by fractions; where C is added; which operands are rejected."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.oracle import Inadmissible, Oracle
from sonnx_formal.reference.gemm import gemm
from sonnx_formal.reference.matmul import matmul
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Format
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.operators.gemm import GEMM
from tests.reference.declared import each_instance, expected, rejected
from tests.reference.operands import LAYOUTS, layouts, tensors
from tests.reference.reference import FORMATS, INTEGERS, Integer, assert_same, floats

EVERY_FORMAT = pytest.mark.parametrize(("name", "form"), FORMATS.items(), ids=FORMATS)
OF_ONNX = ("int32", "int64", "uint32", "uint64")


@each_instance(GEMM)
@settings(max_examples=25, derandomize=True)
@given(data=st.data())
def test_against_the_definition(oracle: Oracle, instance: Instance, data: st.DataObject) -> None:
    name = instance.label
    m, n, p = (data.draw(st.integers(0, 3)) for _ in range(3))
    operands = [data.draw(tensors(name, shape)) for shape in ((m, n), (n, p), (m, p))]
    layout = LAYOUTS[data.draw(layouts(name))]
    with np.errstate(all="raise"):
        result = gemm(*map(layout, operands))
    assert result.shape == (m, p)
    assert_same(name, result, expected(oracle, GEMM, *operands))
    assert not any(np.shares_memory(result, operand) for operand in operands)


@pytest.mark.parametrize("name", OF_ONNX)
def test_integers_by_exact_numbers(name: str) -> None:
    """Modulo 2^n, whatever the order is."""
    low, high = Integer(name).limits
    drawn = np.random.default_rng(2026)
    shapes = ((5, 9), (9, 4), (5, 4))
    a, b, c = (drawn.integers(low, high, shape, name, endpoint=True) for shape in shapes)
    exact = a.astype(object) @ b.astype(object) + c.astype(object)
    wrapped = [[(x - low) % (high - low + 1) + low for x in row] for row in exact.tolist()]
    assert gemm(a, b, c).tolist() == wrapped


def test_real_numbers_are_exact() -> None:
    third, ninth = (np.full((1, 1), Fraction(1, n), object) for n in (3, 9))
    assert gemm(third, third, ninth).tolist() == [[Fraction(2, 9)]]


@EVERY_FORMAT
def test_c_is_added_last(oracle: Oracle, name: str, form: Format) -> None:
    """u + u + 1, with u half of a last digit, is the number after 1; from 1 on, it would be 1."""
    u = form.one - form.precision * form.trailing
    operands = [floats(name, x) for x in ([[u, u]], [[form.one], [form.one]], [[form.one]])]
    result = gemm(*operands)
    assert_same(name, result, floats(name, [[form.one + 1]]))
    assert_same(name, result, expected(oracle, GEMM, *operands))


@EVERY_FORMAT
def test_c_alone(oracle: Oracle, name: str, form: Format) -> None:
    """Without products each element of C is left, but for -0, which becomes +0; and of NaN, NaN."""
    c = floats(name, [[0, form.sign, 1, form.infinity, form.nan, form.sign + form.one]])
    operands = np.empty((1, 0), c.dtype), np.empty((0, 6), c.dtype), c
    kept = floats(name, [[0, 0, 1, form.infinity, form.nan, form.sign + form.one]])
    assert_same(name, gemm(*operands), kept)
    assert_same(name, expected(oracle, GEMM, *operands), kept)


@EVERY_FORMAT
def test_minus_zero_as_c_is_matmul(name: str, form: Format) -> None:
    patterns = [0, 1, form.one, form.infinity, form.nan, form.sign, form.sign + form.one]
    a, b = floats(name, [[x] for x in patterns]), floats(name, [patterns])
    c = floats(name, np.full((7, 7), form.sign).tolist())
    assert_same(name, gemm(a, b, c), matmul(a, b))


@pytest.mark.parametrize(
    ("item", "shapes"),
    [
        ("A.C1", ((3,), (3, 4), (1, 4))),
        ("A.C1", ((5, 2, 3), (3, 4), (2, 4))),
        ("A.C1", ((), (), ())),
        ("R1", ((2, 3), (3,), (2, 1))),
        ("R1", ((2, 3), (5, 3, 4), (2, 4))),
        ("B.SHAPE", ((2, 3), (2, 3), (2, 3))),
        ("B.SHAPE", ((2, 3), (1, 4), (2, 4))),
        ("B.SHAPE", ((2, 0), (3, 4), (2, 4))),
        ("R3", ((2, 3), (3, 4), (4,))),
        ("R3", ((2, 3), (3, 4), (1, 4))),
        ("R3", ((2, 3), (3, 4), (2, 1))),
        ("R3", ((2, 3), (3, 4), ())),
        ("R3", ((2, 3), (3, 4), (4, 2))),
        ("R3", ((2, 3), (3, 4), (1, 2, 4))),
        ("R3", ((0, 3), (3, 4), (1, 4))),
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["float32", "int64"])
def test_rejections(
    oracle: Oracle, name: str, item: str, shapes: tuple[tuple[int, ...], ...]
) -> None:
    operands = (np.ones(shape, name) for shape in shapes)
    assert rejected(oracle, GEMM, *operands) == f"SONNX-GEMM.{item}"


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize(("first", "second"), [("float32", "float64"), ("int32", "uint32")])
def test_two_types(oracle: Oracle, at: int, first: str, second: str) -> None:
    operands = [np.ones((2, 2), second if k == at else first) for k in range(3)]
    assert rejected(oracle, GEMM, *operands) == "SONNX-GEMM.T"


@pytest.mark.parametrize("name", [*sorted({*INTEGERS} - {*OF_ONNX}), "bool", "complex64"])
def test_other_types(oracle: Oracle, name: str) -> None:
    unit = np.ones((1, 1), name)
    assert rejected(oracle, GEMM, unit, unit, unit) == "SONNX-GEMM.T"


def test_types_beyond_the_document_have_to_be_asked_for(oracle: Oracle) -> None:
    unit = np.ones((1, 1), np.float32)
    with pytest.raises(Inadmissible) as error:
        oracle.evaluate(Call(GEMM, (unit, unit, unit)))
    assert error.value.requirement == "SONNX-GEMM.T"


def test_all_operands_have_to_be_given() -> None:
    unit = np.ones((1, 1), np.float32)
    with pytest.raises(TypeError):
        gemm(unit, unit)  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        gemm(unit, unit, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["alpha", "beta", "transA", "transB"])
def test_attributes_of_onnx(name: str) -> None:
    unit = np.ones((1, 1), np.float32)
    with pytest.raises(TypeError):
        gemm(unit, unit, unit, **{name: 1})


def test_sparse() -> None:
    class SparseTensor:
        shape = (1, 1)

    unit = np.ones((1, 1), np.float32)
    with pytest.raises(SpecViolation) as error:
        gemm(unit, unit, SparseTensor())  # type: ignore[arg-type]
    assert error.value.requirement == "SONNX-GENERAL.GR1"
