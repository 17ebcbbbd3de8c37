"""The program itself: a frame that is wrong gets an answer, whatever is wrong with it."""

import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from sonnx_formal.core.processes import Responder
from sonnx_formal.oracle import Inadmissible, Oracle, OracleError, arrays, frames, tables
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.element_types import Array
from tests.oracle.conftest import pid_of


def request(name: str, *operands: Array, **attributes: object) -> bytes:
    tensors = [*map(arrays.tensor, operands)]
    return frames.evaluation(operator(name), tensors, Attributes.of(attributes), None)


def text(content: str) -> bytes:
    return len(content).to_bytes(4, "little") + content.encode()


A = np.array([[1.5, -2.0]], np.float32)
MUL = request("mul", A, A)
FRACTIONS = request("div", np.array([3], object), np.array([2], object))


@pytest.fixture(scope="module")
def program(oracle: Oracle) -> Iterator[Responder]:
    running = Responder([str(oracle.build())])
    assert frames.tables_digest(running.answer(10)) == tables.digest()
    yield running
    running.close()


def kind(program: Responder, request: bytes) -> str:
    answer = bytes(program.answer(10, request))
    return answer[4 : 4 + answer[0]].decode()


def exchanged(content: bytes, old: bytes, new: bytes) -> bytes:
    """With another part in the place of the first such one."""
    assert old in content
    return content.replace(old, new, 1)


def test_the_layout(program: Responder) -> None:
    """As the documentation has it, byte by byte."""
    dims = (3).to_bytes(8, "little")
    operand = b"\1" + text("int16") + text("dense") + b"\1" + dims  # rank 1: three elements
    elements = bytes([2, 0, 255, 255, 0, 128]), bytes([3, 0, 4, 0, 255, 255])
    head = text("evaluate") + text("mul") + text("")
    none, two = (0).to_bytes(4, "little"), (2).to_bytes(4, "little")
    sent = head + none + two + operand + operand + b"".join(elements)
    answer = bytes(program.answer(10, sent))
    result = text("result") + text("int16") + b"\1" + dims
    assert answer == result + bytes([6, 0, 252, 255, 0, 128])
    number = text("ff") + text("2")
    rounded = program.answer(10, text("round") + text("float16") + b"\1" + number)
    assert bytes(rounded) == text("result") + bytes([1, 0xF8, 0xD7])


def test_the_layout_of_attributes() -> None:
    """As documented; that the program understands it, the tests of the operators show."""
    unit = np.ones(1, np.float32)
    sent = request("onnx-mul-1", unit, unit, axis=-16, consumed_inputs=[0, 1])
    two = (2).to_bytes(4, "little")
    axis = text("axis") + text("int") + text("-10")
    consumed = text("consumed_inputs") + text("ints") + two + text("0") + text("1")
    assert sent.startswith(text("evaluate") + text("onnx-mul-1") + text("") + two + axis + consumed)
    sent = request("ov-multiply-1", unit, unit, auto_broadcast="none")
    assert text("auto_broadcast") + text("string") + text("none") in sent


@pytest.mark.parametrize("side", [1, 2])
def test_a_sparse_operand(program: Responder, side: int) -> None:
    head, *operands = MUL.split(text("dense"))
    parts = [text("dense") if at != side else text("sparse") for at in (1, 2)]
    sparse = head + b"".join(part + rest for part, rest in zip(parts, operands, strict=True))
    with pytest.raises(Inadmissible) as caught:
        frames.result(program.answer(10, sparse))
    assert caught.value.requirement == "SONNX-MUL.R2"


NO_OPERANDS = b"\0\0\0\0"


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        (b"", "ends too early"),
        (text("calculate"), "no request calculate"),
        (exchanged(MUL, text("mul"), text("add!")), "no operator add!"),
        (exchanged(MUL, text("mul"), text("")), "no operator"),
        (exchanged(MUL, text("mul") + text(""), text("mul") + text("r5")), "no reading r5"),
        (exchanged(MUL, text("float32"), text("float31")), "no element type float31"),
        (exchanged(MUL, text("dense"), text("loose")), "no storage loose"),
        (
            text("evaluate") + text("mul") + text("") + NO_OPERANDS + NO_OPERANDS,
            "the operands of mul are A, B",
        ),
        (MUL[:-1], "ends too early"),
        (MUL + b"\0", "longer than what it says"),
        (exchanged(MUL, b"\2" + (1).to_bytes(8, "little"), b"\2" + b"\0\0\0\1" * 2), "shapes"),
        (FRACTIONS[:-1] + b"0", "denominator is not positive"),
        (FRACTIONS[:-1] + b"x", "not written in hexadecimal"),
        (exchanged(FRACTIONS, text("3") + text("1"), text("3") + b"\xc8\0\0\0"), "too early"),
        (text("round") + text("int8") + b"\0", "no floating-point type int8"),
        (text("round") + text("float32") + b"\0" + text("-1") + text("1"), "the sign is apart"),
    ],
)
def test_wrong_requests(program: Responder, sent: bytes, what: str) -> None:
    answer = program.answer(10, sent)
    with pytest.raises((OracleError, Inadmissible), match=what):
        frames.result(answer)
    assert kind(program, MUL) == "result"  # it goes on


def spoiled(name: str, attribute: bytes) -> bytes:
    """A request with one attribute more, which Python would not have sent."""
    unit = np.ones(1, np.float32)
    head = text("evaluate") + text(name) + text("")
    assert request(name, unit, unit).startswith(head + NO_OPERANDS)
    return exchanged(
        request(name, unit, unit), head + NO_OPERANDS, head + (1).to_bytes(4, "little") + attribute
    )


@pytest.mark.parametrize(
    ("sent", "what"),
    [
        (spoiled("mul", text("axis") + text("int") + text("1")), "the operator has no attribute"),
        (spoiled("onnx-mul-6", text("axis") + text("int64") + text("1")), "no kind of attribute"),
        (spoiled("onnx-mul-6", text("axis") + text("string") + text("1")), "not of kind int"),
        (spoiled("onnx-mul-6", text("axis") + text("int") + text("1.5")), "not written in hexa"),
    ],
)
def test_wrong_attributes(program: Responder, sent: bytes, what: str) -> None:
    with pytest.raises(OracleError, match=what):
        frames.result(program.answer(10, sent))


def test_the_program_was_built_from_the_same_tables(
    oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = oracle.build()
    monkeypatch.setattr("sonnx_formal.oracle.definitions.find_program", lambda: program)
    monkeypatch.setattr(tables, "digest", lambda: "0" * 64)
    other = "built from other declarations.*remove its folder"
    with Oracle() as another:
        for _ in range(2):
            with pytest.raises(OracleError, match=other):
                another.apply("mul", A, A)
            assert pid_of(another) is None


def test_a_program_that_says_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    answer = text("result") + text("x")
    program.write_bytes(
        b"#!/usr/bin/env python3\nimport sys\nsys.stdout.buffer.write(%r)\n"
        % (len(answer).to_bytes(8, "little") + answer)
    )
    program.chmod(0o755)
    monkeypatch.setattr("sonnx_formal.oracle.definitions.find_program", lambda: program)
    with (
        Oracle() as oracle,
        pytest.raises(OracleError, match="begins with 'result' instead of its tables"),
    ):
        oracle.apply("mul", A, A)


def test_infinity_is_no_factor(program: Responder) -> None:
    infinity = np.array([float("inf")], object)
    with pytest.raises(OracleError, match="infinity is not a rational number"):
        frames.result(program.answer(10, request("mul", infinity, infinity)))


def test_any_bytes_at_all(program: Responder) -> None:
    chance = random.Random(4)
    kinds = set()
    for sound in (MUL, FRACTIONS):
        for _ in range(300):
            changed = bytearray(sound[: chance.randint(1, len(sound))])
            for _ in range(chance.randint(0, 3)):
                changed[chance.randrange(len(changed))] = chance.choice([0, 1, 2, 127, 255])
            kinds.add(kind(program, bytes(changed)))
    assert program.alive
    assert kinds <= {"result", "inadmissible", "malformed"}
    assert "malformed" in kinds


def test_an_absurd_length(oracle: Oracle) -> None:
    done = subprocess.run(
        [oracle.build()], input=b"\xff" * 100, capture_output=True, timeout=10, check=True
    )
    assert done.stdout.endswith(b"the frame is too long")


@pytest.mark.parametrize("start", [b"", b"\5\0", (100).to_bytes(8, "little") + b"abc"])
def test_the_end_of_the_input(oracle: Oracle, start: bytes) -> None:
    done = subprocess.run(
        [oracle.build()], input=start, capture_output=True, timeout=10, check=False
    )
    assert done.stdout[8:] == text("tables") + text(tables.digest())
    assert done.stderr == b""
    assert done.returncode == 0


def test_a_request_that_is_too_long(oracle: Oracle, monkeypatch: pytest.MonkeyPatch) -> None:
    oracle.apply("mul", A, A)
    pid = pid_of(oracle)
    monkeypatch.setattr(frames, "LONGEST", len(MUL) - 1)
    with pytest.raises(OracleError, match="too large"):
        oracle.apply("mul", A, A)
    assert pid_of(oracle) == pid
