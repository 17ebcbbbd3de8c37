"""A copy of the library in which one file is edited, and the tasks that Why3 makes of it."""

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from sonnx_formal.core.processes import dies_with_us
from sonnx_formal.prover.installation import Why3, environment
from sonnx_formal.prover.tasks import DRIVER, SPLIT, Task

_CONFIGURATION = "[main]\nmagic = 14\nrunning_provers_max = 1\ntimelimit = 60\nmemlimit = 0\n"
_GOAL = re.compile(r'^;; Goal "?(.*?)"?$', re.MULTILINE)
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
        self._why3 = why3
        self._texts = texts
        self._root = Path(tempfile.mkdtemp(prefix="sonnx-formal-edited-"))
        self._library = self._root / "why3"
        self._edited = ""
        for name, text in texts.items():
            self._write(name, text)
        (self._root / "configuration").write_text(_CONFIGURATION)
        driver = DRIVER.read_text().replace("@DRIVERS@", str(why3.drivers))
        (self._root / "smtlib.drv").write_text(driver)

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
        output = Path(tempfile.mkdtemp(dir=self._root))
        try:
            self._export(file, modules, names, output)
            pieces: Counter[str] = Counter()
            goals = []
            # Of several pieces of a goal, Why3 numbers the files.
            for path in sorted(output.iterdir(), key=lambda path: (len(path.name), path.name)):
                text = path.read_text()
                match = _GOAL.search(text)
                name = match[1] if match else "?"
                identity = f"{file}:{path.stem.split('-')[1]}.{name}"
                pieces[identity] += 1
                goals.append(EditedGoal(f"{identity}.{pieces[identity]}", name, _task(text)))
            return goals
        finally:
            shutil.rmtree(output, ignore_errors=True)

    def _export(
        self, file: str, modules: Sequence[str], names: Sequence[str], output: Path
    ) -> None:
        command = [self._why3.path, "prove", "-C", str(self._root / "configuration")]
        command += ["-D", str(self._root / "smtlib.drv"), "-L", str(self._library)]
        for transformation in SPLIT.transformations:
            command += ["-a", transformation]
        command += ["-o", str(output), str(self._library / file)]
        for module, name in zip_longest(modules, names):
            command += ["-T", module, *(["-G", name] if name else [])]
        try:
            done = subprocess.run(
                [*dies_with_us(), *command],
                capture_output=True,
                text=True,
                errors="replace",
                check=False,
                timeout=_SECONDS,
                env=environment() | {"TMPDIR": str(self._root)},
            )
        except subprocess.TimeoutExpired:
            raise RejectedError(f"Why3 took longer than {_SECONDS} s") from None
        if done.returncode != 0:
            said = done.stderr.strip().replace(f"{self._library}/", "")
            raise RejectedError(said or f"why3 ended with {done.returncode}")

    def _write(self, name: str, text: str) -> None:
        path = self._library / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _task(text: str) -> Task:
    """Without comments, as the driver has it."""
    plain = "".join(s for s in text.splitlines(keepends=True) if not s.startswith(";"))
    return Task.of(plain)
