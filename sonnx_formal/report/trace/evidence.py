"""All that a trace is computed from: the registry, and what was found out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sonnx_formal.report.trace.crosscheck import CrossCheck
from sonnx_formal.report.trace.document import GoalLink
from sonnx_formal.spec import requirements as registry
from sonnx_formal.spec.completeness import MissingFile
from sonnx_formal.spec.requirements import (
    Finding,
    LeftOut,
    OperatorGoals,
    Requirement,
    SourceDocument,
)
from sonnx_formal.vectors.manifest import Manifest


@dataclass(frozen=True)
class Registry:
    """What the source documents ask for."""

    requirements: Mapping[str, Requirement]
    findings: tuple[Finding, ...]
    rule: OperatorGoals
    """Which goals have to serve a requirement."""
    documents: Mapping[str, SourceDocument] = field(default_factory=dict)
    left_out: tuple[LeftOut, ...] = ()

    def has_goals_in(self, file: str) -> bool:
        """Whether a trace speaks of goals in a file: linked ones, or goals of operators."""
        links = [link for each in self.requirements.values() for link in each.goals]
        links += [link for each in self.findings for link in each.shown_by]
        return self.rule.is_of_operators(file) or any(link.startswith(f"{file}:") for link in links)


def committed_registry() -> Registry:
    """The registry in `sonnx_formal/spec/requirements`."""
    return Registry(
        registry.requirements(),
        registry.findings(),
        registry.operator_goals(),
        registry.documents(),
        registry.left_out(),
    )


@dataclass(frozen=True)
class TraceEvidence:
    """Goals, vectors and verdicts. What is None was not given, and then nothing is taken for it."""

    goals: tuple[GoalLink, ...]
    vectors: Manifest | None = None
    crosscheck: CrossCheck | None = None
    tests: frozenset[str] | None = None
    """`tests/file.py::test_name`."""
    used: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ids that occur in sources, with the files they occur in."""
    missing: tuple[MissingFile, ...] = ()
    """What declared operators, or definitions that nobody declared, still need."""
