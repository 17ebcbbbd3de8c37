"""What the report reads of the documents of `check` and `vectors`: their shapes, less times.

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
