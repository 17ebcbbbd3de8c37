"""One oracle for the whole test run, built in a cache of its own by two processes at once."""

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sonnx_formal.oracle import Oracle

_BUILD = "from sonnx_formal.oracle.program import find_program; print(find_program())"


@dataclass(frozen=True)
class Built:
    """What two processes found that started to build at once in an empty cache."""

    cache: Path
    paths: list[str]
    errors: list[str]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    cache = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SONNX_FORMAL_CACHE", str(cache))
        builders = [
            subprocess.Popen(
                [sys.executable, "-c", _BUILD],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for _ in range(2)
        ]
        outputs = [builder.communicate() for builder in builders]
    return Built(cache, [out.strip() for out, _ in outputs], [err for _, err in outputs])


@pytest.fixture(autouse=True)
def cache(built: Built, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The cache that holds the program; a test that spoils it needs one of its own."""
    monkeypatch.setenv("SONNX_FORMAL_CACHE", str(built.cache))
    return built.cache


@pytest.fixture(scope="session")
def oracle(built: Built) -> Iterator[Oracle]:
    with pytest.MonkeyPatch.context() as patch, Oracle(timeout=60) as running:
        patch.setenv("SONNX_FORMAL_CACHE", str(built.cache))
        running.build()
        yield running


def pid_of(oracle: Oracle) -> int | None:
    """The process that computes, if there is one now."""
    running = oracle._running
    return running.pid if running and running.alive else None
