"""What the tests of the driver share: a library of their own and a cache of their own."""

from pathlib import Path

import pytest

from tests.prover.fakes import Workshop


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("SONNX_FORMAL_CACHE", str(folder))
    return folder


@pytest.fixture
def workshop(tmp_path: Path) -> Workshop:
    (tmp_path / "why3").mkdir()
    return Workshop(tmp_path)
