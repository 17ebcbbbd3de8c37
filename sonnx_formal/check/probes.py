"""Questions that test vectors cannot put: models in other forms, and how sums are rounded.

Each is put to every implementation apart from the cases. Its answer has a verdict and, where it is
not plainly yes, the smallest input that was found.
"""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import prod

import numpy as np

from sonnx_formal.backends.backend import IR_VERSION, OPSET, PLAIN, Form
from sonnx_formal.backends.onnx_model import NEWEST_IR_VERSION, NEWEST_OPSET
from sonnx_formal.backends.process import Outcome, Result
from sonnx_formal.check.compare import Judgement, Verdict, judge
from sonnx_formal.check.elements import same
from sonnx_formal.check.smallest import Example
from sonnx_formal.check.trial import Trial, posed
from sonnx_formal.oracle import Oracle
from sonnx_formal.oracle.attributes import UNSET, Attributes
from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.vectors.case import SONNX, Array, Operator

Run = Callable[[Trial, Form], Outcome]

_ALLOWED = {Verdict.PASS, Verdict.WITHIN_BOUND}
_OTHER_ORDER = "not the bits of the reference order"
_OTHER_ROWS = "a row by itself has other bits than among others"


@dataclass(frozen=True)
class Answer:
    """What an implementation answers."""

    verdict: Verdict
    kind: str = ""
    """In words, what is wrong, or why it was not asked."""
    form: Form = PLAIN
    example: Example | None = None

    @property
    def admissible(self) -> bool:
        """Whether the specification has a result for the operands of the example."""
        return self.example is None or self.example.trial.violated is None


@dataclass(frozen=True)
class Probe:
    """A question. It is asked of all who take the operator over the element type."""

    name: str
    question: str
    operator: Operator
    element_type: str
    ask: Callable[["Probe", Oracle, Run], Answer]

    def trial(self, oracle: Oracle, a: Array, b: Array, attributes: Attributes = UNSET) -> Trial:
        """These operands, with what the formal definition has for them."""
        name = f"probe-{self.name}"
        return posed(oracle, name, self.operator, self.element_type, a, b, attributes=attributes)

    def ones(self, *shape: int) -> Array:
        made: Array = np.ones(shape, NUMERICAL[self.element_type].dtype)
        return made

    def counted(self, *shape: int) -> Array:
        """0, 1, … 10, and again."""
        numbers = np.arange(prod(shape)) % 11
        return numbers.astype(NUMERICAL[self.element_type].dtype).reshape(shape)


Attempt = tuple[Trial, Form]


def _first_departure(attempts: Iterable[Attempt], run: Run) -> Answer:
    """The answer to the first attempt that does not pass, of those the smallest; or a pass."""
    for trial, form in attempts:
        judgement = judge(trial, run(trial, form), strict=False)
        if judgement.verdict not in _ALLOWED:
            return _answer(trial, form, judgement)
    return Answer(Verdict.PASS)


def _answer(trial: Trial, form: Form, judgement: Judgement) -> Answer:
    kind = "; ".join(judgement.kinds)
    if judgement.verdict is Verdict.NOT_SUPPORTED:
        return Answer(judgement.verdict, kind)
    return Answer(judgement.verdict, kind, form, Example(trial, judgement))


def _versions(forms: Iterable[Form]) -> Callable[[Probe, Oracle, Run], Answer]:
    def ask(probe: Probe, oracle: Oracle, run: Run) -> Answer:
        trial = probe.trial(oracle, probe.ones(1), probe.ones(1))
        return _first_departure(((trial, form) for form in forms), run)

    return ask


def _open_dimensions(probe: Probe, oracle: Oracle, run: Run) -> Answer:
    return _first_departure(_shapes(probe, oracle, Form(open_dimensions=True)), run)


def _never_broadcast(probe: Probe, oracle: Oracle, run: Run) -> Answer:
    """Here, a result for shapes that differ is wrong: it was told that there is to be none."""
    for form in (Form(never_broadcast=True), Form(open_dimensions=True, never_broadcast=True)):
        answer = _first_departure(_shapes(probe, oracle, form), run)
        if answer.verdict is Verdict.NOT_JUDGED:
            return Answer(Verdict.DIVERGES, answer.kind, answer.form, answer.example)
        if answer.verdict is not Verdict.PASS:
            return answer
    return Answer(Verdict.PASS)


def _shapes(probe: Probe, oracle: Oracle, form: Form) -> Iterable[Attempt]:
    """One shape first: only who computes anything can be said to reject the rest."""
    one, two = probe.ones(1), probe.ones(2)
    for a, b in [(two, two), (two, one), (one, two), (two, probe.ones(1, 2))]:
        yield probe.trial(oracle, a, b), form


def _own_precision(probe: Probe, oracle: Oracle, run: Run) -> Answer:
    """A number of 12 digits times the identity: a format of 8 or 11 digits loses the last one."""

    def attempts() -> Iterable[Attempt]:
        for side in (1, 2, 4, 16, 32):
            identity = np.eye(side, dtype=NUMERICAL[probe.element_type].dtype)
            a = np.full_like(identity, 1 + 2.0**-11)
            yield probe.trial(oracle, a, identity), Form(own_precision=True)

    return _first_departure(attempts(), run)


def _order_of_sum(probe: Probe, oracle: Oracle, run: Run) -> Answer:
    """As many ones as there are numbers of all digits, and two more, which the format can tell.

    In the reference order the sum sticks when one more is half a unit of the last place.
    """
    count = {"float16": 2**11, "bfloat16": 2**8}[probe.element_type] + 2
    trial = probe.trial(oracle, probe.ones(1, count), probe.ones(count, 1))
    judgement = judge(trial, run(trial, PLAIN), strict=True)
    if judgement.wrong:
        judgement = Judgement(Verdict.NOT_JUDGED, (_OTHER_ORDER,), got=judgement.got)
    if judgement.verdict is Verdict.PASS:
        return Answer(Verdict.PASS)
    return _answer(trial, PLAIN, judgement)


def _rows(probe: Probe, oracle: Oracle, run: Run) -> Answer:
    """Nothing is held against the definition here but that there is a result at all."""
    chance = random.Random(0)
    dtype = NUMERICAL[probe.element_type].dtype
    for inner in (2, 3, 4, 8, 16, 32, 64, 128, 256):
        a = np.array([[chance.random() for _ in range(inner)] for _ in range(4)], dtype)
        b = np.array([[chance.random() for _ in range(4)] for _ in range(inner)], dtype)
        for rows, columns in [(2, 1), (4, 1), (2, 4), (4, 4)]:
            whole = probe.trial(oracle, a[:rows], b[:, :columns])
            alone = probe.trial(oracle, a[:1], b[:, :columns])
            results: list[Array] = []
            for trial in (whole, alone):
                outcome = run(trial, PLAIN)
                judgement = judge(trial, outcome, strict=False)
                if judgement.verdict not in {*_ALLOWED, Verdict.NOT_JUDGED}:
                    return _answer(trial, PLAIN, judgement)
                assert isinstance(outcome, Result)
                results.append(outcome.array)
            among, by_itself = results[0][:1], results[1]
            if not same(by_itself, among, whole.type).all():
                judgement = Judgement(Verdict.NOT_JUDGED, (_OTHER_ROWS,), got=results[0])
                return _answer(whole, PLAIN, judgement)
    return Answer(Verdict.PASS)


def _layer(probe: Probe, oracle: Oracle, run: Run) -> Answer:
    """The layers of the document, and the rules that it has."""
    shapes = [((256, 56), (256, 56), "none"), ((8, 1, 6, 1), (7, 1, 5), None)]
    shapes += [((8, 1, 6, 1), (7, 1, 5), rule) for rule in ("numpy", "none")]
    shapes += [((2,), (3,), None), ((), (), None), ((0, 1), (3,), None)]

    def attempts() -> Iterable[Attempt]:
        for s, u, rule in shapes:
            a, b = (probe.counted(*one) for one in (s, u))
            attributes = Attributes(auto_broadcast=rule)
            yield probe.trial(oracle, a, b, attributes), Form(as_file=True)

    return _first_departure(attempts(), run)


_MUL, _DIV, _MATMUL = SONNX

PROBES: tuple[Probe, ...] = (
    Probe(
        "newer-opset",
        "does it take models of newer operator sets?",
        _MUL,
        "float32",
        _versions([Form(opset=version) for version in range(OPSET, NEWEST_OPSET + 1)]),
    ),
    Probe(
        "newer-ir",
        "does it take models of newer IR versions?",
        _MUL,
        "float32",
        _versions([Form(ir_version=each) for each in range(IR_VERSION, NEWEST_IR_VERSION + 1)]),
    ),
    *(
        Probe(
            "open-dimensions",
            "does it reject shapes that differ where the model leaves the dimensions open?",
            operator,
            "float32",
            _open_dimensions,
        )
        for operator in (_MUL, _DIV)
    ),
    *(
        Probe(
            "never-broadcast",
            "does it reject shapes that differ when it is told not to broadcast?",
            operator,
            "float32",
            _never_broadcast,
        )
        for operator in (_MUL, _DIV)
    ),
    Probe(
        "own-precision",
        "does it compute in the element type without being told to?",
        _MATMUL,
        "float32",
        _own_precision,
    ),
    *(
        Probe(
            "order-of-sum",
            "is a long sum that of the reference order, each step rounded to the element type?",
            _MATMUL,
            element_type,
            _order_of_sum,
        )
        for element_type in ("float16", "bfloat16")
    ),
    Probe(
        "rows",
        "has a row of the result the same bits however many rows there are?",
        _MATMUL,
        "float32",
        _rows,
    ),
    *(
        Probe(
            "layer",
            "does it read the operator as a layer of a file of OpenVINO, too?",
            Operator.OV_MULTIPLY_1,
            element_type,
            _layer,
        )
        for element_type in ("float32", "bfloat16", "uint16")
    ),
)
