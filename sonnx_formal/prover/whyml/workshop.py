"""A copy of the library in which one file is edited, and the tasks that Why3 makes of it."""

import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.tasks import Exporter, Strategy, Task

_SECONDS = 120


class RejectedError(Exception):
    """Why3 does not accept the edited file: a syntax or type error."""


@dataclass(frozen=True)
class EditedGoal:
    """A goal of the edited library."""

    id: str
    name: str
    task: Task


class Workshop:
    """The copy; a folder of its own, until it is closed."""

    def __init__(self, why3: Why3, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._root = Path(tempfile.mkdtemp(prefix="sonnx-formal-edited-"))
        self._library = self._root / "why3"
        self._edited = ""
        for name, text in texts.items():
            self._write(name, text)
        self._exporter = Exporter(why3, self._root, (self._library,))

    def close(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self._root, ignore_errors=True)

    def edit(self, file: str, text: str) -> None:
        """Give a file another text; the file that was edited before is as it was."""
        if self._edited:
            self._write(self._edited, self._texts[self._edited])
        self._edited = file
        self._write(file, text)

    def goals(
        self, file: str, modules: Sequence[str], names: Sequence[str] = ()
    ) -> list[EditedGoal]:
        """The goals of some modules of a file; where names are given, one of each module.

        Raises `RejectedError`.
        """
        chosen = []
        for module, name in zip_longest(modules, names):
            chosen += ["-T", module, *(["-G", name] if name else [])]
        pieces: Counter[str] = Counter()
        goals = []
        path = self._library / file
        try:
            found = self._exporter.tasks(path, Strategy.SPLIT, chosen, _SECONDS)
            for module, name, task in found:
                identity = f"{file}:{module}.{name}"
                pieces[identity] += 1
                goals.append(EditedGoal(f"{identity}.{pieces[identity]}", name, task))
        except subprocess.TimeoutExpired:
            raise RejectedError(f"Why3 took longer than {_SECONDS} s") from None
        except UserError as error:
            raise RejectedError(str(error).replace(f"{self._library}/", "")) from None
        return goals

    def _write(self, name: str, text: str) -> None:
        path = self._library / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
