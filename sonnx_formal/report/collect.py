"""The documents made anew by the commands that write them."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from sonnx_formal.core.errors import INTERRUPTED
from sonnx_formal.report.documents import KINDS


def collect(folder: Path, say: Callable[[str], None]) -> None:
    """Run each command; a document that it does not write is missing from the report.

    What is printed goes to the terminal: some of these run for minutes.

    :param say: is told which command comes next, and which one wrote nothing.
    :raises KeyboardInterrupt: when a command was interrupted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for kind in KINDS:
        path = folder / kind.path
        path.unlink(missing_ok=True)  # an old one is no evidence
        command = kind.command(folder)
        say(" ".join(command))
        code = _run(command[1:])
        if not path.is_file():
            say(f"{kind.name}: not written (exit code {code}): missing from the report")


def _run(arguments: list[str]) -> int:
    process = subprocess.Popen([sys.executable, "-m", "sonnx_formal", *arguments])
    try:
        code = process.wait()
    except KeyboardInterrupt:
        process.wait()  # it was interrupted with us, and cleans up
        raise
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code
