"""The declarations of `tests.signatures`, where a worker looks for declarations."""

from tests.signatures import TOYS

OPERATORS = TOYS
