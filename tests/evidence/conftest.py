"""A library of their own and a cache of their own, as the tests of the driver have them."""

from tests.prover.conftest import cache, workshop

__all__ = ["cache", "workshop"]
