"""How Why3 is called: with a configuration of ours, and a driver that writes SMT-LIB."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import dies_with_us
from sonnx_formal.prover.installation import Why3, environment

DRIVER = Path(__file__).with_name("smtlib.drv")

# Why3 reads this instead of the user's own configuration.
_CONFIGURATION = """\
[main]
magic = 14
running_provers_max = 1
timelimit = 60
memlimit = 0
[prover]
name = "nobody"
version = "1"
command = "true %f"
driver = "{folder}/nobody.drv"
"""

# Nobody reads the text that this prover is given, so it is the one that takes Why3 least time.
_NOBODY = 'printer "why3"\n'

_UNPROVED = 2  # Why3's exit status when the files are right and a goal is not proved
_GOAL = re.compile(r'^;; Goal "?(.*?)"?$', re.MULTILINE)


class Exporter:
    """Calls Why3 on files, from a folder that holds what Why3 needs."""

    def __init__(self, why3: Why3, folder: Path, load_path: Sequence[Path]) -> None:
        self._why3 = why3
        self._folder = folder
        self._load_path = load_path
        driver = DRIVER.read_text().replace("@DRIVERS@", str(why3.drivers))
        for name, text in {
            "configuration": _CONFIGURATION.format(folder=folder),
            "nobody.drv": _NOBODY,
            "smtlib.drv": driver,
        }.items():
            (folder / name).write_text(text)

    def said(self, path: Path, transformations: Sequence[str]) -> str:
        """What Why3 says of each goal, one JSON value after the other. Raises `UserError`."""
        return self._prove(path, transformations, ["--json", "-P", "nobody"])

    def texts(
        self,
        path: Path,
        transformations: Sequence[str],
        chosen: Sequence[str] = (),
        seconds: int | None = None,
    ) -> Iterator[tuple[str, str, str]]:
        """Module (as in names of files), goal, and text of each task.

        :param chosen: which modules and goals, as Why3's options say it.
        :raises UserError: with Why3's own words.
        :raises subprocess.TimeoutExpired: after so many seconds.
        """
        with TemporaryDirectory(dir=self._folder) as output:
            options = ["-D", str(self._folder / "smtlib.drv"), "-o", output]
            self._prove(path, transformations, options, chosen, seconds)
            # Of several pieces of a goal, Why3 numbers the files: a longer number is a greater one.
            for file in sorted(Path(output).iterdir(), key=lambda f: (len(f.name), f.name)):
                text = file.read_text()
                if not (goal := _GOAL.search(text)):
                    raise UserError(f"{path}: internal error: a task without the name of its goal")
                yield file.stem.split("-")[1], goal[1], text

    def _prove(
        self,
        path: Path,
        transformations: Sequence[str],
        options: Sequence[str],
        chosen: Sequence[str] = (),
        seconds: int | None = None,
    ) -> str:
        configuration = str(self._folder / "configuration")
        command = [*dies_with_us(), self._why3.path, "prove", "-C", configuration, *options]
        for directory in self._load_path:
            command += ["-L", str(directory)]
        for transformation in transformations:
            command += ["-a", transformation]
        done = subprocess.run(
            [*command, str(path), *chosen],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=seconds,
            env=environment() | {"TMPDIR": str(self._folder)},
        )
        if done.returncode not in {0, _UNPROVED}:
            said = done.stderr.strip() or f"why3 ended with {done.returncode}"
            raise UserError(said if str(path) in said else f"{path}: {said}")
        return done.stdout
