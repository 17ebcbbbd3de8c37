"""The parts of the benchmark that decide what its figures mean. Nothing is timed here."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from sonnx_formal.core.documents import read
from sonnx_formal.kernels.build import find_library_files
from sonnx_formal.kernels.speed import KernelSpeeds
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.provers import find_provers
from tests.benchmarks import kernel_speed
from tests.benchmarks.__main__ import main, print_kernel_speeds, print_oracle_speeds
from tests.benchmarks.driver import copy_tree, edited, leaf
from tests.benchmarks.measurement import Setting
from tests.benchmarks.oracle_speed import Speed
from tests.benchmarks.plain import parse_results, run_plain_loop

THEORY = """\
module Small
  use int.Int
  goal easy: 1 + 1 = 2
  goal wrong: 1 + 1 = 3
end
"""


def ignore(_line: str) -> None:
    pass


def test_results_come_one_after_the_other() -> None:
    results: list[dict[str, object]] = [{"a": {"b": "} {"}}, {"a": 2}]
    text = "\n".join(json.dumps(each, indent=1) for each in results)
    assert list(parse_results(f"\n{text}\n")) == results
    assert list(parse_results("\n")) == []


def test_plain_loop_counts_what_any_prover_proves(tmp_path: Path) -> None:
    library = tmp_path / "why3"
    library.mkdir()
    (library / "small.mlw").write_text(THEORY)
    setting = Setting(find_why3(), find_provers(), timeout=1, cores=1)
    lines: list[str] = []
    measured = run_plain_loop(setting, library, tmp_path, lines.append)
    assert (measured.goals, measured.proved) == (2, 1)
    assert lines[1:] == [f"  {each.name} small.mlw: 1 of 2" for each in setting.provers]


def test_leaf_is_used_by_no_other_file(tmp_path: Path) -> None:
    for name, text in {
        "scalar/base.mlw": "module Base end " + "(* long *)" * 99,
        "ops/first.mlw": "module First use scalar.base.Base end",
        "ops/second.mlw": "module Second use scalar.base.Base (* longer *) end",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert leaf(tmp_path).name == "second.mlw"


def test_edit_is_in_the_first_module() -> None:
    lines = edited("(** module doc *)\nmodule A\n  use int.Int\nend\nmodule B\nend\n").splitlines()
    assert lines[1] == "module A"
    assert "lemma bench_edit" in lines[2]
    assert lines[3:] == ["  use int.Int", "end", "module B", "end"]


def test_copy_is_what_its_driver_proves(tmp_path: Path) -> None:
    """Else every run of the benchmark would measure, and write to, the user's own library."""
    tree = copy_tree(tmp_path / "tree", ignore)
    for path in [*tree.library.rglob("*.mlw"), tree.library / "proofs.json"]:
        path.unlink(missing_ok=True)
    (tree.library / "small.mlw").write_text(THEORY.replace("goal wrong: 1 + 1 = 3", ""))
    measured = tree.prove("small", "--fresh", "--timeout=2")
    assert (measured.goals, measured.proved) == (1, 1)
    assert (tree.library / "proofs.json").is_file()


def test_oracle_table_has_a_row_for_each_type(capsys: pytest.CaptureFixture[str]) -> None:
    speeds = [
        Speed("mul", "int8", 2000),
        Speed("mul", "float16", 1000),
        Speed("matmul", "float16", 3),
    ]
    print_oracle_speeds(Console(width=80, highlight=False), speeds)
    heading, *rows = capsys.readouterr().out.splitlines()
    assert heading.split() == ["oracle", "mul", "matmul"]
    assert [row.split() for row in rows[:2]] == [["int8", "2,000"], ["float16", "1,000", "3"]]


SMALL = {"side": 16, "channels": 3, "length": 5}


def test_kernels_are_compared_on_the_same_products(capsys: pytest.CaptureFixture[str]) -> None:
    found = kernel_speed.measure(kernel_speed.works(**SMALL))
    product, *convolutions = found.works
    names = [each.implementation for each in product.speeds if each.implementation != "onnxruntime"]
    assert names == ["libsonnx", "libsonnx, fused", "reference", "NumPy's BLAS"]
    assert [each.same_bits for each in product.speeds[:3]] == [True, False, True]
    assert [each.products for each in found.works] == [16**3, 9 * 9 * 25, 9 * 25, 3 * 9 * 25]
    for work in convolutions:
        assert [each.implementation for each in work.speeds[:2]] == ["libsonnx", "reference"]
        assert all(each.same_bits for each in work.speeds[:2])
    print_kernel_speeds(Console(width=120, highlight=False), found)
    heading, first, _, third, *others = capsys.readouterr().out.splitlines()
    assert heading.startswith("MatMul, 16 rows and columns  ")
    assert first.split()[::3] == ["libsonnx", "1.00"]
    assert third.split()[3] == f"{product.speeds[2].rate / product.speeds[0].rate:.2f}"
    titles = [line.partition("  ")[0] for line in others if line.startswith("Conv")]
    assert titles == [each.title for each in convolutions]


def test_speeds_are_a_document_on_libsonnx_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = kernel_speed.measure(kernel_speed.works(**SMALL))
    monkeypatch.setattr(kernel_speed, "measure", lambda: found)
    path = tmp_path / "speed.json"
    done = CliRunner().invoke(main, ["kernels", "--json", str(path)])
    assert done.exit_code == 0, done.output
    assert read(path, KernelSpeeds) == found
    text = find_library_files()[0].with_name("sonnx.c").read_bytes()
    assert found.sonnx_c_sha256 == hashlib.sha256(text).hexdigest()
    assert found.tools["numpy"] == np.__version__
