"""What people decided about findings: a TOML file of patterns, each with a reason."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sonnx_formal.core.errors import UserError


@dataclass(frozen=True)
class Disposition:
    """Why the findings that a pattern names are as they should be."""

    pattern: str
    """An id of a finding, where `*` stands for anything."""
    reason: str

    def names(self, finding: str) -> bool:
        """Whether it is about this finding."""
        parts = (re.escape(part) for part in self.pattern.split("*"))
        return re.fullmatch(".*".join(parts), finding) is not None


def read_dispositions(path: Path, key: str) -> list[Disposition]:
    """The tables `[[key]]` with `ids` and `reason` of a file; none when there is no file.

    Raises `UserError` for a table that is otherwise.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{path}: {error}") from None
    found = []
    for table in tables.get(key, []):
        ids, reason = table.get("ids"), table.get("reason")
        if set(table) != {"ids", "reason"} or not isinstance(ids, list) or not ids:
            raise UserError(f"{path}: each [[{key}]] has `ids`, a list, and `reason`, a text")
        if not isinstance(reason, str) or not reason.strip():
            raise UserError(f"{path}: [[{key}]] of {ids[0]} has no reason: say why")
        found += [Disposition(str(one), reason.strip()) for one in ids]
    return found


def reason_for(finding: str, dispositions: Iterable[Disposition]) -> str | None:
    """The first reason given for a finding; None if there is none."""
    return next((one.reason for one in dispositions if one.names(finding)), None)
