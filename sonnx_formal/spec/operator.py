"""What is declared of an operator. Everything that is made for operators iterates over this."""

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sonnx_formal.spec.attributes import UNSET, Attribute, Attributes
from sonnx_formal.spec.element_types import BY_NAME, ONNX_NUMBERS, ElementType, Family
from sonnx_formal.spec.kernel import KernelShape

if TYPE_CHECKING:
    from sonnx_formal.spec.call import Call
    from sonnx_formal.spec.element_types import Array


OPSET = 14
"""The operator set of models: the last one with a version of an operator of the documents."""
IR_VERSION = 8
"""Old enough for every runtime: some refuse 14, which `onnx` writes if it is not told."""


class System(StrEnum):
    """Whose operator it is."""

    SONNX = "SONNX"
    ONNX = "ONNX"
    OPENVINO = "OpenVINO"


class Presence(Enum):
    """How many operands stand in the place of an input."""

    REQUIRED = "one"
    OPTIONAL = "none or one"
    VARIADIC = "any number, at least one"
    """Only the last input may be variadic."""


@dataclass(frozen=True)
class Input:
    """An input: its name in the document, and the type of its elements."""

    name: str
    type: str
    """The name of a type parameter of the operator (`T`), of a dependent type, or of one element
    type (`int64`)."""
    presence: Presence = Presence.REQUIRED
    item: str | None = None
    """Of the document, which asks for it by itself: `R1` of `SONNX-SLICE`."""


@dataclass(frozen=True)
class Output:
    """The output: its name in the document, and the type of its elements, as for inputs."""

    name: str
    type: str


@dataclass(frozen=True)
class TypeParameter:
    """Element types among which each node chooses one."""

    name: str
    types: tuple[ElementType, ...]
    """The types that the documents list."""
    beyond: tuple[ElementType, ...] = ()
    """Types that no document lists, and that the definition has all the same: an extension."""
    beside: ElementType | None = None
    """Of types that make no difference to the elements of the result: all but the first are tried
    beside this type of the first parameter alone. The definition has every choice."""
    default: ElementType | None = None
    """What a node chooses that leaves out all operands of the parameter, if it may."""
    attribute: str | None = None
    """The attribute by which such a node may choose another type, by ONNX's number of it."""

    def chosen(self, number: Any) -> ElementType | None:
        """What a node without operands of the parameter chooses, by the value of the attribute."""
        type_ = ONNX_NUMBERS.get(number) if isinstance(number, int) else None
        return type_ if type_ in self.types else self.default


@dataclass(frozen=True)
class DependentType:
    """Element types of which no node chooses one: another type parameter decides."""

    name: str
    parameter: str
    by: Mapping[str, str]
    """The type for each type of the parameter, by their names."""

    def types(self) -> tuple[ElementType, ...]:
        """All types that it may be."""
        return tuple(BY_NAME[name] for name in dict.fromkeys(self.by.values()))


class ShapeRule(Enum):
    """Which shapes go together, and what the shape of the result is."""

    SAME = "all operands have one shape, which is that of the result"
    MULTIDIRECTIONAL = "all operands are broadcast to one shape"
    UNIDIRECTIONAL = "the second operand is broadcast to the first if an attribute says so"
    BY_ATTRIBUTE = "an attribute says whether shapes are equal or broadcast"
    SCALAR_BOUNDS = (
        "the operands after the first have no axes; the result has the first one's shape"
    )
    MATRIX_PRODUCT = "matrices, the columns of the first as many as the rows of the second"
    OWN = "a rule of the operator's own, known to its definition only"

    @property
    def by_element(self) -> bool:
        """Whether operands of one shape go together, element by element."""
        others = {ShapeRule.SCALAR_BOUNDS, ShapeRule.MATRIX_PRODUCT, ShapeRule.OWN}
        return self not in others


class Arithmetic(Enum):
    """How an element of the result comes about, which says at which operands it may go wrong."""

    PRODUCT = "the product of two elements"
    QUOTIENT = "the quotient of two elements"
    SUM = "the sum of two elements"
    DIFFERENCE = "the difference of two elements"
    SUM_OF_PRODUCTS = "a sum of products"
    EXACT = "an element of an operand, but perhaps for its sign: nothing is rounded"
    COPY = "an element of an operand as it is: nothing is computed"
    OTHER = "none of these: nothing is known of where it rounds"


class Terms(Enum):
    """Which products an element of the result is the sum of, in whatever order."""

    MATRICES = "those of a row of the first operand and a column of the second"
    MATRICES_AND_ADDEND = "the same, and the element of the third operand times 1"
    WINDOWS = (
        "those of a window of the first operand, with its padding, and a kernel of the second;"
        " and the element of the third operand for the channel, if there is one, times 1"
    )
    MEANS = (
        "those of a window of the operand, with its padding, and 1; the sum is divided by how many"
        " of its elements count"
    )
    BLOCKS = "those of the elements of the first operand along the axes that are reduced, times 1"


@dataclass(frozen=True)
class Test:
    """A predicate of the formal library, applied."""

    predicate: str
    """`tensor.operand.Elementwise.dense`; a plain name is one of the signature's module."""
    takes: tuple[str, ...] = ()
    """Attribute arguments by name; operands in lower case (`a`), their element types (`a.element`),
    their dimensions (`a.dims`), their numbers of axes (`a.rank`), their tensors, values and all
    (`a.tensor`), or, of vectors of integers, their elements as a sequence (`a.entries`). Of an
    optional operand it is an option, of a variadic one a list. The default is all attribute
    arguments, then all operands."""


@dataclass(frozen=True)
class Predicate:
    """A predicate of the formal library in Python, and what to do where it does not hold."""

    holds: Callable[..., bool]
    """Of what the declaration says that the predicate takes: operands, dimensions, sequences as
    tuples, the value of an attribute or, for what is made from attributes, all that are set."""
    advice: str
    """With `{types}` for the element types of the declaration."""


class Rule(Enum):
    """What an item of a document says that can be seen in a model before it runs."""

    DENSE = "no operand is sparse"
    KNOWN_SHAPE = "the shape of each operand is known, with all its dimensions"
    NUMERICAL = "the elements are numbers"
    ONE_TYPE = "operands of one type parameter have one element type"
    LISTED = "the element types are those that the document lists"
    SAME_SHAPE = "the operands have one shape"
    BROADCASTABLE = "the operands can be broadcast to one shape"
    NO_BROADCAST = "shapes that broadcasting could bring together differ all the same"
    VECTOR = "an operand has one axis"
    SCALAR = "an operand has no axes"
    MATRIX = "an operand has two axes"
    INNER_DIMENSION = "the first matrix has as many columns as the second has rows"
    RESULT_TYPE = "the element type of the result"
    RESULT_SHAPE = "the shape of the result"
    RESULT_RANK = "the number of axes of the result"
    RESULT_ROWS = "the result has the rows of the first matrix"
    RESULT_COLUMNS = "the result has the columns of the second matrix"
    ATTRIBUTES = "attributes of ONNX's are left out"
    FUNCTION = "what is computed, from which operands and attributes"


_SAYS = {
    "dense": (Rule.DENSE,),
    "numerical": (Rule.NUMERICAL,),
    "same_numerical_type": (Rule.NUMERICAL, Rule.ONE_TYPE),
    "same_supported_type": (Rule.ONE_TYPE, Rule.LISTED),
    "one_type": (Rule.ONE_TYPE,),
    **dict.fromkeys(("listed", "all_listed", "truth"), (Rule.LISTED,)),
    "not_broadcast": (Rule.NO_BROADCAST,),
    **dict.fromkeys(("broadcastable", "compatible"), (Rule.BROADCASTABLE,)),
    **dict.fromkeys(("same_shape", "one_shape", "same_unless_broadcast"), (Rule.SAME_SHAPE,)),
    **dict.fromkeys(("int64_vector", "index_vector", "axes_vector"), (Rule.LISTED, Rule.VECTOR)),
    "scalar": (Rule.SCALAR,),
    "matrix": (Rule.MATRIX,),
    "inner_dimensions": (Rule.INNER_DIMENSION,),
}
"""What the predicates of the formal library amount to, by their names without the modules."""
_NEAREST = {
    **dict.fromkeys((Rule.DENSE, Rule.NUMERICAL, Rule.ONE_TYPE), Rule.LISTED),
    Rule.RESULT_TYPE: Rule.ONE_TYPE,
    **dict.fromkeys((Rule.BROADCASTABLE, Rule.NO_BROADCAST, Rule.RESULT_SHAPE), Rule.SAME_SHAPE),
    **dict.fromkeys(
        (
            Rule.KNOWN_SHAPE,
            Rule.SAME_SHAPE,
            Rule.SCALAR,
            Rule.VECTOR,
            Rule.MATRIX,
            Rule.INNER_DIMENSION,
            Rule.ATTRIBUTES,
        ),
        Rule.FUNCTION,
    ),
    **dict.fromkeys((Rule.RESULT_ROWS, Rule.RESULT_COLUMNS, Rule.RESULT_RANK), Rule.RESULT_SHAPE),
}
"""The rule that implies another, for documents that do not state that by itself."""
_NEAREST_FAMILY = {
    Family.TEXT: Family.REAL,
    Family.BOOLEAN: Family.INTEGER,
    Family.COMPLEX: Family.FLOAT,
}
"""The numbers whose document comes nearest to what is no number."""
_BY_CONVENTION = {Rule.LISTED: "T", Rule.FUNCTION: "FUNC"}


@dataclass(frozen=True)
class Restriction:
    """A requirement that the operands have to meet before anything is computed."""

    item: str
    """Of the document: `R1` of `SONNX-MUL`."""
    test: Test
    broken: str
    """What is wrong where the test fails."""
    given: Test | None = None
    """Only where this holds does the requirement say anything."""
    extended: bool = False
    """Whether it is the type list, which the types `beyond` need not be in."""

    @property
    def says(self) -> tuple[Rule, ...]:
        """What the test amounts to. None of the rules: before a model runs, nobody can tell."""
        return _SAYS.get(self.test.predicate.rpartition(".")[2], ())


@dataclass(frozen=True)
class Domain:
    """Where the result is defined, if not everywhere: this depends on values."""

    predicate: str
    """A function of the same modules and arguments as the definition: `is_defined`."""
    item: str
    broken: str
    families: frozenset[Family] = frozenset(Family)
    """Of the types over which there is no result elsewhere."""
    elsewhere: str | None = None
    """The item that gives the result elsewhere over the types of the other families."""


@dataclass(frozen=True)
class Exclusion:
    """An element that a document excludes, and that has a result by the definition."""

    item: str
    operand: str
    what: str
    """`the least number of its type`."""
    element: Callable[[ElementType], Any]
    """None where the document excludes nothing of the type."""


@dataclass(frozen=True)
class Definition:
    """Where the formal library has the operator."""

    signature: str
    """The module with the predicate `admissible` and the function `result`, both on operands
    without values: `ops.mul.definition.MulSignature`."""
    function: str
    modules: Mapping[Family, str]
    """By the family of the first type parameter. The name of a parameter in braces stands for the
    type: `ops.mul.definition.Mul{T}` has the module `MulInt8`. Families of which one definition is
    polymorphic have the same module."""
    restrictions: tuple[Restriction, ...]
    """In the order in which they are looked at."""
    takes: tuple[str, ...] = ()
    """What `admissible` and `result` take, as for a test: where the values of an operand decide
    about the shape of the result, its tensor or its entries."""
    arguments: tuple[str, ...] = ()
    """What comes before the operands, each the name of an attribute, or of an OCaml function of
    `arguments.ml` that makes it from attributes."""
    arguments_over: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By the name of the type of the result, what comes after these over that type alone."""
    domain: Domain | None = None
    predicates: Mapping[str, Predicate] = field(default_factory=dict)
    """The predicates of its own among the restrictions, by their names without the modules."""
    shape: Callable[..., tuple[int, ...]] | None = None
    """The shape of the result in Python, of what `result` takes: for operands that are accepted,
    under a rule of the operator's own."""
    extended_reals: bool = False
    """Whether real elements may be infinite."""
    readings: Mapping[str, str] = field(default_factory=dict)
    """Other ways to read the document, each a module within those of the floating-point types."""


@dataclass(frozen=True)
class OnnxNode:
    """How ONNX writes the operator."""

    op_type: str
    since: int
    """The operator set that this version came with."""
    until: int | None = None
    """The operator set that the next version came with."""


@dataclass(frozen=True)
class Example:
    """A worked example of the document."""

    item: str
    operands: tuple[Any, ...]
    """Of each nested lists of numbers, or a shape, whose elements count 1, 2, … 11 and again."""
    families: frozenset[Family]
    """Of the types over which the document means it."""
    attributes: Attributes = UNSET
    types: frozenset[str] = frozenset()
    """If the document names types: only these."""


@dataclass(frozen=True)
class Arrangement:
    """Operands and attributes that go together, where no shape rule says which do."""

    operands: tuple[Any, ...]
    """Of each a shape, which is filled with any elements; or nested lists of numbers, which it has
    to be; or None, for an optional one that is left out."""
    attributes: Attributes = UNSET
    broken: bool = False
    """Whether the definition has to reject them."""
    types: frozenset[str] = frozenset()
    """If they go together over some types alone: these."""


@dataclass(frozen=True)
class Reference:
    """The function of `sonnx_formal.reference` that is under test."""

    function: str
    keywords: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Operator:
    """An operator of the source documents: one declaration, from which all else follows."""

    name: str
    """What users call it: `mul`, `onnx-mul-14`."""
    title: str
    """`SONNX Mul`."""
    system: System
    documents: Mapping[Family, str]
    """The source document for the types of each family; all types may have the same one."""
    inputs: tuple[Input, ...]
    output: Output
    parameters: tuple[TypeParameter, ...]
    definition: Definition
    reference: Reference
    shape_rule: ShapeRule
    arithmetic: Arithmetic
    always: tuple[str, ...]
    """Items of the document that each accepted case exercises."""
    computed: tuple[str, ...] = ("FUNC",)
    """Items that a case exercises if the result has an element."""
    also: Callable[["Call", "Array | None"], Iterable[str]] = lambda _call, _result: ()
    """Items that a case exercises besides, by its operands and its result; None if rejected."""
    dependent: tuple[DependentType, ...] = ()
    """Types that follow from those of parameters."""
    attributes: tuple[Attribute, ...] = ()
    terms: Terms | None = None
    """Of a sum of products. None: no bound on the error of another order is known."""
    states: Mapping[Rule, str] = field(default_factory=dict)
    """Items of the document that state rules which no restriction states: most are of the result.
    The type list is `T` and the function is `FUNC`, unless this says something else."""
    onnx: OnnxNode | None = None
    examples: tuple[Example, ...] = ()
    exact: Callable[..., Fraction | None] | None = None
    """The result for exact elements, None where there is none. Operands are sorted into classes by
    it; expected values never come from it."""
    excludes: tuple[Exclusion, ...] = ()
    kernel: KernelShape | None = None
    """Of the kernels of an operator whose shapes follow a rule of its own."""
    hazards: Callable[[tuple[ElementType, ...]], tuple[tuple[Any, ...], ...]] = lambda _types: ()
    """Numbers as operands that kill some implementations, for types as in an `Instance`."""
    arrangements: tuple[Arrangement, ...] = ()
    """What test vectors are made of besides what follows from the shape rule. A rule of the
    operator's own needs some; with attributes that are required, the first one says which."""

    def __str__(self) -> str:
        return self.name

    @property
    def goes_by_onnx_name(self) -> bool:
        """Of SONNX, or of ONNX where SONNX lacks it: not one of several versions beside these."""
        return self.name == self.reference.function

    def document(self, type_: ElementType | Family) -> str:
        """The document that speaks of a type, or of those of a family, or comes nearest to it."""
        family = type_ if isinstance(type_, Family) else type_.family
        nearest = _NEAREST_FAMILY.get(family, family)
        return self.documents.get(nearest) or next(iter(self.documents.values()))

    def items(self, rule: Rule, operand: str = "") -> Iterator[str]:
        """The items that state a rule (about an operand), then those that imply it."""
        for restriction in self.definition.restrictions:
            about = {name.partition(".")[0] for name in restriction.test.takes}
            if rule in restriction.says and (not operand or not about or operand.lower() in about):
                yield restriction.item
        stated = {**_BY_CONVENTION, **self.states}
        if rule in stated:
            yield stated[rule]
        if rule in _NEAREST:
            yield from self.items(_NEAREST[rule], operand)

    def items_behind(self, restriction: Restriction) -> list[str]:
        """The item of a restriction; then those that imply it: not each document states it."""
        return [restriction.item, *(item for rule in restriction.says for item in self.items(rule))]

    def ports(self, count: int) -> list[tuple[str, Input]]:
        """All inputs by name, for so many operands.

        Those of a variadic one are `X1`, `X2`, …; of one that is called after its first operand,
        as ONNX has it, `data_0`, `data_1`, …
        """
        *fixed, last = self.inputs
        found = [(each.name, each) for each in fixed]
        if last.presence is not Presence.VARIADIC:
            return [*found, (last.name, last)]
        stem = last.name.removesuffix("0")
        start = 1 if stem == last.name else 0
        several = range(start, max(count - len(fixed), 1) + start)
        return found + [(f"{stem}{number}", last) for number in several]

    @property
    def least_attributes(self) -> Attributes | None:
        """What each node has to set, as in the first arrangement; None where that is missing."""
        if not any(attribute.required for attribute in self.attributes):
            return UNSET
        return self.arrangements[0].attributes if self.arrangements else None

    def attribute(self, name: str) -> Attribute | None:
        return next((each for each in self.attributes if each.name == name), None)

    def instances(self, *, beyond: bool = True, every: bool = False) -> "Iterator[Instance]":
        """The operator with the choices of element types that are tried.

        :param beyond: of those not listed, too.
        :param every: also choices that make no difference to those that are tried.
        """
        choices = [p.types + (p.beyond if beyond else ()) for p in self.parameters]
        for types in itertools.product(*choices):
            if every or all(
                p.beside in {None, types[0]} or type_ is p.types[0]
                for p, type_ in zip(self.parameters, types, strict=True)
            ):
                yield Instance(self, types)


@dataclass(frozen=True)
class Instance:
    """An operator with the element types that a node chose, one for each type parameter."""

    operator: Operator
    types: tuple[ElementType, ...]

    @property
    def label(self) -> str:
        """The names of the types: `float32`, `float32-int8`."""
        return "-".join(type_.name for type_ in self.types)

    @property
    def name(self) -> str:
        """The operator and the types: `mul-float32`."""
        return f"{self.operator.name}-{self.label}"

    @property
    def module(self) -> str:
        """Where the formal library has it: `ops.mul.definition.MulInt8`."""
        pairs = zip(self.operator.parameters, self.types, strict=True)
        names = {parameter.name: type_.whyml for parameter, type_ in pairs}
        return self.operator.definition.modules[self.types[0].family].format_map(names)

    @property
    def document(self) -> str:
        """The source document: `SONNX-MUL`."""
        return self.operator.document(self.types[0])

    @property
    def extension(self) -> bool:
        """Whether no document lists these types."""
        return any(t in p.beyond for p, t in zip(self.operator.parameters, self.types, strict=True))

    @property
    def sums_floats(self) -> bool:
        """Whether elements of the result are sums that are rounded at each step."""
        family = self.type_of(self.operator.output).family
        return self.operator.arithmetic is Arithmetic.SUM_OF_PRODUCTS and family is Family.FLOAT

    @property
    def bounds_sums(self) -> bool:
        """Whether these are judged by the bound on the error of every order."""
        return self.sums_floats and self.operator.terms is not None

    @property
    def multiplies_floats(self) -> bool:
        """Whether they are those of a matrix product."""
        return self.sums_floats and self.operator.shape_rule is ShapeRule.MATRIX_PRODUCT

    def type_of(self, port: Input | Output) -> ElementType:
        return self._types_by_name[port.type]

    @cached_property
    def _types_by_name(self) -> dict[str, ElementType]:
        """All element types, and those that the parameters stand for."""
        names = (parameter.name for parameter in self.operator.parameters)
        chosen = dict(zip(names, self.types, strict=True))
        follow = {x.name: BY_NAME[x.by[chosen[x.parameter].name]] for x in self.operator.dependent}
        return {**BY_NAME, **chosen, **follow}

    def __str__(self) -> str:
        return f"{self.operator.name} over {self.label}"
