"""`check` of toys by their definitions: a user's own, right or wrong, whatever the signature."""

from pathlib import Path

import pytest

from sonnx_formal.check.document import CheckReport, Verdict
from sonnx_formal.core import documents
from tests.toys.house import ToyHouse

OWN = """
import numpy as np

LISTED = {
    "toy-negate": {"int8"}, "toy-select": {"bool", "float16"}, "toy-below": {"int8", "float32"},
}

def right(name, *operands, **attributes):
    assert {operand.dtype.name for operand in operands} <= LISTED[name]
    with np.errstate(all="ignore"):
        match name, operands:
            case "toy-negate", (x,):
                return -x
            case "toy-select", (condition, x, y):
                assert condition.shape == x.shape == y.shape and x.dtype == y.dtype
                assert condition.dtype == bool
                return np.where(condition, x, y)
            case "toy-below", (a, b):
                assert a.shape == b.shape and a.dtype == b.dtype
                return a < b
    raise NotImplementedError(name)

def wrong(name, *operands, **attributes):
    result = right(name, *operands, **attributes)
    match name, operands:
        case "toy-negate", (x,):
            return np.where(x == np.int8(-128), np.int8(127), result)
        case "toy-select", (condition, x, y):
            return np.where(x == y, y, result)
        case "toy-below", (a, b):
            return a <= b
"""
TYPES = {"toy-negate": ["int8"], "toy-select": ["float16"], "toy-below": ["int8", "float32"]}
CHOSEN = [argument for name in TYPES for argument in ("--op", name)]


def report_on(house: ToyHouse, folder: Path, function: str) -> CheckReport:
    (house.folder / "toys_own.py").write_text(OWN)
    path = folder / "check.json"
    own = ["--require", f"toys_own:{function}", "--backend", "onnx-reference"]
    done = house.run("check", *own, *CHOSEN, "--json", str(path))
    assert done.stderr == ""
    report = documents.read(path, CheckReport)
    assert done.returncode == report.backends[-1].failed
    return report


def of_own(report: CheckReport) -> dict[tuple[str, str], set[Verdict]]:
    return {
        (row.operator, row.element_type): {verdict for verdict, n in row.counts.items() if n}
        for row in report.matrix
        if row.backend.startswith("toys_own:")
    }


@pytest.mark.long
def test_who_is_right_passes(house: ToyHouse, tmp_path: Path) -> None:
    report = report_on(house, tmp_path, "right")
    assert not report.backends[-1].failed
    instances = [(name, type_) for name, types in TYPES.items() for type_ in types]
    assert of_own(report) == {each: {Verdict.PASS} for each in instances}
    tried = {(run.operator, run.element_type): run.combinations for run in report.exhaustive}
    assert tried["toy-negate", "int8"] == 256
    assert tried["toy-below", "int8"] == 65_536


@pytest.fixture(scope="module")
def of_wrong(house: ToyHouse, tmp_path_factory: pytest.TempPathFactory) -> CheckReport:
    return report_on(house, tmp_path_factory.mktemp("wrong"), "wrong")


@pytest.mark.parametrize(
    ("name", "kind", "smallest"),
    [
        ("toy-negate", "the greatest number instead", {"X": ["-128"]}),
        ("toy-select", "sign of zero", {"Condition": ["true"], "X": ["0"], "Y": ["-0"]}),
        ("toy-below", "true instead of false", {"A": ["0"], "B": ["0"]}),
    ],
)
def test_the_smallest_counterexample(
    of_wrong: CheckReport, name: str, kind: str, smallest: dict[str, list[str]]
) -> None:
    assert of_wrong.backends[-1].failed
    about = (name, kind)
    found = [each.example for each in of_wrong.findings if (each.operator, each.kind) == about]
    shown = [{operand.name: operand.decimal for operand in each.operands} for each in found]
    assert smallest in shown
