"""What the evidence says of the documents: gaps, and above all those that are blocking."""

import copy
import json
from collections.abc import Callable

import jsonschema
import pytest

from sonnx_formal.core.documents import decode, encode
from sonnx_formal.core.errors import UserError
from sonnx_formal.report.documents import KINDS, DocumentKind, read_documents
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.tables import GapClass
from sonnx_formal.report.trace.document import TraceRule
from sonnx_formal.report.views import page
from tests.report.conftest import EDIT, Documents, Write, known, typed
from tests.schemas import validate

ATTEMPT = {"prover": "z3", "version": "1", "family": "z3", "steps": None}
Change = Callable[[Documents], object]


@pytest.fixture
def evidence(documents: Documents, sources: dict[str, bytes]) -> Evidence:
    return assemble(typed(documents), sources)


def blocking(evidence: Evidence) -> set[str]:
    return {gap.id for gap in evidence.gaps if gap.blocking}


def test_nothing_is_blocking(evidence: Evidence) -> None:
    assert evidence.missing == set()
    assert blocking(evidence) == set()
    assert evidence.accepted


def test_the_evidence_says_how_each_document_was_made(
    documents: Documents, sources: dict[str, bytes], written: Write
) -> None:
    forget_flags(documents)
    documents["prove"]["made"].update(mode="normal", from_cache=8757, timeout=10)
    evidence = assemble(read_documents(written(documents)), sources)
    made = {each.name: each.made for each in evidence.documents}
    begin = "sonnx-formal 1; begun at 2026-11-02 23:05:07 UTC; took 1.5 s"
    assert made["prove"] == (
        f"{begin}; mode normal: takes over what earlier runs found; "
        "2 families of provers asked for; 8,757 verdicts from the cache; 10 s for a prover and goal"
    )
    assert made["trace"] == begin
    assert made["mutation"] == (
        f"{begin}; with Why3 1, z3 1; mode normal: takes over what earlier runs found; "
        "0 s for all of it"
    )


def test_what_others_did_is_said(documents: Documents, sources: dict[str, bytes]) -> None:
    """It is no reason to reject the evidence, and somebody has to know."""
    assert "elsewhere" not in {gap.id for gap in assemble(typed(documents), sources).gaps}
    documents["prove"]["made"]["elsewhere"] = {"tcp://a:1": 1999, "tcp://b:1": 1}
    documents["mutation"]["made"] = documents["mutation"]["made"] | {"elsewhere": {"tcp://a:1": 1}}
    evidence = assemble(typed(documents), sources)
    (gap,) = (each for each in evidence.gaps if each.id == "elsewhere")
    said = "2,000 jobs done by 2 workers of a cluster"
    assert gap.items == (f"prove: {said}", "mutation: 1 job done by 1 worker of a cluster")
    assert (gap.gap_class, evidence.accepted) == (GapClass.LIMITATION, True)
    (made,) = (each.made for each in evidence.documents if each.name == "prove")
    assert made
    assert f"; {said}; " in made
    assert page(evidence).count(said) >= 3  # the gap, the proof run, and the document


def test_a_fresh_run_is_as_good_as_a_replay(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    documents["prove"]["made"].update(mode="fresh", timeout=10)
    assert blocking(assemble(typed(documents), sources)) == set()


def test_gaps_that_no_run_can_close_are_always_there(evidence: Evidence) -> None:
    assert {"unsigned", "meaning", "planned"} <= {gap.id for gap in evidence.gaps}


def test_blocking_gaps_come_first(documents: Documents, sources: dict[str, bytes]) -> None:
    unproved(documents)
    order = [gap.blocking for gap in assemble(typed(documents), sources).gaps]
    assert order == sorted(order, reverse=True)


@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if not kind.is_given], ids=lambda kind: kind.name
)
def test_missing_document_is_blocking(
    documents: Documents, sources: dict[str, bytes], kind: DocumentKind
) -> None:
    documents.pop(kind.name, None)
    evidence = assemble(typed(documents), sources)
    assert kind.name in evidence.missing
    gap = next(gap for gap in evidence.gaps if gap.id == "missing-evidence")
    assert gap.blocking
    assert any(item.startswith(f"{kind.name}:") for item in gap.items)


def unproved(documents: Documents) -> None:
    goal = documents["prove"]["goals"][0]
    attempt = ATTEMPT | {"answer": "timeout"}
    goal.update(verdict="unproved", proofs=[], attempts=[attempt])


def rests_on_what_is_not_proved(documents: Documents) -> None:
    goal = documents["prove"]["goals"][1]
    goal.update(verdict="conditional", rests_on=documents["prove"]["goals"][0]["id"])


def other_text(documents: Documents) -> None:
    documents["prove"]["goals"][0]["task_sha256"] = "0" * 64


def invented_proof(documents: Documents) -> None:
    documents["prove"]["goals"][0]["proofs"][0]["prover"] = "oracle"


def of_other_why3(documents: Documents) -> None:
    documents["prove"]["why3"] = "0.0"


def error_of_the_trace(documents: Documents) -> None:
    documents["trace"]["errors"].append(
        {"rule": str(TraceRule.UNPROVED), "subject": "s", "message": "m"}
    )


def unaccounted(documents: Documents) -> None:
    documents["trusted-base"]["differences"].append(
        {"kind": "unaccounted", "what": "axiom a", "remedy": "prove it"}
    )


def refused(documents: Documents) -> None:
    documents["certified"]["goals"][0].update(outcome="refused", because="a step")


def refuted(documents: Documents) -> None:
    documents["certified"]["goals"][0].update(outcome="contradiction", because="a model")


def unused(documents: Documents) -> None:
    precondition = {"function": "f", "name": "R1", "goals": 1, "use": "unused", "reason": None}
    documents["hypotheses"]["preconditions"].append(precondition)


def steps_that_nobody_took(documents: Documents) -> None:
    documents["certified"]["goals"][0]["steps"] += 1


def model_that_nobody_found(documents: Documents) -> None:
    hypothesis = {"of": "a.mlw:A", "scope": "context", "sha256": "0" * 64}
    found = {"finding": "consistent", "provers": ["z3"], "reason": None}
    documents["vacuity"]["hypotheses"].append(hypothesis | found)


def mutant_that_nobody_tried(documents: Documents) -> None:
    mutant = {"id": "m", "file": "ops/mul/definition.mlw", "line": 1, "kind": "k"}
    documents["mutation"]["mutants"].append(
        mutant | EDIT | {"outcome": "killed", "by": "g", "reason": None}
    )


def nothing_tried(documents: Documents) -> None:
    file = documents["mutation"]["files"][0]
    file.update(untried=file["mutants"])
    documents["prove"]["goals"][0].update(file=file["file"])


def forget_flags(documents: Documents) -> None:
    """What the report leaves out of the verdicts."""
    for goal in documents["prove"]["goals"]:
        for proof in goal["proofs"]:
            del proof["cached"]


def from_cache(documents: Documents) -> None:
    documents["prove"]["goals"][0]["proofs"][0]["cached"] = True
    documents["prove"]["made"]["from_cache"] = 1


def silent_about_the_cache(documents: Documents) -> None:
    forget_flags(documents)
    del documents["prove"]["made"]["from_cache"]


BLOCKING: dict[str, tuple[Change, str]] = {
    "no proof": (unproved, "unproved"),
    "a proof from what is not proved": (rests_on_what_is_not_proved, "conditional"),
    "another text": (other_text, "certificate"),
    "a proof that is not recorded": (invented_proof, "certificate"),
    "another Why3": (of_other_why3, "certificate"),
    "a contradiction": (
        lambda d: d["prove"]["summary"].update(disagreement="a.mlw:A.a.1"),
        "disagreement",
    ),
    "a pair of ours that is wrong": (lambda d: wrong_pairs(d, 0), "implementation-failed"),
    "an interrupt": (lambda d: d["prove"]["summary"].update(interrupted=True), "interrupted"),
    "a broken trace": (error_of_the_trace, "trace"),
    "a trace without vectors": (lambda d: d["trace"]["not_given"].append("vectors"), "trace"),
    "trust": (unaccounted, "trust"),
    "vectors of other sources": (
        lambda d: d["vectors"]["origin"].update(formal_sources_sha256="0" * 64),
        "other-sources",
    ),
    "proofs of other sources": (
        lambda d: d["prove"]["made"].update(library_sha256="0" * 64),
        "other-sources",
    ),
    "mutants of other sources": (
        lambda d: d["mutation"]["made"].update(library_sha256="0" * 64),
        "other-sources",
    ),
    "a check of other vectors": (
        lambda d: d["check"].update(manifest_sha256="0" * 64),
        "other-sources",
    ),
    "a check without vectors": (lambda d: d["check"].update(manifest_sha256=None), "other-sources"),
    "a run that reads what is known": (
        lambda d: d["prove"]["made"].update(mode="normal"),
        "not-anew",
    ),
    "a run of an unknown kind": (lambda d: d["prove"]["made"].pop("mode"), "not-anew"),
    "a verdict from the cache": (from_cache, "not-anew"),
    "a cache that nobody speaks of": (silent_about_the_cache, "not-anew"),
    "a run of one file": (lambda d: d["prove"]["made"].update(files=["m.mlw"]), "not-anew"),
    "our own implementation": (
        lambda d: d["check"]["backends"][0].update(failed=True),
        "implementation-failed",
    ),
    "vacuity": (lambda d: d["vacuity"]["summary"]["unaccounted"].append("g"), "vacuous"),
    "a mutant": (lambda d: d["mutation"]["summary"]["unexplained"].append("m"), "mutation"),
    "a low score": (lambda d: d["mutation"]["folders"][0].update(good=False), "mutation"),
    "an unnoticed fault": (
        lambda d: d["self-test"]["injections"][0].update(caught=False),
        "self-test",
    ),
    "a written proof that is not recorded": (steps_that_nobody_took, "unrecorded"),
    "a model that is not recorded": (model_that_nobody_found, "unrecorded"),
    "a mutant that is not recorded": (mutant_that_nobody_tried, "unrecorded"),
    "a refused proof": (refused, "certified-refused"),
    "a refuted goal": (refuted, "certified-refused"),
    "an unused precondition": (unused, "unused-preconditions"),
}


@pytest.mark.parametrize("name", BLOCKING)
def test_what_is_blocking(documents: Documents, sources: dict[str, bytes], name: str) -> None:
    change, gap = BLOCKING[name]
    change(documents)
    evidence = assemble(typed(documents), sources)
    assert gap in blocking(evidence)
    assert not evidence.accepted


def wrong_pairs(documents: Documents, sweep: int) -> None:
    number = {"decimal": "1", "bits": "0x3c00"}
    example = dict.fromkeys(("a", "b", "expected", "got"), number)
    found = {"agreement": "a number for NaN", "pairs": 1, "smallest": example}
    documents["exhaustive"]["sweeps"][sweep]["classes"].append(found)


def unlucky(documents: Documents) -> None:
    proof = {"prover": "z3", "version": "1", "steps": 3, "failed": {"seed 2": "timeout"}}
    documents["stability"]["unstable"].append({"goal": "g", "proof": proof})


def kernel(documents: Documents, standing: str) -> None:
    documents["kernels"]["kernels"][0].update(standing=standing)


@pytest.mark.parametrize(
    ("change", "gap"),
    [
        (lambda d: d["prove"]["goals"][0]["proofs"].pop(), "single-family"),
        (lambda d: d["trace"]["requirements"][0].update(levels=["real"]), "real-only"),
        (lambda d: d["trace"]["requirements"][0].update(precondition=True), "precondition"),
        (lambda d: d["trace"]["requirements"][0].update(no_vector="none can"), "no-vector"),
        (lambda d: d["trace"]["requirements"][0]["confirmed_by"].pop(), "one-implementation"),
        (lambda d: d["trace"]["findings"][0].update(not_shown="prose"), "finding-not-shown"),
        (lambda d: d["check"]["backends"][1].update(missing="no module"), "not-installed"),
        (lambda d: d["check"]["matrix"][0]["counts"].update({"not judged": 2}), "not-judged"),
        (
            lambda d: d["check"]["known"].append(known("not as recorded", "pass")),
            "stale-divergences",
        ),
        (lambda d: d["certified"]["goals"].pop(), "not-certified"),
        (lambda d: d["stability"]["without_stable_proof"].append("g"), "no-stable-proof"),
        (lambda d: d["stability"]["files"][0].update(untried=1), "stability-open"),
        (unlucky, "unstable-proofs"),
        (
            lambda d: kernel(d, "proved, if C's float and double are those of IEEE 754"),
            "native-kernels",
        ),
        (lambda d: kernel(d, "open: there is no kernel"), "no-kernel"),
        (lambda d: d["exhaustive"]["sweeps"][0].update(judged=1023), "pairs-not-judged"),
        (lambda d: d["exhaustive"].update(interrupted=True), "pairs-not-judged"),
        (lambda d: d["exhaustive"].update(sweeps=[]), "pairs-not-judged"),
        (lambda d: wrong_pairs(d, 1), "departures"),
        (lambda d: d["prove"]["goals"][0].update(file="new.mlw"), "not-mutated"),
        (nothing_tried, "not-mutated"),
        (lambda d: d["mutation"]["folders"][0].update(all=9), "untried-mutants"),
        (lambda d: d["check"]["findings"][0].update(kind="sign of zero"), "departures"),
        (lambda d: d["vacuity"]["preconditions"][0].update(witnesses=[]), "no-witness"),
    ],
)
def test_what_is_a_gap_and_not_blocking(
    documents: Documents, sources: dict[str, bytes], change: Change, gap: str
) -> None:
    before = assemble(typed(copy.deepcopy(documents)), sources)
    change(documents)
    after = assemble(typed(documents), sources)
    items = {each.id: each.items for each in after.gaps if not each.blocking}
    assert items[gap] != {each.id: each.items for each in before.gaps}.get(gap, ())
    assert blocking(after) == blocking(before)


def mutant(documents: Documents, outcome: str, reason: str | None = None) -> None:
    entry = {"id": "m", "file": "ops/mul/definition.mlw", "line": 1, "kind": "k"} | EDIT
    documents["mutation"]["mutants"].append(
        entry | {"outcome": outcome, "by": "", "reason": reason}
    )


def precondition(documents: Documents, use: str) -> None:
    found = {"function": "f", "name": "R1", "goals": 1, "use": use, "reason": None}
    documents["hypotheses"]["preconditions"].append(found)


def not_asked(documents: Documents, explanation: str) -> None:
    documents["prove"]["goals"][0].update(id="g", explanation=explanation)
    found = {"of": "g", "scope": "goal", "sha256": "0" * 64}
    documents["vacuity"]["hypotheses"].append(
        found | {"finding": "not asked", "provers": [], "reason": None}
    )


def certified(documents: Documents, **changes: object) -> None:
    documents["certified"]["goals"][0].update(id="a.mlw:A.a.1", steps=9, **changes)


def test_a_proof_whose_steps_are_all_explained_is_no_gap(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    certified(documents, trusted={})
    items = {each.id: each.items for each in assemble(typed(documents), sources).gaps}
    assert not any(item.startswith("a.mlw:A.a.1") for item in items.get("trusted-steps", ()))


def listed(name: str, item: object) -> Change:
    """In the summary of a document."""
    document, part = name.split(".")
    return lambda documents: documents[document]["summary"][part].append(item)


@pytest.mark.parametrize(
    ("change", "gap", "item"),
    [
        (lambda d: mutant(d, "survived", "so"), "survivors", "m: so"),
        (listed("mutation.unexplained", "m"), "mutation", "m"),
        (listed("mutation.stale_dispositions", "r"), "mutation", "stale reason: r"),
        (
            lambda d: d["mutation"]["folders"][0].update(good=False, score=0.5),
            "mutation",
            "ops: its score is 50.0 % (34.0 to 100.0 %)",
        ),
        (
            lambda d: d["mutation"]["folders"][0].update(good=False, untried=1),
            "untried-sample",
            "ops: 1 of 2",
        ),
        (
            lambda d: d["mutation"]["folders"][0].update(all=9),
            "untried-mutants",
            "ops: 7 of 9 were not drawn",
        ),
        (listed("vacuity.unaccounted", "g"), "vacuous", "g"),
        (listed("vacuity.stale_dispositions", "r"), "vacuous", "stale reason: r"),
        (lambda d: not_asked(d, "why"), "vacuity-open", "g (why): not asked"),
        (lambda d: not_asked(d, ""), "vacuity-open", "g: not asked"),
        (lambda d: precondition(d, "unused"), "unused-preconditions", "f: R1"),
        (lambda d: precondition(d, "undetermined"), "undetermined-preconditions", "f: R1"),
        (
            lambda d: d["hypotheses"]["obsolete_reasons"].append("r"),
            "unused-preconditions",
            "obsolete reason: r",
        ),
        (
            lambda d: certified(d, outcome="refused", because="a step"),
            "certified-refused",
            "a.mlw:A.a.1: refused: a step",
        ),
        (
            lambda d: certified(d, trusted={"TRUST": 2, "TRUST_THEORY_REWRITE": 3}),
            "trusted-steps",
            "a.mlw:A.a.1: 5 of 9 steps",
        ),
        (lambda d: certified(d, complete=None), "not-independently-checked", "a.mlw:A.a.1"),
        (lambda d: certified(d, complete=False), "not-independently-checked", "a.mlw:A.a.1"),
        (
            lambda d: d["prove"]["goals"][0].update(id="a.mlw:A.a.1"),
            "certificate",
            "a.mlw:A.a.1: not recorded",
        ),
        (
            lambda d: d["check"]["matrix"][1]["counts"].update({"not supported": 3}),
            "not-supported",
            "other: mul int8: 3 cases",
        ),
        (
            lambda d: d["trusted-base"]["tools"].append({"name": "ethos", "version": None}),
            "tools-not-here",
            "ethos",
        ),
        (unaccounted, "trust", "unaccounted: axiom a: prove it"),
        (lambda d: d["self-test"]["injections"][0].update(caught=False), "self-test", "a lie: g"),
        (
            lambda d: d["stability"]["files"][0].update(untried=1),
            "stability-open",
            "m.mlw: 1 of 2 proofs",
        ),
        (unlucky, "unstable-proofs", "g by z3: seed 2"),
        (lambda d: d["prove"]["made"].update(files=["a.mlw"]), "not-anew", "of a.mlw only"),
        (lambda d: d["prove"]["made"].pop("files"), "not-anew", "of files that are not named only"),
    ],
)
def test_what_a_gap_is_about(
    documents: Documents, sources: dict[str, bytes], change: Change, gap: str, item: str
) -> None:
    before = assemble(typed(copy.deepcopy(documents)), sources)
    change(documents)
    after = assemble(typed(documents), sources)
    items = {each.id: each.items for each in after.gaps}
    assert item in items[gap]
    assert item not in {each.id: each.items for each in before.gaps}.get(gap, ())


def test_items_that_are_not_listed_are_counted(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    items = [{"name": f"f{n}", "preconditions": 1, "witnesses": []} for n in range(2345)]
    documents["vacuity"]["preconditions"] = items
    (gap,) = (each for each in assemble(typed(documents), sources).gaps if each.id == "no-witness")
    assert (gap.count, len(gap.items)) == (2345, 2000)


def test_results_that_are_not_judged_are_counted_by_reason(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    documents["check"]["matrix"][1]["counts"]["not judged"] = 7
    documents["check"]["findings"][0].update(verdict="not judged", cases=3, admissible=False)
    (gap,) = (each for each in assemble(typed(documents), sources).gaps if each.id == "not-judged")
    assert gap.items == (
        "other: mul int8: 3 of excluded operands, 4 of sums that some orders overflow",
    )


def test_independent_check_is_a_matter_of_the_proof(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    """Not of the checker that happens to be on the machine."""
    checked = documents["certified"]["goals"]
    assert documents["certified"]["checker"] is None
    assert all(each["complete"] for each in checked)
    gaps = {each.id for each in assemble(typed(documents), sources).gaps}
    assert "not-independently-checked" not in gaps


def test_evidence_is_as_its_schema_says(evidence: Evidence) -> None:
    validate(json.loads(encode(evidence)), Evidence)


def test_schema_notices_what_is_missing_and_what_is_too_much(evidence: Evidence) -> None:
    value = json.loads(encode(evidence))
    for broken in ({**value, "more": 1}, {k: v for k, v in value.items() if k != "gaps"}):
        with pytest.raises(jsonschema.ValidationError):
            validate(broken, Evidence)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_document_is_as_its_schema_says(documents: Documents, kind: DocumentKind) -> None:
    validate(documents[kind.name], kind.type)


def test_written_and_read_back(evidence: Evidence) -> None:
    assert decode(encode(evidence), Evidence, "evidence.json") == evidence


def test_document_of_another_shape(documents: Documents, written: Write) -> None:
    del documents["trace"]["requirements"][0]["ladder"]
    with pytest.raises(UserError, match=r"trace.json is no .*`ladder` - at `\$\.requirements\["):
        read_documents(written(documents))


def test_proof_that_is_certified_of_another_text_does_not_count(
    documents: Documents, sources: dict[str, bytes]
) -> None:
    goal = documents["certified"]["goals"][0]
    goal["task_sha256"] = "0" * 64
    before, after = 12, assemble(typed(documents), sources)
    assert sum(tally.certified for tally in after.files) == before - 1
    (gap,) = (each for each in after.gaps if each.id == "not-certified")
    assert gap.items == (f"{goal['id']}: not tried",)


def test_why_goals_have_no_written_proof(documents: Documents, sources: dict[str, bytes]) -> None:
    goal = documents["certified"]["goals"][0]
    identity = {key: goal[key] for key in ("id", "task_sha256")}
    found = {"outcome": "no proof", "cvc5": "1", "because": "timeout", "seconds": 20}
    documents["certified"]["goals"][0] = found | identity
    evidence = assemble(typed(documents), sources)
    (gap,) = (each for each in evidence.gaps if each.id == "not-certified")
    assert gap.items == (f"{goal['id']}: timeout",)
    assert '<th scope="row">timeout</th><td class="n">1</td>' in page(evidence)
