"""The Why3 that is installed on this machine."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import run


@dataclass(frozen=True)
class Why3:
    """An installed Why3."""

    path: str
    version: str
    drivers: Path
    """The folder of the drivers that come with it."""


def find_why3() -> Why3:
    """Why3 on the PATH. Raises `UserError` when there is none that works."""
    path = shutil.which("why3")
    if path is None:
        raise UserError(
            "why3 was not found: install it with `apt-get install why3`, "
            "then see `sonnx-formal doctor`"
        )
    version = first_line([path, "--version"]).rpartition(" ")[2]
    drivers = Path(first_line([path, "--print-datadir"])) / "drivers"
    if not (drivers / "smt-libv2.gen").is_file():
        raise UserError(f"{path}: its drivers are missing from {drivers}: reinstall why3")
    return Why3(path, version, drivers)


def first_line(command: list[str]) -> str:
    """The first line that a program prints, which is asked once, unless it is another by now.

    Raises `UserError` when it cannot be run.
    """
    try:
        status = Path(path := shutil.which(command[0]) or command[0]).stat()
        return _first_line((path, *command[1:]), status.st_ino, status.st_mtime_ns)
    except (OSError, subprocess.SubprocessError) as error:
        raise UserError(f"{command[0]} does not work: {error}") from None


@lru_cache
def _first_line(command: tuple[str, ...], _inode: int, _changed: int) -> str:
    done = run(command, environment=environment(), seconds=30)
    done.check_returncode()
    return (done.stdout or done.stderr).partition("\n")[0].strip()


def environment() -> dict[str, str]:
    """The environment without the variables that change which files Why3 reads.

    Why3 runs for seconds and then ends: looking for memory to use again took up to a quarter of
    its time. So its garbage collector (of OCaml) lets the memory grow: to 0.6 GB with the file
    of the library that takes Why3 longest.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WHY3")}
    return {"OCAMLRUNPARAM": "s=512k,o=1000"} | kept
