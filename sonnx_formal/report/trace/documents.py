"""Reads the JSON that other commands write."""

import json
from pathlib import Path
from typing import Any

import jsonschema

from sonnx_formal.core.errors import UserError

_LONGEST = 200


def read_json(path: Path, schema: jsonschema.protocols.Validator, command: str) -> dict[str, Any]:
    """The value in a file. Raises `UserError` when it is not as the schema says.

    :param command: what writes such a file.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}: `{command} {path}` writes it") from None
    except (ValueError, RecursionError):
        raise UserError(f"{path} is not JSON: write it with `{command} {path}`") from None
    flaw = jsonschema.exceptions.best_match(schema.iter_errors(value))
    if flaw:
        where = "/".join(map(str, flaw.absolute_path)) or "the whole"
        raise UserError(
            f"{path}: {where}: {flaw.message[:_LONGEST]}: write it anew with `{command} {path}`"
        )
    result: dict[str, Any] = value
    return result
