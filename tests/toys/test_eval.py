"""`eval` of toys: operands of any number and type, attributes of any kind."""

import pytest

from tests.toys.house import ToyHouse


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (("toy-negate", "--type", "int8", "[1, -128, 0]"), "[-1, -128, 0]"),
        (("toy-select", "--type", "float16", "[true, 0]", "[1, inf]", "[nan, -0]"), "[1, -0]"),
        (("toy-shift", "--type", "uint8", "[250]"), "[250]"),
        (("toy-shift", "--type", "uint8", "[250]", ""), "[250]"),
        (("toy-shift", "--type", "uint8", "[250]", "[7]"), "[1]"),
        (("toy-total", "--type", "int16", "[32767]"), "[32767]"),
        (("toy-total", "--type", "int16", "[32767, 1]", "[1, 2]", "[3, 4]"), "[-32765, 7]"),
        (("toy-mark", "--type", "float32-int8", "[1, nan]", "[-7, -8]"), "[-7, 0]"),
        (("toy-mark", "--type", "float32-uint8", "[1, nan]", "[200, 3]"), "[200, 0]"),
        (("toy-below", "--type", "float32", "[1, nan, -0]", "[2, 1, 0]"), "[true, false, false]"),
        (("toy-below", "--type", "int8", "[-1, 3]", "[0, 3]"), "[true, false]"),
        (("toy-scale", "--factor", "3", "--type", "int32", "[5, 7]"), "[15, 21]"),
        (
            (
                *("toy-scale", "--factor", "1", "--gain", "nan", "--mode", "loud"),
                *("--more", "4", "--more", "-1", "--gains", "0.5", "--notes", "a", "--notes", "b"),
                *("--type", "int32", "0"),
            ),
            "1213",
        ),
        (
            ("toy-reshape", "--type", "int8", "[[1, 2, 3], [4, 5, 6]]", "[3, 2]"),
            "[[1, 2], [3, 4], [5, 6]]",
        ),
    ],
)
def test_results(house: ToyHouse, arguments: tuple[str, ...], result: str) -> None:
    done = house.run("eval", *arguments)
    assert (done.stdout, done.stderr, done.returncode) == (f"{result}\n", "", 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("toy-negate", "--type", "int8", "1", "2"), "toy-negate takes X: 2 operands are too many"),
        (("toy-select", "--type", "float16", "1", "1"), "toy-select: the operand Y is missing"),
        (("toy-select", "--type", "float16", "2", "1", "1"), "Condition: 2 is not a truth value"),
        (("toy-shift", "--type", "uint8", "", "1"), "toy-shift: the operand X is missing"),
        (("toy-total", "--type", "int16", "1", ""), "toy-total: X needs one operand or more"),
        (("toy-total", "--type", "int16", "1", "[1]"), "SONNX-TOY.R1: a toy is broken: toy-total"),
        (("toy-mark", "--type", "float32", "1", "1"), "not defined over 'float32': did you mean f"),
        (("toy-scale", "--type", "int32", "1"), "toy-scale: the attribute factor is missing"),
        (("toy-scale", "--type", "int32", "--factor", "0", "1"), "SONNX-TOY.ATTR.FACTOR: not posi"),
        (("toy-reshape", "--type", "int8", "[1, 2]", "[3]"), "SONNX-TOY.R2: the sizes differ"),
        (("toy-reshape", "--type", "int8", "[1, 2]", "2"), "SONNX-TOY.R1: the shape is no list"),
    ],
)
def test_what_is_wrong_is_said(house: ToyHouse, arguments: tuple[str, ...], message: str) -> None:
    done = house.run("eval", *arguments)
    assert (done.stdout, done.returncode) == ("", 2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
