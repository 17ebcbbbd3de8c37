"""Divergences on record: each is one, and a runtime that no longer shows it is told."""

import os
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import pytest
from rich.console import Console

from sonnx_formal.backends.catalogue import RUNTIMES
from sonnx_formal.backends.process import Worker
from sonnx_formal.check import crosscheck
from sonnx_formal.check.document import KnownDivergence, Standing
from sonnx_formal.check.known import Recorded, examined, recorded
from sonnx_formal.check.summary import print_summary
from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.requirements.entries import Divergence
from sonnx_formal.spec.requirements.registry import Registry, registry
from tests.check.conftest import FAKES, REPOSITORY, Check, over
from tests.check.test_cli import Shell, shell

pytestmark = pytest.mark.long

__all__ = ["shell"]

RECORDED = [*recorded(registry().divergences)]
SUM = Divergence(
    runtime="fakes:right",
    version="",
    operator="add",
    types=("int8",),
    operands=([127], [1]),
    got=[127],
    what="saturates",
)


def is_here(name: str, recorded_version: str) -> bool:
    try:
        return version(RUNTIMES[name].package) == recorded_version
    except PackageNotFoundError:
        return False


HERE = {each.runtime: each.version for each, _ in RECORDED if is_here(each.runtime, each.version)}


def named(record: Recorded) -> str:
    divergence, instance = record
    return f"{divergence.runtime} {instance}"


def changed(**fields: Any) -> Divergence:
    return Divergence(**{name: getattr(SUM, name) for name in SUM.__struct_fields__} | fields)


@pytest.fixture
def right() -> Iterator[Worker]:
    environment = os.environ | {"PYTHONPATH": f"{FAKES}:{REPOSITORY}"}
    with Worker("fakes:right", seconds=30, environment=environment) as worker:
        yield worker


def asked(oracle: Oracle, worker: Worker | None, **fields: Any) -> KnownDivergence:
    """What is said of a record of a runtime without a version."""
    ((divergence, instance),) = recorded([changed(**fields)])
    return examined(divergence, instance, oracle, worker, "")


@pytest.mark.parametrize("record", RECORDED, ids=named)
def test_each_record_departs_from_the_definition(oracle: Oracle, record: Recorded) -> None:
    known = examined(*record, oracle, None, "")
    assert known.standing is Standing.NOT_ASKED
    assert known.backend in RUNTIMES
    assert known.example.expected or known.example.violated
    assert (known.crash is None) == (known.example.got is not None)


def test_there_is_one_of_each_runtime() -> None:
    assert {each.runtime for each, _ in RECORDED} == RUNTIMES.keys()
    assert "onnx-reference" in HERE


@pytest.mark.parametrize("name", HERE)
def test_a_runtime_that_is_here_does_what_is_on_record(oracle: Oracle, name: str) -> None:
    mine = [record for record in RECORDED if record[0].runtime == name]
    with Worker(name, seconds=60) as worker:
        found = [examined(*record, oracle, worker, worker.version()) for record in mine]
    assert [each for each in found if each.standing is not Standing.CONFIRMED] == []


def test_what_does_right_now_is_stale(oracle: Oracle, right: Worker) -> None:
    known = asked(oracle, right)
    assert (known.standing, known.now) == (Standing.STALE, "pass")
    assert known.example.expected
    assert known.example.expected.decimal == ["-128"]


@pytest.mark.parametrize(
    ("function", "got", "standing", "now"),
    [
        ("dies", "SIGFPE", Standing.CONFIRMED, "crashes: SIGFPE"),
        ("dies", "SIGSEGV", Standing.STALE, "crashes: SIGFPE"),
        ("dies", [127], Standing.STALE, "crashes: SIGFPE"),
        ("refuses", [127], Standing.STALE, "refuses: NotImplementedError: there is no add"),
        (
            "returns_float64",
            [127],
            Standing.STALE,
            "diverges: element type float64 instead of int8",
        ),
    ],
)
def test_what_does_wrong_in_another_way_is_stale(
    oracle: Oracle, function: str, got: Any, standing: Standing, now: str
) -> None:
    environment = os.environ | {"PYTHONPATH": f"{FAKES}:{REPOSITORY}"}
    with Worker(f"fakes:{function}", seconds=30, environment=environment) as worker:
        known = asked(oracle, worker, got=got)
    assert (known.standing, known.now) == (standing, now)


def test_another_version_is_not_asked(oracle: Oracle, right: Worker) -> None:
    known = asked(oracle, right, version="1.0")
    assert (known.standing, known.now) == (Standing.OTHER_VERSION, "")


def test_what_is_no_divergence_is_no_record(oracle: Oracle) -> None:
    with pytest.raises(UserError, match=r"add of A int8\[1\] and B int8\[1\]: this is no div"):
        asked(oracle, None, got=[-128])
    with pytest.raises(UserError, match="a divergence of fakes:right: add has no int7"):
        asked(oracle, None, types=("int7",))


def test_a_check_tells_what_is_stale(check: Check, monkeypatch: pytest.MonkeyPatch) -> None:
    divergences = SUM, changed(operator="sub"), changed(runtime="openvino")
    monkeypatch.setattr(crosscheck, "registry", lambda: Registry({}, divergences=divergences))
    report = check("fakes:right", over("add", "int8"), cases=[])
    assert [each.standing for each in report.known] == [Standing.STALE, Standing.NOT_ASKED]
    assert [each.backend for each in report.stale] == ["fakes:right"]
    console = Console(width=200)
    with console.capture() as said:
        print_summary(console, report)
    assert "add int8: not as recorded: saturates, and now: pass" in said.get()
    assert "openvino : of 1 known divergence, 1 not asked" in said.get()


@pytest.mark.parametrize(("operand", "status"), [(-0.0, 0), (1.0, 1)])
def test_a_stale_record_fails_the_command(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, operand: float, status: int
) -> None:
    relu = {"runtime": "onnx-reference", "version": version("onnx"), "operator": "relu"}
    stale = changed(types=("float32",), operands=([operand],), got=[0.0], **relu)
    monkeypatch.setattr(crosscheck, "registry", lambda: Registry({}, divergences=(stale,)))
    found, _, _ = shell("--backend=onnx-reference", "--op=relu", "--type=float32")
    assert found == status
