"""The program in the cache: made from what the sources are now, whole, and made once."""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import program
from sonnx_formal.oracle.program import find_program, formal_sources_sha256

Build = Callable[[Sequence[str], Sequence[Path], Path], Path]


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the formal library that may be changed, and an empty cache."""
    unneeded = shutil.ignore_patterns("evidence", "proofs.json")
    copy = shutil.copytree(program.LIBRARY, tmp_path / "why3", ignore=unneeded)
    monkeypatch.setattr(program, "LIBRARY", copy)
    monkeypatch.setenv("SONNX_FORMAL_CACHE", str(tmp_path / "cache"))
    return copy


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The builds, which take no time: each makes a program out of the name of its folder."""
    folders: list[Path] = []

    def build(roots: Sequence[str], sources: Sequence[Path], folder: Path) -> Path:
        folders.append(folder)
        made = folder / "program"
        made.write_text(f"#!/bin/sh\n# {folder}\n")
        made.chmod(0o755)
        return made

    monkeypatch.setattr(program, "build", build)
    return folders


RACE = """
import sys, time
from pathlib import Path
from sonnx_formal.oracle import program

builds, mine, other = map(Path, sys.argv[1:])

def build(roots, sources, folder):
    with builds.open("a") as file:
        file.write("built\\n")
    while not other.exists():
        time.sleep(0.01)
    time.sleep(0.5)  # the other comes to where it has to wait
    made = folder / "program"
    made.write_text("#!/bin/sh\\n")
    made.chmod(0o755)
    return made

program.build = build
mine.touch()
print(program.find_program())
"""


def test_two_processes_that_build_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache, builds, names = tmp_path / "cache", tmp_path / "builds", ["a", "b"]
    monkeypatch.setenv("SONNX_FORMAL_CACHE", str(cache))
    builders = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, builds, *(tmp_path / name for name in order)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for order in (names, names[::-1])
    ]
    outputs = [builder.communicate(timeout=60) for builder in builders]
    assert [errors for _, errors in outputs] == ["", ""]
    first, other = (Path(found.strip()) for found, _ in outputs)
    assert first == other
    assert first.is_relative_to(cache)
    # One of them waited: the folder holds one program, the lock, and nothing half done.
    assert builds.read_text() == "built\n"
    assert {path.name for path in (cache / "oracle").iterdir()} == {"lock", first.parent.name}


def test_a_program_is_built_once(library: Path, builds: list[Path]) -> None:
    assert find_program() == find_program()
    assert len(builds) == 1
    assert not builds[0].exists()


def test_a_changed_source_changes_the_key(
    library: Path, builds: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen = [find_program()]
    definition = library / "scalar" / "ieee754" / "rounding.mlw"
    definition.write_text(definition.read_text() + "\n")
    seen.append(find_program())
    (library / "more.mlw").write_text("module More end\n")
    seen.append(find_program())
    (library / "more.mlw").rename(library / "else.mlw")
    seen.append(find_program())
    main = tmp_path / "oracle.ml"
    main.write_text(program.OCAML_SOURCES[-1].read_text() + "\n")
    monkeypatch.setattr(program, "OCAML_SOURCES", [*program.OCAML_SOURCES[:-1], main])
    seen.append(find_program())
    monkeypatch.setattr(program, "first_line", lambda command: "another compiler")
    seen.append(find_program())
    assert len({each.parent.name for each in seen}) == len(builds) == 6


def test_the_sum_of_the_sources_does_not_depend_on_where_they_are(
    library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = formal_sources_sha256()
    monkeypatch.setattr(program, "LIBRARY", library.rename(library.with_name("elsewhere")))
    assert formal_sources_sha256() == before


def test_a_source_that_changes_under_the_build(
    library: Path, builds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    build: Build = program.build
    keys = []

    def disturbed(roots: Sequence[str], sources: Sequence[Path], folder: Path) -> Path:
        keys.append(program._key())
        if len(keys) == 1:
            (library / "more.mlw").write_text("module More end\n")
        return build(roots, sources, folder)

    monkeypatch.setattr(program, "build", disturbed)
    found = find_program()
    assert len(keys) == 2
    assert found.parent.name == keys[1] != keys[0]
    assert not (found.parent.parent / keys[0]).exists()


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def _remove_permission(path: Path) -> None:
    path.chmod(0o644)


def _empty_checksum(path: Path) -> None:
    path.with_name("SHA256SUMS").write_bytes(b"\xff")


def _remove_checksum(path: Path) -> None:
    path.with_name("SHA256SUMS").unlink()


def _replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _replace_entry_by_file(path: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.write_text("")


@pytest.mark.parametrize(
    "damage",
    [
        _truncate,
        _remove_permission,
        _empty_checksum,
        _remove_checksum,
        _replace_by_folder,
        _replace_entry_by_file,
    ],
)
def test_a_damaged_program_is_built_anew(
    library: Path, builds: list[Path], damage: Callable[[Path], None]
) -> None:
    found = find_program()
    damage(found)
    assert find_program() == found
    assert len(builds) == 2
    checksum = found.with_name("SHA256SUMS").read_text()
    assert checksum == f"{hashlib.sha256(found.read_bytes()).hexdigest()}  program\n"
    assert find_program() == found
    assert len(builds) == 2


def test_what_a_killed_build_left_is_removed(library: Path, builds: list[Path]) -> None:
    left = library.parent / "cache" / "oracle" / ".building-killed" / "work"
    left.mkdir(parents=True)
    find_program()
    assert not left.parent.exists()


def test_few_programs_are_kept(
    library: Path, builds: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "BUILT", replace(program.BUILT, kept=2))
    for number in range(4):
        (library / "more.mlw").write_text(f"(* {number} *)")
        last = find_program()
    kept = [path.name for path in (library.parent / "cache" / "oracle").iterdir() if path.is_dir()]
    assert len(kept) == 2
    assert last.parent.name in kept


@pytest.mark.parametrize("tool", ["why3", "ocamlfind", "ocamlopt"])
def test_a_missing_tool(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str
) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in {"why3", "ocamlfind", "ocamlopt"} - {tool}:
        (tools / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(tools))
    with pytest.raises(UserError, match=f"{tool} was not found: run `make setup`"):
        find_program()


def test_a_library_that_why3_refuses(library: Path) -> None:
    wrong = library / "scalar" / "ieee754" / "arithmetic.mlw"
    wrong.write_text(wrong.read_text().replace("if n = 0 then", "if n == 0 then"))
    with pytest.raises(UserError, match=r"why3 extract -D failed:\n.*arithmetic\.mlw"):
        find_program()
    assert [path.name for path in (library.parent / "cache" / "oracle").iterdir()] == ["lock"]


def test_a_cache_that_cannot_be_written_to(library: Path) -> None:
    (library.parent / "cache").write_text("a file")
    with pytest.raises(UserError, match=r"cache.*set SONNX_FORMAL_CACHE to another folder"):
        find_program()
