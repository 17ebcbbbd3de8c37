"""The files of the library as text: header, source, and the file for pkg-config."""

import importlib.metadata
from collections.abc import Mapping, Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from sonnx_formal.kernels.copying import CopyingKernel
from sonnx_formal.kernels.declared import DeclaredKernel, KernelArray
from sonnx_formal.kernels.extraction import ExtractedKernel, Kernel
from sonnx_formal.kernels.platform_cases import NATIVE_FORMATS
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.sources import library_sha256
from sonnx_formal.spec.kernel import KernelForm

TEMPLATES = Path(__file__).with_name("templates")
_WRAPS = "Integers of n bits are modulo 2^n; float and double are rounded to nearest, ties to even."
_ELEMENTS = {
    "mul": ("C[i] = A[i] * B[i]", _WRAPS),
    "add": ("C[i] = A[i] + B[i]", _WRAPS),
    "sub": ("C[i] = A[i] - B[i]", _WRAPS),
    "neg": (
        "B[i] = -A[i]",
        "Integers of n bits are modulo 2^n: the least signed one is its own opposite. Of a\n"
        " * floating-point number, the bit of the sign is the other one, and so is that of NaN.",
    ),
    "abs": (
        "Y[i] = |X[i]|",
        "Integers of n bits are modulo 2^n: the least signed one is its own absolute value. Of a\n"
        " * floating-point number, the bit of the sign is zero, and so is that of NaN.",
    ),
    "relu": ("Y[i] = X[i] < 0 ? 0 : X[i]", "-0 and NaN are not less than 0: their bits stay."),
    "leaky_relu": (
        "Y[i] = X[i] < 0 ? alpha * X[i] : X[i]",
        "alpha is a number of float32, whatever the elements are. The exact product is rounded once"
        ", to nearest,\n * ties to even. -0 and NaN are not less than 0.",
    ),
    "less": (
        "C[i] = A[i] < B[i]",
        "An element of C is a byte: 1 where this holds, and else 0. NaN is not less than anything,"
        " nor is\n * anything less than NaN; -0 and +0 are equal.",
    ),
    "where": (
        "Z[i] = condition[i] ? X[i] : Y[i]",
        "An element of the condition is a byte: 0 is false, all else is true. Bits are copied.",
    ),
    "clip": (
        "Y[i] = M < L ? M : X[i] < L ? L : X[i] > M ? M : X[i]",
        "L and M are numbers. A NaN is less or greater than nothing: as a bound it is none, in X it"
        " stays\n * unless M < L. Zeros are equal, whatever their signs. Bits are copied.",
    ),
    "sqrt": (
        "Y[i] = the square root of X[i]",
        "Rounded to nearest, ties to even. -0 is its own root; of other numbers below zero, and of"
        " NaN, the root\n * is NaN.",
    ),
    "max": (
        "Y[i] = X1[i] > X2[i] ? X1[i] : X2[i]",
        "NaN where X1[i] or X2[i] is; +0 is greater than -0. Bits are copied. Of more operands, the"
        " result\n * takes the place of X1, again with each.",
    ),
    "min": (
        "min[i] = data_0[i] < data_1[i] ? data_0[i] : data_1[i]",
        "NaN where data_0[i] or data_1[i] is; -0 is less than +0. Bits are copied. Of more operands"
        ",\n * the result takes the place of data_0, again with each.",
    ),
    "equal": (
        "C[i] = A[i] == B[i]",
        "An element of C is a byte: 1 where this holds, and else 0. NaN is not equal to anything;"
        " -0 and +0\n * are equal. Over bool, an element is a byte, too: 0 is false, all else is"
        " true.",
    ),
    "div": (
        "C[i] = A[i] / B[i]",
        "Integer quotients are truncated towards zero; the least number divided by -1 is itself.\n"
        " * Where an integer divisor is zero, the quotients before the first one are written,"
        " nothing after\n * them, and the status is SONNX_DIVISION_BY_ZERO. `computed`, if it is"
        " not null, gets how many\n * were written: it is the index of that divisor."
        " It may not be in one of the arrays.\n * Over float and double, x / 0 is an infinity,"
        " and 0 / 0 is NaN.",
    ),
}
"""By operators: an element of the result, and what else the header says of it."""


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
        "elements": {each.name: _ELEMENTS[each.name] for each in by_element},
        "declaration": _declaration,
        "copying": [each.kernel for each in extracted if isinstance(each.kernel, CopyingKernel)],
        "call": _call,
        "check": _check,
    }
    return {
        path.stem: made.get_template(path.name).render(known)
        for path in sorted(TEMPLATES.glob("sonnx.*.jinja"))
    }


def _declaration(kernel: Kernel) -> str:
    taken = ", ".join(each.declared for each in kernel.parameters)
    return f"sonnx_status {kernel.name}({taken})"


def _call(kernel: DeclaredKernel, *, in_place: bool = False) -> str:
    """The call of a program of the module."""
    result = _cast(kernel.result, "*")
    program = kernel.programs[in_place]
    given = [
        *(
            result if in_place and each == kernel.replaced else _cast(each, "*", "const ")
            for each in kernel.operands
        ),
        *(name for name, _ in kernel.word_arrays),
        *(_cast(each) for each in kernel.numbers),
        *([] if in_place else [result]),
    ]
    sizes = (*kernel.sizes, *_counts(kernel))
    return f"{kernel.name}_{program}({', '.join((*given, *sizes))})"


def _counts(kernel: DeclaredKernel) -> list[str]:
    """The sizes that C computes from words, as far as the program goes by them."""
    if not kernel.word_arrays:
        return []
    return [*(["operands[0].count"] if kernel.form is KernelForm.REDUCTION else []), "result.count"]


def _check(kernel: DeclaredKernel) -> str:
    """The call of the program that looks at words and sizes first."""
    assert kernel.check
    program = kernel.check.rpartition(".")[2]
    names = [name for name, _ in kernel.word_arrays]
    if kernel.form is KernelForm.REDUCTION:
        names.remove("dims")  # any are as good
    given = (*names, *kernel.sizes)
    return f"{kernel.name}_{program}({', '.join(given)})"


def _cast(array: KernelArray, pointer: str = "", qualifier: str = "") -> str:
    """An array or a number as the kernel has it: patterns of integers have another type in C."""
    if array.word == array.c_type:
        return array.name
    what = f"{qualifier}{array.word} {pointer}".rstrip()
    return f"({what}){array.name}"
