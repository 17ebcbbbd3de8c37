"""Operators of any signature: their operands, and made-up results stored and read back.

No result here is judged: the oracle does not know these operators.
"""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.operator import Arrangement, Input, Instance, Operator, Presence, ShapeRule
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors import manifest
from sonnx_formal.vectors.elements import any_element, array
from sonnx_formal.vectors.generate import all_operands
from sonnx_formal.vectors.manifest import Case, Origin, call_of
from sonnx_formal.vectors.operands import CaseOperands, WrongDeclarationError, all_places, rows
from sonnx_formal.vectors.storage import load, write_cases, write_manifest
from tests.signatures import CLIP, CONCAT, EVERY_KIND, LESS, NEG, QUANTIZE, RESHAPE, WHERE
from tests.vectors.test_storage import contents, snapshot

C = CaseClass
ORIGIN = Origin(0, "1" * 64, "2" * 64, {})
EVERY_VALUE = Attributes.of(
    {"int": -1, "float": 0.5, "string": "é", "ints": (), "floats": (1.0, 2.5), "strings": ("a", "")}
)
OPERATORS = (
    NEG,
    LESS,
    WHERE,
    replace(CLIP, arrangements=(Arrangement(((2, 3), (), None)), Arrangement(((4,), None, [3])))),
    replace(
        CONCAT,
        arrangements=(
            Arrangement(((2, 3), (1, 3)), Attributes.of({"axis": 0})),
            Arrangement(((2,),), Attributes.of({"axis": 0})),
            Arrangement(((2,), (0,), (1,)), Attributes.of({"axis": 0})),
            Arrangement(((2,), (3, 1)), Attributes.of({"axis": 0}), broken=True),
        ),
    ),
    replace(QUANTIZE, arrangements=(Arrangement(((2, 3), [2], None)), Arrangement(((), [1], [3])))),
    replace(RESHAPE, arrangements=(Arrangement(((2, 3), [3, 2])),)),
    replace(EVERY_KIND, arrangements=(Arrangement(((2,),), EVERY_VALUE),)),
)


@pytest.fixture(autouse=True)
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """The manifest knows these operators, and no other."""
    every = [instance for operator in OPERATORS for instance in operator.instances()]
    monkeypatch.setattr(manifest, "instances", lambda: every)


def made_up(instance: Instance, operands: CaseOperands, number: int) -> Case:
    """A case whose result is one element, as it comes."""
    output = instance.type_of(instance.operator.output)

    result = array(output, [any_element(output, random.Random(number))], (1,))
    rejected = operands.case_class is C.REJECTED
    return Case(
        name=f"{instance.name}-{operands.case_class}-{number:04d}",
        instance=instance,
        call=call_of(instance, operands.arrays, operands.attributes),
        case_class=operands.case_class,
        requirements=("SONNX-MUL.R1",),
        outcome="SONNX-MUL.R1" if rejected else result,
    )


def some(instance: Instance) -> Iterator[Case]:
    """Of each class a few."""
    for number, operands in enumerate(all_operands(instance, 0)):
        if number % 5 == 0 or not isinstance(operands.arrays[0], np.ndarray):
            yield made_up(instance, operands, number)


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_stored_and_read_back(operator: Operator, tmp_path: Path) -> None:
    written: list[Case] = []
    files = []
    for instance in operator.instances():
        cases = list(some(instance))
        files.append(write_cases(tmp_path, cases))
        written += cases
    write_manifest(tmp_path, ORIGIN, files)
    assert [contents(case) for case in load(tmp_path)] == [contents(case) for case in written]
    types = {instance.type_of(operator.output).dtype for instance in operator.instances()}
    assert {case.expected.dtype for case in load(tmp_path) if not case.violated} == types


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_classes(operator: Operator) -> None:
    for instance in operator.instances():
        every = list(all_operands(instance, 0))
        classes = {operands.case_class for operands in every}
        assert C.RANDOM in classes
        assert classes & {C.NOMINAL, C.BROADCAST}
        floats = any(type_.family is Family.FLOAT for type_ in instance.types)
        assert (C.SPECIAL in classes) == floats
        assert C.HAZARD not in classes
        for operands in every:
            call = call_of(instance, operands.arrays, operands.attributes)
            for _, input_, operand in call.bound():
                assert operand is None or operand.dtype == instance.type_of(input_).dtype
            if operator.shape_rule is ShapeRule.SAME:
                assert len({operand.shape for operand in call.arrays}) == 1


def test_every_way_to_fill_the_inputs() -> None:
    def counts(operator: Operator) -> list[tuple[int, ...]]:
        places = all_places(next(operator.instances()))
        return [tuple(type_ is not None for type_ in each.inputs) for each in places]

    assert counts(WHERE) == [(True, True, True)]
    assert counts(CLIP) == [
        (True, True, True),
        (True, True, False),
        (True, False, True),
        (True, False, False),
    ]
    assert counts(CONCAT) == [(True,) * 2, (True,), (True,) * 3]
    assert {each.presence for each in CONCAT.inputs} == {Presence.VARIADIC}


@pytest.mark.parametrize("lengths", [(4,), (3, 5), (7, 7, 7), (2, 5, 5)])
def test_each_value_meets_each(lengths: tuple[int, ...]) -> None:
    met = [each for row in rows([range(length) for length in lengths]) for each in row]
    for j, b in enumerate(lengths):
        assert {each[j] for each in met} == set(range(b))
        for i, a in enumerate(lengths[:j]):
            assert len({(each[i], each[j]) for each in met}) == a * b


def test_what_needs_arrangements() -> None:
    needs = replace(NEG, attributes=(Attribute("to", AttributeKind.INT, "", required=True),))
    for operator, what in ((CLIP, "its own shape rule"), (needs, "required attributes")):
        with pytest.raises(WrongDeclarationError, match=f"declaration of {operator} .*: {what}"):
            list(all_operands(next(operator.instances()), 0))


def test_hazards_and_results_that_do_not_exist_are_for_the_declaration_to_say() -> None:
    def reciprocal(x: Any) -> Any:
        return 1 / x if x else None

    def hazards(_: Any) -> tuple[tuple[int], ...]:
        return ((-1,),)

    operator = replace(NEG, exact=reciprocal, hazards=hazards)
    instance = next(each for each in operator.instances() if each.label == "int8")
    for operands in all_operands(instance, 0):
        (x,) = operands.arrays
        assert x is not None
        assert 0 not in x
        if operands.case_class in {C.BOUNDARY, C.RANDOM, C.HAZARD}:
            assert (-1 in x) == (operands.case_class is C.HAZARD)


def test_hazards_of_operators_that_broadcast() -> None:
    operator = replace(
        WHERE,
        inputs=(Input("X", "T"), Input("Y", "T")),
        exact=lambda x, y: x / y if y else None,
        hazards=lambda _: ((-128, -1),),
    )
    instance = next(each for each in operator.instances() if each.label == "int8")
    found = set()
    for operands in all_operands(instance, 0):
        x, y = operands.arrays
        assert x is not None
        assert y is not None
        if operands.case_class is not C.REJECTED:
            left, right = np.broadcast_arrays(x, y)
            assert right.all()
            if ((left == -128) & (right == -1)).any():
                found.add(operands.case_class)
    assert found == {C.HAZARD}


def test_a_result_beyond_the_type_of_the_output_wraps() -> None:
    operator = replace(NEG, exact=lambda x: -x)
    instance = next(each for each in operator.instances() if each.label == "int8")
    wraps = [each for each in all_operands(instance, 0) if each.case_class is C.WRAP]
    assert wraps
    elements = {element for each in wraps for x in each.arrays if x is not None for element in x}
    assert elements == {-128}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"name": "toy-neg-int8-nominal-x"}, "toy-neg-int8-nominal-x: it is in the place of"),
        ({"requirements": ("SONNX-MUL.R1",) * 2}, "a requirement is there twice"),
        ({"requirements": ()}, "length >= 1"),
        ({"requirements": ("SONNX-MUL.R9",)}, "no requirement 'SONNX-MUL.R9'"),
        ({"outcome": "SONNX-MUL.R1"}, "its class is nominal, and it violates SONNX-MUL.R1"),
    ],
)
def test_what_could_not_be_read_is_not_written(
    tmp_path: Path, change: dict[str, Any], complaint: str
) -> None:
    instance = next(each for each in NEG.instances() if each.label == "int8")
    sound = made_up(instance, next(all_operands(instance, 0)), 1)
    with pytest.raises(UserError, match=complaint):
        write_manifest(tmp_path, ORIGIN, [write_cases(tmp_path, [replace(sound, **change)])])
    assert (tmp_path / "manifest.json").exists() is False
    write_manifest(tmp_path, ORIGIN, [write_cases(tmp_path, [sound])])
    assert set(snapshot(tmp_path)) == {"manifest.json", "toy-neg-int8.npz"}


def test_more_files_than_there_are_operators_today(tmp_path: Path) -> None:
    """No number of files is too many for the reader."""
    files = []
    for operator in OPERATORS:
        for instance in operator.instances():
            files.append(write_cases(tmp_path, [next(some(instance))]))
    write_manifest(tmp_path, ORIGIN, files)
    assert len(list(load(tmp_path))) == len(files) > 84


def test_bfloat16_of_any_signature(tmp_path: Path) -> None:
    instance = next(each for each in OPERATORS[3].instances() if each.label == "bfloat16")
    bits = np.array([0x7FC1, 0x8000, 1], np.uint16).view(ml_dtypes.bfloat16)
    case = made_up(instance, CaseOperands(C.SPECIAL, (bits, None, bits[:1].reshape(()))), 1)
    write_manifest(tmp_path, ORIGIN, [write_cases(tmp_path, [case])])
    (again,) = load(tmp_path)
    assert contents(again) == contents(case)
