"""From a `.mlw` file to its proof obligations: each one a goal with a name and an SMT-LIB text.

Why3 says what a goal is (name, explanation, place) only together with a prover's answer, in its
JSON. So the "prover" it is given here is a recorder that keeps each task and answers nothing.
"""

import hashlib
import json
import re
import subprocess
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sonnx_formal.why3.errors import UserError
from sonnx_formal.why3.installation import Why3, environment
from sonnx_formal.why3.process import dies_with_us

DRIVER = Path(__file__).with_name("smtlib.drv")

# Why3 reads this instead of the user's own configuration.
_CONFIGURATION = """\
[main]
magic = 14
running_provers_max = 1
timelimit = 60
memlimit = 0
[prover]
name = "recorder"
version = "1"
command = "sh '{folder}/record' %f"
driver = "{folder}/smtlib.drv"
"""
_RECORDER = """\
cp "$1" '{folder}/tasks/' && echo "${{1##*/}}" >> '{folder}/order'
"""

# Where only the names of the files count: printing for a prover takes most of an export's time.
_NAMES_DRIVER = 'printer "why3"\nfilename "%f-%t-%g.why"\n'

_UNPROVED = 2  # Why3's exit status when the files are right and a goal is not proved


@dataclass(frozen=True)
class Strategy:
    """The Why3 transformations that are applied to every goal before it is exported."""

    name: str
    transformations: tuple[str, ...]


SPLIT = Strategy("split_vc", ("split_vc",))
INLINE = Strategy("split_vc+inline_goal", ("split_vc", "inline_goal"))
STRATEGIES = {strategy.name: strategy for strategy in (SPLIT, INLINE)}


@dataclass(frozen=True)
class Location:
    """Where Why3 says that a goal comes from. A cloned goal may come from another file."""

    file: str
    line: int
    column: int


@dataclass(frozen=True)
class Task:
    """The SMT-LIB text of one goal, without its comments."""

    text: str = field(repr=False)
    sha256: str

    @staticmethod
    def of(text: str) -> "Task":
        return Task(text, hashlib.sha256(text.encode()).hexdigest())


@dataclass(frozen=True)
class Obligation:
    """One goal of a file, as Why3 exports it."""

    module: str
    name: str
    explanation: str
    location: Location
    task: Task


def export(why3: Why3, path: Path, load_path: tuple[Path, ...], how: Strategy) -> list[Obligation]:
    """The goals of a file in the order of the file.

    Raises `UserError` with Why3's own words when the file has a syntax or type error.
    """
    with tempfile.TemporaryDirectory(prefix="sonnx-formal-") as name:
        run = _Export(why3, path, load_path, how, Path(name))
        run.prepare()
        recorded = run.record()
        modules = run.modules([term["goal_name"] for term, _ in recorded])
    return [
        Obligation(
            module,
            _readable(term["goal_name"]),
            "; ".join(term["explanations"]),
            _location(path, term.get("loc")),
            task,
        )
        for (term, task), module in zip(recorded, modules, strict=True)
    ]


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
        (self.folder / "modules").mkdir()
        (self.folder / "order").touch()
        (self.folder / "record").write_text(_RECORDER.format(folder=self.folder))
        (self.folder / "configuration").write_text(_CONFIGURATION.format(folder=self.folder))
        driver = DRIVER.read_text().replace("@DRIVERS@", str(self.why3.drivers))
        (self.folder / "smtlib.drv").write_text(driver)
        (self.folder / "names.drv").write_text(_NAMES_DRIVER)

    def record(self) -> list[tuple[dict[str, Any], Task]]:
        """What Why3 says about each goal, with the text that it gave to the recorder."""
        said = [
            answer["term"] for answer in _json_values(self._why3_prove("--json", "-P", "recorder"))
        ]
        order = (self.folder / "order").read_text().splitlines()
        texts = [(self.folder / "tasks" / name).read_text() for name in order]
        if len(said) != len(texts):
            raise self._misread(f"{len(said)} answers for {len(texts)} tasks")
        for term, text in zip(said, texts, strict=True):
            goal = term["goal_name"]
            if not re.search(rf'^;; Goal "?{re.escape(goal)}"?$', text, re.MULTILINE):
                raise self._misread(f"the task recorded for {goal} is another goal's")
        return [(term, _task(text)) for term, text in zip(said, texts, strict=True)]

    def modules(self, goals: list[str]) -> list[str]:
        """The module of each goal.

        Why3 tells it only in the names of the files that `-o` writes. Both runs go through the
        modules in the order of the file, so the number of goals of each module tells where the
        next one begins; that the names agree is checked.
        """
        output = self.folder / "modules"
        self._why3_prove("-D", str(self.folder / "names.drv"), "-o", str(output))
        names: dict[str, Counter[str]] = defaultdict(Counter)
        for file in output.iterdir():
            _, module, goal = file.stem.split("-")
            names[module][_plain(goal)] += 1

        modules: list[str] = []
        source = self.path.read_text(errors="replace")
        for module in list(_declared_modules(source)) or ["Top"]:
            wanted = names.pop(module.replace("'", "qt"), Counter())
            start = len(modules)
            modules += [module] * wanted.total()
            # What is left over are operators, whose names Why3 spells out in its own way.
            found = Counter(_plain(goal) for goal in goals[start : len(modules)] if " " not in goal)
            if found - wanted:
                raise self._misread(f"the goals of module {module} are not where they should be")
        if names or len(modules) != len(goals):
            raise self._misread(f"{len(goals)} goals, of which {len(modules)} in known modules")
        return modules

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

    def _misread(self, what: str) -> UserError:
        return UserError(f"{self.path}: internal error, its export is inconsistent: {what}")


def _task(text: str) -> Task:
    """Comments carry paths and line numbers: without them a task changes only with its meaning."""
    return Task.of("".join(s for s in text.splitlines(keepends=True) if not s.startswith(";")))


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


def _plain(goal: str) -> str:
    """A goal's name as it is in a file's name, without the number that makes that one unique."""
    return goal.replace("'", "qt").rstrip("0123456789")


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
