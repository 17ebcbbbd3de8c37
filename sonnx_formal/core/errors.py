"""The one kind of error that ends a command, and the exit codes that all commands share.

0 is success, and 1 a verdict that is none.
"""

from typing import ClassVar

BAD_INPUT = 2
"""Bad input, or a tool is missing."""
INTERNAL = 70
"""An error of this program, which is a defect: as `sysexits.h` has it for software."""
INTERRUPTED = 130
"""As shells have it for SIGINT."""
UNREAD = 141
"""As shells have it for SIGPIPE: who reads standard output has gone."""
TERMINATED = 143
"""As shells have it for SIGTERM."""


class UserError(Exception):
    """A message that says what is wrong and the way out: the user can put it right."""

    exit_status: ClassVar[int] = BAD_INPUT
    """Of a command that it ends."""
