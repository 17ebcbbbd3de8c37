"""What the tests of the vectors share: one oracle, and one folder of vectors of each kind."""

import shutil
import signal
import sys
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

from sonnx_formal.cli import main as cli
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.catalogue import instances
from sonnx_formal.spec.operator import Instance
from sonnx_formal.vectors.folder import origin
from sonnx_formal.vectors.generate import generate
from sonnx_formal.vectors.manifest import Case, read_manifest
from sonnx_formal.vectors.storage import write_cases, write_manifest
from tests.vectors.parts import BY_NAME, OF_SONNX, OF_SYSTEMS, Cases


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    with Oracle(timeout=60) as running:
        running.build()
        yield running


@pytest.fixture(scope="session")
def every_case(oracle: Oracle) -> Cases:
    """All cases that there are, of seed 0."""
    return Cases(case for each in instances() for case in generate(each, 0, oracle))


@pytest.fixture(scope="session")
def cases(every_case: Cases) -> Cases:
    """Those of the operators of SONNX."""
    return Cases(every_case.of(*OF_SONNX))


@pytest.fixture(scope="session")
def system_cases(every_case: Cases) -> Cases:
    """Those of the multiplications of ONNX and OpenVINO."""
    return Cases(every_case.of(*OF_SYSTEMS))


@pytest.fixture(scope="session")
def made(every_case: list[Case], oracle: Oracle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of all vectors, as the command makes it, for long tests. Not to be changed."""
    return _written(every_case, oracle, tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="session")
def few(every_case: Cases, oracle: Oracle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same of three operators. Not to be changed."""
    some = [each for each in instances() if each.operator.name in {"mul", "div", "ov-multiply-1"}]
    return _written(every_case.of(*some), oracle, tmp_path_factory.mktemp("few"))


def _written(cases: list[Case], oracle: Oracle, folder: Path) -> Path:
    files = [write_cases(folder, [*each]) for _, each in groupby(cases, key=_instance)]
    write_manifest(folder, origin(0, oracle), files)
    return folder


def _instance(case: Case) -> Instance:
    return case.instance


@pytest.fixture(scope="session")
def small(few: Path, cases: Cases, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of a few vectors of Div. Not to be changed."""
    folder = tmp_path_factory.mktemp("small") / "vectors"
    folder.mkdir()
    files = []
    for name in ("div-real", "div-int8", "div-float16"):
        mine = cases.of(BY_NAME[name])
        files.append(write_cases(folder, [mine[0], *mine[1::7]]))
    write_manifest(folder, read_manifest(few).origin, files)
    return folder


@pytest.fixture
def folder(small: Path, tmp_path: Path) -> Path:
    """A copy of the small folder, to be damaged."""
    return Path(shutil.copytree(small, tmp_path / "vectors"))


@pytest.fixture(scope="session")
def of_systems(few: Path, system_cases: Cases, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of some vectors of ONNX and OpenVINO. Not to be changed."""
    folder = tmp_path_factory.mktemp("systems") / "vectors"
    folder.mkdir()
    chosen = (BY_NAME["onnx-mul-6-int32"], BY_NAME["ov-multiply-1-float32"])
    files = [write_cases(folder, system_cases.of(each)) for each in chosen]
    write_manifest(folder, read_manifest(few).origin, files)
    return folder


@pytest.fixture
def systems(of_systems: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(of_systems, tmp_path / "systems"))


class Shell:
    """Runs the command in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: str | Path) -> tuple[int, str, str]:
        """Exit status, standard output, standard error."""
        self._monkeypatch.setattr(sys, "argv", ["sonnx-formal", "vectors", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = self._capsys.readouterr()
        return int(exit_.value.code or 0), out, err


@pytest.fixture
def shell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Shell:
    """In a folder of its own, on a machine that is never so slow as to speak of progress."""
    monkeypatch.setattr("sonnx_formal.core.terminal._PLAIN_SECONDS", 1000)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    return Shell(monkeypatch, capsys)
