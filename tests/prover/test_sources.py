"""Which files are sources, and what one may depend on, in folders that are out of order."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.library import rests_on
from sonnx_formal.prover.sources import Source, library_sources, named_source

MODULE = "module M\n  use int.Int\n  goal g: 1 + 1 = 2\nend\n"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    (tmp_path / "why3").mkdir()
    (tmp_path / "why3/m.mlw").write_text(MODULE)
    return tmp_path / "why3"


def test_the_lock_of_an_editor_is_no_source(library: Path) -> None:
    (library / ".#m.mlw").symlink_to("somebody@somewhere.1234")
    (library / ".m.mlw.swp").write_bytes(b"\xff")
    (source,) = library_sources(library)
    assert source.name == "m.mlw"
    assert len(source.digest()) == 64
    assert rests_on(library, [source]) == []


def test_who_lies_beside_a_file_and_is_not_used_is_not_read(library: Path, tmp_path: Path) -> None:
    (tmp_path / "x.mlw").write_text(MODULE)
    os.mkfifo(tmp_path / "other.mlw")
    (tmp_path / ".#x.mlw").symlink_to("somebody@somewhere.1234")
    assert rests_on(library, [named_source(library, tmp_path / "x.mlw")]) == []


def test_a_pipe_is_refused_whoever_names_it(library: Path) -> None:
    os.mkfifo(library / "n.mlw")
    with pytest.raises(UserError, match=r"n\.mlw: not a regular file"):
        named_source(library, library / "n.mlw")
    (library / "m.mlw").write_text("module M use n.N end\n")
    with pytest.raises(UserError, match=r"n\.mlw: not a regular file"):
        Source(library / "m.mlw", "m.mlw", (library,)).digest()


def test_links_back_and_forth_are_searched_once(library: Path) -> None:
    """Of ten folders with links to each other, there are ten million ways through."""
    names = [f"f{number}" for number in range(10)]
    for name in names:
        (library / name).mkdir()
        (library / name / "n.mlw").write_text(MODULE)
        for other in names:
            (library / name / other).symlink_to(f"../{other}")
    (library / "m.mlw").write_text(f"(* {' '.join(names)} n *)\n{MODULE}")
    script = (
        "import sys; from pathlib import Path; from sonnx_formal.prover.sources import Source;"
        "folder = Path(sys.argv[1]);"
        "print(Source(folder / 'm.mlw', 'm.mlw', (folder,)).digest())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, library],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    before = done.stdout
    (library / "f9/n.mlw").write_text(MODULE + "\n")
    done = subprocess.run(
        [sys.executable, "-c", script, library], capture_output=True, text=True, check=True
    )
    assert len(before) == len(done.stdout) == 65
    assert before != done.stdout
