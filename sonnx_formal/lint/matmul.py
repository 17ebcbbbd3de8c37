"""What SONNX MatMul asks of a node: types, two axes, inner dimension, result."""

from collections.abc import Iterator
from typing import TypeGuard

from sonnx_formal.lint.finding import Finding
from sonnx_formal.lint.nodes import Node
from sonnx_formal.lint.operand import Operand, element_dtype
from sonnx_formal.lint.profile import (
    DECLARE,
    described,
    not_in_this_version,
    operands,
    undecided,
    violates,
)
from sonnx_formal.lint.shapes import Shape, described_dimension, differ
from sonnx_formal.lint.shapes import described as shape_text
from sonnx_formal.spec.element_types import family_of
from sonnx_formal.spec.operators.matmul import MATMUL

TYPES = {
    "SONNX-MATMUL-INT": ("int32", "int64", "uint32", "uint64"),
    "SONNX-MATMUL-FLOAT": ("float16", "float32", "float64"),
    "SONNX-MATMUL-REAL": (),
}
"""The element types of ONNX that each document has."""
_RANK = 2


def findings(node: Node) -> Iterator[Finding]:
    """What is not as the document of the element type asks for, or not known to be."""
    document = document_of(node)
    yield from _types(document, node)
    for name, operand in zip("AB", operands(node), strict=True):
        yield from _axes(f"{document}.{name}.C1", name, operand, node)
    yield from _inner_dimension(document, node)
    yield from _result(document, node)


def document_of(node: Node) -> str:
    """The document that speaks of the type of A or, if that is unknown, of B.

    Where neither is known, it is that of the real numbers, whose shapes are those of the others.
    """
    for operand in operands(node):
        dtype = element_dtype(operand.element_type) if operand.element_type else None
        if dtype is not None:
            return MATMUL.document(family_of(dtype))
    return "SONNX-MATMUL-REAL"


def _types(document: str, node: Node) -> Iterator[Finding]:
    a, b = operands(node)
    (y,) = node.outputs
    requirement = f"{document}.T"
    for name, operand in zip("AB", (a, b), strict=True):
        if operand.sparse:
            yield violates(
                requirement,
                f"{name}, {operand.name}, is a sparse tensor: {described(node)}",
                "Store it as a dense initializer or Constant",
            )
        if operand.element_type is None:
            yield undecided(
                requirement, f"the element type of {name}, {operand.name}, is unknown", DECLARE
            )
    if a.element_type is None or b.element_type is None:
        return
    if a.element_type != b.element_type:
        yield violates(
            requirement,
            f"two element types: {described(node)}",
            "Cast one to the type of the other",
        )
    elif a.element_type not in TYPES[document]:
        every = ", ".join(one for each in TYPES.values() for one in each)
        yield violates(
            requirement,
            f"SONNX MatMul is not defined for {a.element_type}: {described(node)}",
            f"Cast A and B to one of {every}",
        )
    else:
        yield from not_in_this_version(node, requirement)
        if y.element_type not in {None, a.element_type}:
            yield violates(
                requirement,
                f"Y, {y.name}, is declared {y.element_type}: {described(node)}",
                f"Declare it {a.element_type}",
            )


def _axes(requirement: str, name: str, operand: Operand, node: Node) -> Iterator[Finding]:
    if operand.shape is None:
        yield undecided(
            requirement, f"the shape of {name}, {operand.name}, is unknown: {described(node)}",
            DECLARE,
        )  # fmt: skip
    elif len(operand.shape) != _RANK:
        yield violates(
            requirement,
            f"{name}, {operand.name}, has {len(operand.shape)} axes: {described(node)}",
            "Give it two axes by a Reshape or, of a batch, multiply the matrices one by one",
        )


def _inner_dimension(document: str, node: Node) -> Iterator[Finding]:
    a, b = (one.shape for one in operands(node))
    if not (_is_matrix(a) and _is_matrix(b)):
        return
    columns, rows = a[1], b[0]
    if differ(columns, rows):
        yield violates(
            f"{document}.A.C2",
            f"A has {columns} columns, and B has {rows} rows: {described(node)}",
            "Does one of them need to be transposed?",
        )
    elif columns is None or columns != rows:
        yield undecided(
            f"{document}.A.C2",
            f"A has {described_dimension(columns)} columns, and B has"
            f" {described_dimension(rows)} rows: {described(node)}",
            DECLARE,
        )


def _result(document: str, node: Node) -> Iterator[Finding]:
    a, b = (one.shape for one in operands(node))
    (y,) = node.outputs
    if y.shape is None or not (_is_matrix(a) and _is_matrix(b)):
        return
    wanted = (a[0], b[1])
    declared = f"Y, {y.name}, is declared {shape_text(y.shape)}: {described(node)}"
    repair = f"Declare it {shape_text(wanted)}"
    if len(y.shape) != _RANK:
        yield violates(f"{document}.Y.C1", declared, repair)
        return
    match [differ(m, n) for m, n in zip(y.shape, wanted, strict=True)]:
        case [True, True]:
            yield violates(f"{document}.Y.C2", declared, repair)
        case [True, False]:
            yield violates(f"{document}.A.C3", declared, repair)
        case [False, True]:
            yield violates(f"{document}.B.C3", declared, repair)


def _is_matrix(shape: Shape | None) -> TypeGuard[Shape]:
    return shape is not None and len(shape) == _RANK
