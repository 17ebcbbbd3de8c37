"""Which nodes are judged, seen as the declaration of their operator has them, and verdicts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Annotated

import onnx
from msgspec import Meta

from sonnx_formal.core.documents import Part
from sonnx_formal.lint.nodes import Node
from sonnx_formal.lint.values import Value, family
from sonnx_formal.spec import catalogue
from sonnx_formal.spec.element_types import BY_NAME, ElementType, Family
from sonnx_formal.spec.operator import Input, Operator, Output, Rule, ShapeRule, System
from sonnx_formal.spec.requirements.entries import Kind
from sonnx_formal.spec.requirements.registry import requirement, stated

_SHOWN = 8
Sentence = Annotated[str, Meta(min_length=1)]


class LintVerdict(StrEnum):
    """The verdict on a requirement, on a node, and on a model; the gravest first."""

    VIOLATES = "violates"
    UNDECIDED = "cannot be decided statically"
    NOT_JUDGED = "not judged"
    """Of a model with nodes that no declaration is about: who knows what these do?"""
    CONFORMS = "conforms"


class Reason(StrEnum):
    """What keeps a node outside the profile, as the summary has it."""

    OPERATOR = "operator"
    """No document has it, so that nothing of it was judged."""
    VERSION = "version of the operator"
    """ONNX has other inputs or attributes in the operator set of the model."""
    ELEMENT_TYPE = "element type"
    ATTRIBUTE = "attribute"
    OTHER = "shape or another constraint"


_BY_RULE = {
    Rule.NUMERICAL: Reason.ELEMENT_TYPE,
    Rule.ONE_TYPE: Reason.ELEMENT_TYPE,
    Rule.LISTED: Reason.ELEMENT_TYPE,
    Rule.RESULT_TYPE: Reason.ELEMENT_TYPE,
    Rule.ATTRIBUTES: Reason.ATTRIBUTE,
}
_OF_AN_ATTRIBUTE = "ATTR"
"""The part of an id that the requirements on an attribute by itself have."""


class NodeFinding(Part, frozen=True):
    """What was found at a node about one requirement.

    One that conforms is a remark: it is allowed, and worth knowing.

    Raises `UnknownRequirementError` if the registry does not have the id.
    """

    requirement: str
    verdict: LintVerdict
    found: Sentence
    advice: Sentence
    """How to repair it or, where it cannot be decided, what would decide it."""
    reason: Reason = Reason.OTHER

    def __post_init__(self) -> None:
        requirement(self.requirement)


@dataclass(frozen=True, eq=False)
class Application:
    node: Node
    operator: Operator

    @cached_property
    def operands(self) -> list[tuple[str, Input, Value]]:
        """The operands that are there, as far as the declaration has an input for them."""
        given = self.node.inputs
        pairs = zip(self.operator.ports(len(given)), given, strict=False)
        return [(name, port, operand) for (name, port), operand in pairs if operand.name]

    @property
    def schema(self) -> onnx.defs.OpSchema:
        return onnx.defs.get_schema(self.node.proto.op_type, self.node.version, "")

    @cached_property
    def document(self) -> str:
        """Of the first operand whose type is known; without one, that of the real numbers."""
        main = {parameter.name for parameter in self.operator.parameters[:1]}
        families = [family(x.element_type) for _, port, x in self.operands if port.type in main]
        return self.operator.document(next(filter(None, families), Family.REAL))

    def original_requirement(self, rule: Rule) -> str | None:
        """The requirement of ONNX's own document, if that of just this version is declared."""
        for since, original in _declared(System.ONNX, self.node.proto.op_type):
            if since == self.schema.since_version:
                return stated(next(iter(original.documents.values())), original.items(rule))
        return None

    @property
    def legacy(self) -> set[str]:
        """Attributes of old versions that mean nothing where operands have one shape."""
        broadcasts = "broadcast" in self.schema.attributes
        if broadcasts and self.operator.shape_rule is ShapeRule.SAME:
            return {"axis", "broadcast", "consumed_inputs"}
        return {"consumed_inputs"}

    @property
    def told_to_broadcast(self) -> bool:
        """Whether an attribute of an old version says that an operand is broadcast."""
        attributes = self.node.proto.attribute
        return any(x.name == "broadcast" and x.i and x.name in self.legacy for x in attributes)

    def listed(self, port: Input | Output) -> tuple[ElementType, ...]:
        """The document's types for a port; the first type parameter says which document it is."""
        declared = {each.name: each.types for each in self.operator.parameters}
        declared |= {each.name: each.types() for each in self.operator.dependent}
        if port.type not in declared:
            return (BY_NAME[port.type],)
        types = declared[port.type]
        if port.type != self.operator.parameters[0].name:
            return types
        return tuple(x for x in types if self.operator.document(x) == self.document)

    def type_of(self, port: Input | Output) -> ElementType | None:
        """The type there, if all operands that determine it have one that is known and listed."""
        listed = {type_.name: type_ for type_ in self.listed(port)}
        names = {x.element_type for _, other, x in self.operands if other.type == port.type}
        if not names and len(listed) == 1:
            names = {*listed}
        parameters = {each.name: each for each in self.operator.parameters}
        if not names and (parameter := parameters.get(port.type)):
            chosen = parameter.chosen(self._number(parameter.attribute))
            names = {chosen.name} if chosen else names
        return listed.get(names.pop() or "") if len(names) == 1 else None

    def _number(self, name: str | None) -> int | None:
        """The value of an attribute that is an integer; None where it is not set."""
        return next((each.i for each in self.node.proto.attribute if each.name == name), None)

    def violates(
        self, what: Rule | Sequence[str], found: str, repair: str, operand: str = ""
    ) -> NodeFinding:
        """That what the document says is not met: a rule, about an operand, or one of the items."""
        return self._finding(what, LintVerdict.VIOLATES, found, repair, operand)

    def undecided(
        self, what: Rule | Sequence[str], found: str, decides: str, operand: str = ""
    ) -> NodeFinding:
        return self._finding(what, LintVerdict.UNDECIDED, found, decides, operand)

    def _finding(
        self,
        what: Rule | Sequence[str],
        verdict: LintVerdict,
        found: str,
        advice: str,
        operand: str,
    ) -> NodeFinding:
        items = self.operator.items(what, operand) if isinstance(what, Rule) else what
        of = stated(self.document, items)
        if what is Rule.FUNCTION and verdict is LintVerdict.UNDECIDED:
            reason = Reason.VERSION  # what a node of this version means, no declaration says
        elif isinstance(what, Rule):
            reason = _BY_RULE.get(what, Reason.OTHER)
        elif verdict is LintVerdict.UNDECIDED:
            reason = Reason.OTHER  # attributes are known: what is not are shapes or elements
        else:
            reason = self._about(of)
        return NodeFinding(of, verdict, found, advice, reason)

    def _about(self, identifier: str) -> Reason:
        """By the id: AXIS.C1 and ATTR.AXIS are about the attribute axis."""
        named = {each.name.upper() for each in self.operator.attributes} | {_OF_AN_ATTRIBUTE}
        if requirement(identifier).kind is Kind.TYPE:
            return Reason.ELEMENT_TYPE
        return Reason.ATTRIBUTE if named & {*identifier.split(".")[1:]} else Reason.OTHER

    def __str__(self) -> str:
        """The operands in a message: A is float32 (2, 3), S is int64 (2,) of [3, -1]."""
        parameters = {each.name for each in self.operator.parameters}
        return ", ".join(
            f"{name} is {operand}{_shown(operand) if port.type not in parameters else ''}"
            for name, port, operand in self.operands
        )


def _shown(operand: Value) -> str:
    """The elements of a short constant."""
    elements = operand.constant() if operand.constant is not None else None
    few = elements is not None and elements.size <= _SHOWN
    return f" of {elements.tolist()}" if elements is not None and few else ""


def application(node: Node) -> Application | None:
    """The node as the version that it has, or the nearest one: of SONNX or, where that has no such
    operator, of ONNX. None where neither is declared."""
    op_type = node.proto.op_type
    versions = _declared(System.SONNX, op_type) or _declared(System.ONNX, op_type)
    if node.domain or not versions:
        return None
    reached = [each for since, each in versions if since <= node.version]
    return Application(node, reached[-1] if reached else versions[0][1])


def gravest(verdicts: Iterable[LintVerdict]) -> LintVerdict:
    """The verdict on a whole: one violation is enough, and nothing conforms if nobody knows."""
    return min(verdicts, key=[*LintVerdict].index, default=LintVerdict.CONFORMS)


def _declared(system: System, op_type: str) -> list[tuple[int, Operator]]:
    found = [
        (each.onnx.since, each)
        for each in catalogue.operators()
        if each.system is system and each.onnx and each.onnx.op_type == op_type
    ]
    return sorted(found, key=lambda version: version[0])
