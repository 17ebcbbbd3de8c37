"""A cluster of two worker processes, whose machine has a CVC4 that does as a test says."""

import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster, Status
from rich.console import Console

from sonnx_formal.cluster.connection import cluster_at
from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.provers import Limits, Prover, find_provers
from sonnx_formal.prover.site import Site
from tests.cluster.odd_workers import NAME, Odd
from tests.prover.conftest import cache, workshop

__all__ = ["cache", "workshop"]
LIMITS = Limits(10)
TASK = "(check-sat)\n"
PROVED = "echo unsat; echo 'smt::SmtEngine::resourceUnitsUsed, 100'"
CVC4 = """\
#!/bin/sh
case "$1" in --version) echo "This is CVC4 version 1.8"; exit;; esac
echo "$PPID $$ $(date +%s.%N) $(sha256sum | cut -d ' ' -f 1)" >> {folder}/launches
. {folder}/script
"""


def hanging(machines: "Machines") -> str:
    """A prover that waits for a child of its own."""
    return f"sleep 1000 & echo $! > {machines.folder}/asleep; wait"


def wait_for(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@dataclass(frozen=True)
class Launch:
    """A run of CVC4."""

    worker: int
    """The process that started it."""
    pid: int
    time: float
    task: str
    """The digest of its text."""


@dataclass(frozen=True)
class Machines:
    """The cluster, and the folder of its CVC4."""

    local: LocalCluster
    folder: Path

    @property
    def address(self) -> str:
        return str(self.local.scheduler_address)

    def says(self, script: str) -> None:
        """What CVC4 does from now on. Nothing was launched yet."""
        (self.folder / "launches").write_text("")
        (self.folder / "asleep").write_text("")
        self.goes_on(script)

    def goes_on(self, script: str) -> None:
        """What it does from now on."""
        new = self.folder / "new"
        new.write_text(script)
        new.replace(self.folder / "script")

    def asleep(self) -> int:
        """The child of a prover that hangs; 0 as long as there is none."""
        return int((self.folder / "asleep").read_text().strip() or 0)

    def lose_patience(self, deaths: int, patch: pytest.MonkeyPatch) -> None:
        """The scheduler gives a job up when more workers than that died with it."""
        patch.setattr(self.local.scheduler, "allowed_failures", deaths)

    def running(self) -> set[int]:
        """The processes of workers; of one that starts, nobody would see that it is killed."""
        processes = [nanny.process for nanny in self.local.workers.values()]
        return {each.pid for each in processes if each and each.status is Status.running}

    @contextmanager
    def odd(self, exchanged: str, by: Callable[..., Any]) -> Iterator[None]:
        """While it lasts, workers have another function in the place of one of their own."""
        with Client(self.local, set_as_default=False) as client:
            client.register_plugin(Odd(exchanged, by))
            yield
            client.unregister_worker_plugin(NAME)

    def launches(self) -> list[Launch]:
        found = []
        for line in (self.folder / "launches").read_text().splitlines():
            worker, pid, time, task = line.split()
            found.append(Launch(int(worker), int(pid), float(time), task))
        return found


def local_cluster(workers: int) -> LocalCluster:
    """Processes on this machine, beside any others."""
    return LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0")


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    folder = tmp_path_factory.mktemp("cvc4")
    program = folder / "cvc4"
    program.write_text(CVC4.format(folder=folder))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    # A worker that is killed twice is not lost: by default it is, if it starts again 15 s later.
    patience = dask.config.set({"distributed.deploy.lost-worker-timeout": "1h"})
    with pytest.MonkeyPatch.context() as patch, patience:
        patch.setenv("PATH", str(folder), prepend=":")
        with local_cluster(2) as local:
            yield Machines(local, folder)


@pytest.fixture
def site(machines: Machines) -> Iterator[Site]:
    with (
        Progress(Console(quiet=True)) as progress,
        cluster_at(machines.address, progress) as cluster,
    ):
        assert cluster
        yield cluster


@pytest.fixture
def cvc4(machines: Machines) -> Prover:
    machines.says(PROVED)
    return next(prover for prover in find_provers() if prover.name == "cvc4")
