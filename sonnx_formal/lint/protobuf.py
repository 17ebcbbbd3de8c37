"""Walks through the messages of which an ONNX model consists."""

from collections.abc import Iterator
from typing import Any

import onnx


def subgraphs(node: onnx.NodeProto) -> Iterator[tuple[int, str, onnx.GraphProto]]:
    """The graphs in the attributes of a node: index and name of the attribute, graph."""
    for index, attribute in enumerate(node.attribute):
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield index, attribute.name, attribute.g


def all_nodes(model: onnx.ModelProto) -> Iterator[onnx.NodeProto]:
    """The nodes of all graphs and of all functions."""
    pending = [*model.graph.node, *(node for each in model.functions for node in each.node)]
    while pending:
        node = pending.pop()
        yield node
        pending += [inner for _, _, graph in subgraphs(node) for inner in graph.node]


def all_graphs(model: onnx.ModelProto) -> Iterator[onnx.GraphProto]:
    """The main graph, and those in the attributes of all nodes."""
    yield model.graph
    for node in all_nodes(model):
        yield from (graph for _, _, graph in subgraphs(node))


def all_tensors(model: onnx.ModelProto) -> Iterator[onnx.TensorProto]:
    """The tensors that the file holds: initializers and attributes, dense and sparse."""
    for graph in all_graphs(model):
        yield from graph.initializer
        for sparse in graph.sparse_initializer:
            yield from (sparse.values, sparse.indices)
    for node in all_nodes(model):
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            if attribute.HasField("sparse_tensor"):
                yield from (attribute.sparse_tensor.values, attribute.sparse_tensor.indices)
            yield from attribute.tensors


def free_names(node: onnx.NodeProto) -> set[str]:
    """The values that a node takes from around it: its inputs, and what its graphs refer to."""
    names = {name for name in node.input if name}
    for _, _, graph in subgraphs(node):
        inner = {value.name for value in (*graph.input, *graph.initializer)}
        inner |= {sparse.values.name for sparse in graph.sparse_initializer}
        inner |= {name for each in graph.node for name in each.output}
        outer = {name for each in graph.node for name in free_names(each)}
        names |= (outer | {value.name for value in graph.output}) - inner
    return names


def is_text(model: onnx.ModelProto) -> bool:
    """Whether all names and other texts in a model are UTF-8: otherwise, they are bytes."""
    pending: list[Any] = [model]
    while pending:
        for field, content in pending.pop().ListFields():
            several = content if field.is_repeated else [content]
            if field.type == field.TYPE_MESSAGE:
                pending += several
            elif field.type == field.TYPE_STRING and not all(isinstance(x, str) for x in several):
                return False
    return True


def label(node: onnx.NodeProto) -> str:
    """What a node is called: its name or, if it has none, what it computes."""
    return node.name or f"{node.op_type}:{next(filter(None, node.output), '')}"
