"""Each thing that must be caught: what is done, and what is asked whether it noticed."""

import io
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.loop import Effort
from sonnx_formal.evidence.trust.base import TrustedBase, compare
from sonnx_formal.evidence.trust.granted import granted
from sonnx_formal.evidence.trust.ledger import Ledger
from sonnx_formal.evidence.vacuity import find_vacuity
from sonnx_formal.prover.prove import Mode
from sonnx_formal.prover.provers import find_provers
from sonnx_formal.prover.sources import find_library
from sonnx_formal.report.bundle import EVIDENCE, SUMS, write_bundle
from sonnx_formal.report.documents import sha256
from sonnx_formal.report.self_test.canary import liars
from sonnx_formal.report.self_test.document import InjectionEntry, SelfTest, SelfTestSummary
from sonnx_formal.report.self_test.workplace import FALSE, TRUE, UNSAT, Workplace, honest, proved
from sonnx_formal.report.sources import read_sources
from sonnx_formal.report.verify import verify as verify_report
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.vectors.making import VectorsRequest, make
from sonnx_formal.vectors.manifest import read_manifest
from sonnx_formal.vectors.storage import load, write_cases, write_manifest
from sonnx_formal.vectors.verifying import verify as verify_vectors

Caught = str | None
"""What the guard said; None when it noticed nothing."""


@dataclass(frozen=True)
class Injection:
    """One thing that must be caught."""

    what: str
    guard: str
    """What is to catch it."""
    run: Callable[[Workplace], Caught]


def _false_lemma(place: Workplace) -> Caught:
    place.write(FALSE.replace("goal", "lemma"))
    report, _ = place.prove(find_provers())
    return None if proved(report) else f"{report.runs[0].goal.id} is not proved"


_CONTRADICTION = """\
module M
  use int.Int
  constant c : int
  axiom one: c = 1
  axiom two: c = 2
  goal g: 1 = 2
end
"""


def _axioms(place: Workplace) -> Caught:
    place.write(_CONTRADICTION)
    base = TrustedBase(tuple(granted(place.library)), (), (), (), (), ())
    found = compare(base, Ledger())
    axioms = [symbol for symbol in found if symbol.what.startswith("axiom")]
    return str(axioms[0]) if axioms else None


def _contradiction(place: Workplace) -> Caught:
    place.write(_CONTRADICTION)
    effort = Effort(jobs=1, budget=None, fresh=True)
    with Progress(Console(file=io.StringIO())) as progress:
        vacuity = find_vacuity(place.library, (), effort, progress, provers=[honest()])
    found = vacuity.summary.unaccounted
    return f"{found[0]} assumes what is contradictory" if found else None


def _lying_prover(place: Workplace) -> Caught:
    place.write(FALSE)
    report, _ = place.prove([place.prover("liar", UNSAT), honest()], families=2)
    found = report.disagreement
    return f"{found.sat.prover} contradicts {found.valid.prover}" if found else None


def _lonely_liar(place: Workplace) -> Caught:
    found = liars([place.prover("liar", UNSAT), *find_provers()])
    return f"{', '.join(found)} proves false" if found == ["liar"] else None


def _killed_prover(place: Workplace) -> Caught:
    place.write(TRUE)
    report, _ = place.prove([place.prover("killed", f"{UNSAT}; kill -KILL $$")])
    return None if proved(report) else "what a killed prover printed is no proof"


def _tampered_cache(place: Workplace) -> Caught:
    place.write(FALSE)
    place.prove([honest()])
    for path in (place.cache / "verdicts").rglob("*.json"):
        entry = json.loads(path.read_text())
        entry["value"]["answer"] = "valid"
        path.write_text(json.dumps(entry))
    report, said = place.prove([honest()])
    warnings = [line for line in said.splitlines() if "tampered" in line]
    return None if proved(report) or not warnings else "the entry is ignored: its checksum is wrong"


def _stale_certificate(place: Workplace) -> Caught:
    place.write(TRUE)
    willing = [place.prover("willing", UNSAT)]
    place.prove(willing)
    place.write(FALSE)
    report, _ = place.prove(willing, mode=Mode.REPLAY)
    return None if proved(report) else report.runs[0].reason


def _corrupted_vector(place: Workplace) -> Caught:
    folder = place.folder / "vectors"
    make(VectorsRequest(operators()[:1], ["int8"], 0, folder), _quiet)
    origin = read_manifest(folder).origin
    cases = list(load(folder))
    case = next(each for each in cases if each.expected.size)
    case.expected.flat[0] ^= 1
    # With every hash made to fit: only a new computation shows it.
    write_manifest(folder, origin, [write_cases(folder, cases)])
    found = verify_vectors(folder, _quiet).differences
    return str(found[0]) if found else None


def _edited_report(place: Workplace) -> Caught:
    folder = place.folder / "report"
    sources = read_sources(find_library().parent)
    write_bundle(folder, {}, sources, place.folder / "none", _quiet)
    path, sums = folder / EVIDENCE, folder / SUMS
    before = path.read_bytes()
    evidence = json.loads(before)
    evidence["gaps"] = []
    path.write_text(json.dumps(evidence))
    # With its hash made to fit: only a new derivation shows it.
    old, new = sha256(before), sha256(path.read_bytes())
    sums.write_text(sums.read_text().replace(old, new))
    found = verify_report(folder, _quiet).flaws
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
    """Do each, in a folder of its own that is gone afterwards.

    :param say: is told what comes next.
    :raises UserError: when a tool is missing.
    """
    entries = []
    for injection in INJECTIONS:
        say(injection.what)
        with tempfile.TemporaryDirectory(prefix="sonnx-formal-self-test-") as folder:
            said = injection.run(Workplace(Path(folder)))
        entries.append(InjectionEntry(injection.what, injection.guard, said is not None, said))
    summary = SelfTestSummary(len(entries), sum(entry.caught for entry in entries))
    return SelfTest(tuple(entries), summary)
