"""How documents of tests are made: of no library, at a time that is always the same."""

from datetime import UTC, datetime
from typing import Any

from msgspec import to_builtins
from msgspec.structs import asdict

from sonnx_formal.prover.provenance import BegunRun, EndedRun

BEGUN = BegunRun(
    version="1", library_sha256="0" * 64, began=datetime(2026, 11, 2, 23, 5, 7, 250_000, UTC)
)
MADE = EndedRun(**asdict(BEGUN), took=1.5)
AS_JSON: dict[str, Any] = to_builtins(MADE)
