"""One oracle for all tests of it. A test that spoils the cache needs one of its own."""

from collections.abc import Iterator

import pytest

from sonnx_formal.oracle import Oracle


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    with Oracle(timeout=60) as running:
        running.build()
        yield running


def pid_of(oracle: Oracle) -> int | None:
    """The process that computes, if there is one now."""
    running = oracle._running
    return running.pid if running and running.alive else None
