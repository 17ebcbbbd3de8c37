"""The floating-point definitions, evaluated against other implementations and against fractions.

`python -m tests.theories.compare_floats` (`make compare`) compares far more pairs in the same way.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import isqrt
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np
import pytest
from click.testing import CliRunner

from sonnx_formal.spec.element_types import BFLOAT16, BINARY16, BINARY32, BINARY64, FORMATS, Format
from tests.benchmarks.implementations import Implementation, Mpfr, implementations, results
from tests.formats import dtype_of, small, with_one_nan
from tests.theories import compare_floats
from tests.theories.evaluator import (
    FLOAT_TYPES,
    LIBRARY,
    NAN,
    Evaluator,
    Float,
    Power,
    definitions_of,
    is_evidence,
)
from tests.theories.extracted_floats import RELATIONS, Floats, build_floats
from tests.theories.float_brute_force import BruteForce
from tests.theories.float_comparison import compare
from tests.theories.float_operands import CLASSES, OPERATIONS, UNARY, pairs, special_values

IEEE = "scalar.ieee754"
ROUNDING = f"{IEEE}.rounding"
POWER = f"{IEEE}.powers.Power"
FAST_ROUND = f"{IEEE}.fast_rounding.FastRounding.fast_round"
FORMAT = f"{IEEE}.format.Format"
FLOAT = f"{IEEE}.format.Float"
ARITHMETIC = f"{IEEE}.arithmetic.Arithmetic"
SQUARE_ROOT = f"{IEEE}.square_root"
COMPARISON = f"{IEEE}.arithmetic.Comparison"
ENCODING = f"{IEEE}.encoding.Encoding"

PAIRS = 12_000
SMALL = [small(precision, emax) for precision in (2, 3, 4) for emax in (2, 3, 4)]

by_name: Callable[[Format], str] = lambda form: form.name  # noqa: E731


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_floats(tmp_path_factory.mktemp("floats"))


@pytest.fixture
def floats(program: Path) -> Iterator[Floats]:
    with Floats(program) as running:
        yield running


def all_patterns(form: Format) -> np.ndarray[Any, np.dtype[np.unsignedinteger]]:
    return np.arange(2 * form.sign, dtype=np.uint64).astype(dtype_of(form))


def test_every_definition_can_be_evaluated(evaluate: Evaluator) -> None:
    """By its whole name: that another module has a function of that name will not do."""
    files = (LIBRARY / "scalar/ieee754").glob("*.mlw")
    defined = {
        each for path in files if not is_evidence(path.stem) for each in definitions_of(path)
    }
    assert len(defined) > 40
    assert defined - set(evaluate.names()) == set()


# --- Against the implementations of others -------------------------------------------------------


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("form", FORMATS, ids=by_name)
def test_others_have_the_same_results(
    floats: Floats, form: Format, operation: str, record_property: Callable[[str, object], None]
) -> None:
    others = implementations(form)
    found = compare(floats, others, form, operation, count=PAIRS, seed=1)
    assert found.smallest == {}
    assert found.mismatches == {other.name: 0 for other in others}
    assert found.total >= PAIRS
    special = len(special_values(form))
    assert found.pairs["special"] == (special if operation in UNARY else special**2)
    absent = {"compare": {"range edges", "half-way"}, "sqrt": {"near exponents", "range edges"}}
    assert set(found.pairs) == set(CLASSES) - absent.get(operation, set())
    record_property("pairs", found.total)


class Wrong(Mpfr):
    """MPFR, but it rounds towards zero."""

    name = "wrong"

    def __init__(self, form: Format) -> None:
        super().__init__(form)
        self._context.round = gmpy2.RoundToZero


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(each, marks=() if each.precision <= 11 else pytest.mark.long)
        for each in FORMATS
    ],
    ids=by_name,
)
def test_another_rounding_is_noticed(floats: Floats, form: Format) -> None:
    for operation in ("add", "sub", "mul", "div", "sqrt"):
        found = compare(floats, [Wrong(form), Mpfr(form)], form, operation, count=8000, seed=1)
        assert not found.agrees
        assert found.mismatches["wrong"] > 100
        assert found.mismatches["MPFR"] == 0
        assert found.smallest["wrong"].ours != found.smallest["wrong"].theirs
    assert compare(floats, [Wrong(form)], form, "compare", count=8000, seed=1).agrees


def test_the_same_seed_gives_the_same_pairs() -> None:
    def data(seed: int) -> list[bytes]:
        blocks = pairs(BINARY32, "mul", 9000, seed)
        return [block.x.tobytes() + block.y.tobytes() for block in blocks]

    assert data(1) == data(1)
    assert data(1) != data(2)


# --- The command ---------------------------------------------------------------------------------


def run_command(tmp_path: Path) -> tuple[int, str, dict[str, Any]]:
    report = tmp_path / "report.json"
    options = "--format", "bfloat16", "--operation", "add", "--pairs", "6000"
    result = CliRunner().invoke(compare_floats.main, [*options, "--json", str(report)])
    return result.exit_code, result.output, json.loads(report.read_text())


def test_command_agrees(tmp_path: Path) -> None:
    status, output, report = run_command(tmp_path)
    assert status == 0
    assert "0 differences" in output
    [comparison] = report["comparisons"]
    assert comparison["total"] == sum(comparison["pairs"].values()) == 6000
    assert set(comparison["mismatches"].values()) == {0}


def test_command_shows_what_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(form: Format) -> Sequence[Implementation]:
        return [Wrong(form)]

    monkeypatch.setattr(compare_floats, "implementations", wrong)
    status, output, report = run_command(tmp_path)
    assert status == 1
    [comparison] = report["comparisons"]
    example = comparison["smallest"]["wrong"]
    assert (
        f"bfloat16 add {example['x']} {example['y']}: "
        f"ours {example['ours']}, wrong {example['theirs']}"
    ) in output


def test_command_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_form: Format) -> Sequence[Implementation]:
        raise KeyboardInterrupt

    monkeypatch.setattr(compare_floats, "implementations", interrupt)
    result = CliRunner().invoke(compare_floats.main, ["--pairs", "1"])
    assert result.exit_code == 130
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("form", "operation", "trouble"),
    [
        (BINARY16, "power", "no operation power"),
        (Format("binary17", 11, 15), "add", "error"),
        (small(2, 2), "add", "no pattern of this format: 99"),
    ],
)
def test_program_refuses(program: Path, form: Format, operation: str, trouble: str) -> None:
    patterns = np.array([1, 99], np.uint16)
    with Floats(program) as floats, pytest.raises(ValueError, match=trouble):
        floats.apply(form, operation, patterns, patterns)


# --- Against fractions ---------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("form", SMALL, ids=by_name)
def test_all_pairs_of_a_small_format(
    floats: Floats, form: Format, record_property: Callable[[str, object], None]
) -> None:
    exact = BruteForce(form)
    every = list(itertools.product(range(2 * form.sign), repeat=2))
    x, y = np.array(every, dtype_of(form)).T
    for operation in OPERATIONS:
        ours = floats.apply(form, operation, *((x,) if operation in UNARY else (x, y))).tolist()
        for (a, b), result in zip(every, ours, strict=True):
            assert result == exact.apply(operation, a, b), (operation, a, b)
    record_property("pairs", len(every) * len(OPERATIONS))


@pytest.mark.parametrize("form", [BINARY16, BFLOAT16, *SMALL], ids=by_name)
def test_all_patterns_of_a_format(floats: Floats, form: Format) -> None:
    patterns = all_patterns(form)
    one_nan = with_one_nan(form, patterns)
    assert np.array_equal(floats.apply(form, "roundtrip", patterns), one_nan)
    is_nan = one_nan == form.nan
    opposite = (patterns.astype(np.int64) + form.sign) % (2 * form.sign)
    assert np.array_equal(
        floats.apply(form, "negate", patterns), np.where(is_nan, one_nan, opposite)
    )
    assert np.array_equal(floats.apply(form, "absolute", patterns), one_nan % form.sign)


@pytest.mark.parametrize("form", [BINARY16, BFLOAT16], ids=by_name)
def test_all_square_roots(floats: Floats, form: Format) -> None:
    patterns = all_patterns(form)
    ours = floats.apply(form, "sqrt", patterns)
    for other in implementations(form):
        theirs = results(other, "sqrt", other.operands(patterns))
        assert np.array_equal(ours, with_one_nan(form, theirs)), other.name


@pytest.mark.parametrize("form", [BINARY32, BINARY64], ids=by_name)
def test_patterns_come_back(floats: Floats, form: Format) -> None:
    drawn = np.random.default_rng(1).integers(0, 2 * form.sign - 1, 50_000, np.uint64)
    patterns = np.append(drawn, np.array(special_values(form), np.uint64)).astype(dtype_of(form))
    assert np.array_equal(floats.apply(form, "roundtrip", patterns), with_one_nan(form, patterns))


# --- Rounding ------------------------------------------------------------------------------------


def rounded_by_search(top: int, exact: Fraction) -> int:
    """The nearest number of less than `top` times a power of two; of two, the even one."""
    scale = 1
    while top * scale <= 2 * exact + 2:
        scale *= 2
    powers = [1 << e for e in range(scale.bit_length() + 1)]
    candidates = {(m * power, m % 2) for power in powers for m in range(top // 2, top)}
    candidates |= {(m, m % 2) for m in range(top)}
    nearest, _ = min(candidates, key=lambda each: (abs(each[0] - exact), each[1]))
    return nearest


def test_small_fractions_are_rounded(evaluate: Evaluator) -> None:
    compared = 0
    for top in (4, 8, 16):
        for n, d in itertools.product(range(6 * top), range(1, 7)):
            expected = rounded_by_search(top, Fraction(n, d))
            assert evaluate(f"{ROUNDING}.Rounding.round", top, n, d) == expected
            assert evaluate(FAST_ROUND, top, n, d) == expected
            compared += 1
    assert compared == 6 * (4 + 8 + 16) * 6


def random_fractions(count: int) -> Iterator[tuple[int, int, int]]:
    """Powers of two with a numerator and a denominator of some size near it, ties among them."""
    chance = random.Random(1)
    for _ in range(count):
        precision = chance.choice([2, 8, 11, 24, 53])
        d = chance.randint(1, 2 ** chance.randint(1, 2 * precision))
        length = precision + chance.randint(-3, 60)
        n = chance.getrandbits(max(length, 1)) * d
        n += chance.choice([0, 0, d // 2, -(d // 2), 1, -1, chance.randrange(d)])
        yield 2**precision, abs(n), d


def test_both_roundings_are_the_same(evaluate: Evaluator) -> None:
    for top, n, d in random_fractions(3000):
        scale = 1
        while n >= top * scale * d:
            scale *= 2
        expected = scale * round(Fraction(n, scale * d))  # Python rounds ties to even, too
        assert evaluate(f"{ROUNDING}.Rounding.round", top, n, d) == expected
        assert evaluate(FAST_ROUND, top, n, d) == expected


def test_nearest_integer(evaluate: Evaluator) -> None:
    for n, d in itertools.product(range(60), range(1, 13)):
        assert evaluate(f"{ROUNDING}.NearestInteger.nearest_integer", n, d) == round(Fraction(n, d))


def test_representable_numbers(evaluate: Evaluator) -> None:
    for precision in (2, 3, 4):
        top = 2**precision
        for k in range(200):
            digits = bin(k)[2:]
            few = len(digits.rstrip("0")) <= precision
            assert evaluate(f"{ROUNDING}.Representable.representable", top, k) is few
            if few:
                even = digits[:precision][-1] == "0" if len(digits) >= precision else k % 2 == 0
                assert evaluate(f"{ROUNDING}.Representable.even_significand", top, k) is even


def test_powers_of_two(evaluate: Evaluator) -> None:
    def power(exponent: int) -> Power:
        return Power(exponent, 2**exponent)

    assert evaluate(f"{POWER}.two") == power(1)
    for q in [*range(1, 70), *(2**e + d for e in (100, 1023, 2046) for d in (-1, 0, 1))]:
        length = q.bit_length() - 1
        assert evaluate(f"{POWER}.leading", q) == power(length)
        assert evaluate(f"{POWER}.greatest_power", q, power(3)) == power(length - length % 3)
        assert evaluate(f"{POWER}.fast_two_power", q % 2100) == 2 ** (q % 2100)
    for m, n in itertools.product(range(12), repeat=2):
        assert evaluate(f"{POWER}.times", power(m), power(n)) == power(m + n)
        assert evaluate(f"{POWER}.square", power(m)) == power(2 * m)


# --- Formats, values and patterns ----------------------------------------------------------------


@pytest.mark.parametrize("form", [*FORMATS, *SMALL], ids=by_name)
def test_format(evaluate: Evaluator, form: Format) -> None:
    p, emax = form.precision, form.emax
    unit = Fraction(2) ** (emax + p - 2)  # in units of the least number, 2^(1 - emax) * 2^(1 - p)
    fields = {"precision": p, "emax": emax, "top": 2**p, "one": unit}
    fields["largest"] = (2 - Fraction(2) ** (1 - p)) * 2**emax * unit
    assert evaluate(f"{FORMAT}.format", p, emax) == fields
    if form in FORMATS:
        assert evaluate(f"{FORMAT}.{form.name}") == fields
    assert evaluate(f"{ENCODING}.trailing", form.name) == form.trailing
    assert evaluate(f"{ENCODING}.exponent_mask", form.name) == 2 * emax + 1
    assert evaluate(f"{ENCODING}.patterns", form.name) == form.sign


@pytest.mark.parametrize(
    ("form", "kind"), [(BINARY16, np.float16), (BINARY32, np.float32), (BINARY64, np.float64)]
)
def test_limits_of_numpy(evaluate: Evaluator, form: Format, kind: type[np.floating]) -> None:
    fields = evaluate(f"{FORMAT}.{form.name}")
    assert isinstance(fields, dict)
    limits = np.finfo(kind)
    assert Fraction(fields["largest"], fields["one"]) == Fraction(float(limits.max))
    assert Fraction(1, fields["one"]) == Fraction(float(limits.smallest_subnormal))
    assert Fraction(fields["top"], 2 * fields["one"]) == Fraction(float(limits.tiny))
    assert Fraction(2, fields["top"]) == Fraction(float(limits.eps))


@pytest.mark.parametrize("form", [small(2, 2), small(4, 3)], ids=by_name)
def test_values_of_a_small_format(evaluate: Evaluator, form: Format) -> None:
    exact = BruteForce(form)
    unit = exact.finite[1]
    units = [int(x / unit) for x in exact.finite]
    for k in range(-2, units[-1] + 4):
        for negative in (False, True):
            x = Float(negative, k)
            assert evaluate(f"{FLOAT}.member", form.name, x) is (k in units)
    for magnitude, k in enumerate(units):
        assert evaluate(f"{ENCODING}.magnitude_bits", form.name, k) == magnitude
        for negative in (False, True):
            x, bits = Float(negative, k), magnitude + negative * form.sign
            assert evaluate(f"{ENCODING}.of_bits", form.name, bits) == x
            assert evaluate(f"{ENCODING}.to_bits", form.name, x) == bits
            subnormal = 0 < exact.finite[magnitude] < Fraction(2) ** (1 - form.emax)
            assert evaluate(f"{FLOAT}.is_subnormal", form.name, x) is subnormal
            assert evaluate(f"{FLOAT}.is_normal", form.name, x) is (not subnormal and k > 0)
    for bits, x in {
        form.infinity: Float(False, "inf"),
        form.infinity + form.sign: Float(True, "inf"),
        form.nan: NAN,
    }.items():
        assert evaluate(f"{ENCODING}.of_bits", form.name, bits) == x
        assert evaluate(f"{ENCODING}.to_bits", form.name, x) == bits
        assert evaluate(f"{FLOAT}.member", form.name, x) is True
        assert evaluate(f"{FLOAT}.is_subnormal", form.name, x) is False
        assert evaluate(f"{FLOAT}.is_normal", form.name, x) is False
    for bits in range(form.infinity + 1, form.sign):
        for sign in (0, form.sign):
            assert evaluate(f"{ENCODING}.of_bits", form.name, bits + sign) == NAN


def test_kinds_of_values(evaluate: Evaluator) -> None:
    for x in values():
        number = isinstance(x.magnitude, int)
        assert evaluate(f"{FLOAT}.is_nan", x) is (x == NAN)
        assert evaluate(f"{FLOAT}.is_infinite", x) is (x.magnitude == "inf")
        assert evaluate(f"{FLOAT}.is_finite", x) is number
        assert evaluate(f"{FLOAT}.is_zero", x) is (x.magnitude == 0)
        assert evaluate(f"{FLOAT}.is_negative", x) is (x.negative and x != NAN)
        assert evaluate(f"{FLOAT}.is_positive", x) is (not x.negative and x != NAN)
        opposite = x if x == NAN else Float(not x.negative, x.magnitude)
        assert evaluate(f"{ARITHMETIC}.negate", x) == opposite
        assert evaluate(f"{ARITHMETIC}.absolute", x) == Float(False, x.magnitude)
        place = (-1 if x.negative else 1) if x.magnitude == "inf" else 0
        assert evaluate(f"{COMPARISON}.place", x) == place


def values() -> list[Float]:
    """NaN and values of both signs that every standard format has."""
    kinds = (0, 1, 2, 3, 64, 128, "inf")
    return [NAN, *(Float(s, k) for s in (False, True) for k in kinds)]  # type: ignore[arg-type]


# --- Arithmetic and comparison, one definition at a time -----------------------------------------


def test_signs(evaluate: Evaluator) -> None:
    for s in (False, True):
        for k in (0, 1, 7):
            assert evaluate(f"{FLOAT}.signed", s, k) == (-k if s else k)
        for t in (False, True):
            assert evaluate(f"{ARITHMETIC}.product_sign", s, t) is (s != t)


@pytest.mark.parametrize("form", FORMATS, ids=by_name)
def test_integers(evaluate: Evaluator, form: Format) -> None:
    for n in (0, 1, -1, 2, -7, form.trailing, -2 * form.trailing):
        x = evaluate(f"{IEEE}.arithmetic_facts.Integers.integer", form.name, n)
        fields = evaluate(f"{FORMAT}.{form.name}")
        assert isinstance(fields, dict)
        assert x == Float(n < 0, abs(n) * fields["one"])


@pytest.mark.parametrize("form", [*FORMATS, *SMALL], ids=by_name)
def test_integers_of_a_format(evaluate: Evaluator, form: Format) -> None:
    integers = f"{IEEE}.arithmetic_facts.Integers"
    top = 2**form.precision
    assert evaluate(f"{integers}.holds_integers", form.name) is (2**form.emax >= top)
    for n in (0, 1, -1, top - 1, top, top + 1, -top, -top - 1):
        short = abs(n) <= top
        assert evaluate(f"{integers}.short_integer", form.name, n) is short
        if short and 2**form.emax >= top:
            x = evaluate(f"{integers}.integer", form.name, n)
            assert evaluate(f"{FLOAT}.member", form.name, x) is True


def test_rounding_in_a_small_format(evaluate: Evaluator) -> None:
    form = small(3, 2)
    exact = BruteForce(form)
    unit = exact.finite[1]
    for n, d, s in itertools.product(range(-70, 71, 7), (-3, -1, 1, 2, 5), (False, True)):
        magnitude = exact.round(abs(Fraction(n, d)) * unit)
        ours = evaluate(f"{ARITHMETIC}.rounded", form.name, s, n, d)
        assert isinstance(ours, Float)
        assert evaluate(f"{ENCODING}.to_bits", form.name, ours) == magnitude + s * form.sign


def test_sum_of_finite_numbers(evaluate: Evaluator) -> None:
    form = small(3, 3)
    exact = BruteForce(form)
    units = [int(x / exact.finite[1]) for x in exact.finite]
    signs = (False, True)
    some, others = list(enumerate(units))[::3], list(enumerate(units))[::2]
    for s, (a, first), t, (b, second) in itertools.product(signs, some, signs, others):
        ours = evaluate(f"{ARITHMETIC}.add_finite", form.name, s, first, t, second)
        bits = exact.apply("add", a + s * form.sign, b + t * form.sign)
        assert evaluate(f"{ENCODING}.to_bits", form.name, ours) == bits


def test_square_root_of_integers(evaluate: Evaluator) -> None:
    integers = "scalar.integer_sqrt"
    large = [root**2 + d for root in (10**20, 2**1600 + 1, 2**1600 - 1) for d in (-1, 0, 1)]
    for n in [*range(70), *large]:
        root = isqrt(n)
        assert evaluate(f"{integers}.IntegerSqrt.isqrt", n) == root
        quarters = 2 * isqrt(4 * n) + (isqrt(4 * n) ** 2 != 4 * n)
        assert evaluate(f"{SQUARE_ROOT}.RootQuarters.root_quarters", n) == quarters
        assert evaluate(f"{SQUARE_ROOT}.IsRootQuarters.quarters_from", n, isqrt(4 * n)) == quarters
        if n > 0:
            start = evaluate(f"{integers}.IntegerSqrt.root_start", n)
            assert isinstance(start, int)
            assert root < start <= 2 * root
            step = evaluate(f"{integers}.NewtonStep.newton_step", n, start)
            assert step == (start + n // start) // 2
            assert evaluate(f"{integers}.IntegerSqrt.root_from", n, start) == root


def test_square_root_of_values(evaluate: Evaluator) -> None:
    form = small(3, 3)
    unit = 2**4
    for x in values():
        root = evaluate(f"{SQUARE_ROOT}.SquareRoot.sqrt", form.name, x)
        if x.magnitude == 0 or x == Float(False, "inf"):
            assert root == x
        elif x.negative or x == NAN:
            assert root == NAN
        else:
            assert isinstance(x.magnitude, int)
            positive = evaluate(f"{SQUARE_ROOT}.SquareRoot.sqrt_magnitude", form.name, x.magnitude)
            assert root == positive
            if isqrt(x.magnitude * unit) ** 2 == x.magnitude * unit:
                assert root == Float(False, isqrt(x.magnitude * unit))


def test_relations(evaluate: Evaluator) -> None:
    for m, n in itertools.product((-(2**70), -1, 0, 1, 2**70), repeat=2):
        relation = "Equal" if m == n else "Less" if m < n else "Greater"
        assert evaluate(f"{COMPARISON}.compare_integers", m, n) == relation
    as_float = {"inf": np.inf, "nan": np.nan}
    for x, y in itertools.product(values(), repeat=2):
        a, b = (
            float(as_float.get(str(each.magnitude), each.magnitude)) * (-1 if each.negative else 1)
            for each in (x, y)
        )
        relation = RELATIONS[0 if a < b else 1 if a == b else 2 if a > b else 3]
        assert evaluate(f"{COMPARISON}.compare", x, y) == relation
        assert evaluate(f"{COMPARISON}.equal", x, y) is (a == b)
        assert evaluate(f"{COMPARISON}.less", x, y) is (a < b)
        assert evaluate(f"{COMPARISON}.less_or_equal", x, y) is (a <= b)


@pytest.mark.parametrize(("name", "form"), list(zip(FLOAT_TYPES, FORMATS, strict=True)))
def test_element_type(evaluate: Evaluator, floats: Floats, name: str, form: Format) -> None:
    """Each type has the operations of its own format, and the values of the source document."""

    def decode(bits: int) -> Float:
        value = evaluate(f"{ENCODING}.of_bits", form.name, bits)
        assert isinstance(value, Float)
        return value

    module = f"scalar.float_types.{name}"
    assert evaluate(f"{module}.zero") == Float(False, 0)
    assert evaluate(f"{module}.one") == decode(form.one)
    # A third has as many digits as the format has: another format would not do.
    third, largest = form.one - 2 * form.trailing + form.trailing // 3, form.infinity - 1
    for a, b in itertools.product((0, 1, third, form.one, largest, form.nan), repeat=2):
        bits = np.array([a + form.sign * (a == third)]), np.array([b])
        x, y = (decode(int(each[0])) for each in bits)
        for operation in ("add", "mul", "div"):
            [result] = floats.apply(
                form, operation, *(each.astype(dtype_of(form)) for each in bits)
            )
            assert evaluate(f"{module}.{operation}", x, y) == decode(int(result))
            general = evaluate(f"{ARITHMETIC}.{operation}", form.name, x, y)
            assert general == decode(int(result))
        [result] = floats.apply(form, "sub", *(each.astype(dtype_of(form)) for each in bits))
        assert evaluate(f"{ARITHMETIC}.sub", form.name, x, y) == decode(int(result))
        assert evaluate(f"{module}.divisible", x, y) is True
        read_literally = Float(False, "inf") if b == 0 else evaluate(f"{module}.div", x, y)
        assert evaluate(f"{module}.div_r5", x, y) == read_literally
