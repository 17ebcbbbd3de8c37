"""The cross-check on operators of other signatures, against trials that are made up here."""

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest
from rich.console import Console

from sonnx_formal.backends.backend import Result
from sonnx_formal.backends.plainest import plainest
from sonnx_formal.check.compare import NO_BOUND, Judgement, judge
from sonnx_formal.check.document import CheckFinding, Verdict
from sonnx_formal.check.smallest import Counterexample, smaller
from sonnx_formal.check.summary import print_summary
from sonnx_formal.check.trials import Trial, exhaustive, inadmissible
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Inadmissible, Oracle, OracleError
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, element_type_of, element_types
from sonnx_formal.spec.operator import (
    Arithmetic,
    Domain,
    Instance,
    Operator,
    ShapeRule,
    TypeParameter,
)
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.manifest import Case
from tests.backends import toys
from tests.check.conftest import Check, failed, over
from tests.signatures import CLIP, CONCAT, LESS, NEG, QUANTIZE, RESHAPE, WHERE, toy

pytestmark = pytest.mark.long

INT8 = element_types("int8")


class MadeUp:
    """In the place of the oracle: computes by the toys, and takes what the declarations list."""

    def evaluate(self, call: Call) -> Array:
        types: dict[str, object] = {}
        for _, input_, operand in call.bound():
            if operand is not None:
                type_ = element_type_of(operand)
                listed = next((p for p in call.operator.parameters if p.name == input_.type), None)
                wrong = type_.name != input_.type if listed is None else type_ not in listed.types
                if wrong or types.setdefault(input_.type, type_) is not type_:
                    raise Inadmissible("SONNX-MUL.R3", "types")
        shapes = {array.shape for array in call.arrays}
        if call.operator.shape_rule is ShapeRule.SAME and len(shapes) > 1:
            raise Inadmissible("SONNX-MUL.R1", "shapes")
        return toys.right(call.operator.name, *call.operands, **call.attributes.as_dict())


ORACLE = cast(Oracle, MadeUp())


def case(call: Call) -> Case:
    result = MadeUp().evaluate(call)
    return Case("a case", call.instance(), call, CaseClass.NOMINAL, (), result)


def small(values: object) -> Array:
    return np.array(values, np.int8)


def findings(check: Check, backend: str, *calls: Call) -> dict[str, CheckFinding]:
    """What is found by kind, of those that diverge."""
    report = check(
        f"declared_toys:{backend}",
        calls[0].instance(),
        required=[f"declared_toys:{backend}"],
        cases=[case(call) for call in calls],
        oracle=ORACLE,
    )
    documents.encode(report)
    print_summary(Console(), report)
    diverging = [each for each in report.findings if each.verdict is Verdict.DIVERGES]
    assert bool(failed(report)) == bool(diverging)
    return {each.kind: each for each in diverging}


CALLS = [
    Call(NEG, (small([1, -128]),)),
    Call(LESS, (small([1, 2]), small([2, 1]))),
    Call(WHERE, (np.array([True, False]), small([7, 7]), small([5, 5]))),
    Call(CLIP, (small([[1, 3, 5]]), None, small(4))),
    Call(CLIP, (small([[1, 3, 5]]), small(2))),
    Call(CONCAT, (small([1]), small([2, 3]), small([])), Attributes.of({"axis": 0})),
    Call(
        QUANTIZE, (np.array([1, -2], np.float32), np.array(0.5, np.float32), np.array(1, np.int8))
    ),
    Call(RESHAPE, (small([1, 2]), np.array([2, 1]))),
]


@pytest.mark.parametrize("call", CALLS, ids=str)
def test_who_is_right_passes(check: Check, call: Call) -> None:
    assert findings(check, "right", call) == {}


@pytest.mark.parametrize(
    ("call", "kind", "smallest"),
    [
        (CALLS[0], "the greatest number instead", {"X": ["-128"]}),
        (CALLS[2], "off by one", {"condition": ["true"], "X": ["7"], "Y": ["5"]}),
        (CALLS[3], "off by one", {"input": [["3"]]}),
    ],
    ids=str,
)
def test_the_smallest_counterexample(
    check: Check, call: Call, kind: str, smallest: dict[str, object]
) -> None:
    example = findings(check, "has_bugs", call)[kind].example
    assert {operand.name: operand.decimal for operand in example.operands} == smallest


def test_of_three_operands_sixteen_values_each_are_tried() -> None:
    """4,096 combinations in all. Up to 3 and -3, all are boundaries, too: the sixteenth is 5."""

    def judged(trial: Trial) -> Judgement:
        assert trial.expected is not None
        wrong = trial.expected + np.isin(trial.expected, (5, 100)).astype(np.int8)
        return judge(trial, Result(wrong), strict=False)

    call = Call(WHERE, (np.array([True]), small([100]), small([0])))
    trial = Trial("a trial", call, call.instance(), small([100]))
    found = smaller(Counterexample(trial, judged(trial)), "off by one", ORACLE, judged)
    assert [array.tolist() for array in found.trial.call.arrays] == [[False], [0], [5]]


def test_a_result_of_another_type_than_the_operands(check: Check) -> None:
    (finding,) = findings(check, "takes_equals_for_less", CALLS[1]).values()
    assert finding.kind == "true instead of false"
    assert [operand.decimal for operand in finding.example.operands] == [["0"], ["0"]]
    assert finding.example.expected is not None
    assert (finding.example.expected.element_type, finding.example.expected.bits) == (
        "bool",
        ["0x00"],
    )
    (kind,) = findings(check, "gives_numbers_for_truth", CALLS[1])
    assert kind == "element type int8 instead of bool"


@pytest.mark.parametrize(
    ("operator", "combinations", "name"),
    [
        (NEG, 256, "toy-neg-int8-all-elements"),
        (LESS, 65_536, "toy-less-int8-all-pairs"),
        (WHERE, 131_072, "toy-where-int8-all-combinations"),
    ],
    ids=str,
)
def test_all_combinations_of_elements(operator: Operator, combinations: int, name: str) -> None:
    run = exhaustive(ORACLE, Instance(operator, INT8))
    (trial,) = run.trials
    assert (trial.name, run.combinations) == (name, combinations)
    together = {*zip(*(array.tolist() for array in trial.call.arrays), strict=True)}
    assert len(together) == combinations


@pytest.mark.parametrize(
    ("operator", "why"),
    [
        (
            replace(CLIP, shape_rule=ShapeRule.SCALAR_BOUNDS),
            "each choice of its bounds would be a trial of its own",
        ),
        (CONCAT, "it is not element by element"),
        (
            toy("shift", NEG.inputs, op_type="S", attributes=CONCAT.attributes),
            "it has attributes that have to be chosen",
        ),
        (
            replace(NEG, definition=replace(NEG.definition, domain=Domain("is_defined", "C2", ""))),
            "where it is defined is not declared",
        ),
    ],
    ids=str,
)
def test_why_there_is_no_exhaustive_run(operator: Operator, why: str) -> None:
    run = exhaustive(ORACLE, Instance(operator, INT8))
    assert (run.trials, run.why_not) == ((), why)


def test_a_definition_that_excludes_what_the_declaration_takes() -> None:
    ids = iter(["SONNX-DIV.R1", "SONNX-DIV.R2", "SONNX-DIV.R3"])

    class TakesNothing:
        def evaluate(self, call: Call) -> Array:
            raise Inadmissible(next(ids), "")

    with pytest.raises(UserError, match=r"^div.*int8.*: SONNX-DIV\.R1 excludes elements that"):
        exhaustive(cast(Oracle, TakesNothing()), over("div", "int8"))


def names(operator: Operator, *types: str, accepted: tuple[Call, ...] = ()) -> list[str]:
    instance = Instance(operator, element_types(*types))
    trials = [Trial("", call, instance, call.arrays[0]) for call in accepted]
    found = list(inadmissible(ORACLE, instance, trials))
    assert all(trial.violated for trial in found)
    return [trial.name.partition("-inadmissible-")[2] for trial in found]


def test_inadmissible_operands_of_each_signature() -> None:
    assert names(NEG, "int8") == []  # nothing to differ from, and every type is listed
    assert "shapes" in names(LESS, "int8")
    assert {"two-types"} == {name for name in names(LESS, "int8") if "types" in name}
    assert names(WHERE, "int8") == ["two-types-condition", "two-types-Y"]
    assert names(CONCAT, "int8") == []  # no rule says what it takes, and there is no case
    assert names(CONCAT, "int8", accepted=(CALLS[5],)) == ["two-types-inputs2", "two-types-inputs3"]
    of_quantize = names(QUANTIZE, "float32", "int8", accepted=(CALLS[6],))
    assert of_quantize[0] == "two-types-y_scale"
    assert {"unlisted-int8-T1", "unlisted-bfloat16-T1", "unlisted-int16-T2"} <= {*of_quantize}
    assert not {"unlisted-float16-T1", "unlisted-uint8-T2"} & {*of_quantize}
    assert names(RESHAPE, "int8", accepted=(CALLS[7],)) == ["two-types"]


def test_inadmissible_operands_are_made_of_the_smallest_case() -> None:
    sizes = [Call(CONCAT, (small([1] * n), small([2])), Attributes.of({"axis": 0})) for n in (9, 1)]
    instance = Instance(CONCAT, INT8)
    accepted = [Trial("", call, instance, call.arrays[0]) for call in sizes]
    found = list(inadmissible(ORACLE, instance, accepted))
    assert [[array.size for array in trial.call.arrays] for trial in found] == [[1, 1]]


def test_a_definition_that_takes_what_the_declaration_excludes() -> None:
    class TakesAll:
        def evaluate(self, call: Call) -> Array:
            return call.arrays[0]

    with pytest.raises(
        UserError, match=r"toy-less of A int8.2. and B int8.3.: the definition accepts"
    ):
        list(inadmissible(cast(Oracle, TakesAll()), Instance(LESS, INT8), ()))


def test_a_type_that_no_restriction_excludes() -> None:
    class HasNoDefinition:
        def evaluate(self, call: Call) -> Array:
            raise OracleError("there is no definition for these types")

    message = r"toy-clip of input int16\[1\]: no restriction of toy-clip over int8 excludes it: "
    narrow = replace(CLIP, parameters=(TypeParameter("T", INT8),))
    trial = Trial("", Call(narrow, (small([1]),)), Instance(narrow, INT8), small([1]))
    with pytest.raises(UserError, match=message):
        list(inadmissible(cast(Oracle, HasNoDefinition()), Instance(narrow, INT8), [trial]))


@pytest.mark.parametrize("change", [0, 1])
def test_sums_of_no_known_bound_are_not_judged(change: int) -> None:
    """They are those of another shape rule than a matrix product."""
    operator = toy(
        "sums",
        NEG.inputs,
        op_type="Sums",
        shape_rule=ShapeRule.OWN,
        arithmetic=Arithmetic.SUM_OF_PRODUCTS,
    )
    x: Array = np.ones(2, np.float32)
    call = Call(operator, (x,))
    judgement = judge(Trial("", call, call.instance(), x), Result(x + change), strict=False)
    verdict, kinds = (Verdict.NOT_JUDGED, (NO_BOUND,)) if change else (Verdict.PASS, ())
    assert (judgement.verdict, judgement.kinds) == (verdict, kinds)


def test_plainest_calls() -> None:
    def plain(operator: Operator, *types: str) -> Any:
        call = plainest(Instance(operator, element_types(*types)))
        return call and [(str(each.dtype), each.tolist()) for each in call.arrays]

    assert plain(NEG, "int8") == [("int8", [1])]
    assert plain(WHERE, "int8") == [("bool", [True]), ("int8", [1]), ("int8", [1])]
    assert plain(CONCAT, "int8") is plain(CLIP, "int8") is None
