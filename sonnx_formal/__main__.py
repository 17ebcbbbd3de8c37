"""`python -m sonnx_formal` is the command `sonnx-formal`."""

from sonnx_formal.cli.main import main

main()
