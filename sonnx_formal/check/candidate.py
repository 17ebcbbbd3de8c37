"""One implementation in the cross-check: what its answers to the trials of an operator come to."""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import CancelledError
from dataclasses import asdict, dataclass, field
from functools import partial
from threading import Event

from msgspec import structs

from sonnx_formal.backends.process import Worker
from sonnx_formal.check.asking import supports
from sonnx_formal.check.compare import Judgement, judge
from sonnx_formal.check.document import (
    CheckedBackend,
    CheckFinding,
    MatrixRow,
    ProbeRow,
    SumErrors,
    SumErrorsRow,
    Verdict,
)
from sonnx_formal.check.probes import Probe, ProbeAnswer
from sonnx_formal.check.smallest import Counterexample, smaller
from sonnx_formal.check.trials import Trial, outcome
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.operator import Instance

_MOST_HANGS = 3
_MOST_CRASHES = 20
"""Of one implementation, operator and type: what is left is not run."""


@dataclass(frozen=True)
class TrialRows:
    """What the document says of an implementation, an operator and its types."""

    verdicts: MatrixRow
    errors: tuple[SumErrorsRow, ...]
    findings: tuple[CheckFinding, ...]


@dataclass
class _Group:
    example: Counterexample
    trials: int = 0
    elements: int = 0


@dataclass
class _Tally:
    counts: Counter[Verdict] = field(default_factory=Counter)
    not_passed: dict[str, Verdict] = field(default_factory=dict)
    """The trials with another verdict than a pass by their names, of who supports the types."""
    errors: dict[int, SumErrors] = field(default_factory=dict)
    """Of sums that may depend on their order, by the number of products."""
    groups: dict[tuple[Verdict, str, bool], _Group] = field(default_factory=dict)
    computed: bool = False
    """Whether there was an array for any admissible operands."""
    hangs: int = 0
    crashes: int = 0

    def add(self, trial: Trial, judgement: Judgement) -> None:
        self.counts[judgement.verdict] += 1
        self.hangs += judgement.hung
        self.crashes += judgement.verdict is Verdict.CRASHES and not judgement.hung
        if judgement.verdict not in {Verdict.PASS, Verdict.WITHIN_BOUND}:
            self.not_passed[trial.name] = judgement.verdict
        if (errors := judgement.errors) is not None:
            before = self.errors.get(errors.products, SumErrors(errors.products))
            self.errors[errors.products] = before.with_all(errors)
        self.computed |= judgement.got is not None and trial.violated is None
        found = Counterexample(trial, judgement)
        for kind in judgement.kinds:
            key = (judgement.verdict, kind, trial.violated is None)
            group = self.groups.setdefault(key, _Group(found))
            group.trials += 1
            group.elements += sum(other == kind for _, other in judgement.wrong)
            group.example = min(group.example, found, key=lambda each: each.size)


@dataclass(frozen=True)
class Candidate:
    """An implementation, asked through its worker by a thread at a time."""

    worker: Worker
    backend: CheckedBackend
    oracle: Oracle
    accumulate: str | None
    over: Event
    """Set when nobody wants to know any more."""
    declared: set[tuple[str, str]] = field(default_factory=set)
    """The operators and types, of those that were chosen, that it says it supports."""

    def examine(self, instance: Instance, trials: Sequence[Trial]) -> TrialRows:
        """Run it on every trial, then look for the smallest input of each failure.

        :raises CancelledError: when it is over.
        :raises OracleError, UserError: when the oracle fails.
        """
        if self.over.is_set():
            raise CancelledError
        about = instance.operator.name, instance.label, self.backend.name
        tally = self._tally(instance, trials)
        counts = {verdict: tally.counts[verdict] for verdict in Verdict}
        owner = dict(zip(("operator", "element_type", "backend"), about, strict=True))
        findings = (
            CheckFinding(
                *about,
                verdict,
                kind,
                admissible,
                group.trials,
                group.elements,
                smaller(group.example, kind, self.oracle, self._judged).told(kind),
            )
            for (verdict, kind, admissible), group in tally.groups.items()
        )
        return TrialRows(
            MatrixRow(*about, counts, tally.not_passed),
            tuple(
                SumErrorsRow(**structs.asdict(sums) | owner)
                for _, sums in sorted(tally.errors.items())
            ),
            tuple(findings),
        )

    def answer(self, probe: Probe) -> ProbeRow:
        """What it answers to a question that is no trial. Raises as `examine` does."""
        if self.backend.missing is not None:
            answer = ProbeAnswer(Verdict.NOT_INSTALLED)
        elif not supports(self.worker, probe.instance):
            answer = ProbeAnswer(Verdict.NOT_SUPPORTED, "it has not the operator over the type")
        else:
            answer = probe.ask(probe, self.oracle, partial(outcome, self.worker))
        return ProbeRow(
            probe.instance.operator.name,
            probe.instance.label,
            self.worker.name,
            answer.verdict,
            answer.kind,
            answer.admissible,
            probe.name,
            probe.question,
            asdict(answer.form),
            answer.example.told(answer.kind) if answer.example else None,
        )

    def _judged(self, trial: Trial) -> Judgement:
        if self.over.is_set():
            raise CancelledError
        became, ours = outcome(self.worker, trial), self.backend.ours
        return judge(trial, became, strict=ours, accumulate=self.accumulate)

    def _tally(self, instance: Instance, trials: Sequence[Trial]) -> _Tally:
        if self.backend.missing is not None:
            return _Tally(Counter({Verdict.NOT_INSTALLED: len(trials)}))
        if not supports(self.worker, instance):
            return _Tally(Counter({Verdict.NOT_SUPPORTED: len(trials)}))
        self.declared.add((instance.operator.name, instance.label))
        tally = _Tally()
        # What has a result comes first: only who computes anything can be said to reject the rest.
        for trial in sorted(trials, key=lambda trial: trial.violated is not None):
            if tally.hangs >= _MOST_HANGS or tally.crashes >= _MOST_CRASHES:
                judgement = Judgement(Verdict.NOT_JUDGED, ("not run after so many failures",))
            else:
                judgement = self._judged(trial)
                if trial.violated and judgement.verdict is Verdict.PASS and not tally.computed:
                    judgement = Judgement(Verdict.REFUSES)
            tally.add(trial, judgement)
        return tally
