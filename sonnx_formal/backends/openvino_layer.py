"""OpenVINO's element-wise operations, and the file that has one of them as its only layer."""

from collections.abc import Iterable
from typing import assert_never
from xml.etree import ElementTree

import numpy as np

from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Arithmetic, Operator

_KINDS = {"int": "i", "uint": "u", "float": "f", "bfloat": "bf"}


def operation(operator: Operator) -> str | None:
    """The type of layer that computes the same; None where OpenVINO has none that may broadcast.

    A function of OpenVINO's Python interface has this name in lower case.
    """
    match operator.arithmetic:
        case Arithmetic.PRODUCT:
            return "Multiply"
        case Arithmetic.QUOTIENT:
            return "Divide"
        case Arithmetic.SUM:
            return "Add"
        case Arithmetic.DIFFERENCE:
            return "Subtract"
        case Arithmetic.SUM_OF_PRODUCTS | Arithmetic.OTHER:
            return None
        case _:
            assert_never(operator.arithmetic)


def layer_file(call: Call) -> bytes:
    """The XML, for operands of these shapes and types; there are no weights.

    What comes out is left open: OpenVINO infers it.
    """
    kind = operation(call.operator)
    assert kind is not None
    operands, attributes = call.arrays, call.attributes.as_dict()
    open_ = np.empty((), operands[0].dtype)
    net = ElementTree.Element("net", name=kind.lower(), version="11")
    layers = ElementTree.SubElement(net, "layers")
    for identifier, operand in enumerate(operands):
        parameter = _layer(layers, identifier, "Parameter")
        shape = ",".join(map(str, operand.shape))
        ElementTree.SubElement(parameter, "data", shape=shape, element_type=_type(operand))
        _ports(parameter, "output", [(0, operand)])
    middle, last = len(operands), len(operands) + 1
    layer = _layer(layers, middle, kind)
    if attributes:
        data = {name: str(value) for name, value in attributes.items()}
        ElementTree.SubElement(layer, "data", data)
    _ports(layer, "input", enumerate(operands))
    _ports(layer, "output", [(middle, open_)])
    _ports(_layer(layers, last, "Result"), "input", [(0, open_)])
    edges = ElementTree.SubElement(net, "edges")
    for start, port, end, to in [
        *((number, 0, middle, number) for number in range(middle)),
        (middle, middle, last, 0),
    ]:
        places = {"from-layer": start, "from-port": port, "to-layer": end, "to-port": to}
        named = {name: str(place) for name, place in places.items()}
        ElementTree.SubElement(edges, "edge", named)
    content: bytes = ElementTree.tostring(net, "utf-8", xml_declaration=True)
    return content


def _layer(layers: ElementTree.Element, identifier: int, type_: str) -> ElementTree.Element:
    return ElementTree.SubElement(
        layers,
        "layer",
        id=str(identifier),
        name=f"layer_{identifier}",
        type=type_,
        version="opset1",
    )


def _ports(layer: ElementTree.Element, side: str, ports: Iterable[tuple[int, Array]]) -> None:
    parent = ElementTree.SubElement(layer, side)
    for identifier, array in ports:
        precision = _type(array).upper().replace("F", "FP").replace("BFP", "BF")
        port = ElementTree.SubElement(parent, "port", id=str(identifier), precision=precision)
        for dimension in array.shape:
            ElementTree.SubElement(port, "dim").text = str(dimension)


def _type(array: Array) -> str:
    """As OpenVINO names it: i8, u16, bf16, f32."""
    name = array.dtype.name
    kind = name.rstrip("0123456789")
    return _KINDS[kind] + name.removeprefix(kind)
