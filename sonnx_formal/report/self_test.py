"""What must not go unnoticed is done on purpose, in a folder of its own: is it caught?"""

import io
import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from rich.console import Console

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import CACHE_VARIABLE
from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence.inquiry import Effort
from sonnx_formal.evidence.trust.base import Ledger, TrustedBase, compare
from sonnx_formal.evidence.trust.granted import granted
from sonnx_formal.evidence.vacuity import find_vacuity
from sonnx_formal.prover.prove import ProofRequest, ProofRun, prove
from sonnx_formal.prover.provenance import BegunRun, Mode
from sonnx_formal.prover.provers import Answer, Limits, Prover, answer, find_provers
from sonnx_formal.prover.site import start_here
from sonnx_formal.prover.sources import find_library
from sonnx_formal.report.bundle import verify, write_bundle
from sonnx_formal.report.documents import (
    Documents,
    InjectionEntry,
    SelfTest,
    SelfTestSummary,
    read_sources,
    sha256,
)
from sonnx_formal.report.seal import EVIDENCE, SUMS
from sonnx_formal.spec.catalogue import operators, selected
from sonnx_formal.vectors.folder import make
from sonnx_formal.vectors.folder import verify as verify_vectors
from sonnx_formal.vectors.manifest import read_manifest
from sonnx_formal.vectors.storage import load, write_cases, write_manifest

_TRUE = "module M\n  use int.Int\n  goal g: forall x. x * x >= 0\nend\n"
_FALSE = "module M\n  use int.Int\n  goal g: forall x. x * x > 0\nend\n"
_CONTRADICTION = """\
module M
  use int.Int
  constant c : int
  axiom one: c = 1
  axiom two: c = 2
  goal g: 1 = 2
end
"""
_CANARY = "(set-logic ALL)\n(declare-fun x () Int)\n(assert (<= 0 (* x x)))\n(check-sat)\n"
"""Its assertions hold of every x, so `false` does not follow: who proves it, lies."""
_UNSAT = "echo unsat"

Caught = str | None
"""What the guard said; None when it noticed nothing."""


@dataclass(frozen=True)
class Workplace:
    """A folder with a small library and a cache of its own, in which one thing is done wrong."""

    folder: Path

    @property
    def library(self) -> Path:
        return self.folder / "why3"

    @property
    def cache(self) -> Path:
        return self.folder / "cache"

    def write(self, text: str) -> None:
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
            seed_options=(),
        )

    def prove(
        self, provers: Sequence[Prover], *, mode: Mode = Mode.NORMAL, families: int = 1
    ) -> tuple[ProofRun, str]:
        """Prove the library; the report, and what was said meanwhile."""
        said = io.StringIO()
        request = ProofRequest((), timeout=2, jobs=1, mode=mode, families=families)
        with (
            patch.dict(os.environ, {CACHE_VARIABLE: str(self.cache)}),
            Progress(Console(file=said, width=1000)) as progress,
        ):
            report = prove(request, progress, provers=provers, library=self.library)
        return report, said.getvalue()


@dataclass(frozen=True)
class Injection:
    what: str
    guard: str
    run: Callable[[Workplace], Caught]


def honest() -> Prover:
    """The prover that finds counterexamples best. Raises `UserError` when it is not here."""
    for prover in find_provers():
        if prover.name == "z3":
            return prover
    raise UserError("z3 was not found: see `sonnx-formal doctor`")


def liars(provers: Sequence[Prover]) -> list[str]:
    """Those that prove the canary. Raises `UserError` when one cannot be started."""
    return [
        prover.name
        for prover in provers
        if answer(start_here(prover.call(_CANARY, Limits(seconds=10))).wait(), None, None)
        is Answer.VALID
    ]


def proved(report: ProofRun) -> bool:
    return all(run.proved for run in report.runs)


def _false_lemma(place: Workplace) -> Caught:
    place.write(_FALSE.replace("goal", "lemma"))
    report, _ = place.prove(find_provers())
    return None if proved(report) else f"{report.runs[0].goal.id} is not proved"


def _axioms(place: Workplace) -> Caught:
    place.write(_CONTRADICTION)
    made = BegunRun.of(place.library).ended()
    base = TrustedBase(made, tuple(granted(place.library)), (), (), (), (), ())
    axioms = [each for each in compare(base, Ledger()) if each.what.startswith("axiom")]
    return str(axioms[0]) if axioms else None


def _contradiction(place: Workplace) -> Caught:
    place.write(_CONTRADICTION)
    effort = Effort(jobs=1, budget=None, fresh=True)
    with Progress(Console(file=io.StringIO())) as progress:
        vacuity = find_vacuity(place.library, (), effort, progress, provers=[honest()])
    found = vacuity.summary.unaccounted
    return f"{found[0]} assumes what is contradictory" if found else None


def _lying_prover(place: Workplace) -> Caught:
    place.write(_FALSE)
    report, _ = place.prove([place.prover("liar", _UNSAT), honest()], families=2)
    found = report.disagreement
    return f"{found.sat.prover} contradicts {found.valid.prover}" if found else None


def _lonely_liar(place: Workplace) -> Caught:
    found = liars([place.prover("liar", _UNSAT), *find_provers()])
    return f"{', '.join(found)} proves false" if found == ["liar"] else None


def _killed_prover(place: Workplace) -> Caught:
    place.write(_TRUE)
    report, _ = place.prove([place.prover("killed", f"{_UNSAT}; kill -KILL $$")])
    return None if proved(report) else "what a killed prover printed is no proof"


def _tampered_cache(place: Workplace) -> Caught:
    place.write(_FALSE)
    place.prove([honest()])
    for path in (place.cache / "verdicts").rglob("*.json"):
        entry = json.loads(path.read_text())
        entry["value"]["answer"] = "valid"
        path.write_text(json.dumps(entry))
    report, said = place.prove([honest()])
    warnings = [line for line in said.splitlines() if "tampered" in line]
    return None if proved(report) or not warnings else "the entry is ignored: its checksum is wrong"


def _stale_certificate(place: Workplace) -> Caught:
    place.write(_TRUE)
    willing = [place.prover("willing", _UNSAT)]
    place.prove(willing)
    place.write(_FALSE)
    report, _ = place.prove(willing, mode=Mode.REPLAY)
    return None if proved(report) else report.runs[0].reason


def _corrupted_vector(place: Workplace) -> Caught:
    folder = place.folder / "vectors"
    make(selected([operators()[0].name], ["int8"]), 0, folder, _quiet)
    cases = list(load(folder))
    case = next(each for each in cases if each.expected.size)
    case.expected.flat[0] ^= 1
    # With every hash made to fit: only a new computation shows it.
    write_manifest(folder, read_manifest(folder).origin, [write_cases(folder, cases)])
    found = verify_vectors(folder, _quiet).differences
    return str(found[0]) if found else None


def _edited_report(place: Workplace) -> Caught:
    folder = place.folder / "report"
    sources = read_sources(find_library().parent)
    write_bundle(folder, Documents(), sources, place.folder / "none", _quiet)
    path, sums = folder / EVIDENCE, folder / SUMS
    before = path.read_bytes()
    evidence = json.loads(before)
    evidence["gaps"] = []
    path.write_text(json.dumps(evidence))
    # With its hash made to fit: only a new derivation shows it.
    sums.write_text(sums.read_text().replace(sha256(before), sha256(path.read_bytes())))
    _, found = verify(folder, _quiet)
    return f"{found[0].file}: {found[0].what}" if found else None


def _quiet(*_said: object) -> None:
    """Nothing is shown of what goes on."""


INJECTIONS = (
    Injection("a lemma that is false", "the provers", _false_lemma),
    Injection("axioms that contradict each other", "trusted-base", _axioms),
    Injection("axioms that contradict each other", "vacuity", _contradiction),
    Injection("a prover that answers unsat to everything", "a second family", _lying_prover),
    Injection("a prover that answers unsat to everything", "a canary", _lonely_liar),
    Injection("a prover that is killed after it has answered", "its exit status", _killed_prover),
    Injection("a cache entry that is edited", "its checksum", _tampered_cache),
    Injection("a certificate of another goal", "replay", _stale_certificate),
    Injection("a test vector with another result, hashes made to fit", "vectors --verify",
              _corrupted_vector),
    Injection("a report without its gaps, hashes made to fit", "verify-report", _edited_report),
)  # fmt: skip


def run_all(say: Callable[[str], None]) -> SelfTest:
    """Do each in a folder that is gone afterwards. Raises `UserError` when a tool is missing."""
    made = BegunRun.of(find_library())
    entries = []
    for injection in INJECTIONS:
        say(injection.what)
        with tempfile.TemporaryDirectory(prefix="sonnx-formal-self-test-") as folder:
            said = injection.run(Workplace(Path(folder)))
        entries.append(InjectionEntry(injection.what, injection.guard, said is not None, said))
    summary = SelfTestSummary(len(entries), sum(entry.caught for entry in entries))
    return SelfTest(made.ended(), tuple(entries), summary)
