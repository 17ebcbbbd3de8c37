"""Whether `sonnx_platform_check` notices arithmetic that is not that of IEEE 754."""

import re
import subprocess
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from sonnx_formal.kernels.library import LoadedLibrary
from sonnx_formal.kernels.platform_cases import NATIVE_FORMATS, NativeFormat, PlatformCase
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.element_types import Array
from tests.accuracy.orders import rounded
from tests.kernels.operands import BY_NAME, expected
from tests.kernels.texts import with_error

pytestmark = pytest.mark.long

OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "div", "l": "leaky_relu", "r": "sqrt"}
CONTRACTION, SUBNORMAL_RESULTS, SUBNORMAL_OPERANDS, ROUNDING, ORDER, FMA, ROOT = (
    1,
    4,
    8,
    16,
    128,
    256,
    512,
)
DIRECTIONS = ["FE_TONEAREST", "FE_UPWARD", "FE_DOWNWARD", "FE_TOWARDZERO"]
PROGRAM = f"""\
#include "sonnx.c"
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {{
    const int directions[] = {{{", ".join(DIRECTIONS)}}};
    (void)fesetround(directions[atoi(argv[argc - 1])]);
    printf("%u\\n", sonnx_platform_check());
    return 0;
}}
"""
STRICT = ["-std=c11", "-ffp-contract=off"]
Said = Callable[..., int]


@pytest.fixture(scope="module")
def said(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Said:
    """What the check says, compiled with options of its own, and linked with others."""

    @cache
    def compiled(files: Path, *options: str) -> Path:
        """Of the library, no more than the check calls."""
        folder = tmp_path_factory.mktemp("compiled")
        (folder / "program.c").write_text(PROGRAM)
        command = ["cc", *options, "-fwhole-program", f"-I{files}", "-c", "program.c"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return folder / "program.o"

    def run(
        options: list[str],
        direction: str = "FE_TONEAREST",
        link: Sequence[str] = (),
        files: Path = files,
    ) -> int:
        made = compiled(files, *options)
        program = made.with_name("program")
        subprocess.run(["cc", *link, made, "-lm", "-o", program], check=True)
        return int(subprocess.check_output([program, str(DIRECTIONS.index(direction))]))

    return run


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
def test_nothing_is_found_where_all_is_right(said: Said, level: str) -> None:
    assert said([*STRICT, level]) == 0


@pytest.mark.parametrize("direction", DIRECTIONS[1:])
def test_another_direction_of_rounding(said: Said, direction: str) -> None:
    assert said([*STRICT, "-O1"], direction) & ROUNDING


@pytest.mark.parametrize("level", ["-O2", "-O3"])
def test_contraction(said: Said, level: str) -> None:
    assert said(["-ffp-contract=fast", "-march=native", level]) == CONTRACTION


@pytest.mark.parametrize("number", ["float", "double"])
@pytest.mark.parametrize(
    ("operation", "fused"),
    [
        ("step(e, u0, y0), u1, y1)", "{fma}(u0, y0, e), u1, y1)"),
        ("step(step(d, t0, y0), t1, y1)", "{fma}(t1, y1, step(d, t0, y0))"),
        ("step(z[start + j], x, b[from + j])", "{fma}(x, b[from + j], z[start + j])"),
    ],
    ids=["the first term of a block", "the second one", "a term after the blocks"],
)
def test_contraction_of_one_operation(  # noqa: PLR0913, PLR0917 (fixtures, and an operation)
    files: Path, said: Said, tmp_path: Path, number: str, operation: str, fused: str
) -> None:
    """Where a compiler contracts here and not there."""
    kernel, fma = {
        "float": ("sonnx_matmul_float32", "__builtin_fmaf"),
        "double": ("sonnx_matmul_float64", "__builtin_fma"),
    }[number]
    whole = (files / "sonnx.c").read_text()
    text = with_error(whole, BY_NAME[kernel], operation, fused.format(fma=fma))
    for name, content in {"sonnx.c": text, "sonnx.h": (files / "sonnx.h").read_text()}.items():
        (tmp_path / name).write_text(content)
    assert said([*STRICT, "-O1"], files=tmp_path) == CONTRACTION


@pytest.mark.parametrize("fma", ["fma", "fmaf"])
def test_fma_that_rounds_twice(files: Path, said: Said, tmp_path: Path, fma: str) -> None:
    """As some libraries of C compute it where the processor does not."""
    text = (files / "sonnx.c").read_text()
    fused = f"return {fma}(x, y, sum);"
    assert fused in text
    (tmp_path / "sonnx.c").write_text(text.replace(fused, "return x * y + sum;"))
    (tmp_path / "sonnx.h").write_text((files / "sonnx.h").read_text())
    assert said([*STRICT, "-O1"], files=tmp_path) == FMA


@pytest.mark.parametrize(("root", "numerator"), [("sqrtf", "1.0f"), ("sqrt", "1.0")])
def test_roots_that_are_nearly_right(
    files: Path, said: Said, tmp_path: Path, root: str, numerator: str
) -> None:
    """As from an estimate of the reciprocal root, which some processors have."""
    text = (files / "sonnx.c").read_text()
    assert f"= {root}(a[i])" in text
    estimated = re.sub(rf"= {root}\((\w+\[i\])\)", rf"= \1 * ({numerator} / {root}(\1))", text)
    (tmp_path / "sonnx.c").write_text(estimated)
    (tmp_path / "sonnx.h").write_text((files / "sonnx.h").read_text())
    assert said([*STRICT, "-O1"], files=tmp_path) & ROOT


def test_subnormal_numbers_that_become_zero(said: Said) -> None:
    # As a program does that is linked with -ffast-math: it sets the mode of the processor.
    found = said([*STRICT, "-O1"], link=["-ffast-math"])
    assert found & (SUBNORMAL_RESULTS | SUBNORMAL_OPERANDS) == 12


def test_sums_in_another_order(said: Said) -> None:
    """Other compilers than GCC do not say that they were told so."""
    associative = ["-fassociative-math", "-fno-signed-zeros", "-fno-trapping-math"]
    unsaid = [*STRICT, "-O3", *associative, "-U__GCC_IEC_559"]
    assert said(unsaid) == ORDER


def compiled(files: Path, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """The library, compiled with the options."""
    command = ["cc", *STRICT, *options, f"-I{files}", "-c", str(files / "sonnx.c"), "-o", "sonnx.o"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "option",
    [
        "-ffast-math",
        "-ffinite-math-only",
        "-funsafe-math-optimizations",
        "-fno-signed-zeros",
        "-freciprocal-math",
    ],
)
def test_compilers_that_say_so_are_refused(files: Path, tmp_path: Path, option: str) -> None:
    done = compiled(files, tmp_path, option)
    assert done.returncode != 0
    assert "libsonnx needs the arithmetic of IEEE 754" in done.stderr


@pytest.mark.parametrize("method", [1, 2, -1])
def test_floats_in_another_precision_are_refused(files: Path, tmp_path: Path, method: int) -> None:
    done = compiled(files, tmp_path, f"-D__FLT_EVAL_METHOD__={method}")
    assert done.returncode != 0
    assert "computed in their own precision" in done.stderr


def test_processors_with_floats_of_16_bits(files: Path, tmp_path: Path) -> None:
    done = compiled(files, tmp_path, "-D__FLT_EVAL_METHOD__=16", "-fsyntax-only")
    assert done.returncode == 0, done.stderr


def test_this_machine(libsonnx: LoadedLibrary) -> None:
    assert libsonnx.platform_check() == 0


def words(format_: NativeFormat, *bits: int) -> Array:
    return np.array(bits, f"u{4 if format_.word == 'uint32_t' else 8}").view(format_.name)


@pytest.mark.parametrize("format_", NATIVE_FORMATS, ids=lambda format_: format_.type)
def test_expected_results_are_those_of_the_definitions(
    format_: NativeFormat, oracle: Oracle
) -> None:
    square = PlatformCase(format_.cases[0].bit, "*", format_.factor, format_.factor, format_.square)
    for case in (*format_.cases, square):
        if case.operation == "c":
            nearest = float(rounded(Fraction(case.a), format_.format))
            assert words(format_, case.result).tolist() == [nearest], case
            continue
        kernel = BY_NAME[f"sonnx_{OPERATORS[case.operation]}_{format_.name}"]
        both = (words(format_, case.a), words(format_, case.b))
        if case.operation == "l":
            both = (both[1], np.array([case.a], np.uint32).view(np.float32))
        result = expected(oracle, kernel, *both[: len((*kernel.operands, *kernel.numbers))])
        assert result.tobytes() == words(format_, case.result).tobytes(), case
    fused = BY_NAME[f"sonnx_matmul_fused_{format_.name}"]
    row = words(format_, format_.square | format_.format.sign, format_.factor).reshape(1, 2)
    column = words(format_, format_.format.one, format_.factor).reshape(2, 1)
    assert expected(oracle, fused, row, column).tobytes() == words(format_, format_.rest).tobytes()
