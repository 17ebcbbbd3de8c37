"""What SONNX Mul and SONNX Div ask of a node alike: R1 to R4, T and C1."""

from collections.abc import Iterator

from sonnx_formal.lint.finding import Finding
from sonnx_formal.lint.nodes import Node
from sonnx_formal.lint.profile import (
    DECLARE,
    described,
    not_in_this_version,
    operands,
    since,
    undecided,
    violates,
)
from sonnx_formal.lint.shapes import Different, Open, compare
from sonnx_formal.lint.shapes import described as shape_text
from sonnx_formal.spec.element_types import FLOATS, INTEGERS

TYPES = tuple(one.name for one in (*INTEGERS, *FLOATS))
"""The element types of SONNX-MUL.T and SONNX-DIV.T."""
_NO_NUMBERS = {"bool", "string", "complex64", "complex128", "no tensor"}
_FIRST_MULTIDIRECTIONAL = 7
"""The version of Mul and Div from which on they broadcast without being told to."""


def findings(document: str, node: Node) -> Iterator[Finding]:
    """What is not as the document of the operator asks for, or not known to be."""
    yield from _storage(document, node)
    yield from _types(document, node)
    yield from _shapes(document, node)


def broadcasts_by_attribute(node: Node) -> bool:
    """Whether it is an old Mul or Div that was told to broadcast B."""
    old = since(node) < _FIRST_MULTIDIRECTIONAL
    return old and any(one.name == "broadcast" and one.i for one in node.proto.attribute)


def _storage(document: str, node: Node) -> Iterator[Finding]:
    for name, operand in zip("AB", operands(node), strict=True):
        if operand.sparse:
            yield violates(
                f"{document}.R2",
                f"{name}, {operand.name}, is a sparse tensor: {described(node)}",
                "Store it as a dense initializer or Constant",
            )


def _types(document: str, node: Node) -> Iterator[Finding]:
    a, b = operands(node)
    (c,) = node.outputs
    for name, operand in zip("AB", (a, b), strict=True):
        if operand.element_type is None:
            yield undecided(
                f"{document}.T", f"the element type of {name}, {operand.name}, is unknown", DECLARE
            )
        elif operand.element_type not in TYPES:
            item = "R3" if operand.element_type in _NO_NUMBERS else "T"
            yield violates(
                f"{document}.{item}",
                f"{name}, {operand.name}, is {operand}",
                "Cast it to a type of the document beforehand",
            )
    if a.element_type is None or b.element_type is None:
        return
    if a.element_type != b.element_type:
        yield violates(
            f"{document}.R3",
            f"two element types: {described(node)}",
            "Cast one to the type of the other",
        )
    elif a.element_type in TYPES:
        requirement = f"ONNX-MUL-{since(node)}.T" if document == "SONNX-MUL" else f"{document}.T"
        yield from not_in_this_version(node, requirement)
        if c.element_type not in {None, a.element_type}:
            yield violates(
                f"{document}.T",
                f"C, {c.name}, is declared {c.element_type}: {described(node)}",
                f"Declare it {a.element_type}",
            )


def _shapes(document: str, node: Node) -> Iterator[Finding]:
    a, b = operands(node)
    match compare(a.shape, b.shape):
        case Different(broadcastable):
            if broadcastable or broadcasts_by_attribute(node):
                yield _broadcast(document, node)
            else:
                yield violates(
                    f"{document}.R1", f"two shapes: {described(node)}", "Give both one shape"
                )
            yield from _without_being_told(document, node)
        case Open(question):
            yield undecided(f"{document}.R1", f"{question} is unknown: {described(node)}", DECLARE)
        case _:
            yield from _result(document, node)


def _broadcast(document: str, node: Node) -> Finding:
    constants = [
        f"{name}, {one.name}, is a constant"
        for name, one in zip("AB", operands(node), strict=True)
        if one.constant is not None
    ]
    which = f" ({'; '.join(constants)})" if constants else ""
    return violates(
        f"{document}.R4",
        f"one operand is broadcast to the shape of the other: {described(node)}{which}",
        "Make it explicit with Expand (--fix does it where both shapes are known), or store the"
        " constant in the full shape"
        if constants
        else "Make it explicit with Expand (--fix does it where both shapes are known)",
    )


def _without_being_told(document: str, node: Node) -> Iterator[Finding]:
    version = since(node)
    old = version < _FIRST_MULTIDIRECTIONAL
    if document == "SONNX-MUL" and old and not broadcasts_by_attribute(node):
        yield violates(
            f"ONNX-MUL-{version}.B.C1",
            f"two shapes, and the attribute broadcast is not 1: {described(node)}",
            "Give both one shape",
        )


def _result(document: str, node: Node) -> Iterator[Finding]:
    a, _ = operands(node)
    (c,) = node.outputs
    if c.shape is not None and isinstance(compare(a.shape, c.shape), Different):
        yield violates(
            f"{document}.C1",
            f"C, {c.name}, is declared {shape_text(c.shape)}: {described(node)}",
            f"Declare it {shape_text(a.shape)}",
        )
