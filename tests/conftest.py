"""What holds for all tests."""

import signal


def pytest_configure() -> None:
    """Tests interrupt programs, which would not notice where Ctrl-C is ignored.

    A shell starts its background jobs like that, and programs hand it on to their children.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
