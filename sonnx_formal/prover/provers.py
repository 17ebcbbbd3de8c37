"""The provers: where they are, how they are called, and what their output means."""

import importlib.metadata
import re
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from msgspec import UNSET, UnsetType

from sonnx_formal.core.documents import Part, Seconds
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.prover.cores import Core
from sonnx_formal.prover.installation import first_line
from sonnx_formal.prover.site import Program, ProgramCall

FAMILIES = {"z3": "z3", "cvc5": "cvc", "cvc4": "cvc"}
"""Provers of one family share code: two proofs count as independent across families only."""


class Answer(StrEnum):
    """What a prover said about a task: `VALID` is a proof, nothing else is."""

    VALID = "valid"
    SAT = "sat"
    UNKNOWN = "unknown"
    TIMEOUT = "timeout"
    MEMORY = "out of memory"
    STEPS = "step limit"
    FAILURE = "failure"


CONCLUSIVE = {Answer.VALID, Answer.SAT}
"""The answers about the task itself, whatever the limits were."""
LIMITED = {Answer.TIMEOUT, Answer.MEMORY, Answer.STEPS}
"""The answers that larger limits may change."""


@dataclass(frozen=True)
class Limits:
    """What a prover may spend on a task."""

    seconds: int
    """Of CPU time."""
    steps: int | None = None
    """In the prover's own unit, the same on every machine."""


class ProofEntry(Part, frozen=True, kw_only=True):
    """A prover's proof of a goal."""

    prover: str
    version: str
    family: str
    seconds: Seconds = UNSET
    """CPU time when it ran."""
    steps: int | None
    """In the prover's own unit."""
    cached: bool | UnsetType = UNSET
    """Whether an earlier run found it out."""
    worker: str | UnsetType | None = UNSET
    """The worker of a cluster that found it out; None: this machine."""
    core: Core | UnsetType | None = UNSET
    """The assertions of the task that it was given, by their digests; None or not there: all."""
    unsplit: bool | UnsetType = UNSET
    """Whether it is about the goal before it was split into pieces, of which this is one."""


class AttemptEntry(ProofEntry, frozen=True, kw_only=True):
    """What a prover said that is no proof."""

    answer: Answer


class ProverVerdict(AttemptEntry, frozen=True, kw_only=True):
    """One prover's answer about one task, be it a proof or not."""

    seconds: float
    cached: bool = False
    worker: str | None = None
    core: Core | None = None
    unsplit: bool = False
    limits: Limits | None
    """None for a conclusive answer from the cache: it holds whatever the limits were."""
    output: str
    """The beginning of what the prover printed."""


@dataclass(frozen=True)
class Prover:
    """A prover of this machine. It reads a task from standard input."""

    name: str
    family: str
    command: tuple[str, ...]
    step_option: str
    """`{}` stands for the limit."""
    seed_options: tuple[str, ...]
    """`{}` stands for the seed of what it chooses at random."""
    steps: re.Pattern[str] = field(repr=False)
    """Finds the number of steps in its output."""
    steps_per_second: float
    """A rough figure, to compare costs across provers."""
    start_seconds: float = 0.0
    """What it takes before the first step, likewise."""
    version: str = ""

    @property
    def program(self) -> Program:
        return Program(self.name, self.version, self.command)

    def call(self, text: str, limits: Limits, seed: int | None = None) -> ProgramCall:
        """It on the text of a task. Without a seed, it has its own."""
        limit = [] if limits.steps is None else [self.step_option.format(limits.steps)]
        seeds = [] if seed is None else [option.format(seed) for option in self.seed_options]
        return ProgramCall(self.program, (*limit, *seeds), text, limits.seconds)

    def estimated_seconds(self, steps: int | None) -> float:
        """Roughly what so many steps take, to compare costs: the same on every machine."""
        return self.start_seconds + (steps or 0) / self.steps_per_second


# Their options; where they are and which version it is, the machine says.
KNOWN = (
    Prover(
        name="z3",
        family=FAMILIES["z3"],
        command=("-smt2", "-in", "-st"),
        step_option="rlimit={}",
        seed_options=("smt.random_seed={}", "sat.random_seed={}"),
        steps=re.compile(r":rlimit-count +(\d+)"),
        steps_per_second=1.5e6,
        start_seconds=0.02,
    ),
    Prover(
        name="cvc5",
        family=FAMILIES["cvc5"],
        command=("-I", str(Path(__file__).with_name("cvc5_process.py"))),
        step_option="rlimit={}",
        seed_options=("seed={}", "sat-random-seed={}"),
        steps=re.compile(r"resource::resourceUnitsUsed = (\d+)"),
        steps_per_second=2e5,
        start_seconds=0.09,
    ),
    Prover(
        name="cvc4",
        family=FAMILIES["cvc4"],
        command=("--lang=smt2", "--stats"),
        step_option="--rlimit={}",
        seed_options=("--seed={}", "--random-seed={}"),
        steps=re.compile(r"smt::SmtEngine::resourceUnitsUsed, (\d+)"),
        steps_per_second=1e5,
        start_seconds=0.03,
    ),
)


def versions(provers: Iterable[Prover]) -> dict[str, str]:
    """By their names."""
    return {prover.name: prover.version for prover in provers}


def find_provers() -> list[Prover]:
    """The provers of this machine that work, in the order in which they are tried."""
    return [
        replace(prover, version=found[1], command=(found[0], *prover.command))
        for prover in KNOWN
        if (found := _installed(prover.name))
    ]


def _installed(name: str) -> tuple[str, str] | None:
    """The program and the version of a prover."""
    try:
        if name == "cvc5":
            return sys.executable, importlib.metadata.version("cvc5")
        pinned = Path(sys.executable).with_name(name)
        # Z3 is that of the package `z3-solver`, where this is installed.
        path = str(pinned) if name == "z3" and pinned.is_file() else shutil.which(name)
        match = path and re.search(r"\d+(\.\d+)+", first_line([path, "--version"]))
        return (path, match[0]) if path and match else None
    except (UserError, importlib.metadata.PackageNotFoundError):
        return None


def steps_used(prover: Prover, outcome: ProcessEnd) -> int | None:
    """The number of steps that a prover says it took."""
    match = prover.steps.search(outcome.stdout) or prover.steps.search(outcome.stderr)
    return int(match[1]) if match else None


def answer(outcome: ProcessEnd, step_limit: int | None, steps: int | None) -> Answer:
    """What a prover's output means; anything but one clean `unsat` is no proof."""
    lines = [line for line in outcome.stdout.splitlines() if line.strip()]
    said = [line for line in lines if line in _ANSWERS or _UNKNOWN.match(line)]
    if outcome.timed_out or (not said and _OUT_OF_TIME.search(outcome.stdout + outcome.stderr)):
        return Answer.TIMEOUT
    if outcome.exit_code == 0 and "(error" not in outcome.stdout + outcome.stderr:
        if len(said) == 1 and lines[0] == said[0] and said[0] in {"unsat", "sat"}:
            return Answer.VALID if said[0] == "unsat" else Answer.SAT
        if lines and _OUT_OF_STEPS.match(lines[0]):
            return Answer.STEPS
        if len(said) == 1 and _UNKNOWN.match(lines[0]):
            used_up = step_limit is not None and steps is not None and steps >= step_limit
            return Answer.STEPS if used_up else Answer.UNKNOWN
    if _OUT_OF_MEMORY.search(outcome.stdout + outcome.stderr):
        return Answer.MEMORY
    return Answer.FAILURE


_ANSWERS = {"unsat", "sat"}
_UNKNOWN = re.compile(r"unknown( \(\w+\))?$")
_OUT_OF_TIME = re.compile(r"^timeout$|interrupted by timeout", re.MULTILINE)  # SIGXCPU, caught
_OUT_OF_STEPS = re.compile(r"unknown \(RESOURCEOUT\)$")
_OUT_OF_MEMORY = re.compile(r"out of memory|bad_alloc|Cannot allocate memory|MemoryError")
