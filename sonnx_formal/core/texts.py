"""Texts that strangers made, such as names in files, made safe for where they are shown."""

import re

_MARKDOWN = re.compile(r"([\\`*_\[\]<>|#~!&])")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def printable(text: str) -> str:
    """A text less what would steer a terminal or is no character: that is shown by its number."""
    return "".join(
        c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape", "replace").decode()
        for c in text
    )


def one_line(text: object) -> str:
    """A printable text on one line."""
    return printable(" ".join(str(text).split()))


def agreeing(number: int, noun: str, several: str = "") -> str:
    """The words for so many: `noun`, or where it is not one, `several`, for a noun with an s."""
    return noun if number == 1 else several or f"{noun}s"


def counted(number: int, noun: str, several: str = "") -> str:
    """So many, with the words for that: `1 goal`, `1,234 goals`; or `1 departs`, `2 depart`."""
    return f"{number:,} {agreeing(number, noun, several)}"


def markdown(text: str) -> str:
    """A text on one line of Markdown, in which nothing is markup but code between backquotes."""
    return "".join(
        f"`{part}`" if code and "|" not in part else _MARKDOWN.sub(r"\\\1", part)
        for code, part in code_spans(one_line(text))
    )


def code_spans(text: str) -> list[tuple[bool, str]]:
    """The parts of a text, and whether each stands between backquotes."""
    parts = re.split(r"`([^`]*)`", text)
    return [(bool(number % 2), part) for number, part in enumerate(parts) if part]


def csv_cell(text: str) -> str:
    """A cell: what a spreadsheet would take for a formula begins with an apostrophe."""
    return f"'{text}" if text.startswith(_FORMULA) else text
