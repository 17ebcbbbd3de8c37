"""Workers are killed at random moments: nothing is lost, nothing that is finished is repeated."""

import os
import random
import signal
import threading
import time
from dataclasses import dataclass, field

import pytest

from sonnx_formal.cluster import client
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.prover.certificate import certificate_path
from sonnx_formal.prover.provenance import Mode
from sonnx_formal.prover.provers import Answer, Prover, answer
from sonnx_formal.prover.site import Export, Exported, ProgramCall, Running, Site
from sonnx_formal.prover.tasks import Task
from tests.cluster.conftest import LIMITS, PROVED, TASK, Machines, wait_for
from tests.prover.fakes import Workshop

GOALS = 300
KILLS = 20
SECONDS = 120
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

    def start(self, call: ProgramCall) -> "WatchedCall":
        return WatchedCall(self.site.start(call), Task.of(call.text).sha256, self.finished)

    def export(self, export: Export) -> Running[Exported]:
        return self.site.export(export)


@dataclass(frozen=True)
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


@pytest.mark.long
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
    interrupted = 0
    for worker in {launch.worker for launch in launches}:
        its = [launch for launch in launches if launch.worker == worker]
        lost = [launch for launch in its if launch != latest[launch.task]]
        interrupted += len(lost)
        assert worker in killed or not lost
        # What it did when it was killed, and an answer that it had not sent yet.
        assert set(lost) <= set(its[-2:])
    assert interrupted > KILLS / 2
