"""What holds for all tests."""

import signal

from hypothesis import settings

# How fast an example runs says something of the machine and of what else runs there.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure() -> None:
    """Tests interrupt programs, which would not notice where Ctrl-C is ignored.

    A shell starts its background jobs like that, and programs hand it on to their children.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
