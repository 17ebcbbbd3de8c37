"""What comes back is believed only if it is about what was asked, and from a worker like us."""

import gc
import io
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sonnx_formal.cluster import client
from sonnx_formal.cluster.connection import cluster_at
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.core.signals import GRACE_SECONDS
from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence.certify import PROOFS
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.provers import Answer, Prover, answer
from sonnx_formal.prover.site import Export, Program, ProgramCall, Running, Site
from tests.cluster import odd_workers
from tests.cluster.conftest import LIMITS, TASK, Machines, hanging, local_cluster, wait_for
from tests.prover.fakes import Workshop, assert_gone

pytestmark = pytest.mark.long

REPOSITORY = Path(__file__).parents[2]
FILE = "m.mlw"


def export(text: str) -> Export:
    return Export(find_why3(), FILE, {FILE: text}, (), split=True)


def test_a_prover_runs_on_a_worker(machines: Machines, site: Site, cvc4: Prover) -> None:
    ended = site.start(cvc4.call(TASK, LIMITS)).wait()
    assert answer(ended, None, None) is Answer.VALID
    (launch,) = machines.launches()
    assert launch.worker in machines.running()
    assert ended.worker in machines.local.scheduler_info["workers"]


def test_why3_reads_texts_on_a_worker(site: Site) -> None:
    found = site.export(export("module M goal g: 1 = 1 end")).wait()
    ((module, goal, task),) = found.tasks
    assert (module, goal, found.rejected) == ("M", "g", "")
    assert "(check-sat)" in task.text
    wrong = site.export(export("module M goal g: 1 = x end")).wait()
    assert wrong.tasks == ()
    assert wrong.rejected.startswith('File "m.mlw", line 1'), "no folder of the worker's"


@pytest.mark.parametrize(
    ("odd", "said"),
    [
        (("digest", odd_workers.digest_of_another_job), "answers about 000000000000, and"),
        (("package_version", odd_workers.other_package), "it has sonnx-formal 0.0.9 (0123"),
        (("programs", odd_workers.older_programs), "it has cvc4 1.5, and here is 1.8"),
        (("programs", odd_workers.no_programs), "it has no cvc4, and here is 1.8"),
    ],
)
def test_a_worker_that_is_not_like_us_is_refused(
    machines: Machines, site: Site, cvc4: Prover, odd: tuple[str, Callable[..., Any]], said: str
) -> None:
    with machines.odd(*odd), pytest.raises(UserError) as refused:
        site.start(cvc4.call(TASK, LIMITS)).wait()
    assert said in str(refused.value)
    assert "stop this worker" in str(refused.value)
    assert answer(site.start(cvc4.call(TASK, LIMITS)).wait(), None, None) is Answer.VALID


@pytest.mark.parametrize(
    ("by", "said"),
    [(odd_workers.older_why3, "it has why3 0.9, and here"), (odd_workers.no_why3, "has no why3")],
)
def test_so_is_one_with_another_why3(
    machines: Machines, site: Site, by: Callable[..., Any], said: str
) -> None:
    with machines.odd("the_why3", by), pytest.raises(UserError, match=said):
        site.export(export("module M goal g: 1 = 1 end")).wait()


def test_so_is_one_with_another_checker(site: Site) -> None:
    here = ProgramCall(Program(PROOFS, "1.4.2, ethos 9.9", ()), (), TASK, 5)
    with pytest.raises(UserError, match=r"it has cvc5 with proofs 1\.4\.2, and here is"):
        site.start(here).wait()


def test_what_nobody_wants_any_more_is_ended(machines: Machines, site: Site, cvc4: Prover) -> None:
    machines.says(hanging(machines))
    running = site.start(cvc4.call(TASK, LIMITS))
    wait_for(machines.asleep)
    running.kill()
    assert running.wait().cancelled
    assert_gone(machines.launches()[0].pid)
    assert_gone(machines.asleep())


def test_who_did_what_is_said(machines: Machines, cvc4: Prover) -> None:
    output = io.StringIO()
    with (
        Progress(Console(file=output, width=200)) as progress,
        cluster_at(machines.address, progress) as cluster,
    ):
        assert cluster
        ended = cluster.start(cvc4.call(TASK, LIMITS)).wait()
    assert f"worker {ended.worker}: 1 jobs" in output.getvalue()


def in_time(running: Running[ProcessEnd]) -> ProcessEnd:
    """How it ends; after 20 s, it is cancelled."""
    timer = threading.Timer(20, running.kill)
    timer.start()
    try:
        return running.wait()
    finally:
        timer.cancel()


def connect(address: str) -> str:
    """What is said to a user who connects, and has a job when that succeeds."""
    with Progress(Console(quiet=True)) as progress, cluster_at(address, progress):
        return ""


@pytest.mark.parametrize("address", ["nonsense", "foo://host:1", "tcp://host:port", ""])
def test_what_is_no_address_is_said_at_once(
    address: str, capfd: pytest.CaptureFixture[str]
) -> None:
    began = time.monotonic()
    with pytest.raises(UserError, match=f"no Dask scheduler answers at {address} "):
        connect(address)
    gc.collect()  # of a client that was never whole, too
    assert time.monotonic() - began < client._CONNECT_SECONDS
    assert capfd.readouterr().err == ""


def test_nobody_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_CONNECT_SECONDS", 0.5)
    with pytest.raises(UserError, match="no Dask scheduler answers at tcp:"):
        connect("tcp://127.0.0.1:1")
    with pytest.raises(UserError, match="no Dask scheduler answers at nonsense:"):
        connect("nonsense://x")
    with (
        local_cluster(0) as empty,
        pytest.raises(UserError, match=r"no worker at .* for 0 s: start some with `dask worker"),
    ):
        connect(empty.scheduler_address)


def test_nobody_is_there_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of no worker the user is told; in the end the run ends, as without a scheduler."""
    monkeypatch.setattr(client, "_ALONE_SECONDS", 0.5)
    monkeypatch.setattr(client, "_PATIENCE_SECONDS", 2)
    output = io.StringIO()
    job = ProgramCall(Program("cvc4", "1.8", ()), (), TASK, 5)
    with (
        local_cluster(1) as local,
        Progress(Console(file=output, width=200)) as progress,
        cluster_at(local.scheduler_address, progress) as cluster,
    ):
        assert cluster
        local.scale(0)
        wait_for(lambda: not local.scheduler_info["workers"])
        with pytest.raises(UserError, match=r"no worker at .* for 2 s: start some"):
            in_time(cluster.start(job))
        assert f"no worker at {local.scheduler_address}: waiting for one" in output.getvalue()


def test_the_scheduler_goes(machines: Machines, cvc4: Prover) -> None:
    machines.says(hanging(machines))
    with (
        local_cluster(1) as local,
        Progress(Console(quiet=True)) as progress,
        cluster_at(local.scheduler_address, progress) as cluster,
    ):
        assert cluster
        running = cluster.start(cvc4.call(TASK, LIMITS))
        wait_for(machines.asleep)
        local.close()
        with pytest.raises(UserError, match=r"the scheduler at .* has gone: start it"):
            in_time(running)


def test_without_dask_the_user_is_told_what_to_install() -> None:
    script = (
        "import sys; sys.modules['distributed'] = None; sys.argv = ['x', 'vacuity', '--scheduler',"
        " 'tcp://127.0.0.1:1']; from sonnx_formal.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install 'sonnx-formal[cluster]'" in done.stderr


def test_nothing_of_dask_is_imported_unless_it_is_asked_for(workshop: Workshop) -> None:
    workshop.write(FILE, "module M goal g: 1 = 1 end")
    script = (
        "import sys; from pathlib import Path; from sonnx_formal.cli.main import cli, load\n"
        "from sonnx_formal.prover import prove; prove.find_library = lambda: Path.cwd() / 'why3'\n"
        "for name in cli.commands: load(name)\n"
        "assert cli.main(['prove'], standalone_mode=False) == 0\n"
        "print([name for name in ('dask', 'distributed', 'tornado') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=workshop.root,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


@pytest.mark.parametrize(
    ("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_a_signal_ends_it(
    machines: Machines, workshop: Workshop, sent: signal.Signals, status: int
) -> None:
    """The command within seconds; and what the workers do for it, however it ends."""
    workshop.write(FILE, "module M use int.Int goal g: forall x. x * x > 1 end")
    machines.says(hanging(machines))
    running = subprocess.Popen(
        [sys.executable, "-c", ONLY_CVC4, "prove", "--timeout=60", "--scheduler", machines.address],
        cwd=workshop.root,
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(machines.asleep)
    running.send_signal(sent)
    began = time.monotonic()
    _output, errors = running.communicate(timeout=60)
    assert running.returncode == status
    assert time.monotonic() - began < GRACE_SECONDS
    assert errors == ""
    assert_gone(machines.asleep())


ONLY_CVC4 = """
from pathlib import Path
from sonnx_formal.cli import main as cli
from sonnx_formal.prover import prove
prove.find_library = lambda: Path.cwd() / "why3"
found = [prover for prover in prove.find_provers() if prover.name == "cvc4"]
prove.find_provers = lambda: found
cli.main()
"""
