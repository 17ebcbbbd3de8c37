"""The oracle's tables: OCaml that applies each declared operator, made from the declarations.

Of each operator there is a function that binds the operands of a call to the inputs, checks the
attributes, looks at the restrictions in their order, reads the elements in the forms of their
types, and applies the definition of these types. The symbols are those that Why3 extracts.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import assert_never

from sonnx_formal.spec.attributes import Attribute
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.element_types import ELEMENT_TYPES, ElementType, Family
from sonnx_formal.spec.operator import Input, Instance, Operator, Presence, Restriction, Test
from sonnx_formal.spec.requirements.registry import stated

ARGUMENTS = Path(__file__).with_name("arguments.ml")
UNLISTED = "unlisted"
"""The reading in which the types `beyond` the documents are accepted, too."""

_ALWAYS_EXTRACTED = (  # what the OCaml sources name that are not generated
    "tensor.offset.Offset",
    "tensor.operand.Elementwise",
    "tensor.unidirectional.Unidirectional",
    "systems.onnx_mul_legacy.LegacyAttributes",
    "systems.openvino_multiply.AutoBroadcast",
    "scalar.ieee754.encoding.Encoding",
    "scalar.rational.ExtendedRational",
    *(f"scalar.machine_types.{sign}{bits}" for sign in ("Int", "UInt") for bits in (8, 16, 32, 64)),
)
_KEYWORDS = frozenset(
    re.findall(
        r"\w+",
        """and as assert begin class constraint do done downto else end exception external for fun
        function functor if in include inherit initializer lazy let match method module mutable new
        object of open or private rec sig struct then to try type val virtual when while with
        answer call document extension r result""",
    )
)
"""Those of OCaml; and names that the tables have."""


def readings(operator: Operator) -> tuple[str, ...]:
    """The names of the other readings that a call of the operator may ask for."""
    beyond = any(parameter.beyond for parameter in operator.parameters)
    return (*operator.definition.readings, *([UNLISTED] if beyond else []))


@cache
def text() -> str:
    """The tables as an OCaml module, with their digest in it."""
    content = "\n".join(_lines())
    digest = hashlib.sha256(content.encode()).hexdigest()
    return f'{content}\n\nlet digest = "{digest}"\n'


def digest() -> str:
    """What the program has to say of its tables at the start."""
    return text().rsplit('"', 2)[1]


def roots() -> list[str]:
    """The Why3 modules that are extracted; each brings along what it uses."""
    found = dict.fromkeys(_ALWAYS_EXTRACTED)
    for operator in operators():
        definition = operator.definition
        found[definition.signature] = None
        for restriction in definition.restrictions:
            for test in (restriction.test, restriction.given):
                if test and "." in test.predicate:
                    found[test.predicate.rpartition(".")[0]] = None
        found.update(dict.fromkeys(_module(instance) for instance in operator.instances()))
    return list(found)


def _lines() -> Iterator[str]:
    yield "(* Generated from the declarations of operators. *)"
    yield "open Wire"
    yield "open Elements"
    yield "open Calls"
    yield "module E = Tensor__operand__ElementType"
    yield "let element_types = ["
    yield from (f'  "{type_.name}", E.{type_.whyml};' for type_ in ELEMENT_TYPES)
    yield "]"
    for operator in operators():
        yield ""
        yield from _operator(operator)
    yield "let operators = ["
    yield from (f'  "{each.name}", {_variable(each.name)};' for each in operators())
    yield "]"


def _operator(operator: Operator) -> Iterator[str]:
    yield f"(* {operator.title} *)"
    yield f"let {_variable(operator.name)} call r answer ="
    yield from _binding(operator)
    declared = "; ".join(map(_declared, operator.attributes))
    yield f"  check_attributes call [{declared}];"
    named = "; ".join(f'"{name}"' for name in readings(operator))
    yield f"  check_reading call [{named}];"
    yield from _restrictions(operator)
    yield from _arms(operator)


def _binding(operator: Operator) -> Iterator[str]:
    """Operands are bound to variables, named as the inputs."""
    pattern, end = "", "[]"
    for input_ in operator.inputs:
        variable = _variable(input_.name)
        match input_.presence:
            case Presence.REQUIRED:
                pattern += f"Some {variable} :: "
            case Presence.OPTIONAL:
                pattern += f"{variable} :: "
            case Presence.VARIADIC:
                end = f"({variable} as given)"
            case _:
                assert_never(input_.presence)
    variables = ", ".join(_variable(input_.name) for input_ in operator.inputs)
    bound = variables
    guard = ""
    if operator.inputs[-1].presence is Presence.VARIADIC:
        last = _variable(operator.inputs[-1].name)
        guard = " when given <> [] && List.for_all Option.is_some given"
        bound = ", ".join([*variables.split(", ")[:-1], f"List.map Option.get {last}"])
    yield f"  let {variables} = match call.operands with"
    yield f"    | {pattern}{end}{guard} -> {bound}"
    names = ", ".join(input_.name for input_ in operator.inputs)
    yield f'    | _ -> malformed "the operands of {operator.name} are {names}" in'


def _declared(attribute: Attribute) -> str:
    return f'"{attribute.name}", "{attribute.kind}", {str(attribute.required).lower()}'


def _restrictions(operator: Operator) -> Iterator[str]:
    definition = operator.definition
    first = _first(operator, operator.parameters[0].name)
    yield f"  let document = {_document(operator, first)} in"
    beyond = operator.parameters[0].beyond
    if beyond:
        types = "; ".join(f"E.{type_.whyml}" for type_ in beyond)
        same = " && ".join(
            f"{_variable(input_.name)}.element = {first}.element" for input_ in operator.inputs
        )
        yield (
            f'  let extension = call.reading = "{UNLISTED}" '
            f"&& List.mem {first}.element [{types}] && {same} in"
        )
    made: set[str] = set()
    for restriction in _early(operator):
        for test in (restriction.given, restriction.test):
            if test:
                yield from _arguments(operator, _takes(operator, test), made)
        yield f"  {_check(operator, restriction)};"
    yield from _arguments(operator, definition.arguments, made)
    if not _needs_values(operator):
        yield from _signature(operator)


def _signature(operator: Operator) -> Iterator[str]:
    """What is admissible has passed each check by itself: if not, the declaration is wrong."""
    takes = operator.definition.takes
    admissible = _applied(operator, Test("admissible", takes))
    if operator.parameters[0].beyond:
        admissible = f"extension || {admissible}"
    yield f'  if not ({admissible}) then failwith "no restriction rejects what is not admissible";'
    yield f"  let result = {_applied(operator, Test('result', takes))} in"
    yield "  ignore (size result.Operand.dims);"


def _check(operator: Operator, restriction: Restriction) -> str:
    holds = _applied(operator, restriction.test)
    if restriction.given:
        holds = f"not ({_applied(operator, restriction.given)}) || {holds}"
    if restriction.extended and operator.parameters[0].beyond:
        holds = f"extension || {holds}"
    documents = dict.fromkeys(operator.documents.values())
    items = operator.items_behind(restriction)
    ids = {name: stated(name, items) for name in documents}
    if len(set(ids.values())) == 1:
        identifier = f'"{ids[next(iter(ids))]}"'
    else:
        arms = "".join(f' | "{name}" -> "{identifier}"' for name, identifier in ids.items())
        identifier = f'(match document with{arms} | other -> failwith ("no document " ^ other))'
    return f'check {identifier} "{restriction.broken}" ({holds})'


def _needs_values(operator: Operator) -> bool:
    """Whether the shape of the result depends on the values of an operand."""
    return any(name.endswith(".tensor") for name in operator.definition.takes)


def _early(operator: Operator) -> list[Restriction]:
    """The restrictions that can be looked at before the elements are read."""
    return [
        restriction
        for restriction in operator.definition.restrictions
        if not any(name.endswith(".tensor") for name in restriction.test.takes)
    ]


def _arms(operator: Operator) -> Iterator[str]:
    """The definitions, by the types of the operands."""
    firsts = [f"{_first(operator, p.name)}.Operand.element" for p in operator.parameters]
    yield f"  match {', '.join(firsts)} with"
    for instance in operator.instances():
        pattern = ", ".join(f"E.{type_.whyml}" for type_ in instance.types)
        yield f"  | {pattern} ->"
        yield from _application(instance)
    yield '  | _ -> failwith "there is no definition for these types"'


def _application(instance: Instance) -> Iterator[str]:
    operator, definition = instance.operator, instance.operator.definition
    tensors = []
    for input_ in operator.inputs:
        variable, type_ = _variable(input_.name), instance.type_of(input_)
        function = {
            Presence.REQUIRED: "read",
            Presence.OPTIONAL: "read_optional",
            Presence.VARIADIC: "read_all",
        }[input_.presence]
        form = _form(type_, definition.extended_reals)
        tensors.append(_tensor(input_.name))
        yield f"    let {tensors[-1]} = {function} {form} E.{type_.whyml} {variable} r in"
    yield "    finish r;"
    early = _early(operator)
    for restriction in definition.restrictions:
        if restriction not in early:
            yield f"    {_check(operator, restriction)};"
    if _needs_values(operator):
        yield from _signature(operator)
    output = instance.type_of(operator.output)
    form = _form(output, definition.extended_reals)
    applied = " ".join([*map(_variable, definition.arguments), *tensors])
    named = definition.readings if instance.types[0].family is Family.FLOAT else {}
    for reading, inner in named.items():
        yield f'    if call.reading = "{reading}" then begin'
        yield from _result(instance, f"{_module(instance)}.{inner}", applied, form, output)
        yield "    end else"
    yield "    begin"
    yield from _result(instance, _module(instance), applied, form, output)
    yield "    end"


def _result(
    instance: Instance, module: str, applied: str, form: str, output: ElementType
) -> Iterator[str]:
    definition = instance.operator.definition
    if domain := definition.domain:
        defined = f"{_ocaml(f'{module}.{domain.predicate}')} {applied}"
        yield f'      check (document ^ ".{domain.item}") "{domain.broken}" ({defined});'
    result = f"{_ocaml(f'{module}.{definition.function}')} {applied}"
    yield f'      add_result answer "{output.name}" E.{output.whyml} {form} result ({result})'


def _arguments(operator: Operator, names: tuple[str, ...], made: set[str]) -> Iterator[str]:
    """Arguments are made where they are first needed, since making one may reject it."""
    for name in names:
        if name in operator.definition.arguments and name not in made:
            made.add(name)
            yield f"  let {_variable(name)} = {_argument(operator, name)} in"


def _argument(operator: Operator, name: str) -> str:
    if name in _functions():
        return f"Arguments.{name} call"
    attribute = operator.attribute(name)
    if attribute is None:
        raise ValueError(
            f"{operator.name}: the argument {name} is neither an attribute nor a function of "
            f"{ARGUMENTS.name}"
        )
    value = f'{attribute.kind}_of call "{name}"'
    return f"Option.get ({value})" if attribute.required else value


@cache
def _functions() -> frozenset[str]:
    return frozenset(re.findall(r"^let (\w+) call =", ARGUMENTS.read_text(), re.MULTILINE))


def _takes(operator: Operator, test: Test) -> tuple[str, ...]:
    inputs = tuple(input_.name.lower() for input_ in operator.inputs)
    return test.takes or (*operator.definition.arguments, *inputs)


def _applied(operator: Operator, test: Test) -> str:
    """A test as an OCaml expression."""
    predicate = test.predicate
    if "." not in predicate:
        predicate = f"{operator.definition.signature}.{predicate}"
    takes = []
    for name in _takes(operator, test):
        variable, _, field = name.partition(".")
        if field == "tensor":
            takes.append(_tensor(variable))
        else:
            takes.append(_variable(variable) + (f".Operand.{field}" if field else ""))
    return " ".join([_ocaml(predicate), *takes])


def _document(operator: Operator, first: str) -> str:
    names = {operator.document(type_) for type_ in ELEMENT_TYPES}
    if len(names) == 1:
        return f'"{names.pop()}"'
    arms = "".join(f' | E.{type_.whyml} -> "{operator.document(type_)}"' for type_ in ELEMENT_TYPES)
    return f"(match {first}.Operand.element with{arms})"


def _first(operator: Operator, parameter: str) -> str:
    """The operand that says what the type is: the first of the parameter that is always there."""
    input_ = _first_input(operator, parameter)
    variable = _variable(input_.name)
    return f"(List.hd {variable})" if input_.presence is Presence.VARIADIC else variable


def _first_input(operator: Operator, parameter: str) -> Input:
    for input_ in operator.inputs:
        if input_.type == parameter and input_.presence is not Presence.OPTIONAL:
            return input_
    raise ValueError(f"{operator.name}: no operand that is always there is of type {parameter}")


def _module(instance: Instance) -> str:
    """The module of the definition over these types."""
    operator = instance.operator
    pairs = zip(operator.parameters, instance.types, strict=True)
    names = {parameter.name: type_.whyml for parameter, type_ in pairs}
    return operator.definition.modules[instance.types[0].family].format_map(names)


def _form(type_: ElementType, extended_reals: bool) -> str:
    """The OCaml value that reads and writes elements of a type."""
    match type_.family:
        case Family.REAL:
            return "extended" if extended_reals else "rational"
        case Family.INTEGER | Family.FLOAT:
            return type_.name
        case Family.BOOLEAN:
            return "boolean"
        case Family.TEXT | Family.COMPLEX:
            raise ValueError(f"the formal library has no values of type {type_.name}")
        case _:
            assert_never(type_.family)


def _variable(name: str) -> str:
    plain = re.sub(r"\W", "_", name.lower())
    return f"{plain}_" if plain in _KEYWORDS else plain


def _tensor(name: str) -> str:
    """The variable of an operand with its elements."""
    return f"tensor_{_variable(name)}"


def _ocaml(symbol: str) -> str:
    """`ops.mul.definition.MulInt8.mul` as Why3 extracts it: `Ops__mul__definition__MulInt8.mul`."""
    parts = symbol.split(".")
    start = next(number for number, part in enumerate(parts) if part[0].isupper())
    module = "__".join(parts[: start + 1])
    return ".".join([module[0].upper() + module[1:], *parts[start + 1 :]])
