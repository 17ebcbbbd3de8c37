"""Verdicts on implementations that fail in every way, and the smallest inputs that show it."""

import numpy as np
import pytest

from sonnx_formal.backends.process import Crashed, Hung, Outcome, Refused, Result, WrongKind
from sonnx_formal.check.compare import OUTSIDE_BOUND, Judgement, Verdict, judge
from sonnx_formal.check.crosscheck import Finding, Report
from sonnx_formal.check.trial import Trial, all_pairs, inadmissible, posed
from sonnx_formal.oracle import Oracle
from sonnx_formal.vectors.case import SONNX, Array, Case, CaseClass, Operator
from tests.check.conftest import Check

MUL, DIV, MATMUL = SONNX


def array(values: object, type_: str = "float32") -> Array:
    return np.array(values, type_)


def trial(expected: Array | None, violated: str | None = None, **operands: Array) -> Trial:
    ones = np.ones_like(expected) if expected is not None else array([1.0])
    a, b = operands.get("a", ones), operands.get("b", ones)
    type_ = str(a.dtype)
    operator = MATMUL if "a" in operands else MUL
    return Trial("a trial", operator, type_, a, b, expected, violated)


def verdict(of: Trial, outcome: Outcome, *, strict: bool = False) -> Judgement:
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
def test_no_array(outcome: Outcome, expected: Verdict) -> None:
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
    return posed(oracle, "sums", MATMUL, str(a.dtype), a, b)


def test_rounded_sums_are_judged_by_the_bound(oracle: Oracle) -> None:
    third = array([[1 / 3]])
    rounded, product = sums(oracle, third, third), third * third
    up = np.nextafter(product, np.float32(np.inf))
    for got, expected in [(product, Verdict.WITHIN_BOUND), (up, Verdict.DIVERGES)]:
        judgement = verdict(rounded, Result(got))
        assert judgement.verdict is expected
        assert judgement.errors is not None
        assert judgement.errors.outside == (expected is Verdict.DIVERGES)
        assert (judgement.errors.of_bound > 1) == (expected is Verdict.DIVERGES)
    assert verdict(rounded, Result(up)).kinds == (OUTSIDE_BOUND,)
    assert verdict(rounded, Result(np.full_like(product, np.nan))).kinds == (OUTSIDE_BOUND,)
    assert verdict(rounded, Result(np.full_like(product, np.inf))).kinds == (OUTSIDE_BOUND,)
    assert verdict(rounded, Result(product[0])).kinds == ("shape",)


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
        assert verdict(sums(oracle, row, ones), outcome).verdict is Verdict.NOT_JUDGED


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


@pytest.mark.parametrize(("operator", "apart"), [(MUL, 0), (DIV, 256)])
@pytest.mark.parametrize("type_", ["int8", "uint8"])
def test_all_pairs_are_all_pairs(
    oracle: Oracle, operator: Operator, apart: int, type_: str
) -> None:
    trials = list(all_pairs(oracle, operator, type_))
    pairs = {pair for one in trials for pair in zip(one.a.tolist(), one.b.tolist(), strict=True)}
    assert len(pairs) == 65_536
    assert sum(one.a.size for one in trials) == 65_536
    assert sum(one.a.size for one in trials if one.violated) == apart


def test_inadmissible_operands_each_violate_something(oracle: Oracle) -> None:
    for operator in SONNX:
        for type_ in ("int32", "float32", "real", "bfloat16"):
            trials = list(inadmissible(oracle, operator, type_))
            assert len(trials) >= 6
            assert all(one.violated for one in trials)


def case(oracle: Oracle, operator: Operator, a: Array, b: Array) -> Case:
    expected = oracle.evaluate(operator.value, a, b)
    return Case("a case", operator, str(a.dtype), CaseClass.NOMINAL, (), a, b, expected)


def verdicts(report: Report, name: str) -> set[Verdict]:
    return {
        verdict
        for (one, _, _), counts in report.counts.items()
        for verdict in counts
        if one == name and counts[verdict]
    }


def finding(report: Report, wanted: Verdict, *, admissible: bool = True) -> Finding:
    found = [
        one for one in report.findings if one.verdict is wanted and one.admissible is admissible
    ]
    assert found, report.findings
    return found[0]


def operands(of: Finding) -> tuple[object, object]:
    return of.example.trial.a.tolist(), of.example.trial.b.tolist()


def test_right_implementation_passes(check: Check) -> None:
    report = check("fakes:right", (MUL, "int16"), (MATMUL, "int32"), required=["fakes:right"])
    assert verdicts(report, "fakes:right") == {Verdict.PASS}
    assert report.failed() == []
    assert report.findings == []


def test_divergence_is_reduced_to_the_simplest_elements(check: Check) -> None:
    report = check("fakes:wrong_from_seven_on", (MUL, "int16"))
    for one in report.findings:
        assert one.verdict is Verdict.DIVERGES
    assert ([7], [7]) in [operands(one) for one in report.findings]
    (seven,) = [one for one in report.findings if operands(one) == ([7], [7])]
    assert seven.kind == "off by one"
    assert seven.example.judgement.got is not None
    assert seven.example.judgement.got.tolist() == [50]
    assert report.failed() == []  # it is not required
    required = check(
        "fakes:wrong_from_seven_on", (MUL, "int16"), required=["fakes:wrong_from_seven_on"]
    )
    assert required.failed() == ["fakes:wrong_from_seven_on"]


def test_matrices_are_reduced_to_one_term(check: Check) -> None:
    report = check("fakes:wrong_where_terms_are_two_and_three", (MATMUL, "int32"))
    assert operands(finding(report, Verdict.DIVERGES)) == ([[2]], [[3]])


def test_sign_of_zero(check: Check) -> None:
    report = check("fakes:loses_the_sign_of_zero", (MUL, "bfloat16"))
    assert {one.kind for one in report.findings} == {"sign of zero"}
    a, b = finding(report, Verdict.DIVERGES).example.trial.a, report.findings[0].example.trial.b
    assert (a.size, b.size) == (1, 1)


def test_another_order_of_summation_is_within_the_bound(check: Check) -> None:
    name = "fakes:sums_backwards"
    report = check(name, (MATMUL, "float32"), required=[name])
    assert verdicts(report, name) == {Verdict.PASS, Verdict.WITHIN_BOUND, Verdict.NOT_JUDGED}
    assert report.failed() == []
    errors = report.errors[name, MATMUL, "float32"]
    assert {2, 3, 33} <= {*errors}
    for products, found in errors.items():
        assert found.products == products
        assert found.outside == 0 < found.elements
        assert 0 <= found.of_bound <= 1
        assert found.relative <= found.relative_bound


def test_crash_is_reduced_to_one_element(check: Check, oracle: Oracle) -> None:
    name = "fakes:dies_of_three_fives"
    a = np.arange(16, dtype=np.int16)
    cases = [case(oracle, MUL, a, np.full(16, 5, np.int16)), case(oracle, MUL, a, a)]
    report = check(name, (MUL, "int16"), required=[name], cases=cases)
    assert verdicts(report, name) == {Verdict.PASS, Verdict.CRASHES}
    crash = finding(report, Verdict.CRASHES)
    assert crash.kind == "SIGFPE"
    assert operands(crash) == ([3], [5])
    assert report.failed() == [name]


def test_hang_outside_the_domain_is_told_but_does_not_fail(check: Check, oracle: Oracle) -> None:
    name = "fakes:hangs_at_zero_divisors"
    ones = np.ones(2, np.int32)
    cases = [case(oracle, DIV, ones, ones)]
    report = check(name, (DIV, "int32"), required=[name], seconds=1, cases=cases)
    assert verdicts(report, name) == {Verdict.PASS, Verdict.CRASHES}
    hang = finding(report, Verdict.CRASHES, admissible=False)
    assert hang.kind == "no answer within 1 s"
    assert operands(hang) == ([1], [0])
    assert report.failed() == []


def test_endless_hangs_end(check: Check) -> None:
    report = check("fakes:hangs", (MUL, "uint32"), required=["fakes:hangs"], seconds=0.3)
    (counts,) = report.counts.values()
    assert counts[Verdict.CRASHES] == 3
    assert set(counts) == {Verdict.CRASHES, Verdict.NOT_JUDGED}
    assert report.failed() == ["fakes:hangs"]


def test_broadcasting_is_told_but_does_not_fail(check: Check) -> None:
    name = "fakes:broadcasts"
    report = check(name, (MUL, "float64"), required=[name])
    told = finding(report, Verdict.NOT_JUDGED, admissible=False)
    assert told.kind == "computes what SONNX-MUL.R4 excludes"
    assert report.failed() == []


def test_who_refuses_everything_passes_nothing(check: Check) -> None:
    report = check("fakes:refuses", (MUL, "float64"), required=["fakes:refuses"])
    assert verdicts(report, "fakes:refuses") == {Verdict.REFUSES}
    assert report.failed() == ["fakes:refuses"]


@pytest.mark.parametrize(
    "name", ["fakes:returns_a_list", "fakes:returns_float64", "fakes:returns_a_vector"]
)
def test_results_of_another_kind_diverge(check: Check, name: str) -> None:
    report = check(name, (MATMUL, "int64"))
    assert Verdict.DIVERGES in verdicts(report, name)
    assert finding(report, Verdict.DIVERGES).example.trial.a.size <= 4
