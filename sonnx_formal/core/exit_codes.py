"""The exit codes that all commands share; 0 is success, and 1 a verdict that is none."""

BAD_INPUT = 2
"""Bad input, or a tool is missing."""
INTERRUPTED = 130
"""As shells have it for SIGINT."""
