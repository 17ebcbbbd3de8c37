"""Finds the nodes of a model, wherever they are, with what is known of their operands."""

from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import onnx
from onnx import shape_inference

from sonnx_formal.lint import constants, functions
from sonnx_formal.lint.errors import ModelError, one_line
from sonnx_formal.lint.protobuf import all_nodes, label, subgraphs
from sonnx_formal.lint.reading import DEFAULT_DOMAIN, FIRST_WITH_DEFAULTS
from sonnx_formal.lint.values import Value, element_name, typed

Note = Callable[[str], None]


@dataclass(frozen=True, eq=False)
class Node:
    """A node that is no call of a local function."""

    path: tuple[str, ...]
    """What it is in: a node and its attribute for each inner graph; a call, and the function."""
    position: tuple[int, ...] | None
    """Index of node, attribute, node, … from the main graph on; None in functions."""
    proto: onnx.NodeProto
    domain: str
    version: int
    """Of the operator set of its domain."""
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]

    @property
    def name(self) -> str:
        """Its path and its own name."""
        return "/".join([*self.path, label(self.proto)])

    @property
    def op_type(self) -> str:
        """What ONNX calls the operator."""
        return str(self.proto.op_type)


@dataclass(frozen=True, eq=False)
class _Scope:
    """What nodes of a graph see."""

    model: onnx.ModelProto
    values: ChainMap[str, Value]
    path: tuple[str, ...]
    position: tuple[int, ...] | None
    folder: Path
    note: Note

    def opset(self, domain: str) -> int:
        same = DEFAULT_DOMAIN if domain in DEFAULT_DOMAIN else {domain}
        return next((each.version for each in self.model.opset_import if each.domain in same), 0)

    def value(self, name: str) -> Value:
        return self.values.get(name, Value(name))


def find(model: onnx.ModelProto, folder: Path, note: Note) -> Iterator[Node]:
    """All nodes, in inner graphs and in called functions, too: those once a call.

    :param folder: where external data is.
    :param note: is told what else there is to say about the model.

    Raises `ModelError` if types cannot be inferred.
    """
    whole = _inferred(model, note)
    scope = _Scope(whole, ChainMap(), (), (), folder, note)
    yield from _in_graph(whole.graph, scope, {})
    called = {functions.key(node) for node in all_nodes(model)}
    for function in model.functions:
        if functions.key(function) not in called:
            note(one_line(f"function {function.domain}::{function.name} is never called"))


def _in_graph(graph: onnx.GraphProto, outer: _Scope, known: Mapping[str, Value]) -> Iterator[Node]:
    values = outer.values.new_child({})
    scope = replace(outer, values=values)
    for value in (*graph.value_info, *graph.output, *graph.input):
        values[value.name] = typed(value)
    values.update(_initializers(graph, scope))
    values.update(known)
    for index, node in enumerate(graph.node):
        yield from _at(node, index, scope)


def _initializers(graph: onnx.GraphProto, scope: _Scope) -> Iterator[tuple[str, Value]]:
    inputs = {value.name for value in graph.input}
    for tensor in graph.initializer:
        default = tensor.name in inputs and scope.model.ir_version >= FIRST_WITH_DEFAULTS
        constant = None if default else constants.of_tensor(tensor, scope.folder)
        type_, shape = element_name(tensor.data_type), tuple(tensor.dims)
        yield tensor.name, Value(tensor.name, type_, shape, constant=constant)
    for sparse in graph.sparse_initializer:
        yield sparse.values.name, _sparse(sparse.values.name, sparse)


def _sparse(name: str, sparse: onnx.SparseTensorProto) -> Value:
    return Value(name, element_name(sparse.values.data_type), tuple(sparse.dims), sparse=True)


def _at(proto: onnx.NodeProto, index: int, scope: _Scope) -> Iterator[Node]:
    key = functions.key(proto)
    called = next((each for each in scope.model.functions if functions.key(each) == key), None)
    if called is not None:
        yield from _in_function(proto, called, scope)
        return
    domain = "" if proto.domain in DEFAULT_DOMAIN else proto.domain
    version = scope.opset(domain)
    if domain == "":
        _add_constant(proto, version, scope)
    yield Node(
        scope.path,
        None if scope.position is None else (*scope.position, index),
        proto,
        domain,
        version,
        tuple(map(scope.value, proto.input)),
        tuple(map(scope.value, proto.output)),
    )
    for attribute, name, graph in subgraphs(proto):
        position = None if scope.position is None else (*scope.position, index, attribute)
        path = (*scope.path, label(proto), name)
        yield from _in_graph(graph, replace(scope, path=path, position=position), {})


def _add_constant(proto: onnx.NodeProto, version: int, scope: _Scope) -> None:
    for attribute in proto.attribute:
        if proto.op_type == "Constant" and attribute.name == "sparse_value":
            (name,) = proto.output
            scope.values[name] = _sparse(name, attribute.sparse_tensor)
            return
    constant = constants.of_node(proto, scope.values, version, scope.folder)
    if constant is not None:
        (name,) = proto.output
        scope.values[name] = replace(scope.value(name), sparse=False, constant=constant)


def _in_function(
    call: onnx.NodeProto, function: onnx.FunctionProto, scope: _Scope
) -> Iterator[Node]:
    arguments = dict(zip(function.input, map(scope.value, call.input), strict=False))
    model = _inferred(functions.body(call, function, arguments, scope.model), scope.note)
    path = (*scope.path, label(call), f"{function.domain}::{function.name}")
    inside = _Scope(model, ChainMap(), path, None, scope.folder, scope.note)
    known = {inner: replace(outer, name=inner) for inner, outer in arguments.items()}
    yield from _in_graph(model.graph, inside, known)


def _inferred(model: onnx.ModelProto, note: Note) -> onnx.ModelProto:
    """The model with a type at every value for which ONNX finds one, in inner graphs, too.

    Where inference contradicts the model, it goes on without that node.
    """
    problems = (shape_inference.InferenceError, ValueError, RuntimeError)
    try:
        return shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except problems as error:
        note(one_line(f"shape inference: {error}"))
    try:
        return shape_inference.infer_shapes(model, strict_mode=False, data_prop=True)
    except problems as error:
        raise ModelError(f"shape inference is not possible: {error}") from None
