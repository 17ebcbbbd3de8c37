"""Gaps of the requirements: what does not serve them, or serves less than one may think."""

from collections.abc import Iterator

from sonnx_formal.report.gaps.gap import Shortfall
from sonnx_formal.report.trace.document import Trace
from sonnx_formal.spec.requirements import Level
from sonnx_formal.vectors.manifest import Manifest


def of_trace(trace: Trace) -> Iterator[Shortfall]:
    """Requirements that are not served, or not as much as one may think."""
    formalised = [line for line in trace.requirements if not line.planned]
    yield (
        "trace",
        [
            *(f"{error.subject}: {error.rule}: {error.message}" for error in trace.errors),
            *(f"not given to the trace: {name}" for name in trace.not_given),
        ],
    )
    yield (
        "planned",
        [
            f"{line.id}: {'; '.join(gap.removeprefix('planned: ') for gap in line.gaps)}"
            for line in trace.requirements
            if line.planned
        ],
    )
    yield "real-only", [line.id for line in formalised if line.levels == (Level.REAL,)]
    yield (
        "one-implementation",
        [
            f"{line.id}: {', '.join(map(str, line.confirmed_by)) or 'none'}"
            for line in formalised
            if line.no_vector is None and line.confirmations <= 1
        ],
    )
    yield "no-vector", [f"{line.id}: {line.no_vector}" for line in formalised if line.no_vector]
    yield "precondition", [line.id for line in formalised if line.precondition]
    yield (
        "finding-not-shown",
        [f"{line.id}: {line.not_shown}" for line in trace.findings if line.not_shown],
    )


def of_vectors(library: str, vectors: Manifest) -> Iterator[Shortfall]:
    """Vectors of another library than the one with this SHA-256."""
    theirs = vectors.origin.formal_sources_sha256
    both = [f"vectors: {theirs}", f"library: {library}"]
    yield "vectors-of-other-sources", both if theirs != library else []
