"""`--fix`: an Expand before each node that broadcasts, shown by runs to change nothing, written.

Both models run on seeded operands, special values among them, and no bit may differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from onnx import helper, numpy_helper

from sonnx_formal.core.files import write_atomically
from sonnx_formal.core.grouping import grouped
from sonnx_formal.core.terminal import Step
from sonnx_formal.core.texts import printable
from sonnx_formal.lint.examination import Equivalence, Examination, FixEntry, examine
from sonnx_formal.lint.model import (
    FixedInput,
    LintError,
    label,
    parts,
    subgraphs,
    texts,
    with_inputs,
)
from sonnx_formal.lint.nodes import find
from sonnx_formal.lint.profile import Application, application
from sonnx_formal.lint.runs import (
    MEMORY_GIB,
    EvaluationError,
    Evaluator,
    Feeds,
    Results,
    bounded_memory,
)
from sonnx_formal.lint.values import StaticShape, element_dtype, family, typed
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.spec.operator import ShapeRule

_FIRST_EXPAND = 8
"""The operator set that has Expand first."""

Position = tuple[int, ...]
"""As that of `Node`."""
_KINDS = ("ordinary", "special", "small")
_ROUNDS = 2
"""Of each kind of operands."""
_LARGEST_INDEX = 2
"""Inputs that select something are less than this: most models have two of everything."""


class FixError(LintError):
    """The changed model could not be shown to be the same, so that it is not written."""


@dataclass(frozen=True, eq=False)
class BroadcastNode:
    """A node of which one operand at least is broadcast to a shape that is known."""

    name: str
    operands: tuple[tuple[int, str], ...]
    """The inputs that are broadcast: the index and the document's name of each."""
    to: StaticShape


@dataclass(frozen=True)
class Obstacle:
    """Why a node that broadcasts, or may, cannot say so itself."""

    node: str
    reason: str


def fix(
    model: onnx.ModelProto, path: Path, fixed: Sequence[FixedInput], output: Path, step: Step
) -> tuple[FixEntry, Examination]:
    """Write the model with explicit broadcasting, and with the inputs that were given.

    :param path: what the model was read from; external data is beside it.
    :return: what was changed, and what there is to say about the model that was written.
    :raises FixError: if nothing can be made explicit, if the runs differ or are not possible, or
        if the file cannot be written; nothing is written then.
    """
    folder = path.parent
    tensors = parts(model, onnx.TensorProto)
    external = any(x.data_location == onnx.TensorProto.EXTERNAL for x in tensors)
    if external and output.parent.resolve() != folder.resolve():
        raise FixError(f"{output}: the model has external data, so that it has to stay beside it")
    original = with_inputs(model, fixed)
    chosen, obstacles = _broadcasts(original, folder)
    if not chosen:
        raise FixError(f"there is no broadcasting that can be made explicit: {_told(obstacles)}")
    changed = explicit(original, chosen)
    try:
        with bounded_memory():
            equivalence = require_same(original, changed, folder, step)
    except MemoryError:
        raise FixError(f"to run the models takes more than {MEMORY_GIB} GiB of memory") from None
    after = examine(changed, output)
    try:
        write_atomically(output, changed.SerializeToString())
    except OSError as error:
        raise FixError(f"{output} could not be written: {error.strerror}") from None
    names = tuple(each.name for each in chosen.values())
    return FixEntry(printable(str(output)), names, equivalence, after.verdict), after


def _broadcasts(
    model: onnx.ModelProto, folder: Path
) -> tuple[dict[Position, BroadcastNode], list[Obstacle]]:
    """The nodes whose broadcasting can be made explicit, and those that may broadcast besides."""
    chosen: dict[Position, BroadcastNode] = {}
    obstacles = []
    for node in find(model, folder, []):
        match _broadcast(at) if (at := application(node)) else None:
            case BroadcastNode() as found:
                assert node.position is not None
                chosen[node.position] = found
            case Obstacle() as obstacle:
                obstacles.append(obstacle)
            case None:
                pass
    return chosen, obstacles


def _broadcast(at: Application) -> BroadcastNode | Obstacle | None:
    """None where nothing is broadcast."""
    node = at.node
    operands = [operand for _, _, operand in at.operands]
    first = operands[0].shape if operands else ()
    known = first is not None and None not in first
    alike = known and all(operand.shape == first for operand in operands)
    if at.operator.shape_rule is not ShapeRule.SAME or alike:
        return None
    shapes = [shape for x in operands if (shape := x.static_shape) is not None]
    if len(shapes) < len(node.inputs):
        return Obstacle(node.name, "the shapes are not known: fix those of inputs with --input")
    try:
        to = np.broadcast_shapes(*shapes)
    except ValueError:
        return Obstacle(node.name, "the shapes do not go together")
    if node.version < _FIRST_EXPAND:
        what = f"opset {node.version} has no Expand"
        return Obstacle(node.name, f"{what}: convert the model to opset {_FIRST_EXPAND} or newer")
    if node.position is None:
        return Obstacle(node.name, "it is in a function: inline the functions of the model")
    named = enumerate(zip(at.operands, shapes, strict=True))
    broadcast = tuple((n, name) for n, ((name, _, _), shape) in named if shape != to)
    return BroadcastNode(node.name, broadcast, to)


def _told(obstacles: Sequence[Obstacle]) -> str:
    """Each reason, with the first node that it is true of."""
    reasons = grouped(obstacles, lambda each: each.reason)
    told = (
        f"at {nodes[0].node}{f' and {len(nodes) - 1} more' * (len(nodes) > 1)}, {reason}"
        for reason, nodes in reasons.items()
    )
    return "; ".join(told) or "no element-wise node broadcasts its operands"


def explicit(model: onnx.ModelProto, chosen: Mapping[Position, BroadcastNode]) -> onnx.ModelProto:
    copy = deepcopy(model)
    _expand(copy.graph, (), chosen, {*map(str, texts(copy))})
    return copy


def _expand(
    graph: onnx.GraphProto,
    outside: Position,
    chosen: Mapping[Position, BroadcastNode],
    names: set[str],
) -> None:
    nodes: list[onnx.NodeProto] = []
    for index, node in enumerate(graph.node):
        place = (*outside, index)
        for attribute, _, inner in subgraphs(node):
            _expand(inner, (*place, attribute), chosen, names)
        if broadcast := chosen.get(place):
            nodes += _expansions(node, broadcast, names)
        nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)


def _expansions(
    node: onnx.NodeProto, broadcast: BroadcastNode, names: set[str]
) -> Iterator[onnx.NodeProto]:
    for argument, operand in broadcast.operands:
        stem = f"{label(node)}_{operand}_expanded"
        shape, value = (_fresh(f"{stem}{suffix}", names) for suffix in ("_shape", ""))
        dimensions = numpy_helper.from_array(np.array(broadcast.to, np.int64), shape)
        yield helper.make_node("Constant", [], [shape], name=shape, value=dimensions)
        yield helper.make_node("Expand", [node.input[argument], shape], [value], name=value)
        node.input[argument] = value


def _fresh(stem: str, names: set[str]) -> str:
    name, number = stem, 1
    while name in names:
        number += 1
        name = f"{stem}_{number}"
    names.add(name)
    return name


def require_same(
    original: onnx.ModelProto, changed: onnx.ModelProto, folder: Path, step: Step
) -> Equivalence:
    """Run both on seeded operands, special values among them, and compare all values by name.

    :param folder: where external data is.
    :raises FixError: where the models differ, or where no run is possible.
    """
    known: Results = {}
    try:
        before, after = (Evaluator(model, folder, known) for model in (original, changed))
    except EvaluationError as error:
        raise FixError(f"the reference evaluator of onnx cannot run the model: {error}") from None
    runs = values = failed = 0
    reason = ""
    for kind, operands in feeds(original):
        step("running both models", kind)
        known.clear()
        first, second = (_run(evaluator, operands) for evaluator in (before, after))
        if isinstance(first, str):
            if not isinstance(second, str):
                raise FixError(f"on {kind}, only the changed model runs: {first}")
            reason, failed = first, failed + 1
            continue
        if isinstance(second, str):
            raise FixError(f"on {kind}, the changed model does not run: {second}")
        for name in first:
            if name not in second or not same(first[name], second[name]):
                raise FixError(f"on {kind}, {name} is another value: is the model deterministic?")
        runs, values = runs + 1, len(first)
    if not runs:
        raise FixError(f"the reference evaluator of onnx cannot run the model: {reason}")
    return Equivalence(runs, values, failed)


def same(x: Any, y: Any) -> bool:
    """Whether two results are the same: type, shape and bits; NaN is NaN."""
    if x is y:
        return True
    if isinstance(x, list | tuple) or isinstance(y, list | tuple):
        return type(x) is type(y) and len(x) == len(y) and all(map(same, x, y))
    if x is None or y is None:
        return False
    a, b = np.asarray(x), np.asarray(y)
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.hasobject or a.dtype.kind == "U":
        return bool((a == b).all())
    return a.tobytes() == b.tobytes() or _differ_in_nans_only(a, b)


def _differ_in_nans_only(a: Array, b: Array) -> bool:
    nan = a != a  # noqa: PLR0124 (true of NaN, in every type that has it)
    return bool((nan == (b != b)).all()) and a[~nan].tobytes() == b[~nan].tobytes()  # noqa: PLR0124


def _run(evaluator: Evaluator, operands: Feeds) -> dict[str, Any] | str:
    """What the nodes of the main graph compute; or why there is nothing."""
    try:
        return evaluator.run(operands)
    except EvaluationError as error:
        return str(error)


def feeds(model: onnx.ModelProto) -> Iterator[tuple[str, Feeds]]:
    """The operands of each run, and what they are. Raises `FixError` where none can be made."""
    values = {tensor.name for tensor in model.graph.initializer}
    inputs: list[tuple[str, str, tuple[int, ...]]] = []
    for operand in map(typed, (x for x in model.graph.input if x.name not in values)):
        shape = operand.static_shape
        if shape is None or operand.sparse or operand.element_type is None:
            what = f"input {operand.name} is {operand}, so that the models cannot be run"
            raise FixError(f"{what}: fix its shape with --input")
        inputs.append((operand.name, operand.element_type, shape))
    for kind in _KINDS:
        for seed in range(_ROUNDS):
            random = np.random.default_rng([seed, len(kind)])
            drawn = {name: random.choice(_pool(kind, x), shape) for name, x, shape in inputs}
            yield f"{kind} operands", drawn


def _pool(kind: str, element_type: str) -> Array:
    match family(element_type):
        case Family.BOOLEAN:
            return np.array([False, True])
        case Family.TEXT:
            return np.array(["", "a", "1"], object)
        case Family.INTEGER:
            return _integers(kind, element_dtype(element_type))
        case Family.FLOAT:
            return _floats(kind, element_dtype(element_type))
        case Family.COMPLEX | Family.REAL | None:
            raise FixError(f"the models cannot be run: there are no operands of {element_type}")


def _integers(kind: str, dtype: np.dtype[Any]) -> Array:
    limits = ml_dtypes.iinfo(dtype)  # type: ignore[no-untyped-call]
    least, greatest = int(limits.min), int(limits.max)
    pool = {
        "ordinary": [*range(max(least, -100), min(greatest, 100))],
        "special": [least, least + 1, 1, 2, 3, greatest - 1, greatest],
        "small": [*range(_LARGEST_INDEX)],
    }
    return np.array(pool[kind], dtype)


def _floats(kind: str, dtype: np.dtype[Any]) -> Array:
    if kind == "small":
        return np.arange(_LARGEST_INDEX).astype(dtype)
    if kind == "ordinary":
        return np.random.default_rng(0).standard_normal(1000).astype(dtype)
    limits = ml_dtypes.finfo(dtype)  # type: ignore[no-untyped-call]
    edges = map(float, (limits.max, limits.smallest_normal, limits.smallest_subnormal))
    numbers = [0.0, np.inf, 1.0, 0.5, 3.0, 7.0, *edges]
    with np.errstate(all="ignore"):
        return np.array([np.nan, *numbers, *(-number for number in numbers)]).astype(dtype)
