"""From definitions to a program: `why3 extract`, then the OCaml compiler.

The oracle is built once, then found in the user's cache, in a folder that is named after everything
that it is made from, so that a stale one is never found, and holds its checksum, too.
"""

import hashlib
import os
import platform
import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import CACHE_VARIABLE, cache_folder, locked
from sonnx_formal.core.processes import run
from sonnx_formal.oracle import tables
from sonnx_formal.prover.installation import environment, find_why3, first_line
from sonnx_formal.prover.sources import library_sha256, read_source
from sonnx_formal.spec.catalogue import missing_statements, operators

LIBRARY = Path(__file__).resolve().parents[2] / "why3"
NUMBERS = Path(__file__).with_name("numbers.ml")
"""OCaml source that programs share: numbers as bytes."""
_OWN = ("wire", "elements", "calls", "arguments", "oracle")
OCAML_SOURCES = [NUMBERS, *(NUMBERS.with_name(f"{name}.ml") for name in _OWN)]

_ATTEMPTS = 3
_KEPT = 8  # programs in the cache: those that were built last


def find_program() -> Path:
    """The program of the formal library as it is now; it is built where it is not in the cache.

    Its folder is named by the SHA-256 of all that it is made from: sources, versions of the tools.

    :raises UserError: when it cannot be built, or the cache cannot be written to.
    """
    folder = cache_folder().absolute() / "oracle"
    try:
        return _found(folder, _key()) or _built(folder)
    except OSError as error:
        raise UserError(
            f"{error.filename or folder}: {error.strerror}: the oracle cannot be built "
            f"(free space, or set {CACHE_VARIABLE} to another folder)"
        ) from None


def formal_sources_sha256() -> str:
    """SHA-256 of the names and texts of all files of the formal library."""
    return library_sha256(LIBRARY)


def _key() -> str:
    """Of all that the program is made from. Raises `UserError` where a tool is missing."""
    for tool in ("why3", "ocamlfind", "ocamlopt"):
        if shutil.which(tool) is None:
            remedy = "run `make setup`, then see `sonnx-formal doctor`"
            raise UserError(f"{tool} was not found: {remedy}")
    made_from = [*OCAML_SOURCES, Path(__file__)]
    ingredients = [
        platform.machine(),
        first_line(["why3", "--version"]),
        first_line(["ocamlfind", "ocamlopt", "-version"]),
        first_line(["ocamlfind", "query", "-format", "%v", "zarith"]),
        formal_sources_sha256(),
        tables.digest(),
        *map(_sha256, made_from),
    ]
    return hashlib.sha256("\n".join(ingredients).encode()).hexdigest()


def _roots() -> list[str]:
    """The Why3 modules that the OCaml text names; each brings along what it uses."""
    text = "\n".join([tables.text(), *(path.read_text() for path in OCAML_SOURCES)])
    names = sorted(set(re.findall(r"\b[A-Z]\w*?__\w+", text)))
    return [name[0].lower() + name[1:].replace("__", ".") for name in names]


def _found(folder: Path, key: str) -> Path | None:
    """The program in the cache, if it is there and undamaged."""
    path, checksum = (folder / key / name for name in ("program", "sha256"))
    try:
        sound = os.access(path, os.X_OK) and checksum.read_text() == _sha256(path)
    except (OSError, UserError, UnicodeDecodeError):
        sound = False
    return path if sound else None


def _built(folder: Path) -> Path:
    from rich.console import Console  # noqa: PLC0415 (most calls find the program)

    for operator in operators():
        for missing in missing_statements(LIBRARY, operator):
            raise UserError(str(missing))
    doing = "building the oracle from the formal definitions"
    folder.mkdir(parents=True, exist_ok=True)
    lock = folder / "lock"
    lock.touch()
    with Console(stderr=True).status(doing), locked(lock):  # seen on a terminal only
        for left in folder.glob(".*"):  # behind a build that was killed
            shutil.rmtree(left, ignore_errors=True)
        for _ in range(_ATTEMPTS):
            key = _key()
            found = _found(folder, key)  # another process may have built it while we waited
            if found is None:
                _build(folder, key)
                found = _found(folder, key)
            if found:
                return found
    raise UserError(
        f"{folder}: the oracle was built, but not found there: the sources keep "
        f"changing, or no program may run from this folder (set {CACHE_VARIABLE} to another one)"
    )


def _build(folder: Path, key: str) -> None:
    """Add the program to the cache, unless a source changes under the compiler's eyes."""
    # On the same file system, so that the renaming is all that others ever see.
    with tempfile.TemporaryDirectory(dir=folder, prefix=".building-") as scratch:
        work, new, old = (Path(scratch) / name for name in ("work", "new", "old"))
        work.mkdir()
        (work / "tables.ml").write_text(tables.text())
        new.mkdir()
        program = build(_roots(), OCAML_SOURCES, work).rename(new / "program")
        (new / "sha256").write_text(_sha256(program))
        if _key() != key or tables.sources_digest() != tables.digest():
            return
        entry = folder / key
        if entry.exists():  # damaged
            entry.rename(old)
        new.rename(entry)
    entries = [path for path in folder.iterdir() if path.is_dir()]
    for entry in sorted(entries, key=lambda path: path.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(entry, ignore_errors=True)


def build(roots: Sequence[str], sources: Sequence[Path], folder: Path) -> Path:
    """Extract the modules `roots` and all they use, and compile them with the OCaml `sources`.

    The program, in `folder`. Raises `UserError` when Why3 or the compiler refuses.
    """
    extract = [find_why3().path, "extract", "-D", "ocaml64", "--recursive", "--modular"]
    _run([*extract, "-L", str(LIBRARY), "-o", str(folder), *roots])
    for source in sources:
        shutil.copy(source, folder)
    files = sorted(path.name for path in folder.glob("*.ml"))
    ordered = _run(["ocamlfind", "ocamldep", "-sort", *files], folder).split()
    # Warnings are off for the sake of the extracted text, which is not written for readers.
    compile_ = ["ocamlfind", "ocamlopt", "-w", "-a", "-package", "zarith", "-linkpkg"]
    program = folder / "program"
    _run([*compile_, *ordered, "-o", program.name], folder)
    return program


def _run(command: list[str], folder: Path | None = None) -> str:
    try:
        done = run(command, folder=folder, environment=environment())
    except OSError as error:
        raise UserError(f"{command[0]} could not be run: {error.strerror}") from None
    if done.returncode != 0:
        raise UserError(f"{shlex.join(command[:3])} failed:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout


def _sha256(path: Path) -> str:
    return hashlib.sha256(read_source(path)).hexdigest()
