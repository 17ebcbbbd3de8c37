"""The measurement of the oracle: what it measures. What an evaluation takes, beside a reference."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from sonnx_formal.oracle import Oracle
from tests.benchmarks.oracle_speed import TYPES, measure


def test_each_operator_of_each_type_is_measured(oracle: Oracle) -> None:
    speeds = list(measure(oracle, elements=20, side=3))
    assert {(speed.operator, speed.type) for speed in speeds} == {
        (op, type_) for op in ("mul", "div", "matmul") for type_ in TYPES
    } - {("matmul", "int8")}
    assert all(speed.rate > 0 for speed in speeds)


REFERENCE = "import asyncio, email.message, http.client, json, unittest, xml.dom.minidom"
"""What takes a good third of the time: 0.07 s where an evaluation took 0.17 s."""
MOST = 3
ROUNDS = 15
HEAVY = {"jinja2", "ml_dtypes", "numpy", "onnx", "rich"}
EVALUATION = ["eval", "div", "--type", "float16", "[1, -1, 0]", "[3, 0, 0]"]


@pytest.mark.usefixtures("oracle")
def test_an_evaluation_imports_nothing_that_is_heavy() -> None:
    program = (
        "import sys; from sonnx_formal.cli.main import cli\n"
        f"cli.main({EVALUATION}, standalone_mode=False)\n"
        f"print(sorted({HEAVY}.intersection(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "[0.333251953125, -inf, nan]\n[]\n"


@pytest.mark.long
@pytest.mark.usefixtures("oracle")
def test_an_evaluation_takes_less_than_three_times_a_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the processor, with all that it starts: the least of many times, as others compute, too.

    The two take turns, as a processor may be slow now and fast then.
    """
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))  # they compile themselves only once
    times = [(_seconds("-m", "sonnx_formal", *EVALUATION), _seconds("-c", REFERENCE))
             for _ in range(ROUNDS)]  # fmt: skip
    evaluation, reference = map(min, zip(*times, strict=True))
    assert evaluation < MOST * reference


def _seconds(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, timeout=60)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
