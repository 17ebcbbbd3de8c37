"""The copy of a library that is edited."""

import shutil
import tempfile
from pathlib import Path

import pytest

from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.library import Workshop


def test_a_copy_that_is_gone_is_closed_like_any_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    copy = Workshop(find_why3(), {"ops/m.mlw": "module M end"})
    (folder,) = temporary.iterdir()
    shutil.rmtree(folder)
    copy.close()
    assert [*temporary.iterdir()] == []
