"""What holds for all tests."""

import os
import signal
from collections import Counter

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

# How fast an example runs says something of the machine and of what else runs there.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure(config: pytest.Config) -> None:
    """Tests interrupt programs, which would not notice where Ctrl-C is ignored.

    A shell starts its background jobs like that, and programs hand it on to their children.
    """
    config.option.loadscopereorder = False  # the order is that of the collection, see below
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Folders with long tests come first, then those with many: in the end no worker waits.

    This comes before `-m` leaves the long ones out: others of the folder take their time, too.
    """
    tests = Counter(item.path.parent for item in items)
    long = Counter(item.path.parent for item in items if item.get_closest_marker("long"))
    items.sort(key=lambda item: (-long[item.path.parent], -tests[item.path.parent]))


class FolderScheduling(LoadScopeScheduling):  # type: ignore[misc] # it has no types
    """One worker runs the tests of a folder: what its `conftest.py` makes for them is made once."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return file.rpartition("/")[0]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One more than there are cores: some tests wait, as for an interruption to be noticed."""
    return len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FolderScheduling:
    return FolderScheduling(config, log)
