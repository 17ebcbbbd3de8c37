"""The evidence as a pure function of the documents, the sources and the tables."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from sonnx_formal.core.errors import UserError
from sonnx_formal.report import gaps, inputs, tables
from sonnx_formal.report.documents import KINDS, sha256, text_of
from sonnx_formal.report.evidence import (
    SCHEMA,
    Document,
    Evidence,
    FileTally,
    Gap,
    Listing,
    VectorGroup,
    Vectors,
)
from sonnx_formal.report.records import unrecorded
from sonnx_formal.report.sources import CERTIFICATE, LIBRARY, described, library_sha256

_Document = TypeVar("_Document")
_TWO = 2


def assemble(documents: Mapping[str, Mapping[str, Any]], sources: Mapping[str, bytes]) -> Evidence:
    """Put the evidence together.

    :param documents: what the commands wrote, without times, by the names of `KINDS`.
    :param sources: the files of `read_sources`.
    :raises UserError: when a document has not the shape that its schema promises.
    """
    prove = _read(documents, "prove", inputs.Prove)
    trace = _read(documents, "trace", inputs.Trace)
    check = _read(documents, "check", inputs.Check)
    vectors = _read(documents, "vectors", inputs.Vectors)
    trusted = _read(documents, "trusted-base", inputs.TrustedBase)
    vacuity = _read(documents, "vacuity", inputs.Vacuity)
    mutation = _read(documents, "mutation", inputs.Mutation)
    use = _read(documents, "hypotheses", inputs.UseOfHypotheses)
    certified = _read(documents, "certified", inputs.Certified)
    self_test = _read(documents, "self-test", inputs.SelfTest)
    library = library_sha256(sources)

    found: list[Gap] = [*gaps.missing_documents(documents)]
    if prove:
        found += gaps.of_proofs(prove, _certificate(sources))
    if vectors:
        found += gaps.of_sources(library, vectors)
    if trace:
        found += gaps.of_trace(trace)
    if check:
        found += gaps.of_check(check)
    if vacuity:
        found += gaps.of_vacuity(vacuity)
    if mutation:
        found += gaps.of_mutation(mutation, prove)
    if use:
        found += gaps.of_hypotheses(use)
    if certified:
        found += gaps.of_certified(certified, prove)
    found += gaps.of_records(list(unrecorded(sources, vacuity, certified, mutation)))
    if self_test:
        found += gaps.of_self_test(self_test)
    if trusted:
        found += gaps.of_trust(trusted)
    found += gaps.always()

    written = tables.claims()
    operators = tables.operators()
    return Evidence(
        schema=SCHEMA,
        version=version("sonnx-formal"),
        documents=tuple(_documents(documents)),
        sources=described(sources),
        gaps=tuple(sorted(found, key=lambda gap: not gap.blocking)),
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
        operators=operators,
        listings=tuple(_listings(operators, sources)),
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


def _documents(documents: Mapping[str, Mapping[str, Any]]) -> Iterator[Document]:
    for kind in KINDS:
        present = documents.get(kind.name)
        seal = None if present is None else sha256(text_of(present))
        yield Document(kind.name, kind.purpose, kind.command.format(folder="DIR"), seal)


def _certificate(sources: Mapping[str, bytes]) -> inputs.Certificate | None:
    if CERTIFICATE not in sources:
        return None
    try:
        return msgspec.json.decode(sources[CERTIFICATE], type=inputs.Certificate)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{CERTIFICATE} is no certificate: {error}") from None


def _worth_showing(vacuity: inputs.Vacuity) -> inputs.Vacuity:
    """Less those hypotheses that have a model, of which there are thousands."""
    open_ = tuple(one for one in vacuity.hypotheses if one.finding != "consistent")
    return replace(vacuity, hypotheses=open_)


def _survivors(mutation: inputs.Mutation) -> inputs.Mutation:
    """Less those mutants that were noticed, of which there are thousands."""
    open_ = tuple(one for one in mutation.mutants if one.outcome in {"survived", "untried"})
    return replace(mutation, mutants=open_)


def _files(goals: Sequence[inputs.Goal], certified: inputs.Certified | None) -> Iterator[FileTally]:
    checked = {
        (one.id, one.task_sha256)
        for one in (certified.goals if certified else ())
        if one.outcome == "proof"
    }
    by_file: dict[str, list[inputs.Goal]] = {}
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


def _vectors(vectors: inputs.Vectors) -> Vectors:
    groups = (
        VectorGroup(
            file.file,
            file.operator,
            file.element_type,
            file.sha256,
            dict(sorted(Counter(case.case_class for case in file.cases).items())),
        )
        for file in vectors.files
    )
    return Vectors(vectors.seed, vectors.formal_sources_sha256, vectors.tools, tuple(groups))


def _listings(
    operators: Sequence[tables.Operator], sources: Mapping[str, bytes]
) -> Iterator[Listing]:
    for file in dict.fromkeys(operator.listing for operator in operators):
        if (data := sources.get(f"{LIBRARY}{file}")) is not None:
            yield Listing(file, data.decode(errors="replace"))
