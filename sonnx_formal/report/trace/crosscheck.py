"""What a cross-check says of the test vectors: which implementation passes on which of them."""

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema

from sonnx_formal.core.errors import UserError

_COMMAND = "sonnx-formal check --vectors DIR --json"
_LONGEST = 200

Combination = tuple[str, str]
"""Operator and element type."""


class CaseOutcome(StrEnum):
    """What came of some cases of an operator and a type."""

    PASSES = "passes"
    """Each of them passed."""
    FAILS = "does not pass"
    """One of them diverged, was refused, was not judged, was not run, or made it crash."""
    NOT_SUPPORTED = "not supported"


@dataclass(frozen=True)
class CrossCheckRow:
    """An implementation on the cases of an operator and a type."""

    supported: bool
    not_passed: frozenset[str] = frozenset()
    """The names of the cases that did not pass."""


@dataclass(frozen=True)
class CrossCheck:
    """What came of the test vectors of a manifest."""

    rows: Mapping[str, Mapping[Combination, CrossCheckRow]]
    """By implementation."""
    ours: frozenset[str] = frozenset()
    """The names of this project's own implementation, which confirms nothing by itself."""

    def outcome(self, backend: str, combination: Combination, cases: Set[str]) -> CaseOutcome:
        """Of the cases with these names. What was not looked at did not pass."""
        row = self.rows[backend].get(combination)
        if row is not None and not row.supported:
            return CaseOutcome.NOT_SUPPORTED
        return CaseOutcome.FAILS if row is None or cases & row.not_passed else CaseOutcome.PASSES


def read_crosscheck(path: Path, manifest_sha256: str) -> CrossCheck:
    """What `sonnx-formal check --vectors DIR --json` wrote.

    :param manifest_sha256: of the manifest of these vectors.
    :raises UserError: when it is no such file, or is about other vectors.
    """
    value = _read(path)
    if value["manifest_sha256"] != manifest_sha256:
        raise UserError(f"{path}: not of these test vectors: check them with `{_COMMAND} {path}`")
    rows: dict[str, dict[Combination, CrossCheckRow]] = {}
    for row in value["matrix"]:
        lacking = row["counts"]["not supported"] or row["counts"]["not installed"]
        rows.setdefault(row["backend"], {})[row["operator"], row["element_type"]] = CrossCheckRow(
            not lacking, frozenset(row["not_passed"])
        )
    ours = frozenset(backend["name"] for backend in value["backends"] if backend["ours"])
    return CrossCheck(rows, ours)


def _read(path: Path) -> dict[str, Any]:
    try:
        value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}: `{_COMMAND} {path}` writes it") from None
    except (ValueError, RecursionError):
        raise UserError(f"{path} is not JSON: write it with `{_COMMAND} {path}`") from None
    text = resources.files("sonnx_formal.check").joinpath("check.schema.json").read_text("utf-8")
    schema = jsonschema.Draft202012Validator(json.loads(text))
    if flaw := jsonschema.exceptions.best_match(schema.iter_errors(value)):
        where = "/".join(map(str, flaw.absolute_path)) or "the whole"
        raise UserError(
            f"{path}: {where}: {flaw.message[:_LONGEST]}: write it anew with `{_COMMAND} {path}`"
        )
    return value
