"""libsonnx as it is, and the oracle that says what it has to compute."""

import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sonnx_formal.kernels import build
from sonnx_formal.kernels.build import OPTIONS, find_library_files
from sonnx_formal.kernels.extraction import Kernel
from sonnx_formal.kernels.library import LoadedLibrary, load
from sonnx_formal.oracle import Oracle
from tests.kernels.texts import with_error


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    with Oracle(timeout=60) as running:
        running.build()
        yield running


@pytest.fixture(scope="session")
def files() -> Path:
    """The folder of the library."""
    return find_library_files()[0].parent


@pytest.fixture(scope="session")
def libsonnx(files: Path) -> LoadedLibrary:
    return load(files / "libsonnx.so")


@pytest.fixture
def broken(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Kernel, str, str], LoadedLibrary]:
    """The library with something else in the text of a kernel, once."""

    def built(kernel: Kernel, before: str, after: str) -> LoadedLibrary:
        text = with_error((files / "sonnx.c").read_text(), kernel, before, after)
        options = [option for option in OPTIONS if option not in {"-O3", "-Werror"}]
        monkeypatch.setattr(build, "OPTIONS", options)
        build.compiled({"sonnx.c": text, "sonnx.h": (files / "sonnx.h").read_text()}, tmp_path)
        return LoadedLibrary(ctypes.CDLL(str(tmp_path / build.SHARED)))

    return built
