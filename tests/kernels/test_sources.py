"""The C text: it compiles without a warning, and errors that are put into it are caught."""

import ctypes
import re
import subprocess
from collections.abc import Callable
from functools import cache, reduce
from pathlib import Path

import numpy as np
import pytest

from sonnx_formal.kernels.copying import copying_kernels
from sonnx_formal.kernels.declared import DeclaredKernel, kernels
from sonnx_formal.kernels.library import LoadedLibrary
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.element_types import Array
from tests.kernels.operands import BY_NAME, combined, computed, differ, expected, many, telling
from tests.kernels.test_results import matrices
from tests.kernels.texts import with_error

WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror"]
SANITIZERS = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
README = Path(__file__).parents[2] / "README.md"


def compiled(folder: Path, *options: str, program: bool = False) -> str:
    """What a compiler says of it; nothing, if it is content."""
    what = [] if program else ["-c"]
    sources = map(str, sorted(folder.glob("*.c")))
    command = ["cc", *sources, *options, *what, "-lm", "-o", "out"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.stderr + (f"exit status {done.returncode}" if done.returncode else "")


@pytest.fixture
def sources(files: Path, tmp_path: Path) -> Path:
    for name in ("sonnx.c", "sonnx.h"):
        (tmp_path / name).write_text((files / name).read_text())
    return tmp_path


@pytest.fixture(scope="module")
def unoptimised(files: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What a compiler says of the library that it need not optimise, and what it makes of it."""
    folder = tmp_path_factory.mktemp("unoptimised")
    for name in ("sonnx.c", "sonnx.h"):
        (folder / name).write_text((files / name).read_text())
    return compiled(folder, *WARNINGS, "-O0"), folder / "out"


@pytest.mark.long
def test_no_warning(unoptimised: tuple[str, Path]) -> None:
    assert unoptimised[0] == ""


@pytest.mark.long
def test_no_warning_of_what_is_optimised(sources: Path) -> None:
    assert compiled(sources, *WARNINGS, "-O3") == ""


def test_the_header_alone_is_c(sources: Path) -> None:
    (sources / "sonnx.c").unlink()
    (sources / "program.c").write_text('#include "sonnx.h"\nint x;\n')
    assert compiled(sources, *WARNINGS) == ""


def test_what_is_extracted_allocates_nothing_and_has_no_global(files: Path) -> None:
    text = (files / "sonnx.c").read_text()
    extracted = re.findall(r"/\* >>>> extracted \*/\n(.*?)/\* <<<< extracted \*/", text, re.DOTALL)
    assert len(extracted) == len(kernels()) + len(copying_kernels())
    for part in extracted:
        assert not re.search(
            r"\b(malloc|calloc|alloca|free|static (?!inline )|extern|goto)\b", part
        )
        assert all(line.startswith((" ", "}", "static inline ", "void ", "uint64_t ", "int "))
                   for line in part.splitlines() if line)  # fmt: skip


def test_no_parameter_of_a_macro_is_a_macro(files: Path) -> None:
    """MISRA C:2012 rule 5.4; names of extracted functions are macros while their kernel lasts."""
    text = (files / "sonnx.c").read_text()
    macros = set(re.findall(r"^#define (\w+)", text, re.MULTILINE))
    parameters = re.findall(r"^#define \w+\(([^)]*)\)", text, re.MULTILINE)
    assert parameters
    assert macros.isdisjoint(name.strip() for each in parameters for name in each.split(","))


def test_no_function_calls_itself(files: Path) -> None:
    text = (files / "sonnx.c").read_text()
    heads = re.compile(r"^\w[^\n;]*?(\w+)\([^)]*\) \{", re.MULTILINE)
    for part in re.findall(r">>>> extracted \*/\n(.*?)/\* <<<<", text, re.DOTALL):
        functions = list(heads.finditer(part))
        names = [function[1] for function in functions]
        ends = [*(function.start() for function in functions[1:]), len(part)]
        for number, (function, end) in enumerate(zip(functions, ends, strict=True)):
            called = set(re.findall(r"(\w+)\(", part[function.end() : end]))
            assert called & set(names) <= set(names[:number])  # each calls what stands above it


def program_of_the_readme() -> str:
    (program,) = re.findall(r"```c\n(#include <sonnx\.h>.*?)```", README.read_text(), re.DOTALL)
    return str(program)


def test_the_program_of_the_readme(files: Path, tmp_path: Path) -> None:
    program = program_of_the_readme()
    (tmp_path / "program.c").write_text(program)
    library = [f"-I{files}", f"-L{files}", "-l:libsonnx.a"]
    assert compiled(tmp_path, *WARNINGS, "-g", "-O1", *library, program=True) == ""
    output = subprocess.check_output([tmp_path / "out"], text=True)
    said = re.search(r"/\* prints: (.*) \*/", program)
    assert said is not None
    assert output == f"{said[1]}\n"


EXERCISE = """\
#include <stdlib.h>
#include <string.h>
#include "sonnx.h"

/* Arrays of their exact sizes, so that one element too many is noticed. */
int main(void) {
    for (uint64_t n = 0; n < 12; n++) {
        size_t size = n * sizeof(int64_t);
        int64_t *a = malloc(size), *b = malloc(size), *c = malloc(size);
        if (n > 0 && (!a || !b || !c)) {
            return 2;
        }
        if (n > 0) {
            memset(a, 0x80, size);
            memset(b, 0xff, size);
        }
        if (sonnx_mul_int64(a, b, c, n) || sonnx_div_int64(a, b, c, n, NULL)
            || sonnx_add_int64(a, b, a, n) || sonnx_sub_int64(a, b, c, n)
            || sonnx_neg_int64(b, a, n) || sonnx_abs_int64(a, a, n) || sonnx_relu_int64(b, c, n)
            || sonnx_less_int64(b, c, (uint8_t *)a, n)
            || sonnx_where_int64((uint8_t *)a, b, c, b, n)
            || sonnx_clip_int64(b, -1, 1, c, n) || sonnx_clip_int64(c, 0, 1, c, n)
            || sonnx_max_int64(b, c, a, n) || sonnx_max_int64(a, b, a, n)
            || sonnx_min_int64(b, c, a, n) || sonnx_min_int64(a, b, a, n)
            || sonnx_equal_int64(b, c, (uint8_t *)a, n)
            || sonnx_equal_bool((uint8_t *)a, (uint8_t *)b, (uint8_t *)c, n)) {
            return 1;
        }
        if (sonnx_leaky_relu_float64((double *)a, 0.1f, (double *)b, n)
            || sonnx_soft_leaky_relu_float64((uint64_t *)a, 0x3dcccccd, (uint64_t *)a, n)) {
            return 1;
        }
        uint64_t *ones = malloc(size), *zeros = malloc(size);
        for (uint64_t k = 0; k < n; k++) {
            ones[k] = 1, zeros[k] = 0;
        }
        const uint64_t two[] = {n / 2, 2}, swapped[] = {1, 0};
        const uint64_t last[] = {n / 2 - 1, 1}, back[] = {UINT64_MAX, UINT64_MAX};
        uint64_t work[2];
        if (sonnx_identity_word64((uint64_t *)a, (uint64_t *)b, n)
            || sonnx_concat_word64((uint64_t *)a, (uint64_t *)b, 1, n, 0, n)
            || sonnx_concat_word32((uint32_t *)a, (uint32_t *)b, n, 1, 1, 2)
            || sonnx_transpose_word64((uint64_t *)a, two, swapped, work, (uint64_t *)b, 2)
            || (n > 1 && sonnx_slice_word64((uint64_t *)a, two, last, back, two, (uint64_t *)b, 2))
            || (n > 0
                && sonnx_slice_word8((uint8_t *)a, ones, zeros, ones, ones, (uint8_t *)b, n))) {
            return 1;
        }
        const uint64_t row[] = {1, 1, 1, n}, window[] = {1, 3}, each[] = {1, 1};
        const uint64_t pads[] = {0, 1, 0, 1}, apart[] = {1, 2}, rim[] = {0, 2, 0, 2};
        if (sonnx_max_pool_int8((int8_t *)a, row, window, each, pads, each, row, (int8_t *)b)
            || sonnx_soft_max_pool_float64((uint64_t *)a, row, window, each, rim, apart, row,
                                           (uint64_t *)b)) {
            return 1;
        }
        free(a), free(b), free(c), free(ones), free(zeros);
    }
    for (uint64_t m = 0; m < 5; m++) {
        for (uint64_t k = 0; k < 10; k++) {
            for (uint64_t n = 0; n < 10; n++) {
                float *a = calloc(m * k, 4), *b = calloc(k * n, 4), *y = calloc(m * n, 4);
                if ((m * k && !a) || (k * n && !b) || (m * n && !y)) {
                    return 2;
                }
                if (sonnx_matmul_float32(a, b, y, m, k, n)
                    || sonnx_matmul_fused_float32(a, b, y, m, k, n)
                    || sonnx_matmul_int32((int32_t *)a, (int32_t *)b, (int32_t *)y, m, k, n)) {
                    return 1;
                }
                free(a), free(b), free(y);
            }
        }
    }
    for (uint64_t n = 0; n < 8; n++) {
        const uint64_t dims[] = {1, 2, n, 5}, w_dims[] = {3, 2, 2, 3};
        const uint64_t y_dims[] = {1, 3, n / 2 + 1, 4};
        const uint64_t strides[] = {2, 1}, pads[] = {1, 2, 1, 1}, dilations[] = {1, 2};
        float *x = calloc(10 * n, 4), *w = calloc(36, 4), *b = calloc(3, 4);
        float *y = calloc(12 * (n / 2 + 1), 4);
        int8_t *bytes = calloc(10 * n, 1);
        if ((n && !(x && bytes)) || !w || !b || !y) {
            return 2;
        }
        if (sonnx_conv_float32(x, w, b, dims, w_dims, strides, pads, dilations, y_dims, y, 1, 3)
            || sonnx_soft_conv_float32((uint32_t *)x, (uint32_t *)w, NULL, dims, w_dims, strides,
                                       pads, dilations, y_dims, (uint32_t *)y, 1, 0)
            || sonnx_conv_integer_int8_uint8(bytes, (uint8_t *)w, (uint8_t *)b, dims, w_dims,
                                             strides, pads, dilations, y_dims, -128, (int32_t *)y,
                                             1, 3)) {
            return 1;
        }
        int32_t *z = calloc(3, 4);
        if (!z
            || sonnx_soft_dequantize_linear_int32_float32((int32_t *)w, (uint32_t *)b, z,
                                                          (uint32_t *)x, 1, 3, n, 3)
            || sonnx_soft_quantize_linear_float32_int8((uint32_t *)x, (uint32_t *)b, NULL, bytes, n,
                                                       1, 5, 0)) {
            return 1;
        }
        free(x), free(w), free(b), free(y), free(bytes), free(z);
    }
    for (uint64_t n = 0; n < 8; n++) {
        const uint64_t dims[] = {2, n, 3}, rows[] = {1, 0, 1}, columns[] = {0, 1, 0};
        const uint64_t none[] = {0, 0, 0};
        int32_t *x = calloc(6 * n, 4), *y = calloc(n, 4), *z = calloc(6, 4), *u = calloc(6 * n, 4);
        if ((n && !(x && y && u)) || !z) {
            return 2;
        }
        if (sonnx_reduce_sum_int32(x, dims, rows, y, 3, 0)
            || sonnx_reduce_sum_float32((float *)x, dims, columns, (float *)z, 3, 0)
            || sonnx_reduce_sum_int32(x, dims, none, u, 3, 1)
            || (n && sonnx_soft_reduce_sum_float16((uint16_t *)z, NULL, NULL, (uint16_t *)y, 0, 0))
            || sonnx_soft_reduce_sum_float64(NULL, NULL, NULL, NULL, 0, 1) != SONNX_NULL_POINTER) {
            return 1;
        }
        const uint64_t row[] = {1, 1, 1, n}, window[] = {1, 3}, each[] = {1, 1};
        const uint64_t pads[] = {0, 1, 0, 1}, apart[] = {1, 2}, rim[] = {0, 2, 0, 2};
        if (sonnx_average_pool_float32((float *)x, row, window, each, pads, each, row,
                                       (float *)u, 0)
            || sonnx_soft_average_pool_float32((uint32_t *)x, row, window, each, rim, apart, row,
                                               (uint32_t *)u, 1)) {
            return 1;
        }
        free(x), free(y), free(z), free(u);
    }
    return sonnx_platform_check() != 0;
}
"""


@pytest.mark.long
def test_sanitizers_have_nothing_to_say(sources: Path) -> None:
    (sources / "program.c").write_text(EXERCISE)
    assert compiled(sources, "-std=c11", *SANITIZERS, program=True) == ""
    done = subprocess.run([sources / "out"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.long
def test_a_product_without_elements_takes_no_time(
    unoptimised: tuple[str, Path], tmp_path: Path
) -> None:
    calls = " || ".join(
        f"sonnx_matmul_{name}(NULL, NULL, NULL, UINT64_MAX, 0, 0)"
        for name in ("int32", "uint64", "float32", "float64")
    )
    text = f'#include <stddef.h>\n#include "sonnx.h"\nint main(void) {{ return {calls}; }}\n'
    (tmp_path / "program.c").write_text(text)
    _, library = unoptimised
    options = ("-std=c11", "-O0", f"-I{library.parent}", str(library))
    assert compiled(tmp_path, *options, program=True) == ""
    assert subprocess.run([tmp_path / "out"], check=False, timeout=20).returncode == 0


@pytest.mark.long
def test_threads_may_be_examined(sources: Path) -> None:
    """What the C library chooses at the start runs before the sanitizer is ready."""
    (sources / "program.c").write_text(
        '#include "sonnx.h"\nint main(void) { return (int)sonnx_platform_check(); }\n'
    )
    assert compiled(sources, "-std=c11", "-O2", "-fsanitize=thread", program=True) == ""
    done = subprocess.run([sources / "out"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


Mutant = tuple[str, str, str]
"""The function, without its prefix; and what becomes what in its kernel."""
MUTANTS: list[Mutant] = [
    ("mul_int8", "i = i + UINT64_C(1)", "i = i + UINT64_C(2)"),
    ("mul_uint16", "return (uint16_t)r", "return (uint8_t)r"),
    ("add_int32", "compute(a[i], b[i])", "compute(a[i], a[i])"),
    ("sub_int8", "compute(a[i], b[i])", "compute(b[i], a[i])"),
    ("add_uint64", "i = UINT64_C(0)", "i = UINT64_C(1)"),
    ("div_int8", "UINT64_C(0x80)", "UINT64_C(0x40)"),
    ("div_int32", "magnitude(x) / magnitude(y)", "magnitude(y) / magnitude(x)"),
    ("div_uint8", "return (uint8_t)r", "return (uint8_t)(r + 1)"),
    ("matmul_float32", "b[from + n + j]", "b[from + j]"),
    ("matmul_float32", "k - p >= UINT64_C(2)", "k - p > UINT64_C(1)"),
    ("matmul_fused_float32", "fmaf(x, y, sum)", "fmaf(x, y, -sum)"),
    ("matmul_fused_float64", "fma(x, y, sum)", "x * y + sum"),
    ("matmul_int32", "row(a, b, z, i, k, n);\n    i", "i"),
    ("matmul_float64", "w1 = factor(a, i + UINT64_C(3)", "w1 = factor(a, i"),
    ("gemm_int32", "add_elements(z[i], c[i])", "add_elements(z[i], c[0])"),
    ("gemm_float32", "z[i] + c[i]", "c[i]"),
    ("sub_float64", "a[i] - b[i]", "b[i] - a[i]"),
    ("div_float32", "a[i] / b[i]", "a[i] * (1 / b[i])"),
    ("neg_int8", "UINT64_C(0) - (uint64_t)x", "UINT64_C(1) - (uint64_t)x"),
    ("neg_uint64", "y[i] = opposite(a[i])", "y[0] = opposite(a[i])"),
    ("abs_int16", "UINT64_C(0x8000)", "UINT64_C(0x4000)"),
    ("abs_uint32", "return x;", "return opposite(x);"),
    ("relu_int64", "is_negative(x)) {", "rank(x) <= negatives() + 1) {"),
    ("less_int8", "rank(x) < rank(y)", "x < y"),
    ("less_uint16", "rank(x) < rank(y)", "rank(x) <= rank(y)"),
    ("less_int32", "(uint8_t)UINT64_C(1)", "(uint8_t)UINT64_C(2)"),
    ("where_uint8", "? p : q", "? q : p"),
    ("where_int64", "condition[i]", "condition[0]"),
    ("clip_int16", "less(m, l)", "less(l, m)"),
    ("clip_uint8", "return l;", "return x;"),
    ("max_int8", "rank(x) < rank(y)", "x < y"),
    ("max_uint32", "larger(a[i], b[i])", "larger(a[i], a[i])"),
    ("min_int16", "rank(x) < rank(y)", "x < y"),
    ("equal_bool", "return !is_true(y)", "return is_true(y)"),
    ("equal_int32", "rank(x) == rank(y)", "rank(x) <= rank(y)"),
    ("equal_uint8", "same(a[i], b[i])", "same(a[i], b[0])"),
    ("leaky_relu_float32", "x < 0.0f", "x <= 0.0f"),
    ("leaky_relu_float64", "(double)alpha", "(double)(alpha + 1e-3f)"),
    ("leaky_relu_float64", "return x;", "return -x;"),
    ("sqrt_float32", "sqrtf(a[i])", "(float)(sqrtf(a[i]) + 1e-3f)"),
    ("sqrt_float64", "sqrt(a[i])", "sqrtf((float)a[i])"),
    ("soft_sqrt_float16", "digits() + UINT64_C(3)", "digits() + UINT64_C(1)"),
    ("soft_sqrt_bfloat16", "r >= d", "r > d"),
    ("soft_sqrt_float32", "r > UINT64_C(0) || y > UINT64_C(0)", "y > UINT64_C(0)"),
    ("soft_sqrt_float64", "UINT64_C(32) +", "UINT64_C(31) +"),
    ("soft_clip_float16", "low, high);", "high, low);"),
    ("soft_max_float64", "magnitude(q) > infinity()", "magnitude(q) >= infinity()"),
    ("soft_max_bfloat16", "p < sign()", "p >= sign()"),
    ("soft_min_float32", "p < sign()", "p >= sign()"),
    ("soft_min_float16", "magnitude(p) > infinity()", "magnitude(p) >= infinity()"),
    ("soft_equal_bfloat16", "if (x == y)", "if (m == n)"),
    ("soft_equal_float64", "n == UINT64_C(0)", "n != UINT64_C(0)"),
    ("soft_leaky_relu_float16", "x < sign() || m == UINT64_C(0)", "x < sign()"),
    ("soft_leaky_relu_bfloat16", "UINT64_C(149)", "UINT64_C(148)"),
    ("soft_leaky_relu_float32", "n == UINT64_C(0)", "n == UINT64_C(1)"),
    ("soft_leaky_relu_float64", "UINT64_C(23)", "UINT64_C(22)"),
    ("soft_neg_float16", "UINT64_C(0x8000)", "UINT64_C(0x4000)"),
    ("soft_abs_float64", "x - sign()", "x"),
    ("soft_relu_float32", "soft_less((uint64_t)x, UINT64_C(0))", "x >= sign()"),
    ("soft_less_bfloat16", "m > infinity() || n > infinity()", "m > infinity()"),
    ("soft_less_float32", "return n < m", "return m < n"),
    ("soft_where_float64", "is_true(condition[i])", "a[i]"),
]
SAME = {"k - p > UINT64_C(1)"}
"""Sums that are taken term by term instead of in blocks: the order is the same, and so the bits."""


def batch(mutant: Mutant) -> list[Mutant]:
    """Mutants of different kernels, which are compiled together."""

    def place(other: Mutant) -> int:
        return [each for each in MUTANTS if each[0] == other[0]].index(other)

    return [each for each in MUTANTS if place(each) == place(mutant)]


def mutated(text: str, mutant: Mutant) -> str:
    name, before, after = mutant
    return with_error(text, BY_NAME[f"sonnx_{name}"], before, after)


@pytest.fixture(scope="session")
def library_of(
    files: Path, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[Mutant], LoadedLibrary]:
    """The library with the errors of a batch."""

    @cache
    def built(*mutants: Mutant) -> LoadedLibrary:
        folder = tmp_path_factory.mktemp("mutants")
        text = reduce(mutated, mutants, (files / "sonnx.c").read_text())
        (folder / "sonnx.c").write_text(text)
        (folder / "sonnx.h").write_bytes((files / "sonnx.h").read_bytes())
        assert compiled(folder, "-std=c11", "-O0", "-fPIC", "-shared", program=True) == ""
        # Not by `load`, whose check of the platform notices some of these errors by itself.
        return LoadedLibrary(ctypes.CDLL(str(folder / "out")))

    return lambda mutant: built(*batch(mutant))


@pytest.mark.long
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant[0]}: {mutant[2]}")
def test_errors_in_the_text_are_caught(
    mutant: Mutant,
    library_of: Callable[[Mutant], LoadedLibrary],
    oracle: Oracle,
    libsonnx: LoadedLibrary,
) -> None:
    name, _, after = mutant
    kernel = BY_NAME[f"sonnx_{name}"]
    if kernel.by_element:
        alone = len((*kernel.operands, *kernel.numbers)) == 1
        operands = combined(kernel, many if alone else telling)
    else:
        operands = tuple(matrices(kernel, (5, 9, 6)))
    wanted = expected(oracle, kernel, *operands)
    assert differ(kernel, results(libsonnx, kernel, *operands), wanted) == 0
    number = differ(kernel, results(library_of(mutant), kernel, *operands), wanted)
    assert (number == 0) == (after in SAME), f"{number} of {wanted.size} elements differ"


def results(library: LoadedLibrary, kernel: DeclaredKernel, *operands: Array) -> Array:
    """What it computes, in memory that holds no result of before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(np, "empty", lambda shape, dtype: np.full(shape, 0x5A, dtype))
        return computed(library, kernel, *operands, whole=False)
