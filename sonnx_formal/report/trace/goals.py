"""The goals of the formal library, each with the families of provers that prove it."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.certificate import certificate_path, read_certificate
from sonnx_formal.prover.document import ProofReport
from sonnx_formal.prover.goals import Goals
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.provers import FAMILIES
from sonnx_formal.prover.sources import library_sources
from sonnx_formal.report.trace.document import GoalLink

Choice = Callable[[str], bool]
"""Of files by their names: `ops/mul.mlw`. Why3 takes its time for each of them, once."""


def all_files(_name: str) -> bool:
    """Each file."""
    return True


def goals_of_library(
    library: Path, jobs: int = 1, chosen: Choice = all_files
) -> tuple[GoalLink, ...]:
    """The goals as Why3 states them now, with the proofs that the certificate records.

    A proof of another text of a goal does not count: the goal is unproved until it is proved anew.

    :raises UserError: when Why3 is missing, the library does not type-check, or there is no
        certificate.
    """
    certificate = read_certificate(certificate_path(library))
    if certificate is None:
        raise UserError(
            f"{certificate_path(library)} is missing: restore it from version control, or make it "
            "with `sonnx-formal prove`"
        )
    # A prover that is not known is a family of its own name: it never makes two of one.
    families = {
        (name, goal.task_sha256): {FAMILIES.get(each.prover, each.prover) for each in goal.proofs}
        for name, goal in certificate.goals.items()
    }
    return tuple(_stated(library, jobs, chosen, families))


def goals_of_run(
    library: Path, path: Path, jobs: int = 1, chosen: Choice = all_files
) -> tuple[GoalLink, ...]:
    """The goals as Why3 states them now, with the proofs of a run: `sonnx-formal prove --json`.

    :raises UserError: as `goals_of_library`, and when the file is no output of that command.
    """
    run = documents.read(path, ProofReport)
    families = {(goal.id, goal.task_sha256): {*goal.families} for goal in run.goals}
    return tuple(_stated(library, jobs, chosen, families))


def _stated(
    library: Path, jobs: int, chosen: Choice, families: Mapping[tuple[str, str], set[str]]
) -> Iterator[GoalLink]:
    store = Cache(cache_folder(), lambda _: None)
    sources = [source for source in library_sources(library) if chosen(source.name)]
    for goal in Goals(find_why3(), library, store).read(sources, jobs):
        found = families.get((goal.id, goal.task.sha256), set())
        yield GoalLink(goal.id, goal.explanation, tuple(sorted(found)))
