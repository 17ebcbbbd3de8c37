"""Fake provers: shell scripts in the place of a prover, which leave a trace of each launch.

They give no cores, and who asks for that leaves no trace.
"""

import io
import re
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from sonnx_formal.core.terminal import Progress
from sonnx_formal.prover.plan import GoalRun
from sonnx_formal.prover.prove import ProofRequest, ProofRun, prove
from sonnx_formal.prover.provenance import Mode
from sonnx_formal.prover.provers import Prover, find_provers
from sonnx_formal.prover.site import Site

UNSAT = "echo unsat; echo ':rlimit-count 100'"
SAT = "echo sat"
UNKNOWN = "echo unknown"
HANG = "sleep 1000"
SPIN = "while :; do :; done"
OUT_OF_TIME = "echo timeout; exit 1"  # as Z3 does when its CPU time is up
CRASH = "kill -SEGV $$"
FLOOD = "yes unknown"
UNSAT_THEN_ERROR = "echo unsat; echo '(error \"line 3: what is this\")'"
UNSAT_THEN_SIGNAL = "echo unsat; kill -ABRT $$"
UNSAT_THEN_STATUS_1 = "echo unsat; exit 1"
UNSAT_AND_MORE = "echo unsat; echo unknown"
NOT_QUITE_UNSAT = "echo ' unsat'"
SILENT = "true"


@dataclass(frozen=True)
class Workshop:
    """A library of its own, with a place for fake provers."""

    root: Path

    @property
    def library(self) -> Path:
        return self.root / "why3"

    def write(self, name: str, text: str) -> Path:
        path = self.library / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def fake(self, name: str, family: str, script: str, version: str = "1.0") -> Prover:
        no_core = 'cat > "$0.$$"; if grep -q get-unsat-core "$0.$$"; then exit; fi; exec < "$0.$$"'
        count = f"echo {name} >> '{self.root}/launches'"
        path = self.script(name, f"{no_core}\n{count}\n{script}")
        return Prover(
            name=name,
            family=family,
            version=version,
            command=(str(path),),
            step_option="{}",
            steps=re.compile(r":rlimit-count (\d+)"),
            steps_per_second=1e6,
            seed_options=("seed={}",),
        )

    def script(self, name: str, script: str) -> Path:
        """What a fake prover does, from now on; it may give cores."""
        path = self.root / f"{name}.sh"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def launches(self) -> int:
        """How many fake provers were launched since the last question."""
        path = self.root / "launches"
        if not path.exists():
            return 0
        count = len(path.read_text().splitlines())
        path.unlink()
        return count

    def prove(  # noqa: PLR0913
        self,
        provers: Sequence[Prover],
        *files: Path,
        mode: Mode = Mode.NORMAL,
        families: int = 1,
        timeout: int = 1,
        jobs: int = 2,
        cluster: Site | None = None,
        cores: bool = False,
        described: bool = False,
    ) -> "Outcome":
        output = io.StringIO()
        request = ProofRequest(
            files, timeout, jobs, mode, families, described, cores=cores, cluster=cluster
        )
        with Progress(Console(file=output, width=200)) as progress:
            report = prove(request, progress, provers=provers, library=self.library)
        return Outcome(report, output.getvalue())


@dataclass(frozen=True)
class Outcome:
    """A report, and what was said meanwhile."""

    report: ProofRun
    said: str

    @property
    def runs(self) -> dict[str, GoalRun]:
        return {run.goal.id: run for run in self.report.runs}

    @property
    def proved(self) -> set[str]:
        return {name for name, run in self.runs.items() if run.proved}


def real_z3() -> Prover:
    """The honest one."""
    return next(prover for prover in find_provers() if prover.name == "z3")


def assert_gone(pid: int) -> None:
    """It ends within seconds: a killed process needs its turn on the machine to die."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return
        if state == "Z":
            return
        time.sleep(0.05)
    raise AssertionError(f"process {pid} is still there")
