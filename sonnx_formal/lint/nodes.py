"""Finds the nodes of a model, wherever they are, with what is known of their operands."""

from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import cache
from math import prod
from pathlib import Path

import numpy as np
import onnx
from onnx import helper, numpy_helper, shape_inference
from onnx.reference import ReferenceEvaluator

from sonnx_formal.core.texts import one_line
from sonnx_formal.lint.model import (
    DEFAULT_DOMAIN,
    FIRST_WITH_DEFAULTS,
    ModelError,
    key,
    label,
    parts,
    subgraphs,
)
from sonnx_formal.lint.values import NAMES, Constant, Value, as_value_info, typed
from sonnx_formal.spec.element_types import Array

_COMPUTED = {
    "Cast", "Constant", "Expand", "Flatten", "Identity", "Reshape", "Squeeze", "Transpose",
    "Unsqueeze",
}  # fmt: skip
"""Operators whose elements are those of the first input: they are computed, if it is constant."""
MOST_ELEMENTS = 2**24
"""Elements of constants that are computed for a model: they are worth the time, and the memory."""


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
        return "/".join([*self.path, label(self.proto)])


@dataclass(eq=False)
class _Budget:
    """What may still be computed."""

    elements: int = MOST_ELEMENTS


@dataclass(frozen=True, eq=False)
class _Scope:
    model: onnx.ModelProto
    values: ChainMap[str, Value]
    path: tuple[str, ...]
    position: tuple[int, ...] | None
    folder: Path
    notes: list[str]
    budget: _Budget

    def value(self, name: str) -> Value:
        return self.values.get(name, Value(name))

    def at(self, *place: int) -> tuple[int, ...] | None:
        return None if self.position is None else (*self.position, *place)


def find(model: onnx.ModelProto, folder: Path, notes: list[str]) -> Iterator[Node]:
    """All nodes, in inner graphs and in called functions, too: those once a call.

    :param folder: where external data is.
    :param notes: what else there is to say about the model is added here.
    :raises ModelError: if types cannot be inferred.
    """
    whole = _inferred(model, notes)
    scope = _Scope(whole, ChainMap(), (), (), folder, notes, _Budget())
    yield from _in_graph(whole.graph, scope, {})
    called = set(map(key, parts(model, onnx.NodeProto)))
    for function in model.functions:
        if key(function) not in called:
            notes.append(one_line(f"function {function.domain}::{function.name} is never called"))


def _in_graph(graph: onnx.GraphProto, outer: _Scope, known: Mapping[str, Value]) -> Iterator[Node]:
    scope = replace(outer, values=outer.values.new_child({}))
    for value in (*graph.value_info, *graph.output, *graph.input):
        scope.values[value.name] = typed(value)
    inputs = {value.name for value in graph.input}
    for tensor in graph.initializer:
        default = tensor.name in inputs and scope.model.ir_version >= FIRST_WITH_DEFAULTS
        constant = None if default else _of_tensor(tensor, scope.folder)
        type_, shape = NAMES.get(tensor.data_type), tuple(tensor.dims)
        scope.values[tensor.name] = Value(tensor.name, type_, shape, constant=constant)
    for sparse in graph.sparse_initializer:
        scope.values[sparse.values.name] = _sparse(sparse.values.name, sparse)
    scope.values.update(known)
    for index, node in enumerate(graph.node):
        yield from _at(node, index, scope)


def _sparse(name: str, sparse: onnx.SparseTensorProto) -> Value:
    return Value(name, NAMES.get(sparse.values.data_type), tuple(sparse.dims), sparse=True)


def _at(proto: onnx.NodeProto, index: int, scope: _Scope) -> Iterator[Node]:
    wanted = key(proto)
    called = next((each for each in scope.model.functions if key(each) == wanted), None)
    if called is not None:
        yield from _in_function(proto, called, scope)
        return
    domain = "" if proto.domain in DEFAULT_DOMAIN else proto.domain
    same = DEFAULT_DOMAIN if domain == "" else {domain}
    version = next((each.version for each in scope.model.opset_import if each.domain in same), 0)
    if domain == "":
        _add_constant(proto, version, scope)
    inputs, outputs = (tuple(map(scope.value, names)) for names in (proto.input, proto.output))
    yield Node(scope.path, scope.at(index), proto, domain, version, inputs, outputs)
    for attribute, name, graph in subgraphs(proto):
        path = (*scope.path, label(proto), name)
        inner = replace(scope, path=path, position=scope.at(index, attribute))
        yield from _in_graph(graph, inner, {})


def _in_function(
    call: onnx.NodeProto, function: onnx.FunctionProto, scope: _Scope
) -> Iterator[Node]:
    """The body as a model of its own: its inputs are the arguments, attributes have values."""
    arguments = {
        name: replace(scope.value(given), name=name)
        for name, given in zip(function.input, call.input, strict=False)
    }
    body = deepcopy(function)
    _resolve(body.node, {x.name: x for x in [*function.attribute_proto, *call.attribute]})
    inputs = [as_value_info(arguments.get(name, Value(name)), name) for name in function.input]
    outputs = [onnx.ValueInfoProto(name=name) for name in function.output]
    graph = helper.make_graph(
        body.node, function.name, inputs, outputs, value_info=function.value_info
    )
    model = helper.make_model(
        graph,
        opset_imports=function.opset_import,
        ir_version=scope.model.ir_version,
        functions=scope.model.functions,
    )
    whole = _inferred(model, scope.notes)
    path = (*scope.path, label(call), f"{function.domain}::{function.name}")
    inside = replace(scope, model=whole, values=ChainMap(), path=path, position=None)
    yield from _in_graph(whole.graph, inside, arguments)


def _resolve(nodes: Iterable[onnx.NodeProto], values: Mapping[str, onnx.AttributeProto]) -> None:
    """Put the values of the call in the place of references to them; without one, the default."""
    for node in nodes:
        attributes = []
        for given in node.attribute:
            attribute = deepcopy(values.get(given.ref_attr_name, given))
            attribute.name = given.name
            if not attribute.ref_attr_name:
                attributes.append(attribute)
        del node.attribute[:]
        node.attribute.extend(attributes)
        for _, _, graph in subgraphs(node):
            _resolve(graph.node, values)


def _inferred(model: onnx.ModelProto, notes: list[str]) -> onnx.ModelProto:
    """The model with each type that ONNX finds; where it contradicts a node, it goes on without."""
    problems = (shape_inference.InferenceError, ValueError, RuntimeError)
    try:
        return shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
    except problems as error:
        notes.append(one_line(f"shape inference: {error}"))
    try:
        return shape_inference.infer_shapes(model, strict_mode=False, data_prop=True)
    except problems as error:
        raise ModelError(f"shape inference is not possible: {error}") from None


def _add_constant(proto: onnx.NodeProto, version: int, scope: _Scope) -> None:
    sparse = [each.sparse_tensor for each in proto.attribute if each.name == "sparse_value"]
    if proto.op_type == "Constant" and sparse:
        scope.values[proto.output[0]] = _sparse(proto.output[0], sparse[0])
    elif (constant := _of_node(proto, scope, version)) is not None:
        known = scope.value(proto.output[0])
        scope.values[known.name] = replace(known, sparse=False, constant=constant)


def _of_tensor(tensor: onnx.TensorProto, folder: Path) -> Constant:
    @cache
    def read() -> Array | None:
        try:
            return np.asarray(numpy_helper.to_array(tensor, str(folder)))
        except (ValueError, TypeError, OSError, onnx.checker.ValidationError):
            return None  # data that does not fit the shape: nothing is known of it

    return read


def _of_node(node: onnx.NodeProto, scope: _Scope, opset: int) -> Constant | None:
    operands = {name: scope.value(name) for name in node.input if name}
    sources = {name: x.constant for name, x in operands.items() if x.constant is not None}
    if node.op_type not in _COMPUTED or len(sources) < len(operands) or len(node.output) != 1:
        return None

    @cache
    def compute() -> Array | None:
        values: dict[str, Array] = {}
        for name, elements in sources.items():
            try:
                found = elements()
            except RecursionError:
                scope.notes.append(one_line(f"{label(node)} is computed from too many others"))
                return None
            if found is None:
                return None
            values[name] = found
        if not _afford(node, [values[name] for name in node.input if name], scope):
            return None
        types = [as_value_info(operand, name) for name, operand in operands.items()]
        output = onnx.ValueInfoProto(name=node.output[0])
        graph = helper.make_graph([node], "constant", types, [output])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
        try:
            onnx.load_external_data_for_model(model, str(scope.folder))
            with np.errstate(all="ignore"):
                (result,) = ReferenceEvaluator(model).run(None, values)
        except Exception:
            return None  # whatever the evaluator cannot do: nothing is known of it
        return np.asarray(result)

    return compute


def _afford(node: onnx.NodeProto, operands: Sequence[Array], scope: _Scope) -> bool:
    """Whether a node may be computed; if so, it counts."""
    shapes = [operand.shape for operand in operands[:1]]
    if node.op_type == "Expand":
        shapes.append(tuple(operands[1].ravel().tolist()))
    try:
        elements = prod(np.broadcast_shapes(*shapes))
    except (ValueError, TypeError):  # which the evaluator would say, too
        return False
    if elements > scope.budget.elements:
        what = f"{label(node)} has {elements} elements that are constant"
        limit = f"they are not computed, for of a model at most {MOST_ELEMENTS} are"
        scope.notes.append(one_line(f"{what}: {limit}"))
        return False
    scope.budget.elements -= elements
    return True
