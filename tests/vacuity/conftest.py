"""A library of their own and a cache of their own, as the tests of the driver have them."""

from tests.why3.conftest import cache, workshop

__all__ = ["cache", "workshop"]
