"""Makes broadcasting explicit: an Expand with a constant shape before the node."""

from dataclasses import dataclass

import numpy as np
import onnx
from onnx import helper, numpy_helper

from sonnx_formal.lint.examination import Examination
from sonnx_formal.lint.profile import Application
from sonnx_formal.lint.protobuf import all_graphs, all_nodes, label, subgraphs
from sonnx_formal.lint.shapes import StaticShape, broadcast, static
from sonnx_formal.spec.operator import ShapeRule

_FIRST_EXPAND = 8
"""The operator set that has Expand first."""


@dataclass(frozen=True, eq=False)
class BroadcastNode:
    """A node of which one operand at least is broadcast to a shape that is known."""

    name: str
    position: tuple[int, ...]
    operands: tuple[tuple[int, str], ...]
    """The inputs that are broadcast: the index and the document's name of each."""
    to: StaticShape


def broadcasts(examination: Examination) -> tuple[BroadcastNode, ...]:
    """The nodes whose broadcasting can be made explicit: outside functions, all shapes known."""
    found = (_broadcast(judged.at) for judged in examination.nodes)
    return tuple(each for each in found if each is not None)


def _broadcast(at: Application) -> BroadcastNode | None:
    node = at.node
    if node.version < _FIRST_EXPAND or node.position is None or at.told_to_broadcast:
        return None
    shapes = [shape for _, _, x in at.operands if (shape := static(x.shape)) is not None]
    if at.operator.shape_rule is not ShapeRule.SAME or len(shapes) < len(node.inputs):
        return None
    to = broadcast(shapes)
    names = (name for name, _, _ in at.operands)
    operands = tuple(
        (n, name) for n, (name, shape) in enumerate(zip(names, shapes, strict=True)) if shape != to
    )
    if to is None or not operands:
        return None
    return BroadcastNode(node.name, node.position, operands, to)


def explicit(model: onnx.ModelProto, all_broadcasts: tuple[BroadcastNode, ...]) -> onnx.ModelProto:
    """A copy in which these nodes have operands of one shape."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    names = _names(copy)
    # From the last to the first, inner graphs before the nodes that have them: what is inserted
    # moves only nodes that are done.
    for each in sorted(all_broadcasts, key=lambda place: place.position, reverse=True):
        graph, index = _place(copy.graph, each.position)
        node = graph.node[index]
        for argument, name in each.operands:
            stem = f"{label(node)}_{name}_expanded"
            shape, value = (_fresh(f"{stem}{suffix}", names) for suffix in ("_shape", ""))
            dimensions = numpy_helper.from_array(np.array(each.to, np.int64), shape)
            expand = helper.make_node("Expand", [node.input[argument], shape], [value], name=value)
            node.input[argument] = value
            constant = helper.make_node("Constant", [], [shape], name=shape, value=dimensions)
            graph.node.insert(index, expand)
            graph.node.insert(index, constant)
            index += 2
            node = graph.node[index]
    return copy


def _place(graph: onnx.GraphProto, position: tuple[int, ...]) -> tuple[onnx.GraphProto, int]:
    index, *rest = position
    if not rest:
        return graph, index
    attribute, *inner = rest
    graphs = {n: each for n, _, each in subgraphs(graph.node[index])}
    return _place(graphs[attribute], tuple(inner))


def _names(model: onnx.ModelProto) -> set[str]:
    """All that something in the model is called."""
    names: set[str] = set()
    for graph in all_graphs(model):
        names |= {x.name for x in (*graph.input, *graph.initializer, *graph.value_info)}
        names |= {sparse.values.name for sparse in graph.sparse_initializer}
    return names.union(*({node.name, *node.input, *node.output} for node in all_nodes(model)))


def _fresh(stem: str, names: set[str]) -> str:
    """A name that nothing in the model has."""
    name, number = stem, 1
    while name in names:
        number += 1
        name = f"{stem}_{number}"
    names.add(name)
    return name
