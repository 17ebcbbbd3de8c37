"""`vectors` of toys: every signature is generated, stored, read back, verified and exported."""

import json
from typing import Any

import pytest

from sonnx_formal.spec.operator import Operator
from tests.toys.declarations import OPERATORS
from tests.toys.house import ToyHouse

Cases = dict[str, list[dict[str, Any]]]
"""By the operator, as the manifest has them."""


@pytest.fixture(scope="module")
def cases(house: ToyHouse) -> Cases:
    """Those of all toys, which are made, verified and exported at once."""
    made = house.run("vectors", "-o", "vectors", "--onnx", "onnx")
    assert (made.returncode, made.stderr) == (0, "")
    verified = house.run("vectors", "--verify", "vectors")
    assert (verified.returncode, verified.stderr) == (0, "")
    found: Cases = {}
    for file in json.loads((house.folder / "vectors/manifest.json").read_text())["files"]:
        found.setdefault(file["operator"], []).extend(file["cases"])
    count = sum(map(len, found.values()))
    assert f"{count} of {count} cases are as the oracle says" in verified.stdout
    return found


def test_no_toy_is_left_out(cases: Cases) -> None:
    assert set(cases) == {str(operator) for operator in OPERATORS}


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_made_verified_and_exported(house: ToyHouse, cases: Cases, operator: Operator) -> None:
    mine = cases[str(operator)]
    exported = f"onnx/*/test_{str(operator).replace('-', '_')}_*/model.onnx"
    models = list(house.folder.glob(exported))
    assert len(models) == sum("violated" not in case for case in mine)
    classes = {case["class"] for case in mine}
    assert classes >= {"nominal", "boundary", "random", "rank-0"}


def test_optional_and_variadic_operands_are_there_and_not(cases: Cases) -> None:
    single, two, three = ("x1",), ("x1", "x2"), ("x1", "x2", "x3")
    ways = {"toy-shift": {("x",), ("x", "b")}, "toy-total": {single, two, three}}
    for operator, operands in ways.items():
        found = {tuple(case["shapes"]) for case in cases[operator]}
        assert found == {(*names, "expected") for names in operands}


@pytest.mark.long
def test_a_shape_rule_of_its_own_needs_arrangements(house: ToyHouse) -> None:
    path = house.folder / "sonnx_formal/spec/operators/toys.py"
    declared = path.read_text()
    path.write_text(declared.replace("arrangements=arrangements", "arrangements=()"))
    try:
        made = house.run("vectors", "--op", "toy-reshape", "-o", "none")
    finally:
        path.write_text(declared)
    assert made.returncode == 2
    assert made.stderr == (
        "sonnx-formal: the declaration of toy-reshape in sonnx_formal/spec/operators: "
        "its own shape rule needs `arrangements`\n"
    )


@pytest.mark.long
def test_a_requirement_that_the_registry_lacks(house: ToyHouse) -> None:
    path = house.folder / "sonnx_formal/spec/operators/toys.py"
    declared = path.read_text()
    path.write_text(declared.replace('always=("C1",)', 'always=("C7",)'))
    try:
        made = house.run("vectors", "--op", "toy-negate", "-o", "none")
    finally:
        path.write_text(declared)
    assert made.returncode == 2
    assert made.stderr.startswith("sonnx-formal: sonnx_formal/spec/requirements/sonnx-toy.toml: ")
    assert "there is no requirement SONNX-TOY.C7: state it" in made.stderr
    assert made.stderr.count("\n") == 1
