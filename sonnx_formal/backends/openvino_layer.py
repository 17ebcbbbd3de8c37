"""The file of OpenVINO that has one layer, Multiply-1, between its two inputs and its result."""

from collections.abc import Iterable
from xml.etree import ElementTree

import numpy as np

from sonnx_formal.backends.backend import Array

_A, _B, _MULTIPLY, _RESULT = range(4)
_KINDS = {"int": "i", "uint": "u", "float": "f", "bfloat": "bf"}


def layer_file(a: Array, b: Array, auto_broadcast: str | None) -> bytes:
    """The XML, for operands of these shapes and types; there are no weights.

    What comes out is left open: OpenVINO infers it.

    :param auto_broadcast: None where the attribute is not set.
    """
    open_ = np.empty((), a.dtype)
    net = ElementTree.Element("net", name="multiply", version="11")
    layers = ElementTree.SubElement(net, "layers")
    for identifier, one in ((_A, a), (_B, b)):
        parameter = _layer(layers, identifier, "Parameter")
        shape = ",".join(map(str, one.shape))
        ElementTree.SubElement(parameter, "data", shape=shape, element_type=_type(one))
        _ports(parameter, "output", [(0, one)])
    multiply = _layer(layers, _MULTIPLY, "Multiply")
    if auto_broadcast is not None:
        ElementTree.SubElement(multiply, "data", auto_broadcast=auto_broadcast)
    _ports(multiply, "input", [(0, a), (1, b)])
    _ports(multiply, "output", [(2, open_)])
    _ports(_layer(layers, _RESULT, "Result"), "input", [(0, open_)])
    edges = ElementTree.SubElement(net, "edges")
    for start, port, end, to in [
        (_A, 0, _MULTIPLY, 0),
        (_B, 0, _MULTIPLY, 1),
        (_MULTIPLY, 2, _RESULT, 0),
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
