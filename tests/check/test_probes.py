"""The probes: each fact that they are there for, shown on implementations that have it."""

from collections.abc import Callable
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest

from sonnx_formal.backends.backend import (
    PLAIN,
    CallOutcome,
    Crashed,
    Form,
    Hung,
    NotApplicable,
    Refused,
    Result,
    WrongKind,
)
from sonnx_formal.backends.catalogue import OUR_OWN, apply
from sonnx_formal.check.document import Verdict
from sonnx_formal.check.probes import Probe, ProbeAnswer, probes
from sonnx_formal.check.trials import Trial
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.onnx_model import NEWEST_IR_VERSION, NEWEST_OPSET
from sonnx_formal.spec.operator import IR_VERSION, OPSET
from sonnx_formal.vectors.generate import generate
from tests.check.conftest import Check, failed, over

Run = Callable[[Trial, Form], CallOutcome]
NAMES = sorted({probe.name for probe in probes()})
OF_NUMPY = {"mul": np.multiply, "div": np.divide, "matmul": np.matmul}


def named(name: str) -> list[Probe]:
    """Of the three operators that these tests know, and OpenVINO's."""
    known = {*OF_NUMPY, "ov-multiply-1"}
    found = [each for each in probes() if each.name == name]
    found = [each for each in found if each.instance.operator.name in known]
    assert found
    return found


def answers(name: str, oracle: Oracle, run: Run) -> list[ProbeAnswer]:
    return [probe.ask(probe, oracle, run) for probe in named(name)]


def right(trial: Trial, form: Form = PLAIN) -> CallOutcome:
    """An implementation that is right in every form."""
    try:
        return Result(apply(trial.call))
    except SpecViolation as error:
        return Refused(str(error), error.requirement)


def computes(trial: Trial, form: Form = PLAIN) -> CallOutcome:
    """NumPy, which broadcasts."""
    return Result(np.asarray(OF_NUMPY[trial.call.operator.name](*trial.call.arrays)))


def operands(answer: ProbeAnswer) -> tuple[object, ...]:
    assert answer.example
    return tuple(array.tolist() for array in answer.example.trial.call.arrays)


@pytest.mark.parametrize("name", NAMES)
def test_who_is_right_passes(oracle: Oracle, name: str) -> None:
    for answer in answers(name, oracle, right):
        assert answer == ProbeAnswer(Verdict.PASS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("outcome", "verdict", "kind"),
    [
        (Refused("no such thing", None), Verdict.REFUSES, "no such thing"),
        (Crashed("SIGFPE"), Verdict.CRASHES, "SIGFPE"),
        (Hung(2), Verdict.CRASHES, "no answer within 2 s"),
        (WrongKind("a list"), Verdict.DIVERGES, "a list"),
        (NotApplicable("it has none"), Verdict.NOT_SUPPORTED, "it has none"),
    ],
)
def test_no_result(
    oracle: Oracle, name: str, outcome: CallOutcome, verdict: Verdict, kind: str
) -> None:
    """Who refuses everything has not rejected what it should, and silence is no pass."""
    for answer in answers(name, oracle, lambda *_: outcome):
        assert (answer.verdict, answer.kind) == (verdict, kind)


@dataclass(frozen=True)
class TakesUpTo:
    """Refuses what is newer, as a runtime does."""

    opset: int = NEWEST_OPSET
    ir_version: int = NEWEST_IR_VERSION

    def __call__(self, trial: Trial, form: Form) -> CallOutcome:
        if form.opset > self.opset or form.ir_version > self.ir_version:
            return Refused("too new", None)
        return right(trial)


def test_the_first_version_that_is_refused(oracle: Oracle) -> None:
    for answer in answers("newer-opset", oracle, TakesUpTo(opset=NEWEST_OPSET - 2)):
        assert (answer.verdict, answer.kind) == (Verdict.REFUSES, "too new")
        assert answer.form == Form(opset=NEWEST_OPSET - 1)
    for answer in answers("newer-ir", oracle, TakesUpTo(ir_version=IR_VERSION)):
        assert (answer.verdict, answer.form) == (Verdict.REFUSES, Form(ir_version=IR_VERSION + 1))
    for answer in answers("newer-opset", oracle, TakesUpTo(ir_version=IR_VERSION)):
        assert answer.verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("name", "versions"),
    [
        ("newer-opset", range(OPSET, NEWEST_OPSET + 1)),
        ("newer-ir", range(IR_VERSION, NEWEST_IR_VERSION + 1)),
    ],
)
def test_every_newer_version_is_asked_for(oracle: Oracle, name: str, versions: range) -> None:
    asked = []

    def run(trial: Trial, form: Form) -> CallOutcome:
        asked.append(form.opset if name == "newer-opset" else form.ir_version)
        return right(trial)

    count = len(answers(name, oracle, run))
    assert asked == [*versions] * count


def test_each_operator_of_sonnx_is_asked_for_versions() -> None:
    asked = {probe.instance.operator.name for probe in named("newer-opset")}
    assert asked == {*OF_NUMPY}
    assert {probe.instance.operator.name for probe in named("open-dimensions")} == {"mul", "div"}


def test_a_layer_that_broadcasts_although_it_is_told_not_to(oracle: Oracle) -> None:
    def ignores_the_rule(trial: Trial, form: Form) -> CallOutcome:
        assert form.as_file
        return Result(np.asarray(np.multiply(*trial.call.arrays)))

    for answer in answers("layer", oracle, ignores_the_rule):
        assert answer.verdict is Verdict.NOT_JUDGED
        assert answer.kind == "computes what OV-MULTIPLY-1.ATTR.AUTO_BROADCAST excludes"
        assert answer.example is not None
        call = answer.example.trial.call
        assert [array.shape for array in call.arrays] == [(8, 1, 6, 1), (7, 1, 5)]
        assert call.attributes.get("auto_broadcast") == "none"


@pytest.mark.parametrize("rule", ["numpy", None])
def test_a_layer_that_is_wrong_where_both_operands_are_stretched(
    oracle: Oracle, rule: str | None
) -> None:
    def off_by_one(trial: Trial, form: Form) -> CallOutcome:
        outcome, largest = right(trial, form), max(array.size for array in trial.call.arrays)
        chosen = trial.call.attributes.as_dict().get("auto_broadcast") == rule
        if chosen and isinstance(outcome, Result) and outcome.array.size > largest:
            return Result(outcome.array + outcome.array.dtype.type(1))
        return outcome

    for answer in answers("layer", oracle, off_by_one):
        assert answer.verdict is Verdict.DIVERGES
        assert answer.form == Form(as_file=True)


def test_broadcasting_where_dimensions_are_open(oracle: Oracle) -> None:
    def only_if_open(trial: Trial, form: Form) -> CallOutcome:
        return computes(trial) if form.open_dimensions else right(trial)

    for answer, document in zip(
        answers("open-dimensions", oracle, only_if_open), ("DIV", "MUL"), strict=True
    ):
        # ONNX and its runtimes may broadcast: SONNX has no result to compare.
        assert answer.verdict is Verdict.NOT_JUDGED
        assert answer.kind == f"computes what SONNX-{document}.R4 excludes"
        assert not answer.admissible
        assert operands(answer) == ([1, 1], [1])
        assert answer.form == Form(open_dimensions=True)


def test_broadcasting_of_another_rank(oracle: Oracle) -> None:
    def only_other_ranks(trial: Trial, form: Form) -> CallOutcome:
        a, b = trial.call.arrays
        return right(trial) if a.ndim == b.ndim else computes(trial)

    for answer in answers("open-dimensions", oracle, only_other_ranks):
        assert answer.verdict is Verdict.NOT_JUDGED
        assert operands(answer) == ([1, 1], [[1, 1]])


def test_broadcasting_in_spite_of_being_told_not_to(oracle: Oracle) -> None:
    """As OpenVINO with `auto_broadcast` none does, once dimensions are open."""

    def forgets(trial: Trial, form: Form) -> CallOutcome:
        return right(trial) if not form.open_dimensions else computes(trial)

    for answer in answers("never-broadcast", oracle, forgets):
        assert answer.verdict is Verdict.DIVERGES
        assert answer.kind.endswith(".R4 excludes")
        assert answer.form == Form(open_dimensions=True, never_broadcast=True)
        assert operands(answer) == ([1, 1], [1])


@pytest.mark.parametrize("digits", [8, 11])
@pytest.mark.parametrize("from_side", [1, 16])
def test_narrower_precision_than_the_element_type(
    oracle: Oracle, digits: int, from_side: int
) -> None:
    dtype = {8: ml_dtypes.bfloat16, 11: np.float16}[digits]

    def narrow(trial: Trial, form: Form) -> CallOutcome:
        a, _ = trial.call.arrays
        if form.own_precision and len(a) >= from_side:
            return Result(a.astype(dtype).astype(a.dtype))
        return right(trial)

    (answer,) = answers("own-precision", oracle, narrow)
    assert answer.verdict is Verdict.DIVERGES
    assert answer.form == Form(own_precision=True)
    assert answer.example is not None
    assert answer.example.trial.call.arrays[0].shape == (from_side, from_side)


def test_wider_sums(oracle: Oracle) -> None:
    def wider(trial: Trial, _: Form) -> CallOutcome:
        a, b = trial.call.arrays
        return Result(np.matmul(a.astype(np.float64), b.astype(np.float64)).astype(a.dtype))

    for answer, count in zip(answers("order-of-sum", oracle, wider), (2050, 258), strict=True):
        assert answer.verdict is Verdict.NOT_JUDGED  # another order is allowed
        assert answer.kind == "not the bits of the reference order"
        assert answer.example is not None
        assert answer.example.judgement.got is not None
        assert answer.example.judgement.got.astype(int).tolist() == [[count]]
        assert answer.example.trial.expected is not None
        assert answer.example.trial.expected.astype(int).tolist() == [[count - 2]]


def test_bits_that_depend_on_the_number_of_rows(oracle: Oracle) -> None:
    def by_rows(trial: Trial, _: Form) -> CallOutcome:
        """A lonely row is summed up backwards."""
        a, b = trial.call.arrays
        backwards = trial.call.with_operands([a[:, ::-1], b[::-1]])
        return Result(apply(backwards if len(a) == 1 else trial.call))

    (answer,) = answers("rows", oracle, by_rows)
    assert answer.verdict is Verdict.NOT_JUDGED
    assert answer.kind == "a row by itself has other bits than among others"
    assert answer.example is not None
    assert answer.example.trial.call.arrays[0].shape[0] > 1


def test_answers_are_part_of_the_report(check: Check) -> None:
    """Our own is asked what it can be asked, and has to pass."""
    report = check(f"{OUR_OWN},fakes:sums_by_rows", over("matmul", "float32"), cases=[])
    told = {(row.backend, row.probe): row.verdict for row in report.probes}
    expected = {OUR_OWN: Verdict.PASS, "fakes:sums_by_rows": Verdict.NOT_JUDGED}
    for name, of_rows in expected.items():
        of_name = {probe: verdict for (backend, probe), verdict in told.items() if backend == name}
        assert of_name.pop("rows") is of_rows
        assert set(of_name) == {"newer-opset", "newer-ir", "own-precision"}
        assert of_name["own-precision"] is Verdict.NOT_SUPPORTED


def test_a_probe_can_fail_who_has_to_pass(check: Check, oracle: Oracle) -> None:
    name = "fakes:dies_of_long_sums"
    instance = over("matmul", "bfloat16")
    cases = list(generate(instance, 0, oracle))
    short = [case for case in cases if case.call.arrays[0].size < 200]
    report = check(name, instance, required=[name], cases=short)
    assert not [each for each in report.findings if each.verdict is not Verdict.NOT_JUDGED]
    (row,) = report.probes
    assert (row.probe, row.verdict, row.kind) == ("order-of-sum", Verdict.CRASHES, "SIGFPE")
    assert failed(report) == [name]
