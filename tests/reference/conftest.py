"""One oracle for all tests of the implementation."""

from collections.abc import Iterator

import pytest

from sonnx_formal.oracle import Oracle


@pytest.fixture(scope="session")
def oracle() -> Iterator[Oracle]:
    with Oracle(timeout=60) as running:
        running.build()
        yield running
