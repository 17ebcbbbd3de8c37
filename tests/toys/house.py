"""A copy of the package and of the formal library in which the toys live."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

_HERE = Path(__file__).parent
_ROOT = _HERE.parents[1]


class ToyHouse:
    """A copy of the repository with the toys in it, and a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        unneeded = shutil.ignore_patterns("__pycache__", "evidence.json", "proofs.json")
        shutil.copytree(_ROOT / "sonnx_formal", folder / "sonnx_formal", ignore=unneeded)
        shutil.copytree(_ROOT / "why3", folder / "why3", ignore=unneeded)
        (folder / "why3/toys").mkdir()
        spec = folder / "sonnx_formal/spec"
        shutil.copy(_HERE / "toys.mlw", folder / "why3/toys")
        shutil.copy(_HERE / "declarations.py", spec / "operators/toys.py")
        shutil.copy(_HERE / "registry.toml", spec / "requirements/sonnx-toy.toml")
        for path in (_HERE / "reference").glob("*.py"):
            shutil.copy(path, folder / "sonnx_formal/reference")
        self._environment = os.environ | {
            "PYTHONPATH": str(folder),
            "SONNX_FORMAL_CACHE": str(folder / "cache"),
        }

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
