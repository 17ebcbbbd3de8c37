"""The ledger of the trusted base agrees with Why3's theory and with the library."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sonnx_formal.evidence.trust.base import read_ledger, trusted_base
from sonnx_formal.evidence.trust.granted import granted
from sonnx_formal.evidence.trust.scan import ASSUMED
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.library import Library
from tests.theories.evaluator import LIBRARY


def _code(text: str) -> str:
    """A Why3 text without its comments; the operator `( * )` is no comment."""
    return re.sub(r"\(\*(?!\)).*?\*\)", "", text, flags=re.DOTALL)


def _module(text: str, name: str) -> str:
    """One module of a Why3 file, without comments."""
    text = _code(text)
    body = text[text.index(f"module {name}\n") :]
    return body[: body.index("\nend")]


def _clauses(text: str, module: str) -> set[str]:
    """The axioms and lemmas of one module of a Why3 file."""
    return set(re.findall(r"\b(?:axiom|lemma)\s+(\w+)", _module(text, module)))


def _clones(text: str, module: str) -> dict[str, str]:
    """The modules that a module clones, each with what it puts for the format."""
    return dict(re.findall(r"\bclone (\w+) with val format = (\w+)", _module(text, module)))


def _ledger() -> dict[str, Any]:
    ledger = tomllib.loads((LIBRARY / "trusted_base.toml").read_text())
    section: dict[str, Any] = ledger["ieee_float"]
    return section


def _installed_theory() -> str:
    datadir = subprocess.run(
        ["why3", "--print-datadir"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return (Path(datadir) / "stdlib" / "ieee_float.mlw").read_text()


def _not_covered() -> list[str]:
    return [clause for entry in _ledger()["not_covered"] for clause in entry["clauses"]]


def test_each_clause_of_the_theory_is_accounted_for_once() -> None:
    ledger = _ledger()
    listed = [*ledger["covered"], *_not_covered()]
    assert sorted(listed) == sorted(set(listed))
    installed = {
        ledger["renamed"].get(clause, clause)
        for clause in _clauses(_installed_theory(), "GenericFloat")
    }
    assert installed - set(listed) == set()


def test_each_covered_clause_is_a_goal_of_a_generic_module() -> None:
    ledger = _ledger()
    model = (LIBRARY / ledger["model"]).read_text()
    stated = set().union(*(_clauses(model, module) for module in ledger["generic"]))
    assert set(ledger["covered"]) - stated == set()
    assert stated & set(_not_covered()) == set()


def test_what_is_said_of_clauses_that_are_not_covered_is_true() -> None:
    modules = Library.read(LIBRARY).modules
    symbols = {
        f"{file}:{module.name}.{declaration.name}"
        for file, found in modules.items()
        for module in found
        for declaration in module.declarations
    }
    of_floats = {
        symbol.rpartition(".")[2]
        for symbol in symbols
        if symbol.startswith(("scalar/ieee754/", "scalar/float_types"))
    }
    for entry in _ledger()["not_covered"]:
        undefined, defined = entry.get("undefined", []), entry.get("defined", [])
        assert undefined or defined, entry["reason"]
        assert set(undefined) & of_floats == set(), entry["reason"]
        assert set(defined) <= symbols, entry["reason"]


@pytest.mark.parametrize(("module", "format_name"), _ledger()["clones"].items())
def test_each_generic_module_is_cloned_for_each_format(module: str, format_name: str) -> None:
    ledger = _ledger()
    model = (LIBRARY / ledger["model"]).read_text()
    assert _clones(model, module) == dict.fromkeys(ledger["generic"], format_name)
    assert "round_bound_ne" in _clauses(model, module)


def test_the_formats_are_those_of_the_theory() -> None:
    clones = _ledger()["clones"].values()
    parameters = {"binary32": "24 127", "binary64": "53 1023"}  # p and emax, IEEE 754-2019, 3.6
    assert set(clones) == set(parameters)
    formats = (LIBRARY / "scalar/ieee754/format.mlw").read_text()
    for name, numbers in parameters.items():
        assert f"let constant {name} : format = format {numbers}\n" in formats


def test_the_library_does_not_use_the_theory() -> None:
    assert not _ledger()["used"]
    for path in LIBRARY.rglob("*.mlw"):
        assert not re.search(r"\b(?:use|clone)\b.*\bieee_float\.", path.read_text()), path


def test_the_ledger_accounts_for_everything() -> None:
    found = trusted_base(LIBRARY, find_why3(), read_ledger(LIBRARY)).differences
    assert [str(each) for each in found] == []


def test_the_library_has_no_axiom() -> None:
    assert [item for item in granted(LIBRARY) if item.kind in ASSUMED] == []


def test_only_kernels_assume_what_c_has() -> None:
    modules = {item.module for item in granted(LIBRARY) if item.assumed}
    assert modules == {
        "kernels/memory.mlw:Memory",
        "kernels/native.mlw:CDouble",
        "kernels/native.mlw:CFloat",
        "kernels/native.mlw:CPattern",
        "kernels/native.mlw:DoubleOfWord",
        "kernels/native.mlw:FloatOfWord",
        "kernels/words.mlw:Words",
    }


def test_no_definition_rests_on_kernels() -> None:
    files = [path.relative_to(LIBRARY) for path in LIBRARY.rglob("*.mlw")]
    outside = [file for file in files if file.parts[0] != "kernels"]
    assert len(outside) < len(files)
    naming = [file for file in outside if "kernels." in _code((LIBRARY / file).read_text())]
    assert naming == []
