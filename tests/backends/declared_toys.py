"""The toys in a process that knows their declarations: to be imported by a worker only."""

from pathlib import Path

from sonnx_formal.spec import operators
from tests.backends.toys import gives_numbers_for_truth, has_bugs, right, takes_equals_for_less

__all__ = ["gives_numbers_for_truth", "has_bugs", "right", "takes_equals_for_less"]

operators.__path__.append(str(Path(__file__).with_name("declared")))
