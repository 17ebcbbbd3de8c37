"""The command `trusted-base` as a user meets it."""

import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from sonnx_formal.cli import evidence
from sonnx_formal.evidence.trust.base import TrustedBase
from tests.schemas import validate


def test_a_library_with_something_unaccounted(
    library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "find_library", lambda: library)
    path = tmp_path / "out.json"
    done = CliRunner().invoke(
        evidence.trusted_base_command, ["--json", str(path)], standalone_mode=False
    )
    assert done.return_value == 1
    assert "unaccounted: theory int.Int: say in [[stdlib]] of trusted_base.toml" in done.output
    value = json.loads(path.read_text())
    validate(value, TrustedBase)
    assert [(each["name"], each["reason"]) for each in value["granted"]] == [
        ("t", "a reason"),
        ("f", "a reason"),
    ]
    with pytest.raises(jsonschema.ValidationError):
        validate(value | {"tools": [{}]}, TrustedBase)
