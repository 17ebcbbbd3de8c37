"""The command `certify`."""

from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output, write_json
from sonnx_formal.cli.record_options import record_options
from sonnx_formal.evidence.certify.certify import as_json, certify, exit_status, print_certified
from sonnx_formal.evidence.certify.proofs import certifier
from sonnx_formal.evidence.records.keeping import Effort
from sonnx_formal.evidence.records.selection import select
from sonnx_formal.prover.progress import Progress
from sonnx_formal.prover.sources import find_library


@click.command("certify")
@record_options(seconds=20)
@json_option("Write the result as JSON.")
def command(  # noqa: PLR0913, PLR0917 (click passes an argument an option)
    files: tuple[Path, ...],
    timeout: int,
    jobs: int,
    budget: float | None,
    fresh: bool,
    json_path: Path | None,
) -> int:
    """Have cvc5 prove goals with proofs that are checked.

    Each FILE may be a folder; none stands for the whole library. What comes of it is kept in
    why3/evidence/certified.json, and only what is missing there is asked. With the checker ethos on
    the PATH, and the rules of cvc5's proofs (proofs/eo/cpc/Cpc.eo in its sources) named by
    SONNX_FORMAL_CPC, the proofs are checked independently, too.

    \b
    Exit status:
      0    every goal was tried, every proof holds (no proof is no error)
      1    a proof was refused, cvc5 contradicts a proof, or a goal was not tried
      2    bad input, or a tool is missing
      130  interrupted
    """
    library = find_library()
    ask = certifier(timeout)
    console = standard_output()
    with Progress(console) as progress:
        selection = select(library, files, jobs, progress)
        certified = certify(library, selection, ask, Effort(jobs, budget, fresh), progress)
    say_command(console)
    print_certified(console, certified)
    if json_path:
        write_json(json_path, as_json(certified))
    return exit_status(certified)
