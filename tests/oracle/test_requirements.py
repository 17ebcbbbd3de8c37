"""What is not admissible is answered with the id of the requirement, and not computed."""

import pickle
from fractions import Fraction
from math import inf
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Inadmissible, Oracle, OracleError
from sonnx_formal.spec.requirements.registry import UnknownRequirementError
from tests.oracle.conftest import pid_of


def zeros(dtype: Any, *shape: int) -> NDArray[Any]:
    return np.zeros(shape, dtype)


@pytest.mark.parametrize(
    ("op", "a", "b", "requirement"),
    [
        ("mul", zeros("f4", 2), zeros("f4", 3), "SONNX-MUL.R1"),
        ("mul", zeros("f4", 2, 3), zeros("f4", 3), "SONNX-MUL.R4"),
        ("mul", zeros("f4"), zeros("f4", 1), "SONNX-MUL.R4"),
        ("mul", zeros("f4", 2, 3), zeros("f4", 3, 2), "SONNX-MUL.R1"),
        ("mul", zeros("f4", 2, 0), zeros("f4", 0, 2), "SONNX-MUL.R1"),
        ("mul", zeros("f4", 2), zeros("f8", 2), "SONNX-MUL.R3"),
        ("mul", zeros("i4", 2), zeros("u4", 2), "SONNX-MUL.R3"),
        ("mul", zeros("f2", 2), zeros(ml_dtypes.bfloat16, 2), "SONNX-MUL.R3"),
        ("mul", zeros("f4", 2), zeros(object, 2), "SONNX-MUL.R3"),
        ("mul", zeros(bool, 2), zeros(bool, 2), "SONNX-MUL.R3"),
        ("mul", zeros("U3", 2), zeros("U3", 2), "SONNX-MUL.R3"),
        ("mul", zeros("S3", 2), zeros("S3", 2), "SONNX-MUL.R3"),
        ("mul", zeros("c8", 2), zeros("c8", 2), "SONNX-MUL.R3"),
        ("mul", zeros("c16", 2), zeros("c16", 2), "SONNX-MUL.R3"),
        ("div", zeros("f4", 2), zeros("f4", 3), "SONNX-DIV.R1"),
        ("div", zeros("f4", 2), zeros("i4", 2), "SONNX-DIV.R3"),
        ("div", zeros("i8", 2), zeros("i8", 2), "SONNX-DIV.C2"),
        ("div", np.array([1, 1]), np.array([1, 0]), "SONNX-DIV.C2"),
        ("div", np.array([inf], object), np.array([Fraction(1)], object), "SONNX-DIV.C2"),
        ("div", np.array([Fraction(1)], object), np.array([inf], object), "SONNX-DIV.C2"),
        ("matmul", zeros("f4", 2, 3), zeros("f4", 2, 3), "SONNX-MATMUL-FLOAT.A.C2"),
        ("matmul", zeros("i4", 2, 3), zeros("i4", 2, 3), "SONNX-MATMUL-INT.A.C2"),
        ("matmul", zeros(object, 2, 3), zeros(object, 2, 3), "SONNX-MATMUL-REAL.A.C2"),
        ("matmul", zeros("f8", 3), zeros("f8", 3, 3), "SONNX-MATMUL-FLOAT.A.C1"),
        ("matmul", zeros("u8", 3, 3), zeros("u8", 3), "SONNX-MATMUL-INT.B.C1"),
        ("matmul", zeros("u8", 1, 3, 3), zeros("u8", 3, 3), "SONNX-MATMUL-INT.A.C1"),
        ("matmul", zeros(object), zeros(object), "SONNX-MATMUL-REAL.A.C1"),
        ("matmul", zeros("i1", 2, 2), zeros("i1", 2, 2), "SONNX-MATMUL-INT.T"),
        ("matmul", zeros("u2", 2, 2), zeros("u2", 2, 2), "SONNX-MATMUL-INT.T"),
        ("matmul", zeros("i4", 2, 2), zeros("i8", 2, 2), "SONNX-MATMUL-INT.T"),
        ("matmul", zeros("f4", 2, 2), zeros("f2", 2, 2), "SONNX-MATMUL-FLOAT.T"),
        ("matmul", zeros("c8", 2, 2), zeros("c8", 2, 2), "SONNX-MATMUL-FLOAT.T"),
        (
            "matmul",
            zeros(ml_dtypes.bfloat16, 2, 2),
            zeros(ml_dtypes.bfloat16, 2, 2),
            "SONNX-MATMUL-FLOAT.T",
        ),
    ],
)
def test_requirement(
    oracle: Oracle, op: str, a: NDArray[Any], b: NDArray[Any], requirement: str
) -> None:
    pid = pid_of(oracle)
    with pytest.raises(Inadmissible) as caught:
        oracle.apply(op, a, b)
    assert caught.value.requirement == requirement
    assert str(caught.value).startswith(f"{requirement}: ")
    assert f"{list(a.shape)} and B " in str(caught.value)
    assert pid in {None, pid_of(oracle)}  # it still runs


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_no_integer_is_divided_by_zero(oracle: Oracle, dtype: str) -> None:
    a = np.array([[6, 5], [4, 3]], dtype)
    assert oracle.apply("div", a, a).tolist() == [[1, 1], [1, 1]]
    for index in np.ndindex(2, 2):
        b = a.copy()
        b[index] = 0
        with pytest.raises(Inadmissible, match=r"SONNX-DIV\.C2"):
            oracle.apply("div", a, b)


def test_unlisted_types_are_those_of_a_matrix_product(oracle: Oracle) -> None:
    small = zeros("i1", 2, 2)
    with pytest.raises(Inadmissible, match=r"SONNX-MATMUL-INT\.T"):
        oracle.apply("matmul", small, small, reading="unlisted")
    mixed = zeros(ml_dtypes.bfloat16, 2, 2), zeros("f4", 2, 2)
    with pytest.raises(Inadmissible, match=r"SONNX-MATMUL-FLOAT\.T"):
        oracle.apply("matmul", *mixed, reading="unlisted")


@pytest.mark.parametrize(
    ("op", "reading"), [("mul", "r5"), ("mul", "unlisted"), ("div", "unlisted"), ("matmul", "r5")]
)
def test_readings_that_an_operator_has_not(oracle: Oracle, op: str, reading: str) -> None:
    unit = np.ones((1, 1), np.float32)
    with pytest.raises(UserError, match=f"{op} has no reading {reading}: "):
        oracle.apply(op, unit, unit, reading=reading)


def test_unknown_operators_and_readings(oracle: Oracle) -> None:
    unit = np.ones(1, np.float32)
    with pytest.raises(UserError, match=r"no operator '\+': it is one of .*mul, "):
        oracle.apply("+", unit, unit)
    with pytest.raises(UserError, match=r"no operator 'mull': did you mean mul\?"):
        oracle.apply("mull", unit, unit)
    with pytest.raises(UserError, match="div has no reading R5: it is r5"):
        oracle.apply("div", unit, unit, reading="R5")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_too_few_operands_or_too_many(oracle: Oracle, count: int) -> None:
    with pytest.raises(TypeError, match=r"mul: the operand [AB] is missing|mul takes A, B: there"):
        oracle.apply("mul", *[np.ones(1, np.float32)] * count)


def test_attributes_of_another_kind(oracle: Oracle) -> None:
    unit = np.ones(1, np.float32)
    wrongs: list[tuple[str, Any]] = [
        ("axis", 1.5),
        ("axis", True),
        ("axis", "1"),
        ("consumed_inputs", [0.5]),
    ]
    for name, wrong in wrongs:
        with pytest.raises(UserError, match=f"onnx-mul-1: the attribute {name} is .*, not int"):
            oracle.apply("onnx-mul-1", unit, unit, **{name: wrong})


@pytest.mark.parametrize(
    "array",
    [
        zeros("M8[s]", 1),
        zeros(np.longdouble, 1),
        zeros([("x", "f4")], 1),
        zeros(ml_dtypes.float8_e5m2fnuz, 1),
        np.ma.masked_array([1], [True]),
        [1],
    ],
    ids=str,
)
def test_values_without_an_element_type(oracle: Oracle, array: Any) -> None:
    with pytest.raises(TypeError, match=r"no element type|not a NumPy array"):
        oracle.apply("mul", array, array)


def test_absurd_sizes_are_refused(oracle: Oracle) -> None:
    a, b = zeros("f4", 1 << 40, 0), zeros("f4", 0, 1 << 40)
    with pytest.raises(OracleError, match="too many elements"):
        oracle.apply("matmul", a, b)
    huge = np.broadcast_to(np.int8(1), (1 << 40,))
    with pytest.raises(OracleError, match="more than 4194304 elements"):
        oracle.apply("mul", huge, huge)


def test_a_sum_that_is_too_long_for_the_stack(oracle: Oracle) -> None:
    a, b = zeros("i4", 1, 1 << 20), zeros("i4", 1 << 20, 1)
    answer: object
    try:
        answer = oracle.apply("matmul", a, b).item()  # OCaml 5 has room for it
    except OracleError as error:
        answer = str(error)
    assert answer == 0 or "recursion of the definition is too deep" in str(answer)
    assert oracle.apply("mul", np.int8(2), np.int8(3)) == 6


def test_the_error_travels_between_processes() -> None:
    error = pickle.loads(pickle.dumps(Inadmissible("SONNX-MUL.R1", "the shapes differ")))
    assert error.requirement == "SONNX-MUL.R1"
    assert str(error) == "SONNX-MUL.R1: the shapes differ"


def test_an_id_that_the_registry_lacks_cannot_be_used() -> None:
    with pytest.raises(UnknownRequirementError):
        Inadmissible("SONNX-MUL.R9", "")
