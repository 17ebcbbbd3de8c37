"""A Dask cluster as a site: jobs go out, answers come back and are looked at.

Whatever is asked waits in Dask's event loop, each job a coroutine of its own. A job whose worker
dies is done by another. Nobody waits for ever: without a worker, or without the scheduler, the run
ends with what is finished.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from concurrent.futures import Future as Result
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar
from uuid import uuid4

from distributed import Client, Future
from distributed.comm.addressing import parse_address, parse_host_port
from distributed.comm.registry import get_backend
from distributed.scheduler import KilledWorker

from sonnx_formal.cluster.jobs import (
    Ended,
    ExportJob,
    GivenTasks,
    Job,
    JobAnswer,
    ProgramJob,
    believed,
    encoded,
)
from sonnx_formal.cluster.worker import EndOfUnwanted, perform
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.site import Export, Exported, ProgramCall
from sonnx_formal.prover.tasks import Task

# What of it concerns the user is said by `UserError`, in a line.
for _logger in ("distributed", "distributed.client"):
    logging.getLogger(_logger).setLevel(logging.CRITICAL)

_CONNECT_SECONDS = 10
_ALONE_SECONDS = 5
"""After which it is said that there is no worker."""
_PATIENCE_SECONDS = 60
"""After which nobody waits for one any more."""
_DEATHS = 8
"""How often Dask may give up a job, each time after several workers died with it."""
_CLOSE_SECONDS = 2
_KILLED = ProcessEnd("", "", 0, 0.0, timed_out=False, cancelled=True)

_End = TypeVar("_End", ProcessEnd, Exported)


@dataclass(frozen=True, eq=False)
class _Asked(Generic[_End]):
    """A job under way."""

    result: "Result[_End]"
    cancelled: _End

    def kill(self) -> None:
        self.result.cancel()

    def wait(self) -> _End:
        try:
            return self.result.result()
        except CancelledError:
            return self.cancelled


class Cluster:
    """The workers behind a scheduler."""

    def __init__(self, address: str, progress: Progress) -> None:
        """Raises `UserError` when no scheduler or no worker answers, or one lacks this package."""
        self._address = address
        self._progress = progress
        self.elsewhere: Counter[str] = Counter()
        self._alone_since: float | None = None
        self._said_alone = False
        progress(f"connecting with {address}")
        try:
            scheme, place = parse_address(address)
            get_backend(scheme)
            parse_host_port(place)  # a client of what is no address takes long to give up
            self._client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError) as error:  # a time-out is the former
            raise UserError(
                f"no Dask scheduler answers at {address} ({error}): start one with `dask scheduler`"
            ) from None
        try:
            assert self._client.loop
            # Of each kind of loop that there is, though not of their common type.
            self._loop: asyncio.AbstractEventLoop = self._client.loop.asyncio_loop  # type: ignore[attr-defined]
            self.width = 2 * self._threads()  # the next job is there when a worker ends one
            self._client.register_plugin(EndOfUnwanted())
        except ImportError as error:
            self.close()
            raise UserError(
                f"a worker at {address} lacks sonnx-formal ({error}): install it there"
            ) from None
        except BaseException:
            self.close()
            raise

    def _threads(self) -> int:
        """How many jobs the workers do at a time. Raises `UserError` when none comes."""
        self._progress(f"waiting for workers at {self._address}")
        deadline = time.monotonic() + _CONNECT_SECONDS
        while time.monotonic() < deadline:
            if threads := self._client.scheduler_info()["total_threads"]:
                return int(threads)
            time.sleep(0.2)
        raise UserError(self._no_worker(_CONNECT_SECONDS))

    def _no_worker(self, seconds: float) -> str:
        return (
            f"no worker at {self._address} for {seconds:.0f} s: "
            f"start some with `dask worker {self._address}`, and run it again"
        )

    def start(self, call: ProgramCall) -> _Asked[ProcessEnd]:
        return _Asked(self._run(self._called(ProgramJob.of(call))), _KILLED)

    def export(self, export: Export) -> _Asked[Exported]:
        return _Asked(self._run(self._exported(ExportJob.of(export))), Exported(cancelled=True))

    def close(self) -> None:
        """Leave the cluster, and say who did how much."""
        with suppress(TimeoutError, OSError):
            self._client.close(_CLOSE_SECONDS)
        for worker, jobs in sorted(self.elsewhere.items()):
            self._progress.warn(f"worker {worker}: {jobs} jobs")

    def _run(self, work: Coroutine[Any, Any, _End]) -> "Result[_End]":
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _called(self, job: ProgramJob) -> ProcessEnd:
        answer = await self._answer(job)
        assert isinstance(answer.result, Ended)
        return replace(answer.result.end, worker=answer.worker)

    async def _exported(self, job: ExportJob) -> Exported:
        given = (await self._answer(job)).result
        assert isinstance(given, GivenTasks)
        tasks = ((t.module, t.goal, Task.of(t.text, t.premises)) for t in given.tasks)
        return Exported(tuple(tasks), given.rejected)

    async def _answer(self, job: Job) -> JobAnswer:
        message = encoded(job)
        for _ in range(_DEATHS):
            with suppress(KilledWorker):
                answer = believed(job, message, await self._said(job, message))
                if not (isinstance(answer.result, Ended) and answer.result.end.cancelled):
                    self.elsewhere[answer.worker] += 1
                    return answer
        raise UserError(
            f"workers at {self._address} die again and again while they do a job of {job.program}: "
            "see why in their logs"
        )

    async def _said(self, job: Job, message: bytes) -> bytes:
        # A key of its own: a job that is asked for again is done again.
        key = f"{job.program.replace(' ', '_')}-{uuid4()}"
        future = self._client.submit(perform, message, key=key, pure=False)
        waiting = asyncio.ensure_future(_result(future))
        try:
            while not (await asyncio.wait({waiting}, timeout=1))[0]:
                self._look_for_workers()
            return waiting.result()
        except CancelledError:  # Dask's, when it has lost what it was to do
            raise UserError(
                f"the scheduler at {self._address} has gone: start it, and run this again"
            ) from None
        finally:
            waiting.cancel()
            future.release()

    def _look_for_workers(self) -> None:
        """Say that there is none, and give up in the end. Raises `UserError`."""
        if self._client.scheduler_info()["total_threads"]:  # known since a second or two
            self._alone_since = None
            return
        now = time.monotonic()
        self._alone_since = self._alone_since or now
        alone = now - self._alone_since
        if alone > _PATIENCE_SECONDS:
            raise UserError(self._no_worker(_PATIENCE_SECONDS))
        if alone > _ALONE_SECONDS and not self._said_alone:
            self._said_alone = True
            self._progress.warn(f"no worker at {self._address}: waiting for one")


async def _result(future: "Future[bytes]") -> bytes:
    return bytes(await future)
