"""`python -m tests.kernels.misra`: libsonnx by the rules of MISRA C:2012 that cppcheck knows.

What is violated has to be what `sonnx_formal/kernels/misra.toml` lists with a reason, no more and
no less. The texts of the rules belong to their publisher; cppcheck says the numbers.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels import build
from sonnx_formal.kernels.text import TEMPLATES

LISTED = TEMPLATES.with_name("misra.toml")
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
DEFINED = (
    "__STDC_VERSION__=201112L",
    "FLT_EVAL_METHOD=0",
    "FLT_RADIX=2",
    "FLT_MANT_DIG=24",
    "FLT_MAX_EXP=128",
    "DBL_MANT_DIG=53",
    "DBL_MAX_EXP=1024",
    "UINT64_C(x)=x##UL",
)
"""What cppcheck does not know without the headers of a compiler."""
CPPCHECK = (
    "cppcheck",
    "--std=c11",
    "--language=c",
    "--platform=unix64",
    "--enable=style",
    "--addon=misra",
    "--template={file}:{line}:{id}",
    *(f"-D{each}" for each in DEFINED),
)
_VIOLATION = re.compile(r"^(.*):(\d+):misra-c2012-([\d.]+)$", re.MULTILINE)


class Origin(StrEnum):
    """Who wrote a line."""

    EXTRACTED = "extracted"
    WRITTEN = "written"


@dataclass(frozen=True)
class Deviation:
    """A rule that is violated, with the reason."""

    rule: str
    where: frozenset[Origin]
    reason: str


@dataclass(frozen=True)
class Deviations:
    """All that are listed, and the version of cppcheck that sees them."""

    cppcheck: str
    listed: tuple[Deviation, ...]


Violations = Counter[tuple[str, Origin]]


def deviations(text: str) -> Deviations:
    """What a file in TOML lists."""
    document = tomllib.loads(text)
    listed = (
        Deviation(each["rule"], frozenset(map(Origin, each["where"])), each["reason"])
        for each in document["deviation"]
    )
    return Deviations(document["cppcheck"], tuple(listed))


def violations(folder: Path) -> Violations:
    """How often each rule is violated by the sources in a folder, and where.

    :raises UserError: where cppcheck is missing, or does not examine them.
    """
    if shutil.which(CPPCHECK[0]) is None:
        raise UserError("cppcheck is not here: run `apt-get install cppcheck`")
    with TemporaryDirectory() as copy:  # it writes beside what it reads
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        done = subprocess.run(
            [*CPPCHECK, "sonnx.c"], cwd=copy, capture_output=True, text=True, check=False
        )
    if done.returncode != 0 or "noValidConfiguration" in done.stderr:
        raise UserError(f"cppcheck does not examine sonnx.c: {done.stdout}{done.stderr}")
    extracted = set(extracted_lines((folder / "sonnx.c").read_text()))
    found = Violations()
    for file, line, rule in _VIOLATION.findall(done.stderr):
        is_extracted = file == "sonnx.c" and int(line) in extracted
        found[rule, Origin.EXTRACTED if is_extracted else Origin.WRITTEN] += 1
    return found


def extracted_lines(text: str) -> Iterator[int]:
    """The numbers of the lines between the marks."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        inside = (inside or line == "/* >>>> extracted */") and line != "/* <<<< extracted */"
        if inside:
            yield number


def differences(found: Violations, listed: Deviations) -> list[str]:
    """What is violated and not listed, or listed and not violated."""
    known = {(each.rule, where) for each in listed.listed for where in each.where}
    return [
        *(f"rule {rule} is violated in {where} text, {found[rule, where]} times: mend it, or list"
          f" it in {LISTED.name} with a reason"
          for rule, where in sorted(set(found) - known)),
        *(f"rule {rule} is not violated in {where} text: take it out of {LISTED.name}"
          for rule, where in sorted(known - set(found))),
    ]  # fmt: skip


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Hold libsonnx against the rules of MISRA C:2012 that cppcheck knows.

    \b
    Exit status:
      0  the rules that are violated are those that misra.toml lists
      1  others are, or fewer
      2  cppcheck is missing
    """
    try:
        sys.exit(_check())
    except UserError as error:
        click.echo(f"misra: {error}", err=True)
        sys.exit(BAD_INPUT)
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        sys.exit(INTERRUPTED)


def _check() -> int:
    listed = deviations(LISTED.read_text())
    found = violations(build.find_library_files()[0].parent)
    version = subprocess.check_output([CPPCHECK[0], "--version"], text=True).split()[-1]
    click.echo(f"{'rule':5} {'extracted':>9} {'written':>7}  reason")
    for each in listed.listed:
        numbers = found[each.rule, Origin.EXTRACTED], found[each.rule, Origin.WRITTEN]
        click.echo(f"{each.rule:5} {numbers[0]:9} {numbers[1]:7}  {each.reason}")
    wrong = differences(found, listed)
    for what in wrong:
        click.echo(what)
    if wrong and version != listed.cppcheck:
        click.echo(f"cppcheck {version} is not {listed.cppcheck}, whose findings are listed")
    return FAILED if wrong else 0


if __name__ == "__main__":
    main()
