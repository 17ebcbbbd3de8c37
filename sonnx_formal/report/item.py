"""The configuration item: which version, commit and date a report is about."""

import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.report.documents import ConfigurationItem


def configuration_item(root: Path) -> ConfigurationItem:
    """What the sources in a folder are. Raises `UserError` when SOURCE_DATE_EPOCH is no number."""
    commit = _git(root, "rev-parse", "HEAD")
    date = source_date()
    return ConfigurationItem(
        version=version("sonnx-formal"),
        commit=commit,
        changed=bool(commit and _git(root, "status", "--porcelain")),
        date=f"{date:%Y-%m-%dT%H:%M:%SZ}" if date else None,
    )


def unidentified(item: ConfigurationItem | None) -> Iterator[str]:
    """What the item does not say of itself."""
    if item is None or item.commit is None:
        yield "no commit: the sources were not under version control"
    elif item.changed:
        yield f"files are not those of commit {item.commit}"
    if item is None or item.date is None:
        yield "no date: SOURCE_DATE_EPOCH was not set"


def source_date() -> datetime | None:
    """SOURCE_DATE_EPOCH, None where it is not set. Raises `UserError` when it is no number."""
    if not (epoch := os.environ.get("SOURCE_DATE_EPOCH")):
        return None
    try:
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError):
        raise UserError(
            f"SOURCE_DATE_EPOCH is {epoch!r}, no number of seconds since 1970"
        ) from None


def _git(root: Path, *arguments: str) -> str | None:
    """What git says, None where it is not there or knows nothing of the folder."""
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
