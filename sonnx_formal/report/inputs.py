"""What the report reads of the documents of other commands: their shapes, less times.

Fields that a document has and these do not are not used.
"""

from typing import Any

from msgspec import Struct, field

from sonnx_formal.core.documents import Document

# --- check -------------------------------------------------------------------


class BackendEntry(Struct, frozen=True):
    """An implementation that was looked at."""

    name: str
    version: str | None
    ours: bool
    """Whether it is the implementation of this project, which confirms nothing by itself."""
    missing: str | None
    """Why it is not there."""
    required: bool
    failed: bool


class MatrixCell(Struct, frozen=True):
    """How many cases of an operator and a type came to each verdict."""

    backend: str
    operator: str
    element_type: str
    counts: dict[str, int]


class Tensor(Struct, frozen=True):
    """Operands and results of an example, as nested texts."""

    element_type: str
    shape: tuple[int, ...]
    decimal: Any
    bits: Any


class ExampleEntry(Struct, frozen=True):
    """The smallest input that was found."""

    found_in: str
    a: Tensor
    b: Tensor
    violated: str | None
    expected: Tensor | None
    got: Tensor | None
    index: tuple[int, ...] | None


class Divergence(Struct, frozen=True):
    """Something that an implementation does otherwise than the definitions say."""

    backend: str
    operator: str
    element_type: str
    verdict: str
    kind: str
    admissible: bool
    cases: int
    elements: int
    example: ExampleEntry


class ProbeEntry(Struct, frozen=True):
    """An answer to what test vectors cannot ask."""

    backend: str
    probe: str
    question: str
    operator: str
    element_type: str
    verdict: str
    kind: str
    admissible: bool
    example: ExampleEntry | None


class ErrorsEntry(Struct, frozen=True):
    """Of an implementation, the rounding errors of sums of so many products."""

    backend: str
    operator: str
    element_type: str
    products: int
    elements: int
    outside: int
    """Of the elements, those outside the proved bound."""
    of_bound: float
    """The greatest error as a part of its bound."""
    relative: float
    """The greatest error in relation to the sum of the magnitudes of the products."""
    relative_bound: float
    """The bound of that element, likewise."""
    last_places: float
    """The greatest error in units in the last place."""


class Check(Document, frozen=True, tag="sonnx-formal/check/1", forbid_unknown_fields=False):
    """`sonnx-formal check --json`."""

    command = "check --json PATH"

    backends: tuple[BackendEntry, ...]
    matrix: tuple[MatrixCell, ...]
    accumulate: str | None
    """The type in which sums of narrower floats had to be accumulated."""
    errors: tuple[ErrorsEntry, ...]
    findings: tuple[Divergence, ...]
    probes: tuple[ProbeEntry, ...]


# --- vectors -----------------------------------------------------------------


class VectorCase(Struct, frozen=True):
    """A test vector."""

    name: str
    case_class: str = field(name="class")
    requirements: tuple[str, ...]
    sha256: str


class VectorFile(Struct, frozen=True):
    """All vectors of an operator over an element type."""

    file: str
    operator: str
    element_type: str = field(name="type")
    sha256: str
    cases: tuple[VectorCase, ...]


class Vectors(Document, frozen=True, tag="sonnx-formal/vectors/2", forbid_unknown_fields=False):
    """`manifest.json` of the test vectors."""

    command = "vectors -o DIR"

    seed: int
    formal_sources_sha256: str
    oracle_sha256: str
    tools: dict[str, str]
    files: tuple[VectorFile, ...]


# --- trusted base ------------------------------------------------------------


class Granted(Struct, frozen=True):
    """What the library declares without a definition or a proof."""

    module: str
    kind: str
    name: str
    line: int
    reason: str | None


class Theory(Struct, frozen=True):
    """A module of Why3's standard library."""

    name: str
    axioms: int
    trusted_for: str | None
    detected_by: str | None


class Driver(Struct, frozen=True):
    """How Why3 writes for a prover or a language."""

    name: str
    sha256: str
    mappings: tuple[dict[str, Any], ...]
    trusted_for: str | None
    detected_by: str | None


class TrustedTool(Struct, frozen=True):
    """A tool that is believed."""

    name: str
    version: str | None
    sha256: str | None
    trusted_for: str | None
    detected_by: str | None


class TrustedAssumption(Struct, frozen=True):
    """An assumption in the ledger."""

    id: str
    text: str
    detected_by: str


class LedgerDifference(Struct, frozen=True):
    """Where the ledger and what there is differ."""

    kind: str
    what: str
    remedy: str


class TrustedBase(
    Document, frozen=True, tag="sonnx-formal/trusted-base/1", forbid_unknown_fields=False
):
    """`sonnx-formal trusted-base --json`."""

    command = "trusted-base --json PATH"

    granted: tuple[Granted, ...]
    theories: tuple[Theory, ...]
    drivers: tuple[Driver, ...]
    tools: tuple[TrustedTool, ...]
    assumptions: tuple[TrustedAssumption, ...]
    differences: tuple[LedgerDifference, ...]


# --- vacuity -----------------------------------------------------------------


class Hypotheses(Struct, frozen=True):
    """The hypotheses of a module or of a goal, and whether they contradict each other."""

    of: str
    scope: str
    explanation: str
    sha256: str
    """Of the text that was asked about."""
    finding: str
    provers: tuple[str, ...]
    reason: str | None
    """Why a contradiction is as it should be."""


class Witnessed(Struct, frozen=True):
    """What has preconditions, or no body, and what shows that they can be met."""

    name: str
    preconditions: int
    witnesses: tuple[str, ...]


class Counts(Struct, frozen=True):
    """How many were found to be what."""

    all: int
    contradictory: int
    consistent: int
    inconclusive: int
    not_asked: int


class VacuitySummary(Struct, frozen=True):
    """What it comes to."""

    contexts: Counts
    goals: Counts
    unaccounted: tuple[str, ...]
    stale_dispositions: tuple[str, ...]
    interrupted: bool
    good: bool


class Vacuity(Document, frozen=True, tag="sonnx-formal/vacuity/1", forbid_unknown_fields=False):
    """`sonnx-formal vacuity --json`."""

    command = "vacuity --json PATH"

    hypotheses: tuple[Hypotheses, ...]
    preconditions: tuple[Witnessed, ...]
    parameters: tuple[Witnessed, ...]
    summary: VacuitySummary


# --- mutation ----------------------------------------------------------------


class Threshold(Struct, frozen=True):
    """The score that files have to reach."""

    files: str
    score: float


class MutatedFile(Struct, frozen=True):
    """What became of the mutants of a file."""

    file: str
    mutants: int
    killed: int
    survived: int
    equivalent: int
    implied: int
    invalid: int
    untried: int
    score: float | None
    good: bool


class Mutant(Struct, frozen=True):
    """A wrong edit of a definition."""

    id: str
    file: str
    line: int
    kind: str
    outcome: str
    by: str
    reason: str | None


class MutationSummary(Struct, frozen=True):
    """What it comes to."""

    mutants: int
    killed: int
    survived: int
    untried: int
    score: float | None
    unexplained: tuple[str, ...]
    stale_dispositions: tuple[str, ...]
    interrupted: bool
    good: bool


class Mutation(Document, frozen=True, tag="sonnx-formal/mutation/1", forbid_unknown_fields=False):
    """`sonnx-formal mutate --json`."""

    command = "mutate --json PATH"

    threshold: Threshold
    files: tuple[MutatedFile, ...]
    mutants: tuple[Mutant, ...]
    summary: MutationSummary


# --- use of hypotheses -------------------------------------------------------


class Precondition(Struct, frozen=True):
    """A precondition, and whether a proof uses it."""

    function: str
    name: str
    goals: int
    use: str
    reason: str | None


class ObsoleteReason(Struct, frozen=True):
    """A reason for a precondition that needs none."""

    function: str
    name: str


class UseOfHypotheses(
    Document, frozen=True, tag="sonnx-formal/hypotheses/1", forbid_unknown_fields=False
):
    """`sonnx-formal hypotheses --json`."""

    command = "hypotheses --json PATH"

    preconditions: tuple[Precondition, ...]
    obsolete_reasons: tuple[ObsoleteReason, ...]


# --- certified proofs --------------------------------------------------------


class CertifiedGoal(Struct, frozen=True):
    """A goal, and whether a proof of it was written out and checked."""

    id: str
    task_sha256: str
    outcome: str
    steps: int = 0
    trusted: dict[str, int] = {}
    """Steps that nobody checked, by rule."""
    checker: str | None = None
    """Who checked it besides the prover itself."""
    complete: bool | None = None
    """Whether that checker believed no step."""
    because: str = ""


class Certified(Document, frozen=True, tag="sonnx-formal/certified/1", forbid_unknown_fields=False):
    """`sonnx-formal certify --json`."""

    command = "certify --json PATH"

    checker: str | None
    goals: tuple[CertifiedGoal, ...]


# --- self-test ---------------------------------------------------------------


class Injection(Struct, frozen=True):
    """Something that was done wrong on purpose."""

    injected: str
    guard: str
    """What is to catch it."""
    caught: bool


class SelfTest(Document, frozen=True, tag="sonnx-formal/self-test/1", forbid_unknown_fields=False):
    """`sonnx-formal self-test --json`."""

    command = "self-test --json PATH"

    injections: tuple[Injection, ...]
