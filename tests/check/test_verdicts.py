"""Verdicts on implementations that fail in every way, and the smallest inputs that show it."""

import sys
from math import prod
from pathlib import Path

import numpy as np
import pytest

from sonnx_formal.backends.backend import CallOutcome, Crashed, Hung, Refused, Result, WrongKind
from sonnx_formal.check.compare import ORDER_OPEN, OUTSIDE_BOUND, Judgement, judge
from sonnx_formal.check.document import LONG, CheckFinding, CheckReport, Verdict
from sonnx_formal.check.smallest import Counterexample, smaller
from sonnx_formal.check.trials import Trial, exhaustive, inadmissible, is_outside, posed
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.element_types import Array, element_types
from sonnx_formal.spec.operator import Operator
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.manifest import Case
from tests.check.conftest import Check, failed, over

MUL, DIV, MATMUL = map(operator, ("mul", "div", "matmul"))


def array(values: object, type_: str = "float32") -> Array:
    return np.array(values, type_)


def trial(expected: Array | None, violated: str | None = None, **operands: Array) -> Trial:
    ones = np.ones_like(expected) if expected is not None else array([1.0])
    a, b = operands.get("a", ones), operands.get("b", ones)
    call = Call(MATMUL if "a" in operands else MUL, (a, b))
    return Trial("a trial", call, call.instance(), expected, violated)


def verdict(of: Trial, outcome: CallOutcome, *, strict: bool = False) -> Judgement:
    return judge(of, outcome, strict=strict)


@pytest.mark.parametrize(
    ("expected", "got", "kind"),
    [
        ([1.0], [1.0], None),
        ([0.0], [-0.0], "sign of zero"),
        ([np.nan], [-np.nan], None),
        ([np.nan], [1.0], "normal instead of NaN"),
        ([1.0], [np.nan], "NaN instead of normal"),
        ([1.0], [np.inf], "infinity instead of normal"),
        ([np.inf], [-np.inf], "sign"),
        ([1e-44], [0.0], "zero instead of subnormal"),
        ([1.0], [-1.0], "sign"),
        ([1.0], [np.nextafter(np.float32(1), np.float32(2))], "one unit in the last place"),
        ([2.0], [np.nextafter(np.float32(2), np.float32(1))], "one unit in the last place"),
        ([1.0], [1.5], "more than one unit in the last place"),
        ([1.0], [-1.5], "sign and value"),
        ([1.0], 1.0, "shape"),
        ([1.0], [[1.0]], "shape"),
    ],
)
def test_floats(expected: list[float], got: object, kind: str | None) -> None:
    judgement = verdict(trial(array(expected)), Result(array(got)))
    assert judgement.kinds == ((kind,) if kind else ())
    assert judgement.verdict is (Verdict.DIVERGES if kind else Verdict.PASS)


@pytest.mark.parametrize(
    ("expected", "got", "kind"),
    [
        (5, 5, None),
        (5, 6, "off by one"),
        (5, -5, "another number"),
        (5, 127, "the greatest number instead"),
        (5, -128, "the least number instead"),
    ],
)
def test_integers(expected: int, got: int, kind: str | None) -> None:
    judgement = verdict(trial(array([expected], "int8")), Result(array([got], "int8")))
    assert judgement.kinds == ((kind,) if kind else ())


def test_element_type_is_part_of_the_result() -> None:
    judgement = verdict(trial(array([1])), Result(array([1], "float64")))
    assert judgement.kinds == ("element type float64 instead of float32",)


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Crashed("SIGFPE"), Verdict.CRASHES),
        (Hung(3), Verdict.CRASHES),
        (Refused("no", None), Verdict.REFUSES),
        (WrongKind("a list"), Verdict.DIVERGES),
    ],
)
def test_no_array(outcome: CallOutcome, expected: Verdict) -> None:
    assert verdict(trial(array([1])), outcome).verdict is expected
    assert verdict(trial(array([1])), outcome, strict=True).verdict is expected


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [("SONNX-MUL.R3", Verdict.PASS), ("SONNX-MUL.R1", Verdict.DIVERGES), (None, Verdict.DIVERGES)],
)
def test_our_own_rejections_name_the_requirement(
    requirement: str | None, expected: Verdict
) -> None:
    refused = Refused("no", requirement)
    assert verdict(trial(None, "SONNX-MUL.R3"), refused, strict=True).verdict is expected
    assert verdict(trial(None, "SONNX-MUL.R3"), refused).verdict is Verdict.PASS


def test_computing_outside_the_domain() -> None:
    outside, outcome = trial(None, "SONNX-DIV.C2"), Result(array([0]))
    assert verdict(outside, outcome).verdict is Verdict.NOT_JUDGED
    assert verdict(outside, outcome, strict=True).verdict is Verdict.DIVERGES


# --- Sums of floats ---


def sums(oracle: Oracle, a: Array, b: Array) -> Trial:
    call = Call(MATMUL, (a, b))
    return posed(oracle, "sums", call.instance(), call)


def test_rounded_sums_are_judged_by_the_bound(oracle: Oracle) -> None:
    third = array([[1 / 3]])
    rounded, product = sums(oracle, third, third), third * third
    up = np.nextafter(product, np.float32(np.inf))
    for got, expected in [(product, Verdict.WITHIN_BOUND), (up, Verdict.DIVERGES)]:
        judgement = verdict(rounded, Result(got))
        assert judgement.verdict is expected
        assert judgement.errors is not None
        assert judgement.errors.outside == (expected is Verdict.DIVERGES)
        assert (judgement.errors.last_places > 0.5) == (expected is Verdict.DIVERGES)
        assert judgement.errors.last_places < 1.5
        assert (judgement.errors.of_bound > 1) == (expected is Verdict.DIVERGES)
    assert verdict(rounded, Result(up)).kinds == (OUTSIDE_BOUND,)
    assert verdict(rounded, Result(np.full_like(product, np.nan))).kinds == (OUTSIDE_BOUND,)
    assert verdict(rounded, Result(np.full_like(product, np.inf))).kinds == (OUTSIDE_BOUND,)
    assert verdict(rounded, Result(product[0])).kinds == ("shape",)


@pytest.mark.parametrize("got", [1e300, np.inf, np.nan])
def test_an_error_beyond_all_numbers_is_the_greatest(oracle: Oracle, got: float) -> None:
    tiny = array([[1e-300]], "float64")
    judgement = verdict(sums(oracle, tiny, tiny / 3), Result(array([[got]], "float64")))
    assert judgement.kinds == (OUTSIDE_BOUND,)
    assert judgement.errors is not None
    assert (judgement.errors.elements, judgement.errors.outside) == (1, 1)
    assert judgement.errors.of_bound == sys.float_info.max
    assert judgement.errors.last_places <= sys.float_info.max


@pytest.mark.parametrize("operation", [MUL, MATMUL], ids=str)
@pytest.mark.parametrize("type_", ["float16", "bfloat16", "float32", "float64"])
def test_a_nan_that_signals_warns_nobody(oracle: Oracle, operation: Operator, type_: str) -> None:
    """Whatever is a warning here is an error: as a result of numbers, and of another such NaN."""
    element = element_types(type_)[0]
    signals = np.array([element.format.infinity + 1], element.pattern).view(element.dtype)
    signals = signals.reshape((1, 1))
    third = np.full((1, 1), 1 / 3, element.dtype)
    for operand, expected in [(third, Verdict.DIVERGES), (signals, Verdict.PASS)]:
        call = Call(operation, (operand, third))
        trial_ = posed(oracle, "signals", call.instance(), call)
        assert verdict(trial_, Result(signals)).verdict is expected


def test_our_own_sums_follow_the_reference_order(oracle: Oracle) -> None:
    third = array([[1 / 3]])
    rounded, product = sums(oracle, third, third), third * third
    assert verdict(rounded, Result(product), strict=True).verdict is Verdict.PASS
    up = np.nextafter(product, np.float32(np.inf))
    assert verdict(rounded, Result(up), strict=True).verdict is Verdict.DIVERGES


def test_another_order_is_within_the_bound(oracle: Oracle) -> None:
    """2048 + 1 + 1 is 2048 from the left, and 2050 from the right."""
    row, ones = array([[2048, 1, 1]], "float16"), array([[1], [1], [1]], "float16")
    trial_ = sums(oracle, row, ones)
    for got in (2048, 2050):
        judgement = verdict(trial_, Result(array([[got]], "float16")))
        assert judgement.verdict is Verdict.WITHIN_BOUND
    for got in (2040, 2056):
        judgement = verdict(trial_, Result(array([[got]], "float16")))
        assert judgement.verdict is Verdict.DIVERGES


def test_sums_in_a_wider_type(oracle: Oracle) -> None:
    """There, 2048 + 1 + 1 is not 2048."""
    row, ones = array([[2048, 1, 1]], "float16"), array([[1], [1], [1]], "float16")
    trial_ = sums(oracle, row, ones)
    for got, expected in [(2048, Verdict.DIVERGES), (2050, Verdict.WITHIN_BOUND)]:
        outcome = Result(array([[got]], "float16"))
        found = judge(trial_, outcome, strict=False, accumulate="float32")
        assert found.verdict is expected
    single = sums(oracle, row.astype("float32"), ones.astype("float32"))
    exact = Result(array([[2050]]))
    assert judge(single, exact, strict=False, accumulate="float32").verdict is Verdict.PASS


def test_sums_that_an_order_can_overflow_are_not_judged(oracle: Oracle) -> None:
    row, ones = array([[65504, 65504, -65504]], "float16"), array([[1], [1], [1]], "float16")
    for got in (65504, np.inf):
        outcome = Result(array([[got]], "float16"))
        judgement = verdict(sums(oracle, row, ones), outcome)
        assert (judgement.verdict, judgement.kinds) == (Verdict.NOT_JUDGED, (ORDER_OPEN,))


def test_the_sign_of_a_sum_of_negative_zeros_is_open(oracle: Oracle) -> None:
    """A sum that starts at its first product, and not at +0, is -0."""
    trial_ = sums(oracle, array([[-0.0, -0.0]]), array([[1], [1]]))
    for got, expected in [(0.0, Verdict.PASS), (-0.0, Verdict.PASS), (1e-45, Verdict.DIVERGES)]:
        assert verdict(trial_, Result(array([[got]]))).verdict is expected
    positive = sums(oracle, array([[-0.0, 0.0]]), array([[1], [1]]))
    assert verdict(positive, Result(array([[-0.0]]))).kinds == ("sign of zero",)


def test_one_judged_element_is_enough_to_diverge(oracle: Oracle) -> None:
    a, b = array([[1 / 3], [2]]), array([[3]])
    trial_ = sums(oracle, a, b)
    wrong = a * b + array([[0], [1]])
    judgement = verdict(trial_, Result(wrong))
    assert judgement.verdict is Verdict.DIVERGES
    assert [index for index, _ in judgement.wrong] == [(1, 0)]


# --- Trials ---


@pytest.mark.parametrize(("name", "apart"), [("mul", 0), ("div", 256)])
@pytest.mark.parametrize(("type_", "least"), [("int8", -128), ("uint8", 0)])
def test_all_pairs_are_all_pairs(
    oracle: Oracle, name: str, apart: int, type_: str, least: int
) -> None:
    run = exhaustive(oracle, over(name, type_))
    calls = [tuple(array.tolist() for array in trial.call.arrays) for trial in run.trials]
    pairs = {pair for a, b in calls for pair in zip(a, b, strict=True)}
    assert len(pairs) == sum(len(a) for a, _ in calls) == run.combinations == 65_536
    excluded = [
        pair
        for trial, (a, b) in zip(run.trials, calls, strict=True)
        for pair in zip(a, b, strict=True)
        if trial.violated
    ]
    assert excluded == [(a, 0) for a in range(least, least + apart)]
    alone = [pair for pair in pairs if pair[1] == 0 or pair == (-128, -1)]
    together = [trial.alone for trial in run.trials for _ in trial.call.arrays[0]]
    assert sum(together) == (len(alone) if apart else 0)


def test_inadmissible_operands_each_violate_something(oracle: Oracle) -> None:
    for name in ("mul", "div", "matmul"):
        for type_ in ("int32", "float32", "real", "bfloat16"):
            trials = list(inadmissible(oracle, over(name, type_), ()))
            assert len(trials) >= 6
            assert all(trial.violated for trial in trials)
    (outside,) = [trial for trial in inadmissible(oracle, over("div", "int32"), ()) if trial.alone]
    assert [array.tolist() for array in outside.call.arrays] == [[1], [0]]


def test_wrong_shapes_are_what_they_are_called(oracle: Oracle) -> None:
    shapes = {
        trial.name.partition("-inadmissible-")[2]: [each.shape for each in trial.call.arrays]
        for name in ("mul", "matmul")
        for trial in inadmissible(oracle, over(name, "int32"), ())
    }
    a, b = shapes["same-size"]
    assert (len(a), prod(a)) == (len(b), prod(b))
    for name in ("broadcast", "broadcast-left", "broadcast-rank-0", "broadcast-axes"):
        assert np.broadcast_shapes(*shapes[name])
    (_, columns), b = shapes["broadcast-columns"]
    assert b == (1, 1) != (columns, 1)


@pytest.mark.parametrize(
    ("name", "type_", "elements", "outside"),
    [
        ("div", "int32", (1, 0), True),
        ("div", "int32", (0, 1), False),
        ("div", "int32", (0,), False),
        ("div", "float32", (1.0, 0.0), False),
        ("mul", "int32", (1, 0), False),
    ],
)
def test_elements_that_have_no_result(
    name: str, type_: str, elements: tuple[float, ...], outside: bool
) -> None:
    assert is_outside(over(name, type_), elements) is outside


def case(oracle: Oracle, call: Call) -> Case:
    expected = oracle.evaluate(call)
    return Case("a case", call.instance(), call, CaseClass.NOMINAL, (), expected)


def verdicts(report: CheckReport, name: str) -> set[Verdict]:
    rows = [row for row in report.matrix if row.backend == name]
    return {verdict for row in rows for verdict, count in row.counts.items() if count}


def finding(report: CheckReport, wanted: Verdict, *, admissible: bool = True) -> CheckFinding:
    found = [
        each for each in report.findings if each.verdict is wanted and each.admissible is admissible
    ]
    assert found, report.findings
    return found[0]


def operands(of: CheckFinding) -> tuple[object, ...]:
    """As texts."""
    return tuple(operand.decimal for operand in of.example.operands)


def test_of_a_long_message_a_third_is_its_beginning() -> None:
    long = Refused("a" * 100 + "\n" + "z" * 200, None)
    assert verdict(trial(array([1.0])), long).kinds == (f"{'a' * 80} … {'z' * 160}",)
    shorter = Refused("a" * 240, None)
    assert verdict(trial(array([1.0])), shorter).kinds == ("a" * 240,)


def test_right_implementation_passes(check: Check) -> None:
    report = check(
        "fakes:right", over("mul", "int16"), over("matmul", "int32"), required=["fakes:right"]
    )
    assert verdicts(report, "fakes:right") == {Verdict.PASS}
    assert failed(report) == []
    assert report.findings == ()


def test_divergence_is_reduced_to_the_simplest_elements(check: Check) -> None:
    report = check("fakes:wrong_from_seven_on", over("mul", "int16"))
    for each in report.findings:
        assert each.verdict is Verdict.DIVERGES
    (seven,) = [each for each in report.findings if operands(each) == (["7"], ["7"])]
    assert seven.kind == "off by one"
    assert seven.example.got is not None
    assert seven.example.got.decimal == ["50"]
    assert failed(report) == []  # it is not required
    required = check(
        "fakes:wrong_from_seven_on", over("mul", "int16"), required=["fakes:wrong_from_seven_on"]
    )
    assert failed(required) == ["fakes:wrong_from_seven_on"]


def test_an_example_stays_of_its_kind(oracle: Oracle) -> None:
    """What is wrong in another way is no smaller example, however small it is."""

    def judged(of: Trial) -> Judgement:
        a, b = of.call.arrays
        assert of.expected is not None
        nearly, least = of.expected + ((a >= 7) & (b >= 7)), np.iinfo(a.dtype).min
        return verdict(of, Result(np.where(a < 2, least, nearly)))

    numbers = np.arange(12, dtype=np.int16)
    call = Call(MUL, (numbers, numbers))
    example = posed(oracle, "two mistakes", call.instance(), call)
    simplest = {"off by one": [[7], [7]], "the least number instead": [[0], [0]]}
    assert judged(example).kinds == tuple(sorted(simplest))
    for kind, expected in simplest.items():
        found = smaller(Counterexample(example, judged(example)), kind, oracle, judged)
        assert [operand.tolist() for operand in found.trial.call.arrays] == expected
        assert found.told(kind).index == (0,)


def test_of_two_examples_the_positive_one_is_simpler(oracle: Oracle) -> None:
    def judged(of: Trial) -> Judgement:
        a, _ = of.call.arrays
        assert of.expected is not None
        return verdict(of, Result(of.expected + (abs(a) >= 1000)))

    call = Call(MUL, (np.array([-1000, 1000], np.int16), np.array([3, 3], np.int16)))
    example = posed(oracle, "two signs", call.instance(), call)
    found = smaller(Counterexample(example, judged(example)), "off by one", oracle, judged)
    assert [operand.tolist() for operand in found.trial.call.arrays] == [[1000], [0]]


def test_small_negative_numbers_are_simple(oracle: Oracle) -> None:
    def judged(of: Trial) -> Judgement:
        a, _ = of.call.arrays
        assert of.expected is not None
        return verdict(of, Result(of.expected + np.isin(a, (-5, -1000))))

    call = Call(MUL, (np.array([-1000], np.int16), np.array([3], np.int16)))
    example = posed(oracle, "negative numbers", call.instance(), call)
    found = smaller(Counterexample(example, judged(example)), "off by one", oracle, judged)
    assert [operand.tolist() for operand in found.trial.call.arrays] == [[-5], [0]]


def test_matrices_are_reduced_to_one_term(check: Check) -> None:
    report = check("fakes:wrong_where_terms_are_two_and_three", over("matmul", "int32"))
    assert operands(finding(report, Verdict.DIVERGES)) == ([["2"]], [["3"]])


def test_sign_of_zero(check: Check) -> None:
    report = check("fakes:loses_the_sign_of_zero", over("mul", "bfloat16"))
    assert {each.kind for each in report.findings} == {"sign of zero"}
    example = finding(report, Verdict.DIVERGES).example
    assert [operand.shape for operand in example.operands] == [(1,), (1,)]


def test_another_order_of_summation_is_within_the_bound(check: Check) -> None:
    name = "fakes:sums_backwards"
    report = check(name, over("matmul", "float32"), required=[name])
    assert verdicts(report, name) == {Verdict.PASS, Verdict.WITHIN_BOUND, Verdict.NOT_JUDGED}
    assert failed(report) == []
    assert {2, 3, 33} <= {found.products for found in report.errors}
    for found in report.errors:
        assert (found.operator, found.element_type) == ("matmul", "float32")
        assert found.outside == 0 < found.elements
        assert 0 <= found.of_bound <= 1
        assert found.relative <= found.relative_bound
    (worst,) = report.worst_errors()
    assert worst.products >= LONG
    assert worst.of_bound == max(x.of_bound for x in report.errors if x.products >= LONG)
    assert worst.elements == sum(found.elements for found in report.errors)


def test_crash_is_reduced_to_one_element(check: Check, oracle: Oracle) -> None:
    name = "fakes:dies_of_three_fives"
    a = np.arange(16, dtype=np.int16)
    cases = [case(oracle, Call(MUL, each)) for each in ((a, np.full(16, 5, np.int16)), (a, a))]
    report = check(name, over("mul", "int16"), required=[name], cases=cases)
    assert verdicts(report, name) == {Verdict.PASS, Verdict.CRASHES}
    crash = finding(report, Verdict.CRASHES)
    assert crash.kind == "SIGFPE"
    assert operands(crash) == (["3"], ["5"])
    assert failed(report) == [name]


def test_hang_outside_the_domain_is_told_but_does_not_fail(check: Check, oracle: Oracle) -> None:
    name = "fakes:hangs_at_zero_divisors"
    ones = np.ones(2, np.int32)
    cases = [case(oracle, Call(DIV, (ones, ones)))]
    report = check(name, over("div", "int32"), required=[name], seconds=1, cases=cases)
    assert verdicts(report, name) == {Verdict.PASS, Verdict.CRASHES}
    hang = finding(report, Verdict.CRASHES, admissible=False)
    assert hang.kind == "no answer within 1 s"
    assert operands(hang) == (["1"], ["0"])
    assert failed(report) == []


@pytest.mark.long
def test_endless_hangs_end(check: Check) -> None:
    report = check("fakes:hangs", over("mul", "uint32"), required=["fakes:hangs"], seconds=0.3)
    (row,) = report.matrix
    assert row.counts[Verdict.CRASHES] == 3
    assert verdicts(report, "fakes:hangs") == {Verdict.CRASHES, Verdict.NOT_JUDGED}
    assert failed(report) == ["fakes:hangs"]


def test_who_crashes_again_and_again_is_left_alone(
    check: Check, oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sonnx_formal.check.crosscheck._MOST_CRASHES", 2)
    zeros = np.zeros(1, np.int32)
    report = check(
        "fakes:dies", over("mul", "int32"), cases=[case(oracle, Call(MUL, (zeros, zeros)))] * 4
    )
    counts = report.matrix[0].counts
    assert counts[Verdict.CRASHES] == 2
    assert counts[Verdict.NOT_JUDGED] == sum(counts.values()) - 2 > 2


def test_implementations_run_side_by_side(
    check: Check, oracle: Oracle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEETING_PLACE", str(tmp_path))
    ones = np.ones(2, np.int32)
    cases = [case(oracle, Call(MUL, (ones, ones)))]
    report = check("fakes:meets_one,fakes:meets_other", over("mul", "int32"), cases=cases)
    crashes = [row.counts[Verdict.CRASHES] for row in report.matrix]
    assert crashes == [0, 0]
    assert [each.name for each in report.backends] == ["fakes:meets_one", "fakes:meets_other"]


def test_broadcasting_is_told_but_does_not_fail(check: Check) -> None:
    name = "fakes:broadcasts"
    report = check(name, over("mul", "float64"), required=[name])
    told = finding(report, Verdict.NOT_JUDGED, admissible=False)
    assert told.kind == "computes what SONNX-MUL.R4 excludes"
    assert failed(report) == []


def test_who_refuses_everything_passes_nothing(check: Check) -> None:
    report = check("fakes:refuses", over("mul", "float64"), required=["fakes:refuses"])
    assert verdicts(report, "fakes:refuses") == {Verdict.REFUSES}
    assert failed(report) == ["fakes:refuses"]


@pytest.mark.parametrize(
    "name", ["fakes:returns_a_list", "fakes:returns_float64", "fakes:returns_a_vector"]
)
def test_results_of_another_kind_diverge(check: Check, name: str) -> None:
    report = check(name, over("matmul", "int64"))
    assert Verdict.DIVERGES in verdicts(report, name)
    (a, _) = finding(report, Verdict.DIVERGES).example.operands
    assert prod(a.shape) <= 4
