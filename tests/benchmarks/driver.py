"""Runs of our own driver, in a copy of the tree, as a user would start them."""

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.core.errors import UserError
from tests.benchmarks.measurement import Measurement, Say

_PACKAGE = Path(__file__).resolve().parents[2] / "sonnx_formal"
# True whatever it lands in, and in the way: every later goal of its module has another task.
_EDIT = "  lemma bench_edit: forall x y: int. x = y -> y = x\n"


@dataclass(frozen=True)
class Tree:
    """A copy of the package and of the library, so that nothing of the user's is touched."""

    root: Path
    say: Say

    @property
    def library(self) -> Path:
        return self.root / "why3"

    def prove(self, name: str, *options: str) -> Measurement:
        """`sonnx-formal prove` with its cache in the tree too. Raises `UserError` if it fails."""
        self.say(f"{name} …")
        report = self.root / "report.json"
        report.unlink(missing_ok=True)
        # `-m` finds the package of the current folder first, and that one finds its own library.
        command = [sys.executable, "-m", "sonnx_formal", "prove", *options, "--json", str(report)]
        began = time.monotonic()
        done = subprocess.run(
            command,
            cwd=self.root,
            env=os.environ | {"SONNX_FORMAL_CACHE": str(self.root / "cache")},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        seconds = round(time.monotonic() - began, 3)
        if not report.is_file():
            raise UserError(f"prove {' '.join(options)} failed:\n{done.stdout.strip()}")
        summary = json.loads(report.read_text())["summary"]
        return Measurement(name, seconds, summary["goals"], summary["proved"])

    def edit_one_file(self) -> Path:
        """Add a lemma in front of the largest file that no other uses. The path of that file."""
        path = leaf(self.library)
        path.write_text(edited(path.read_text()))
        return path.relative_to(self.library)


def copy_tree(root: Path, say: Say) -> Tree:
    """A copy below `root`."""
    for folder in (_PACKAGE, _PACKAGE.parent / "why3"):
        shutil.copytree(folder, root / folder.name, ignore=shutil.ignore_patterns("__pycache__"))
    return Tree(root, say)


def leaf(library: Path) -> Path:
    """The largest file of the library whose modules no other file uses."""
    texts = {path: path.read_text() for path in sorted(library.rglob("*.mlw"))}
    leaves = [
        path
        for path in texts
        if not any(f"{path.parent.name}.{path.stem}." in text for text in texts.values())
    ]
    return max(leaves, key=lambda path: len(texts[path]))


def edited(text: str) -> str:
    """A file's text with a lemma added at the head of its first module."""
    lines = text.splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith("module "))
    return "".join([*lines[: first + 1], _EDIT, *lines[first + 1 :]])
