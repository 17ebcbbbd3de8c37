"""The provers: where they are, how they are called, and what their output means."""

import importlib.metadata
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.prover.installation import first_line
from sonnx_formal.prover.verdicts import Answer

_CVC5_PROCESS = Path(__file__).with_name("cvc5_process.py")


FAMILIES = {"z3": "z3", "cvc5": "cvc", "cvc4": "cvc"}
"""Provers of one family share code: two proofs count as independent across families only."""


@dataclass(frozen=True)
class Prover:
    """A prover of this machine. It reads a task from standard input."""

    name: str
    family: str
    version: str
    command: tuple[str, ...]
    step_option: str
    """`{}` stands for the limit."""
    steps: re.Pattern[str] = field(repr=False)
    """Finds the number of steps in its output."""
    steps_per_second: float
    """A rough figure, to compare costs across provers."""
    start_seconds: float = 0.0
    """What it takes before the first step, likewise."""

    def command_line(self, step_limit: int | None) -> list[str]:
        limit = [] if step_limit is None else [self.step_option.format(step_limit)]
        return [*self.command, *limit]


def find_provers() -> list[Prover]:
    """The provers of this machine that work, in the order in which they are tried."""
    return list(_find())


def _find() -> Iterator[Prover]:
    z3 = Path(sys.executable).with_name("z3")  # of the pinned package `z3-solver`
    path = str(z3) if z3.is_file() else shutil.which("z3")
    if path and (version := _version(path)):
        yield Prover(
            name="z3",
            family=FAMILIES["z3"],
            version=version,
            command=(path, "-smt2", "-in", "-st"),
            step_option="rlimit={}",
            steps=re.compile(r":rlimit-count +(\d+)"),
            steps_per_second=1.5e6,
            start_seconds=0.02,
        )
    if version := _cvc5_version():
        yield Prover(
            name="cvc5",
            family=FAMILIES["cvc5"],
            version=version,
            command=(sys.executable, "-I", str(_CVC5_PROCESS)),
            step_option="{}",
            steps=re.compile(r"resource::resourceUnitsUsed = (\d+)"),
            steps_per_second=2e5,
            start_seconds=0.09,
        )
    path = shutil.which("cvc4")
    if path and (version := _version(path)):
        yield Prover(
            name="cvc4",
            family=FAMILIES["cvc4"],
            version=version,
            command=(path, "--lang=smt2", "--stats"),
            step_option="--rlimit={}",
            steps=re.compile(r"smt::SmtEngine::resourceUnitsUsed, (\d+)"),
            steps_per_second=1e5,
            start_seconds=0.03,
        )


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


def _version(path: str) -> str | None:
    try:
        match = re.search(r"\d+(\.\d+)+", first_line([path, "--version"]))
    except UserError:
        return None
    return match[0] if match else None


def _cvc5_version() -> str | None:
    try:
        return importlib.metadata.version("cvc5")
    except importlib.metadata.PackageNotFoundError:
        return None
