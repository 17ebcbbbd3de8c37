"""What is said while goals are being proved."""

from sonnx_formal.core import progress
from sonnx_formal.prover.schedule import Snapshot


class Progress(progress.Progress):
    """Shows how far the proofs are until its `with` block ends."""

    def reading(self, files: int) -> None:
        """Why3 is making the goals."""
        self(f"reading {files} file{'s' * (files != 1)} with Why3")

    def update(self, snapshot: Snapshot) -> None:
        """Goals are being proved."""
        done = f"{snapshot.proved + snapshot.unproved}/{snapshot.total} goals"
        unproved = f", {snapshot.unproved} not proved" if snapshot.unproved else ""
        self(done + unproved, ", ".join(snapshot.current))
