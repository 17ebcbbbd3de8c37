"""From a `.mlw` file to its proof obligations: each one a goal with a name and an SMT-LIB text.

Why3 writes the texts, and in the names of their files the modules. What it says of a goal
(explanation, place) it says only together with a prover's answer, in its JSON: for that there is a
second run, with a "prover" that answers nothing.
"""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from msgspec import Meta

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.exporter import Exporter
from sonnx_formal.prover.installation import Why3


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
    with TemporaryDirectory(prefix="sonnx-formal-") as folder:
        exporter = Exporter(why3, Path(folder), load_path)
        said = _json_values(exporter.said(path, how.transformations)) if described else None
        written: _Tasks = defaultdict(lambda: defaultdict(list))
        for module, name, text in exporter.texts(path, how.transformations):
            written[module][name].append(task_of(text))
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


def task_of(text: str) -> Task:
    """The task in what Why3 wrote, without the comments.

    These carry paths and line numbers: without them a task changes only with its meaning.
    """
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


def _json_values(text: str) -> list[dict[str, Any]]:
    """What Why3 says about each goal, in the order of the file."""
    decoder = json.JSONDecoder()
    found, position = [], 0
    while brace := text.find("{", position) + 1:
        value, position = decoder.raw_decode(text, brace - 1)
        found.append(value["term"])
    return found


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
