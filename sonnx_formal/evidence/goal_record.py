"""What was found out about each goal and each module: `why3/evidence/goals/`, a line each.

The lines about `ops/mul.mlw` are in `goals/ops/mul.jsonl`. An answer holds for the text of the task
that it is about, whatever the goal is called: when the task changes, the answers are gone, and when
a goal only gets another name, they go with it.
"""

import fcntl
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec import structs

from sonnx_formal.core.documents import Part, Sha256
from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.certify.proofs import Certification
from sonnx_formal.evidence.hypotheses.cores import Cores
from sonnx_formal.evidence.lines import read_lines, write_lines
from sonnx_formal.evidence.question import TaskSubject
from sonnx_formal.evidence.vacuity.consistency import Consistency

ANSWERS = ("certified", "consistent", "cores")
"""The fields of a line that are answers; each is of one question."""
_COMMANDS = "certify`, `sonnx-formal hypotheses` and `sonnx-formal vacuity"


class GoalLine(Part, frozen=True, omit_defaults=True):
    """What is known of one goal, or of what a module assumes."""

    goal: str
    """Without its file: `Mul.mul'vc.1`; of a module, its name."""
    task: Sha256
    certified: Certification | None = None
    consistent: Consistency | None = None
    cores: Cores | None = None


class GoalRecord:
    """The record of a library."""

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
            for path in sorted(self._folder.rglob("*.jsonl"))
            for line in read_lines(path, GoalLine, _COMMANDS)
        }

    def update(
        self,
        subjects: Sequence[TaskSubject],
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
        with self._locked():
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
            for subject in filter(self._is_about_library, subjects):
                if about := known.get(subject.task.sha256):
                    lines[subject.id] = structs.replace(about, goal=subject.id.partition(":")[2])
            for file, names in groupby(sorted(before | lines), key=_file):
                path = self._folder / Path(file).with_suffix(".jsonl")
                write_lines(path, [lines[name] for name in names if name in lines])

    @contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            folder = os.open(self._folder, os.O_RDONLY)
        except OSError as error:
            raise UserError(f"{self._folder} could not be written: {error.strerror}") from None
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)

    def _is_about_library(self, subject: TaskSubject) -> bool:
        """Nothing is kept about files elsewhere, which are named otherwise."""
        file = Path(_file(subject.id))
        return not file.is_absolute() and (self._library / file).is_file()


def _by_task(lines: Mapping[str, GoalLine]) -> dict[str, GoalLine]:
    """All that is known of each task; goals with the same text share it."""
    known: dict[str, GoalLine] = {}
    for line in lines.values():
        given = {field: a for field in ANSWERS if (a := getattr(line, field)) is not None}
        known[line.task] = structs.replace(known.get(line.task, line), **given)
    return known


def _file(name: str) -> str:
    return name.partition(":")[0]


def _is_of_module(name: str) -> bool:
    return "." not in name.partition(":")[2]
