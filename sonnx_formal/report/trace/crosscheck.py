"""What a cross-check says of the test vectors: which implementation passes on which of them."""

import json
from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema

from sonnx_formal.core.errors import UserError
from sonnx_formal.report.trace.documents import read_json

Combination = tuple[str, str]
"""Operator and element type."""


class Outcome(StrEnum):
    """What came of some cases of an operator and a type."""

    PASSES = "passes"
    """Each of them passed."""
    FAILS = "does not pass"
    """One of them diverged, was refused, was not judged, was not run, or made it crash."""
    NOT_SUPPORTED = "not supported"


@dataclass(frozen=True)
class Row:
    """An implementation on the cases of an operator and a type."""

    supported: bool
    not_passed: frozenset[str] = frozenset()
    """The names of the cases that did not pass."""


@dataclass(frozen=True)
class CrossCheck:
    """What came of the test vectors of a manifest."""

    rows: Mapping[str, Mapping[Combination, Row]]
    """By implementation."""

    def outcome(self, backend: str, combination: Combination, cases: Set[str]) -> Outcome:
        """Of the cases with these names. What was not looked at did not pass."""
        row = self.rows[backend].get(combination)
        if row is not None and not row.supported:
            return Outcome.NOT_SUPPORTED
        return Outcome.FAILS if row is None or cases & row.not_passed else Outcome.PASSES


def read_crosscheck(path: Path, manifest_sha256: str) -> CrossCheck:
    """What `sonnx-formal check --vectors DIR --json` wrote.

    :param manifest_sha256: of the manifest of these vectors.
    :raises UserError: when it is no such file, or is about other vectors.
    """
    value = read_json(path, _schema(), "sonnx-formal check --vectors DIR --json")
    if value["manifest_sha256"] != manifest_sha256:
        raise UserError(
            f"{path}: not of these test vectors: check them with "
            f"`sonnx-formal check --vectors DIR --json {path}`"
        )
    return crosscheck_of(value)


def crosscheck_of(value: Mapping[str, Any]) -> CrossCheck:
    """The same from the JSON value, which has to be as its schema says."""
    rows: dict[str, dict[Combination, Row]] = {}
    for row in value["matrix"]:
        lacking = row["counts"]["not supported"] or row["counts"]["not installed"]
        rows.setdefault(row["backend"], {})[row["operator"], row["element_type"]] = Row(
            not lacking, frozenset(row["not_passed"])
        )
    return CrossCheck(rows)


@cache
def _schema() -> jsonschema.protocols.Validator:
    text = resources.files("sonnx_formal.check").joinpath("check.schema.json").read_text("utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))
