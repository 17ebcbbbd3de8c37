"""Calls of any signature arrive: operands that are left out, any number of them, other types."""

import json
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sonnx_formal import reference
from sonnx_formal.backends.backend import PLAIN, CallOutcome, Refused, Result
from sonnx_formal.backends.catalogue import ReferenceBackend
from sonnx_formal.backends.command import UsersCommand
from sonnx_formal.backends.lines import call_text
from sonnx_formal.backends.process import Worker
from sonnx_formal.backends.runtimes import OnnxReference
from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.attributes import UNSET, Attributes
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.element_types import Array, element_types
from sonnx_formal.spec.operator import Instance, Operator
from tests.backends.toys import EVERY_KIND as VALUES
from tests.signatures import CLIP, CONCAT, EVERY_KIND, LESS, NEG, QUANTIZE, RESHAPE, WHERE

HERE = Path(__file__).parent
ENVIRONMENT = os.environ | {"PYTHONPATH": f"{HERE}:{HERE.parents[1]}"}
X: Array = np.array([[1, -2]], np.float32)
ZERO: Array = np.array(0, np.float32)
ALONG_0 = Attributes.of({"axis": 0})
CALLS = [
    (Call(NEG, (X,)), -X),
    (Call(LESS, (X, -X)), -X > X),
    (Call(WHERE, (X > 0, X, -X)), abs(X)),
    (Call(CLIP, (X, None, ZERO)), np.minimum(X, 0)),
    (Call(CLIP, (X, ZERO, None)), np.maximum(X, 0)),
    (Call(CONCAT, (X,), ALONG_0), X),
    (Call(CONCAT, (X, X, -X), ALONG_0), np.concatenate([X, X, -X])),
    (
        Call(QUANTIZE, (X, np.array(0.5, np.float32), np.array(1, np.int8))),
        np.array([[3, -3]], np.int8),
    ),
    (Call(RESHAPE, (X, np.array([2, 1]))), X.T),
]
EVERY = Call(EVERY_KIND, (X,), Attributes.of(VALUES))


def name_of(value: object) -> str | None:
    return str(value) if isinstance(value, Call) else ""


def assert_result(outcome: CallOutcome, expected: Array) -> None:
    assert isinstance(outcome, Result), outcome
    np.testing.assert_array_equal(outcome.array, expected, strict=True)


@pytest.fixture(scope="module")
def own() -> Iterator[Worker]:
    with Worker("declared_toys:right", environment=ENVIRONMENT) as worker:
        yield worker


@pytest.mark.parametrize(("call", "expected"), [*CALLS, (EVERY, X)], ids=name_of)
def test_a_function_of_the_user_s(own: Worker, call: Call, expected: Array) -> None:
    """Called with the operands by position, None for one that is left out, and attributes."""
    assert own.supports(call.instance())
    assert_result(own.run(call), expected)


def test_a_function_without_the_attributes(own: Worker) -> None:
    outcome = own.run(Call(EVERY_KIND, (X,)))
    assert isinstance(outcome, Refused)
    assert "AssertionError" in outcome.message


@pytest.mark.parametrize(("call", "expected"), CALLS, ids=name_of)
def test_models_of_them_run(call: Call, expected: Array) -> None:
    """By ONNX's own evaluator."""
    result = OnnxReference().run(call, PLAIN)
    np.testing.assert_array_equal(result, expected, strict=True)


@pytest.mark.parametrize(
    ("call", "names"),
    [
        (Call(NEG, (X,)), ["X"]),
        (Call(WHERE, (X > 0, X, X)), ["condition", "X", "Y"]),
        (Call(CLIP, (X, None, ZERO)), ["input", "max"]),
        (Call(CONCAT, (X, X, X), ALONG_0), ["inputs1", "inputs2", "inputs3"]),
    ],
    ids=name_of,
)
def test_a_command_gets_a_file_an_operand(call: Call, names: list[str]) -> None:
    """Or the elements in a line: the answer is how many there are."""
    for payload in ("files", "values"):
        command = shlex.join([sys.executable, str(HERE / "commands.py"), payload, "counts"])
        with closing(UsersCommand(command)) as runner:
            assert runner.run(call, PLAIN).item() == len(names)
    assert [name for name, _, operand in call.bound() if operand is not None] == names


def test_attributes_in_a_line() -> None:
    texts = dict(word.split("=") for word in call_text(EVERY).split() if "=" in word)
    assert {name: json.loads(text) for name, text in texts.items()} == {
        name: [*value] if isinstance(value, tuple) else value for name, value in VALUES.items()
    }


def test_our_own_is_called_as_it_is_declared(monkeypatch: pytest.MonkeyPatch) -> None:
    """With operands by position, and attributes and what the declaration adds as keywords."""
    heard: list[Any] = []

    def listens(*operands: Array | None, **keywords: Any) -> Array:
        heard.extend((operands, keywords))
        return X

    monkeypatch.setattr(reference, "toy-every-kind", listens, raising=False)
    ReferenceBackend().run(EVERY, PLAIN)
    assert heard == [(X,), VALUES]


def test_complex_numbers_cannot_be_sent(own: Worker) -> None:
    def over(operator: Operator, type_: str) -> Instance:
        return Instance(operator, element_types(type_))

    assert own.supports(over(NEG, "float16"))
    assert not own.supports(over(NEG, "complex64"))


def test_reals_go_to_definitions_only(own: Worker) -> None:
    assert not own.supports(Instance(NEG, element_types("real")))


@pytest.mark.parametrize(("type_", "in_onnx"), [("int8", True), ("uint8", False)])
def test_what_onnx_lacks_is_put_to_no_runtime(type_: str, in_onnx: bool) -> None:
    """Neg over unsigned integers: only who is given elements can be asked."""
    instance = Instance(operator("neg"), element_types(type_))
    assert OnnxReference().supports(instance) == in_onnx
    for payload, supported in (("files", in_onnx), ("values", True)):
        command = shlex.join([sys.executable, str(HERE / "commands.py"), payload, "counts"])
        with closing(UsersCommand(command)) as runner:
            assert runner.supports(instance) == supported


def test_what_the_worker_has_no_declaration_of() -> None:
    with (
        Worker("reference", environment=ENVIRONMENT) as worker,
        pytest.raises(UserError, match="there is no operator 'toy-less'"),
    ):
        worker.run(Call(LESS, (X, X), UNSET))
