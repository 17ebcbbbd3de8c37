"""What is kept in `why3/evidence/`: what programs found out, and what people decided of findings.

An answer holds for the text of the task that it is about, whatever the goal is called.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta, field, structs

from sonnx_formal.core.documents import Count, Part, Sha256, Words
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import files_below, locked, write_atomically
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.sources import read_source
from sonnx_formal.prover.tasks import Task

_ANSWERS = ("certified", "consistent", "cores")  # fields of a line, each of one question
_COMMANDS = "certify`, `sonnx-formal hypotheses` and `sonnx-formal vacuity"


class CertifyOutcome(StrEnum):
    """What came of asking for a proof."""

    PROOF = "proof"
    NO_PROOF = "no proof"
    REFUSED = "refused"
    CONTRADICTION = "contradiction"
    NOT_TRIED = "not tried"


class Certification(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What cvc5 and the checker said; fields that say nothing about the outcome are left out."""

    outcome: CertifyOutcome
    cvc5: str = ""
    """Its version."""
    steps: Count = 0
    trusted: dict[str, Count] = field(default_factory=dict)
    """Steps that cvc5 does not explain, by rule."""
    checker: str | None = None
    """Who checked the proof besides cvc5; None: it was not independently checked."""
    complete: bool | None = None
    """Whether the checker believed no step; None without a checker."""
    because: str = ""
    """Why there is no proof, or why it is refused."""
    seconds: Count | None = None
    """The limit that was reached; None: no limit was."""


class Consistent(StrEnum):
    """What is known about hypotheses."""

    CONTRADICTORY = "contradictory"
    CONSISTENT = "consistent"
    """A prover has a model."""
    INCONCLUSIVE = "inconclusive"
    """No prover says either within its steps: no contradiction was found, none is excluded."""
    NOT_ASKED = "not asked"


class Consistency(Part, frozen=True):
    """Whether hypotheses contradict each other, and who was asked."""

    finding: Consistent
    provers: dict[str, str]
    """Those that decided, or those that were asked in vain, with their versions."""


class Cores(Part, frozen=True):
    """The premises of a goal that provers used."""

    premises: Count
    cores: dict[str, tuple[int, ...] | None]
    """Of each prover, from 0; None without a proof."""
    seconds: Count
    """What each prover was given."""


class GoalLine(Part, frozen=True, omit_defaults=True):
    """What is known of one goal, or of what a module assumes."""

    goal: str
    """Without its file: `Mul.mul'vc.1`; of a module, its name."""
    task: Sha256
    sources: Sha256 | None = None
    """Of a module: of all that its task is made of. While it is the same, Why3 need not make it."""
    certified: Certification | None = None
    consistent: Consistency | None = None
    cores: Cores | None = None


class MutantOutcome(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    """A goal is not proved any more."""
    SURVIVED = "survived"
    EQUIVALENT = "equivalent"
    """It is proved to mean the same, so it does not count."""
    IMPLIED = "implied"
    """An `ensures` that says something else, which the definition satisfies just as the original:
    what the library proves is the same, less or more one clause. It does not count either."""
    INVALID = "invalid"
    """Why3 rejects it: nobody could commit it, so it does not count."""
    UNTRIED = "untried"


class MutantLine(Part, frozen=True):
    """What became of a mutant, and what decided it."""

    mutant: str
    outcome: MutantOutcome
    by: str
    """The goal that fails, what Why3 says, or empty."""
    tried: Count
    """How many goals were looked at."""
    sources: Sha256
    """Of the files on which it depends: with others it is as if it were not there."""


@dataclass(frozen=True)
class Context:
    """What is defined, stated and used in a module, and no assumption of a goal's own."""

    id: str
    """`<file>:<module>`."""
    task: Task
    sources: Sha256
    """Of Why3 and of all that it makes the task of."""


class GoalRecord:
    """The record of the goals of a library."""

    def __init__(self, library: Path) -> None:
        self._library = library
        self._folder = library / "evidence" / "goals"

    def answers(self, field: str) -> dict[str, Any]:
        """The answers to one question, by task. Raises `UserError` when they cannot be read."""
        known = _by_task(self.read())
        return {task: a for task, line in known.items() if (a := getattr(line, field)) is not None}

    def read(self) -> dict[str, GoalLine]:
        """The lines by the id of the goal. Raises `UserError` when they cannot be read."""
        return {
            f"{path.relative_to(self._folder).with_suffix('.mlw').as_posix()}:{line.goal}": line
            for path in files_below(self._folder, ".jsonl")
            for line in read_lines(path, GoalLine, _COMMANDS)
        }

    def update(
        self,
        subjects: Sequence[Goal | Context],
        files: Collection[str] | None,
        field: str,
        answers: Mapping[str, Any],
    ) -> None:
        """Put answers about tasks into the record, and drop what is there about goals no more.

        Another program may do the same to another question meanwhile.

        :param subjects: all goals of the files; and their modules, or none.
        :param files: None stands for the whole library.
        :raises UserError: when the record cannot be read or written.
        """
        with ExitStack() as lock:
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                lock.enter_context(locked(self._folder))
            except OSError as error:
                raise UserError(f"{self._folder} could not be written: {error.strerror}") from None
            before = self.read()
            known = _by_task(before)
            for task, answer in answers.items():
                line = known.get(task, GoalLine("", task))
                known[task] = structs.replace(line, **{field: answer})
            modules = any(_is_of_module(subject.id) for subject in subjects)
            lines = {
                name: line
                for name, line in before.items()
                if (files is not None and _file(name) not in files)
                or (_is_of_module(name) and not modules)
            }
            for subject in subjects:
                file, _, goal = subject.id.partition(":")
                # Nothing is kept about files elsewhere, which are named otherwise.
                ours = not Path(file).is_absolute() and (self._library / file).is_file()
                if ours and (about := known.get(subject.task.sha256)):
                    sources = subject.sources if isinstance(subject, Context) else None
                    lines[subject.id] = structs.replace(about, goal=goal, sources=sources)
            for file, names in groupby(sorted(before | lines), key=_file):
                path = self._folder / Path(file).with_suffix(".jsonl")
                write_lines(path, [lines[name] for name in names if name in lines])


def _by_task(lines: Mapping[str, GoalLine]) -> dict[str, GoalLine]:
    """All that is known of each task; goals with the same text share it."""
    known: dict[str, GoalLine] = {}
    for line in lines.values():
        given = {name: a for name in _ANSWERS if (a := getattr(line, name)) is not None}
        known[line.task] = structs.replace(known.get(line.task, line), **given)
    return known


def _file(name: str) -> str:
    return name.partition(":")[0]


def _is_of_module(name: str) -> bool:
    return "." not in name.partition(":")[2]


_Line = TypeVar("_Line", bound=Part)


def read_lines(path: Path, type_: type[_Line], command: str) -> list[_Line]:
    """The lines of a file, none without a file. Raises `UserError`: with the number of a line."""
    return decode_lines(read_source(path), type_, path, command) if path.exists() else []


def decode_lines(data: bytes, type_: type[_Line], where: str | Path, command: str) -> list[_Line]:
    """The lines in a text. Raises `UserError` when one is none: with its number."""
    decoder = msgspec.json.Decoder(type_)
    lines = []
    for number, line in enumerate(data.splitlines(), start=1):
        try:
            lines.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise UserError(
                f"{where}:{number} is no line of a record ({error}): restore the file from version "
                f"control, or delete it and run `sonnx-formal {command}`"
            ) from None
    return lines


def write_lines(path: Path, lines: Sequence[Part]) -> None:
    """Write a file as a whole unless it is the same, none without lines. Raises `UserError`."""
    data = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    try:
        if not data:
            path.unlink(missing_ok=True)
        elif not path.is_file() or path.read_bytes() != data:
            write_atomically(path, data)
    except OSError as error:
        raise UserError(f"{path} could not be written: {error.strerror}") from None


class Disposition(Part, frozen=True):
    """Why the findings that some patterns name are as they should be."""

    ids: Annotated[tuple[Words, ...], Meta(min_length=1)]
    """Ids of findings, where `*` stands for anything."""
    reason: Words

    def names(self, finding: str) -> bool:
        return any(_matches(pattern, finding) for pattern in self.ids)


def reason_for(finding: str, dispositions: Iterable[Disposition]) -> str | None:
    """The first reason given for a finding; None if there is none."""
    return next((d.reason.strip() for d in dispositions if d.names(finding)), None)


def stale(
    dispositions: Iterable[Disposition], findings: Sequence[str], files: Collection[str]
) -> tuple[str, ...]:
    """The patterns that name no finding, of those about files of which all findings are known."""
    return tuple(
        pattern
        for disposition in dispositions
        for pattern in disposition.ids
        if pattern.partition(":")[0] in files
        and not any(_matches(pattern, finding) for finding in findings)
    )


def _matches(pattern: str, finding: str) -> bool:
    return _expression(pattern).fullmatch(finding) is not None


@cache
def _expression(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("*"))))
