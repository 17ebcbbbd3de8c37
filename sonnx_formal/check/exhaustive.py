"""All pairs of 16-bit floats: what implementations give, against the soft kernels of libsonnx.

The pairs go in blocks, each one call of a backend. A thread a job has a backend process for itself:
while it waits for this, the kernels compute for others.
"""

import hashlib
import importlib.metadata
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from threading import Event

import numpy as np

from sonnx_formal.backends.backend import (
    CallOutcome,
    Crashed,
    Hung,
    NotApplicable,
    Refused,
    Result,
    WrongKind,
)
from sonnx_formal.backends.catalogue import KERNELS, NAMES, OUR_OWN, SOFT_KERNELS
from sonnx_formal.backends.process import CALL_SECONDS, NotAvailableError, Worker
from sonnx_formal.check.agreement import AGREEMENTS, Agreement, Patterns, agreements, size
from sonnx_formal.check.compare import patterns
from sonnx_formal.check.exhaustive_document import (
    BLOCKS,
    LEFT,
    NOT_OFFERED,
    PATTERNS,
    ExhaustiveReport,
    FloatText,
    PairClass,
    PairExample,
    Sweep,
    SweepKey,
    SweepState,
    UnjudgedBlocks,
)
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import files_below, write_file
from sonnx_formal.core.terminal import Step
from sonnx_formal.core.texts import one_line
from sonnx_formal.kernels.build import SHARED, find_library_files, sha256_of
from sonnx_formal.kernels.declared import LIBRARY, Arithmetics, DeclaredKernel, kernels
from sonnx_formal.kernels.library import library
from sonnx_formal.prover.provenance import BegunRun
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array, ElementType, element_type_of
from sonnx_formal.spec.operator import Instance

ASKED = tuple(name for name in NAMES if name not in {KERNELS, SOFT_KERNELS})
"""The backends by name: those that judge are not asked."""
_PACKAGE = Path(__file__).parents[1]
_TAKING_PART = (
    "accuracy", "backends", "check", "core", "kernels", "oracle", "reference", "spec", "vectors",
)  # fmt: skip
_SAVED_SECONDS = 1
_LONGEST_REASON = 240
_POLL_SECONDS = 0.02


@cache
def judges() -> tuple[DeclaredKernel, ...]:
    """The soft kernels over floats of 16 bits, element by element of two operands, that round."""
    soft = (each for each in kernels() if each.arithmetics is Arithmetics.SOFT)
    round_ = (each for each in soft if each.by_element and each.is_canonical)
    pairs = (each for each in round_ if len(each.operands) == 2)  # noqa: PLR2004
    return tuple(each for each in pairs if each.type.width == 16)  # noqa: PLR2004


@dataclass(frozen=True)
class ExhaustiveRequest:
    backends: Sequence[str]
    kernels: Sequence[DeclaredKernel]
    """Some of `judges`."""
    states: Path
    """The folder of what a later run takes over."""
    jobs: int
    """Blocks at a time; each has a process of the backend."""
    seconds: float = CALL_SECONDS
    """The time that a backend gets for a block."""
    budget: float | None = None
    """The time for all of it."""
    blocks: Collection[int] = range(BLOCKS)
    """Those that are asked for, by their numbers."""
    environment: Mapping[str, str] | None = None
    """Of the backends, in place of that of this process."""

    def worker(self, name: str) -> Worker:
        return Worker(name, seconds=self.seconds, environment=self.environment)


def check_exhaustively(request: ExhaustiveRequest, step: Step) -> ExhaustiveReport:
    """Compare implementations with the kernels on all pairs of operands.

    An interrupt is no error: the report says so, and has what is finished.

    :raises UserError: for a backend that is not there, or is who judges; for a state that cannot be
        read or written; when libsonnx cannot be built.
    """
    began = time.monotonic()
    made = BegunRun.of(LIBRARY, budget=request.budget)
    sweeps = []
    interrupted = False
    for name in request.backends:
        for kernel, key, supported in _asked(request, name):
            left = None if request.budget is None else began + request.budget - time.monotonic()
            sweeper = _Sweeper(request, kernel, key, step)
            sweep, interrupted = sweeper.run(left) if supported else (sweeper.unsupported(), False)
            sweeps.append(sweep)
            if interrupted:
                break
        if interrupted:
            break
    return ExhaustiveReport(made.ended(), tuple(sweeps), interrupted)


def installed() -> list[str]:
    """The backends by name that are here, but for those that judge."""
    found = []
    for name in ASKED:
        with Worker(name) as worker, suppress(NotAvailableError):
            worker.version()
            found.append(name)
    return found


def _asked(request: ExhaustiveRequest, name: str) -> list[tuple[DeclaredKernel, SweepKey, bool]]:
    """What is asked of a backend, and whether it has the operators over the types at all."""
    if name in {KERNELS, SOFT_KERNELS}:
        raise UserError(f"{name} has the kernels that judge here: choose another backend")
    digests = _libsonnx_sha256(), _program_sha256()
    packages = {each: importlib.metadata.version(each) for each in ("numpy", "ml_dtypes")}
    found = []
    with request.worker(name) as worker:
        try:
            version = worker.version()
            for kernel in request.kernels:
                key = SweepKey(
                    backend=name,
                    version=version,
                    operator=kernel.operator.name,
                    element_type=kernel.type.name,
                    libsonnx_sha256=digests[0],
                    program_sha256=digests[1],
                    packages=packages,
                )
                supported = worker.supports(Instance(kernel.operator, (kernel.type,)))
                found.append((kernel, key, supported))
        except NotAvailableError as error:
            raise UserError(f"{name} is not installed: {error}") from None
    return found


@dataclass(frozen=True)
class _Sweeper:
    """Looks at an operator over a type."""

    request: ExhaustiveRequest
    kernel: DeclaredKernel
    key: SweepKey
    step: Step

    @property
    def _is_ours(self) -> bool:
        return self.key.backend == OUR_OWN

    def unsupported(self) -> Sweep:
        blocks = len(self.request.blocks)
        reason = UnjudgedBlocks(NOT_OFFERED, blocks, 0)
        return Sweep(self.key, self._is_ours, blocks, 0, 0, (), (reason,))

    def run(self, seconds: float | None) -> tuple[Sweep, bool]:
        """What came of all blocks, and whether the run was interrupted.

        :param seconds: after which it ends; None for any time.
        """
        began = saved_at = time.monotonic()
        state = before = read_state(self.request.states, self.key)
        out_of_time = seconds is not None and seconds <= 0
        pending = [] if out_of_time else sorted({*self.request.blocks} - before.blocks)
        blocks = len({*self.request.blocks} | before.blocks)
        vain: dict[int, str] = {}
        interrupted = False
        self._say(state, blocks, vain)
        try:
            with self._answers(pending) as answers:
                for future in as_completed(answers, seconds):
                    match future.result():
                        case str(reason):
                            vain[answers[future]] = reason
                        case classes:
                            state = state.with_block(answers[future], classes)
                    self._say(state, blocks, vain)
                    if time.monotonic() - saved_at >= _SAVED_SECONDS:
                        write_state(self.request.states, state)
                        saved_at = time.monotonic()
        except TimeoutError:
            pass
        except KeyboardInterrupt:
            interrupted = True
        finally:
            if state is not before:
                write_state(self.request.states, state)
        sweep = Sweep(
            self.key,
            self._is_ours,
            blocks,
            len(state.blocks),
            len(before.blocks),
            state.classes,
            tuple(_by_reason(vain)),
            round(time.monotonic() - began, 3),
        )
        return sweep, interrupted

    def _say(self, state: SweepState, blocks: int, vain: Mapping[int, str]) -> None:
        done = f"{len(state.blocks)}/{blocks} blocks"
        if wrong := sum(each.pairs for each in state.classes if not each.agreement.passes):
            done += f", {wrong:,} pairs diverge"
        if vain:
            done += f", {len(vain)} not judged"
        self.step(done, f"{self.key.backend}, {self.key.operator} {self.key.element_type}")

    @contextmanager
    def _answers(self, pending: Iterable[int]) -> "Iterator[dict[Future[_Answer], int]]":
        """What comes of each block; when the `with` block ends, nothing runs any more."""
        over = Event()
        workers = [self.request.worker(self.key.backend) for _ in range(self.request.jobs)]
        free: SimpleQueue[Worker] = SimpleQueue()
        for worker in workers:
            free.put(worker)

        def answer(block: int) -> _Answer:
            worker = free.get()  # there are as many threads
            try:
                return "" if over.is_set() else self._classes(worker, block)
            finally:
                free.put(worker)

        with ExitStack() as at_the_end:
            for worker in workers:
                at_the_end.enter_context(worker)
            # A worker dies with the thread that started it, so these are there until all is done.
            pool = at_the_end.enter_context(ThreadPoolExecutor(self.request.jobs))
            answers: dict[Future[_Answer], int] = {}
            try:
                for block in pending:
                    answers[pool.submit(answer, block)] = block
                yield answers
            finally:
                over.set()
                pool.shutdown(wait=False, cancel_futures=True)
                while not all(future.done() for future in answers):
                    for worker in workers:  # again: one may have been about to start
                        worker.close()
                    time.sleep(_POLL_SECONDS)

    def _classes(self, worker: Worker, block: int) -> "_Answer":
        a, b = operands(block, self.kernel.type)
        try:
            outcome = worker.run(Call(self.kernel.operator, (a, b)))
        except NotAvailableError as error:
            return _reason(f"crashed: {error}")
        got = _result(outcome, a)
        if isinstance(got, str):
            return got
        expected, computed = library().elementwise(self.kernel, a, b)
        if computed < a.size:
            raise AssertionError(f"{self.kernel.name} has no result for pair {computed} of {block}")
        of_a, of_b, right, given = (
            patterns(each, self.kernel.type) for each in (a, b, expected, got)
        )
        return classes_of(of_a, of_b, right, given, self.kernel.type)


_Answer = tuple[PairClass, ...] | str
"""What a block has, or why there is no result of it."""


def operands(block: int, type_: ElementType) -> tuple[Array, Array]:
    """The pairs of a block: each of its left operands with all right ones, in order."""
    left = np.arange(block * LEFT, (block + 1) * LEFT, dtype=type_.pattern)
    right = np.arange(PATTERNS, dtype=type_.pattern)
    return np.repeat(left, PATTERNS).view(type_.dtype), np.tile(right, LEFT).view(type_.dtype)


def classes_of(
    a: Patterns, b: Patterns, expected: Patterns, got: Patterns, type_: ElementType
) -> tuple[PairClass, ...]:
    """The classes of pairs, all given by bit patterns: how many are in each, and the smallest."""
    differs = np.flatnonzero(expected != got)
    found = []
    if same := expected.size - differs.size:
        found.append(PairClass(Agreement.SAME, same, None))
    codes = agreements(expected[differs], got[differs], type_.format)
    for code in np.unique(codes):
        places = differs[codes == code]
        sizes = size(a[places].astype(np.int64), b[places].astype(np.int64), type_.format)
        smallest = places[np.argmin(sizes)]
        texts = (FloatText.of(int(each[smallest]), type_) for each in (a, b, expected, got))
        found.append(PairClass(AGREEMENTS[code], places.size, PairExample(*texts)))
    return tuple(found)


def _result(outcome: CallOutcome, like: Array) -> Array | str:  # noqa: PLR0911 (an outcome each)
    """The array of an outcome, or why there is none that can be compared."""
    match outcome:
        case Result(array) if array.dtype != like.dtype:
            return f"element type {element_type_of(array)} instead of {element_type_of(like)}"
        case Result(array) if array.shape != like.shape:
            return "a result of another shape"
        case Result(array):
            return array
        case Refused(message):
            return _reason(f"refused: {message}")
        case Crashed(how):
            return _reason(f"crashed: {how}")
        case Hung(seconds):
            return f"no answer within {seconds:g} s"
        case WrongKind(message) | NotApplicable(message):
            return _reason(message)


def _reason(text: str) -> str:
    return one_line(text)[:_LONGEST_REASON]


def _by_reason(vain: Mapping[int, str]) -> Iterator[UnjudgedBlocks]:
    for reason in dict.fromkeys(vain.values()):
        blocks = [block for block, other in vain.items() if other == reason]
        yield UnjudgedBlocks(reason, len(blocks), min(blocks))


def read_state(folder: Path, key: SweepKey) -> SweepState:
    """What earlier runs found of the same; nothing of a backend that gives itself no version.

    Raises `UserError` for a file that is no such state.
    """
    path = state_path(folder, key)
    if not key.version or not path.exists():
        return SweepState(key)
    state = documents.read(path, SweepState)
    if state.key != key or not state.is_sound:
        raise UserError(f"{path} was changed, and says nothing any more: delete it")
    return state


def write_state(folder: Path, state: SweepState) -> None:
    """Write it where `read_state` finds it, as a whole. Raises `UserError`."""
    if state.key.version:
        write_file(state_path(folder, state.key), documents.encode(state))


def state_path(folder: Path, key: SweepKey) -> Path:
    """The file of a state: whatever else a key has, the file is another."""
    digest = hashlib.sha256(repr(key).encode()).hexdigest()
    return folder / f"{key.operator}-{key.element_type}-{digest}.json"


@cache
def _libsonnx_sha256() -> str:
    (path,) = (path for path in find_library_files() if path.name == SHARED)
    return sha256_of(path)


@cache
def _program_sha256() -> str:
    texts = (
        f"{path.relative_to(_PACKAGE)} {sha256_of(path)}"
        for part in _TAKING_PART
        for path in files_below(_PACKAGE / part, ".py")
    )
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()
