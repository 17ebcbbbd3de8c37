"""How the documents of a report are made: what is taken over, what each step takes, and the run."""

import shlex
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from rich.console import Console

from sonnx_formal.core import documents
from sonnx_formal.core.documents import Document
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import names_in
from sonnx_formal.core.terminal import Progress, say
from sonnx_formal.prover.document import ProofReport
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.provers import find_provers
from sonnx_formal.prover.sources import library_sha256
from sonnx_formal.report.documents import GIVEN_KINDS, KINDS, PROVE, VECTORS, DocumentKind
from sonnx_formal.report.gaps import not_anew
from sonnx_formal.report.side_by_side import Command, CommandEnd, run_all, span
from sonnx_formal.report.tables import StepDuration
from sonnx_formal.spec.catalogue import instances
from sonnx_formal.vectors.manifest import NAME as MANIFEST
from sonnx_formal.vectors.manifest import file_name

DURATIONS = "durations.json"
PAGES = "pages"
"""The step that comes after the documents: the report itself."""
_FAMILIES = 2
_WIDTH = 14


class Durations(Document, frozen=True, tag="sonnx-formal/durations/1"):
    """How long the steps of a report took here when they ran last: no evidence, and not in it."""

    command = "report"

    seconds: dict[str, float]


class TakenProofs(NamedTuple):
    """Proofs of an earlier run."""

    path: Path
    made: str
    """How, in words."""


def proofs_to_take(given: Path | None, folder: Path, library: Path) -> TakenProofs | str:
    """Proofs that hold for what is here as a new replay would find them; or why there are none.

    :param given: a document of `prove`; None: that of an earlier report in the folder, if any.
    :raises UserError: when the given one does not hold.
    """
    path = given or folder / f"{PROVE}.json"
    if given is None and not path.exists():
        return "there are no proofs of an earlier run"
    try:
        found = documents.read(path, ProofReport)
        reasons = [*_other_circumstances(found, library)]
    except UserError as error:
        if given:
            raise
        return str(error)
    if not reasons:
        return TakenProofs(path, str(found.made))
    if given:
        raise UserError(f"{path} cannot be taken over: {reasons[0]}: run it without --proofs")
    return f"{path}: {reasons[0]}"


def _other_circumstances(found: ProofReport, library: Path) -> Iterator[str]:
    """How a run was of something else than what is here, or is none that counts. `UserError`."""
    yield from not_anew(found.made)
    if found.made.library_sha256 != library_sha256(library):
        yield "it is of other formal sources"
    if found.made.version != (here := version("sonnx-formal")):
        yield f"made by sonnx-formal {found.made.version}, and here is {here}"
    if found.made.families != _FAMILIES:
        yield f"{_FAMILIES} families of provers were not asked for"
    if found.why3 != (here := find_why3().version):
        yield f"made with Why3 {found.why3}, and here is {here}"
    theirs = {(each.name, each.version) for each in found.provers}
    if others := theirs ^ {(each.name, each.version) for each in find_provers()}:
        yield f"made with other provers than those here: {' '.join(min(others))}"
    if found.summary.interrupted or found.summary.disagreement:
        yield "it was interrupted, or provers contradict each other"


def outlook(
    folder: Path, taken: TakenProofs | str, reference: Sequence[StepDuration]
) -> Iterator[str]:
    """What each step takes, as far as anybody knows, and from where that is known."""
    recorded = _recorded(folder)
    measured = {each.step: each.seconds for each in reference}
    known, unknown = dict[str, float](), []
    yield "What this takes:"
    made = _commands((kind for kind in KINDS if not kind.is_given), folder)
    for step in (*made, PAGES):
        if step == PROVE and isinstance(taken, TakenProofs):
            yield _line(step, "nothing", f"taken over from {taken.path}: {taken.made}")
            continue
        seconds, source = recorded.get(step), "when it ran last here"
        if seconds is None:
            seconds, source = measured.get(step), "as measured on another machine, with 2 cores"
        if seconds is None:
            unknown.append(step)
            yield _line(step, "?", "not known: it was never measured here")
        else:
            known[step] = seconds
            yield _line(step, _spoken(seconds), source)
        if step == PROVE and isinstance(taken, str):
            yield f"{'':{_WIDTH}}made anew: {taken}"
    for kind in GIVEN_KINDS:
        if (folder / kind.path()).exists():
            yield _line(kind.name, "nothing", f"taken over from {folder / kind.path()}")
        else:
            yield _line(
                kind.name, "nothing", f"not there, and left out: {shlex.join(kind.command(folder))}"
            )
    more = f", and what is not known: {', '.join(unknown)}" if unknown else ""
    alone = known.get(PROVE, 0) + known.get(PAGES, 0)
    beside = span([each for name, each in made.items() if name != PROVE], known)
    yield f"all in all {_spoken(alone + beside)}, two at a time{more}"


def _line(step: str, time_: str, source: str) -> str:
    return f"  {step:{_WIDTH - 2}}{time_:>8}  {source}"


def _spoken(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"  # noqa: PLR2004


def _recorded(folder: Path) -> Mapping[str, float]:
    """An estimate must not be in the way of the work: what cannot be read is not known."""
    try:
        return documents.read(folder / DURATIONS, Durations).seconds
    except UserError:
        return {}


def record(folder: Path, seconds: Mapping[str, float]) -> None:
    """Keep how long steps took, for the next time. Raises `UserError` when it cannot be written."""
    rounded = {step: round(taken, 1) for step, taken in seconds.items()}
    documents.write(folder / DURATIONS, Durations({**_recorded(folder), **rounded}))


def collect(folder: Path, taken: TakenProofs | str, console: Console, progress: Progress) -> None:
    """Run each command, but take over proofs that hold; what is not written is missing.

    All is written beside the folder, and takes its place there when the last command has ended: an
    old document is no evidence then, but it is there until then.

    :raises UserError: when something else is in the folder's place, or it cannot be written; or a
        document that is given is none.
    :raises KeyboardInterrupt: when a command was interrupted; then all is as before.
    """
    kinds = {kind.name: kind for kind in KINDS if not kind.is_given}
    names = [kind.path().parts[0] for kind in kinds.values()]
    files = {MANIFEST, *map(file_name, instances())}
    if (folder / VECTORS).exists() and (others := names_in(folder / VECTORS) - files):
        raise UserError(f"{folder / VECTORS} has something else in it ({min(others)}): move that")
    for kind in GIVEN_KINDS:  # which stay as they are: before the work, not after
        if (folder / kind.path()).exists():
            documents.read(folder / kind.path(), kind.type)
    seconds = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
            new, old = Path(scratch) / "new", Path(scratch) / "old"
            for each in (new, old):
                each.mkdir()

            def over(ended: CommandEnd) -> None:
                kind = kinds[ended.name]
                progress.pause()
                if ended.said:  # where a document is, by the name that it will have
                    say(console, ended.said.rstrip().replace(str(new), str(folder)))
                if (new / kind.path()).is_file():
                    seconds[kind.name] = ended.seconds
                else:
                    why = f"not written (exit code {ended.code}): missing from the report"
                    say(console, f"{kind.name}: {why}", style="bold")

            commands = _commands(kinds.values(), new)
            if isinstance(taken, TakenProofs):
                shutil.copyfile(taken.path, new / kinds[PROVE].path())
            elif PROVE in kinds:  # it takes all cores, and a while: it says itself how far it is
                run_all([commands[PROVE]], over, shown=True)
            rest = [each for name, each in commands.items() if name != PROVE]
            run_all(rest, over, lambda running: progress("making the documents", running))
            for name in names:
                if (folder / name).exists():
                    (folder / name).rename(old / name)
                if (new / name).exists():
                    (new / name).rename(folder / name)
    except OSError as error:
        raise UserError(f"{error.filename or folder}: {error.strerror}") from None
    record(folder, seconds)


def _commands(kinds: Iterable[DocumentKind], folder: Path) -> dict[str, Command]:
    """What makes the documents in a folder, by their names."""
    return {
        kind.name: Command(kind.name, tuple(kind.command(folder)[1:]), frozenset(kind.reads))
        for kind in kinds
    }
