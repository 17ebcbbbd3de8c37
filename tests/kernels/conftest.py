"""libsonnx as it is, and the oracle that says what it has to compute."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sonnx_formal.kernels.build import find_library_files
from sonnx_formal.kernels.library import LoadedLibrary, load
from sonnx_formal.oracle import Oracle


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    with Oracle(timeout=60) as running:
        running.build()
        yield running


@pytest.fixture(scope="session")
def files() -> Path:
    """The folder of the library."""
    return find_library_files(2)[0].parent


@pytest.fixture(scope="session")
def libsonnx(files: Path) -> LoadedLibrary:
    return load(files / "libsonnx.so")
