"""libsonnx, from the formal library to files: Why3 extracts, a C compiler compiles."""

import hashlib
import os
import platform
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import CACHE_VARIABLE, cache_folder, locked, write_atomically
from sonnx_formal.core.processes import run
from sonnx_formal.kernels import extraction, text
from sonnx_formal.kernels.declared import LIBRARY, kernels
from sonnx_formal.prover.installation import find_why3, first_line
from sonnx_formal.prover.sources import library_sha256, read_source

COMPILER = "cc"
OPTIONS = (
    "-std=c11", "-O3", "-ffp-contract=off", "-fPIC",
    "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror",
)  # fmt: skip
SHARED, STATIC = "libsonnx.so", "libsonnx.a"
_SUMS = "SHA256SUMS"
_KEPT = 4  # libraries in the cache: those that were built last


def build(folder: Path, jobs: int) -> list[Path]:
    """Write header, source, both libraries and the file for pkg-config; each is replaced at once.

    :raises UserError: when a tool is missing or refuses, or the folder cannot be written to.
    """
    found = find_library_files(jobs)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = [folder / path.name for path in found if path.name != _SUMS]
        for path in written:
            write_atomically(path, (found[0].parent / path.name).read_bytes())
    except OSError as error:
        raise UserError(
            f"{error.filename or folder}: {error.strerror}: choose a folder that can be written to"
        ) from None
    return written


def find_library_files(jobs: int) -> list[Path]:
    """The files of the library as the sources are now; they are built where the cache has none.

    :raises UserError: as `build`.
    """
    folder = cache_folder().absolute() / "libsonnx"
    try:
        entry = folder / _key()
        if not _is_sound(entry):
            folder.mkdir(parents=True, exist_ok=True)
            lock = folder / "lock"
            lock.touch()
            with locked(lock):
                if not _is_sound(entry):  # another process may have built it while we waited
                    _build(entry, jobs)
        return sorted(entry.iterdir())
    except OSError as error:
        raise UserError(
            f"{error.filename or folder}: {error.strerror}: libsonnx cannot be built "
            f"(free space, or set {CACHE_VARIABLE} to another folder)"
        ) from None


def compiled(texts: Mapping[str, str], folder: Path) -> None:
    """Write the texts to a folder, and both libraries beside them. Raises `UserError`."""
    for name, content in texts.items():
        (folder / name).write_text(content)
    _run([COMPILER, *OPTIONS, "-c", "sonnx.c", "-o", "sonnx.o"], folder)
    _run(["ar", "rcs", STATIC, "sonnx.o"], folder)
    _run([COMPILER, "-shared", "-o", SHARED, "sonnx.o"], folder)
    (folder / "sonnx.o").unlink()


def _key() -> str:
    """SHA-256 of all that the library is made from. Raises `UserError` where a tool is missing."""
    if shutil.which(COMPILER) is None:
        raise UserError(
            f"{COMPILER} was not found: install a C compiler with `apt-get install gcc`, then see "
            "`sonnx-formal doctor`"
        )
    own = sorted(path for path in Path(__file__).parent.rglob("*") if path.is_file())
    sources = [path for path in own if path.suffix in {".py", ".jinja"}]
    ingredients = [
        platform.machine(),
        find_why3().version,
        first_line([COMPILER, "--version"]),
        library_sha256(LIBRARY),
        sha256_of(LIBRARY / extraction.DRIVER),
        *map(sha256_of, sources),
    ]
    return hashlib.sha256("\n".join(ingredients).encode()).hexdigest()


def _build(entry: Path, jobs: int) -> None:
    for left in entry.parent.glob(".*"):  # behind a build that was killed
        shutil.rmtree(left, ignore_errors=True)
    why3 = find_why3()
    # On the same file system, so that the renaming is all that others ever see.
    with tempfile.TemporaryDirectory(dir=entry.parent, prefix=".building-") as scratch:
        new = Path(scratch) / "new"
        new.mkdir()
        extracted = extraction.extract(kernels(), LIBRARY, why3, jobs)
        compiled(text.texts(kernels(), extracted, LIBRARY, why3), new)
        sums = [f"{sha256_of(path)}  {path.name}" for path in sorted(new.iterdir())]
        (new / _SUMS).write_text("\n".join(sums) + "\n")
        if entry.exists():  # damaged
            entry.rename(Path(scratch) / "old")
        new.rename(entry)
    entries = [path for path in entry.parent.iterdir() if path.is_dir()]
    for old in sorted(entries, key=lambda path: path.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(old, ignore_errors=True)


def _is_sound(entry: Path) -> bool:
    """Whether the files of an entry of the cache are there and undamaged."""
    try:
        sums = [line.split("  ") for line in (entry / _SUMS).read_text().splitlines()]
        return bool(sums) and all(sha256_of(entry / name) == sha256 for sha256, name in sums)
    except (OSError, UserError, ValueError):
        return False


def _run(command: list[str], folder: Path) -> None:
    try:
        done = run(command, folder=folder, environment={**os.environ, "LC_ALL": "C"})
    except OSError as error:
        raise UserError(f"{command[0]} could not be run: {error.strerror}") from None
    if done.returncode != 0:
        raise UserError(f"{command[0]} failed:\n{done.stdout}{done.stderr}".rstrip())


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(read_source(path)).hexdigest()
