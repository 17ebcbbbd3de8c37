"""From a `.mlw` file to its proof obligations: each one a goal with a name and an SMT-LIB text.

Why3 is called with a configuration of ours, and a driver that writes SMT-LIB. It writes the texts,
and in the names of their files the modules. What it says of a goal (explanation, place) it says
only together with a prover's answer, in its JSON: for that there is a second run, with a "prover"
that answers nothing.
"""

import hashlib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import pairwise
from pathlib import Path
from signal import SIGXCPU
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from msgspec import Meta

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import run
from sonnx_formal.prover.installation import Why3, environment
from sonnx_formal.prover.whyml import tokenize

DRIVER = Path(__file__).with_name("smtlib.drv")
TRANSFORMATION = "split_vc"
"""What Why3 does to a goal to split it into pieces."""

# What Why3 reads instead of the user's own configuration. Nobody reads the text that this prover is
# given, so it is the one that takes Why3 least time.
_FILES = {
    "configuration": """\
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
""",
    "nobody.drv": 'printer "why3"\n',
}
_SPLIT = ("-a", TRANSFORMATION)
_UNPROVED = 2  # Why3's exit status when the files are right and a goal is not proved
_GOAL = "\n;; Goal "  # before its name, in quotes by Why3 1.8
_OPERATOR = re.compile(r"\((\W+?)(_?)\)(.*)")
_PREMISES = {"; Requires", "; H"}  # how Why3 names what it moves from the goal to its hypotheses


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

    @property
    def is_true(self) -> bool:
        """Whether Why3 itself has made `true` of what is to be shown."""
        return self.text.rpartition("(assert")[2].split()[:2] == ["(not", "true))"]


class Obligation(Part, frozen=True):
    """One goal of a file, as Why3 exports it."""

    module: str
    name: str
    explanation: str
    location: Location
    task: Task


class GoalForm(Enum):
    """What is asked of Why3 about the goals of a file."""

    DESCRIBED = "described"
    """Pieces, and what Why3 says of each, which takes a run more."""
    SPLIT = "split"
    """Pieces without an explanation, placed at the beginning of the file, and those of a module in
    the order of their names."""
    UNSPLIT = "unsplit"
    """Goals as they are, likewise."""


Chosen = tuple[str, str]
"""Module and name of a goal; without a name, all goals of the module."""


def driver_sha256() -> str:
    """Of the driver, which decides how a goal is worded."""
    return hashlib.sha256(DRIVER.read_bytes()).hexdigest()


class Exporter:
    """Calls Why3 on files, from a folder that holds what Why3 needs."""

    def __init__(self, why3: Why3, folder: Path, load_path: Sequence[Path]) -> None:
        self._why3 = why3
        self._folder = folder
        self._load_path = load_path
        driver = DRIVER.read_text().replace("@DRIVERS@", str(why3.drivers))
        for name, text in {**_FILES, "smtlib.drv": driver}.items():
            (folder / name).write_text(text.replace("{folder}", str(folder)))

    def said(self, path: Path) -> list[dict[str, Any]]:
        """What Why3 says about each goal, in the order of the file. Raises `UserError`."""
        text = self._prove([str(path)], [*_SPLIT, "--json", "-P", "nobody"])
        decoder = json.JSONDecoder()
        found, position = [], 0
        while brace := text.find("{", position) + 1:
            value, position = decoder.raw_decode(text, brace - 1)
            found.append(value["term"])
        return found

    def tasks(
        self,
        path: Path,
        chosen: Sequence[Chosen] = (),
        cpu_seconds: int | None = None,
        *,
        split: bool = True,
    ) -> Iterator[tuple[str, str, Task]]:
        """Module (as in names of files), goal, and task of each.

        :param chosen: the goals that are wanted, a name as often as it is theirs; none for all.
        :param split: whether the tasks are of the pieces of goals, or of goals as they are.
        :param cpu_seconds: what Why3 may take of the processor.
        :raises UserError: with Why3's own words, or when it takes longer.
        """
        # By its name, Why3 finds one of several goals. Asked for a whole module, too, it writes
        # those twice that are named besides.
        whole = {module for (module, _name), times in Counter(chosen).items() if times > 1}
        asked = [(module, "" if module in whole else name) for module, name in chosen]
        with TemporaryDirectory(dir=self._folder) as output:
            options = [*(_SPLIT if split else ()), "-D", str(self._folder / "smtlib.drv")]
            options += ["-o", output]
            try:
                self._prove([str(path), *_options([*dict.fromkeys(asked)])], options, cpu_seconds)
            except UserError:
                if not any(name for _module, name in chosen):
                    raise
                # Why3 does not find a goal of a clone in a scope of its own: all of its module.
                modules = dict.fromkeys((module, "") for module, _name in chosen)
                self._prove([str(path), *_options([*modules])], options, cpu_seconds)
            wanted = {(_in_files(module), _raw(name)) for module, name in chosen}
            for file in _in_order(Path(output)):
                text = file.read_text()
                _, found, rest = text.rpartition(_GOAL)
                if not found:
                    raise UserError(f"{path}: internal error: a task without the name of its goal")
                module, name = file.stem.split("-")[1], rest.partition("\n")[0].strip('"')
                if not wanted or wanted & {(module, name), (module, "")}:
                    yield module, name, _task(text)

    def readable(self, path: Path, goal: Chosen) -> list[str]:
        """The tasks of the pieces of a goal as Why3 writes them. Raises `UserError`."""
        with TemporaryDirectory(dir=self._folder) as output:
            options = [*_SPLIT, "-D", str(self._folder / "nobody.drv"), "-o", output]
            self._prove([str(path), *_options([goal])], options)
            return [file.read_text() for file in _in_order(Path(output))]

    def _prove(self, what: list[str], options: list[str], cpu_seconds: int | None = None) -> str:
        command = [self._why3.path, "prove", *options]
        command += ["-C", str(self._folder / "configuration")]
        command += [word for folder in self._load_path for word in ("-L", str(folder))]
        done = run(
            [*command, *what],
            environment=environment() | {"TMPDIR": str(self._folder)},
            cpu_seconds=cpu_seconds,
        )
        if done.returncode == -SIGXCPU:
            raise UserError(f"{what[0]}: Why3 took more than {cpu_seconds} s of the processor")
        if done.returncode not in {0, _UNPROVED}:
            said = done.stderr.strip() or f"why3 ended with {done.returncode}"
            raise UserError(said if what[0] in said else f"{what[0]}: {said}")
        return done.stdout


def export(  # noqa: PLR0913, PLR0917 (what Why3 is asked for)
    why3: Why3,
    path: Path,
    load_path: tuple[Path, ...],
    form: GoalForm,
    chosen: Sequence[Chosen] = (),
    optional: Sequence[Chosen] = (),
) -> list[Obligation]:
    """The goals of a file in the order of the file.

    :param chosen: the goals that are wanted; none for all. They must not be described.
    :param optional: those of the chosen that have no pieces if nothing of them is to be shown.
    :raises UserError: with Why3's own words when the file has a syntax or type error.
    """
    written: dict[str, dict[str, list[Task]]] = defaultdict(lambda: defaultdict(list))
    with TemporaryDirectory(prefix="sonnx-formal-") as folder:
        exporter = Exporter(why3, Path(folder), load_path)
        said = exporter.said(path) if form is GoalForm.DESCRIBED else None
        exported = list(exporter.tasks(path, chosen, split=form is not GoalForm.UNSPLIT))
    for module, name, task in exported:
        written[module][name].append(task)
    for (module, name), times in (Counter(chosen) - Counter(optional)).items():
        if len(written[_in_files(module)][_raw(name)]) < times:
            # Where every case of a goal is true, Why3 has no pieces of it: the whole file tells.
            whole = export(why3, path, load_path, form)
            return [each for each in whole if (each.module, each.name) in chosen]
    words = (token.text for token in tokenize(path.read_text(errors="replace")))
    modules = [name for before, name in pairwise(words) if before in {"module", "theory"}] or [
        "Top"
    ]
    found, start = [], 0
    # Both runs go through the modules in the order of the file, so the number of tasks of each
    # module tells where in what Why3 says the next one begins.
    for module in modules:
        tasks = written.pop(_in_files(module), {})
        here: list[dict[str, Any]]
        here = [{"goal_name": name} for name, pieces in tasks.items() for _ in pieces]
        end = start + len(here)
        for goal in here if said is None else said[start:end]:
            name = goal["goal_name"]
            if not tasks.get(name):
                raise _inconsistent(path, f"no task of module {module} for goal {name}")
            explanation = "; ".join(goal.get("explanations", ()))
            place = _location(path, goal.get("loc"))
            task = tasks[name].pop(0)
            found.append(Obligation(module, _readable(name), explanation, place, task))
        start = end
    expected = len(exported if said is None else said)
    if written or start != expected:
        raise _inconsistent(path, f"{start} tasks in known modules for {expected} goals")
    return found


def _in_order(folder: Path) -> list[Path]:
    """Of several pieces of a goal, Why3 numbers the files: a longer number is a greater one."""
    return sorted(folder.iterdir(), key=lambda file: (len(file.name), file.name))


def _options(chosen: Sequence[Chosen]) -> list[str]:
    """As Why3's options say it."""
    words = []
    for module, name in chosen:
        words += ["-T", module, *(["-G", _raw(name)] if name else [])]
    return words


def _in_files(module: str) -> str:
    """How Why3 writes a module in names of files."""
    return module.replace("'", "qt")


def _inconsistent(path: Path, why: str) -> UserError:
    return UserError(f"{path}: internal error, its export is inconsistent: {why}")


def _task(text: str) -> Task:
    """The task in what Why3 wrote, without the comments.

    These carry paths and line numbers: without them a task changes only with its meaning.
    """
    before, *parts = f"\n{text}".split("\n;")
    kept, premises, assertions = [before], list[int](), 0
    for part in parts:
        comment, _, rest = part.partition("\n")
        if not rest:
            continue
        kept.append(rest)
        count = f"\n{rest}".count("\n(assert")
        if comment.rstrip().replace('"', "") in _PREMISES:  # Why3 1.8 has names in quotes
            premises += range(assertions, assertions + count)
        assertions += count
    return Task.of("\n".join(kept)[1:], tuple(premises))


def _readable(name: str) -> str:
    """An operator as it is written in the source: `infix +'vc` is `(+)'vc`."""
    fixity, space, rest = name.partition(" ")
    if not space or fixity not in {"infix", "prefix", "mixfix"}:
        return name
    symbol, quote, suffix = rest.partition("'")
    return f"({symbol}{'_' if fixity == 'prefix' else ''}){quote}{suffix}"


def _raw(name: str) -> str:
    """The opposite of `_readable`."""
    match = _OPERATOR.match(name)
    if not match:
        return name
    symbol, prefix, suffix = match.groups()
    fixity = "prefix" if prefix else "mixfix" if symbol.startswith("[") else "infix"
    return f"{fixity} {symbol}{suffix}"


def _location(path: Path, loc: dict[str, Any] | None) -> Location:
    """Why3 1.5 and Why3 1.8 name the fields differently."""
    loc = loc or {}
    file = loc.get("filename") or loc.get("file-name")
    line = loc.get("line") or loc.get("start-line")
    if not file or not line:  # a goal that Why3 made up, such as one of a generated function
        return Location(str(path), 1, 0)
    return Location(file, line, loc["start-char"])
