"""The program itself: a frame that is wrong gets an answer, whatever is wrong with it."""

import random
import subprocess
from collections.abc import Iterator

import numpy as np
import pytest

from sonnx_formal.oracle import Inadmissible, Oracle, OracleError, frames
from sonnx_formal.oracle.connection import Connection

A = np.array([[1.5, -2.0]], np.float32)
MUL = frames.evaluation("mul", None, A, A)
FRACTIONS = frames.evaluation("div", None, np.array([3], object), np.array([2], object))


@pytest.fixture(scope="module")
def connection(oracle: Oracle) -> Iterator[Connection]:
    running = Connection(oracle.build().path)
    yield running
    running.close()


def kind(connection: Connection, request: bytes) -> int:
    answer = connection.exchange(request, 10)
    return int(answer[0])


def edited(request: bytes, at: int, value: int) -> bytes:
    return request[:at] + bytes([value]) + request[at + 1 :]


def test_the_layout(connection: Connection) -> None:
    """As the documentation has it, byte by byte."""
    operand = bytes([6, 0, 1]) + (3).to_bytes(8, "little")  # int16, dense, rank 1: three elements
    elements = bytes([2, 0, 255, 255, 0, 128]), bytes([3, 0, 4, 0, 255, 255])
    request = bytes([0, 0, 0, 0]) + operand + operand + b"".join(elements)
    answer = bytes(connection.exchange(request, 10))
    assert answer == bytes([0]) + bytes([6, 1]) + (3).to_bytes(8, "little") + bytes(
        [6, 0, 252, 255, 0, 128]
    )
    number = b"\x02\0\0\0" + b"ff" + b"\x01\0\0\0" + b"2"
    assert bytes(connection.exchange(bytes([1, 1, 1]) + number, 10)) == bytes([0, 1, 0xF8, 0xD7])


def test_the_layout_of_attributes(connection: Connection) -> None:
    operand = bytes([6, 0, 1]) + (1).to_bytes(8, "little")
    number = b"\1\0\0\0"
    set_ = number + b"0" + number + b"1" + b"\2\0\0\0" + number + b"0" + b"\2\0\0\0" + b"-1"
    floats = operand.replace(b"\6", b"\3", 1)
    request = bytes([0, 7, 0, 7]) + set_ + floats + floats + bytes([0, 0, 128, 63] * 2)
    answer = bytes(connection.exchange(request, 10))
    assert answer == bytes([0, 3, 1]) + (1).to_bytes(8, "little") + bytes([0, 0, 128, 63])
    text = b"\4\0\0\0" + b"none"
    request = bytes([0, 8, 0, 8]) + text + operand + operand + bytes([2, 0, 3, 0])
    answer = bytes(connection.exchange(request, 10))
    assert answer == bytes([0, 6, 1]) + (1).to_bytes(8, "little") + bytes([6, 0])


def test_a_sparse_operand(connection: Connection) -> None:
    for at in (5, 5 + 2 + 16 + 1):
        with pytest.raises(Inadmissible) as caught:
            frames.result(connection.exchange(edited(MUL, at, 1), 10))
        assert caught.value.requirement == "SONNX-MUL.R2"


@pytest.mark.parametrize(
    ("request_", "what"),
    [
        (b"", "ends too early"),
        (b"\7", "no request 7"),
        (edited(MUL, 1, 9), "no operator 9"),
        (edited(MUL, 2, 3), "no reading 3"),
        (edited(MUL, 3, 16), "an attribute that is not known"),
        (edited(MUL, 3, 15), "ends too early|hexadecimal"),
        (edited(MUL, 4, 17), "no element type 17"),
        (edited(MUL, 5, 2), "no storage 2"),
        (MUL[:-1], "ends too early"),
        (MUL + b"\0", "longer than what it says"),
        (edited(edited(MUL, 13, 255), 32, 255), "too many elements"),
        (FRACTIONS[:-1] + b"0", "denominator is not positive"),
        (FRACTIONS[:-1] + b"x", "not written in hexadecimal"),
        (edited(FRACTIONS, len(FRACTIONS) - 4, 200), "ends too early"),
        (bytes([1, 5, 0]), "not a floating-point type"),
        (bytes([1, 3, 0]) + b"\2\0\0\0-1" + b"\1\0\0\0" + b"1", "the sign is apart"),
    ],
)
def test_wrong_requests(connection: Connection, request_: bytes, what: str) -> None:
    answer = connection.exchange(request_, 10)
    assert answer[0] == 2
    with pytest.raises(OracleError, match=what):
        frames.result(answer)
    assert kind(connection, MUL) == 0  # it goes on


def test_infinity_is_no_factor(connection: Connection) -> None:
    infinity = np.array([float("inf")], object)
    request = frames.evaluation("mul", None, infinity, infinity)
    with pytest.raises(OracleError, match="infinity is not a rational number"):
        frames.result(connection.exchange(request, 10))


def test_any_bytes_at_all(connection: Connection) -> None:
    chance = random.Random(4)
    kinds = set()
    for request in (MUL, FRACTIONS):
        for _ in range(300):
            spoiled = bytearray(request[: chance.randint(1, len(request))])
            for _ in range(chance.randint(0, 3)):
                spoiled[chance.randrange(len(spoiled))] = chance.choice([0, 1, 2, 127, 255])
            kinds.add(kind(connection, bytes(spoiled)))
    assert connection.alive
    assert kinds <= {0, 1, 2}
    assert 2 in kinds


def test_an_absurd_length(oracle: Oracle) -> None:
    done = subprocess.run(
        [oracle.build().path], input=b"\xff" * 100, capture_output=True, timeout=10, check=True
    )
    assert done.stdout.endswith(b"the frame is too long")


@pytest.mark.parametrize("start", [b"", b"\5\0", (100).to_bytes(8, "little") + b"abc"])
def test_the_end_of_the_input(oracle: Oracle, start: bytes) -> None:
    done = subprocess.run(
        [oracle.build().path], input=start, capture_output=True, timeout=10, check=False
    )
    assert (done.stdout, done.stderr) == (b"", b"")
    assert done.returncode == 0


def test_a_request_that_is_too_long(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sonnx_formal.oracle.connection.LONGEST", len(MUL) - 1)
    with pytest.raises(OracleError, match="too large"):
        connection.exchange(MUL, 10)
    assert connection.alive
