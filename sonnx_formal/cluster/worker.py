"""What a worker does: the jobs that it is given, each by the programs of its machine."""

import threading
from collections.abc import Callable
from functools import cache
from typing import Any, assert_never

import msgspec
from distributed import WorkerPlugin, get_worker

from sonnx_formal.cluster.jobs import (
    Ended,
    ExportJob,
    GivenTask,
    GivenTasks,
    Job,
    JobAnswer,
    ProgramJob,
    RefusedJob,
    digest,
    encoded,
    package_version,
)
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import Process
from sonnx_formal.evidence.certify import find_checker, proof_program
from sonnx_formal.prover.installation import Why3, find_why3
from sonnx_formal.prover.provers import find_provers
from sonnx_formal.prover.site import Export, Program, ProgramCall, export_here, start_here


def perform(message: bytes) -> bytes:
    """Do a job, and answer: the only thing that a worker is asked to run."""
    worker = get_worker()
    task = _Task()
    key = str(worker.get_current_task())
    _tasks[key] = task
    try:
        return encoded(answered(message, worker.address, task.began))
    finally:
        del _tasks[key]


def answered(message: bytes, worker: str, began: Callable[[Process], None]) -> JobAnswer:
    """Do a job.

    :param began: is told of the process that does it.
    """
    job: Job = msgspec.json.decode(message, type=Job)
    version = ""
    result: Ended | GivenTasks | RefusedJob = RefusedJob(
        f"it does no job of {job.program} {job.version}"
    )
    try:
        match job:
            case ProgramJob():
                program = programs().get(job.program)
                version = program.version if program else ""
                if program and version == job.version:
                    process = start_here(ProgramCall(program, job.options, job.text, job.seconds))
                    began(process)
                    result = Ended(process.wait())
            case ExportJob():
                why3 = the_why3()
                version = why3.version
                if version == job.version:
                    result = _exported(Export(why3, job.file, job.texts, job.chosen, job.split))
            case _:
                assert_never(job)
    except UserError as error:
        result = RefusedJob(str(error))
    return JobAnswer(
        job=digest(message),
        worker=worker,
        package=package_version(),
        version=version,
        result=result,
    )


def _exported(export: Export) -> GivenTasks:
    found = export_here(export)
    tasks = (GivenTask(module, goal, t.text, t.premises) for module, goal, t in found.tasks)
    return GivenTasks(tuple(tasks), found.rejected)


@cache
def programs() -> dict[str, Program]:
    """The programs of this machine that answer texts, by name."""
    provers = find_provers()
    found = [prover.program for prover in provers]
    found += [proof_program(p.version, find_checker()) for p in provers if p.name == "cvc5"]
    return {program.name: program for program in found}


@cache
def the_why3() -> Why3:
    """That of this machine. Raises `UserError`."""
    return find_why3()


class _Task:
    """A job that is done in a thread, and may be ended by another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: Process | None = None
        self._unwanted = False

    def began(self, process: Process) -> None:
        with self._lock:
            self._process = process
            if self._unwanted:
                process.kill()

    def end(self) -> None:
        with self._lock:
            self._unwanted = True
            if self._process:
                self._process.kill()


_tasks: dict[str, _Task] = {}
"""What is being done, by Dask's key of it."""


class EndOfUnwanted(WorkerPlugin):
    """Ends what nobody waits for any more: its client has gone, or knows enough.

    Dask itself lets a function run to its end.
    """

    name = "sonnx-formal"
    idempotent = True

    def transition(self, key: Any, start: str, finish: str, **_: Any) -> None:
        if (start, finish) == ("executing", "released") and (task := _tasks.get(str(key))):
            task.end()
