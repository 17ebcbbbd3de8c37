"""A model, node by node: every implementation is asked for each, and what is right goes on.

What the definition of an operator gives is what the next node gets, whatever implementations make
of it: so each node is judged by itself.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import helper

from sonnx_formal.backends.catalogue import OURS, prepare
from sonnx_formal.backends.onnx_backend import evaluator, inputs, operators_by_node, opset
from sonnx_formal.backends.process import CALL_SECONDS, Worker
from sonnx_formal.check.asking import asked, supports
from sonnx_formal.check.compare import judge
from sonnx_formal.check.document import Verdict
from sonnx_formal.check.network_document import NetworkReport, NodeAnswer, NodeRow, ValueText
from sonnx_formal.check.trials import Trial, outcome, posed
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.texts import one_line
from sonnx_formal.lint.model import label
from sonnx_formal.oracle import Oracle
from sonnx_formal.oracle.program import LIBRARY
from sonnx_formal.prover.provenance import BegunRun
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, ElementType, Family, element_type_of

_DATA = {"Constant"}
"""Nodes that compute nothing."""
Say = Callable[[str], None]


@dataclass(frozen=True)
class NetworkRequest:
    name: str
    """Of the model."""
    model: onnx.ModelProto
    sha256: str
    """Of its file."""
    backends: Sequence[str]
    given: Sequence[Array] = ()
    """The inputs in the order of the graph; what is not given is drawn by chance."""
    seed: int = 0
    required: frozenset[str] = frozenset()
    seconds: float = CALL_SECONDS
    environment: Mapping[str, str] | None = None
    """Of the workers, in place of that of this process."""


class _NoResultError(Exception):
    """The definition has no result for a node, so that nothing goes on."""


@dataclass(frozen=True)
class _Run:
    oracle: Oracle
    workers: Mapping[str, Worker]
    say: Say
    rows: list[NodeRow] = field(default_factory=list)

    def computed(self, call: Call, node: onnx.NodeProto) -> Array:
        """What the definition gives. Raises `_NoResultError` for operands that it excludes."""
        name = label(node)
        self.say(f"{name}: {call.operator.title}")
        try:
            instance = call.instance()
        except TypeError as error:
            raise UserError(f"the node {name}: {error}") from None
        trial = posed(self.oracle, name, instance, call)
        workers = self.workers.items() if trial.violated is None else ()
        self.rows.append(
            NodeRow(
                name,
                call.operator.title,
                instance.label,
                tuple(ValueText.of(n, x) for n, _, x in call.bound() if x is not None),
                None if trial.expected is None else trial.expected.shape,
                trial.violated,
                tuple(_answer(backend, worker, trial) for backend, worker in workers),
            )
        )
        if trial.expected is None:
            raise _NoResultError
        return trial.expected


def examined(request: NetworkRequest, oracle: Oracle, say: Say) -> NetworkReport:
    """What becomes of each node.

    :raises UserError: when a node is of no operator here, an input does not fit, or nothing of what
        was asked for is installed.
    """
    made = BegunRun.of(LIBRARY)
    model, known = request.model, operators_by_node(opset(request.model))
    for node in model.graph.node:
        if node.op_type not in known.keys() | _DATA:
            raise UserError(
                f"{request.name}: the node {label(node)} is a {node.op_type}, of which there is no"
                " definition here: sonnx-formal lint says of each node whether it is inside the"
                " profile"
            )
    operands = dict(_inputs(request))
    prepare(request.backends, say)
    with ExitStack() as stack:
        started = {
            name: stack.enter_context(
                Worker(name, seconds=request.seconds, environment=request.environment)
            )
            for name in request.backends
        }
        backends = [asked(worker, request.required) for worker in started.values()]
        here = {each.name: started[each.name] for each in backends if each.missing is None}
        if not here:
            why = "; ".join(f"{each.name}: {each.missing}" for each in backends)
            raise UserError(f"there is nothing to ask, for nothing is installed: {why}")
        run = _Run(oracle, here, say)
        with suppress(_NoResultError):  # the last row says so
            evaluator(model, known, run.computed).run(None, operands)
    return NetworkReport(
        made.ended(),
        request.name,
        request.sha256,
        tuple(ValueText.of(name, array) for name, array in operands.items()),
        tuple(backends),
        tuple(run.rows),
        sum(node.op_type not in _DATA for node in model.graph.node),
    )


def _answer(backend: str, worker: Worker, trial: Trial) -> NodeAnswer:
    if not supports(worker, trial.instance):
        return NodeAnswer(backend, Verdict.NOT_SUPPORTED, ())
    found = judge(trial, outcome(worker, trial), strict=backend in OURS)
    said = (f"standard error: {one_line(found.said)}",) if found.said else ()
    return NodeAnswer(backend, found.verdict, found.kinds + said)


def _inputs(request: NetworkRequest) -> Iterator[tuple[str, Array]]:
    """Each input of the model, as it is given or drawn."""
    wanted = inputs(request.model)
    if len(request.given) > len(wanted):
        names = ", ".join(each.name for each in wanted) or "none"
        raise UserError(f"{request.name}: {len(request.given)} inputs are given; it has {names}")
    random = np.random.default_rng(request.seed)
    for place, value in enumerate(wanted):
        type_ = _type(request.name, value)
        dims = [each.dim_value or 1 for each in value.type.tensor_type.shape.dim]
        if place >= len(request.given):
            yield value.name, _drawn(random, type_, dims)
            continue
        array = request.given[place]
        declared = [each.dim_value or None for each in value.type.tensor_type.shape.dim]
        fits = len(declared) == array.ndim and all(
            size in {None, actual} for size, actual in zip(declared, array.shape, strict=True)
        )
        if element_type_of(array) is not type_ or not fits:
            shown = [size or "?" for size in declared]
            raise UserError(
                f"{request.name}: the input {value.name} is {type_} {shown}; given is"
                f" {element_type_of(array)} {[*array.shape]}"
            )
        yield value.name, array


def _type(model: str, value: onnx.ValueInfoProto) -> ElementType:
    number = value.type.tensor_type.elem_type
    dtype = helper.tensor_dtype_to_np_dtype(number) if number else None
    try:
        type_ = None if dtype is None else element_type_of(np.empty(0, dtype))
    except TypeError:
        type_ = None
    if type_ is None or type_.family in {Family.TEXT, Family.COMPLEX, Family.REAL}:
        raise UserError(f"{model}: the input {value.name} is of {dtype or 'no tensor'}: no operand")
    return type_


def _drawn(random: np.random.Generator, type_: ElementType, shape: Sequence[int]) -> Array:
    """Floats about 0; integers and truth values of all that the type has."""
    if type_.family is Family.FLOAT:
        floats: Array = random.standard_normal(shape).astype(type_.dtype)
        return floats
    if type_.family is Family.BOOLEAN:
        return random.integers(0, 2, shape).astype(type_.dtype)
    range_ = np.iinfo(type_.dtype)
    return random.integers(range_.min, range_.max, shape, type_.dtype, endpoint=True)
