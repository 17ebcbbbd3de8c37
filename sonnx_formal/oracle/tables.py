"""The oracle's tables: OCaml that applies each declared operator, made from the declarations.

Of each operator there is a function that binds the operands of a call to the inputs, checks the
attributes, looks at the restrictions in their order, reads the elements in the forms of their
types, and applies the definition of these types. The symbols are those that Why3 extracts.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import assert_never

from sonnx_formal.prover.sources import read_source, texts_sha256
from sonnx_formal.spec.attributes import Attribute
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.element_types import ELEMENT_TYPES, ONNX_NUMBERS, ElementType, Family
from sonnx_formal.spec.operator import (
    Instance,
    Operator,
    Presence,
    Restriction,
    Test,
    TypeParameter,
)
from sonnx_formal.spec.requirements.registry import stated

ARGUMENTS = Path(__file__).with_name("arguments.ml")
UNLISTED = "unlisted"
"""The reading in which the types `beyond` the documents are accepted, too."""

_SPEC = Path(__file__).parents[1] / "spec"
_READ = {
    Presence.REQUIRED: "read",
    Presence.OPTIONAL: "read_optional",
    Presence.VARIADIC: "read_all",
}
_PARTS = {
    "element": "{}.Operand.element",
    "dims": "{}.Operand.dims",
    "rank": "(Shape.rank {}.Operand.dims)",
    "entries": "(Tensor__vector__Vector.entries {})",
}
"""What a declaration may take of an operand besides its tensor."""
_OF_VALUES = {"tensor", "entries"}


def readings(operator: Operator) -> tuple[str, ...]:
    """The names of the other readings that a call of the operator may ask for."""
    beyond = any(parameter.beyond for parameter in operator.parameters)
    return (*operator.definition.readings, *([UNLISTED] if beyond else []))


@cache
def text() -> str:
    """The tables as an OCaml module, with their digest in it."""
    return "\n".join([*_lines(), "", f'let digest = "{digest()}"', ""])


def digest() -> str:
    """What the program has to say of its tables at the start: SHA-256 of what they are made from.

    Not of the tables themselves: to make these takes longer than to evaluate an operator.
    """
    return _DIGEST


def sources_digest() -> str:
    """Of the declarations, and of what reads them, as they are in the files now."""
    paths = [*_SPEC.rglob("*.py"), *_SPEC.rglob("*.toml"), Path(__file__), ARGUMENTS]
    return texts_sha256({str(path.relative_to(_SPEC.parent)): read_source(path) for path in paths})


def _lines() -> Iterator[str]:
    yield "(* Generated from the declarations of operators. *)"
    yield from ("open Wire", "open Elements", "open Calls")
    yield from ("module E = Tensor__operand__ElementType", "let element_types = [")
    yield from (f'  "{type_.name}", E.{type_.whyml};' for type_ in ELEMENT_TYPES)
    yield "]"
    for operator in operators():
        yield from ("", *_Table(operator).lines())
    yield "let operators = ["
    yield from (f'  "{each.name}", {_variable(each.name)};' for each in operators())
    yield "]"


class _Table:
    """The function of one operator. Its variables are named after the inputs and arguments."""

    def __init__(self, operator: Operator) -> None:
        self._operator, self._definition = operator, operator.definition
        self._inputs = [_variable(input_.name) for input_ in operator.inputs]
        self._made: set[str] = set()
        """The arguments that are bound to variables."""

    def lines(self) -> Iterator[str]:
        operator = self._operator
        yield f"(* {operator.title} *)"
        yield f"let {_variable(operator.name)} call r answer ="
        yield from self._binding()
        yield f"  check_attributes call [{'; '.join(map(_declared, operator.attributes))}];"
        named = "; ".join(f'"{name}"' for name in readings(operator))
        yield f"  check_reading call [{named}];"
        yield from self._restrictions()
        firsts = map(self._element, operator.parameters)
        yield f"  match {', '.join(firsts)} with"
        for instance in operator.instances(every=True):
            yield f"  | {', '.join(f'E.{type_.whyml}' for type_ in instance.types)} ->"
            yield from self._application(instance)
        yield '  | _ -> failwith "there is no definition for these types"'

    def _binding(self) -> Iterator[str]:
        inputs, bound = self._operator.inputs, list(self._inputs)
        patterns = [
            f"Some {variable}" if input_.presence is Presence.REQUIRED else variable
            for variable, input_ in zip(bound, inputs, strict=True)
        ]
        guard = ""
        if inputs[-1].presence is Presence.VARIADIC:
            guard = f" when {bound[-1]} <> [] && List.for_all Option.is_some {bound[-1]}"
            bound[-1] = f"List.map Option.get {bound[-1]}"
        else:
            patterns.append("[]")
        yield f"  let {', '.join(self._inputs)} = match call.operands with"
        yield f"    | {' :: '.join(patterns)}{guard} -> {', '.join(bound)}"
        names = ", ".join(input_.name for input_ in inputs)
        yield f'    | _ -> malformed "the operands of {self._operator.name} are {names}" in'

    def _restrictions(self) -> Iterator[str]:
        """What can be looked at before the elements are read."""
        parameter = self._operator.parameters[0]
        first = self._element(parameter)
        every = (f'E.{each.whyml}, "{self._operator.document(each)}"' for each in ELEMENT_TYPES)
        yield f"  let document = List.assoc {first} [{'; '.join(every)}] in"
        extension = "false"
        if parameter.beyond:
            types = "; ".join(f"E.{type_.whyml}" for type_ in parameter.beyond)
            same = [*self._same_element(parameter.name, first)]
            listed = [f'call.reading = "{UNLISTED}"', f"List.mem {first} [{types}]"]
            extension = " && ".join([*listed, *same])
        yield f"  let extension = {extension} in"
        for restriction in self._definition.restrictions:
            if not _needs_values(restriction.test.takes):
                for test in (restriction.given, restriction.test):
                    yield from self._arguments(self._takes(test) if test else ())
                yield f"  {self._check(restriction)};"
        yield from self._arguments(self._definition.arguments)
        for names in self._definition.arguments_over.values():
            yield from self._arguments(names)
        yield from self._arguments(self._definition.takes)
        if not _needs_values(self._definition.takes):
            yield from self._signature()

    def _same_element(self, parameter: str, first: str) -> Iterator[str]:
        """That all operands of a type parameter have the element type of the first one."""
        of_parameter = f"(fun x -> x.Operand.element = {first})"
        for variable, input_ in zip(self._inputs, self._operator.inputs, strict=True):
            if input_.type != parameter:
                continue
            match input_.presence:
                case Presence.REQUIRED:
                    yield f"{of_parameter} {variable}"
                case Presence.OPTIONAL:
                    yield f"Option.fold ~none:true ~some:{of_parameter} {variable}"
                case Presence.VARIADIC:
                    yield f"List.for_all {of_parameter} {variable}"

    def _signature(self) -> Iterator[str]:
        """What is admissible has passed each check by itself: if not, the declaration is wrong."""
        takes = self._definition.takes
        admissible = f"extension || {self._applied(Test('admissible', takes))}"
        wrong = "no restriction rejects what is not admissible"
        yield f'  if not ({admissible}) then failwith "{wrong}";'
        yield f"  let result = {self._applied(Test('result', takes))} in"
        yield "  ignore (size result.Operand.dims);"

    def _check(self, restriction: Restriction) -> str:
        holds = self._applied(restriction.test)
        if restriction.given:
            holds = f"not ({self._applied(restriction.given)}) || {holds}"
        if restriction.extended:
            holds = f"extension || {holds}"
        items = self._operator.items_behind(restriction)
        documents = dict.fromkeys(self._operator.documents.values())
        ids = "; ".join(f'"{name}", "{stated(name, items)}"' for name in documents)
        return f'check (List.assoc document [{ids}]) "{restriction.broken}" ({holds})'

    def _application(self, instance: Instance) -> Iterator[str]:
        """The definition over some types: elements are read, and what needs them is looked at."""
        definition, extended = self._definition, self._definition.extended_reals
        for variable, input_ in zip(self._inputs, self._operator.inputs, strict=True):
            type_ = instance.type_of(input_)
            read = f"{_READ[input_.presence]} {_form(type_, extended)} E.{type_.whyml} {variable} r"
            yield f"    let tensor_{variable} = {read} in"
        yield "    finish r;"
        for restriction in definition.restrictions:
            if _needs_values(restriction.test.takes):
                yield f"    {self._check(restriction)};"
        if _needs_values(definition.takes):
            yield from self._signature()
        module = instance.module
        named = definition.readings if instance.types[0].family is Family.FLOAT else {}
        yield "    (match call.reading with"
        for reading, inner in named.items():
            yield f'    | "{reading}" -> {self._result(instance, f"{module}.{inner}")}'
        yield f"    | _ -> {self._result(instance, module)})"

    def _result(self, instance: Instance, module: str) -> str:
        definition, type_ = self._definition, instance.type_of(self._operator.output)
        over = definition.arguments_over.get(type_.name, ())
        arguments = [_variable(name) for name in (*definition.arguments, *over)]
        operands = " ".join([*arguments, *(f"tensor_{each}" for each in self._inputs)])
        check = ""
        if domain := definition.domain:
            defined = f"{_ocaml(f'{module}.{domain.predicate}')} {operands}"
            check = f'check (document ^ ".{domain.item}") "{domain.broken}" ({defined}); '
        result = f"{_ocaml(f'{module}.{definition.function}')} {operands}"
        form = _form(type_, definition.extended_reals)
        return f'{check}add_result answer "{type_.name}" E.{type_.whyml} {form} result ({result})'

    def _arguments(self, names: Iterable[str]) -> Iterator[str]:
        """Arguments are made where they are first needed, since making one may reject it."""
        for name in names:
            asked = name in self._definition.arguments or self._operator.attribute(name)
            if asked and name not in self._made:
                self._made.add(name)
                yield f"  let {_variable(name)} = {self._argument(name)} in"

    def _argument(self, name: str) -> str:
        if name in _functions():
            return f"Arguments.{name} call"
        attribute = self._operator.attribute(name)
        if attribute is None:
            neither = f"neither an attribute nor a function of {ARGUMENTS.name}"
            raise ValueError(f"{self._operator.name}: the argument {name} is {neither}")
        value = f'{attribute.kind}_of call "{name}"'
        return f"Option.get ({value})" if attribute.required else value

    def _takes(self, test: Test) -> tuple[str, ...]:
        inputs = (input_.name.lower() for input_ in self._operator.inputs)
        return test.takes or (*self._definition.arguments, *inputs)

    def _applied(self, test: Test) -> str:
        predicate = test.predicate
        if "." not in predicate:
            predicate = f"{self._definition.signature}.{predicate}"
        takes = []
        for name in self._takes(test):
            operand, _, part = name.partition(".")
            takes.append(self._part(operand, part) if part else _variable(operand))
        return " ".join([_ocaml(predicate), *takes])

    def _part(self, operand: str, part: str) -> str:
        """Something of an operand; of an optional one, an option, of a variadic one, a list."""
        variable = f"tensor_{_variable(operand)}" if part in _OF_VALUES else _variable(operand)
        if part == "tensor":
            return variable
        input_ = next(each for each in self._operator.inputs if each.name.lower() == operand)
        of_one = f"(fun x -> {_PARTS[part].format('x')})"
        match input_.presence:
            case Presence.REQUIRED:
                return _PARTS[part].format(variable)
            case Presence.OPTIONAL:
                return f"(Option.map {of_one} {variable})"
            case Presence.VARIADIC:
                return f"(List.map {of_one} {variable})"

    def _element(self, parameter: TypeParameter) -> str:
        """The type that a node chooses: that of the first operand that is always there.

        Where there is none, that of the first one, or the default.
        """
        inputs = zip(self._inputs, self._operator.inputs, strict=True)
        mine = [(variable, each) for variable, each in inputs if each.type == parameter.name]
        for variable, input_ in mine:
            match input_.presence:
                case Presence.REQUIRED:
                    return f"{variable}.Operand.element"
                case Presence.VARIADIC:
                    return f"(List.hd {variable}).Operand.element"
                case Presence.OPTIONAL:
                    pass
        if not mine or parameter.default is None:
            what = f"no operand that is always there is of type {parameter.name}"
            raise ValueError(f"{self._operator.name}: {what}")
        default = self._chosen(parameter, parameter.default)
        return f"(match {mine[0][0]} with None -> {default} | Some x -> x.Operand.element)"

    def _chosen(self, parameter: TypeParameter, default: ElementType) -> str:
        """The type without an operand: that of the number of an attribute, or the default."""
        if parameter.attribute is None:
            return f"E.{default.whyml}"
        numbers = {
            number: type_ for number, type_ in ONNX_NUMBERS.items() if type_ in parameter.types
        }
        cases = (f'Some "{number}" -> E.{type_.whyml}' for number, type_ in numbers.items())
        given = f'Option.map Z.to_string (int_of call "{parameter.attribute}")'
        return f"(match {given} with {' | '.join(cases)} | _ -> E.{default.whyml})"


def _declared(attribute: Attribute) -> str:
    return f'"{attribute.name}", "{attribute.kind}", {str(attribute.required).lower()}'


def _needs_values(takes: tuple[str, ...]) -> bool:
    """Whether it is the values of an operand that decide."""
    return any(name.partition(".")[2] in _OF_VALUES for name in takes)


@cache
def _functions() -> frozenset[str]:
    return frozenset(re.findall(r"^let (\w+) call =", ARGUMENTS.read_text(), re.MULTILINE))


def _form(type_: ElementType, extended_reals: bool) -> str:
    """The OCaml value that reads and writes elements of a type."""
    match type_.family:
        case Family.REAL:
            return "extended" if extended_reals else "rational"
        case Family.INTEGER | Family.FLOAT:
            return type_.name
        case Family.BOOLEAN:
            return "boolean"
        case Family.TEXT:
            return "texts"
        case Family.COMPLEX:
            raise ValueError(f"the formal library has no values of type {type_.name}")
        case _:
            assert_never(type_.family)


def _variable(name: str) -> str:
    """No keyword of OCaml ends in an underscore, nor does what the tables name besides."""
    return re.sub(r"\W", "_", name.lower()) + "_"


def _ocaml(symbol: str) -> str:
    """`ops.mul.definition.MulInt8.mul` as Why3 extracts it: `Ops__mul__definition__MulInt8.mul`."""
    parts = symbol.split(".")
    start = next(number for number, part in enumerate(parts) if part[0].isupper())
    module = "__".join(parts[: start + 1])
    return ".".join([module[0].upper() + module[1:], *parts[start + 1 :]])


_DIGEST = sources_digest()
"""As of the time when the declarations were imported."""
