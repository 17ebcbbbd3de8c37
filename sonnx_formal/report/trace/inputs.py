"""What a trace is computed from: the registry, goals, a cross-check, and what the sources name."""

import ast
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sonnx_formal.check.document import CheckReport
from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import cache_folder, files_below, read_given
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.certificate import certificate_path, read_certificate
from sonnx_formal.prover.dependence import StatedGoal, conditional
from sonnx_formal.prover.document import ProofReport
from sonnx_formal.prover.goals import Goal, Goals
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.library import Library
from sonnx_formal.prover.provenance import BegunRun
from sonnx_formal.prover.provers import FAMILIES
from sonnx_formal.prover.sources import Source, library_sha256, library_sources
from sonnx_formal.report.trace.document import GoalLink
from sonnx_formal.spec.catalogue import MissingFile
from sonnx_formal.spec.requirements.entries import ids_in
from sonnx_formal.vectors.manifest import Manifest

_SUFFIXES = {".mlw", ".py", ".ml", ".toml"}


@dataclass(frozen=True)
class TraceEvidence:
    """Goals, vectors and verdicts. What is None was not given, and then nothing is taken for it."""

    made: BegunRun
    goals: tuple[GoalLink, ...]
    vectors: Manifest | None = None
    crosscheck: CheckReport | None = None
    """Of these vectors."""
    tests: frozenset[str] | None = None
    """`tests/file.py::test_name`."""
    used: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Ids that occur in sources, with the files they occur in."""
    missing: tuple[MissingFile, ...] = ()
    """What declared operators, or definitions that nobody declared, still need."""


def stated_goals(
    library: Path, run: Path | None, jobs: int, chosen: Callable[[str], bool]
) -> tuple[GoalLink, ...]:
    """The goals as Why3 states them now, with the families of provers that prove them.

    A proof of another text of a goal does not count: the goal is unproved until it is proved anew.

    :param run: what `sonnx-formal prove --json` wrote, which has the goals of its files, too; None:
        the certificate says what is proved.
    :param chosen: of files by their names, `ops/mul/definition.mlw`; Why3 takes its time for each.
    :raises UserError: when Why3 is missing, the library does not type-check, there is no
        certificate, or the file is no such output of these sources.
    """
    sources = [source for source in library_sources(library) if chosen(source.name)]
    if run is None:
        return _by_certificate(library, _read(library, sources, jobs))
    found = documents.read(run, ProofReport)
    if found.made.library_sha256 != library_sha256(library):
        again = f"`sonnx-formal {ProofReport.command}`"
        raise UserError(f"{run}: of other formal sources than those here: {again}")
    files = found.made.files or {source.name for source in sources}
    others = [source for source in sources if source.name not in files]
    stated = (goal for goal in found.goals if chosen(goal.file))
    return (
        *(GoalLink(g.id, g.explanation, g.families, g.rests_on) for g in stated),
        *(GoalLink(g.id, g.explanation, ()) for g in _read(library, others, jobs)),
    )


def _read(library: Path, sources: Sequence[Source], jobs: int) -> Sequence[Goal]:
    cache = Cache(cache_folder(), lambda _: None)
    return Goals(find_why3(), library, cache).read(sources, jobs) if sources else ()


def _by_certificate(library: Path, goals: Sequence[Goal]) -> tuple[GoalLink, ...]:
    """What of the goals is proved, and rests on none of them that is not."""
    families = _of_certificate(library)
    proofs = [families.get((goal.id, goal.task.sha256), ()) for goal in goals]
    stated = [
        StatedGoal(goal.id, goal.source.name, goal.module, goal.name, bool(proof))
        for goal, proof in zip(goals, proofs, strict=True)
    ]
    below = {} if all(proofs) else conditional(stated, Library.read(library))
    return tuple(
        GoalLink(goal.id, goal.explanation, () if rests_on else proof, rests_on)
        for goal, proof in zip(goals, proofs, strict=True)
        for rests_on in [below.get(goal.id)]
    )


def _of_certificate(library: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    path = certificate_path(library)
    certificate = read_certificate(path)
    if certificate is None:
        raise UserError(
            f"{path} is missing: restore it from version control, or make it with `sonnx-formal "
            "prove`"
        )
    # A prover that is not known is a family of its own name: it never makes two of one.
    return {
        (name, goal.task_sha256): tuple(
            sorted({FAMILIES.get(each.prover, each.prover) for each in goal.proofs})
        )
        for name, goal in certificate.goals.items()
    }


def read_crosscheck(path: Path, manifest_sha256: str) -> CheckReport:
    """What `check --json` wrote. Raises `UserError` when it is not of the vectors of this hash."""
    check = documents.read(path, CheckReport)
    if check.manifest_sha256 != manifest_sha256:
        command = f"sonnx-formal check --vectors DIR --json {path}"
        raise UserError(f"{path}: not of these test vectors: check them with `{command}`")
    return check


def ids_used(root: Path) -> Mapping[str, Sequence[str]]:
    """The ids of requirements in `why3/` and `sonnx_formal/`, with files. Raises `UserError`."""
    found = defaultdict(list)
    for folder in ("why3", "sonnx_formal"):
        for path in files_below(root / folder):
            if path.suffix in _SUFFIXES:
                for identifier in ids_in(_text(path)):
                    found[identifier].append(path.relative_to(root).as_posix())
    return {identifier: tuple(files) for identifier, files in found.items()}


def names_of_tests(root: Path) -> frozenset[str]:
    """The tests below `tests/`: `tests/file.py::test_name`. Raises `UserError`."""
    found = set()
    for path in files_below(root / "tests", ".py"):
        if not path.name.startswith("test_"):
            continue
        try:
            tree = ast.parse(_text(path))
        except SyntaxError as error:
            raise UserError(f"{path}:{error.lineno}: {error.msg}") from None
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                found.add(f"{path.relative_to(root).as_posix()}::{node.name}")
    return frozenset(found)


def _text(path: Path) -> str:
    try:
        return read_given(path).decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{path} cannot be read: {error}") from None
