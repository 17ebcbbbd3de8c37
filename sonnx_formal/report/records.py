"""Whether the results that take long to find out are those that the records in the sources have."""

from collections.abc import Iterator, Mapping
from typing import TypeVar

import msgspec
from msgspec import Struct

from sonnx_formal.core.errors import UserError
from sonnx_formal.report import inputs
from sonnx_formal.report.sources import RECORDS


class _Hypotheses(Struct, frozen=True):
    finding: str


class _Vacuity(Struct, frozen=True):
    tasks: dict[str, _Hypotheses] = {}


class _Proof(Struct, frozen=True):
    outcome: str
    steps: int = 0
    trusted: dict[str, int] = {}
    checker: str | None = None
    complete: bool | None = None


class _Certified(Struct, frozen=True):
    tasks: dict[str, _Proof] = {}


class _Mutant(Struct, frozen=True):
    outcome: str
    by: str


class _Mutation(Struct, frozen=True):
    mutants: dict[str, _Mutant] = {}


_Record = TypeVar("_Record", _Vacuity, _Certified, _Mutation)


def unrecorded(
    sources: Mapping[str, bytes],
    vacuity: inputs.Vacuity | None,
    certified: inputs.Certified | None,
    mutation: inputs.Mutation | None,
) -> Iterator[str]:
    """The results in these documents that the records do not have.

    :raises UserError: when a record cannot be read.
    """
    hypotheses = _read(sources, "vacuity", _Vacuity).tasks
    for one in vacuity.hypotheses if vacuity else ():
        if one.finding != "not asked" and hypotheses.get(one.sha256) != _Hypotheses(one.finding):
            yield f"vacuity: {one.of}: {one.finding}"
    proofs = _read(sources, "certified", _Certified).tasks
    for goal in certified.goals if certified else ():
        said = _Proof(goal.outcome, goal.steps, goal.trusted, goal.checker, goal.complete)
        if goal.outcome != "not tried" and proofs.get(goal.task_sha256) != said:
            yield f"certified: {goal.id}: {goal.outcome}"
    mutants = _read(sources, "mutation", _Mutation).mutants
    for mutant in mutation.mutants if mutation else ():
        known = mutants.get(mutant.id)
        if mutant.outcome != "untried" and known != _Mutant(mutant.outcome, mutant.by):
            yield f"mutation: {mutant.id}: {mutant.outcome}"


def _read(sources: Mapping[str, bytes], name: str, kind: type[_Record]) -> _Record:
    path = f"{RECORDS}{name}.json"
    if path not in sources:
        return kind()
    try:
        return msgspec.json.decode(sources[path], type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is no record: {error}") from None
