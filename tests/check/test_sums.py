"""Sums of products with an addend and of windows: judged by the bound on the error of any order."""

from typing import Any

import numpy as np
import pytest

from sonnx_formal.backends.backend import Result
from sonnx_formal.check.compare import ORDER_OPEN, OUTSIDE_BOUND, Judgement, judge
from sonnx_formal.check.document import Verdict
from sonnx_formal.check.smallest import Counterexample, smaller
from sonnx_formal.check.trials import Trial, posed
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.manifest import Case
from tests.check.conftest import Check, failed, over

WITHIN, DIVERGES = Verdict.WITHIN_BOUND, Verdict.DIVERGES
INF, NAN = np.inf, np.nan


def half(values: object) -> Array:
    return np.array(values, np.float16)


def trial(oracle: Oracle, name: str, *operands: Array, **attributes: Any) -> Trial:
    given = Attributes.of(attributes) if attributes else UNSET
    call = Call(operator(name), operands, given)
    return posed(oracle, "sums", call.instance(), call)


def gemm(oracle: Oracle, row: list[float], column: list[float], addend: float) -> Trial:
    return trial(oracle, "gemm", half([row]), half([column]).T, half([[addend]]))


def conv(oracle: Oracle, x: object, w: object, b: object = None, **others: Any) -> Trial:
    image, kernel = half(x), half(w)
    plain = {"strides": [1, 1], "pads": [0, 0, 0, 0], "dilations": [1, 1], "group": 1}
    attributes = {**plain, "kernel_shape": [*kernel.shape[2:]], **others}
    return trial(oracle, "conv", image, kernel, *([] if b is None else [half(b)]), **attributes)


def verdict(of: Trial, got: object, **others: Any) -> Judgement:
    return judge(of, Result(half(got)), **{"strict": False, **others})


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (2048, WITHIN),  # the reference order
        (2050, WITHIN),  # from the addend on, and exact
        (2052, WITHIN),
        (2054, DIVERGES),  # 4 off, and the bound of three products is 3.003
        (2047, WITHIN),
        (2046, DIVERGES),
        (INF, DIVERGES),
        (NAN, DIVERGES),
    ],
)
def test_gemm_is_judged_by_the_bound(oracle: Oracle, got: float, expected: Verdict) -> None:
    found = verdict(gemm(oracle, [2048, 1], [1, 1], 1), [[got]])
    assert found.verdict is expected
    assert found.kinds == ((OUTSIDE_BOUND,) if expected is DIVERGES else ())
    assert found.errors is not None
    assert (found.errors.products, found.errors.elements) == (3, 1)
    assert found.errors.outside == (expected is DIVERGES)


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        ([2048, 2050], WITHIN),
        ([2050, 2048], WITHIN),
        ([2054, 2050], DIVERGES),
        ([2050, 2046], DIVERGES),
        ([2050, 2047], WITHIN),
        ([2050, NAN], DIVERGES),
    ],
)
def test_conv_is_judged_by_the_bound(oracle: Oracle, got: list[float], expected: Verdict) -> None:
    """A kernel of two elements at two places, and a bias: each sum is 2050."""
    of = conv(oracle, [[[[1, 2048, 1]]]], [[[[1, 1]]]], [1])
    found = verdict(of, [[[got]]])
    assert found.verdict is expected
    assert found.errors is not None
    assert (found.errors.products, found.errors.elements) == (3, 2)
    assert found.errors.outside == (expected is DIVERGES)


def test_without_a_bias_there_is_a_product_less(oracle: Oracle) -> None:
    """The bound of two products is 2.002, and the exact sum 2049."""
    of = conv(oracle, [[[[2048, 1]]]], [[[[1, 1]]]])
    for got, expected in [(2047, WITHIN), (2046, DIVERGES)]:
        found = verdict(of, [[[[got]]]])
        assert found.verdict is expected
        assert found.errors is not None
        assert found.errors.products == 2


def test_padding_rounds_nothing(oracle: Oracle) -> None:
    """A sum of one product and zeros is exact; so it is with the bias."""
    of = conv(oracle, [[[[3]]]], [[[[5, 7]]]], [1], pads=[0, 1, 0, 1])
    assert verdict(of, [[[[22, 16]]]]).verdict is Verdict.PASS
    for wrong in ([22, 16.02], [22, 22], [16, 22]):
        assert verdict(of, [[[wrong]]]).verdict is DIVERGES


def test_padding_may_be_left_out_but_for_infinite_weights(oracle: Oracle) -> None:
    """What differs is the sign of a zero; NaN is what the definition has beside an infinity."""
    zero = conv(oracle, [[[[-0.0]]]], [[[[1, 1]]]], pads=[0, 1, 0, 1])
    for got in (0.0, -0.0):
        assert verdict(zero, [[[[got, got]]]]).verdict is Verdict.PASS
    positive = conv(oracle, [[[[0.0]]]], [[[[1, 1]]]], pads=[0, 1, 0, 1])
    assert verdict(positive, [[[[0.0, -0.0]]]]).kinds == ("sign of zero",)
    infinite = conv(oracle, [[[[-0.0]]]], [[[[INF, 1]]]], pads=[0, 1, 0, 0])
    assert verdict(infinite, [[[[NAN]]]]).verdict is Verdict.PASS
    for got in (0.0, -0.0):
        assert verdict(infinite, [[[[got]]]]).kinds == ("zero instead of NaN",)


def test_groups_and_channels_are_kept_apart(oracle: Oracle) -> None:
    """Two channels, each with a kernel of its own and a bias: 2050 and 4100."""
    x = [[[[2048, 1]], [[4096, 2]]]]
    w = [[[[1, 1]]], [[[1, 1]]]]
    of = conv(oracle, x, w, [1, 2], group=2)
    assert verdict(of, [[[[2050]], [[4100]]]]).verdict is WITHIN
    exchanged = verdict(of, [[[[4100]], [[2050]]]])
    assert (exchanged.verdict, len(exchanged.wrong)) == (DIVERGES, 2)
    together = conv(oracle, x, [[[[1, 1]], [[1, 1]]]], [1])
    for got, expected in [(6148, WITHIN), (6160, WITHIN), (6164, DIVERGES)]:
        found = verdict(together, [[[[got]]]])
        assert found.verdict is expected  # the bound of five products is 15.03
        assert found.errors is not None
        assert found.errors.products == 5


@pytest.mark.parametrize(
    ("of", "right", "wrong"),
    [
        (([], [], 3), 3, 4),
        (([], [], NAN), NAN, 0),
        (([1], [1], INF), INF, 65504),
        (([INF], [1], -INF), NAN, INF),
        (([0], [INF], 1), NAN, 1),
        (([1, 2], [3, 4], 5), 16, 16.02),
        (([-0.0], [1], -0.0), -0.0, 1),
        (([], [], 0.0), 0.0, -0.0),
    ],
)
def test_what_is_settled_is_right_to_the_bit(
    oracle: Oracle, of: tuple[list[float], list[float], float], right: float, wrong: float
) -> None:
    made = gemm(oracle, *of)
    assert verdict(made, [[right]]).verdict is Verdict.PASS
    assert verdict(made, [[wrong]]).verdict is DIVERGES


def test_an_addend_that_decides_about_overflow(oracle: Oracle) -> None:
    of = gemm(oracle, [256], [256], -65504)
    for got in (32, INF):
        judgement = verdict(of, [[got]])
        assert (judgement.verdict, judgement.kinds) == (Verdict.NOT_JUDGED, (ORDER_OPEN,))


def test_our_own_sums_follow_the_reference_order(oracle: Oracle) -> None:
    for of, shape in (
        (gemm(oracle, [2048, 1], [1, 1], 1), (1, 1)),
        (conv(oracle, [[[[2048, 1]]]], [[[[1, 1]]]], [1]), (1, 1, 1, 1)),
    ):
        for got, expected in [(2048, Verdict.PASS), (2050, DIVERGES)]:
            found = verdict(of, np.full(shape, got), strict=True)
            assert found.verdict is expected


def test_sums_in_a_wider_type(oracle: Oracle) -> None:
    """There, neither 1 is lost."""
    for of, shape in (
        (gemm(oracle, [2048, 1], [1, 1], 1), (1, 1)),
        (conv(oracle, [[[[2048, 1]]]], [[[[1, 1]]]], [1]), (1, 1, 1, 1)),
    ):
        for got, expected in [(2048, DIVERGES), (2050, WITHIN)]:
            assert verdict(of, np.full(shape, got), accumulate="float32").verdict is expected


def test_implementations_that_add_in_another_order(check: Check, oracle: Oracle) -> None:
    call = gemm(oracle, [2048, 1], [1, 1], 1).call
    case = Case("a case", call.instance(), call, CaseClass.NOMINAL, (), oracle.evaluate(call))
    name, instance = "fakes:adds_c_first", over("gemm", "float16")
    report = check(name, instance, required=[name], cases=[case])
    assert report.matrix[0].counts[Verdict.WITHIN_BOUND] == 1
    assert failed(report) == []
    assert [(found.operator, found.products) for found in report.errors] == [("gemm", 3)]
    wrong = check("fakes:adds_c_hundredfold", instance, cases=[case])
    assert OUTSIDE_BOUND in {finding.kind for finding in wrong.findings}


def wrong_where_seven_and_five(of: Trial) -> Judgement:
    """The verdict on who gets results wrong if the first operand has a 7 and the second a 5."""
    first, second, *_ = of.call.arrays
    assert of.expected is not None
    seen = np.any(first == 7) and np.any(second == 5)
    return verdict(of, of.expected + half(1000 * seen))


def reduced(of: Trial, oracle: Oracle) -> list[Array]:
    judgement = wrong_where_seven_and_five(of)
    (kind,) = judgement.kinds
    found = smaller(Counterexample(of, judgement), kind, oracle, wrong_where_seven_and_five)
    return [*found.trial.call.arrays]


def test_a_product_with_an_addend_is_reduced_to_one_term(oracle: Oracle) -> None:
    a, b = half(np.arange(1, 13).reshape(3, 4)), half(np.arange(8).reshape(4, 2))
    of = trial(oracle, "gemm", a, b, half(np.ones((3, 2))))
    assert [each.tolist() for each in reduced(of, oracle)] == [[[7]], [[5]], [[0]]]


def test_a_convolution_is_reduced_to_one_window(oracle: Oracle) -> None:
    """One image, one channel, one kernel of the size that the attribute says, and no bias."""
    x, w = np.arange(96).reshape(2, 3, 4, 4) % 9, np.arange(24).reshape(2, 3, 2, 2) % 7
    image, kernel = reduced(conv(oracle, x, w, [1, 2]), oracle)
    assert (image.shape, kernel.shape) == ((1, 1, 2, 2), (1, 1, 2, 2))
    assert (image.sum(), kernel.sum()) == (7, 5)
