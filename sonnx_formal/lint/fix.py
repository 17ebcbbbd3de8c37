"""`--fix`: an Expand before each node that broadcasts, shown by runs to change nothing, written."""

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper

from sonnx_formal.core.files import write_atomically
from sonnx_formal.lint.equivalence import FixError, Step, require_same
from sonnx_formal.lint.examination import Examination, FixEntry, examine
from sonnx_formal.lint.model import FixedInput, label, parts, subgraphs, texts, with_inputs
from sonnx_formal.lint.nodes import find
from sonnx_formal.lint.profile import Application, application
from sonnx_formal.lint.values import StaticShape
from sonnx_formal.spec.operator import ShapeRule

_FIRST_EXPAND = 8
"""The operator set that has Expand first."""

Position = tuple[int, ...]
"""As that of `Node`."""


@dataclass(frozen=True, eq=False)
class BroadcastNode:
    """A node of which one operand at least is broadcast to a shape that is known."""

    name: str
    operands: tuple[tuple[int, str], ...]
    """The inputs that are broadcast: the index and the document's name of each."""
    to: StaticShape


def fix(
    model: onnx.ModelProto, path: Path, fixed: Sequence[FixedInput], output: Path, step: Step
) -> tuple[FixEntry, Examination]:
    """Write the model with explicit broadcasting, and with the inputs that were given.

    :param path: what the model was read from; external data is beside it.
    :param step: is told what goes on.
    :return: what was changed, and what there is to say about the model that was written.

    Raises `FixError` if nothing can be made explicit, if the runs differ or are not possible, or
    if the file cannot be written; nothing is written then.
    """
    folder = path.parent
    tensors = parts(model, onnx.TensorProto)
    external = any(x.data_location == onnx.TensorProto.EXTERNAL for x in tensors)
    if external and output.parent.resolve() != folder.resolve():
        raise FixError(f"{output}: the model has external data, so that it has to stay beside it")
    original = with_inputs(model, fixed)
    chosen = dict(_broadcasts(original, folder))
    if not chosen:
        raise FixError(
            "there is no broadcasting that can be made explicit: none at all, or not with shapes"
            " that are known, outside functions, from opset 8 on"
        )
    changed = explicit(original, chosen)
    equivalence = require_same(original, changed, folder, step)
    after = examine(changed, output)
    try:
        write_atomically(output, changed.SerializeToString())
    except OSError as error:
        raise FixError(f"{output} could not be written: {error.strerror}") from None
    names = tuple(each.name for each in chosen.values())
    return FixEntry(str(output), names, equivalence, after.verdict), after


def _broadcasts(model: onnx.ModelProto, folder: Path) -> Iterator[tuple[Position, BroadcastNode]]:
    """The nodes whose broadcasting can be made explicit: outside functions, all shapes known."""
    for node in find(model, folder, []):
        at = application(node)
        if at and node.position is not None and (found := _broadcast(at)):
            yield node.position, found


def _broadcast(at: Application) -> BroadcastNode | None:
    shapes = [shape for _, _, x in at.operands if (shape := x.static_shape) is not None]
    if (
        at.node.version < _FIRST_EXPAND
        or at.told_to_broadcast
        or at.operator.shape_rule is not ShapeRule.SAME
        or len(shapes) < len(at.node.inputs)
    ):
        return None
    try:
        to = np.broadcast_shapes(*shapes)
    except ValueError:
        return None
    named = enumerate(zip(at.operands, shapes, strict=True))
    operands = tuple((n, name) for n, ((name, _, _), shape) in named if shape != to)
    return BroadcastNode(at.node.name, operands, to) if operands else None


def explicit(model: onnx.ModelProto, chosen: Mapping[Position, BroadcastNode]) -> onnx.ModelProto:
    """A copy in which these nodes have operands of one shape."""
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
    """A name that nothing in the model has."""
    name, number = stem, 1
    while name in names:
        number += 1
        name = f"{stem}_{number}"
    names.add(name)
    return name
