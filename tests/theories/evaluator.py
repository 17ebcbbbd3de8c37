"""Evaluates the formal definitions: extracts them to OCaml, builds them and asks them.

Nothing here computes a result: a call is written down, sent to the program that
``why3 extract`` made of the library, and its answer is read back.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar

LIBRARY = Path(__file__).resolve().parents[2] / "why3"
MAIN = Path(__file__).with_name("evaluator.ml")

INTEGER_TYPES = [f"{sign}{width}" for sign in ("Int", "UInt") for width in (8, 16, 32, 64)]
MATMUL_TYPES = ["Int32", "Int64", "UInt32", "UInt64"]

# With --recursive each of these brings along what it uses.
ROOTS = [
    "tensor.offset.Offset",
    "tensor.tensor.Map",
    "tensor.matrix.Transpose",
    "tensor.operand.Operand",
    "scalar.exact_integer.ExactInteger",
    *(f"scalar.machine_types.{t}" for t in INTEGER_TYPES),
    "scalar.rational.ExtendedRational",
    *(f"ops.{op.lower()}.{op}Signature" for op in ("Mul", "Div", "MatMul")),
    *(f"ops.{op.lower()}.{op}{t}" for op in ("Mul", "Div") for t in ("Int", *INTEGER_TYPES)),
    *(f"ops.matmul.MatMul{t}" for t in ("Int", *MATMUL_TYPES)),
    *(f"ops.{op.lower()}.{op}Rational" for op in ("Mul", "Div", "MatMul")),
]

INFINITY = "inf"
Element = int | Fraction | str
"""An element of a tensor: an integer, a rational number or :data:`INFINITY`."""


E = TypeVar("E", bound=Element)


@dataclass(frozen=True)
class Tensor(Generic[E]):
    """A tensor of a call or an answer.

    :param shape: the dimensions, outermost first; ``()`` is rank 0.
    :param elements: the elements in row-major order.
    """

    shape: tuple[int, ...]
    elements: tuple[E, ...]


@dataclass(frozen=True)
class Operand:
    """What a graph says of a tensor: element type and storage as the formal library names them."""

    element: str
    storage: str
    dims: tuple[int, ...]


Value = bool | int | Fraction | str | tuple[int, ...] | Tensor[Any] | Operand


class DefinitionError(Exception):
    """The program refused a call: outside the domain, or no such definition."""


def _write_element(value: Element) -> str:
    return f"{value.numerator}/{value.denominator}" if isinstance(value, Fraction) else str(value)


def _write(value: Value) -> str:
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return f"[{';'.join(map(str, value))}]"
        case Tensor(shape, elements):
            return f"{_write(shape)}:{';'.join(map(_write_element, elements))}"
        case Operand(element, storage, dims):
            return f"{element},{storage},{_write(dims)}"
        case _:
            return _write_element(value)


def _read_element(text: str) -> Element:
    if text == INFINITY:
        return INFINITY
    if "/" in text:
        numerator, denominator = map(int, text.split("/"))
        return Fraction(numerator, denominator)
    return int(text)


def _read_sequence(text: str) -> tuple[int, ...]:
    return tuple(map(int, text[1:-1].split(";"))) if text != "[]" else ()


def _read(text: str) -> Value:
    if text in ("true", "false"):
        return text == "true"
    if "," in text:
        element, storage, dims = text.split(",")
        return Operand(element, storage, _read_sequence(dims))
    if ":" in text:
        shape, elements = text.split(":")
        return Tensor(
            _read_sequence(shape),
            tuple(map(_read_element, elements.split(";"))) if elements else (),
        )
    return _read_sequence(text) if text.startswith("[") else _read_element(text)


def build(folder: Path) -> Path:
    """Extract the definitions into ``folder`` and compile them; returns the program.

    :raises subprocess.CalledProcessError: when why3 or the OCaml compiler refuses.
    """
    extract = ["why3", "extract", "-D", "ocaml64", "--recursive", "--modular"]
    _run([*extract, "-L", str(LIBRARY), "-o", str(folder), *ROOTS])
    (folder / "main.ml").write_text(MAIN.read_text())
    files = sorted(p.name for p in folder.glob("*.ml"))
    ordered = _run(["ocamlfind", "ocamldep", "-sort", *files], folder).split()
    compile_ = ["ocamlfind", "ocamlopt", "-w", "-a", "-package", "zarith", "-linkpkg"]
    _run([*compile_, *ordered, "-o", "evaluator"], folder)
    return folder / "evaluator"


def _run(command: list[str], folder: Path | None = None) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(command[:3])} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def is_evidence(stem: str) -> bool:
    """Whether a file holds concrete arguments and what is proved of them, not definitions."""
    return stem.endswith(("witnesses", "examples")) or stem == "literal"


def definitions_in_sources() -> set[str]:
    """The name of every executable definition of the library, as its text declares it."""
    declaration = re.compile(
        r"^  let (?:rec )?(?:function|predicate|constant) (?:\( *(\S+) *\)|([\w']+))", re.MULTILINE
    )
    return {
        operator or name
        for path in sorted(LIBRARY.rglob("*.mlw"))
        if not is_evidence(path.stem)
        for operator, name in declaration.findall(path.read_text())
    }


class Evaluator:
    """The running program; a context manager."""

    def __init__(self, program: Path) -> None:
        self._process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Evaluator:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.communicate(timeout=10)

    def _ask(self, line: str) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise AssertionError(f"the evaluator died on: {line}")
        return answer.rstrip("\n")

    def names(self) -> list[str]:
        """The definitions that can be evaluated."""
        return self._ask("definitions").split()

    def text(self, name: str, *arguments: str) -> str:
        """The answer as the program writes it, to arguments as it reads them."""
        return self._ask(" ".join([name, *arguments]))

    def __call__(self, name: str, *arguments: Value) -> Value:
        """The value of the definition ``name`` (``folder.file.Module.symbol``) at ``arguments``.

        :raises DefinitionError: when the program refuses the call.
        """
        answer = self._ask(" ".join([name, *map(_write, arguments)]))
        if answer.startswith("error: "):
            raise DefinitionError(answer)
        return _read(answer)
