"""What commands print and write."""

import importlib.metadata
import json
import shlex
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_atomically

_WIDTH_OF_A_PIPE = 120


def standard_output() -> Console:
    """Standard output; in a pipe, wide enough that a table keeps its rows on a line each."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDTH_OF_A_PIPE)


def say_command(console: Console) -> None:
    """Above the results: what was called, of which version."""
    command = shlex.join(["sonnx-formal", *sys.argv[1:]])
    version = importlib.metadata.version("sonnx-formal")
    console.print(Text(f"{command}  (version {version})"), soft_wrap=True)


def write_json(path: Path, value: dict[str, Any]) -> None:
    """Write what `--json` asks for, as a whole or not at all. Raises `UserError`."""
    try:
        write_atomically(path, json.dumps(value, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise UserError(f"{path} could not be written: {error.strerror}") from None
