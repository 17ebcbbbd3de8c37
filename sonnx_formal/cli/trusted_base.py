"""The command `trusted-base`."""

from pathlib import Path

import click

from sonnx_formal.cli.options import json_option
from sonnx_formal.cli.output import say_command, standard_output
from sonnx_formal.core import documents
from sonnx_formal.evidence.trust.comparison import compare, trusted_base
from sonnx_formal.evidence.trust.document import documented, print_base
from sonnx_formal.evidence.trust.ledger import ledger_path, read_ledger
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.sources import find_library


@click.command("trusted-base")
@json_option("Write the trusted base as JSON.")
def command(json_path: Path | None) -> int:
    """List what is believed without a proof.

    Axioms, theories and drivers of Why3, tools, assumptions; the ledger is why3/trusted_base.toml,
    with what each is trusted for and what would show an error.

    \b
    Exit status:
      0    the ledger accounts for everything
      1    something is unaccounted for, or is gone
      2    bad input, or a tool is missing
      130  interrupted
    """
    library = find_library()
    path = ledger_path(library)
    ledger = read_ledger(path)
    base = trusted_base(library, find_why3())
    document = documented(base, ledger, compare(base, ledger, path.name))
    console = standard_output()
    say_command(console)
    print_base(console, document)
    if json_path:
        documents.write(json_path, document)
    return 1 if document.differences else 0
