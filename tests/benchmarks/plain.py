"""The plain loop: `why3 prove -a split_vc`, one prover after the other, one file after the other.

It is what a person scripts with Why3 alone, and it is given the best of it: the same prover
binaries and time limit as our driver, Why3's own options and drivers for them, and no second look
at a file once all its goals are proved.
"""

import json
import shlex
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.installation import Why3, environment
from sonnx_formal.prover.provers import Prover
from tests.benchmarks.measurement import Measurement, Say, Setting

# As in Why3's own provers-detection-data.conf. A `%f` is the task, `%t` the time limit.
_OPTIONS = {
    "z3": "-smt2 -T:%t sat.random_seed=42 nlsat.randomize=false smt.random_seed=42 -st %f",
    "cvc4": "--stats --tlimit=%t000 --lang=smt2 %f",
    "cvc5": "%f",
}
_DRIVERS = {"z3": ("z3_487", "z3_471"), "cvc4": ("cvc4_17",), "cvc5": ("cvc5",)}


@dataclass
class _File:
    """How far a file has come."""

    path: Path
    proved: list[bool] | None = None
    """One entry a goal, in Why3's order; None before the first prover."""

    @property
    def open(self) -> bool:
        return self.proved is None or not all(self.proved)

    def add(self, answers: list[bool]) -> None:
        before = self.proved or [False] * len(answers)
        self.proved = [old or new for old, new in zip(before, answers, strict=True)]


def run_plain_loop(setting: Setting, library: Path, scratch: Path, say: Say) -> Measurement:
    """Run the loop over every file of the library. Raises `UserError` when Why3 fails."""
    say("plain loop of why3 prove …")
    why3 = setting.why3.path, "prove", "-C", str(_write_config(setting, scratch))
    options = "-L", str(library), "-a", "split_vc", "-t", str(setting.timeout), "--json"
    files = [_File(path) for path in sorted(library.rglob("*.mlw"))]
    began = time.monotonic()
    for prover in setting.provers:
        for file in filter(lambda file: file.open, files):
            file.add(_answers([*why3, *options, "-P", prover.name, str(file.path)]))
            name = file.path.relative_to(library)
            say(f"  {prover.name} {name}: {sum(file.proved or ())} of {len(file.proved or ())}")
    seconds = round(time.monotonic() - began, 3)
    verdicts = [proved for file in files for proved in file.proved or ()]
    return Measurement("plain loop of why3 prove", seconds, len(verdicts), sum(verdicts))


def parse_results(output: str) -> Iterator[dict[str, Any]]:
    """The results that `why3 prove --json` prints: JSON values one after the other."""
    decoder = json.JSONDecoder()
    position = 0
    while rest := output[position:].lstrip():
        position = len(output) - len(rest)
        value, position = decoder.raw_decode(output, position)
        yield value


def _answers(command: list[str]) -> list[bool]:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment())
    results = list(parse_results(done.stdout))
    # The status says too that a goal is unproved, so only a failure without results is one.
    if done.returncode != 0 and not results:
        raise UserError(f"{shlex.join(command)}: {done.stderr.strip()}")
    return [result["prover-result"]["answer"] == "Valid" for result in results]


def _write_config(setting: Setting, scratch: Path) -> Path:
    """A Why3 configuration that names our prover binaries."""
    sections = ["[main]\nmagic = 14\n"]
    for prover in setting.provers:
        command = f"{_executable(prover, scratch)} {_OPTIONS[prover.name]}"
        sections.append(
            f'[prover]\nname = "{prover.name}"\nversion = "{prover.version}"\n'
            f'command = "{command}"\ndriver = "{_driver(setting.why3, prover, scratch)}"\n'
        )
    config = scratch / "why3.conf"
    config.write_text("\n".join(sections))
    return config


def _executable(prover: Prover, scratch: Path) -> str:
    """Why3 wants a program that reads a file; our cvc5 is a Python module that reads its input."""
    if prover.name != "cvc5":
        return prover.command[0]
    wrapper = scratch / "cvc5"
    wrapper.write_text(f'#!/bin/sh\nexec {shlex.join(prover.command)} <"$1"\n')
    wrapper.chmod(0o755)
    return str(wrapper)


def _driver(why3: Why3, prover: Prover, scratch: Path) -> str:
    """The newest of Why3's own drivers for a prover."""
    for name in _DRIVERS[prover.name]:
        if (why3.drivers / f"{name}.drv").is_file():
            return name
    # Why3 1.5 comes with none for cvc5, which takes CVC4's under the logic's present name.
    text = (why3.drivers / "cvc4_17.drv").read_text()
    driver = scratch / "cvc5.drv"
    driver.write_text(
        text.replace("ALL_SUPPORTED", "ALL").replace('import "', f'import "{why3.drivers}/')
    )
    return str(driver)
