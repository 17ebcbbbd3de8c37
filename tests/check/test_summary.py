"""What the summary says of a report that is made up: line by line, and cell by cell."""

from typing import Any

import pytest
from rich.console import Console

from sonnx_formal.check.document import (
    CheckedBackend,
    CheckExample,
    CheckFinding,
    CheckReport,
    ExhaustiveRun,
    MatrixRow,
    NamedTensor,
    ProbeRow,
    SumErrorsRow,
    TensorText,
    Verdict,
)
from sonnx_formal.check.summary import print_summary
from tests.made import MADE

PASS, OPEN, ABSENT = Verdict.PASS, Verdict.NOT_JUDGED, Verdict.NOT_SUPPORTED
BACKENDS = (
    CheckedBackend("ours", "0.1", True, None, False, False),
    CheckedBackend("fast", "2.0", False, None, True, True),
    CheckedBackend("gone", None, False, "no module", False, False),
)


def report(**parts: Any) -> CheckReport:
    """With these parts, and nothing else to tell."""
    lists = ("matrix", "exhaustive", "errors", "findings", "probes", "known")
    empty = dict.fromkeys(lists, ()) | {"backends": BACKENDS, "accumulate": None}
    return CheckReport(made=MADE, manifest_sha256=None, **empty | parts)


def told(**parts: Any) -> list[str]:
    """The lines of the summary, without those that are empty."""
    console = Console(width=120)
    with console.capture() as capture:
        print_summary(console, report(**parts))
    return [line.rstrip() for line in capture.get().splitlines() if line.strip()]


def row(backend: str, element_type: str, **counts: int) -> MatrixRow:
    found = dict.fromkeys(Verdict, 0) | {Verdict[name]: n for name, n in counts.items()}
    return MatrixRow("mul", element_type, backend, found, {})


def probe(backend: str, verdict: Verdict, kind: str = "", **more: Any) -> ProbeRow:
    fields: dict[str, Any] = {"admissible": True, "form": {}, "example": None} | more
    asked = {"probe": "rows", "question": "has it rows?"} | fields
    return ProbeRow("mul", "int8", backend=backend, verdict=verdict, kind=kind, **asked)


def test_each_cell_is_of_its_operator_types_and_implementation() -> None:
    matrix = (
        row("ours", "int8", PASS=2),
        row("fast", "int8", PASS=1, NOT_JUDGED=1),
        row("gone", "int8", NOT_INSTALLED=2),
        row("ours", "int16", PASS=3),
        row("fast", "int16", CRASHES=1, REFUSES=2),
    )
    probes = (probe("ours", PASS), probe("fast", Verdict.REFUSES), probe("gone", PASS))
    *backends, head, int8, second, int16, fourth, rows, last = told(matrix=matrix, probes=probes)
    assert backends == ["ours 0.1", "fast 2.0", "gone: not installed: no module"]
    assert head.split() == ["ours", "fast", "probe"]
    assert int8.split() == ["mul", "int8", "2", "pass", "1", "pass"]
    assert second.split() == ["1", "not", "judged"]
    assert int16.split() == ["mul", "int16", "3", "pass", "2", "refuses"]
    assert fourth.split() == ["1", "crashes"]
    assert rows.split() == ["mul", "int8", "pass", "refuses", "rows"]
    assert last == (
        "6 pass, 2 refuses, 1 crashes, 1 not judged in 1.5 s; had to pass and did not: fast"
    )


def test_without_probes_there_is_no_column_for_them() -> None:
    assert told(matrix=(row("ours", "int8", PASS=1),))[3].split() == ["ours", "fast"]


def test_what_was_not_probed_is_told_once_a_reason() -> None:
    why = "no way to say so"
    probes = [probe("ours", ABSENT, why), probe("ours", ABSENT, why, probe="layer")]
    probes += [probe("ours", ABSENT, why), probe("fast", ABSENT, "another"), probe("fast", PASS)]
    assert told(probes=tuple(probes))[:2] == [
        "ours: not probed for rows, layer: no way to say so",
        "fast: not probed for rows: another",
    ]


def test_the_combinations_that_were_tried() -> None:
    runs = [ExhaustiveRun("mul", name, 65_536, None) for name in ("int8", "uint8")]
    runs += [ExhaustiveRun("add", "int8", 65_536, None), ExhaustiveRun("mul", "real", 0, "many")]
    assert told(exhaustive=tuple(runs))[:2] == [
        "combinations of elements, all 65,536 tried (mul int8, uint8; add int8)",
        "combinations of elements, not tried: many (mul real)",
    ]


@pytest.mark.parametrize(
    ("outside", "accumulate", "said"),
    [
        (0, None, "4 rounded sums, none outside the bound;"),
        (2, "float32", "4 rounded sums, 2 outside the bound on sums in float32;"),
    ],
)
def test_the_worst_of_the_long_sums(outside: int, accumulate: str | None, said: str) -> None:
    common: dict[str, Any] = {"operator": "matmul", "element_type": "float16", "backend": "fast"}
    errors = (
        SumErrorsRow(products=1, elements=1, of_bound=1.0, **common),
        SumErrorsRow(products=64, elements=2, outside=outside, of_bound=0.125, **common),
        SumErrorsRow(products=128, elements=1, of_bound=0.0625, **common),
    )
    assert told(errors=errors, accumulate=accumulate)[0] == (
        f"fast: matmul float16: {said} of long ones, the worst at 0.125 of it (64 products)"
    )


def test_the_worst_sums_of_each_are_counted_with_the_others() -> None:
    common: dict[str, Any] = {"operator": "matmul", "element_type": "float16"}
    of_bound = {2: 1.0, 64: 0.125, 100: 0.5, 128: 0.25}
    errors = tuple(
        SumErrorsRow(
            products=n, elements=1, outside=1, of_bound=x, last_places=n, backend=name, **common
        )
        for name, most in (("fast", 128), ("ours", 2))
        for n, x in of_bound.items()
        if n <= most
    )
    fast, ours = report(errors=errors).worst_errors()
    assert (fast.backend, fast.products, fast.of_bound) == ("fast", 100, 0.5)
    assert (fast.elements, fast.outside, fast.last_places) == (4, 4, 128)
    assert (ours.backend, ours.products, ours.elements, ours.last_places) == ("ours", 2, 1, 2)


def tensor(*elements: str) -> TensorText:
    return TensorText("int8", (len(elements),), [*elements], None)


@pytest.mark.parametrize(
    ("elements", "shown"),
    [
        (["1"], ["  expected = [1]"]),
        (["1", "2"], ["  expected = [1, 2]  shape [2]", "  first at  [0]"]),
        (["1"] * 16, [f"  expected = [{', '.join('1' * 16)}]  shape [16]", "  first at  [0]"]),
        (["1"] * 17, ["  expected = int8 of shape [17], all of it by --json", "  first at  [0]"]),
    ],
)
def test_an_example(elements: list[str], shown: list[str]) -> None:
    operand = NamedTensor("int8", (1,), ["5"], ["0x05"], "A")
    example = CheckExample("a", (operand,), {"axis": 1}, None, tensor(*elements), None, (0,))
    finding = CheckFinding(
        "mul",
        "int8",
        backend="fast",
        verdict=Verdict.DIVERGES,
        kind="off by one",
        admissible=True,
        cases=1,
        elements=2,
        example=example,
    )
    assert told(findings=(finding,))[2 : 5 + len(shown)] == [
        "fast: mul int8 diverges: off by one (2 elements of 1 case)",
        "  with axis=1",
        "  A        = [5]  bits [0x05]",
        *shown,
    ]


def test_a_probe_says_in_which_form_it_was_asked() -> None:
    example = CheckExample("a", (), {}, None, None, None, None)
    form = {"open_dimensions": True, "never_broadcast": False}
    asked = probe("fast", Verdict.DIVERGES, "shape", example=example, form=form)
    assert told(probes=(asked,))[2:4] == [
        "fast: mul int8 diverges: shape (probe rows: has it rows?)",
        "  with open dimensions",
    ]
