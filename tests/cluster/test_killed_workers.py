"""Workers are killed at random moments: nothing is lost, nothing that is finished is repeated."""

import asyncio
import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

import pytest
from distributed import Future
from rich.console import Console

from sonnx_formal.cluster import client
from sonnx_formal.cluster.connection import cluster_at
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.certificate import certificate_path
from sonnx_formal.prover.provenance import Mode
from sonnx_formal.prover.provers import Answer, Prover, answer
from sonnx_formal.prover.site import Export, Exported, ProgramCall, Running, Site
from sonnx_formal.prover.tasks import Task
from tests.cluster.conftest import LIMITS, PROVED, TASK, Machines, local_cluster, wait_for
from tests.prover.fakes import Workshop

pytestmark = pytest.mark.long

GOALS = 300
KILLS = 20
SECONDS = 120
RESULT = client._result
SETPRIV = """\
#!/bin/sh
case "$*" in *--version*) ;; *)
    parent=$PPID
    if mkdir {folder}/once 2>/dev/null; then
        kill -9 $parent
        while kill -0 $parent 2>/dev/null; do sleep 0.02; done
    fi
esac
exec {setpriv} "$@"
"""
TEXT = "module M use int.Int {} end".format(
    " ".join(f"goal g{n}: {n} + 1 = {n + 1}" for n in range(GOALS))
)


@dataclass(frozen=True)
class Watched:
    """A site of which is known when each task was finished."""

    site: Site
    finished: dict[str, float] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return self.site.width

    @property
    def elsewhere(self) -> Mapping[str, int]:
        return self.site.elsewhere

    def start(self, call: ProgramCall) -> "WatchedCall":
        return WatchedCall(self.site.start(call), Task.of(call.text).sha256, self.finished)

    def export(self, export: Export) -> Running[Exported]:
        return self.site.export(export)


@dataclass(frozen=True, eq=False)
class WatchedCall:
    running: Running[ProcessEnd]
    task: str
    finished: dict[str, float]

    def kill(self) -> None:
        self.running.kill()

    def wait(self) -> ProcessEnd:
        ended = self.running.wait()
        self.finished[self.task] = time.time()
        return ended


def kill_workers(machines: Machines, killed: list[int]) -> None:
    """Kill workers that have or had work, each as soon as there are two again."""
    chance = random.Random(0)
    deadline = time.monotonic() + SECONDS
    while len(killed) < KILLS and time.monotonic() < deadline:
        wait_for(lambda: len(machines.running()) == 2)
        time.sleep(chance.uniform(0, 0.6))
        working = {launch.worker for launch in machines.launches()} & machines.running()
        if working:
            killed.append(chance.choice(sorted(working)))
            os.kill(killed[-1], signal.SIGKILL)
            wait_for(lambda: killed[-1] not in machines.running())
    machines.goes_on(PROVED)


def test_a_job_that_dask_gives_up_is_asked_for_again(
    machines: Machines, site: Site, cvc4: Prover, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines.lose_patience(0, monkeypatch)
    machines.says(f'[ $(wc -l < "{machines.folder}/launches") -gt 2 ] || kill -9 $PPID; {PROVED}')
    ended = site.start(cvc4.call(TASK, LIMITS)).wait()
    assert answer(ended, None, None) is Answer.VALID
    assert len(machines.launches()) == 3


def test_a_job_with_which_all_workers_die_ends_the_run(
    machines: Machines, site: Site, cvc4: Prover, monkeypatch: pytest.MonkeyPatch
) -> None:
    machines.lose_patience(0, monkeypatch)
    monkeypatch.setattr(client, "_DEATHS", 2)
    machines.says("kill -9 $PPID; sleep 1000")
    with pytest.raises(UserError, match="die again and again while they do a job of cvc4"):
        site.start(cvc4.call(TASK, LIMITS)).wait()
    assert len(machines.launches()) == 2
    wait_for(lambda: len(machines.running()) == 2)


@pytest.mark.parametrize("waiting", [0, 1, 2])
def test_what_is_lost_with_a_worker(
    machines: Machines, cvc4: Prover, monkeypatch: pytest.MonkeyPatch, waiting: int
) -> None:
    """What it does when it dies, and the answers that wait on it; no answer that is here.

    A worker begins the next job when it has done one, and keeps the answer until it is fetched:
    more than one launch may be lost with it.
    """
    number = 2 + waiting
    machines.says(
        f'[ $(wc -l < "{machines.folder}/launches") -ne {number} ] || kill -9 $PPID; {PROVED}'
    )

    async def late(future: "Future[bytes]") -> bytes:
        while len(machines.launches()) <= number:
            await asyncio.sleep(0.02)
        return await RESULT(future)

    here, *others = (f"; {n}\n{TASK}" for n in range(number))
    with (
        local_cluster(1) as local,
        Progress(Console(quiet=True)) as progress,
        cluster_at(local.scheduler_address, progress) as cluster,
    ):
        assert cluster
        ends = [cluster.start(cvc4.call(here, LIMITS)).wait()]
        monkeypatch.setattr(client, "_result", late)
        ends += [each.wait() for each in [cluster.start(cvc4.call(x, LIMITS)) for x in others]]
    assert {answer(ended, None, None) for ended in ends} == {Answer.VALID}
    launches = machines.launches()
    times = Counter(launch.task for launch in launches)
    assert times == {Task.of(here).sha256: 1, **{Task.of(each).sha256: 2 for each in others}}
    (first,) = {launch.worker for launch in launches[:number]}
    assert first not in {launch.worker for launch in launches[number:]}


def test_who_starts_as_its_worker_dies_sees_another_parent(
    machines: Machines, cvc4: Prover, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It was not told yet to die with its worker: it goes on, and nobody waits for its answer."""
    setpriv = tmp_path / "setpriv"
    setpriv.write_text(SETPRIV.format(folder=tmp_path, setpriv=which("setpriv")))
    setpriv.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with (
        local_cluster(1) as local,
        Progress(Console(quiet=True)) as progress,
        cluster_at(local.scheduler_address, progress) as cluster,
    ):
        assert cluster
        (killed,) = Machines(local, machines.folder).running()
        ended = cluster.start(cvc4.call(TASK, LIMITS)).wait()
        assert answer(ended, None, None) is Answer.VALID
        wait_for(lambda: len(machines.launches()) == 2)
        (here,) = Machines(local, machines.folder).running()
    lost, done = sorted(machines.launches(), key=lambda launch: launch.worker == here)
    assert done.worker == here
    assert lost.worker not in {killed, here}


def test_twenty_kills(machines: Machines, workshop: Workshop, site: Site, cvc4: Prover) -> None:
    here = Workshop(workshop.root / "here")
    for each in (here, workshop):
        each.write("m.mlw", TEXT)
    assert len(here.prove([cvc4]).proved) == GOALS

    machines.says(f"sleep 0.4; {PROVED}")
    watched, killed = Watched(site), list[int]()
    killer = threading.Thread(target=kill_workers, args=(machines, killed))
    killer.start()
    outcome = workshop.prove([cvc4], mode=Mode.FRESH, cluster=watched)
    killer.join()
    assert len(killed) == KILLS
    assert len(outcome.proved) == GOALS
    assert (
        certificate_path(workshop.library).read_bytes()
        == certificate_path(here.library).read_bytes()
    )
    launches = machines.launches()
    again = [each for each in launches if each.time > watched.finished[each.task]]
    assert again == []
    assert {launch.task for launch in launches} == watched.finished.keys()
    latest = {launch.task: launch for launch in launches}
    lost = [launch for launch in launches if launch != latest[launch.task]]
    # Who starts as its worker dies sees another parent: none of them is a worker that lives.
    assert {launch.worker for launch in lost}.isdisjoint(machines.running())
    assert len(lost) > KILLS / 2
