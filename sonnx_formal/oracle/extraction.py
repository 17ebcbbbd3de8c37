"""From definitions to a program: `why3 extract`, then the OCaml compiler."""

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.installation import environment, find_why3

LIBRARY = Path(__file__).resolve().parents[2] / "why3"
NUMBERS = Path(__file__).with_name("numbers.ml")
"""OCaml source that programs share: numbers as bytes."""


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
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, env=environment()
        )
    except OSError as error:
        raise UserError(f"{command[0]} could not be run: {error.strerror}") from None
    if done.returncode != 0:
        raise UserError(f"{shlex.join(command[:3])} failed:\n{done.stdout}{done.stderr}".rstrip())
    return done.stdout
