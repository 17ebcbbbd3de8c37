"""What the arithmetic is measured and compared with does what we think. Nothing is timed."""

from __future__ import annotations

import json
from pathlib import Path

import gmpy2
import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from sonnx_formal.spec.element_types import BFLOAT16, BINARY16, BINARY32, BINARY64, FORMATS, Format
from tests.benchmarks.__main__ import main, print_speeds
from tests.benchmarks.floats import OPERATIONS, Speed, finite_patterns, measure_floats
from tests.benchmarks.implementations import (
    EQUAL,
    GREATER,
    LESS,
    UNORDERED,
    Implementation,
    Mpfr,
    implementations,
    results,
)
from tests.formats import dtype_of, with_one_nan

EVERY = [
    pytest.param(form, each, id=f"{each.name} {form.name}")
    for form in FORMATS
    for each in implementations(form)
]


def apply(form: Format, tested: Implementation, operation: str, x: int, y: int) -> int:
    operands = (tested.operands(np.array([pattern], dtype_of(form))) for pattern in (x, y))
    result = results(tested, operation, *operands)
    if operation != "compare":
        result = with_one_nan(form, result)
    return int(result[0])


@pytest.mark.parametrize(("form", "bits"), [(BINARY16, 16), (BINARY32, 32), (BINARY64, 64)])
def test_mpfr_has_the_limits_that_gmpy2_gives_the_format(form: Format, bits: int) -> None:
    ours, theirs = Mpfr(form)._context, gmpy2.ieee(bits)
    for name in ("precision", "emin", "emax", "subnormalize", "round"):
        assert getattr(ours, name) == getattr(theirs, name)


@pytest.mark.parametrize(("form", "tested"), EVERY)
def test_rounding_to_nearest_even(form: Format, tested: Implementation) -> None:
    last = form.one - form.precision * form.trailing  # half of the last digit of 1
    assert apply(form, tested, "add", form.one, last) == form.one
    assert apply(form, tested, "add", form.one, last + 1) == form.one + 1
    assert apply(form, tested, "add", form.one + 1, last) == form.one + 2
    assert apply(form, tested, "sub", form.one, last) == form.one - 1
    assert apply(form, tested, "mul", form.one + 1, form.one + 1) == form.one + 2


@pytest.mark.parametrize(("form", "tested"), EVERY)
def test_overflow(form: Format, tested: Implementation) -> None:
    largest, infinity = form.infinity - 1, form.infinity
    half = (2 * form.emax - form.precision) * form.trailing  # of the last digit of the largest
    assert apply(form, tested, "add", largest, half) == infinity
    assert apply(form, tested, "add", largest, half - 1) == largest
    assert apply(form, tested, "sub", largest + form.sign, half) == infinity + form.sign
    assert apply(form, tested, "mul", largest, form.one + 1) == infinity


@pytest.mark.parametrize(("form", "tested"), EVERY)
def test_subnormal_numbers(form: Format, tested: Implementation) -> None:
    half, two, negative = form.one - form.trailing, form.one + form.trailing, form.sign
    for least, halved in ((1, 0), (2, 1), (3, 2), (5, 2), (7, 4), (form.trailing - 1, None)):
        expected = form.trailing // 2 if halved is None else halved
        assert apply(form, tested, "mul", least, half) == expected
        assert apply(form, tested, "div", least + negative, two) == expected + negative
    assert apply(form, tested, "sub", form.trailing, 1) == form.trailing - 1
    assert apply(form, tested, "mul", 1, 1) == 0
    assert apply(form, tested, "mul", 1, 1 + negative) == negative


@pytest.mark.parametrize(("form", "tested"), EVERY)
def test_special_values(form: Format, tested: Implementation) -> None:
    zero, unit, infinity, nan, negative = 0, form.one, form.infinity, form.nan, form.sign
    assert apply(form, tested, "div", unit, negative) == infinity + negative
    assert apply(form, tested, "div", zero, zero) == nan
    assert apply(form, tested, "mul", infinity, zero) == nan
    assert apply(form, tested, "sub", infinity, infinity) == nan
    assert apply(form, tested, "sub", unit, unit) == zero
    assert apply(form, tested, "add", negative, negative) == negative
    for pattern in (nan, form.infinity + 1, form.sign - 1, 2 * form.sign - 1):
        assert apply(form, tested, "add", pattern, unit) == nan
        assert apply(form, tested, "compare", pattern, pattern) == UNORDERED
    assert apply(form, tested, "compare", zero, negative) == EQUAL
    assert apply(form, tested, "compare", infinity + negative, unit) == LESS
    assert apply(form, tested, "compare", 1, zero) == GREATER


def test_value_outside_the_format_is_refused() -> None:
    for form in (BINARY16, BFLOAT16, BINARY32):
        with pytest.raises(ValueError, match="no value of"):
            Mpfr(form).patterns([1 + 2**-40])
        with pytest.raises(ValueError, match="no value of"):
            Mpfr(form).patterns([1e300])


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
def test_measured_operands_are_finite(form: Format) -> None:
    patterns = finite_patterns(form, 1000, seed=1)
    assert np.all(patterns % dtype_of(form).type(form.sign) < form.infinity)
    assert {bool(each) for each in patterns >= form.sign} == {False, True}


def test_every_operation_is_measured() -> None:
    speeds = list(measure_floats(lambda _line: None, count=50))
    assert [(each.format, each.operation) for each in speeds] == [
        (form.name, operation) for form in FORMATS for operation in OPERATIONS
    ]
    for each in speeds:
        assert list(each.others) == [other.name for other in implementations(BINARY16)]
        assert min(each.patterns, each.alone, *each.others.values()) > 0


def test_speeds_are_side_by_side() -> None:
    console = Console(width=120, highlight=False)
    with console.capture() as captured:
        print_speeds(console, [Speed("binary16", "add", 500, 2000, {"MPFR": 5000})])
    heading, row = captured.get().splitlines()[:2]
    assert heading.split("  ")[0] == "format"
    assert row.split() == ["binary16", "add", "500", "2,000", "5,000", "2.5"]


def test_command_writes_the_figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speed = Speed("binary16", "add", 500, 2000, {"MPFR": 5000})
    monkeypatch.setattr("tests.benchmarks.__main__.measure_floats", lambda _say: [speed])
    path = tmp_path / "figures.json"
    result = CliRunner().invoke(main, ["floats", "--json", str(path)])
    assert result.exit_code == 0
    assert json.loads(path.read_text())["floats"][0]["others"] == {"MPFR": 5000}
