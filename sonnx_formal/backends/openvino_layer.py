"""OpenVINO's element-wise operations, and the file that has one of them as its only layer."""

from collections.abc import Mapping
from xml.etree import ElementTree

import numpy as np

from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Arithmetic, Operator

_OPERATIONS = {
    Arithmetic.PRODUCT: "Multiply",
    Arithmetic.QUOTIENT: "Divide",
    Arithmetic.SUM: "Add",
    Arithmetic.DIFFERENCE: "Subtract",
}


def operation(operator: Operator) -> str | None:
    """The type of layer that computes the same; None where OpenVINO has none that may broadcast.

    A function of OpenVINO's Python interface has this name in lower case.
    """
    return _OPERATIONS.get(operator.arithmetic)


def layer_file(call: Call) -> bytes:
    """The XML, for operands of these shapes and types; there are no weights.

    What comes out is left open: OpenVINO infers it.
    """
    kind = operation(call.operator)
    assert kind is not None
    operands = dict(enumerate(call.arrays))
    middle, last = len(operands), len(operands) + 1
    open_ = np.empty((), call.arrays[0].dtype)
    net = ElementTree.Element("net", name=kind.lower(), version="11")
    layers = ElementTree.SubElement(net, "layers")
    for operand in operands.values():
        data = {"shape": ",".join(map(str, operand.shape)), "element_type": _type(operand)}
        _add_layer(layers, "Parameter", data, output={0: operand})
    data = {name: str(value) for name, value in call.attributes.values}
    _add_layer(layers, kind, data, input=operands, output={middle: open_})
    _add_layer(layers, "Result", {}, input={0: open_})
    edges = ElementTree.SubElement(net, "edges")
    for ends in [*((number, 0, middle, number) for number in operands), (middle, middle, last, 0)]:
        names = ("from-layer", "from-port", "to-layer", "to-port")
        ElementTree.SubElement(edges, "edge", dict(zip(names, map(str, ends), strict=True)))
    content: bytes = ElementTree.tostring(net, "utf-8", xml_declaration=True)
    return content


def _add_layer(
    layers: ElementTree.Element, type_: str, data: dict[str, str], **sides: Mapping[int, Array]
) -> None:
    """:param sides: the ports of `input` and `output`."""
    number = str(len(layers))
    attributes = {"id": number, "name": f"layer_{number}", "type": type_, "version": "opset1"}
    layer = ElementTree.SubElement(layers, "layer", attributes)
    if data:
        ElementTree.SubElement(layer, "data", data)
    for side, ports in sides.items():
        parent = ElementTree.SubElement(layer, side)
        for identifier, array in ports.items():
            precision = _type(array).upper().replace("F", "FP").replace("BFP", "BF")
            port = ElementTree.SubElement(parent, "port", id=str(identifier), precision=precision)
            for dimension in array.shape:
                ElementTree.SubElement(port, "dim").text = str(dimension)


def _type(array: Array) -> str:
    """As OpenVINO names it: i8, u16, bf16, f32."""
    return array.dtype.name.replace("uint", "u").replace("int", "i").replace("float", "f")
