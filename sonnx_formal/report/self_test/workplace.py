"""A small library with a cache of its own, and provers that are not as they should be."""

import io
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import CACHE_VARIABLE
from sonnx_formal.core.progress import Progress
from sonnx_formal.prover.prove import Mode, ProofRequest, ProofRun, prove
from sonnx_formal.prover.provers import Prover, find_provers

TRUE = "module M\n  use int.Int\n  goal g: forall x. x * x >= 0\nend\n"
FALSE = "module M\n  use int.Int\n  goal g: forall x. x * x > 0\nend\n"
UNSAT = "echo unsat"


@dataclass(frozen=True)
class Workplace:
    """A folder in which one thing at a time is done wrong."""

    folder: Path

    @property
    def library(self) -> Path:
        return self.folder / "why3"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def write(self, text: str) -> None:
        """The library is one file."""
        self.library.mkdir(exist_ok=True)
        (self.library / "m.mlw").write_text(text)

    def prover(self, name: str, script: str) -> Prover:
        """A prover that does as a shell script says, of a family of its own."""
        program = self.folder / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        return Prover(
            name=name,
            family=name,
            version="1",
            command=("/bin/sh", str(program)),
            step_option="{}",
            steps=re.compile(r"steps (\d+)"),
            steps_per_second=1e6,
        )

    def prove(
        self, provers: Sequence[Prover], *, mode: Mode = Mode.NORMAL, families: int = 1
    ) -> tuple[ProofRun, str]:
        """Prove the library; the report, and what was said meanwhile."""
        said = io.StringIO()
        with self._own_cache(), Progress(Console(file=said, width=1000)) as progress:
            request = ProofRequest((), timeout=2, jobs=1, mode=mode, families=families)
            report = prove(request, progress, provers=provers, library=self.library)
        return report, said.getvalue()

    @contextmanager
    def _own_cache(self) -> Iterator[None]:
        before = os.environ.get(CACHE_VARIABLE)
        os.environ[CACHE_VARIABLE] = str(self.cache)
        try:
            yield
        finally:
            if before is None:
                del os.environ[CACHE_VARIABLE]
            else:
                os.environ[CACHE_VARIABLE] = before


def honest() -> Prover:
    """The prover that finds counterexamples best. Raises `UserError` when it is not here."""
    for prover in find_provers():
        if prover.name == "z3":
            return prover
    raise UserError("z3 was not found: see `sonnx-formal doctor`")


def proved(report: ProofRun) -> bool:
    """Whether everything is."""
    return all(run.proved for run in report.runs)
