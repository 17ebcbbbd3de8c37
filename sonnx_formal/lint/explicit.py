"""Makes broadcasting explicit: an Expand with a constant shape before the node."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import helper, numpy_helper

from sonnx_formal.lint.elementwise import broadcasts_by_attribute
from sonnx_formal.lint.examination import Examination
from sonnx_formal.lint.nodes import Node
from sonnx_formal.lint.profile import operands
from sonnx_formal.lint.protobuf import all_graphs, all_nodes, label, subgraphs
from sonnx_formal.lint.shapes import StaticShape, broadcast, static

_FIRST_EXPAND = 8
"""The operator set that has Expand first."""


@dataclass(frozen=True, eq=False)
class Broadcast:
    """A node of which one operand at least is broadcast to a shape that is known."""

    node: Node
    position: tuple[int, ...]
    to: StaticShape


def broadcasts(examination: Examination) -> tuple[Broadcast, ...]:
    """The nodes whose broadcasting can be made explicit: outside functions, all shapes known."""
    return tuple(
        one for judged in examination.nodes if (one := _broadcast(judged.node)) is not None
    )


def _broadcast(node: Node) -> Broadcast | None:
    if node.proto.op_type == "MatMul" or node.version < _FIRST_EXPAND or node.position is None:
        return None
    a, b = (static(one.shape) for one in operands(node))
    if a is None or b is None or a == b or broadcasts_by_attribute(node):
        return None
    to = broadcast(a, b)
    return None if to is None else Broadcast(node, node.position, to)


def explicit(model: onnx.ModelProto, all_broadcasts: tuple[Broadcast, ...]) -> onnx.ModelProto:
    """A copy in which these nodes have operands of one shape."""
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    names = _names(copy)
    # From the last to the first, inner graphs before the nodes that have them: what is inserted
    # moves only nodes that are done.
    for one in sorted(all_broadcasts, key=lambda each: each.position, reverse=True):
        graph, index = _place(copy.graph, one.position)
        for name, operand in zip("AB", operands(one.node), strict=True):
            if static(operand.shape) != one.to:
                _expand(graph, index, "AB".index(name), one.to, names)
                index += 2
    return copy


def _expand(
    graph: onnx.GraphProto, index: int, argument: int, to: StaticShape, names: set[str]
) -> None:
    node = graph.node[index]
    stem = f"{label(node)}_{'AB'[argument]}_expanded"
    shape, value = (_fresh(f"{stem}{suffix}", names) for suffix in ("_shape", ""))
    dimensions = numpy_helper.from_array(np.array(to, np.int64), shape)
    expand = helper.make_node("Expand", [node.input[argument], shape], [value], name=value)
    node.input[argument] = value
    constant = helper.make_node("Constant", [], [shape], name=shape, value=dimensions)
    graph.node.insert(index, expand)
    graph.node.insert(index, constant)


def _place(graph: onnx.GraphProto, position: tuple[int, ...]) -> tuple[onnx.GraphProto, int]:
    index, *rest = position
    if not rest:
        return graph, index
    attribute, *inner = rest
    graphs = {n: one for n, _, one in subgraphs(graph.node[index])}
    return _place(graphs[attribute], tuple(inner))


def _names(model: onnx.ModelProto) -> set[str]:
    return {*_used(model)}


def _used(model: onnx.ModelProto) -> Iterator[str]:
    for graph in all_graphs(model):
        yield from (one.name for one in (*graph.input, *graph.initializer, *graph.value_info))
        yield from (one.values.name for one in graph.sparse_initializer)
    for node in all_nodes(model):
        yield from (node.name, *node.input, *node.output)


def _fresh(stem: str, names: set[str]) -> str:
    """A name that nothing in the model has."""
    name, number = stem, 1
    while name in names:
        number += 1
        name = f"{stem}_{number}"
    names.add(name)
    return name
