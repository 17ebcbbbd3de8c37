"""The measurement of the oracle: what it measures, not how fast that is."""

from sonnx_formal.oracle import Oracle
from tests.benchmarks.oracle_speed import TYPES, measure


def test_each_operator_of_each_type_is_measured(oracle: Oracle) -> None:
    speeds = list(measure(oracle, elements=20, side=3))
    assert {(speed.operator, speed.type) for speed in speeds} == {
        (op, type_) for op in ("mul", "div", "matmul") for type_ in TYPES
    } - {("matmul", "int8")}
    assert all(speed.rate > 0 for speed in speeds)
