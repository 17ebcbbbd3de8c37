"""Test vectors made and written: the command `vectors`."""

import importlib.metadata
import platform
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import check_replaceable, replaced
from sonnx_formal.oracle import Oracle
from sonnx_formal.oracle.program import formal_sources_sha256
from sonnx_formal.prover.installation import find_why3, first_line
from sonnx_formal.spec.catalogue import instances
from sonnx_formal.spec.operator import Instance, Operator
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.manifest import NAME, Origin, file_name
from sonnx_formal.vectors.onnx_export import ORIGIN, OnnxExport, layout
from sonnx_formal.vectors.results import Generation
from sonnx_formal.vectors.storage import write_cases, write_manifest

Step = Callable[[str, int, int], None]
"""Is told what comes next, its number, and how many there are."""


@dataclass(frozen=True)
class VectorsRequest:
    """What to make, and where."""

    operators: Sequence[Operator]
    """All if there are none; element types likewise."""
    element_types: Sequence[str]
    seed: int
    directory: Path
    onnx_directory: Path | None = None
    """Where the ONNX backend tests go, if there are to be any."""

    def instances(self) -> list[Instance]:
        """What is asked for.

        :raises UserError: when no document has it.
        """
        operators, types = self.operators, self.element_types
        chosen = [
            instance
            for instance in instances()
            if not operators or instance.operator in operators
            if not types or any(type_.name in types for type_ in instance.types)
        ]
        if not chosen:
            raise UserError(
                f"no source document defines {' or '.join(map(str, operators))} over "
                f"{' or '.join(types)}: leave --op or --type out"
            )
        return chosen


def make(request: VectorsRequest, step: Step) -> Generation:
    """Generate the test vectors and write them, each folder as a whole.

    :raises UserError: when that is impossible.
    """
    began = time.monotonic()
    chosen = request.instances()
    _check_folders(request)
    with Oracle() as oracle, ExitStack() as folders:
        source = origin(request.seed, oracle)
        folder = folders.enter_context(replaced(request.directory, NAME, _files()))
        export = None
        if request.onnx_directory:
            root = folders.enter_context(replaced(request.onnx_directory, ORIGIN, layout()))
            export = OnnxExport(root, source)
        files = []
        for number, instance in enumerate(chosen):
            step(str(instance), number, len(chosen))
            made = list(generate(instance, request.seed, oracle))
            files.append(write_cases(folder, made))
            if export:
                export.write(made)
        if formal_sources_sha256() != source.formal_sources_sha256:
            raise UserError("the formal sources changed meanwhile: run the same command again")
        manifest = write_manifest(folder, source, files)
    return Generation.of(
        manifest, request.directory, request.onnx_directory, time.monotonic() - began
    )


def _files() -> list[str]:
    return [file_name(instance) for instance in instances()]


def _check_folders(request: VectorsRequest) -> None:
    """Before the work rather than after it."""
    check_replaceable(request.directory, NAME, _files())
    if request.onnx_directory:
        check_replaceable(request.onnx_directory, ORIGIN, layout())
        places = [path.resolve() for path in (request.directory, request.onnx_directory)]
        if any(a.is_relative_to(b) for a, b in (places, places[::-1])):
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
