"""The goals of the formal library, each with the families of provers that prove it."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

import jsonschema

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.certificate import certificate_path, read_certificate
from sonnx_formal.prover.goals import Goal, Goals
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.sources import library_sources
from sonnx_formal.report.trace.documents import read_json
from sonnx_formal.spec.requirements import Finding, OperatorGoals, Requirement
from sonnx_formal.spec.requirements.notation import ids_in

_FAMILIES = {"z3": "z3", "cvc5": "cvc", "cvc4": "cvc"}
"""Of the provers that a certificate names."""


@dataclass(frozen=True)
class ProvedGoal:
    """A goal, and what is known of its proofs."""

    id: str
    """`file.mlw:Module.goal.k`."""
    symbol: str
    """`file.mlw:Module.goal`: all pieces of a goal have it."""
    explanation: str
    families: frozenset[str]
    """Families of provers with a proof of this very text; empty for an unproved goal."""

    @property
    def explained_by(self) -> set[str]:
        """The ids of the requirements that Why3 names for it."""
        return ids_in(self.explanation)


Choice = Callable[[str], bool]
"""Of files by their names: `ops/mul/definition.mlw`."""


def all_files(_name: str) -> bool:
    """Each file."""
    return True


def files_of_the_trace(
    requirements: Mapping[str, Requirement], findings: Iterable[Finding], rule: OperatorGoals
) -> Choice:
    """The files whose goals a trace speaks of: linked ones, and those of the operators."""
    links = [one for each in requirements.values() for one in each.goals]
    links += [one for each in findings for one in each.shown_by]
    linked = {one.partition(":")[0] for one in links if ":" in one}
    return lambda name: name in linked or rule.is_of_operators(name)


def goals_of_library(
    library: Path, jobs: int = 1, chosen: Choice = all_files
) -> tuple[ProvedGoal, ...]:
    """The goals as Why3 states them now, with the proofs that the certificate records.

    A proof of another text of a goal does not count: the goal is unproved until it is proved anew.

    :param chosen: the files to read; Why3 takes its time for each of them, once.
    :raises UserError: when Why3 is missing, the library does not type-check, or there is no
        certificate.
    """
    certificate = read_certificate(certificate_path(library))
    if certificate is None:
        raise UserError(
            f"{certificate_path(library)} is missing: restore it from version control, or make it "
            "with `sonnx-formal prove`"
        )
    recorded = {
        (name, goal.task_sha256): [_family(proof.prover) for proof in goal.proofs]
        for name, goal in certificate.goals.items()
    }
    return tuple(_with_families(_stated(library, jobs, chosen), recorded))


def goals_of_run(
    library: Path, path: Path, jobs: int = 1, chosen: Choice = all_files
) -> tuple[ProvedGoal, ...]:
    """The goals as Why3 states them now, with the proofs of a run: `sonnx-formal prove --json`.

    :raises UserError: as `goals_of_library`, and when the file is no output of that command.
    """
    run = read_json(path, _schema(), "sonnx-formal prove --json")
    proofs = {
        (goal["id"], goal["task_sha256"]): [proof["family"] for proof in goal["proofs"]]
        for goal in run["goals"]
    }
    return tuple(_with_families(_stated(library, jobs, chosen), proofs))


def _stated(library: Path, jobs: int, chosen: Choice) -> list[Goal]:
    store = Cache(cache_folder(), lambda _: None)
    sources = [one for one in library_sources(library) if chosen(one.name)]
    return Goals(find_why3(), library, store).read(sources, jobs)


def _with_families(
    goals: Iterable[Goal], proofs: Mapping[tuple[str, str], list[str]]
) -> Iterable[ProvedGoal]:
    for goal in goals:
        families = proofs.get((goal.id, goal.task.sha256), [])
        symbol = f"{goal.source.name}:{goal.module}.{goal.name}"
        yield ProvedGoal(goal.id, symbol, goal.explanation, frozenset(families))


def _family(prover: str) -> str:
    """A prover that is not known is a family of its own name: it never makes two of one."""
    return _FAMILIES.get(prover, prover)


@cache
def _schema() -> jsonschema.protocols.Validator:
    text = resources.files("sonnx_formal.prover").joinpath("prove.schema.json").read_text("utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))
