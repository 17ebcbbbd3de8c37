"""What documents ask of storage and element types."""

from collections.abc import Iterator

from sonnx_formal.lint.finding import NodeFinding
from sonnx_formal.lint.profile import DECLARE, Application, undecided, violates
from sonnx_formal.lint.values import Value, onnx_type
from sonnx_formal.spec.operator import Input, Rule

_NO_NUMBERS = {"bool", "string", "complex64", "complex128", "no tensor"}


def findings(at: Application) -> Iterator[NodeFinding]:
    """What is sparse, unknown, not listed or not of one type."""
    ports = {port.type: port for _, port, _ in at.operands}
    for name, port, operand in at.operands:
        if operand.sparse:
            yield violates(
                at.requirement(Rule.DENSE, name),
                f"{name}, {operand.name}, is a sparse tensor: {at}",
                "Store it as a dense initializer or Constant",
            )
        yield from _each(at, name, port, operand)
    for port in ports.values():
        yield from _together(at, port)
    wanted, declared = at.type_of(at.operator.output), at.node.outputs[0].element_type
    if wanted and declared not in {None, wanted.name}:
        yield violates(
            at.requirement(Rule.RESULT_TYPE),
            f"{at.operator.output.name}, {at.node.outputs[0].name}, is declared {declared}: {at}",
            f"Declare it {wanted}",
        )


def _each(at: Application, name: str, port: Input, operand: Value) -> Iterator[NodeFinding]:
    listed = at.listed(port)
    if operand.element_type is None:
        yield undecided(
            at.requirement(Rule.LISTED, name),
            f"the element type of {name}, {operand.name}, is unknown",
            DECLARE,
        )
    elif operand.element_type not in {type_.name for type_ in listed}:
        no_number = operand.element_type in _NO_NUMBERS and all(x.numerical for x in listed)
        names = ", ".join(type_.name for type_ in listed if onnx_type(type_.name))
        yield violates(
            at.requirement(Rule.NUMERICAL if no_number else Rule.LISTED, name),
            f"{name}, {operand.name}, is {operand}",
            f"Cast it to a type of the document beforehand: {names}",
        )


def _together(at: Application, port: Input) -> Iterator[NodeFinding]:
    """The operands of one type parameter."""
    types = [operand.element_type for _, other, operand in at.operands if other.type == port.type]
    if None in types:
        return
    if len({*types}) > 1:
        yield violates(
            at.requirement(Rule.ONE_TYPE), f"more than one element type: {at}", "Cast them to one"
        )
    elif type_ := at.type_of(port):
        yield from _in_this_version(at, port, type_.name)


def _in_this_version(at: Application, port: Input, type_: str) -> Iterator[NodeFinding]:
    """An element type that the declared version of the operator has, and that of the node lacks."""
    schema, declared = at.schema, at.operator.onnx
    position = min(at.operator.inputs.index(port), len(schema.inputs) - 1)
    if declared and onnx_type(type_) not in schema.inputs[position].types:
        yield violates(
            at.original_requirement(Rule.LISTED) or at.requirement(Rule.LISTED),
            f"{declared.op_type} since version {schema.since_version}, which opset"
            f" {at.node.version} has, is not defined for {type_}",
            f"Convert the model to opset {declared.since} or a newer one",
        )
