"""A copy of the repository in a folder of its own, to be changed and tried like any other."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_ROOT = Path(__file__).parents[1]


class House:
    """The package and the formal library, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # What is compiled stays valid, for copies keep their times; of what is being written,
        # there are files that may be gone before they are copied.
        unneeded = shutil.ignore_patterns("*.pyc.*", "goals", "mutants.jsonl")
        for name in ("sonnx_formal", "why3"):
            shutil.copytree(_ROOT / name, folder / name, ignore=unneeded)
        self._environment = os.environ | {
            "PYTHONPATH": str(folder),
            "SONNX_FORMAL_CACHE": str(folder / "cache"),
        }

    def empty(self) -> None:
        """Take out all operators, so that the oracle is built and the trace is read at once."""
        for folder in ("ops", "accuracy"):
            shutil.rmtree(self.folder / "why3" / folder)
        spec = self.folder / "sonnx_formal/spec"
        for path in (spec / "operators").glob("[a-z]*.py"):
            with path.open("a") as file:
                file.write("OPERATORS = ()\n")
        for path in (spec / "requirements").glob("*.toml"):
            path.unlink()

    def run(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """What `sonnx-formal` does with these arguments in this house."""
        return subprocess.run(
            [sys.executable, "-m", "sonnx_formal", *arguments],
            cwd=self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
