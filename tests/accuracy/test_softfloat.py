"""Legal orders evaluated by Berkeley SoftFloat: within the bound, and as in exact fractions."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sonnx_formal.accuracy import Outcome, matmul_bound
from sonnx_formal.accuracy.bound import FORMATS
from tests.accuracy.orders import Fused, Order, Product, Sum, evaluate, orders
from tests.accuracy.test_bound import operands, terms
from tests.benchmarks.implementations import softfloatpy

NAMES = {"float16": "f16", "float32": "f32", "float64": "f64"} if softfloatpy else {}
"""SoftFloat has no arithmetic of bfloat16, and itself no wheels for the newest Python."""


class SoftFloat:
    """One format of SoftFloat, and a row and a column in it."""

    def __init__(self, name: str, row: Any, column: Any) -> None:
        softfloatpy.set_rounding_mode(softfloatpy.RoundingMode.NEAR_EVEN)
        self._prefix = NAMES[name]
        kind: Any = getattr(softfloatpy, name.capitalize())
        self._row, self._column = (
            [kind.from_bytes(x.tobytes()[::-1]) for x in side] for side in (row, column)
        )

    def evaluate(self, order: Order) -> Any:
        match order:
            case Product(index):
                return self._apply("mul", self._row[index], self._column[index])
            case Sum(left, right):
                return self._apply("add", self.evaluate(left), self.evaluate(right))
            case Fused(partial, index):
                x, y = self._row[index], self._column[index]
                return self._apply("mul_add", x, y, self.evaluate(partial))

    def _apply(self, name: str, *operands: Any) -> Any:
        return getattr(softfloatpy, f"{self._prefix}_{name}")(*operands)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=300)
@given(data=st.data())
@pytest.mark.long
def test_softfloat_stays_within_the_bound(name: str, data: st.DataObject) -> None:
    a, b = data.draw(operands(name))
    products = terms(a, b)
    order = data.draw(orders(len(products)))
    found = matmul_bound(a, b)
    if found.outcome[0, 0] is Outcome.ORDER_DEPENDENT:
        return
    result = SoftFloat(name, a[0], b[:, 0]).evaluate(order).to_float()
    assert Fraction(result) == evaluate(order, products, FORMATS[name])
    assert abs(Fraction(result) - sum(products)) <= Fraction(float(found.bound[0, 0]))
