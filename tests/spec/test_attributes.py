"""Values of another kind for each attribute that is declared: every face names it."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from inspect import signature
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from sonnx_formal import kernels, reference
from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.attributes import Attribute, AttributeKind, Attributes
from sonnx_formal.spec.call import attributes_of
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Operator, Presence

WRONG: dict[AttributeKind, list[Any]] = {
    AttributeKind.INT: ["1", "", 1.0, 1.5, Fraction(1), [1], b"1", 1j, True, {}, np.float32(1)],
    AttributeKind.FLOAT: ["1", "nan", [1.0], b"1", 1j, False, 10**400, np.ones(1)],
    AttributeKind.STRING: [1, 1.0, b"NOTSET", ["NOTSET"], False],
    AttributeKind.INTS: ["abc", "12", 1, 1.5, [1.5], ["1"], [None], [[1]], b"12", {1: 1}, [True]],
    AttributeKind.FLOATS: ["abc", 1.0, ["1"], [None], b"12"],
    AttributeKind.STRINGS: ["abc", 1, [1], [b"1"]],
}
"""Values that are not of a kind."""
RIGHT: dict[AttributeKind, list[Any]] = {
    AttributeKind.INT: [1, np.int8(1), np.array(1)],
    AttributeKind.FLOAT: [1, 0.5, np.float32(0.5), Fraction(1, 2), float("nan")],
    AttributeKind.STRING: ["NOTSET", np.str_("NOTSET")],
    AttributeKind.INTS: [[1, 2], (1, 2), np.array([1, 2]), range(2), ()],
    AttributeKind.FLOATS: [[0.5, 1], np.array([0.5], np.float32)],
    AttributeKind.STRINGS: [["a"], ("a", "b")],
}
ATTRIBUTES = [(each, declared) for each in operators() for declared in each.attributes]
EVERY = pytest.mark.parametrize(
    ("operator", "declared"), ATTRIBUTES, ids=[f"{each}-{of.name}" for each, of in ATTRIBUTES]
)


def operands(operator: Operator) -> list[Array]:
    """As many as there have to be: it is not for these that a call is rejected."""
    needed = [each for each in operator.inputs if each.presence is not Presence.OPTIONAL]
    return [np.ones((1, 1, 3, 3), np.float32) for _ in needed]


def wrong(operator: Operator, declared: Attribute) -> Iterator[dict[str, Any]]:
    """Attributes that are set as in an arrangement, but for one of another kind."""
    least = operator.least_attributes or Attributes()
    for value in WRONG[declared.kind]:
        yield least.as_dict() | {declared.name: value}


def names(error: Exception, operator: Operator, declared: Attribute) -> bool:
    """Whether the message names the attribute and says what it takes."""
    text = str(error)
    return f"the attribute {declared.name} is " in text and (
        f"not {declared.kind}: it takes {declared.kind.takes}" in text
    )


def functions(operator: Operator, oracle: Oracle) -> Iterator[Callable[..., Any]]:
    """The faces that take attributes by name."""
    function, keywords = operator.reference.function, operator.reference.keywords
    reference_ = getattr(reference, function)
    yield lambda *of, **values: reference_(*of, **values, **keywords)
    yield lambda *of, **values: oracle.apply(operator.name, *of, **values)
    if operator.goes_by_onnx_name and function in dir(kernels):
        yield getattr(kernels, function)


@EVERY
def test_a_value_of_another_kind_is_named(operator: Operator, declared: Attribute) -> None:
    given = operands(operator)
    for function in functions(operator, Oracle()):
        for values in wrong(operator, declared):
            with pytest.raises(UserError) as caught:
                function(*given, **values)
            assert isinstance(caught.value, TypeError)
            assert names(caught.value, operator, declared), f"{values}: {caught.value}"


@EVERY
def test_a_value_of_the_kind_is_taken(operator: Operator, declared: Attribute) -> None:
    least = operator.least_attributes or Attributes()
    for value in RIGHT[declared.kind]:
        made = attributes_of(operator, **least.as_dict() | {declared.name: value}).as_dict()
        element = declared.kind.element
        found = made[declared.name]
        several = found if isinstance(found, tuple) else (found,)
        assert {type(each) for each in several} <= {element}


@EVERY
def test_what_has_another_default_is_no_none(operator: Operator, declared: Attribute) -> None:
    """Nor is it taken as if it were left out, where the function has a value for that."""
    function = getattr(reference, operator.reference.function)
    default = signature(function).parameters[declared.name].default
    if default is None or operator.name == "conv_integer" or "onnx-mul" in operator.name:
        return
    least = operator.least_attributes or Attributes()
    with pytest.raises(UserError) as caught:
        function(*operands(operator), **least.as_dict() | {declared.name: None})
    assert names(caught.value, operator, declared)


def test_a_long_value_is_not_shown_as_a_whole() -> None:
    (conv,) = (each for each in operators() if each.name == "conv")
    with pytest.raises(UserError) as caught:
        attributes_of(conv, pads="abc" * 10**6)
    assert len(str(caught.value)) < 200


@EVERY
def test_the_command_names_the_option(operator: Operator, declared: Attribute) -> None:
    """Of texts, each is one: what it may be, the document says."""
    from sonnx_formal.cli.main import cli  # noqa: PLC0415

    if declared.kind.element is str:
        return
    option = f"--{declared.name.replace('_', '-')}"
    wrong = ["abc", ""] if declared.kind.element is float else ["abc", "1.5", ""]
    for value in wrong:
        done = CliRunner().invoke(cli, ["eval", operator.name, "1", "--type=int8", option, value])
        assert done.exit_code == 2
        assert f"Invalid value for '{option}'" in done.output
