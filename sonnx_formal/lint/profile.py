"""Which nodes are judged, and what the rules of all three operators share."""

from collections.abc import Iterator

import onnx

from sonnx_formal.lint.finding import Finding, Verdict
from sonnx_formal.lint.nodes import Node
from sonnx_formal.lint.operand import Operand, element_name

OPERATORS = ("Mul", "Div", "MatMul")
NEWEST_CHANGE = 14
"""The operator set of the last version of these operators."""
DECLARE = "Declare it in the model, or fix the shapes of inputs with --input"


def violates(requirement: str, found: str, repair: str) -> Finding:
    """A requirement that is not met."""
    return Finding(requirement, Verdict.VIOLATES, found, repair)


def undecided(requirement: str, found: str, decides: str) -> Finding:
    """A requirement of which it is not known whether it is met."""
    return Finding(requirement, Verdict.UNDECIDED, found, decides)


def operands(node: Node) -> tuple[Operand, Operand]:
    """A and B."""
    a, b = node.inputs
    return a, b


def described(node: Node) -> str:
    """Both operands in a message."""
    a, b = operands(node)
    return f"A is {a}, B is {b}"


def since(node: Node) -> int:
    """The version of the operator that the operator set of the node has."""
    version: int = _schema(node).since_version
    return version


def not_in_this_version(node: Node, requirement: str) -> Iterator[Finding]:
    """An element type that later versions of the operator have, and that of this node lacks."""
    a, _ = operands(node)
    (variable,) = _schema(node).type_constraints
    allowed = {_element(one) for one in variable.allowed_type_strs}
    if a.element_type not in allowed:
        yield violates(
            requirement,
            f"{node.proto.op_type} since version {since(node)}, which opset {node.version} has,"
            f" is not defined for {a.element_type}",
            f"Convert the model to opset {NEWEST_CHANGE} or a newer one",
        )


def _schema(node: Node) -> onnx.defs.OpSchema:
    return onnx.defs.get_schema(node.proto.op_type, node.version, "")


def _element(type_: str) -> str | None:
    """The element type of tensor(float)."""
    name = type_.removeprefix("tensor(").removesuffix(")")
    return element_name(onnx.TensorProto.DataType.Value(name.upper()))
