"""`vectors` of toys: every signature is generated, stored, read back, verified and exported."""

import json

import pytest

from sonnx_formal.spec.operator import Operator
from tests.toys.declarations import OPERATORS
from tests.toys.house import ToyHouse


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_made_verified_and_exported(house: ToyHouse, operator: Operator) -> None:
    folder, exported = f"vectors-{operator}", f"onnx-{operator}"
    made = house.run("vectors", "--op", str(operator), "-o", folder, "--onnx", exported)
    assert (made.returncode, made.stderr) == (0, "")
    verified = house.run("vectors", "--verify", folder)
    assert (verified.returncode, verified.stderr) == (0, "")
    manifest = json.loads((house.folder / folder / "manifest.json").read_text())
    cases = [case for file in manifest["files"] for case in file["cases"]]
    assert f"{len(cases)} of {len(cases)} cases are as the oracle says" in verified.stdout
    models = list((house.folder / exported).glob("*/test_*/model.onnx"))
    assert len(models) == sum("violated" not in case for case in cases)
    classes = {case["class"] for case in cases}
    assert classes >= {"nominal", "boundary", "random", "rank-0"}


def test_optional_and_variadic_operands_are_there_and_not(house: ToyHouse) -> None:
    single, two, three = ("x1",), ("x1", "x2"), ("x1", "x2", "x3")
    ways = {"toy-shift": {("x",), ("x", "b")}, "toy-total": {single, two, three}}
    for operator, operands in ways.items():
        assert house.run("vectors", "--op", operator, "-o", "some").returncode == 0
        manifest = json.loads((house.folder / "some/manifest.json").read_text())
        found = {tuple(case["shapes"]) for file in manifest["files"] for case in file["cases"]}
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
