"""Questions that test vectors cannot put: models in other forms, and how sums are rounded."""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from typing import Any

import numpy as np

from sonnx_formal.backends.backend import PLAIN, CallOutcome, Form, Result
from sonnx_formal.backends.plainest import ones, places, plainest
from sonnx_formal.check.compare import Judgement, judge, same
from sonnx_formal.check.document import Verdict
from sonnx_formal.check.smallest import Counterexample
from sonnx_formal.check.trials import Trial, posed
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import instances
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.onnx_model import NEWEST_IR_VERSION, NEWEST_OPSET
from sonnx_formal.spec.operator import IR_VERSION, OPSET, Instance, ShapeRule, System

Run = Callable[[Trial, Form], CallOutcome]

_ALLOWED = {Verdict.PASS, Verdict.WITHIN_BOUND}
_SHORT = 11
_OTHER_ORDER = "not the bits of the reference order"
_OTHER_ROWS = "a row by itself has other bits than among others"


@dataclass(frozen=True)
class ProbeAnswer:
    verdict: Verdict
    kind: str = ""
    """In words, what is wrong, or why it was not asked."""
    form: Form = PLAIN
    example: Counterexample | None = None

    @property
    def admissible(self) -> bool:
        """Whether the specification has a result for the operands of the example."""
        return self.example is None or self.example.trial.violated is None


@dataclass(frozen=True)
class Probe:
    """A question. It is asked of all who take the operator over the element types."""

    name: str
    question: str
    instance: Instance
    ask: "Ask"

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.instance.types[0].dtype

    def trial(self, oracle: Oracle, *operands: Array, **attributes: Any) -> Trial:
        """These operands, with what the formal definition has for them.

        :param attributes: besides what each node has to set.
        """
        operator = self.instance.operator
        least = (operator.least_attributes or UNSET).as_dict()
        call = Call(operator, operands, Attributes.of({**least, **attributes}))
        return posed(oracle, f"probe-{self.name}", self.instance, call)

    def ones(self, *shape: int) -> Array:
        return ones(shape, self.instance.types[0])


Ask = Callable[[Probe, Oracle, Run], ProbeAnswer]
Attempt = tuple[Trial, Form]
_QUESTIONS: list[tuple[str, str, Ask, Callable[[Instance], bool]]] = []
"""Names, questions, how they are asked, and of which operators they are meaningful."""


def _question(name: str, question: str, is_for: Callable[[Instance], bool]) -> Callable[[Ask], Ask]:
    def decorate(ask: Ask) -> Ask:
        _QUESTIONS.append((name, question, ask, is_for))
        return ask

    return decorate


def _first_departure(attempts: Iterable[Attempt], run: Run) -> ProbeAnswer:
    """The answer to the first attempt that does not pass, of those the smallest; or a pass."""
    for trial, form in attempts:
        judgement = judge(trial, run(trial, form), strict=False)
        if judgement.verdict not in _ALLOWED:
            return _answer(trial, judgement, form)
    return ProbeAnswer(Verdict.PASS)


def _answer(trial: Trial, judgement: Judgement, form: Form = PLAIN) -> ProbeAnswer:
    kind = "; ".join(judgement.kinds)
    if judgement.verdict is Verdict.NOT_SUPPORTED:
        return ProbeAnswer(judgement.verdict, kind)
    return ProbeAnswer(judgement.verdict, kind, form, Counterexample(trial, judgement))


def _named(instance: Instance, *names: str) -> bool:
    return {type_.name for type_ in instance.types} <= {*names}


def _has_plain_model(instance: Instance) -> bool:
    of_sonnx = instance.operator.system is System.SONNX and instance.operator.onnx is not None
    return of_sonnx and _named(instance, "float32") and plainest(instance) is not None


def _has_one_shape(instance: Instance) -> bool:
    several = len(places(instance.operator)) > 1
    same_shape = instance.operator.shape_rule is ShapeRule.SAME
    return several and same_shape and _has_plain_model(instance)


def _multiplies_float32(instance: Instance) -> bool:
    return _named(instance, "float32") and instance.multiplies_floats


def _multiplies_narrow_floats(instance: Instance) -> bool:
    """A sum of as many ones as there are numbers of so many digits is not too long to be tried."""
    return instance.multiplies_floats and instance.types[0].format.precision <= _SHORT


def _is_layer(instance: Instance) -> bool:
    operator = instance.operator
    of_openvino = operator.system is System.OPENVINO and operator.attribute("auto_broadcast")
    return bool(of_openvino) and _named(instance, "float32", "bfloat16", "uint16")


@_question("newer-opset", "does it take models of newer operator sets?", _has_plain_model)
def _newer_opset(probe: Probe, oracle: Oracle, run: Run) -> ProbeAnswer:
    node = probe.instance.operator.onnx
    assert node is not None
    last = NEWEST_OPSET if node.until is None else node.until - 1
    versions = range(max(OPSET, node.since), last + 1)
    return _plainest_in(probe, oracle, run, [Form(opset=version) for version in versions])


@_question("newer-ir", "does it take models of newer IR versions?", _has_plain_model)
def _newer_ir(probe: Probe, oracle: Oracle, run: Run) -> ProbeAnswer:
    versions = range(IR_VERSION, NEWEST_IR_VERSION + 1)
    return _plainest_in(probe, oracle, run, [Form(ir_version=version) for version in versions])


def _plainest_in(probe: Probe, oracle: Oracle, run: Run, forms: Iterable[Form]) -> ProbeAnswer:
    call = plainest(probe.instance)
    assert call is not None
    trial = probe.trial(oracle, *call.arrays)
    return _first_departure(((trial, form) for form in forms), run)


@_question(
    "open-dimensions",
    "does it reject shapes that differ where the model leaves the dimensions open?",
    _has_one_shape,
)
def _open_dimensions(probe: Probe, oracle: Oracle, run: Run) -> ProbeAnswer:
    return _first_departure(_shapes(probe, oracle, Form(open_dimensions=True)), run)


@_question(
    "never-broadcast",
    "does it reject shapes that differ when it is told not to broadcast?",
    _has_one_shape,
)
def _never_broadcast(probe: Probe, oracle: Oracle, run: Run) -> ProbeAnswer:
    """Here, a result for shapes that differ is wrong: it was told that there is to be none."""
    forms = Form(never_broadcast=True), Form(open_dimensions=True, never_broadcast=True)
    attempts = (attempt for form in forms for attempt in _shapes(probe, oracle, form))
    answer = _first_departure(attempts, run)
    wrong = answer.verdict is Verdict.NOT_JUDGED
    return replace(answer, verdict=Verdict.DIVERGES) if wrong else answer


def _shapes(probe: Probe, oracle: Oracle, form: Form) -> Iterable[Attempt]:
    """One shape first: only who computes anything can be said to reject the rest."""
    single, two = probe.ones(1), probe.ones(2)
    count = len(places(probe.instance.operator))
    for a, b in [(two, two), (two, single), (single, two), (two, probe.ones(1, 2))]:
        yield probe.trial(oracle, a, *[b] * (count - 1)), form


@_question(
    "own-precision",
    "does it compute in the element type without being told to?",
    _multiplies_float32,
)
def _own_precision(probe: Probe, oracle: Oracle, run: Run) -> ProbeAnswer:
    """A number of 12 digits times the identity: a format of 8 or 11 digits loses the last one."""
    identities = (np.eye(side, dtype=probe.dtype) for side in (1, 2, 4, 16, 32))
    trials = (probe.trial(oracle, np.full_like(b, 1 + 2.0**-11), b) for b in identities)
    return _first_departure(((trial, Form(own_precision=True)) for trial in trials), run)


@_question(
    "order-of-sum",
    "is a long sum that of the reference order, each step rounded to the element type?",
    _multiplies_narrow_floats,
)
def _order_of_sum(probe: Probe, oracle: Oracle, run: Run) -> ProbeAnswer:
    """As many ones as there are numbers of all digits, and two more, which the format can tell.

    In the reference order the sum sticks when one more is half a unit of the last place.
    """
    count = 2 ** probe.instance.types[0].format.precision + 2
    trial = probe.trial(oracle, probe.ones(1, count), probe.ones(count, 1))
    judgement = judge(trial, run(trial, PLAIN), strict=True)
    if judgement.wrong:
        judgement = Judgement(Verdict.NOT_JUDGED, (_OTHER_ORDER,), got=judgement.got)
    passed = judgement.verdict is Verdict.PASS
    return ProbeAnswer(Verdict.PASS) if passed else _answer(trial, judgement)


@_question(
    "rows",
    "has a row of the result the same bits however many rows there are?",
    _multiplies_float32,
)
def _rows(probe: Probe, oracle: Oracle, run: Run) -> ProbeAnswer:
    """Nothing is held against the definition here but that there is a result at all."""
    chance = random.Random(0)
    for inner in (2, 3, 4, 8, 16, 32, 64, 128, 256):
        a = np.array([[chance.random() for _ in range(inner)] for _ in range(4)], probe.dtype)
        b = np.array([[chance.random() for _ in range(4)] for _ in range(inner)], probe.dtype)
        for rows, columns in [(2, 1), (4, 1), (2, 4), (4, 4)]:
            whole = probe.trial(oracle, a[:rows], b[:, :columns])
            alone = probe.trial(oracle, a[:1], b[:, :columns])
            results: list[Array] = []
            for trial in (whole, alone):
                outcome = run(trial, PLAIN)
                judgement = judge(trial, outcome, strict=False)
                if judgement.verdict not in {*_ALLOWED, Verdict.NOT_JUDGED}:
                    return _answer(trial, judgement)
                assert isinstance(outcome, Result)
                results.append(outcome.array)
            among, by_itself = results[0][:1], results[1]
            if not same(by_itself, among, whole.result_type).all():
                return _answer(whole, Judgement(Verdict.NOT_JUDGED, (_OTHER_ROWS,), got=results[0]))
    return ProbeAnswer(Verdict.PASS)


@_question("layer", "does it read the operator as a layer of a file of OpenVINO, too?", _is_layer)
def _layer(probe: Probe, oracle: Oracle, run: Run) -> ProbeAnswer:
    shapes = [((256, 56), (256, 56), "none"), ((8, 1, 6, 1), (7, 1, 5), None)]
    shapes += [((8, 1, 6, 1), (7, 1, 5), rule) for rule in ("numpy", "none")]
    shapes += [((2,), (3,), None), ((), (), None), ((0, 1), (3,), None)]

    def attempts() -> Iterable[Attempt]:
        for s, u, rule in shapes:
            # 0, 1, … 10, and again.
            operands = [(np.arange(prod(x)) % 11).astype(probe.dtype).reshape(x) for x in (s, u)]
            yield probe.trial(oracle, *operands, auto_broadcast=rule), Form(as_file=True)

    return _first_departure(attempts(), run)


@cache
def probes() -> tuple[Probe, ...]:
    """The questions to each operator that its declaration makes meaningful."""
    return tuple(
        Probe(name, question, instance, ask)
        for name, question, ask, is_for in _QUESTIONS
        for instance in instances()
        if is_for(instance)
    )
