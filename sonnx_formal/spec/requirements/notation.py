"""How ids and symbols are written: X-{A,B}.R1 stands for X-A.R1 and X-B.R1."""

import itertools
import re
from collections.abc import Iterable

_ID = re.compile(r"(?<!FINDING-)\b(?:S?ONNX|OV)-[A-Z0-9{},-]*[A-Z0-9}](?:\.[A-Z][A-Z0-9_]*)+")


def expanded(notation: str) -> tuple[str, ...]:
    """All that one notation stands for, in order: {A,B} is A, then B."""
    parts = re.split(r"\{([^{}]*)\}", notation)
    choices = [part.split(",") if n % 2 else [part] for n, part in enumerate(parts)]
    return tuple("".join(choice) for choice in itertools.product(*choices))


def all_expanded(notations: Iterable[str]) -> tuple[str, ...]:
    """The same of several notations, one after the other."""
    return tuple(each for notation in notations for each in expanded(notation))


def ids_in(text: str) -> set[str]:
    """The ids of requirements that a text names."""
    return set(all_expanded(found[0] for found in _ID.finditer(text)))
