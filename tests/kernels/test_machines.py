"""What the comparison on other machines says, on this one: `machines.py` runs it on all."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from sonnx_formal.backends.lines import array_text
from sonnx_formal.core.documents import read
from sonnx_formal.kernels.library import KernelStatus
from sonnx_formal.kernels.targets import TargetRuns, TargetVerdict
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.element_types import Array
from tests.kernels import machines
from tests.kernels.machines import BAD_INPUT, MACHINES, PLATFORM_CHECK, Finding, Machine, ask, main
from tests.kernels.questions import KERNELS, Question, questions
from tests.kernels.texts import with_error

HERE = Machine("here", "cc", ("-O0",), ("gcc",))
BY_NAME = {kernel.name: kernel for kernel in KERNELS}
SOME = (
    "sonnx_div_int8",
    "sonnx_matmul_float32",
    "sonnx_matmul_fused_float32",
    "sonnx_gemm_float32",
    "sonnx_soft_add_bfloat16",
    "sonnx_soft_neg_float16",
    "sonnx_less_int8",
    "sonnx_where_int16",
    "sonnx_clip_int16",
    "sonnx_max_uint8",
    "sonnx_leaky_relu_float64",
    "sonnx_soft_leaky_relu_bfloat16",
    "sonnx_equal_bool",
    "sonnx_identity_word64",
    "sonnx_concat_word16",
    "sonnx_transpose_word8",
    "sonnx_slice_word32",
    "sonnx_max_pool_int8",
    "sonnx_conv_float32",
    "sonnx_conv_integer_int8_uint8",
    "sonnx_average_pool_float32",
    "sonnx_reduce_sum_int32",
    "sonnx_dequantize_linear_int8_float32",
    "sonnx_soft_quantize_linear_float32_int8",
)


@pytest.fixture(scope="module")
def asked(oracle: Oracle) -> list[Question]:
    return [each for name in SOME for each in questions(oracle, BY_NAME[name], 0)]


@dataclass(frozen=True)
class Mistake:
    """An error in the text of a kernel."""

    name: str
    before: str
    after: str

    def made(self, files: Path, folder: Path) -> Path:
        """A new folder with the sources and the error."""
        folder.mkdir()
        text, kernel = (files / "sonnx.c").read_text(), BY_NAME[self.name]
        broken = with_error(text, kernel, self.before, self.after)
        (folder / "sonnx.c").write_text(broken)
        (folder / "sonnx.h").write_text((files / "sonnx.h").read_text())
        return folder


def size(question: Question) -> int:
    """How many elements its result has."""
    return 0 if isinstance(question.wanted, KernelStatus) else question.wanted.size


@pytest.mark.long
def test_this_machine(files: Path, tmp_path: Path, asked: Sequence[Question]) -> None:
    found = ask(HERE, files, tmp_path, asked)
    assert (found.failure, found.platform, found.wrong) == ("", 0, ())
    assert found.passes
    assert found.asked == len(asked) > 600
    assert found.stack > 0


def test_every_function_has_a_call(files: Path) -> None:
    declared = re.findall(r"^\w+ (sonnx_\w+)\(", (files / "sonnx.h").read_text(), re.MULTILINE)
    assert sorted(declared) == sorted((*BY_NAME, PLATFORM_CHECK))
    assert len(BY_NAME) == len(KERNELS) == 210 + 10 + 5 + 26 + 32 + 32


def test_all_kinds_of_answers_are_asked_for(asked: Sequence[Question]) -> None:
    assert {each.entry.label for each in asked} == {
        "sonnx_div_int8_apart", "sonnx_div_int8_in_place",
        "sonnx_soft_add_bfloat16_apart", "sonnx_soft_add_bfloat16_in_place",
        "sonnx_matmul_float32_apart", "sonnx_matmul_fused_float32_apart",
        "sonnx_gemm_float32_apart",
        "sonnx_soft_neg_float16_apart", "sonnx_soft_neg_float16_in_place",
        "sonnx_less_int8_apart",
        "sonnx_where_int16_apart", "sonnx_where_int16_in_place",
        "sonnx_clip_int16_apart", "sonnx_clip_int16_in_place",
        "sonnx_max_uint8_apart", "sonnx_max_uint8_in_place",
        "sonnx_leaky_relu_float64_apart", "sonnx_leaky_relu_float64_in_place",
        "sonnx_soft_leaky_relu_bfloat16_apart", "sonnx_soft_leaky_relu_bfloat16_in_place",
        "sonnx_equal_bool_apart",
        "sonnx_identity_word64_apart", "sonnx_concat_word16_apart",
        "sonnx_transpose_word8_apart", "sonnx_slice_word32_apart",
        "sonnx_max_pool_int8_apart",
        "sonnx_conv_float32_apart", "sonnx_conv_integer_int8_uint8_apart",
        "sonnx_average_pool_float32_apart", "sonnx_reduce_sum_int32_apart",
        "sonnx_dequantize_linear_int8_float32_apart",
            "sonnx_soft_quantize_linear_float32_int8_apart",
    }  # fmt: skip
    statuses = ((each.kernel.name, each.wanted) for each in asked)
    assert {(name, status) for name, status in statuses if isinstance(status, KernelStatus)} == {
        ("sonnx_div_int8", KernelStatus.DIVISION_BY_ZERO),
        ("sonnx_concat_word16", KernelStatus.ARGUMENT),
        ("sonnx_transpose_word8", KernelStatus.ARGUMENT),
        ("sonnx_slice_word32", KernelStatus.ARGUMENT),
        ("sonnx_max_pool_int8", KernelStatus.ARGUMENT),
        ("sonnx_conv_float32", KernelStatus.ARGUMENT),
        ("sonnx_conv_integer_int8_uint8", KernelStatus.ARGUMENT),
        ("sonnx_average_pool_float32", KernelStatus.ARGUMENT),
        ("sonnx_reduce_sum_int32", KernelStatus.ARGUMENT),
        ("sonnx_dequantize_linear_int8_float32", KernelStatus.ARGUMENT),
        ("sonnx_soft_quantize_linear_float32_int8", KernelStatus.ARGUMENT),
    }
    assert any(size(each) > 60000 for each in asked)


@pytest.mark.long
@pytest.mark.parametrize(
    "mistake",
    [
        # In place alone, for its loop is the second one.
        Mistake("sonnx_div_int8", "a[i] = compute(a[i], b[i])", "a[i] = compute(b[i], b[i])"),
        Mistake("sonnx_div_int8", "UINT64_C(0x80)", "UINT64_C(0x40)"),
        Mistake("sonnx_soft_add_bfloat16", "UINT64_C(0x7FC0)", "UINT64_C(0x7FC1)"),
        Mistake("sonnx_matmul_float32", "sum + x * y", "sum - x * y"),
        Mistake("sonnx_matmul_fused_float32", "fmaf(x, y, sum)", "sum + x * y"),
        Mistake("sonnx_gemm_float32", "z[i] + c[i]", "z[i] - c[i]"),
        Mistake("sonnx_soft_neg_float16", "a[i] = opposite(a[i])", "a[i] = a[i]"),
        Mistake("sonnx_less_int8", "rank(x) < rank(y)", "x < y"),
        Mistake(
            "sonnx_where_int16",
            "a[i] = is_true(condition[i]) ? p",
            "a[i] = !is_true(condition[i]) ? p",
        ),
        Mistake("sonnx_clip_int16", "less(m, l)", "less(l, m)"),
        Mistake("sonnx_max_uint8", "a[i] = larger(a[i], b[i])", "a[i] = larger(b[i], b[i])"),
        Mistake("sonnx_identity_word64", "y[i] = a[i]", "y[i] = (uint32_t)a[i]"),
        Mistake("sonnx_concat_word16", "a[from + j]", "a[from]"),
        Mistake("sonnx_transpose_word8", "q % d", "q % d / UINT64_C(2)"),
        # What is rejected goes through.
        Mistake("sonnx_transpose_word8", "perm[j] == axis", "perm[j] > rank"),
        Mistake("sonnx_slice_word32", "x * m + o", "x * m"),
        Mistake("sonnx_slice_word32", "steps[k] == UINT64_C(0)", "steps[k] == UINT64_C(9)"),
        Mistake("sonnx_max_pool_int8", "m * stride + h * dilation", "m * dilation + h * stride"),
        Mistake("sonnx_max_pool_int8", "before >= span", "before > span"),
        Mistake("sonnx_conv_float32", "y[l] + z * w", "y[l] + z + w"),
        Mistake("sonnx_conv_float32", "reach > whole", "reach >= whole"),
        Mistake("sonnx_conv_integer_int8_uint8", "zeros == UINT64_C(1)", "zeros > UINT64_C(1)"),
        Mistake("sonnx_dequantize_linear_int8_float32", "zero[c]", "zero[c / UINT64_C(2)]"),
        Mistake("sonnx_soft_quantize_linear_float32_int8", "twice < d", "twice <= d"),
        Mistake("sonnx_max_pool_int8", "first = dilation - r", "first = UINT64_C(0)"),
        Mistake("sonnx_average_pool_float32", "return g * h", "return g + h"),
        Mistake(
            "sonnx_reduce_sum_int32", "return rank == UINT64_C(0)", "return rank != UINT64_C(0)"
        ),
    ],
    ids=lambda mistake: f"{mistake.name}: {mistake.after}",
)
def test_an_error_is_found(
    mistake: Mistake, files: Path, tmp_path: Path, asked: Sequence[Question]
) -> None:
    sources = mistake.made(files, tmp_path / "sources")
    (tmp_path / "built").mkdir()
    found = ask(HERE, sources, tmp_path / "built", asked)
    assert found.failure == ""
    assert {question.kernel.name for question in found.wrong} == {mistake.name}
    assert not found.passes


def test_what_an_answer_has_to_be(asked: Sequence[Question]) -> None:
    kernel = BY_NAME["sonnx_matmul_float32"]
    question = next(each for each in asked if each.kernel is kernel and size(each) > 1)
    wanted = question.wanted
    assert not isinstance(wanted, KernelStatus)

    def answers(array: Array) -> bool:
        return question.is_answered_by(f"result {array_text(array)}")

    one_bit = wanted.view(np.uint32).copy()
    one_bit.flat[0] ^= 1
    assert answers(wanted)
    assert not answers(one_bit.view(np.float32))
    assert not answers(wanted.astype(np.float64))
    assert not answers(wanted.ravel())
    assert not question.is_answered_by("status 5")
    zero = next(each for each in asked if isinstance(each.wanted, KernelStatus))
    assert zero.is_answered_by("status 5")
    assert not zero.is_answered_by("status 0")
    assert not zero.is_answered_by("result int8 1 0")


def test_contraction_has_to_be_found_where_it_changes_results(asked: Sequence[Question]) -> None:
    contracted = Machine("contracted", "cc", (), (), contracts=True)
    native = tuple(each for each in asked if each.kernel.name == "sonnx_matmul_float32")
    assert Finding(contracted).passes
    assert Finding(contracted, platform=1, wrong=native).passes
    assert not Finding(contracted, wrong=native).passes
    assert not Finding(contracted, platform=1, wrong=tuple(asked)).passes
    assert not Finding(contracted, platform=5, wrong=native).passes
    assert not Finding(HERE, platform=1).passes


@pytest.mark.long
def test_a_machine_without_answers(files: Path, tmp_path: Path, asked: Sequence[Question]) -> None:
    refusing = Machine("fast", "cc", ("-ffast-math",), ())
    found = ask(refusing, files, tmp_path, asked)
    assert "libsonnx needs the arithmetic of IEEE 754" in found.failure
    assert (found.compiled, found.passes) == (False, False)
    assert found.result.verdict is TargetVerdict.NO_ANSWERS
    assert str(files) not in found.failure
    dying = Machine("dying", "cc", ("-O0",), (), ("false",))
    found = ask(dying, files, tmp_path, asked)
    assert found.failure == "exit status 1 after 0 lines: it said nothing"
    assert (found.compiled, found.passes) == (True, False)


@pytest.mark.long
def test_a_run_is_a_document(
    files: Path, tmp_path: Path, asked: Sequence[Question], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the targets that were asked for; with what they are, and what they did."""
    monkeypatch.setattr(machines, "MACHINES", (HERE, Machine("gone", "cc", ("-O3",), ())))
    monkeypatch.setattr(machines, "KERNELS", [BY_NAME[name] for name in SOME])
    monkeypatch.setattr(machines, "questions", lambda *_: asked[:9])
    path = tmp_path / "targets.json"
    result = CliRunner().invoke(main, ["--target", "here", "--json", str(path)])
    assert result.exit_code == 0, result.output
    found = read(path, TargetRuns)
    text = (files / "sonnx.c").read_bytes()
    assert found.sonnx_c_sha256 == hashlib.sha256(text).hexdigest()
    assert (found.questions, found.functions, found.left_out) == (
        9 * len(SOME), len(SOME), ("gone",),
    )  # fmt: skip
    (run,) = found.targets
    assert (run.name, run.emulator) == ("here", None)
    assert re.search(r"\d+\.\d+", run.compiler)
    assert "-O0" in run.options
    assert (run.result.verdict, run.result.differing) == (TargetVerdict.RIGHT, 0)
    assert run.result.stack > 0
    assert str(files) not in path.read_text()


def test_wrong_answers_are_counted_by_arithmetic(asked: Sequence[Question]) -> None:
    result = Finding(HERE, wrong=tuple(asked)).result
    products = ("matmul", "gemm", "conv", "average_pool")
    of_native = {*(f"sonnx_{name}_float32" for name in products), "sonnx_leaky_relu_float64"}
    of_native |= {"sonnx_dequantize_linear_int8_float32"}
    native = sum(each.kernel.name in of_native for each in asked)
    assert (result.native_differing, result.other_differing) == (native, len(asked) - native)
    assert result.verdict is TargetVerdict.WRONG


def test_a_document_that_cannot_be_written(tmp_path: Path) -> None:
    """Which is seen before minutes of work."""
    result = CliRunner().invoke(main, ["--json", str(tmp_path / "none/targets.json")])
    assert result.exit_code == BAD_INPUT
    assert "--json needs the name of a file" in result.stderr


def test_what_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(main, ["--target", "s390x"])
    assert result.exit_code == BAD_INPUT
    packages = "gcc-s390x-linux-gnu libc6-dev-s390x-cross qemu-user"
    assert f"run `apt-get install {packages}`" in result.stderr


def test_a_target_that_there_is_not() -> None:
    result = CliRunner().invoke(main, ["--target", "z80"])
    assert result.exit_code == BAD_INPUT
    assert "choose from gcc, -O0" in result.stderr


def test_names_are_different() -> None:
    names = [machine.name for machine in MACHINES]
    assert len(names) == len(set(names))
