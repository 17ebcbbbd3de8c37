"""The worked examples of the source documents."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from sonnx_formal.reference import INFINITY, div, matmul, mul
from tests.reference.reference import DTYPES, FORMATS, MATMUL_TYPES, TYPES, Array, assert_same

INF, NAN = float("inf"), float("nan")
Matrix = list[list[Any]]

FLOATS = tuple(FORMATS)
SIGNED = tuple(name for name in TYPES if not name.startswith("uint"))

# Whole numbers, which every type has.
ELEMENTWISE: list[tuple[str, Matrix, Matrix, Matrix]] = [
    ("SONNX-MUL.EX1", [[2, 3, 7]], [[3, 3, 5]], [[6, 9, 35]]),
    (
        "SONNX-MUL.EX2",
        [[1, 2], [4, 0], [5, 6]],
        [[3, 2], [4, 1], [5, 4]],
        [[3, 4], [16, 0], [25, 24]],
    ),
    (
        "SONNX-MUL.EX3",
        [[2, 1], [0, 9], [5, 6]],
        [[1, 3], [0, 6], [5, 6]],
        [[2, 3], [0, 54], [25, 36]],
    ),
    ("SONNX-DIV.EX1", [[6, 9, 35]], [[3, 3, 5]], [[2, 3, 7]]),
    (
        "SONNX-DIV.EX2",
        [[3, 4], [16, 0], [25, 24]],
        [[3, 2], [4, 1], [5, 4]],
        [[1, 2], [4, 0], [5, 6]],
    ),
]
MATMUL: list[tuple[str, Matrix, Matrix, Matrix]] = [
    ("EX1", [[1, 2], [3, 4]], [[5, 6], [7, 8]], [[19, 22], [43, 50]]),
    (
        "EX2 of real and integer numbers",
        [[1, 2], [3, 4], [5, 6]],
        [[7, 8, 9], [10, 11, 12]],
        [[27, 30, 33], [61, 68, 75], [95, 106, 117]],
    ),
]
MATMUL_FLOAT: list[tuple[str, Matrix, Matrix, Matrix]] = [
    (
        "SONNX-MATMUL-FLOAT.EX2",
        [[INF, -INF, NAN], [NAN, INF, -INF]],
        [[1, 2], [4, 5], [7, 8]],
        [[NAN, NAN], [NAN, NAN]],
    ),
    (
        "SONNX-MATMUL-FLOAT.EX3",
        [[INF, INF], [NAN, INF]],
        [[1, 2, 3, 4], [4, 5, 6, 7]],
        [[INF, INF, INF, INF], [NAN, NAN, NAN, NAN]],
    ),
]


def tensor(name: str, rows: Matrix) -> Array:
    if name == "real":
        rows = [[one if one == INFINITY else Fraction(one) for one in row] for row in rows]
    return np.array(rows, DTYPES[name])


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize(("example", "a", "b", "c"), ELEMENTWISE, ids=[e[0] for e in ELEMENTWISE])
def test_elementwise(example: str, a: Matrix, b: Matrix, c: Matrix, name: str) -> None:
    operator = mul if "MUL" in example else div
    assert_same(name, operator(tensor(name, a), tensor(name, b)), tensor(name, c))


@pytest.mark.parametrize("name", MATMUL_TYPES)
@pytest.mark.parametrize(("example", "a", "b", "y"), MATMUL, ids=[e[0] for e in MATMUL])
def test_matmul(example: str, a: Matrix, b: Matrix, y: Matrix, name: str) -> None:
    assert_same(name, matmul(tensor(name, a), tensor(name, b)), tensor(name, y))


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize(("example", "a", "b", "y"), MATMUL_FLOAT, ids=[e[0] for e in MATMUL_FLOAT])
def test_matmul_float(example: str, a: Matrix, b: Matrix, y: Matrix, name: str) -> None:
    assert_same(name, matmul(tensor(name, a), tensor(name, b)), tensor(name, y))


def test_div_first_numpy_session() -> None:
    """SONNX-DIV.EX3: exact in real numbers; in float64, as the document prints it."""
    a, b = [[1, 3], [5, 7], [9, 12]], [[11, 22], [33, -44], [-55, 66]]
    third = [
        [Fraction(n, d) for n, d in zip(*rows, strict=True)] for rows in zip(a, b, strict=True)
    ]
    assert div(tensor("real", a), tensor("real", b)).tolist() == third
    printed = [[0.09090909, 0.13636364], [0.15151515, -0.15909091], [-0.16363636, 0.18181818]]
    assert div(tensor("float64", a), tensor("float64", b)).round(8).tolist() == printed


@pytest.mark.parametrize("name", ["real", *FLOATS])
def test_div_second_numpy_session(name: str) -> None:
    """SONNX-DIV.EX4: 35 / 0 is infinity."""
    a, b, c = [[6, 9, 35]], [[3, 3, 0]], [[2, 3, INF]]
    assert_same(name, div(tensor(name, a), tensor(name, b)), tensor(name, c))
