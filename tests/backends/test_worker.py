"""What becomes of a call: a result, a refusal, a crash, silence; and nothing is left behind."""

import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import DTypeLike

from sonnx_formal.backends.backend import (
    CallOutcome,
    Crashed,
    Hung,
    NoResultError,
    Refused,
    Result,
    WrongKind,
)
from sonnx_formal.backends.catalogue import load
from sonnx_formal.backends.lines import array_of
from sonnx_formal.backends.process import NotAvailableError, Worker
from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.element_types import BOOLEAN, NUMERICAL, Array, ElementType, Family
from tests.toys.declarations import OPERATORS as TOYS

HERE = Path(__file__).parent
ENVIRONMENT = os.environ | {"PYTHONPATH": f"{HERE}:{HERE.parents[1]}"}
A, B = np.array([[1, 2]], np.int32), np.array([[3], [4]], np.int32)
Start = Callable[..., Worker]
MUL, DIV, MATMUL = map(operator, ("mul", "div", "matmul"))


@pytest.fixture
def start() -> Iterator[Start]:
    workers: list[Worker] = []

    def begin(name: str, seconds: float = 30) -> Worker:
        workers.append(Worker(name, seconds=seconds, environment=ENVIRONMENT))
        return workers[-1]

    yield begin
    for worker in workers:
        worker.close()


def matmul(worker: Worker) -> CallOutcome:
    return worker.run(Call(MATMUL, (A, B)))


def assert_right(outcome: CallOutcome, dtype: DTypeLike = np.int32) -> None:
    assert isinstance(outcome, Result)
    np.testing.assert_array_equal(outcome.array, np.array([[11]], dtype), strict=True)


@pytest.mark.parametrize("name", ["reference", "fakes:right", "fakes:talks", "fakes:swaps_bytes"])
def test_result(start: Start, name: str) -> None:
    assert_right(matmul(start(name)))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fakes:dies", Crashed("SIGFPE")),
        ("fakes:aborts", Crashed("SIGABRT")),
        ("fakes:leaves", Crashed("exit status 3 (no licence)")),
        ("fakes:refuses", Refused("NotImplementedError: there is no matmul", None)),
        (
            "fakes:refuses_aloud",
            Refused("NotImplementedError: there is no matmul", said="no licence\nfor it"),
        ),
        ("fakes:raises_exit", Refused("SystemExit: 0", None)),
        ("fakes:returns_a_list", WrongKind("a list instead of an array")),
        ("fakes:returns_complex", WrongKind("an array of complex64")),
        ("fakes:refuses_with_odd_letters", Refused(r"ValueError: \x1b[2J\udcff", None)),
        ("fakes:refuses_as_we_do", Refused("UserError: not today", None)),
    ],
)
def test_failures(start: Start, name: str, expected: CallOutcome) -> None:
    assert matmul(start(name)) == expected


def test_dead_process_starts_anew(start: Start) -> None:
    worker = start("fakes:dies_of_three_fives")
    threes, fives = np.array([3]), np.array([5])
    assert worker.run(Call(MUL, (threes, fives))) == Crashed("SIGFPE")
    assert isinstance(worker.run(Call(MUL, (fives, fives))), Result)


def test_hang(start: Start) -> None:
    began = time.monotonic()
    assert matmul(start("fakes:hangs", seconds=0.5)) == Hung(0.5)
    assert time.monotonic() - began < 10


def test_refusal_names_the_requirement(ours: Worker) -> None:
    outcome = ours.run(Call(MUL, (A, B)))
    assert isinstance(outcome, Refused)
    assert outcome.requirement == "SONNX-MUL.R4"


@pytest.fixture(scope="module")
def ours() -> Iterator[Worker]:
    with Worker("reference") as worker:
        yield worker


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (1, 2, 1)])
@pytest.mark.parametrize("type_", NUMERICAL, ids=str)
def test_every_array_arrives_bit_for_bit(
    ours: Worker, type_: ElementType, shape: tuple[int, ...]
) -> None:
    array = np.ones(shape, type_.dtype)
    if type_.family is Family.REAL:
        array[...] = Fraction(1)
    outcome = ours.run(Call(MUL, (array, array)))
    assert isinstance(outcome, Result)
    assert outcome.array.dtype == type_.dtype
    assert outcome.array.shape == shape
    assert all(element == 1 for element in outcome.array.ravel())


def test_an_operator_that_is_not_declared_is_an_error(ours: Worker) -> None:
    """By its name, and never another operator."""
    with pytest.raises(UserError, match="there is no operator 'toy-negate'"):
        ours.run(Call(TOYS[0], (A,)))
    (instance,) = TOYS[0].instances()
    with pytest.raises(UserError, match="there is no operator 'toy-negate'"):
        ours.supports(instance)


def test_truth_values_are_elements_of_no_sonnx_product(ours: Worker) -> None:
    truth: Array = np.ones(2, BOOLEAN.dtype)
    outcome = ours.run(Call(MUL, (truth, truth)))
    assert isinstance(outcome, Refused)
    assert outcome.requirement == "SONNX-MUL.R3"


def test_special_values_arrive(ours: Worker) -> None:
    for dtype in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64):
        values: Array = np.array([-0.0, np.inf, -np.inf, np.nan], dtype)
        outcome = ours.run(Call(MUL, (values, np.ones(4, dtype))))
        assert isinstance(outcome, Result)
        assert outcome.array.tobytes() == values.tobytes()


def test_real_quotient_by_zero(ours: Worker) -> None:
    values: Array = np.array([Fraction(1, 3), Fraction(0)], object)
    outcome = ours.run(Call(DIV, (values, values[::-1].copy())))
    assert isinstance(outcome, Result)
    assert outcome.array.tolist() == [float("inf"), Fraction(0)]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "there is no backend 'nothing'"),
        ("numpy", "the backend numpy is now called reference"),
        ("no_such_module:f", "No module named 'no_such_module'"),
        ("fakes:no_such_function", "no_such_function"),
        ("fakes:NOT_A_FUNCTION", "not a function"),
        ("cmd:", "needs a command"),
        ("cmd:'", "No closing quotation"),
        ("cmd:/no/such/program", "no program that can be started"),
    ],
)
def test_users_mistakes(monkeypatch: pytest.MonkeyPatch, name: str, words: str) -> None:
    monkeypatch.syspath_prepend(HERE)
    with pytest.raises(UserError, match=words):
        load(name)


def test_users_mistake_comes_out_of_the_worker(start: Start) -> None:
    with pytest.raises(UserError, match="no_such_function"):
        start("fakes:no_such_function").version()


def test_missing_runtime_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "onnxruntime.py").write_text("raise ImportError('no onnxruntime here')")
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{HERE.parents[1]}"}
    with (
        Worker("onnxruntime", environment=environment) as worker,
        pytest.raises(NotAvailableError, match=r"no onnxruntime here; .* pip install onnxruntime"),
    ):
        worker.version()


def test_runtime_that_dies_while_it_loads(tmp_path: Path) -> None:
    (tmp_path / "openvino.py").write_text("import os; os.abort()")
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}:{HERE.parents[1]}"}
    with (
        Worker("openvino", environment=environment) as worker,
        pytest.raises(NotAvailableError, match="does not load: SIGABRT"),
    ):
        worker.version()


def command(how: str, payload: str = "values") -> str:
    return "cmd:" + shlex.join([sys.executable, str(HERE / "commands.py"), payload, how])


@pytest.mark.parametrize("payload", ["values", "files"])
def test_command(start: Start, payload: str) -> None:
    worker = start(command("right", payload))
    assert worker.version() == "of tests"
    for dtype in (np.int32, ml_dtypes.bfloat16):
        assert_right(worker.run(Call(MATMUL, (A.astype(dtype), B.astype(dtype)))), dtype)


@pytest.fixture(scope="module")
def echo() -> Iterator[Worker]:
    with Worker(command("echoes"), environment=ENVIRONMENT) as worker:
        yield worker


@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 3), (1, 2, 1)])
@pytest.mark.parametrize("type_", [each for each in NUMERICAL if each.family is not Family.REAL])
def test_every_array_goes_through_lines_bit_for_bit(
    echo: Worker, type_: ElementType, shape: tuple[int, ...]
) -> None:
    size = int(np.prod(shape)) * type_.dtype.itemsize
    array = np.arange(200, 200 + size).astype(np.uint8).view(type_.dtype).reshape(shape)
    outcome = echo.run(Call(MUL, (array, array)))
    assert isinstance(outcome, Result)
    assert outcome.array.dtype == type_.dtype
    assert (outcome.array.shape, outcome.array.tobytes()) == (shape, array.tobytes())


@pytest.mark.parametrize("payload", ["values", "files"])
def test_one_process_for_many_cases(start: Start, payload: str) -> None:
    worker = start(command("tells its process", payload))
    outcomes = [worker.run(Call(MUL, (A, A))) for _ in range(3)]
    numbers = {each.array.item() for each in outcomes if isinstance(each, Result)}
    assert len(outcomes) == 3 > len(numbers) == 1
    alone = worker.run_alone(Call(MUL, (A, A)))
    assert isinstance(alone, Result)
    assert alone.array.item() not in numbers


@pytest.mark.parametrize("payload", ["values", pytest.param("files", marks=pytest.mark.long)])
@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("dies", Crashed("SIGABRT")),
        ("asserts", Crashed("SIGABRT (commands.c:1: main: Assertion `no' failed.)")),
        ("refuses", Refused("there is no such operator")),
        ("refuses aloud", Refused("there is no such operator", said="no licence\nfor it")),
        ("refuses without a word", Refused("no such\noperator")),
        ("exits", Refused("exit status 3: first words\nno licence")),
        ("ends", WrongKind("no answer but exit status 0")),
        ("talks", WrongKind("it answers 'loading' and not `result` or `refused`")),
    ],
)
def test_command_that_fails(start: Start, how: str, expected: CallOutcome, payload: str) -> None:
    """And fails again: who is gone is started anew, and what was said is said once."""
    worker = start(command(how, payload))
    assert [matmul(worker), matmul(worker)] == [expected, expected]


@pytest.mark.parametrize(
    ("how", "payload", "words"),
    [
        ("writes nothing", "files", "the command wrote no output_0.pb"),
        ("writes rubbish", "files", "no ONNX tensor"),
        ("writes nothing", "values", "'' is no tensor: ValueError: not enough values"),
    ],
)
def test_command_that_writes_rubbish(start: Start, how: str, payload: str, words: str) -> None:
    outcome = matmul(start(command(how, payload)))
    assert isinstance(outcome, WrongKind)
    assert words in outcome.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("int8 1 2 00", "1 elements behind a shape of [2]"),
        ("int8 3 0 1", "0 elements behind a shape of [0, 1]"),
        ("int16 0 00", "an element of int16 has 4 digits"),
        ("int8 0 xy", "non-hexadecimal"),
        ("bool 0 02", "neither true nor false"),
        ("real 0 1/2", "KeyError: 'real'"),
        ("int8", "not enough values"),
    ],
)
def test_lines_that_are_no_tensor(text: str, words: str) -> None:
    with pytest.raises(NoResultError) as error:
        array_of(text)
    assert isinstance(error.value.outcome, WrongKind)
    assert words in error.value.outcome.message


@pytest.mark.long
def test_who_is_no_runner_is_a_mistake(start: Start) -> None:
    for how, words in [
        (
            "is none",
            "'exit status 1: usage: commands model.onnx A.pb' in the place of a first line",
        ),
        ("right", "no runner: 'sonnx-formal' in the place"),
    ]:
        with pytest.raises(UserError, match=words):
            start(command(how, "nothing")).version()


def marked(mark: str) -> list[str]:
    """The processes with this variable in their environment, but for this one."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes().split(b"\0"):
                found.append(path.with_name("cmdline").read_text())
        except OSError:  # it ended, or belongs to somebody else
            continue
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("gives_none", "an element of an object array is not a fraction: None"),
        ("gives_a_text", "an element of an object array is not a fraction: 'abc'"),
        ("gives_a_minus_infinity", "is not a fraction: -inf"),
        ("says_junk", "makes no sense: a message of "),
        ("says_a_length", "makes no sense: a message of 1099511627776 bytes"),
        ("says_no_message", "makes no sense: "),
        ("says_a_version", "makes no sense: it is no answer to a call"),
        ("says_a_fraction", "makes no sense: "),
        ("says_a_quotient", "makes no sense: "),
        ("says_long_digits", "makes no sense: a text of 33554432 bytes"),
        ("says_many_elements", "makes no sense: an array of 1099511627776 elements"),
        ("says_a_negative_size", "makes no sense: "),
        ("says_text_elements", "makes no sense: 1 bytes that are no 1 texts"),
        ("says_nothing_true", "makes no sense: an element that is neither true nor false"),
        ("says_nested_lists", "makes no sense: "),
    ],
)
def test_what_a_worker_says_is_data_of_a_stranger(start: Start, name: str, words: str) -> None:
    """It is a verdict, at once; and the next process is asked as if nothing had been."""
    worker = start(f"fakes:{name}")
    for _ in range(2):
        began = time.monotonic()
        outcome = matmul(worker)
        assert isinstance(outcome, WrongKind)
        assert words in outcome.message
        assert len(outcome.message) < 500
        assert time.monotonic() - began < 25


def test_half_an_answer_is_none(start: Start) -> None:
    assert matmul(start("fakes:says_half_a_frame", seconds=0.5)) == Hung(0.5)


def test_an_answer_that_nobody_asked_for_is_none_to_the_next_question(start: Start) -> None:
    worker = start("fakes:speaks_twice")
    assert isinstance(matmul(worker), Result)
    outcome = matmul(worker)
    assert outcome == WrongKind("its answer makes no sense: it is none to this question")


def test_fractions_of_any_length_arrive(ours: Worker) -> None:
    """Python does not write out numbers of more than 4,300 digits by itself."""
    number = Fraction(10**5000 + 1, 3**9000)
    values: Array = np.array([number], object)
    outcome = ours.run(Call(MUL, (values, values)))
    assert isinstance(outcome, Result)
    assert outcome.array.tolist() == [number * number]


@pytest.mark.parametrize(
    "name",
    [
        "fakes:hangs",
        "fakes:leaves_its_group",
        "fakes:detaches",
        "cmd:sh -c 'echo sonnx-formal values; sleep 1000; true'",
        "cmd:sh -c 'echo sonnx-formal values; setsid -f sleep 1000; sleep 1000; true'",
    ],
)
def test_nothing_is_left_behind(name: str) -> None:
    mark = f"left{os.getpid()}"  # no one else's
    environment = ENVIRONMENT | {"KEPT": mark}
    with Worker(name, seconds=1, environment=environment) as worker:
        worker.version()
        assert marked(f"KEPT={mark}")
        began = time.monotonic()
        assert matmul(worker) == Hung(1)
        assert time.monotonic() - began < 20
    deadline = time.monotonic() + 5
    while marked(f"KEPT={mark}") and time.monotonic() < deadline:
        time.sleep(0.05)
    assert marked(f"KEPT={mark}") == []
    assert [*Path(tempfile.gettempdir()).glob(f"{mark}*")] == []


@pytest.mark.parametrize("how", ["dies", "hangs"])
def test_no_folder_is_left_behind(how: str, tmp_path: Path) -> None:
    """Of one who gets files, and does not live to answer."""
    script = (
        "echo sonnx-formal files; read line; " + {"dies": "kill -9 $$", "hangs": "sleep 99"}[how]
    )
    environment = ENVIRONMENT | {"TMPDIR": str(tmp_path)}
    with Worker(f"cmd:sh -c '{script}'", seconds=1, environment=environment) as worker:
        assert isinstance(matmul(worker), Hung | Crashed)
    assert [*tmp_path.iterdir()] == []
