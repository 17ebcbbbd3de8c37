"""From definitions to a program: `why3 extract`, then the OCaml compiler."""

import hashlib
import platform
import re
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from sonnx_formal.core.built import BuiltFolders, SourcesChangedError
from sonnx_formal.core.errors import UserError
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

PROGRAM = "program"
BUILT = BuiltFolders("oracle", "the oracle", kept=8, program=PROGRAM)


def find_program() -> Path:
    """The program of the formal library as it is now; it is built where it is not in the cache.

    :raises UserError: when it cannot be built, or the cache cannot be written to.
    """
    return BUILT.find(_key, _build) / PROGRAM


def formal_sources_sha256() -> str:
    """SHA-256 of the names and texts of all files of the formal library."""
    return library_sha256(LIBRARY)


def _key() -> str:
    """Of all that the program is made from."""
    return key_of([*OCAML_SOURCES, Path(__file__)], tables.digest())


def key_of(files: Sequence[Path], *more: str) -> str:
    """Of what is made from the formal library, the tools that are here, these files, and more.

    :raises UserError: where a tool is missing.
    """
    for tool in ("why3", "ocamlfind", "ocamlopt"):
        if shutil.which(tool) is None:
            remedy = "run `make setup`, then see `sonnx-formal doctor`"
            raise UserError(f"{tool} was not found: {remedy}")
    ingredients = [
        platform.machine(),
        first_line(["why3", "--version"]),
        first_line(["ocamlfind", "ocamlopt", "-version"]),
        first_line(["ocamlfind", "query", "-format", "%v", "zarith"]),
        formal_sources_sha256(),
        *more,
        *map(_sha256, files),
    ]
    return hashlib.sha256("\n".join(ingredients).encode()).hexdigest()


def _roots() -> list[str]:
    """The Why3 modules that the OCaml text names; each brings along what it uses."""
    text = "\n".join([tables.text(), *(path.read_text() for path in OCAML_SOURCES)])
    names = sorted(set(re.findall(r"\b[A-Z]\w*?__\w+", text)))
    return [name[0].lower() + name[1:].replace("__", ".") for name in names]


def _build(folder: Path) -> None:
    from rich.console import Console  # noqa: PLC0415 (most calls find the program)

    for operator in operators():
        for missing in missing_statements(LIBRARY, operator):
            raise UserError(str(missing))
    doing = "building the oracle from the formal definitions"
    # It is seen on a terminal only.
    with Console(stderr=True).status(doing), TemporaryDirectory(prefix="sonnx-formal-") as scratch:
        (Path(scratch) / "tables.ml").write_text(tables.text())
        shutil.copy2(build(_roots(), OCAML_SOURCES, Path(scratch)), folder / PROGRAM)
    if tables.sources_digest() != tables.digest():
        raise SourcesChangedError


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
    program = folder / PROGRAM
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
