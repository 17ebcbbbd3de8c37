"""From a `.mlw` file to its proof obligations: each one a goal with a name and an SMT-LIB text.

Why3 writes the texts, and in the names of their files the modules. What it says of a goal
(explanation, place) it says only together with a prover's answer, in its JSON: for that there is a
second run, with a "prover" that answers nothing.
"""

import hashlib
import json
import re
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import dies_with_us
from sonnx_formal.prover.installation import Why3, environment

DRIVER = Path(__file__).with_name("smtlib.drv")

# Why3 reads this instead of the user's own configuration.
_CONFIGURATION = """\
[main]
magic = 14
running_provers_max = 1
timelimit = 60
memlimit = 0
[prover]
name = "nobody"
version = "1"
command = "true %f"
driver = "{folder}/nobody.drv"
"""

# Nobody reads the text that this prover is given, so it is the one that takes Why3 least time.
_NOBODY = 'printer "why3"\n'

_UNPROVED = 2  # Why3's exit status when the files are right and a goal is not proved


@dataclass(frozen=True)
class Strategy:
    """The Why3 transformations that are applied to every goal before it is exported."""

    name: str
    transformations: tuple[str, ...]


SPLIT = Strategy("split_vc", ("split_vc",))
INLINE = Strategy("split_vc+inline_goal", ("split_vc", "inline_goal"))
STRATEGIES = {strategy.name: strategy for strategy in (SPLIT, INLINE)}


class Location(Part, frozen=True):
    """Where Why3 says that a goal comes from. A cloned goal may come from another file."""

    file: str
    line: Annotated[int, Meta(ge=1)]
    column: Count


@dataclass(frozen=True)
class Task:
    """The SMT-LIB text of one goal, without its comments."""

    text: str = field(repr=False)
    sha256: str
    premises: tuple[int, ...] = field(default=(), compare=False)
    """Which of its assertions, from 0, are premises of the goal: preconditions, branches, …"""

    @staticmethod
    def of(text: str, premises: tuple[int, ...] = ()) -> "Task":
        return Task(text, hashlib.sha256(text.encode()).hexdigest(), premises)


# The tasks of the pieces of each goal of each module, by name.
_Tasks = dict[str, dict[str, list[Task]]]


@dataclass(frozen=True)
class Obligation:
    """One goal of a file, as Why3 exports it."""

    module: str
    name: str
    explanation: str
    location: Location
    task: Task


def export(
    why3: Why3, path: Path, load_path: tuple[Path, ...], how: Strategy, *, described: bool = True
) -> list[Obligation]:
    """The goals of a file in the order of the file.

    :param described: with what Why3 says of each goal, which takes a run more. Without, the goals
        have no explanation, their place is the beginning of the file, and those of a module are in
        the order of their names.
    :raises UserError: with Why3's own words when the file has a syntax or type error.
    """
    with tempfile.TemporaryDirectory(prefix="sonnx-formal-") as name:
        run = _Export(why3, path, load_path, how, Path(name))
        run.prepare()
        said = run.said() if described else None
        written = run.written()
    modules = list(_declared_modules(path.read_text(errors="replace"))) or ["Top"]
    try:
        if said is None:
            return list(_undescribed(path, modules, written))
        return [
            Obligation(
                module,
                _readable(goal["goal_name"]),
                "; ".join(goal["explanations"]),
                _location(path, goal.get("loc")),
                task,
            )
            for module, goal, task in _matched(modules, said, written)
        ]
    except ValueError as error:
        raise UserError(f"{path}: internal error, its export is inconsistent: {error}") from None


@dataclass(frozen=True)
class _Export:
    """The export of one file, with a temporary folder for it."""

    why3: Why3
    path: Path
    load_path: tuple[Path, ...]
    how: Strategy
    folder: Path

    def prepare(self) -> None:
        (self.folder / "tasks").mkdir()
        (self.folder / "configuration").write_text(_CONFIGURATION.format(folder=self.folder))
        (self.folder / "nobody.drv").write_text(_NOBODY)
        driver = DRIVER.read_text().replace("@DRIVERS@", str(self.why3.drivers))
        (self.folder / "smtlib.drv").write_text(driver)

    def said(self) -> list[dict[str, Any]]:
        """What Why3 says about each goal, in the order of the file."""
        answers = _json_values(self._why3_prove("--json", "-P", "nobody"))
        return [answer["term"] for answer in answers]

    def written(self) -> _Tasks:
        """The tasks of each module, by goal."""
        output = self.folder / "tasks"
        self._why3_prove("-D", str(self.folder / "smtlib.drv"), "-o", str(output))
        # Of several pieces of a goal, Why3 numbers the files: a longer number is a greater one.
        tasks: _Tasks = defaultdict(lambda: defaultdict(list))
        for file in sorted(output.iterdir(), key=lambda file: (len(file.name), file.name)):
            _, module, _ = file.stem.split("-")
            text = file.read_text()
            if not (goal := _GOAL.search(text)):
                raise UserError(f"{self.path}: internal error: a task without the name of its goal")
            tasks[module][goal[1]].append(_task(text))
        return tasks

    def _why3_prove(self, *options: str) -> str:
        configuration = str(self.folder / "configuration")
        command = [self.why3.path, "prove", "-C", configuration, *options]
        for directory in self.load_path:
            command += ["-L", str(directory)]
        for transformation in self.how.transformations:
            command += ["-a", transformation]
        done = subprocess.run(
            [*dies_with_us(), *command, str(self.path)],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            env=environment() | {"TMPDIR": str(self.folder)},
        )
        if done.returncode not in {0, _UNPROVED}:
            said = done.stderr.strip() or f"why3 ended with {done.returncode}"
            raise UserError(said if str(self.path) in said else f"{self.path}: {said}")
        return done.stdout


_GOAL = re.compile(r'^;; Goal "?(.*?)"?$', re.MULTILINE)


def _undescribed(path: Path, modules: Sequence[str], written: _Tasks) -> Iterator[Obligation]:
    """Each goal as it is named in its task. Raises `ValueError` for one of an unknown module."""
    for module in modules:
        for name, tasks in written.pop(_in_file_names(module), {}).items():
            for task in tasks:
                yield Obligation(module, _readable(name), "", _location(path, None), task)
    if written:
        raise ValueError(f"tasks of unknown modules: {', '.join(written)}")


def _in_file_names(module: str) -> str:
    return module.replace("'", "qt")


def _matched(
    modules: Sequence[str], said: Sequence[dict[str, Any]], written: _Tasks
) -> Iterator[tuple[str, dict[str, Any], Task]]:
    """Each goal with its module and its task.

    Both runs go through the modules in the order of the file, so the number of tasks of each
    module tells where in what Why3 says the next one begins. Raises `ValueError` where that does
    not come out even.
    """
    start = 0
    for module in modules:
        tasks = written.pop(_in_file_names(module), {})
        end = start + sum(map(len, tasks.values()))
        for goal in said[start:end]:
            left = tasks.get(goal["goal_name"])
            if not left:
                raise ValueError(f"no task of module {module} for goal {goal['goal_name']}")
            yield module, goal, left.pop(0)
        start = end
    if written or start != len(said):
        raise ValueError(f"{start} tasks in known modules for {len(said)} goals")


# How Why3 names what it moves from the goal to its hypotheses.
_PREMISES = {";; Requires", ";; H"}


def _task(text: str) -> Task:
    """Comments carry paths and line numbers: without them a task changes only with its meaning."""
    kept, premises, assertions, comment = [], [], 0, ""
    for line in text.splitlines(keepends=True):
        if line.startswith(";"):
            comment = line.rstrip()
            continue
        kept.append(line)
        if line.startswith("(assert"):
            if comment in _PREMISES:
                premises.append(assertions)
            assertions += 1
    return Task.of("".join(kept), tuple(premises))


def _json_values(text: str) -> Iterator[Any]:
    """Why3 prints one JSON value a goal, one after the other."""
    decoder = json.JSONDecoder()
    position = 0
    while brace := text.find("{", position) + 1:
        value, position = decoder.raw_decode(text, brace - 1)
        yield value


def _declared_modules(text: str) -> Iterator[str]:
    """The names of the modules of a file, outside comments and strings."""
    depth = 0
    position = 0
    while match := (_IN_COMMENT if depth else _IN_CODE).search(text, position):
        position = match.end()
        depth += {"(*": 1, "*)": -1}.get(match[0], 0)
        if match["module"]:
            yield match["module"]


_IN_COMMENT = re.compile(r"\(\*\)|\(\*|\*\)|(?P<module>(?!))")
_IN_CODE = re.compile(
    r"""\(\*\) | \(\* | "(?:[^"\\]|\\.)*" | (?<![\w'.])(?:module|theory)\s+(?P<module>\w[\w']*)""",
    re.VERBOSE | re.DOTALL,
)


def _readable(name: str) -> str:
    """An operator as it is written in the source: `infix +'vc` is `(+)'vc`."""
    fixity, space, rest = name.partition(" ")
    if not space or fixity not in {"infix", "prefix", "mixfix"}:
        return name
    symbol, quote, suffix = rest.partition("'")
    return f"({symbol}{'_' if fixity == 'prefix' else ''}){quote}{suffix}"


def _location(path: Path, loc: dict[str, Any] | None) -> Location:
    """Why3 1.5 and Why3 1.8 name the fields differently."""
    loc = loc or {}
    file = loc.get("filename") or loc.get("file-name")
    line = loc.get("line") or loc.get("start-line")
    if not file or not line:  # a goal that Why3 made up, such as one of a generated function
        return Location(str(path), 1, 0)
    return Location(file, line, loc["start-char"])
