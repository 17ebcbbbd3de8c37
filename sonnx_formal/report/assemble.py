"""The evidence as a pure function of the documents, the sources and the tables."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from sonnx_formal.check.document import CheckReport
from sonnx_formal.core.errors import UserError
from sonnx_formal.evidence.certify import CertifiedProofs
from sonnx_formal.evidence.hypotheses import UseOfHypotheses
from sonnx_formal.evidence.mutation.mutate import Mutation
from sonnx_formal.evidence.trust.base import TrustedBase
from sonnx_formal.evidence.vacuity import Vacuity
from sonnx_formal.prover.certificate import Certificate, certificate_of
from sonnx_formal.prover.document import GoalEntry, ProofReport
from sonnx_formal.report import tables
from sonnx_formal.report.documents import KINDS, sha256, text_of
from sonnx_formal.report.evidence import (
    DocumentEntry,
    Evidence,
    FileTally,
    Listing,
    VectorGroup,
    VectorSummary,
)
from sonnx_formal.report.gaps.checks import (
    of_hypotheses,
    of_mutation,
    of_self_test,
    of_trust,
    of_vacuity,
)
from sonnx_formal.report.gaps.gap import gaps, missing_documents
from sonnx_formal.report.gaps.implementations import of_check
from sonnx_formal.report.gaps.proofs import of_certified, of_proofs
from sonnx_formal.report.gaps.requirements import of_trace, of_vectors
from sonnx_formal.report.pages import Page, pages
from sonnx_formal.report.records import unrecorded
from sonnx_formal.report.self_test.document import SelfTest
from sonnx_formal.report.sources import CERTIFICATE, LIBRARY, described, library_sha256
from sonnx_formal.report.trace.document import Trace
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.vectors.manifest import Manifest

_Document = TypeVar("_Document")
_TWO = 2


def assemble(documents: Mapping[str, Mapping[str, Any]], sources: Mapping[str, bytes]) -> Evidence:
    """Put the evidence together.

    :param documents: what the commands wrote, without times, by the names of `KINDS`.
    :param sources: the files of `read_sources`.
    :raises UserError: when a document has not the shape that its schema promises.
    """
    prove = _read(documents, "prove", ProofReport)
    trace = _read(documents, "trace", Trace)
    check = _read(documents, "check", CheckReport)
    vectors = _read(documents, "vectors", Manifest)
    trusted = _read(documents, "trusted-base", TrustedBase)
    vacuity = _read(documents, "vacuity", Vacuity)
    mutation = _read(documents, "mutation", Mutation)
    use = _read(documents, "hypotheses", UseOfHypotheses)
    certified = _read(documents, "certified", CertifiedProofs)
    self_test = _read(documents, "self-test", SelfTest)
    shortfalls = (
        *missing_documents(documents),
        *(of_proofs(prove, _certificate(sources)) if prove else ()),
        *(of_vectors(library_sha256(sources), vectors) if vectors else ()),
        *(of_trace(trace) if trace else ()),
        *(of_check(check) if check else ()),
        *(of_vacuity(vacuity) if vacuity else ()),
        *(of_mutation(mutation, prove) if mutation else ()),
        *(of_hypotheses(use) if use else ()),
        *(of_certified(certified, prove) if certified else ()),
        ("unrecorded", unrecorded(sources, vacuity, certified, mutation)),
        *(of_self_test(self_test) if self_test else ()),
        *(of_trust(trusted) if trusted else ()),
    )
    written = tables.claims()
    shown = pages(operators())
    return Evidence(
        version=version("sonnx-formal"),
        documents=tuple(_documents(documents)),
        sources=described(sources),
        gaps=gaps(shortfalls),
        claims=written.claims,
        non_claims=written.non_claims,
        assumptions=written.assumptions,
        why3=prove.why3 if prove else None,
        provers=prove.provers if prove else (),
        goals=prove.goals if prove else (),
        files=tuple(_files(prove.goals if prove else (), certified)),
        trace=trace,
        vectors=_vectors(vectors) if vectors else None,
        check=check,
        trusted_base=trusted,
        vacuity=_worth_showing(vacuity) if vacuity else None,
        mutation=_survivors(mutation) if mutation else None,
        hypotheses=use,
        certified=certified,
        self_test=self_test,
        pages=shown,
        listings=tuple(_listings(shown, sources)),
        tools=tables.tools(),
        standards=tables.standards(),
    )


def _read(
    documents: Mapping[str, Mapping[str, Any]], name: str, shape: type[_Document]
) -> _Document | None:
    if name not in documents:
        return None
    try:
        return msgspec.convert(documents[name], shape)
    except msgspec.ValidationError as error:
        raise UserError(f"{name}: not as its schema says: {error}") from None


def _documents(documents: Mapping[str, Mapping[str, Any]]) -> Iterator[DocumentEntry]:
    for kind in KINDS:
        present = documents.get(kind.name)
        seal = None if present is None else sha256(text_of(present))
        yield DocumentEntry(kind.name, kind.purpose, " ".join(kind.command()), seal)


def _certificate(sources: Mapping[str, bytes]) -> Certificate | None:
    data = sources.get(CERTIFICATE)
    return None if data is None else certificate_of(data, CERTIFICATE)


def _worth_showing(vacuity: Vacuity) -> Vacuity:
    """Less those hypotheses that have a model, of which there are thousands."""
    open_ = tuple(each for each in vacuity.hypotheses if each.finding != "consistent")
    return replace(vacuity, hypotheses=open_)


def _survivors(mutation: Mutation) -> Mutation:
    """Less those mutants that were noticed, of which there are thousands."""
    open_ = tuple(each for each in mutation.mutants if each.outcome in {"survived", "untried"})
    return replace(mutation, mutants=open_)


def _files(goals: Sequence[GoalEntry], certified: CertifiedProofs | None) -> Iterator[FileTally]:
    checked = {
        (goal.id, goal.task_sha256)
        for goal in (certified.goals if certified else ())
        if goal.outcome == "proof"
    }
    by_file: dict[str, list[GoalEntry]] = {}
    for goal in goals:
        by_file.setdefault(goal.file, []).append(goal)
    for file, here in sorted(by_file.items()):
        proofs = [proof for goal in here for proof in goal.proofs]
        provers = Counter(proof.prover for proof in proofs)
        steps: Counter[str] = Counter()
        for proof in proofs:
            steps[proof.prover] += proof.steps or 0
        yield FileTally(
            file=file,
            goals=len(here),
            proved=sum(goal.proved for goal in here),
            two_families=sum(len(goal.families) >= _TWO for goal in here),
            certified=sum((goal.id, goal.task_sha256) in checked for goal in here),
            by_prover=dict(sorted(provers.items())),
            steps=dict(sorted(steps.items())),
        )


def _vectors(vectors: Manifest) -> VectorSummary:
    groups = (
        VectorGroup(
            file.file,
            file.operator,
            "-".join(file.types),
            file.sha256,
            dict(sorted(Counter(case.case_class for case in file.cases).items())),
        )
        for file in vectors.files
    )
    origin = vectors.origin
    return VectorSummary(origin.seed, origin.formal_sources_sha256, origin.tools, tuple(groups))


def _listings(shown: Sequence[Page], sources: Mapping[str, bytes]) -> Iterator[Listing]:
    for page in shown:
        if (data := sources.get(f"{LIBRARY}{page.listing}")) is not None:
            yield Listing(page.listing, data.decode(errors="replace"))
