"""A small library with a ledger of its own."""

from pathlib import Path

import pytest

LIBRARY = """\
module M
  use int.Int
  use int.EuclideanDivision
  type t
  val f (x: int) : t
end
"""
LEDGER = """\
[[parameter]]
module = "m.mlw:M"
symbols = ["t", "f"]
reason = "a reason"
"""


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "why3"
    folder.mkdir()
    (folder / "m.mlw").write_text(LIBRARY)
    (folder / "trusted_base.toml").write_text(LEDGER)
    return folder
