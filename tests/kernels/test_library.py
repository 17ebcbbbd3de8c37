"""What the library is made into and loaded from, and what is refused."""

import subprocess
from pathlib import Path

import pytest

from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels.build import build, find_library_files
from sonnx_formal.kernels.library import load

CONTRACTED = ["-O2", "-ffp-contract=fast", "-march=native"]
WRITTEN = ["libsonnx.a", "libsonnx.so", "sonnx.c", "sonnx.h", "sonnx.pc"]


@pytest.mark.long
def test_a_library_that_does_not_compute_as_it_should_is_refused(
    files: Path, tmp_path: Path
) -> None:
    made = tmp_path / "libsonnx.so"
    sources = [f"-I{files}", str(files / "sonnx.c")]
    subprocess.run(["cc", *CONTRACTED, "-fPIC", "-shared", *sources, "-o", made], check=True)
    with pytest.raises(UserError, match=r"do not compute as IEEE 754 .* sonnx_platform_check\(\) "):
        load(made)


def test_what_is_no_library_is_refused(tmp_path: Path) -> None:
    (tmp_path / "libsonnx.so").write_text("no library")
    with pytest.raises(UserError, match="libsonnx cannot be loaded"):
        load(tmp_path / "libsonnx.so")


def test_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="install a C compiler with `apt-get install gcc`"):
        find_library_files()


@pytest.mark.usefixtures("files")
def test_files_are_written_beside_those_of_others(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "libsonnx"
    assert sorted(path.name for path in build(folder)) == WRITTEN
    (folder / "sonnx.h").write_text("of an older version")
    (folder / "mine.c").touch()
    build(folder)
    assert "sonnx_mul_int8" in (folder / "sonnx.h").read_text()
    assert sorted(path.name for path in folder.iterdir()) == sorted([*WRITTEN, "mine.c"])


@pytest.mark.usefixtures("files")
def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match="Not a directory"):
        build(tmp_path / "file" / "libsonnx")


def test_pkg_config_says_where_the_library_is(files: Path, tmp_path: Path) -> None:
    """What it says of flags is enough to compile a program; it is read here as pkg-config does."""
    lines = (files / "sonnx.pc").read_text().splitlines()
    flags = {key: text for key, _, text in (line.partition(": ") for line in lines)}
    given = f"{flags['Cflags']} {flags['Libs']}".replace("${prefix}", str(files)).split()
    (tmp_path / "program.c").write_text(
        "#include <sonnx.h>\nint main(void) { return (int)sonnx_platform_check(); }\n"
    )
    program = tmp_path / "program"
    subprocess.run(["cc", tmp_path / "program.c", *given, "-o", program], check=True)
    done = subprocess.run([program], check=False, env={"LD_LIBRARY_PATH": str(files)})
    assert done.returncode == 0
