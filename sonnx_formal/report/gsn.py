"""The assurance case as a drawing: where each element of GSN has its place.

Goals and strategies stand below each other, a part to the right of what it supports; solutions and
contexts stand in the right half, beside what they belong to.
"""

from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

from sonnx_formal.report.assurance import Element, Solution, Support
from sonnx_formal.report.tables import Argument, ArgumentKind

WIDTH = 860
_INDENT, _MARGIN, _GAP = 26, 8, 18
_BOX, _LINE, _LETTER = 440, 16, 6.4
"""The right edge of goals; the height of a line and the width of a letter of 12 px."""
_RIGHT = 490
"""The left edge of what stands in the right half."""
_RADIUS = 42
_DIAMOND = 8


class Box(NamedTuple):
    """A goal, strategy, context or assumption."""

    argument: Argument
    support: Support | None
    x: float
    y: float
    width: float
    height: float
    lines: Sequence[str]
    stated: int
    """How many of the lines are its text; the rest says what supports it."""

    def state_from(self, line: int) -> Support | None:
        """Whether a line is about its support."""
        return self.support if line >= self.stated else None

    @property
    def outline(self) -> str:
        """The corners of a parallelogram, which a strategy has."""
        x, y, right, below = self.x, self.y, self.x + self.width, self.y + self.height
        return f"{x + 12},{y} {right},{y} {right - 12},{below} {x},{below}"


class Circle(NamedTuple):
    """A solution."""

    solution: Solution
    x: float
    y: float
    radius: float = _RADIUS


class Arrow(NamedTuple):
    """From an element to what supports it, or to its context."""

    path: str
    x: float
    y: float
    """Where it ends, and points to the right."""
    context: bool = False

    @property
    def head(self) -> str:
        return f"{self.x - 8:g},{self.y - 4:g} {self.x:g},{self.y:g} {self.x - 8:g},{self.y + 4:g}"


class Drawing(NamedTuple):
    """All of it."""

    height: float
    boxes: Sequence[Box]
    circles: Sequence[Circle]
    arrows: Sequence[Arrow]


def drawing(case: Element) -> Drawing:
    """The places of all elements. The same evidence has the same drawing."""
    shapes, below = _placed(case, 0, _MARGIN)
    return Drawing(
        below,
        [each for each in shapes if isinstance(each, Box)],
        [each for each in shapes if isinstance(each, Circle)],
        [each for each in shapes if isinstance(each, Arrow)],
    )


_Shape = Box | Circle | Arrow


class _Place(NamedTuple):
    x: float
    y: float
    width: float


def _placed(element: Element, depth: int, y: float) -> tuple[list[_Shape], float]:
    """The shapes of an element and of all below it, and where there is room again."""
    x = _MARGIN + depth * _INDENT
    head = _box(element.argument, _Place(x, y, _BOX - x), element)
    shapes: list[_Shape] = [head]
    middle = y + head.height / 2
    aside = y
    for argument in element.contexts:
        box = _box(argument, _Place(_RIGHT, aside, WIDTH - _MARGIN - _RIGHT))
        shapes += [box, _across(middle, aside + box.height / 2, context=True)]
        aside += box.height + 8
    for number, solution in enumerate(element.solutions):
        centre = _RIGHT + _RADIUS + number * (2 * _RADIUS + 4)
        shapes.append(Circle(solution, centre, y + _RADIUS))
        if number == 0:
            shapes.append(_across(middle, y + _RADIUS))
        aside = y + 2 * _RADIUS
    below = max(y + head.height, aside) + _GAP
    for part in element.parts:
        more, after = _placed(part, depth + 1, below)
        first = more[0]
        assert isinstance(first, Box)
        start = x + _INDENT / 2
        at = first.y + first.height / 2
        path = f"M{start:g},{y + head.height:g} V{at:g} H{first.x:g}"
        shapes += [Arrow(path, first.x, at), *more]
        below = after
    return shapes, below


def _box(argument: Argument, place: _Place, element: Element | None = None) -> Box:
    """:param element: of a goal or strategy; contexts have no support of their own."""
    slant = 24 if argument.kind is ArgumentKind.STRATEGY else 0
    letters = int((place.width - 20 - slant) / _LETTER)
    lines = wrap(f"{argument.id}  {argument.text}", letters)
    stated = len(lines)
    lines += (line for text in (element.said if element else ()) for line in wrap(text, letters))
    height = len(lines) * _LINE + 14 + (_DIAMOND if argument.left_to else 0)
    support = element.support if element else None
    return Box(argument, support, *place, height, lines, stated)


def _across(y: float, at: float, *, context: bool = False) -> Arrow:
    """From the right edge of a goal to what stands in the right half."""
    middle = (_BOX + _RIGHT) / 2
    return Arrow(f"M{_BOX},{y:g} H{middle:g} V{at:g} H{_RIGHT}", _RIGHT, at, context)
