"""The files of the library as text: header, source, and the file for pkg-config."""

import importlib.metadata
from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sonnx_formal.kernels.declared import DeclaredKernel
from sonnx_formal.kernels.extraction import ExtractedKernel
from sonnx_formal.kernels.platform_cases import NATIVE_FORMATS
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.sources import library_sha256
from sonnx_formal.spec.operator import Arithmetic

TEMPLATES = Path(__file__).with_name("templates")
_WRAPS = "Integers of n bits are modulo 2^n; float and double are rounded to nearest, ties to even."
_SIGNS = {
    Arithmetic.PRODUCT: ("*", _WRAPS),
    Arithmetic.SUM: ("+", _WRAPS),
    Arithmetic.DIFFERENCE: ("-", _WRAPS),
    Arithmetic.QUOTIENT: (
        "/",
        "Integer quotients are truncated towards zero; the least number divided by -1 is itself.\n"
        " * Where an integer divisor is zero, the quotients before the first one are written,"
        " nothing after\n * them, and the status is SONNX_DIVISION_BY_ZERO. `computed`, if it is"
        " not null, gets how many\n * were written: it is the index of that divisor."
        " It may not be in one of the arrays.\n * Over float and double, x / 0 is an infinity,"
        " and 0 / 0 is NaN.",
    ),
}
"""How C writes the operation, and what the header says of it."""


def texts(
    kernels: Sequence[DeclaredKernel],
    extracted: Sequence[ExtractedKernel],
    library: Path,
    why3: Why3,
) -> dict[str, str]:
    """The text of each file, by its name."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    by_element = {kernel.operator for kernel in kernels if kernel.by_element}
    known: Mapping[str, object] = {
        "version": importlib.metadata.version("sonnx-formal"),
        "why3": why3.version,
        "library": library_sha256(library),
        "kernels": kernels,
        "texts": extracted,
        "natives": NATIVE_FORMATS,
        "signs": {each.name: _SIGNS[each.arithmetic][0] for each in by_element},
        "meanings": {each.name: _SIGNS[each.arithmetic][1] for each in by_element},
        "declaration": _declaration,
        "cast": _cast,
    }
    return {
        path.stem: made.get_template(path.name).render(known)
        for path in sorted(TEMPLATES.glob("sonnx.*.jinja"))
    }


def _declaration(kernel: DeclaredKernel) -> str:
    type_ = kernel.c_type
    result = "c" if kernel.by_element else "y"
    sizes = "uint64_t n" if kernel.by_element else "uint64_t m, uint64_t k, uint64_t n"
    computed = ", uint64_t *computed" if kernel.is_partial else ""
    arrays = f"const {type_} *a, const {type_} *b, {type_} *{result}"
    return f"sonnx_status {kernel.name}({arrays}, {sizes}{computed})"


def _cast(kernel: DeclaredKernel, name: str, qualifier: str = "const ") -> str:
    """An array as the kernel has it: patterns of integers have another type in C."""
    same = kernel.word == kernel.c_type
    return name if same else f"({qualifier}{kernel.word} *){name}"
