"""One toy house for all tests of the toys."""

import pytest

from tests.toys.house import ToyHouse


@pytest.fixture(scope="session")
def house(tmp_path_factory: pytest.TempPathFactory) -> ToyHouse:
    return ToyHouse(tmp_path_factory.mktemp("toys"))
