"""The worked examples of the source documents, with the results that the documents give."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sonnx_formal.oracle import Oracle
from sonnx_formal.reference.div import div
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Example, Instance, Operator, ShapeRule
from tests.reference.declared import SONNX, expected, function
from tests.reference.reference import DTYPES, FORMATS, Array, assert_same

INF, NAN = math.inf, math.nan
Rows = list[list[Any]]

RESULTS: dict[str, Rows] = {
    "SONNX-MUL.EX1": [[6, 9, 35]],
    "SONNX-MUL.EX2": [[3, 4], [16, 0], [25, 24]],
    "SONNX-MUL.EX3": [[2, 3], [0, 54], [25, 36]],
    "SONNX-DIV.EX1": [[2, 3, 7]],
    "SONNX-DIV.EX2": [[1, 2], [4, 0], [5, 6]],
    # Two NumPy sessions: the fractions that the first one prints rounded; 35 / 0 is infinity.
    "SONNX-DIV.EX3": [
        [Fraction(1, 11), Fraction(3, 22)],
        [Fraction(5, 33), Fraction(-7, 44)],
        [Fraction(-9, 55), Fraction(2, 11)],
    ],
    "SONNX-DIV.EX4": [[2, 3, INF]],
    "SONNX-MATMUL-REAL.EX1": [[19, 22], [43, 50]],
    "SONNX-MATMUL-INT.EX1": [[19, 22], [43, 50]],
    "SONNX-MATMUL-FLOAT.EX1": [[19, 22], [43, 50]],
    "SONNX-MATMUL-REAL.EX2": [[27, 30, 33], [61, 68, 75], [95, 106, 117]],
    "SONNX-MATMUL-INT.EX2": [[27, 30, 33], [61, 68, 75], [95, 106, 117]],
    "SONNX-MATMUL-FLOAT.EX2": [[NAN, NAN], [NAN, NAN]],
    "SONNX-MATMUL-FLOAT.EX3": [[INF, INF, INF, INF], [NAN, NAN, NAN, NAN]],
    "SONNX-ADD-REAL.EX1": [[Fraction("8.1"), Fraction("12.5"), Fraction("39.7")]],
    "SONNX-ADD-INT.EX1": [[9, 44, 40]],
    "SONNX-ADD-INT.EX2": [[-9, -56, 56]],
    "SONNX-ADD-FLOAT.EX1": [[6.0, 6.5], [20.0, 1.0], [30.5, 28.25]],
    "SONNX-SUB-REAL.EX1": [[Fraction("4.1"), Fraction("6.5"), Fraction("31.7")]],
    # Two results that the document prints wrong: 44 and -9.
    "SONNX-SUB-INT.EX1": [[3, 156]],
    "SONNX-SUB-INT.EX2": [[-3, -90, -126]],
    "SONNX-SUB-FLOAT.EX1": [[0.0, 2.5], [12.0, 1.0], [20.5, 20.25]],
    "SONNX-NEG.EX1": [[-2, 3, -7]],
    # The document prints 0, which is any zero; that of +0 is -0.
    "SONNX-NEG.EX2": [[-1, 2], [-4, -0.0], [5, -6]],
    "SONNX-NEG.EX3": [[-1, 2], [0, 4], [8, -4]],
    "SONNX-ABS-REAL.EX1": [[Fraction("2.1"), Fraction("3.4"), 7]],
    "SONNX-ABS-REAL.EX2": [[Fraction("1.123"), 0], [4, 5], [2, 3]],
    "SONNX-ABS-INT.EX1": [[126, 0, 127]],
    "SONNX-ABS-FLOAT.EX1": [[2.1, INF, NAN, 0.0]],
    "SONNX-LESS-REAL.EX1": [[True, False, False]],
    "SONNX-LESS-REAL.EX2": [[True, False], [True, True], [True, False]],
    "SONNX-LESS-INT.EX1": [[True, False, False]],
    "SONNX-LESS-INT.EX2": [[True, False], [False, True], [False, False]],
    "SONNX-LESS-FLOAT.EX1": [[True, False, False]],
    "SONNX-LESS-FLOAT.EX2": [[True, False], [True, True], [True, False]],
    "SONNX-LESS-FLOAT.EX3": [[c == "1" for c in "0110001000000000"]],
    "SONNX-WHERE-REAL.EX1": [[9, 5, Fraction("7.1")]],
    "SONNX-WHERE-REAL.EX2": [[1, 2], [3, 9], [8, 6]],
    "SONNX-WHERE-INT.EX1": [[1, 20], [3, 90], [8, 60]],
    "SONNX-WHERE-FLOAT.EX1": [[19, 25, 37.1]],
    "SONNX-WHERE-FLOAT.EX2": [[0.0, -0.0, INF, -INF, NAN]],
    "SONNX-RELU-REAL.EX1": [[Fraction("6.1"), 0, Fraction("35.7")]],
    "SONNX-RELU-INT.EX1": [[6, 0, 35]],
    "SONNX-RELU-FLOAT.EX1": [[6.1, 0, 35.7]],
    "SONNX-CLIP-REAL.EX1": [[0, Fraction("9.5"), 10]],
    "SONNX-CLIP-REAL.EX2": [[10, 10, 10]],
    "SONNX-CLIP-FLOAT.EX1": [[0.5, 9.2, 10.1]],
    "SONNX-CLIP-FLOAT.EX2": [[10, 10, 10]],
    "SONNX-CLIP-FLOAT.EX3": [[-1, 0, INF, NAN]],
    "SONNX-CLIP-FLOAT.EX4": [[-INF, 0, INF, NAN]],
}
"""The rows of each result; a vector is a row."""


def examples(*operators: Operator) -> list[tuple[Instance, Example]]:
    return [
        (instance, example)
        for operator in operators
        for example in operator.examples
        for instance in operator.instances()
        if instance.types[0].family in example.families
        and (not example.types or instance.types[0].name in example.types)
    ]


def tensor(name: str, numbers: Any) -> Array:
    if name == "real":
        array = np.array(numbers, object)
        exact = [x if x == INF else Fraction(x) for x in array.ravel()]
        array.ravel()[:] = exact
        return array
    if name == "bool":
        return np.array(numbers, bool)
    return np.array(numbers, float).astype(DTYPES[name])


def each_example(found: list[tuple[Instance, Example]]) -> pytest.MarkDecorator:
    names = [f"{instance.name}-{example.item}" for instance, example in found]
    return pytest.mark.parametrize(("instance", "example"), found, ids=names)


def check(oracle: Oracle, instance: Instance, example: Example) -> None:
    """The result is that of the document, where it is in the table, and of the definition."""
    operator = instance.operator
    name = instance.type_of(operator.output).name
    types = [instance.type_of(input_).name for input_ in operator.inputs]
    operands = [tensor(type_, x) for type_, x in zip(types, example.operands, strict=True)]
    attributes = example.attributes.as_dict()
    result = function(operator)(*operands, **attributes)
    assert_same(name, result, expected(oracle, operator, *operands, **attributes))
    printed = RESULTS.get(f"{instance.document}.{example.item}")
    if printed is not None:
        assert_same(name, result, tensor(name, printed).reshape(result.shape))


@each_example(examples(*(each for each in SONNX if each.shape_rule is ShapeRule.SAME)))
def test_elementwise(oracle: Oracle, instance: Instance, example: Example) -> None:
    check(oracle, instance, example)


@each_example(examples(*(each for each in SONNX if each.shape_rule is ShapeRule.SCALAR_BOUNDS)))
def test_bounds(oracle: Oracle, instance: Instance, example: Example) -> None:
    check(oracle, instance, example)


MATRICES = examples(*(each for each in SONNX if each.shape_rule is ShapeRule.MATRIX_PRODUCT))


@each_example([each for each in MATRICES if each[0].types[0].family is not Family.FLOAT])
def test_matmul(oracle: Oracle, instance: Instance, example: Example) -> None:
    check(oracle, instance, example)


@each_example([each for each in MATRICES if each[0].types[0].family is Family.FLOAT])
def test_matmul_float(oracle: Oracle, instance: Instance, example: Example) -> None:
    check(oracle, instance, example)


def test_the_table_has_no_result_too_many() -> None:
    assert set(RESULTS) <= {f"{i.document}.{example.item}" for i, example in examples(*SONNX)}


def test_div_first_numpy_session() -> None:
    """SONNX-DIV.EX3 in float64, as the document prints it."""
    a, b = [[1, 3], [5, 7], [9, 12]], [[11, 22], [33, -44], [-55, 66]]
    printed = [[0.09090909, 0.13636364], [0.15151515, -0.15909091], [-0.16363636, 0.18181818]]
    assert div(tensor("float64", a), tensor("float64", b)).round(8).tolist() == printed


@pytest.mark.parametrize("name", ["real", *FORMATS])
def test_div_second_numpy_session(name: str) -> None:
    """SONNX-DIV.EX4: 35 / 0 is infinity."""
    result = div(tensor(name, [[6, 9, 35]]), tensor(name, [[3, 3, 0]]))
    assert_same(name, result, tensor(name, [[2, 3, INF]]))


def test_the_formats_are_all_tried() -> None:
    assert {i.label for i, _ in examples(*SONNX)} >= {*FORMATS, "real", "int8", "uint64"}
