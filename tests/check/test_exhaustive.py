"""All pairs of 16-bit floats: classes, exact counts, states that are taken over, exit codes."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from sonnx_formal.check import exhaustive
from sonnx_formal.check.agreement import AGREEMENTS, Agreement, Patterns, agreements, size
from sonnx_formal.check.compare import patterns
from sonnx_formal.check.exhaustive import (
    ExhaustiveRequest,
    check_exhaustively,
    classes_of,
    judges,
    operands,
    read_state,
    state_path,
    write_state,
)
from sonnx_formal.check.exhaustive_document import (
    BLOCK,
    BLOCKS,
    ExhaustiveReport,
    FloatText,
    PairClass,
    PairExample,
    Sweep,
    SweepKey,
    SweepState,
)
from sonnx_formal.cli import main as cli
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels.declared import DeclaredKernel
from sonnx_formal.spec.element_types import BY_NAME, Array
from tests.check.conftest import REPOSITORY
from tests.schemas import validate

HERE = Path(__file__).parent
ENVIRONMENT = os.environ | {"PYTHONPATH": f"{HERE}:{REPOSITORY}"}
FLOAT16 = BY_NAME["float16"]
_OVERFLOW = 65520
"""From here on, float16 rounds to infinity."""
FEW = (0, 15, 240)
"""Blocks: zero and subnormals, the least normal numbers, 1 and what follows."""
OTHERS = [
    (operator, type_)
    for operator in ("mul", "div", "add", "sub")
    for type_ in ("float16", "bfloat16")
    if (operator, type_) not in {("mul", "float16"), ("div", "bfloat16")}
]
Run = Callable[..., Sweep]


def kernel(operator: str, type_: str) -> DeclaredKernel:
    (found,) = (x for x in judges() if (x.operator.name, x.type.name) == (operator, type_))
    return found


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def of(  # noqa: PLR0913, PLR0917 (what a test may ask for)
        function: str,
        operator: str = "mul",
        type_: str = "float16",
        blocks: Sequence[int] = FEW,
        states: Path = tmp_path / "states",
        seconds: float = 60,
        **variables: str,
    ) -> Sweep:
        request = ExhaustiveRequest(
            [f"planted:{function}"],
            [kernel(operator, type_)],
            states,
            jobs=1,
            seconds=seconds,
            blocks=blocks,
            environment=ENVIRONMENT | variables,
        )
        (sweep,) = check_exhaustively(request, lambda *_: None).sweeps
        return sweep

    return of


def counts(sweep: Sweep) -> dict[Agreement, int]:
    return {each.agreement: each.pairs for each in sweep.classes}


def pairs_of(blocks: Sequence[int], type_: str) -> tuple[Array, Array]:
    parts = [operands(block, BY_NAME[type_]) for block in blocks]
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])


def smallest(a: Array, b: Array, where: Array, type_: str) -> tuple[int, int]:
    """By sorting."""
    signs = 1 << 15
    x, y = (patterns(each, BY_NAME[type_])[where].astype(np.int64) for each in (a, b))
    first = np.lexsort((y // signs, x // signs, x % signs, x % signs + y % signs))[0]
    return int(x[first]), int(y[first])


def test_who_judges() -> None:
    assert {(x.operator.name, x.type.name) for x in judges()} == {
        (name, type_) for name in ("mul", "div", "add", "sub") for type_ in ("float16", "bfloat16")
    }


MADE_UP = {
    Agreement.SAME: [(0x3C00, 0x3C00), (0x8000, 0x8000), (0x7E00, 0x7E00), (0xFC00, 0xFC00)],
    Agreement.OTHER_NAN: [(0x7E00, 0xFE00), (0x7E00, 0x7C01)],
    Agreement.NAN_FOR_NUMBER: [(0x3C00, 0x7E00), (0x7C00, 0xFE00), (0, 0x7E00)],
    Agreement.NUMBER_FOR_NAN: [(0x7E00, 0x3C00), (0x7E00, 0x7C00), (0x7E00, 0)],
    Agreement.INFINITY_FOR_FINITE: [(0x7BFF, 0x7C00), (0, 0xFC00)],
    Agreement.FINITE_FOR_INFINITY: [(0x7C00, 0x7BFF), (0xFC00, 0)],
    Agreement.SIGN_OF_ZERO: [(0, 0x8000), (0x8000, 0)],
    Agreement.ZERO_FOR_SUBNORMAL: [(0x0001, 0), (0x83FF, 0x8000), (0x8001, 0)],
    Agreement.LAST_PLACE: [(0x3C00, 0x3BFF), (0xBC00, 0xBC01), (0, 1), (0, 0x8001), (0x8000, 1)],
    Agreement.FURTHER: [
        (0x3C00, 0x3C02), (0x3C00, 0xBC00), (0x0001, 0x8001), (0x7C00, 0xFC00), (0x0400, 0),
    ],
}  # fmt: skip


def test_every_class_is_told() -> None:
    assert [*MADE_UP] == [*Agreement]
    told = [(agreement, pair) for agreement, pairs in MADE_UP.items() for pair in pairs]
    expected, got = np.array([pair for _, pair in told], np.uint16).T
    found = agreements(expected, got, FLOAT16.format)
    assert [AGREEMENTS[code] for code in found] == [agreement for agreement, _ in told]
    # bfloat16 has its exponent elsewhere: 0x7f80 is infinity, 0x0080 the least normal number.
    made: Patterns = np.array([0x7F80, 0x7F81, 0x0040, 0x0080], np.uint16)
    of_zero = agreements(made, np.zeros(4, np.uint16), BY_NAME["bfloat16"].format)
    assert [AGREEMENTS[code] for code in of_zero] == [
        Agreement.FINITE_FOR_INFINITY,
        Agreement.NUMBER_FOR_NAN,
        Agreement.ZERO_FOR_SUBNORMAL,
        Agreement.FURTHER,
    ]


def test_the_order_of_pairs_is_total_and_as_stated() -> None:
    some = [0, 1, 2, 0x3C00, 0x7FFF, 0x8000, 0x8001, 0xBC00, 0xFFFF]
    pairs = [(a, b) for a in some for b in some]
    sizes = [size(a, b, FLOAT16.format) for a, b in pairs]
    assert len({*sizes}) == len(pairs)
    signs = 1 << 15
    stated = sorted(
        pairs, key=lambda p: (p[0] % signs + p[1] % signs, p[0] % signs, p[0] >= signs, p[1])
    )
    assert [pair for _, pair in sorted(zip(sizes, pairs, strict=True))] == stated


def test_made_up_results_are_counted_with_the_smallest_pair_of_each_class() -> None:
    a, b, expected, got = np.array(
        [
            (0x3C00, 0x3C00, 0x3C00, 0x3C00),
            (0x4000, 0x4000, 0x4400, 0x4401),
            (0xBC00, 0x3C00, 0xBC00, 0xBC01),
            (0x3C00, 0xBC00, 0xBC00, 0xBC01),
            (0x8000, 0x0001, 0x8000, 0x0000),
        ],
        np.uint16,
    ).T

    def text(pattern: int) -> FloatText:
        return FloatText.of(pattern, FLOAT16)

    assert classes_of(a, b, expected, got, FLOAT16) == (
        PairClass(Agreement.SAME, 1, None),
        PairClass(
            Agreement.SIGN_OF_ZERO, 1, PairExample(text(0x8000), text(1), text(0x8000), text(0))
        ),
        PairClass(
            Agreement.LAST_PLACE,
            3,
            PairExample(text(0x3C00), text(0xBC00), text(0xBC00), text(0xBC01)),
        ),
    )
    assert text(0xBC00) == FloatText("-1", "0xbc00")


@pytest.mark.parametrize(
    ("operator", "type_"),
    [
        ("mul", "float16"),
        ("div", "bfloat16"),
        *(pytest.param(*each, marks=pytest.mark.long) for each in OTHERS),
    ],
)
def test_the_reference_passes(run: Run, operator: str, type_: str) -> None:
    sweep = run("right", operator, type_, (0, 240))
    assert (sweep.blocks, sweep.judged, sweep.not_judged) == (2, 2, ())
    assert sum(counts(sweep).values()) == 2 * BLOCK
    assert {*counts(sweep)} <= {Agreement.SAME, Agreement.OTHER_NAN}
    assert sweep.passes


def is_a_tie(a: Array, b: Array) -> Array:
    """Where a product of float16 is halfway, and the even neighbour is finite and nearer to zero.

    With integers alone: each is an integer times 2**-24.
    """
    with np.errstate(invalid="ignore"):  # NaNs that signal
        x, y = (abs(each.astype(np.float64)) * 2**24 for each in (a, b))
    finite = np.isfinite(x) & np.isfinite(y)
    (m, e), (n, f) = (np.frexp(np.where(finite, each, 0)) for each in (x, y))
    product = np.ldexp(m, 11).astype(np.int64) * np.ldexp(n, 11).astype(np.int64)
    exponent = e.astype(np.int64) + f - 22 - 48
    width = np.frexp(product.astype(np.float64))[1]
    last = np.maximum(width + exponent - 11, -24)
    shift = np.clip(last - exponent, 0, 40)
    halfway = (shift > 0) & (product % (1 << shift) == (1 << shift) // 2)
    small = np.ldexp(product.astype(np.float64), exponent) < _OVERFLOW
    return np.asarray(halfway & ((product >> shift) % 2 == 0) & finite & small)


def quotients(a: Array, b: Array) -> Array:
    with np.errstate(all="ignore"):
        return (a.astype(np.float32) / b.astype(np.float32)).astype(a.dtype)


def products(a: Array, b: Array) -> Array:
    with np.errstate(all="ignore"):
        return (a.astype(np.float32) * b.astype(np.float32)).astype(a.dtype)


BUGS: dict[str, tuple[str, str, Agreement, Callable[[Array, Array], Array]]] = {
    "flushes_subnormals": (
        "mul",
        "float16",
        Agreement.ZERO_FOR_SUBNORMAL,
        lambda a, b: (products(a, b) != 0) & (abs(products(a, b)) < np.finfo(np.float16).tiny),
    ),
    "loses_the_sign_of_zero": (
        "mul",
        "bfloat16",
        Agreement.SIGN_OF_ZERO,
        lambda a, b: (products(a, b) == 0) & np.signbit(products(a, b)),
    ),
    "rounds_ties_away": ("mul", "float16", Agreement.LAST_PLACE, is_a_tie),
    "nan_for_infinity": (
        "div",
        "bfloat16",
        Agreement.NAN_FOR_NUMBER,
        lambda a, b: np.isinf(quotients(a, b)),
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("bug", BUGS)
def test_a_planted_bug_is_found_with_its_count_and_smallest_pair(run: Run, bug: str) -> None:
    operator, type_, agreement, shows = BUGS[bug]
    sweep = run(bug, operator, type_)
    a, b = pairs_of(FEW, type_)
    where = shows(a, b)
    assert where.any()
    (found,) = sweep.diverging
    assert (found.agreement, found.pairs) == (agreement, int(np.count_nonzero(where)))
    assert found.smallest is not None
    pair = found.smallest.a.pattern, found.smallest.b.pattern
    assert pair == smallest(a, b, where, type_)
    assert sum(counts(sweep).values()) == len(FEW) * BLOCK
    assert not sweep.passes


@pytest.mark.long
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        ("dies_in_block_1", "crashed: SIGFPE"),
        ("hangs_in_block_1", "no answer within 5 s"),
        ("refuses_block_1", "refused: NotImplementedError: no such numbers"),
        ("widens_block_1", "element type float32 instead of float16"),
        ("cuts_block_1", "a result of another shape"),
    ],
)
def test_a_block_without_a_result_is_no_pass_and_the_rest_is_judged(
    run: Run, function: str, reason: str
) -> None:
    sweep = run(function, blocks=(0, 1, 2), seconds=5)
    (told,) = sweep.not_judged
    assert (told.reason, told.blocks, told.first) == (reason, 1, 1)
    assert (sweep.blocks, sweep.judged) == (3, 2)
    assert sum(counts(sweep).values()) == 2 * BLOCK
    assert sweep.diverging == ()
    assert not sweep.passes


@pytest.mark.long
def test_what_was_not_judged_is_asked_again(run: Run, tmp_path: Path) -> None:
    assert run("dies_in_block_1", blocks=(0, 1, 2)).judged == 2
    log = tmp_path / "log"
    again = run("dies_in_block_1", blocks=(0, 1, 2), PLANTED_SOUND="", PLANTED_LOG=str(log))
    assert log.read_text().split() == ["1"]
    assert (again.judged, again.from_state, again.not_judged) == (3, 2, ())
    assert again.passes


@pytest.mark.long
def test_what_holds_for_something_else_is_not_taken_over(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def earlier(*what: str, version: str = "1") -> int:
        return run(*what, blocks=(0,), PLANTED_VERSION=version).from_state

    assert earlier("right") == 0
    assert earlier("right") == 1
    assert earlier("right", version="2") == 0
    assert earlier("flushes_subnormals") == 0
    assert earlier("right", "div") == 0
    assert earlier("right", "mul", "bfloat16") == 0
    for name in ("_libsonnx_sha256", "_program_sha256"):
        with monkeypatch.context() as patched:
            patched.setattr(exhaustive, name, lambda: "0" * 64)
            assert earlier("right") == 0
    assert earlier("right") == 1
    kept = len([*(tmp_path / "states").iterdir()])
    assert kept == 7
    # Nobody knows whether that is the same: nothing is kept.
    assert earlier("right", version="") == earlier("right", version="") == 0
    assert len([*(tmp_path / "states").iterdir()]) == kept
    nameless = structs.replace(run("right", blocks=(0,)).key, version="")
    made_up = SweepState(nameless, ((0, 1),), (PairClass(Agreement.SAME, BLOCK, None),))
    state_path(tmp_path, nameless).write_bytes(documents.encode(made_up))
    assert read_state(tmp_path, nameless) == SweepState(nameless)


def test_a_state_that_was_changed_is_refused(run: Run, tmp_path: Path) -> None:
    key = run("flushes_subnormals", blocks=(0,)).key
    folder = tmp_path / "states"
    state = read_state(folder, key)
    first, *others = state.classes
    for changed in (
        structs.replace(state, classes=(structs.replace(first, pairs=first.pairs + 1), *others)),
        structs.replace(state, judged=((0, 2),)),
        structs.replace(state, judged=((0, 1), (0, 1))),
        structs.replace(state, judged=((BLOCKS, BLOCKS + 1),)),
        structs.replace(state, key=structs.replace(key, version="2")),
    ):
        state_path(folder, key).write_bytes(documents.encode(changed))
        with pytest.raises(UserError, match="delete it"):
            read_state(folder, key)


def command(*arguments: str | Path) -> list[str]:
    return [sys.executable, "-P", "-m", "sonnx_formal", "exhaustive", *map(str, arguments)]


def judged_by(states: Path) -> frozenset[int]:
    """The blocks of the only state there."""
    found = [path for path in states.glob("*.json") if not path.name.startswith(".")]
    return documents.read(found[0], SweepState).blocks if found else frozenset()


@pytest.mark.parametrize(
    ("sent", "status"),
    [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130), (signal.SIGTERM, 143)],
)
@pytest.mark.long
def test_a_run_that_is_ended_goes_on_where_it_was(
    run: Run, tmp_path: Path, sent: signal.Signals, status: int
) -> None:
    states, log = tmp_path / "states", tmp_path / "log"
    path = tmp_path / "exhaustive.json"
    what = ("--backend", "planted:slow", "--op", "mul", "--type", "float16", "--jobs", "1")
    with subprocess.Popen(
        command(*what, "--state", states, "--json", path),
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as running:
        deadline = time.monotonic() + 60
        while len(judged_by(states)) < 2 and time.monotonic() < deadline:
            assert running.poll() is None
            time.sleep(0.02)
        running.send_signal(sent)
        output, _ = running.communicate(timeout=30)
    assert running.returncode == status, output
    assert "Traceback" not in output
    finished = judged_by(states)
    assert len(finished) >= 2
    assert path.exists() == (sent is not signal.SIGKILL)
    if path.exists():
        report = documents.read(path, ExhaustiveReport)
        assert (report.interrupted, report.sweeps[0].judged) == (True, len(finished))
    asked = sorted(finished | {max(finished) + 1, BLOCKS - 1})
    resumed = run("slow", blocks=asked, PLANTED_LOG=str(log))
    assert {*map(int, log.read_text().split())} == {*asked} - finished
    assert (resumed.judged, resumed.from_state) == (len(asked), len(finished))
    anew = run("slow", blocks=asked, states=tmp_path / "others")
    assert anew.classes == resumed.classes


class Shell:
    """Runs the command in this process, on states in a folder."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        self.states = folder / "states"
        self.path = folder / "exhaustive.json"
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        monkeypatch.setenv("PYTHONPATH", f"{HERE}:{REPOSITORY}")

    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit status, standard output, standard error."""
        where = ("--state", str(self.states), "--json", str(self.path))
        given = ["sonnx-formal", "exhaustive", *arguments, *where]
        self._monkeypatch.setattr(sys, "argv", given)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = self._capsys.readouterr()
        return int(ended.value.code or 0), out, err

    def report(self) -> ExhaustiveReport:
        validate(json.loads(self.path.read_text()), ExhaustiveReport)
        return documents.read(self.path, ExhaustiveReport)


@pytest.fixture
def shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shell:
    return Shell(tmp_path, monkeypatch, capsys)


ONE = ("--backend", "planted:right", "--op", "mul", "--type", "float16", "--budget", "0")


def keep(shell: Shell, key: SweepKey, *classes: PairClass, blocks: int = BLOCKS) -> None:
    write_state(shell.states, SweepState(key, ((0, blocks),), classes))


@pytest.mark.long
def test_exit_codes(shell: Shell, run: Run) -> None:
    """Of states that are made up: all blocks take minutes."""
    status, out, err = shell(*ONE)
    assert (status, err) == (1, "")
    assert "0 of 1024 blocks judged" in out
    (sweep,) = shell.report().sweeps
    assert (sweep.blocks, sweep.judged, sweep.passes) == (BLOCKS, 0, False)
    same, wrong = Agreement.SAME, Agreement.LAST_PLACE
    keep(shell, sweep.key, PairClass(same, BLOCKS * BLOCK, None))
    status, out, err = shell(*ONE)
    assert (status, err) == (0, "")
    assert "1024 of 1024 blocks judged, 0 pairs diverge" in out
    assert shell.report().passes
    keep(shell, sweep.key, PairClass(same, (BLOCKS - 1) * BLOCK, None), blocks=BLOCKS - 1)
    assert shell(*ONE)[0] == 1
    unit = FloatText.of(0x3C00, FLOAT16)
    example = PairExample(unit, unit, unit, FloatText.of(0x3C01, FLOAT16))
    keep(shell, sweep.key, PairClass(same, BLOCKS * BLOCK - 1, None), PairClass(wrong, 1, example))
    status, out, err = shell(*ONE)
    assert (status, err) == (1, "")
    assert "planted:right: mul float16: one unit in the last place off\n  1 pair, " in out
    assert "got      = 1.0009765625  bits 0x3c01" in out
    # One operator that passes does not make up for another.
    keep(shell, sweep.key, PairClass(same, BLOCKS * BLOCK, None))
    assert shell(*ONE, "--op", "div")[0] == 1


@pytest.mark.long
def test_the_budget_ends_a_run(shell: Shell) -> None:
    what = ("--backend", "planted:slow", "--op", "mul", "--type", "float16", "--jobs", "1")
    began = time.monotonic()
    status, _, err = shell(*what, "--budget", "20")
    assert (status, err) == (1, "")
    assert time.monotonic() - began < 60
    (sweep,) = shell.report().sweeps
    assert 0 < sweep.judged < BLOCKS
    assert not sweep.passes
    assert len(judged_by(shell.states)) == sweep.judged


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--backend", "libsonnx-soft"), "choose another backend"),
        (("--backend", "libsonnx"), "choose another backend"),
        (("--backend", "numpi"), "there is no backend 'numpi'"),
        (("--backend", "planted:no_such_function"), "cannot be loaded"),
        (("--type", "float32"), "--type"),
        (("--op", "matmul"), "--op"),
        (("--budget", "nan"), "nan is no time"),
        (("--jobs", "0"), "--jobs"),
    ],
)
def test_mistakes(shell: Shell, arguments: tuple[str, ...], words: str) -> None:
    status, out, err = shell(*arguments)
    assert (status, out) == (2, "")
    assert words in err


@pytest.mark.long
def test_all_pairs_of_an_operator(run: Run) -> None:
    sweep = run("right", "mul", "bfloat16", range(BLOCKS))
    assert (sweep.judged, sweep.not_judged) == (BLOCKS, ())
    assert sum(counts(sweep).values()) == 1 << 32
    assert sweep.passes


def test_all_that_takes_part_is_in_the_key() -> None:
    """What is imported besides says what Why3 is, which is in the library's own hash."""
    program = (
        "import sys, sonnx_formal.check.exhaustive, sonnx_formal.backends.runtimes;"
        "import sonnx_formal.backends.worker, sonnx_formal.reference;"
        "print(*{name.split('.')[1] for name in sys.modules if name.startswith('sonnx_formal.')})"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert {*done.stdout.split()} <= {*exhaustive._TAKING_PART, "prover"}
