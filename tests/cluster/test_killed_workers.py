"""Workers are killed at random moments: nothing is lost, nothing that is finished is repeated."""

import os
import random
import signal
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import pytest

from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.prover.certificate import certificate_path
from sonnx_formal.prover.provenance import Mode
from sonnx_formal.prover.provers import Prover
from sonnx_formal.prover.site import Call, Export, Exported, Running, Site
from sonnx_formal.prover.tasks import Task
from tests.cluster.conftest import PROVED, Machines, wait_for
from tests.prover.fakes import Workshop

GOALS = 150
KILLS = 20
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

    def start(self, call: Call) -> "WatchedCall":
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
    while len(killed) < KILLS:
        wait_for(lambda: len(machines.running()) == 2)
        time.sleep(chance.uniform(0, 0.6))
        working = {launch.worker for launch in machines.launches()} & machines.running()
        if working:
            killed.append(chance.choice(sorted(working)))
            os.kill(killed[-1], signal.SIGKILL)
            wait_for(lambda: killed[-1] not in machines.running())
    machines.goes_on(PROVED)


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
    runs = Counter(launch.task for launch in launches)
    assert len(runs) == len(watched.finished)
    interrupted = sum(runs.values()) - len(runs)
    assert KILLS / 2 < interrupted <= KILLS, "a worker does a job at a time"
