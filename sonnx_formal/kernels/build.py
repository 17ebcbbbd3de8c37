"""libsonnx, from the formal library to files: Why3 extracts, a C compiler compiles."""

import hashlib
import os
import platform
import shutil
from collections.abc import Mapping
from pathlib import Path

from sonnx_formal.core.built import SUMS, BuiltFolders, SourcesChangedError
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_atomically
from sonnx_formal.core.processes import run
from sonnx_formal.kernels import extraction, text
from sonnx_formal.kernels.copying import copying_kernels
from sonnx_formal.kernels.declared import LIBRARY, kernels
from sonnx_formal.prover.installation import find_why3, first_line
from sonnx_formal.prover.sources import library_sha256, read_source

COMPILER = "cc"
OPTIONS = (
    "-std=c11", "-O3", "-ffp-contract=off", "-fPIC",
    "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror",
)  # fmt: skip
SHARED, STATIC = "libsonnx.so", "libsonnx.a"
BUILT = BuiltFolders("libsonnx", "libsonnx", kept=4)


def build(folder: Path) -> list[Path]:
    """Write header, source, both libraries and the file for pkg-config; each is replaced at once.

    :raises UserError: when a tool is missing or refuses, or the folder cannot be written to.
    """
    found = find_library_files()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written = [folder / path.name for path in found]
        for path in written:
            write_atomically(path, (found[0].parent / path.name).read_bytes())
    except OSError as error:
        raise UserError(
            f"{error.filename or folder}: {error.strerror}: choose a folder that can be written to"
        ) from None
    return written


def find_library_files() -> list[Path]:
    """The files of the library as the sources are now; they are built where the cache has none.

    :raises UserError: as `build`.
    """
    entry = BUILT.find(_key, _build)
    return sorted(path for path in entry.iterdir() if path.name != SUMS)


def compiled(texts: Mapping[str, str], folder: Path) -> None:
    """Write the texts to a folder, and both libraries beside them. Raises `UserError`."""
    for name, content in texts.items():
        (folder / name).write_text(content)
    _run([COMPILER, *OPTIONS, "-c", "sonnx.c", "-o", "sonnx.o"], folder)
    _run(["ar", "rcs", STATIC, "sonnx.o"], folder)
    _run([COMPILER, "-shared", "-o", SHARED, "sonnx.o", "-lm"], folder)
    (folder / "sonnx.o").unlink()


def _key() -> str:
    """SHA-256 of all that the library is made from. Raises `UserError` where a tool is missing."""
    if shutil.which(COMPILER) is None:
        raise UserError(
            f"{COMPILER} was not found: install a C compiler with `apt-get install gcc`, then see "
            "`sonnx-formal doctor`"
        )
    ingredients = [
        platform.machine(),
        find_why3().version,
        first_line([COMPILER, "--version"]),
        library_sha256(LIBRARY),
        sha256_of(LIBRARY / extraction.DRIVER),
        _own_sha256(),
    ]
    return hashlib.sha256("\n".join(ingredients).encode()).hexdigest()


def _build(folder: Path) -> None:
    why3 = find_why3()
    extracted = extraction.extract((*kernels(), *copying_kernels()), LIBRARY, why3)
    compiled(text.texts(kernels(), extracted, LIBRARY, why3), folder)
    if _own_sha256() != _LOADED:  # what ran is not what the key speaks of
        raise SourcesChangedError


def _run(command: list[str], folder: Path) -> None:
    try:
        done = run(command, folder=folder, environment={**os.environ, "LC_ALL": "C"})
    except OSError as error:
        raise UserError(f"{command[0]} could not be run: {error.strerror}") from None
    if done.returncode != 0:
        raise UserError(f"{command[0]} failed:\n{done.stdout}{done.stderr}".rstrip())


def _own_sha256() -> str:
    """Of the program that makes the library, and of its templates."""
    own = sorted(path for path in Path(__file__).parent.rglob("*") if path.is_file())
    sources = [path for path in own if path.suffix in {".py", ".jinja"}]
    return hashlib.sha256("\n".join(map(sha256_of, sources)).encode()).hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file."""
    return hashlib.sha256(read_source(path)).hexdigest()


_LOADED = _own_sha256()
