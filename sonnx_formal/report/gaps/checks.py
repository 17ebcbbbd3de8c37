"""Gaps that the checks of the evidence itself find, and trust that is not accounted for."""

from collections.abc import Iterator

from sonnx_formal.evidence.hypotheses import UseOfHypotheses
from sonnx_formal.evidence.mutation.mutate import Mutation
from sonnx_formal.evidence.trust.base import TrustedBase
from sonnx_formal.evidence.vacuity import Vacuity
from sonnx_formal.prover.document import ProofReport
from sonnx_formal.report.gaps.gap import Shortfall
from sonnx_formal.report.self_test.document import SelfTest


def of_trust(trusted: TrustedBase) -> Iterator[Shortfall]:
    """What is believed and not accounted for."""
    yield "trust", [f"{each.kind}: {each.what}: {each.remedy}" for each in trusted.differences]
    yield "tools-not-here", [tool.name for tool in trusted.tools if tool.version is None]


def of_vacuity(vacuity: Vacuity) -> Iterator[Shortfall]:
    """What may be proved of nothing."""
    yield (
        "vacuous",
        [
            *vacuity.summary.unaccounted,
            *(f"stale reason: {name}" for name in vacuity.summary.stale_dispositions),
        ],
    )
    yield (
        "vacuity-open",
        [
            f"{each.of}{f' ({each.explanation})' if each.explanation else ''}: {each.finding}"
            for each in vacuity.hypotheses
            if each.finding in {"inconclusive", "not asked"}
        ],
    )
    contracts = (*vacuity.preconditions, *vacuity.parameters)
    yield "no-witness", [each.name for each in contracts if not each.witnesses]


def of_mutation(mutation: Mutation, prove: ProofReport | None) -> Iterator[Shortfall]:
    """Wrong edits that nothing notices."""
    yield (
        "mutation",
        [
            *mutation.summary.unexplained,
            *(
                f"{file.file}: its score is "
                f"{'unknown' if file.score is None else f'{file.score:.0%}'}"
                for file in mutation.files
                if not file.good
            ),
            *(f"stale reason: {name}" for name in mutation.summary.stale_dispositions),
        ],
    )
    yield (
        "survivors",
        [
            f"{mutant.id}: {mutant.reason}"
            for mutant in mutation.mutants
            if mutant.outcome == "survived" and mutant.reason
        ],
    )
    yield "untried-mutants", [each.id for each in mutation.mutants if each.outcome == "untried"]
    edited = {file.file for file in mutation.files}
    proved = dict.fromkeys(goal.file for goal in prove.goals) if prove else {}
    yield "not-mutated", [file for file in proved if file not in edited]


def of_hypotheses(use: UseOfHypotheses) -> Iterator[Shortfall]:
    """Preconditions that may be too strong."""
    yield (
        "unused-preconditions",
        [
            *(
                f"{each.function}: {each.name}"
                for each in use.preconditions
                if each.use == "unused" and each.reason is None
            ),
            *(f"obsolete reason: {each.function}: {each.name}" for each in use.obsolete_reasons),
        ],
    )
    yield (
        "undetermined-preconditions",
        [
            f"{each.function}: {each.name}"
            for each in use.preconditions
            if each.use == "undetermined"
        ],
    )


def of_self_test(found: SelfTest) -> Iterator[Shortfall]:
    """Injected faults that went unnoticed."""
    yield (
        "self-test",
        [f"{each.injected}: {each.guard}" for each in found.injections if not each.caught],
    )
