"""The command `certify`."""

from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output
from sonnx_formal.cli.record_options import record_options
from sonnx_formal.core import documents
from sonnx_formal.core.progress import Progress
from sonnx_formal.evidence.certify.certify import certify, exit_status, print_certified
from sonnx_formal.evidence.certify.proofs import certify_question
from sonnx_formal.evidence.loop import Effort
from sonnx_formal.evidence.selection import select
from sonnx_formal.prover.sources import find_library


@click.command("certify")
@record_options("Goals", seconds=20)
@json_option("Write the result as JSON.")
def command(files: tuple[Path, ...], timeout: int, effort: Effort, json_path: Path | None) -> int:
    """Have cvc5 prove goals with proofs that are checked.

    Each FILE may be a folder; none stands for the whole library. What comes of it is kept in
    why3/evidence/goals/, and only what is missing there is asked. With the checker ethos on
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
    question = certify_question(timeout)
    console = standard_output()
    with Progress(console) as progress:
        selection = select(library, files, effort.jobs, progress)
        certified = certify(library, selection, question, effort, progress)
    say_command(console)
    print_certified(console, certified)
    if json_path:
        documents.write(json_path, certified)
    return exit_status(certified)
