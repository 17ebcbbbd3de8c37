"""The part of a kernel in the C text of the library."""

import re

from sonnx_formal.kernels.extraction import Kernel

_DEFINED = re.compile(r"^#define (\w+) (\w+)$", re.MULTILINE)


def of_kernel(text: str, kernel: Kernel) -> str:
    """What was extracted for it, with the names of functions that the library has, less its own."""
    part = _plain(text, kernel)
    return part[part.index("/* >>>> extracted */") : part.index("/* <<<< extracted */")]


def with_error(text: str, kernel: Kernel, before: str, after: str) -> str:
    """The text with something else in the part of the kernel, once."""
    assert before in of_kernel(text, kernel)
    start, end = _bounds(text, kernel)
    return text[:start] + _plain(text, kernel).replace(before, after, 1) + text[end:]


def _bounds(text: str, kernel: Kernel) -> tuple[int, int]:
    start = text.index(f"/* ==== {kernel.module} ==== */")
    return start, text.index("/* ==== ", start + 1)


def _plain(text: str, kernel: Kernel) -> str:
    start, end = _bounds(text, kernel)
    part = text[start:end]
    names = {name: known.removeprefix(f"{kernel.name}_") for name, known in _DEFINED.findall(part)}
    return re.sub(r"\b\w+\b", lambda word: names.get(word[0], word[0]), part)
