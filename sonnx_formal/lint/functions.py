"""Calls of local functions: the body as a model of its own, with the types of one call."""

from collections.abc import Iterable, Mapping

import onnx
from onnx import helper

from sonnx_formal.lint.protobuf import subgraphs
from sonnx_formal.lint.values import Value, as_value_info

Key = tuple[str, str, str]
"""Domain, name and overload."""


def key(node_or_function: onnx.NodeProto | onnx.FunctionProto) -> Key:
    """What a call and the function that it calls have in common."""
    it = node_or_function
    name = it.op_type if isinstance(it, onnx.NodeProto) else it.name
    return "" if it.domain == "ai.onnx" else it.domain, name, it.overload


def body(
    call: onnx.NodeProto,
    function: onnx.FunctionProto,
    arguments: Mapping[str, Value],
    model: onnx.ModelProto,
) -> onnx.ModelProto:
    """The model of one call: the arguments are its inputs, and attributes have their values.

    :param arguments: by the names inside the function.
    """
    copy = onnx.FunctionProto()
    copy.CopyFrom(function)
    _resolve(copy.node, {x.name: x for x in [*function.attribute_proto, *call.attribute]})
    graph = helper.make_graph(
        copy.node,
        function.name,
        [as_value_info(arguments.get(name, Value(name)), name) for name in function.input],
        [onnx.ValueInfoProto(name=name) for name in function.output],
        value_info=function.value_info,
    )
    return helper.make_model(
        graph,
        opset_imports=function.opset_import,
        ir_version=model.ir_version,
        functions=model.functions,
    )


def _resolve(nodes: Iterable[onnx.NodeProto], values: Mapping[str, onnx.AttributeProto]) -> None:
    """Put the values of the call in the place of references to them; without one, the default."""
    for node in nodes:
        attributes = []
        for given in node.attribute:
            attribute = onnx.AttributeProto()
            attribute.CopyFrom(values.get(given.ref_attr_name, given))
            attribute.name = given.name
            if not attribute.ref_attr_name:
                attributes.append(attribute)
        del node.attribute[:]
        node.attribute.extend(attributes)
        for _, _, graph in subgraphs(node):
            _resolve(graph.node, values)
