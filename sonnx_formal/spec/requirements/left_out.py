"""What the source documents say and the registry leaves out on purpose."""

from functools import cache

from sonnx_formal.spec.requirements.entries import LeftOut, files


@cache
def left_out() -> tuple[LeftOut, ...]:
    """All that was left out, in the order of the files."""
    return tuple(each for _, file in files() for each in file.left_out)
