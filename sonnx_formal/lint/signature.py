"""Whether a node has the operands, results and attributes that its operator is declared with."""

from collections.abc import Iterator
from typing import Any

import onnx

from sonnx_formal.lint.finding import NodeFinding
from sonnx_formal.lint.profile import Application, undecided, violates
from sonnx_formal.spec.operator import Presence, Rule


def findings(at: Application) -> Iterator[NodeFinding]:
    """What is missing, what is too much, and what another version of ONNX means by the name."""
    function = at.requirement(Rule.FUNCTION)
    for problem in mismatches(at):
        yield violates(
            function, problem, f"{at.operator.title} takes {_inputs(at)}, and has one result"
        )
    yield from _attributes(at)
    declared = at.operator.onnx
    if declared and _differ(at, declared.since):
        yield undecided(
            function,
            f"{declared.op_type} since version {at.schema.since_version}, which opset"
            f" {at.node.version} has, has other inputs or attributes than since version"
            f" {declared.since}, which {at.operator.title} is about",
            f"Convert the model to opset {declared.since}",
        )


def mismatches(at: Application) -> Iterator[str]:
    """What is wrong with the number of operands or results: then, nothing else is judged."""
    ports, given = at.operator.inputs, at.node.inputs
    for number, port in enumerate(ports):
        missing = number >= len(given) or not given[number].name
        if missing and port.presence is not Presence.OPTIONAL:
            yield f"the operand {port.name} is missing"
    last = ports[-1].presence
    if last is not Presence.VARIADIC and any(x.name for x in given[len(ports) :]):
        yield f"there are {len(given)} operands"
    elif last is Presence.VARIADIC and any(not x.name for x in given[len(ports) :]):
        yield f"an operand of {ports[-1].name} is missing"
    if any(x.name for x in at.node.outputs[1:]):
        yield f"there are {len(at.node.outputs)} results"


def _inputs(at: Application) -> str:
    return ", ".join(f"{port.name} ({port.presence.value})" for port in at.operator.inputs)


def _attributes(at: Application) -> Iterator[NodeFinding]:
    title = at.operator.title
    for attribute in at.node.proto.attribute:
        declared = at.operator.attribute(attribute.name)
        kind = onnx.AttributeProto.AttributeType.Name(attribute.type).lower()
        if declared is None and attribute.name not in at.legacy:
            yield violates(
                at.requirement(Rule.FUNCTION),
                f"{title} has no attribute {attribute.name}",
                "Leave it out, if that does not change what is computed",
            )
        elif declared is not None and kind != declared.kind:
            yield violates(
                f"{at.document}.ATTR.{attribute.name.upper()}",
                f"the attribute {attribute.name} is of kind {kind}",
                f"Give it a value of kind {declared.kind}",
            )
    given = {attribute.name for attribute in at.node.proto.attribute}
    for declared in at.operator.attributes:
        if declared.required and declared.name not in given:
            yield violates(
                f"{at.document}.ATTR.{declared.name.upper()}",
                f"the attribute {declared.name} is not set",
                "Set it, even to the value that ONNX takes when it is not set",
            )


def _differ(at: Application, since: int) -> bool:
    """Whether two versions of an operator differ in more than element types and old attributes."""
    version = onnx.defs.get_schema(at.node.op_type, since, "")
    return _signature(at.schema, at.legacy) != _signature(version, at.legacy)


def _signature(schema: onnx.defs.OpSchema, left_out: set[str]) -> tuple[list[Any], dict[str, Any]]:
    attributes = {
        name: (each.type, each.required, each.default_value.SerializeToString())
        for name, each in schema.attributes.items()
        if name not in left_out
    }
    return [port.option for port in schema.inputs], attributes
