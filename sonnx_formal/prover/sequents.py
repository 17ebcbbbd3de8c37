"""A goal for people: its premises and its conclusion in Why3's words, without the library."""

import re
import textwrap
from pathlib import Path
from tempfile import TemporaryDirectory

from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.provers import Limits, Prover
from sonnx_formal.prover.site import start_here
from sonnx_formal.prover.tasks import Exporter

_ATTRIBUTE = re.compile(r"\[@[^\]]*\]\s*")
_OPERATOR = re.compile(r"\binfix_(\w+) ")
_ATOM = re.compile(r"[\w.']+")
# How Why3 spells the characters of an operator in a name.
_CHARACTERS = {
    "pl": "+", "mn": "-", "as": "*", "sl": "/", "eq": "=", "ls": "<", "gt": ">", "dt": ".",
    "at": "@", "ex": "!", "am": "&", "br": "|", "pc": "%", "cf": "^", "tl": "~",
}  # fmt: skip
_VALUE = re.compile(r"\(define-fun (\S+) \(\) (?:Int|Real|Bool)\s+((?:[^()]|\([^()]*\))+)\)")
_NAME = re.compile(r"^(\S+): (?:int|real|bool)\b", re.MULTILINE)
_SECONDS = 5
_STATED = re.compile(r"(axiom|constant|goal) (\S+)((?: \[@[^\]]*\])*) :\s(.*)", re.DOTALL)


def sequent(why3: Why3, goal: Goal) -> str:
    """What is to be shown of a goal.

    :raises UserError: when Why3 rejects the file, which was edited meanwhile.
    """
    with TemporaryDirectory(prefix="sonnx-formal-") as folder:
        exporter = Exporter(why3, Path(folder), goal.source.load_path)
        pieces = exporter.readable(goal.source.path, (goal.module, goal.name))
    piece = int(goal.id.rpartition(".")[2]) - 1
    return _sequent(pieces[piece]) if piece < len(pieces) else ""


def counterexample(z3: Prover, goal: Goal, said: str) -> str:
    """Numbers for the names of a goal that Z3 refutes, for which it is false; empty if none."""
    ended = start_here(z3.call(f"{goal.task.text}\n(get-model)\n", Limits(_SECONDS))).wait()
    values = dict(_VALUE.findall(ended.stdout)) if ended.stdout.startswith("sat\n") else {}
    found = [f"{name} = {values[name].strip()}" for name in _NAME.findall(said) if name in values]
    return ", ".join(found)


def _sequent(task: str) -> str:
    """Of all that Why3 writes: what it introduced for this goal, and the goal."""
    said = []
    for paragraph in task.split("\n\n"):
        if not (stated := _STATED.fullmatch(paragraph.strip())):
            continue
        kind, name, attributes, formula = stated.groups()
        formula = _with_operators(textwrap.dedent(_ATTRIBUTE.sub("", formula)).strip())
        if kind == "goal":
            said.append(f"to show: {formula}")
        elif "@introduced" in attributes:
            said.append(f"{name}: {formula}")
    return "\n".join(said)


def _with_operators(formula: str) -> str:
    """`x > 0` for `infix_gt x 0`, the innermost first."""
    found = [*_OPERATOR.finditer(formula)]
    for match in reversed(found):
        symbols = re.findall("..", match[1].rstrip("0123456789"))
        left = _atom_end(formula, match.end())
        right = left and _atom_end(formula, left + 1)
        if right and not set(symbols) - _CHARACTERS.keys():
            symbol = "".join(_CHARACTERS[each] for each in symbols)
            whole = f"{formula[match.end() : left]} {symbol} {formula[left + 1 : right]}"
            before, after = formula[: match.start()], formula[right:]
            bare = not before.strip() and not after.strip()
            enclosed = before.endswith("(") and after.startswith(")")
            formula = before + (whole if bare or enclosed else f"({whole})") + after
    return formula


def _atom_end(text: str, start: int) -> int:
    """The end of a name, a number or something in parentheses; 0 if there is none."""
    if start == 0 or not text[start : start + 1]:
        return 0
    if text[start] != "(":
        match = _ATOM.match(text, start)
        return match.end() if match else 0
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place + 1
    return 0
