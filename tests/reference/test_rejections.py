"""Operands that the specification does not allow: which requirement is named, and how."""

import itertools
import math
import pickle
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sonnx_formal.reference.div import div
from sonnx_formal.reference.matmul import matmul
from sonnx_formal.reference.mul import mul
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.element_types import BY_NAME, Family, family_of
from sonnx_formal.spec.operator import Operator, Presence, ShapeRule
from sonnx_formal.spec.operators.div import DIV
from sonnx_formal.spec.operators.matmul import MATMUL
from sonnx_formal.spec.operators.mul import MUL
from sonnx_formal.spec.requirements.entries import ids_in
from sonnx_formal.spec.requirements.registry import UnknownRequirementError, requirement
from tests.reference.declared import (
    EACH,
    EACH_ELEMENTWISE,
    EACH_OF_ONE_TYPE,
    EACH_OF_TWO,
    function,
    required,
)
from tests.reference.reference import DTYPES, INTEGERS, MATMUL_TYPES, TYPES, Array, Real, floats

Function = Callable[..., Array]


def violated(compute: Function | Operator, *operands: Any) -> SpecViolation:
    """The error that the operator raises, whose message begins with the id."""
    with np.errstate(all="raise"), pytest.raises(SpecViolation) as caught:
        (function(compute) if isinstance(compute, Operator) else compute)(*operands)
    error = caught.value
    assert isinstance(error, ValueError)
    first = compute.inputs[0].name if isinstance(compute, Operator) else "A"
    assert str(error).startswith(
        f"{error.requirement}: {requirement(error.requirement).text} {first} is "
    )
    return error


def ones(name: str, *shape: int) -> Array:
    if name == "real":
        return Real().encode([Fraction(1)] * math.prod(shape)).reshape(shape)
    return np.ones(shape, DTYPES[name])


def document(operator: Operator, name: str) -> str:
    return operator.document(BY_NAME[name])


TYPES_DIFFER = ("same_numerical_type", "same_supported_type", "one_type")


# --- Shapes ---

SHAPES = st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4).map(tuple)


@EACH_OF_TWO
@given(a=SHAPES, b=SHAPES, name=st.sampled_from(TYPES))
def test_shapes_that_differ(
    operator: Operator, a: tuple[int, ...], b: tuple[int, ...], name: str
) -> None:
    assume(a != b)
    try:
        np.broadcast_shapes(a, b)
        predicate = "not_broadcast"
    except ValueError:
        predicate = "same_shape"
    error = violated(operator, ones(name, *a), ones(name, *b))
    assert error.requirement == required(operator, BY_NAME[name].family, predicate, "same_shape")
    assert f"A is {name} of shape {a}, B is {name} of shape {b};" in str(error)


@pytest.mark.parametrize("operator", [MUL, DIV], ids=str)
@pytest.mark.parametrize(
    ("a", "b", "item"),
    [
        ((2, 3), (3,), "R4"),
        ((2, 3), (), "R4"),
        ((2, 3), (1, 3), "R4"),
        ((0,), (1,), "R4"),
        ((2, 3), (3, 2), "R1"),
        ((2, 3), (6,), "R1"),
        ((0,), (2,), "R1"),
        ((1,) * 64, (2,), "R4"),
        ((2,) + (1,) * 63, (3,) + (1,) * 63, "R1"),
    ],
)
def test_shapes_by_hand(
    operator: Operator, a: tuple[int, ...], b: tuple[int, ...], item: str
) -> None:
    for first, second in [(a, b), (b, a)]:
        error = violated(operator, ones("int32", *first), ones("int32", *second))
        assert error.requirement == f"SONNX-{operator.name.upper()}.{item}"


@pytest.mark.parametrize("name", MATMUL_TYPES)
@pytest.mark.parametrize(
    ("a", "b", "item"),
    [
        ((2, 3), (2, 3), "A.C2"),
        ((2, 0), (1, 2), "A.C2"),
        ((2, 1), (3, 2), "A.C2"),
        ((3,), (3, 2), "A.C1"),
        ((), (), "A.C1"),
        ((1, 2, 3), (1, 3, 2), "A.C1"),
        ((2, 3), (3,), "B.C1"),
        ((2, 3), (1, 3, 2), "B.C1"),
    ],
)
def test_shapes_of_matrices(name: str, a: tuple[int, ...], b: tuple[int, ...], item: str) -> None:
    error = violated(matmul, ones(name, *a), ones(name, *b))
    assert error.requirement == f"{document(MATMUL, name)}.{item}"
    assert f"A is {name} of shape {a}, B is {name} of shape {b};" in str(error)


# --- Element types ---

NO_NUMBERS = [
    np.array([True]),
    np.array(["1"]),
    np.array([b"1"]),
    np.array(["1"], np.dtypes.StringDType()),
    np.array([1j]),
    np.array([1], np.complex64),
    np.array([1j], np.clongdouble),
    np.array([1], "datetime64[s]"),
    np.array([1], "timedelta64[s]"),
    np.array([b"12"], "V2"),
    np.array([(1, 2)], [("x", int), ("y", int)]),
    np.array([1], object),
    np.array([True], object),
    np.array([Fraction(1), 1.0], object),
    np.array([Fraction(1), math.inf], object),
    np.array([None], object),
    np.ones(2, ml_dtypes.float8_e4m3fn),
    np.ones(2, ml_dtypes.float8_e5m2),
]
"""Of floats of 8 bits, there is no arithmetic."""
NO_NUMBERS_IDS = [f"{array.dtype} {array.tolist()}" for array in NO_NUMBERS]

OTHER_NUMBERS: list[Any] = [ml_dtypes.int4, ml_dtypes.uint2, ml_dtypes.float8_e4m3fnuz]
OTHER_NUMBERS += [ml_dtypes.float8_e5m2fnuz]
if np.dtype(np.longdouble) != np.float64:
    OTHER_NUMBERS.append(np.longdouble)


@EACH_ELEMENTWISE
@pytest.mark.parametrize("array", NO_NUMBERS, ids=NO_NUMBERS_IDS)
def test_elements_that_are_no_numbers(operator: Operator, array: Array) -> None:
    """The document is that of the nearest type, the item the first that says something of types."""
    number = np.ones(array.shape, np.float32)
    count = len(operator.inputs)
    nearest = family_of(array.dtype.name)
    wanted = required(operator, nearest, "same_numerical_type", "numerical", "listed")
    for operands in ([array] * count, [array] + [number] * (count - 1)):
        assert violated(operator, *operands).requirement == wanted
    if count > 1:
        wanted = required(operator, Family.FLOAT, *TYPES_DIFFER)
        assert violated(operator, number, *[array] * (count - 1)).requirement == wanted


@EACH_ELEMENTWISE
@pytest.mark.parametrize("dtype", OTHER_NUMBERS)
def test_numbers_of_other_types(operator: Operator, dtype: Any) -> None:
    array = np.ones(2, dtype)
    nearest = operator.document(family_of(array.dtype.name))
    assert violated(operator, *[array] * len(operator.inputs)).requirement == f"{nearest}.T"


@EACH_OF_TWO
@given(data=st.data())
def test_two_types(operator: Operator, data: st.DataObject) -> None:
    first, second = data.draw(st.permutations(TYPES))[:2]
    shape = data.draw(SHAPES)
    error = violated(operator, ones(first, *shape), ones(second, *shape))
    of_a = BY_NAME[first]
    beyond = ["listed"] if of_a in operator.parameters[0].beyond else []
    assert error.requirement == required(operator, of_a.family, *beyond, *TYPES_DIFFER)
    assert f"A is {first} of shape {shape}, B is {second} of shape {shape};" in str(error)


@pytest.mark.parametrize("name", sorted(set(INTEGERS) - set(MATMUL_TYPES)))
def test_matmul_lacks_the_narrow_integers(name: str) -> None:
    error = violated(matmul, ones(name, 2, 2), ones(name, 2, 2))
    assert error.requirement == "SONNX-MATMUL-INT.T"


@given(data=st.data())
def test_matmul_of_two_types_names_the_document_of_the_first(data: st.DataObject) -> None:
    first, second = data.draw(st.permutations(TYPES))[:2]
    error = violated(matmul, ones(first, 2, 2), ones(second, 2, 2))
    assert error.requirement == f"{document(MATMUL, first)}.T"


# A type of its own on most machines; elsewhere another name of float64, which is allowed.
LONG_DOUBLE = [(np.longdouble, "FLOAT")] if np.dtype(np.longdouble) != np.float64 else []


@pytest.mark.parametrize(
    ("dtype", "document"),
    [
        (bool, "INT"),
        (ml_dtypes.int4, "INT"),
        (np.complex64, "FLOAT"),
        (ml_dtypes.float8_e5m2, "FLOAT"),
        (object, "REAL"),
        (str, "REAL"),
        ("datetime64[s]", "REAL"),
        *LONG_DOUBLE,
    ],
)
def test_matmul_names_the_nearest_document(dtype: Any, document: str) -> None:
    array = np.zeros((2, 2), dtype)
    assert violated(matmul, array, array).requirement == f"SONNX-MATMUL-{document}.T"


def test_message_says_what_is_among_the_fractions() -> None:
    array = np.array([Fraction(1), 1.5, "x"], object)
    assert "A is object (Fraction, float, str) of shape (3,)" in str(violated(mul, array, array))


# --- Sparse tensors, and what is no tensor at all ---


class ScipyLike:
    """As a matrix of SciPy or PyData."""

    shape = (2, 2)
    dtype = np.dtype(np.int32)

    def todense(self) -> Array:
        raise AssertionError("nothing is converted")


class SparseTensorProto:
    """As ONNX has it: no shape, no element type of NumPy."""


class TorchLike:
    def __init__(self, is_sparse: bool) -> None:
        self.is_sparse = is_sparse
        self.shape = (2, 2)
        self.dtype = "torch.float32"


SPARSE = [ScipyLike(), SparseTensorProto(), TorchLike(is_sparse=True)]


@EACH_ELEMENTWISE
@pytest.mark.parametrize("sparse", SPARSE, ids=lambda sparse: type(sparse).__name__)
def test_sparse(operator: Operator, sparse: Any) -> None:
    dense = ones("int32", 2, 2)
    for operands in itertools.product((sparse, dense, [[1]]), repeat=len(operator.inputs)):
        if not any(each is sparse for each in operands):
            continue
        error = violated(operator, *operands)
        assert error.requirement == required(operator, Family.INTEGER, "dense")
        assert f"sparse, {type(sparse).__name__}" in str(error)


@pytest.mark.parametrize(
    ("a", "b", "document"),
    [
        (ScipyLike(), ones("int32", 2, 2), "INT"),
        (ones("float32", 2, 2), ScipyLike(), "FLOAT"),
        (SparseTensorProto(), ones("float64", 2, 2), "FLOAT"),
        (ones("real", 2, 2), SparseTensorProto(), "REAL"),
        (TorchLike(is_sparse=True), SparseTensorProto(), "REAL"),
    ],
)
def test_sparse_matrices(a: Any, b: Any, document: str) -> None:
    assert violated(matmul, a, b).requirement == f"SONNX-MATMUL-{document}.T"


@EACH
@pytest.mark.parametrize(
    "other",
    [
        [[1.0]],
        1.0,
        np.float64(1),
        Fraction(1),
        memoryview(b"1"),
        TorchLike(is_sparse=False),
        np.ma.masked_array([[1.0]], [[True]]),
        np.ones((1, 1)).view(np.recarray),
    ],
    ids=lambda other: type(other).__name__,
)
def test_only_arrays(operator: Operator, other: Any) -> None:
    for place, (name, _) in enumerate(operator.ports(0)):
        operands: list[Any] = [np.ones((1, 1)) for _ in operator.inputs]
        operands[place] = other
        kind = type(other).__name__
        message = rf"^{name} is of type {kind}, not a NumPy array: .* makes one"
        with pytest.raises(TypeError, match=message):
            function(operator)(*operands)


@EACH
def test_no_operand_is_optional(operator: Operator) -> None:
    """But where the signature says so: this is tested with what it then computes."""
    for place, input_ in enumerate(operator.inputs):
        if input_.presence is Presence.OPTIONAL:
            continue
        operands: list[Any] = [np.ones((1, 1)) for _ in operator.inputs]
        operands[place] = None
        several = input_.presence is Presence.VARIADIC
        what = "X needs one operand or more" if several else f"the operand {input_.name} is missing"
        message = f"^{operator}: {what}$"
        with pytest.raises(TypeError, match=message):
            function(operator)(*operands)


@EACH
def test_masked_arrays_are_told_apart(operator: Operator) -> None:
    masked = np.ma.masked_array([[1.0]], [[False]])
    (first, _), *_ = operator.ports(0)
    with pytest.raises(TypeError, match=re.escape(f"{first}.filled(value) makes one")):
        function(operator)(*[masked] * len(operator.inputs))


@EACH_OF_ONE_TYPE
def test_a_mapped_file_is_an_array(operator: Operator, tmp_path: Path) -> None:
    """Beside operands of shapes that go with it, by the rule or the first arrangement."""
    bounds = operator.shape_rule is ShapeRule.SCALAR_BOUNDS
    shapes: list[Any] = [(2, 2), *[() if bounds else (2, 2) for _ in operator.inputs[1:]]]
    if operator.shape_rule is ShapeRule.OWN:
        shapes = [*operator.arrangements[0].operands]
    first, *shapes = shapes
    np.save(tmp_path / "a.npy", np.full(first, 2, np.float32))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    others = [np.full(shape, 2, np.float32) for shape in shapes]
    result = function(operator)(mapped, *others)
    assert type(result) is np.ndarray
    assert result.tolist() == function(operator)(*map(np.array, (mapped, *others))).tolist()


# --- Division by zero ---


@pytest.mark.parametrize("name", INTEGERS)
def test_integer_division_by_zero(name: str) -> None:
    b = np.array([[1, 0, 3], [0, 5, 0]], name)
    error = violated(div, np.ones((2, 3), name), b)
    assert error.requirement == "SONNX-DIV.C2"
    assert "zeros at 3 indices, the first at (0, 1)" in str(error)
    assert violated(div, np.zeros((), name), np.zeros((), name)).requirement == "SONNX-DIV.C2"


def test_integer_division_by_zero_in_many_axes() -> None:
    b = np.ones((2,) + (1,) * 63, np.int8)
    b[1] = 0
    assert f"the first at {(1,) + (0,) * 63}" in str(violated(div, b, b))


def test_other_divisions_by_zero_are_defined() -> None:
    assert div(floats("float32", [0]), floats("float32", [0])).shape == (1,)
    assert div(ones("real", 1), Real().encode([Fraction(0)])).tolist() == [math.inf]


# --- The error itself ---


def test_the_first_violation_is_the_one_named() -> None:
    """R2 before R3 before shapes before C2."""
    text, numbers = np.array(["x"]), np.zeros((2, 3), int)
    assert violated(div, ScipyLike(), text).requirement == "SONNX-DIV.R2"
    assert violated(div, text, numbers).requirement == "SONNX-DIV.R3"
    assert violated(div, numbers, numbers.T).requirement == "SONNX-DIV.R1"


def test_violation_survives_pickling() -> None:
    error = violated(mul, np.ones(2), np.ones(3))
    again = pickle.loads(pickle.dumps(error))
    assert (again.requirement, str(again)) == (error.requirement, str(error))


def test_violation_of_an_unknown_requirement() -> None:
    with pytest.raises(UnknownRequirementError, match=r"no requirement 'SONNX-MUL\.R9'"):
        SpecViolation("SONNX-MUL.R9", "anything")


@EACH
def test_every_requirement_that_is_documented_is_in_the_registry(operator: Operator) -> None:
    """The docstring names items of the document of floats, or of all types, and no restriction
    is missing in it."""
    text = function(operator).__doc__
    assert text is not None
    document = operator.document(Family.FLOAT)
    raises = text.partition("SpecViolation:")[2].partition("TypeError:")[0]
    items = re.findall(r"(?<![A-Za-z])\.([A-Z][A-Z0-9._]*)\b", raises.replace(document, " "))
    others = {each for each in ids_in(raises) if not each.startswith(f"{document}.")}
    assert {*items, *others} >= {each.item for each in operator.definition.restrictions}
    for each in (*(f"{document}.{item}" for item in items), *others):
        SpecViolation(each, "")
