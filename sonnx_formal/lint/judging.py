"""What the declaration of its operator says of a node: signature, types, shapes, domain."""

from collections.abc import Iterator
from itertools import combinations, zip_longest
from typing import Any

import numpy as np
import onnx

from sonnx_formal.lint.profile import Application, LintVerdict, NodeFinding
from sonnx_formal.lint.restrictions import DECLARE, restricted, result_shape
from sonnx_formal.lint.values import (
    Shape,
    Value,
    described,
    described_dimension,
    differ,
    may_broadcast,
    onnx_type,
    shapes_differ,
)
from sonnx_formal.spec.element_types import NARROW_FLOATS
from sonnx_formal.spec.operator import Arithmetic, Domain, Input, Presence, Rule, ShapeRule
from sonnx_formal.spec.requirements.registry import stated

_EXPAND = "Make it explicit with Expand (--fix does it where all shapes are known)"
_NO_NUMBERS = {"bool", "string", "complex64", "complex128", "no tensor"}
_NO_NUMBERS |= {type_.name for type_ in NARROW_FLOATS}  # there is no arithmetic of them
_RANKS = {
    Rule.SCALAR: (0, "Give it no axes by a Reshape, or store it as a constant without any"),
    Rule.MATRIX: (
        2,
        "Give it two axes by a Reshape or, of a batch, multiply the matrices one by one",
    ),
}
"""How many axes an operand has, and the way there."""
_WRONG_RESULTS = {
    (True, True): Rule.RESULT_SHAPE,
    (True, False): Rule.RESULT_ROWS,
    (False, True): Rule.RESULT_COLUMNS,
}
"""By whether the rows and the columns differ."""
_OF_TYPES = {Rule.DENSE, Rule.NUMERICAL, Rule.ONE_TYPE, Rule.LISTED}
_OF_SHAPES = {
    ShapeRule.SAME: {Rule.SAME_SHAPE, Rule.NO_BROADCAST},
    ShapeRule.MULTIDIRECTIONAL: {Rule.BROADCASTABLE},
    ShapeRule.SCALAR_BOUNDS: {Rule.SCALAR},
    ShapeRule.MATRIX_PRODUCT: {Rule.MATRIX, Rule.INNER_DIMENSION},
}
"""What is looked at; all else that a document asks for is open."""


def findings(at: Application) -> Iterator[NodeFinding]:
    """What is wrong, open or worth knowing, the signature first: alone, if it does not fit.

    Nor is anything else said of another version of ONNX's, with other inputs or attributes.
    """
    if other := [*_version(at)]:
        yield from other
        return
    mismatches = [*_mismatches(at)]
    takes = ", ".join(f"{port.name} ({port.presence.value})" for port in at.operator.inputs)
    repair = f"{at.operator.title} takes {takes}, and has one result"
    yield from (at.violates(what, problem, repair) for what, problem in mismatches)
    yield from _attributes(at)
    if not mismatches:
        of_types = [*_types(at)]
        yield from of_types
        yield from _shapes(at)
        yield from _restrictions(at, {finding.requirement for finding in of_types})
        yield from _domain(at)
        yield from _exclusions(at)


def _version(at: Application) -> Iterator[NodeFinding]:
    """Whether another version of ONNX means something else by the name."""
    title, declared = at.operator.title, at.operator.onnx
    if not declared:
        return
    schema = onnx.defs.get_schema(at.node.proto.op_type, declared.since, "")
    if _interface(schema, at.legacy) != _interface(at.schema, at.legacy):
        yield at.undecided(
            Rule.FUNCTION,
            f"{declared.op_type} since version {at.schema.since_version}, which opset"
            f" {at.node.version} has, has other inputs or attributes than since version"
            f" {declared.since}, which {title} is about",
            f"Convert the model to opset {declared.since}",
        )


def _mismatches(at: Application) -> Iterator[tuple[Rule | list[str], str]]:
    """What is wrong with the number of operands or results: then, nothing else is judged."""
    ports, given = at.operator.inputs, at.node.inputs
    for number, port in enumerate(ports):
        missing = number >= len(given) or not given[number].name
        if missing and port.presence is not Presence.OPTIONAL:
            yield [port.item] if port.item else Rule.FUNCTION, f"the operand {port.name} is missing"
    last = ports[-1].presence
    if last is not Presence.VARIADIC and any(x.name for x in given[len(ports) :]):
        yield Rule.FUNCTION, f"there are {len(given)} operands"
    elif last is Presence.VARIADIC and any(not x.name for x in given[len(ports) :]):
        yield Rule.FUNCTION, f"an operand of {ports[-1].name} is missing"
    if any(x.name for x in at.node.outputs[1:]):
        yield Rule.FUNCTION, f"there are {len(at.node.outputs)} results"


def _attributes(at: Application) -> Iterator[NodeFinding]:
    for attribute in at.node.proto.attribute:
        declared = at.operator.attribute(attribute.name)
        kind = onnx.AttributeProto.AttributeType.Name(attribute.type).lower()
        if declared is None and attribute.name not in at.legacy and not _by_default(at, attribute):
            found = f"{at.operator.title} has no attribute {attribute.name}"
            repair = "Leave it out, if that does not change what is computed"
            yield at.violates(Rule.ATTRIBUTES, found, repair)
        elif declared is not None and kind != declared.kind:
            found = f"the attribute {attribute.name} is of kind {kind}"
            repair = f"Give it a value of kind {declared.kind}"
            yield at.violates([f"ATTR.{attribute.name.upper()}"], found, repair)
    given = {attribute.name for attribute in at.node.proto.attribute}
    for declared in at.operator.attributes:
        missing = declared.required and declared.name not in given
        if missing and declared.name in at.schema.attributes:  # else the version is another one
            found = f"the attribute {declared.name} is not set"
            repair = "Set it, even to the value that ONNX takes when it is not set"
            yield at.violates([f"ATTR.{declared.name.upper()}"], found, repair)


def _by_default(at: Application, attribute: onnx.AttributeProto) -> bool:
    """Whether it has the value that ONNX takes when it is not set: it says nothing then."""
    known = at.schema.attributes.get(attribute.name)
    if known is None or not known.default_value.name:
        return False
    if attribute.ref_attr_name or attribute.type != known.default_value.type:
        return False
    given, default = map(onnx.helper.get_attribute_value, (attribute, known.default_value))
    return bool(given == default)


def _interface(schema: onnx.defs.OpSchema, left_out: set[str]) -> tuple[list[Any], dict[str, Any]]:
    attributes = {
        name: (each.type, each.required, each.default_value.SerializeToString())
        for name, each in schema.attributes.items()
        if name not in left_out
    }
    return [port.option for port in schema.inputs], attributes


def _types(at: Application) -> Iterator[NodeFinding]:
    for name, port, operand in at.operands:
        if operand.sparse:
            found = f"{name}, {operand.name}, is a sparse tensor: {at}"
            repair = "Store it as a dense initializer or Constant"
            yield at.violates(Rule.DENSE, found, repair, port.name)
        yield from _type(at, name, port, operand)
    for port in {port.type: port for _, port, _ in at.operands}.values():
        yield from _together(at, port)
    wanted, result = at.type_of(at.operator.output), at.node.outputs[0]
    if wanted and result.element_type not in {None, wanted.name}:
        found = f"{at.operator.output.name}, {result.name}, is declared {result.element_type}: {at}"
        yield at.violates(Rule.RESULT_TYPE, found, f"Declare it {wanted}")


def _type(at: Application, name: str, port: Input, operand: Value) -> Iterator[NodeFinding]:
    listed = at.listed(port)
    if operand.element_type is None:
        found = f"the element type of {name}, {operand.name}, is unknown"
        yield at.undecided(Rule.LISTED, found, DECLARE, port.name)
    elif operand.element_type not in {type_.name for type_ in listed}:
        no_number = operand.element_type in _NO_NUMBERS and all(x.numerical for x in listed)
        names = ", ".join(type_.name for type_ in listed if onnx_type(type_.name))
        repair = f"Cast it to a type of the document beforehand: {names}"
        if not names:
            repair = "Nothing is to be done: the document has no type that ONNX has"
        rule = Rule.NUMERICAL if no_number else Rule.LISTED
        yield at.violates(rule, f"{name}, {operand.name}, is {operand}", repair, port.name)


def _together(at: Application, port: Input) -> Iterator[NodeFinding]:
    """The operands of one type parameter, in the version of the operator that the node has."""
    types = {operand.element_type for _, other, operand in at.operands if other.type == port.type}
    if None in types:
        return
    if len(types) > 1:
        yield at.violates(Rule.ONE_TYPE, f"more than one element type: {at}", "Cast them to one")
        return
    schema, declared, type_ = at.schema, at.operator.onnx, at.type_of(port)
    position = min(at.operator.inputs.index(port), len(schema.inputs) - 1)
    if declared and type_ and onnx_type(type_.name) not in schema.inputs[position].types:
        original = at.original_requirement(Rule.LISTED)
        found = f"{declared.op_type} since version {schema.since_version}, which opset"
        found += f" {at.node.version} has, is not defined for {type_}"
        later = onnx.defs.get_schema(declared.op_type, max(declared.since, at.node.version), "")
        repair = f"Convert the model to opset {declared.since} or a newer one"
        if onnx_type(type_.name) not in later.inputs[position].types:
            repair = "Cast it beforehand: ONNX has no such node"
        yield at.violates([original] if original else Rule.LISTED, found, repair)


def _shapes(at: Application) -> Iterator[NodeFinding]:
    yield from _known_shapes(at)
    match at.operator.shape_rule:
        case ShapeRule.SAME:
            yield from _same(at)
        case ShapeRule.MULTIDIRECTIONAL:
            yield from _broadcast_together(at)
        case ShapeRule.SCALAR_BOUNDS:
            yield from _scalar_bounds(at)
        case ShapeRule.MATRIX_PRODUCT:
            yield from _matrix_product(at)
        case ShapeRule.OWN if at.operator.definition.shape is not None:
            pass  # see below
        case other:
            found = f"of shapes, this is not looked at: {other.value}: {at}"
            decides = "The formal definition, for operands of these shapes: sonnx-formal eval"
            yield at.undecided(Rule.RESULT_SHAPE, found, decides)


def _restrictions(at: Application, known: set[str]) -> Iterator[NodeFinding]:
    """The other restrictions, and the shape of the result if they are met.

    :param known: the requirements of which there is a finding already.
    """
    looked_at = _OF_TYPES | _OF_SHAPES.get(at.operator.shape_rule, set())
    others = [
        each
        for each in at.operator.definition.restrictions
        if not each.says or not looked_at.issuperset(each.says)
        if stated(at.document, at.operator.items_behind(each)) not in known
    ]
    found = [*restricted(at, others)]
    yield from found
    wanted = None if found or known else result_shape(at)
    if shapes_differ(wanted, at.node.outputs[0].shape):
        yield _wrong_result(at, Rule.RESULT_SHAPE, wanted)


def _known_shapes(at: Application) -> Iterator[NodeFinding]:
    """Where the document asks for that by itself."""
    if Rule.KNOWN_SHAPE not in at.operator.states:
        return
    for name, _, operand in at.operands:
        if operand.shape is None or not all(isinstance(size, int) for size in operand.shape):
            found = f"the shape of {name}, {operand.name}, is not known: {at}"
            yield at.undecided(Rule.KNOWN_SHAPE, found, DECLARE, name)


def _same(at: Application) -> Iterator[NodeFinding]:
    operands = [(name, operand.shape) for name, _, operand in at.operands]
    different = [
        may_broadcast(a, b)
        for (_, a), (_, b) in combinations(operands, 2)
        if a is not None and b is not None and shapes_differ(a, b)
    ]
    if different:
        if at.told_to_broadcast or all(different):
            yield _broadcast(at)
        else:
            yield at.violates(Rule.SAME_SHAPE, f"the shapes differ: {at}", "Give all one shape")
        untold = at.original_requirement(Rule.SAME_SHAPE)
        if untold and "broadcast" in at.legacy and not at.told_to_broadcast:
            found = f"two shapes, and the attribute broadcast is not 1: {at}"
            yield at.violates([untold], found, "Give both one shape")
        return
    questions = (_question(*pair) for pair in combinations(operands, 2))
    if question := next(filter(None, questions), None):
        yield at.undecided(Rule.SAME_SHAPE, f"{question} is unknown: {at}", DECLARE)
    elif shapes_differ(operands[0][1], at.node.outputs[0].shape):
        yield _wrong_result(at, Rule.RESULT_SHAPE, operands[0][1])


def _question(first: tuple[str, Shape | None], second: tuple[str, Shape | None]) -> str | None:
    (name, a), (other, b) = first, second
    if a is None or b is None:
        unknown = [operand for operand, shape in (first, second) if shape is None]
        return f"the shape of {' and '.join(unknown)}"
    for axis, (m, n) in enumerate(zip(a, b, strict=True)):
        if m is None or m != n:
            of_a, of_b = described_dimension(m), described_dimension(n)
            return f"whether dimension {axis} of {name}, {of_a}, is that of {other}, {of_b}"
    return None


def _broadcast_together(at: Application) -> Iterator[NodeFinding]:
    """Of an operator whose document asks for broadcasting."""
    shapes = [operand.shape for _, _, operand in at.operands]
    known = [shape for shape in shapes if shape is not None]
    if not all(may_broadcast(a, b) for a, b in combinations(known, 2)):
        found = f"the shapes do not go together: {at}"
        yield at.violates(Rule.BROADCASTABLE, found, "Give dimensions that differ the size 1")
        return
    columns = [{*column} for column in zip_longest(*map(reversed, known), fillvalue=1)]
    if len(known) < len(shapes) or any(len(sizes - {1}) > 1 or None in sizes for sizes in columns):
        found = f"whether the shapes go together is not known: {at}"
        yield at.undecided(Rule.BROADCASTABLE, found, DECLARE)
        return
    wanted = tuple(next(iter(sizes - {1}), 1) for sizes in reversed(columns))
    if shapes_differ(wanted, at.node.outputs[0].shape):
        yield _wrong_result(at, Rule.RESULT_SHAPE, wanted)


def _broadcast(at: Application) -> NodeFinding:
    constants = [
        f"{name}, {x.name}, is a constant" for name, _, x in at.operands if x.constant is not None
    ]
    which = f" ({'; '.join(constants)})" if constants else ""
    store = ", or store the constant in the full shape" if constants else ""
    found = f"operands are broadcast to one shape: {at}{which}"
    return at.violates(Rule.NO_BROADCAST, found, f"{_EXPAND}{store}")


def _wrong_result(at: Application, rule: Rule, wanted: Shape | None) -> NodeFinding:
    name, output = at.operator.output.name, at.node.outputs[0]
    found = f"{name}, {output.name}, is declared {described(output.shape)}: {at}"
    return at.violates(rule, found, f"Declare it {described(wanted)}")


def _scalar_bounds(at: Application) -> Iterator[NodeFinding]:
    (_, _, first), *bounds = at.operands
    for name, _, operand in bounds:
        yield from _of_rank(at, name, operand, Rule.SCALAR)
    if shapes_differ(first.shape, at.node.outputs[0].shape):
        yield _wrong_result(at, Rule.RESULT_SHAPE, first.shape)


def _of_rank(at: Application, name: str, operand: Value, rule: Rule) -> Iterator[NodeFinding]:
    rank, repair = _RANKS[rule]
    if operand.shape is None:
        found = f"the shape of {name}, {operand.name}, is unknown: {at}"
        yield at.undecided(rule, found, DECLARE, name)
    elif len(operand.shape) != rank:
        found = f"{name}, {operand.name}, has {len(operand.shape)} axes: {at}"
        yield at.violates(rule, found, repair, name)


def _matrix_product(at: Application) -> Iterator[NodeFinding]:
    (left, _, a), (right, _, b) = at.operands[:2]
    for name, operand in ((left, a), (right, b)):
        yield from _of_rank(at, name, operand, Rule.MATRIX)
    match a.shape, b.shape:
        case ((rows, columns), (other, width)):
            pass
        case _:
            return
    of_a, of_b = described_dimension(columns), described_dimension(other)
    found = f"{left} has {of_a} columns, and {right} has {of_b} rows: {at}"
    if differ(columns, other):
        yield at.violates(Rule.INNER_DIMENSION, found, "Does one of them need to be transposed?")
    elif columns is None or columns != other:
        yield at.undecided(Rule.INNER_DIMENSION, found, DECLARE)
    match at.node.outputs[0].shape:
        case None:
            return
        case (m, n):
            rule = _WRONG_RESULTS.get((differ(m, rows), differ(n, width)))
        case _:
            rule = Rule.RESULT_RANK
    if rule:
        yield _wrong_result(at, rule, (rows, width))


def _domain(at: Application) -> Iterator[NodeFinding]:
    """Of operands of one listed type, where the result is defined; over others, there is none."""
    domain = at.operator.definition.domain
    if domain is None:
        return
    if at.operator.arithmetic is Arithmetic.QUOTIENT:
        yield from _divisor(at, domain)
        return
    type_ = at.type_of(at.operator.inputs[0])
    empty = any(operand.empty for _, _, operand in at.operands)
    if not empty and (type_ is None or type_.family in domain.families):
        found = f"whether {domain.broken} depends on elements: {at}"
        yield at.undecided([domain.item], found, "A proof about what computes them")


def _divisor(at: Application, domain: Domain) -> Iterator[NodeFinding]:
    _, port, divisor = at.operands[1]
    type_ = at.type_of(port)
    if type_ is None:
        return
    never = type_.family in domain.families
    elements = divisor.constant() if divisor.constant is not None else None
    if elements is None:
        if never and not divisor.empty:
            found = f"the divisor {divisor.name} is {divisor}, and its elements are known only when"
            decides = "A constant divisor without a zero, or a proof about what computes it"
            yield at.undecided([domain.item], f"{found} the model runs", decides)
        return
    # ml_dtypes has no nonzero() for some types; == works for all.
    zeros = np.argwhere(np.atleast_1d(np.asarray(elements == 0)))
    if not zeros.size:
        return
    count = "one index" if len(zeros) == 1 else f"{len(zeros)} indices"
    place = tuple(map(int, zeros[0]))[: elements.ndim]
    found = f"the constant divisor {divisor.name} is zero at {count}, the first {place}"
    if never:
        yield at.violates([domain.item], found, "Leave these out, or divide floating-point numbers")
    elif domain.elsewhere:
        yield NodeFinding(
            stated(at.document, [domain.elsewhere]),
            LintVerdict.CONFORMS,
            f"{found}: the quotient there is an infinity or, of zero or NaN, NaN",
            "Nothing has to be repaired; make sure that it is meant",
        )


def _exclusions(at: Application) -> Iterator[NodeFinding]:
    """Elements that the document excludes, in an operand of a listed type."""
    for excluded in at.operator.excludes:
        for name, port, operand in at.operands:
            type_ = at.type_of(port) if name == excluded.operand else None
            element = excluded.element(type_) if type_ else None
            if element is None or operand.empty:
                continue
            elements = operand.constant() if operand.constant is not None else None
            if elements is None:
                found = f"whether {excluded.what} is in {name}, {operand.name}, is known only when"
                decides = "A constant without it, or a proof about what computes the elements"
                yield at.undecided([excluded.item], f"{found} the model runs: {at}", decides)
            elif np.any(np.asarray(elements == element)):
                found = f"{excluded.what} is in the constant {operand.name}: {at}"
                yield at.violates([excluded.item], found, "Leave it out, or take a wider type")
