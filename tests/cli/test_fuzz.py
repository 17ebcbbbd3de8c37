"""Some two thousand bad inputs, made by chance, to all commands."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sonnx_formal.core.files import CACHE_VARIABLE, cache_folder
from sonnx_formal.oracle.program import find_program

ROOT = Path(__file__).parents[2]
_NOBODY = 65534


@pytest.fixture
def unprivileged() -> list[str]:
    """In front of a command: who runs the tests as root does not give it the rights to destroy."""
    if os.geteuid():
        return []
    setpriv = shutil.which("setpriv")
    assert setpriv, "as root, this needs setpriv (apt-get install util-linux)"
    rights = "+dac_read_search"  # our own files may be where nobody else may look
    who = [f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups"]
    return [setpriv, *who, f"--inh-caps={rights}", f"--ambient-caps={rights}"]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of its own, which the user `nobody` may write to."""
    with tempfile.TemporaryDirectory(prefix="sonnx-formal-fuzz-") as folder:
        Path(folder).chmod(0o777)
        yield Path(folder)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_every_input_ends_in_a_line_and_a_known_status(
    seed: int, place: Path, unprivileged: list[str]
) -> None:
    program = [sys.executable, str(Path(__file__).with_name("fuzz.py")), str(seed), "500"]
    find_program()  # built here: there, it would be built for each input, as nobody can keep it
    own = {"PYTHONPATH": str(ROOT), "HOME": str(place), "TMPDIR": str(place)}
    environment = os.environ | own | {CACHE_VARIABLE: str(cache_folder())}
    done = subprocess.run(
        [*unprivileged, *program],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.stdout == ""
    assert done.returncode == 0, done.stderr
    assert "500 inputs" in done.stderr
