"""What goes to a worker and what comes back: texts. A job is named by the digest of its text.

The answer to a job names the digest of what arrived and the versions that answered. Whoever asked
looks at these before it believes anything.
"""

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

import msgspec

from sonnx_formal.core.documents import Part, Sha256
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.prover.site import Export, ProgramCall
from sonnx_formal.prover.tasks import Chosen

WHY3 = "why3"
_PACKAGE = Path(__file__).parents[1]
_FOLDERS = ("cluster", "core", "evidence", "prover")
_SHOWN = 12
"""Characters of a digest in a message."""


class ProgramJob(Part, frozen=True, tag="program"):
    """A program on a text."""

    program: str
    version: str
    options: tuple[str, ...]
    text: str
    seconds: int
    """Of CPU time."""

    @staticmethod
    def of(call: ProgramCall) -> "ProgramJob":
        program = call.program
        return ProgramJob(program.name, program.version, call.options, call.text, call.seconds)


class ExportJob(Part, frozen=True, tag="export"):
    """Why3 on files."""

    version: str
    file: str
    texts: dict[str, str]
    chosen: tuple[Chosen, ...]
    split: bool
    program = WHY3

    @staticmethod
    def of(export: Export) -> "ExportJob":
        texts = dict(export.texts)
        return ExportJob(export.why3.version, export.file, texts, export.chosen, export.split)


Job = ProgramJob | ExportJob


class Ended(Part, frozen=True, tag="ended"):
    """How the program ended."""

    end: ProcessEnd


class GivenTask(Part, frozen=True):
    """A task that Why3 wrote. Its digest is found out by whoever receives it."""

    module: str
    goal: str
    text: str
    premises: tuple[int, ...]


class GivenTasks(Part, frozen=True, tag="tasks"):
    """What Why3 wrote."""

    tasks: tuple[GivenTask, ...]
    rejected: str


class RefusedJob(Part, frozen=True, tag="refused"):
    """Why the worker did not do it."""

    why: str


class JobAnswer(Part, frozen=True, kw_only=True):
    """An answer, what it is about, and who gives it."""

    job: Sha256
    worker: str
    """Its address."""
    package: str
    """Its sonnx-formal, as `package_version` says."""
    version: str
    """Of the program that answers, or would have; empty: it is not there."""
    result: Ended | GivenTasks | RefusedJob


def encoded(part: Part) -> bytes:
    return msgspec.json.encode(part)


def digest(message: bytes) -> str:
    return hashlib.sha256(message).hexdigest()


@cache
def package_version() -> str:
    """The version of this package, and the digest of the code that runs on workers."""
    files = {
        path.relative_to(_PACKAGE).as_posix(): path.read_bytes()
        for folder in _FOLDERS
        for path in (_PACKAGE / folder).rglob("*")
        if path.suffix in {".py", ".drv"}
    }
    parts = (f"{name} {digest(content)}" for name, content in sorted(files.items()))
    return f"{version('sonnx-formal')} ({digest(' '.join(parts).encode())[:_SHOWN]})"


def believed(job: Job, message: bytes, said: bytes) -> JobAnswer:
    """The answer to a job, if it is one, by a worker like this machine.

    :param message: the job as it was sent.
    :raises UserError: when it is not; with what to do about this worker.
    """
    try:
        answer = msgspec.json.decode(said, type=JobAnswer)
    except msgspec.DecodeError as error:
        raise UserError(f"a worker does not answer as sonnx-formal does: {error}") from None
    who = f"worker {answer.worker}"
    if answer.package != package_version():
        raise UserError(
            f"{who} is refused: it has sonnx-formal {answer.package}, and here is "
            f"{package_version()}: install the same on both, or stop this worker"
        )
    if answer.version != job.version:
        found = f"{job.program} {answer.version}" if answer.version else f"no {job.program}"
        raise UserError(
            f"{who} is refused: it has {found}, and here is {job.version}: "
            "install the same on both, or stop this worker"
        )
    if answer.job != digest(message):
        raise UserError(
            f"{who} answers about {answer.job[:_SHOWN]}, and was asked about "
            f"{digest(message)[:_SHOWN]}: nothing that it says is to be believed: "
            "stop this worker, and run again with --fresh"
        )
    if isinstance(answer.result, RefusedJob):
        raise UserError(f"{who}: {answer.result.why}")
    return answer
