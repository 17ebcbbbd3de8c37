"""Small bugs in our own implementation, each in a copy of it: the check finds every one."""

import re
import shutil
from dataclasses import dataclass
from math import prod
from pathlib import Path

import pytest

import sonnx_formal
from sonnx_formal.check.document import Verdict
from sonnx_formal.spec.catalogue import instances
from sonnx_formal.spec.operator import System
from tests.check.conftest import Check, failed, over

PACKAGE = Path(sonnx_formal.__file__).parent
MUL, DIV, MATMUL = "mul", "div", "matmul"


@dataclass(frozen=True)
class Bug:
    """A replacement in a file of our implementation, and where it shows."""

    file: str
    right: str
    wrong: str
    where: tuple[str, str]
    """An operator and an element type."""
    kind: str
    """A pattern of how the check must name it."""
    folder: str = "reference"


PRODUCT = "return applied(np.multiply, accepted(MUL, a, b))"
QUOTIENT = "return applied(np.divide, operands)"
TERM = "np.multiply(a[:, k, np.newaxis], b[k], out=products)"
SUMS = "operands = accepted(MATMUL, a, b)"
RULE = 'Restriction("R1", _SAME_SHAPE, "the shapes differ")'
ACCEPTED = "accepted(MATMUL, a, b)"

BUGS = {
    "sign of zero": Bug(
        "mul.py", PRODUCT, f"{PRODUCT} + np.zeros((), a.dtype)", (MUL, "float32"), "sign of zero"
    ),
    "saturation": Bug(
        "mul.py",
        PRODUCT,
        "accepted(MUL, a, b); return np.clip(a.astype(int) * b, -128, 127).astype(a.dtype)",
        (MUL, "int8"),
        "the (greatest|least) number instead",
    ),
    "subnormals flushed": Bug(
        "mul.py",
        PRODUCT,
        PRODUCT.replace("return", "c =")
        + "; return np.where(abs(c) < np.finfo(c.dtype).tiny, c * 0, c)",
        (MUL, "float16"),
        "zero instead of subnormal",
    ),
    "wider result": Bug(
        "mul.py",
        PRODUCT,
        "accepted(MUL, a, b); return np.multiply(a, b, dtype=np.float64)",
        (MUL, "float32"),
        "element type float64 instead of float32",
    ),
    "broadcasting": Bug(
        "admission.py",
        "return all(x.array.shape == y.array.shape for x, y in pairwise(operands))",
        "return all(compatible(x.array.shape, y.array.shape) for x, y in pairwise(operands))",
        (DIV, "float64"),
        "computes what SONNX-DIV.R4 excludes",
        "spec",
    ),
    "another requirement": Bug(
        "elementwise.py",
        RULE,
        RULE.replace("R1", "R2"),
        (MUL, "int32"),
        "names SONNX-MUL.R2 instead of SONNX-MUL.R1",
        "spec",
    ),
    "floor division": Bug(
        "div.py",
        "return _truncated_quotients(*operands.arrays)",
        "return np.floor_divide(*operands.arrays)",
        (DIV, "int8"),
        "off by one",
    ),
    "least number by -1": Bug(
        "div.py",
        "return quotients.view(a.dtype)",
        "c = quotients.view(a.dtype); return np.where((b < 0) & (a < 0) & (c < 0), ~c, c)",
        (DIV, "int16"),
        "the greatest number instead",
    ),
    "zero divisor": Bug(
        "div.py",
        "            _require_no_zero(operands)\n",
        "",
        (DIV, "uint8"),
        "computes what SONNX-DIV.C2 excludes",
    ),
    "reciprocal": Bug(
        "div.py",
        QUOTIENT,
        "return np.multiply(a, np.ones((), a.dtype) / b)",
        (DIV, "float32"),
        "one unit in the last place",
    ),
    "transposed index": Bug(
        "matmul.py",
        TERM,
        TERM.replace("b[k]", "(b.T if b.shape[0] == b.shape[1] else b)[k]"),
        (MATMUL, "int32"),
        "another number",
    ),
    "wider accumulation": Bug(
        "matmul.py",
        SUMS,
        f"{ACCEPTED}; return np.matmul(a.astype('f'), b.astype('f')).astype(a.dtype)",
        (MATMUL, "float16"),
        "one unit in the last place",
    ),
    "order of the sum": Bug(
        "matmul.py",
        SUMS,
        f"{ACCEPTED}; {SUMS.replace('a, b', 'a[:, ::-1], b[::-1]')}",
        (MATMUL, "float32"),
        "unit in the last place",
    ),
    "start of the sum": Bug(
        "matmul.py",
        "zero = Fraction(0) if type_.family is Family.REAL else 0",
        "zero = -0.0",
        (MATMUL, "bfloat16"),
        "sign of zero",
    ),
    "axis from the end": Bug(
        "onnx_mul.py",
        "return b + (1,) * (len(a) - len(b) - _start(attributes, a, b))",
        "return b + (1,) * (len(a) - len(b) - _start(attributes, a, b)) * (a[-len(b) :] != b)",
        ("onnx-mul-6", "int32"),
        "another number|off by one",
    ),
    "expansion of 1": Bug(
        "onnx_mul.py",
        "a[start : start + len(b)] == b)",
        "all(1 in {m, n} or m == n for m, n in zip(a[start:], b, strict=False)))",
        ("onnx-mul-1", "float64"),
        "computes what ONNX-MUL-1.B.C2 excludes",
    ),
    "a type too many": Bug(
        "operators/other_systems.py",
        "_multidirectional(13, 14, (*_LISTED, FLOATS[1]))",
        '_multidirectional(13, 14, (*_LISTED, FLOATS[1], *element_types("int8")))',
        ("onnx-mul-13", "float16"),
        "computes what ONNX-MUL-13.T excludes",
        "spec",
    ),
    "axis that is not looked at": Bug(
        "onnx_mul.py",
        "or 0 <= start <= len(a) - len(b)",
        "or True",
        ("onnx-mul-6", "uint64"),
        "names ONNX-MUL-6.B.C2 instead of ONNX-MUL-6.ATTR.AXIS",
    ),
    "broadcasting against the rule": Bug(
        "openvino_multiply.py",
        '(rule == "none" and a == b)',
        '(rule == "none" and compatible(a, b))',
        ("ov-multiply-1", "uint8"),
        "computes what OV-MULTIPLY-1.ATTR.AUTO_BROADCAST excludes",
    ),
}


def with_bug(bug: Bug, folder: Path) -> Path:
    """A copy of the package with the bug in it; a folder for PYTHONPATH."""
    package = folder / PACKAGE.name
    package.mkdir()
    for path in PACKAGE.iterdir():
        if path.name not in {bug.folder, "__pycache__"}:
            (package / path.name).symlink_to(path)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE / bug.folder, package / bug.folder, ignore=ignored)
    file = package / bug.folder / bug.file
    source = file.read_text()
    assert source.count(bug.right) == 1
    file.write_text(source.replace(bug.right, bug.wrong))
    return folder


@pytest.mark.parametrize("name", BUGS)
@pytest.mark.long
def test_bug_is_found(check: Check, tmp_path: Path, name: str) -> None:
    bug = BUGS[name]
    report = check("reference", over(*bug.where), path=with_bug(bug, tmp_path))
    assert failed(report) == ["reference"]
    found = [each for each in report.findings if each.verdict is Verdict.DIVERGES]
    assert [each for each in found if re.search(bug.kind, each.kind)], [each.kind for each in found]
    for each in found:
        # Small enough to be understood at a glance.
        assert max(prod(operand.shape) for operand in each.example.operands) <= 6


@pytest.mark.long
def test_without_a_bug_there_is_nothing_to_find(check: Check, tmp_path: Path) -> None:
    none = Bug("mul.py", PRODUCT, PRODUCT, (MUL, "int8"), "")
    chosen = [over(MUL, "int8"), over(MATMUL, "float16")]
    chosen += (
        instance
        for instance in instances()
        if instance.operator.system is not System.SONNX and instance.label == "float16"
    )
    report = check("reference", *chosen, path=with_bug(none, tmp_path))
    assert failed(report) == []
    assert report.findings == ()
