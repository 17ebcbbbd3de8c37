"""What holds for all tests."""

import signal

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

# How fast an example runs says something of the machine and of what else runs there.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure() -> None:
    """Tests interrupt programs, which would not notice where Ctrl-C is ignored.

    A shell starts its background jobs like that, and programs hand it on to their children.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


class FolderScheduling(LoadScopeScheduling):  # type: ignore[misc] # it has no types
    """One worker runs the tests of a folder: what its `conftest.py` makes for them is made once."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file.rpartition("/")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FolderScheduling:
    return FolderScheduling(config, log)
