"""The command `doctor` as a user meets it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sonnx_formal.cli.prove import MachineReport
from sonnx_formal.core import documents
from tests.schemas import validate


def run(path: Path, **env: str) -> tuple[int, str, Any]:
    """Exit status, standard output, and the JSON, which is as its schema says."""
    done = subprocess.run(
        [sys.executable, "-m", "sonnx_formal", "doctor", "--json", path],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | env,
    )
    assert done.stderr == ""
    value = json.loads(path.read_text())
    validate(value, MachineReport)
    return done.returncode, done.stdout, value


def test_here(tmp_path: Path) -> None:
    status, _, value = run(tmp_path / "out.json")
    found = {tool["name"]: tool["version"] for tool in value["tools"]}
    assert (status, value["can_prove"]) == (0, True)
    assert found["why3"]
    assert found["z3"]
    assert set(found) >= {"cvc5", "cvc4", "ocamlfind", "ocamlopt", "zarith", "cc"}


def test_without_tools(tmp_path: Path) -> None:
    status, out, value = run(tmp_path / "out.json", PATH=str(tmp_path))
    assert (status, value["can_prove"]) == (1, False)
    assert "why3: apt-get install why3" in out
    assert "`sonnx-formal prove` cannot run here" in out
    (why3,) = (tool for tool in value["tools"] if tool["name"] == "why3")
    assert why3["version"] is None


@pytest.mark.parametrize("change", [{"can_prove": None}, {"tools": [{}]}, {"other": 1}])
def test_the_schema_refuses_what_is_otherwise(change: dict[str, object]) -> None:
    value = {"schema": documents.tag(MachineReport), "can_prove": True, "tools": []}
    validate(value, MachineReport)
    with pytest.raises(jsonschema.ValidationError):
        validate(value | change, MachineReport)
