"""The plots of rounding errors: each mark where its number belongs."""

import msgspec
import pytest

from sonnx_formal.check.document import CheckReport
from sonnx_formal.report.accuracy import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, plots
from tests.made import AS_JSON
from tests.report.conftest import check


def document(**changes: object) -> CheckReport:
    value = check(AS_JSON, "0" * 64)
    for each in value["errors"]:
        each.update(changes)
    return msgspec.convert(value, CheckReport)


def test_marks_are_inside_the_axes_and_beneath_the_bound() -> None:
    ((name, under, places),) = plots(document())
    assert name == "matmul float16"
    (curve,) = under.curves
    assert under.bound is not None
    for marks in (curve.marks, under.bound.marks, places.curves[0].marks):
        assert [each.x for each in marks] == sorted(each.x for each in marks)
        for each in marks:
            assert LEFT <= each.x <= WIDTH - RIGHT
            assert TOP <= each.y <= HEIGHT - BOTTOM
    for observed, bound in zip(curve.marks, under.bound.marks, strict=True):
        assert observed.x == bound.x
        assert observed.y > bound.y  # which is down, in a picture
    assert places.bound is None


def test_axes_are_logarithmic() -> None:
    ((_, under, _),) = plots(document())
    assert [each.text for each in under.across] == ["1", "4", "16", "64", "256", "1024", "4096"]
    assert (under.across[0].x, under.across[-1].x) == (LEFT, WIDTH - RIGHT)
    steps = [b.x - a.x for a, b in zip(under.across, under.across[1:], strict=False)]
    assert steps == pytest.approx([steps[0]] * 6)
    assert [each.text for each in under.up] == ["1e-4", "1e-3", "1e-2", "1e-1", "1", "1e1"]
    assert under.curves[0].marks[0].x == pytest.approx(LEFT + (WIDTH - LEFT - RIGHT) / 12)


def test_a_curve_goes_from_mark_to_mark() -> None:
    ((_, under, _),) = plots(document())
    (curve,) = under.curves
    assert curve.path.split() == [f"{mark.x:.1f},{mark.y:.1f}" for mark in curve.marks]


def test_the_worst_of_each_implementation_and_type() -> None:
    (row,) = document(outside=2, of_bound=1.5).worst_errors()
    assert (row.backend, row.operator, row.element_type) == ("other", "matmul", "float16")
    assert (row.elements, row.outside) == (9, 6)
    assert (row.of_bound, row.products, row.last_places) == (1.5, 64, 1.5)  # of the long ones


def test_errors_of_zero_have_no_mark() -> None:
    ((_, under, places),) = plots(document(relative=0.0, relative_bound=0.0, last_places=0.0))
    assert (under.curves, under.bound, places.curves) == ((), None, ())


def test_nothing_observed() -> None:
    found = msgspec.convert(check(AS_JSON, "0" * 64) | {"errors": []}, CheckReport)
    assert ([*found.worst_errors()], [*plots(found)]) == ([], [])
