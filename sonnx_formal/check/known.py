"""Divergences of runtimes that are on record, put to the runtime once more."""

from collections.abc import Iterable, Iterator

from sonnx_formal.backends.backend import CallOutcome, Crashed, Result
from sonnx_formal.backends.process import Worker
from sonnx_formal.check.compare import judge, same_by
from sonnx_formal.check.document import KnownDivergence, Standing, Verdict
from sonnx_formal.check.smallest import Counterexample
from sonnx_formal.check.trials import Trial, outcome, posed
from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.operator import Instance
from sonnx_formal.spec.requirements.entries import Divergence
from sonnx_formal.vectors.elements import of_numbers
from sonnx_formal.vectors.manifest import call_of

Recorded = tuple[Divergence, Instance]


def recorded(divergences: Iterable[Divergence]) -> Iterator[Recorded]:
    """Each over each of its types. Raises `UserError` for a type that the operator lacks."""
    for each in divergences:
        found = {instance.label: instance for instance in operator(each.operator).instances()}
        for label in each.types:
            if label not in found:
                raise UserError(f"a divergence of {each.runtime}: {each.operator} has no {label}")
            yield each, found[label]


def examined(
    divergence: Divergence, instance: Instance, oracle: Oracle, worker: Worker | None, here: str
) -> KnownDivergence:
    """Whether the runtime still does what is on record.

    :param worker: None where the runtime is not there.
    :param here: the version that is there.
    """
    trial, before = trial_of(divergence, instance, oracle), outcome_of(divergence, instance)
    judgement = judge(trial, before, strict=True)
    if judgement.verdict not in {Verdict.DIVERGES, Verdict.CRASHES}:
        raise UserError(f"{divergence.runtime}: {trial.call}: this is no divergence")
    standing, now = Standing.NOT_ASKED, ""
    if worker is not None and here != divergence.version:
        standing = Standing.OTHER_VERSION
    elif worker is not None:
        after = outcome(worker, trial)
        seen = judge(trial, after, strict=True)
        standing = Standing.CONFIRMED if _is_same(before, after, trial) else Standing.STALE
        now = ": ".join(filter(None, (seen.verdict, "; ".join(seen.kinds))))
    return KnownDivergence(
        instance.operator.name,
        instance.label,
        divergence.runtime,
        divergence.version,
        divergence.what,
        divergence.got if isinstance(divergence.got, str) else None,
        Counterexample(trial, judgement).told(next(iter(judgement.kinds), "")),
        standing,
        now,
    )


def trial_of(divergence: Divergence, instance: Instance, oracle: Oracle) -> Trial:
    """The input, with what the definition has for it."""
    ports = instance.operator.ports(len(divergence.operands))
    operands = (
        of_numbers(instance.type_of(input_), numbers)
        for (_, input_), numbers in zip(ports, divergence.operands, strict=True)
    )
    call = call_of(instance, tuple(operands), Attributes.of(divergence.attributes))
    alone = isinstance(divergence.got, str)
    return posed(oracle, f"recorded of {divergence.runtime}", instance, call, alone=alone)


def outcome_of(divergence: Divergence, instance: Instance) -> CallOutcome:
    """What is on record."""
    if isinstance(divergence.got, str):
        return Crashed(divergence.got)
    return Result(of_numbers(instance.type_of(instance.operator.output), divergence.got))


def _is_same(before: CallOutcome, after: CallOutcome, trial: Trial) -> bool:
    if not isinstance(before, Result) or not isinstance(after, Result):
        return before == after
    first, other = before.array, after.array
    alike = first.dtype == other.dtype and first.shape == other.shape
    return alike and bool(same_by(trial.call.operator, first, other, trial.result_type).all())
