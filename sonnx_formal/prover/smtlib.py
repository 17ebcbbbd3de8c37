"""The forms of an SMT-LIB text, as Why3 writes it: what each declares, and what it asserts."""

import re
from functools import lru_cache

TESTER = "is-"  # of a constructor: `is-Cons`
SYMBOL = re.compile(r"[^\s()]+")


def forms(text: str) -> list[str]:
    """The top-level forms: Why3 begins each at the margin, and indents what is inside."""
    _before, *found = "\n{}".format(text.removesuffix("\n")).split("\n(")
    return [f"({form}\n" for form in found]


def is_assertion(form: str) -> bool:
    return form.startswith("(assert")


def asserted(form: str) -> str:
    """What an assertion says, on one line."""
    return " ".join(form.strip().removeprefix("(assert").removesuffix(")").split())


@lru_cache(maxsize=1 << 14)
def declared(form: str) -> tuple[str, ...]:
    """The symbols that a form declares or defines; of datatypes also the sorts and numbers in it.

    A core that is recorded fits as long as this stays: by it, `restricted` says what is declared.
    """
    if not form.startswith(("(declare-", "(define-")):
        return ()
    keyword, *symbols = SYMBOL.findall(form)
    return tuple(symbols if keyword.startswith("declare-datatype") else symbols[:1])
