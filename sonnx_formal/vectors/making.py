"""Test vectors made and written: the command `vectors`."""

import importlib.metadata
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.folders import check_replaceable, replaced
from sonnx_formal.oracle import Oracle
from sonnx_formal.oracle.program import formal_sources_sha256
from sonnx_formal.prover.installation import find_why3, first_line
from sonnx_formal.vectors.case import Operator
from sonnx_formal.vectors.combinations import COMBINATIONS
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.manifest import NAME, Manifest, Origin, file_name
from sonnx_formal.vectors.onnx_export import LAYOUT, ORIGIN, OnnxExport
from sonnx_formal.vectors.storage import write_cases, write_manifest

_FILES = [file_name(*each) for each in COMBINATIONS]

Step = Callable[[str, int, int], None]
"""Is told what comes next, its number, and how many there are."""


@dataclass(frozen=True)
class Request:
    """What to make, and where."""

    operators: Sequence[Operator]
    """All if there are none; element types likewise."""
    element_types: Sequence[str]
    seed: int
    directory: Path
    onnx_directory: Path | None
    """Where the ONNX backend tests go, if there are to be any."""

    def combinations(self) -> list[tuple[Operator, str]]:
        """The operators and types asked for.

        :raises UserError: when no document has them.
        """
        chosen = [
            (operator, element_type)
            for operator, element_type in COMBINATIONS
            if operator in (self.operators or Operator)
            if not self.element_types or element_type in self.element_types
        ]
        if not chosen:
            asked = f"{' or '.join(self.operators)} over {' or '.join(self.element_types)}"
            raise UserError(f"no source document defines {asked}: leave --op or --type out")
        return chosen


@dataclass(frozen=True)
class Made:
    """Test vectors that were written."""

    request: Request
    manifest: Manifest
    seconds: float


def make(request: Request, step: Step) -> Made:
    """Generate the test vectors and write them, each folder as a whole.

    :raises UserError: when that is impossible.
    """
    began = time.monotonic()
    combinations = request.combinations()
    _check_folders(request)
    with Oracle() as oracle, ExitStack() as folders:
        source = origin(request.seed, oracle)
        folder = folders.enter_context(replaced(request.directory, NAME, _FILES))
        export = None
        if request.onnx_directory:
            root = folders.enter_context(replaced(request.onnx_directory, ORIGIN, LAYOUT))
            export = OnnxExport(root, source)
        files = []
        for number, (operator, element_type) in enumerate(combinations):
            step(f"{operator} {element_type}", number, len(combinations))
            made = list(generate(operator, element_type, request.seed, oracle))
            files.append(write_cases(folder, made))
            if export:
                export.write(made)
        if formal_sources_sha256() != source.formal_sources_sha256:
            raise UserError("the formal sources changed meanwhile: run the same command again")
        manifest = write_manifest(folder, source, files)
    return Made(request, manifest, time.monotonic() - began)


def _check_folders(request: Request) -> None:
    """Before the work rather than after it."""
    check_replaceable(request.directory, NAME, _FILES)
    if request.onnx_directory:
        check_replaceable(request.onnx_directory, ORIGIN, LAYOUT)
        places = [path.resolve() for path in (request.directory, request.onnx_directory)]
        if any(one.is_relative_to(other) for one, other in (places, places[::-1])):
            raise UserError("-o and --onnx need folders of which neither is within the other")


def origin(seed: int, oracle: Oracle) -> Origin:
    """What vectors that are made now are made from and with."""
    program = oracle.build()
    tools = {
        "sonnx-formal": importlib.metadata.version("sonnx-formal"),
        "why3": find_why3().version,
        "ocaml": first_line(["ocamlfind", "ocamlopt", "-version"]),
        "python": platform.python_version(),
        **{name: importlib.metadata.version(name) for name in ("numpy", "ml_dtypes", "onnx")},
    }
    return Origin(seed, formal_sources_sha256(), program.key, tools)
