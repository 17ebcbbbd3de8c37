"""Where a float MatMul is judged: exactly where no order of summation rounds anything."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.check.exactness import independent_of_order
from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.vectors.case import Array

FLOAT16 = NUMERICAL["float16"]
GREATEST, LEAST = 65504.0, 2.0**-24


def decided(row: list[float], column: list[float], name: str = "float16") -> bool:
    type_ = NUMERICAL[name]
    a, b = np.array([row], type_.dtype), np.array([column], type_.dtype).T
    return bool(independent_of_order(a, b, type_)[0, 0])


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_small_whole_numbers_are_judged(name: str) -> None:
    assert decided([1, 2, -3], [4, -5, 6], name)


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [
        ([], [], True),
        ([0, -0.0], [5, 7], True),
        ([1024, 1], [2, 1], False),  # 2049 has 12 digits
        ([1024, 1], [2, 2], True),  # 2050 has 11
        ([2048, -2048, 1], [1, 1, 1], False),  # 2048 + 1 in another order
        ([GREATEST, 32], [1, 1], False),  # overflows, or is rounded
        ([256, -256], [256, 256], False),  # each product overflows
        ([LEAST], [0.5], False),  # underflows
        ([LEAST], [3], True),
        ([1 / 3], [1 / 3], False),
        ([np.nan, 1 / 3], [1, 1 / 3], True),
        ([np.inf], [0], True),
        ([np.inf, 1], [1, 1], True),
        ([np.inf, np.inf], [1, -1], True),
        ([np.inf, np.inf, 1 / 3], [1, -1, 1 / 3], True),
        ([np.inf, 1 / 3], [1, 1 / 3], False),
    ],
)
def test_rows_and_columns(row: list[float], column: list[float], expected: bool) -> None:
    assert decided(row, column) is expected


def test_element_by_element() -> None:
    a = np.array([[1, 2], [1 / 3, 1]], np.float16)
    b = np.array([[1, 1 / 3], [3, 1 / 3]], np.float16)
    expected = [[True, False], [False, False]]
    assert independent_of_order(a, b, FLOAT16).tolist() == expected


def test_no_terms_and_no_elements() -> None:
    empty: Array = np.empty((2, 0), np.float16)
    assert independent_of_order(empty, empty.T, FLOAT16).tolist() == [[True] * 2] * 2
    assert independent_of_order(empty.T, np.ones((2, 3), np.float16), FLOAT16).shape == (0, 3)


VALUES = st.sampled_from(
    [0.0, -0.0, 1.0, -1.0, 3.0, 0.5, 1 / 3, 2048.0, -2047.0, 256.0, GREATEST, LEAST, np.inf, np.nan]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(VALUES, VALUES), max_size=4))
def test_what_is_judged_is_the_same_in_every_order(terms: list[tuple[float, float]]) -> None:
    if not decided([x for x, _ in terms], [y for _, y in terms]):
        return
    with np.errstate(all="ignore"):
        results = set()
        for order in permutations(terms):
            fused = exact = np.float16(0)
            for x, y in order:
                exact = exact + np.float16(x) * np.float16(y)
                # In float64 both operations are exact here: rounded once.
                fused = np.float16(float(fused) + float(np.float16(x)) * float(np.float16(y)))
            results |= {"nan" if np.isnan(one) else one.tobytes() for one in (exact, fused)}
    assert len(results) == 1
