"""The probes: each fact that they are there for, shown on implementations that have it."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from sonnx_formal import reference as ops
from sonnx_formal.backends import OUR_OWN
from sonnx_formal.backends.backend import IR_VERSION, OPSET, PLAIN, Form
from sonnx_formal.backends.onnx_model import NEWEST_IR_VERSION, NEWEST_OPSET, model
from sonnx_formal.backends.our_own import OurOwn
from sonnx_formal.backends.process import (
    Crashed,
    Hung,
    NotApplicable,
    Outcome,
    Refused,
    Result,
    WrongKind,
)
from sonnx_formal.check.compare import Verdict
from sonnx_formal.check.probes import PROBES, Answer, Probe
from sonnx_formal.check.trial import Trial
from sonnx_formal.oracle import Oracle
from sonnx_formal.vectors.case import SONNX, Array
from sonnx_formal.vectors.generate import generate
from tests.check.conftest import Check

Run = Callable[[Trial, Form], Outcome]
MUL, DIV, MATMUL = SONNX


def named(name: str) -> list[Probe]:
    found = [one for one in PROBES if one.name == name]
    assert found
    return found


def answers(name: str, oracle: Oracle, run: Run) -> list[Answer]:
    return [probe.ask(probe, oracle, run) for probe in named(name)]


def right(trial: Trial, form: Form = PLAIN) -> Outcome:
    """An implementation that is right in every form."""
    try:
        return Result(OurOwn().run(trial.operator, trial.a, trial.b, PLAIN, trial.attributes))
    except ops.SpecViolation as error:
        return Refused(str(error), error.requirement)


def computes(trial: Trial, form: Form = PLAIN) -> Outcome:
    """NumPy, which broadcasts."""
    of = {MUL: np.multiply, DIV: np.divide, MATMUL: np.matmul}
    return Result(np.asarray(of[trial.operator](trial.a, trial.b)))


def operands(answer: Answer) -> tuple[object, object]:
    assert answer.example
    return answer.example.trial.a.tolist(), answer.example.trial.b.tolist()


@pytest.mark.parametrize("name", sorted({one.name for one in PROBES}))
def test_who_is_right_passes(oracle: Oracle, name: str) -> None:
    for answer in answers(name, oracle, right):
        assert answer == Answer(Verdict.PASS)


@pytest.mark.parametrize("name", sorted({one.name for one in PROBES}))
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
    oracle: Oracle, name: str, outcome: Outcome, verdict: Verdict, kind: str
) -> None:
    """Who refuses everything has not rejected what it should, and silence is no pass."""
    for answer in answers(name, oracle, lambda *_: outcome):
        assert (answer.verdict, answer.kind) == (verdict, kind)


@dataclass(frozen=True)
class TakesUpTo:
    """Refuses what is newer, as a runtime does."""

    opset: int = NEWEST_OPSET
    ir_version: int = NEWEST_IR_VERSION

    def __call__(self, trial: Trial, form: Form) -> Outcome:
        if form.opset > self.opset or form.ir_version > self.ir_version:
            return Refused("too new", None)
        return right(trial)


def test_the_first_version_that_is_refused(oracle: Oracle) -> None:
    (opset,) = answers("newer-opset", oracle, TakesUpTo(opset=NEWEST_OPSET - 2))
    assert (opset.verdict, opset.kind) == (Verdict.REFUSES, "too new")
    assert opset.form == Form(opset=NEWEST_OPSET - 1)
    (version,) = answers("newer-ir", oracle, TakesUpTo(ir_version=IR_VERSION))
    assert (version.verdict, version.form) == (Verdict.REFUSES, Form(ir_version=IR_VERSION + 1))
    (other,) = answers("newer-opset", oracle, TakesUpTo(ir_version=IR_VERSION))
    assert other.verdict is Verdict.PASS


def test_a_layer_that_broadcasts_although_it_is_told_not_to(oracle: Oracle) -> None:
    def ignores_the_rule(trial: Trial, form: Form) -> Outcome:
        assert form.as_file
        return Result(np.asarray(np.multiply(trial.a, trial.b)))

    for answer in answers("layer", oracle, ignores_the_rule):
        assert answer.verdict is Verdict.NOT_JUDGED
        assert answer.kind == "computes what OV-MULTIPLY-1.ATTR.AUTO_BROADCAST excludes"
        assert answer.example is not None
        trial = answer.example.trial
        assert (trial.a.shape, trial.b.shape) == ((8, 1, 6, 1), (7, 1, 5))
        assert trial.attributes.auto_broadcast == "none"


def test_a_layer_that_is_wrong(oracle: Oracle) -> None:
    def off_by_one(trial: Trial, form: Form) -> Outcome:
        outcome = right(trial, form)
        if isinstance(outcome, Result) and trial.attributes.auto_broadcast == "numpy":
            return Result(outcome.array + outcome.array.dtype.type(1))
        return outcome

    for answer in answers("layer", oracle, off_by_one):
        assert answer.verdict is Verdict.DIVERGES
        assert answer.form == Form(as_file=True)


def test_broadcasting_where_dimensions_are_open(oracle: Oracle) -> None:
    def only_if_open(trial: Trial, form: Form) -> Outcome:
        return computes(trial) if form.open_dimensions else right(trial)

    for answer, document in zip(
        answers("open-dimensions", oracle, only_if_open), ("MUL", "DIV"), strict=True
    ):
        # ONNX and its runtimes may broadcast: SONNX has no result to compare.
        assert answer.verdict is Verdict.NOT_JUDGED
        assert answer.kind == f"computes what SONNX-{document}.R4 excludes"
        assert not answer.admissible
        assert operands(answer) == ([1, 1], [1])
        assert answer.form == Form(open_dimensions=True)


def test_broadcasting_in_spite_of_being_told_not_to(oracle: Oracle) -> None:
    """As OpenVINO with `auto_broadcast` none does, once dimensions are open."""

    def forgets(trial: Trial, form: Form) -> Outcome:
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
    def narrow(trial: Trial, form: Form) -> Outcome:
        if form.own_precision and len(trial.a) >= from_side:
            step = 2.0 ** (1 - digits)
            return Result(np.floor(trial.a / step).astype(np.float32) * np.float32(step))
        return right(trial)

    (answer,) = answers("own-precision", oracle, narrow)
    assert answer.verdict is Verdict.DIVERGES
    assert answer.form == Form(own_precision=True)
    assert answer.example is not None
    assert answer.example.trial.a.shape == (from_side, from_side)


def test_wider_sums(oracle: Oracle) -> None:
    def wider(trial: Trial, _: Form) -> Outcome:
        product = np.matmul(trial.a.astype(np.float64), trial.b.astype(np.float64))
        return Result(product.astype(trial.a.dtype))

    for answer, count in zip(answers("order-of-sum", oracle, wider), (2050, 258), strict=True):
        assert answer.verdict is Verdict.NOT_JUDGED  # another order is allowed
        assert answer.kind == "not the bits of the reference order"
        assert answer.example is not None
        assert answer.example.judgement.got is not None
        assert answer.example.judgement.got.astype(int).tolist() == [[count]]
        assert answer.example.trial.expected is not None
        assert answer.example.trial.expected.astype(int).tolist() == [[count - 2]]


def test_bits_that_depend_on_the_number_of_rows(oracle: Oracle) -> None:
    def by_rows(trial: Trial, _: Form) -> Outcome:
        """A lonely row is summed up backwards."""
        a, b = trial.a, trial.b
        return Result(ops.matmul(a[:, ::-1], b[::-1]) if len(a) == 1 else ops.matmul(a, b))

    (answer,) = answers("rows", oracle, by_rows)
    assert answer.verdict is Verdict.NOT_JUDGED
    assert answer.kind == "a row by itself has other bits than among others"
    assert answer.example is not None
    assert answer.example.trial.a.shape[0] > 1


def test_answers_are_part_of_the_report(check: Check) -> None:
    """Our own is asked what it can be asked, and has to pass."""
    report = check(f"{OUR_OWN},fakes:sums_by_rows", (MATMUL, "float32"), cases=[])
    told = {(name, probe.name): answer.verdict for name, probe, answer in report.answers}
    assert told == {
        (OUR_OWN, "own-precision"): Verdict.NOT_SUPPORTED,
        (OUR_OWN, "rows"): Verdict.PASS,
        ("fakes:sums_by_rows", "own-precision"): Verdict.NOT_SUPPORTED,
        ("fakes:sums_by_rows", "rows"): Verdict.NOT_JUDGED,
    }


def test_a_probe_can_fail_who_has_to_pass(check: Check, oracle: Oracle) -> None:
    name = "fakes:dies_of_long_sums"
    short = [one for one in generate(MATMUL, "bfloat16", 0, oracle) if one.a.size < 200]
    report = check(name, (MATMUL, "bfloat16"), required=[name], cases=short)
    assert not [one for one in report.findings if one.verdict is not Verdict.NOT_JUDGED]
    ((_, probe, answer),) = report.answers
    assert (probe.name, answer.verdict, answer.kind) == ("order-of-sum", Verdict.CRASHES, "SIGFPE")
    assert report.failed() == [name]


def test_models_of_each_form() -> None:
    def dims(form: Form) -> list[int]:
        one: Array = np.ones((2, 3), np.float32)
        return [
            d.dim_value
            for d in model(MUL, one, one, form).graph.input[0].type.tensor_type.shape.dim
        ]

    one: Array = np.ones((2, 3), np.float32)
    plain = model(MUL, one, one)
    assert (plain.opset_import[0].version, plain.ir_version) == (OPSET, IR_VERSION) == (14, 8)
    newer = model(MUL, one, one, Form(opset=20, ir_version=11))
    assert (newer.opset_import[0].version, newer.ir_version) == (20, 11)
    assert dims(PLAIN) == [2, 3]
    assert dims(Form(open_dimensions=True)) == [0, 0]
