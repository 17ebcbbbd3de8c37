"""The attributes of operators: what is declared, and what a node says."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

AttributeValue = int | float | str | tuple[int | float | str, ...]


_NOT_FINITE = ("nan", "inf", "-inf")
_TYPES: dict[str, type[int | float | str]] = {"int": int, "float": float, "string": str}
_WORDS = {
    "int": ("an integer", "integers"),
    "float": ("a number", "numbers"),
    "string": ("a text", "texts"),
}


class AttributeKind(StrEnum):
    """The type of an attribute's value, by ONNX's names (`AttributeProto`)."""

    INT = "int"
    FLOAT = "float"
    """A binary32 number: ONNX has no other."""
    STRING = "string"
    INTS = "ints"
    FLOATS = "floats"
    STRINGS = "strings"

    @property
    def element(self) -> type[int | float | str]:
        """The type of a value, or of each in a list."""
        return _TYPES[self.removesuffix("s")]

    @property
    def takes(self) -> str:
        """What it takes, in words: `integers in a list`."""
        words = _WORDS[self.removesuffix("s")]
        return f"a list of {words[1]}" if self.several else words[0]

    @property
    def several(self) -> bool:
        return self.endswith("s")

    @property
    def type(self) -> Any:
        """The type of a value, as `msgspec.convert` takes it."""
        element: Any = self.element
        return tuple[element, ...] if self.several else element


@dataclass(frozen=True)
class Attribute:
    name: str
    kind: AttributeKind
    meaning: str
    """What it does, for the help of commands."""
    required: bool = False
    """Whether each node has to set it. What is not set has the default that the WhyML text says."""


@dataclass(frozen=True)
class Attributes:
    """The attributes that a node sets, by name and in the order of names."""

    values: tuple[tuple[str, AttributeValue], ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """The attributes of these names and values, as keywords or JSON have them; None: unset."""
        plain = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
            if value is not None
        }
        return cls(tuple(sorted(plain.items())))

    def as_dict(self) -> dict[str, AttributeValue]:
        return dict(self.values)

    def as_json(self) -> dict[str, AttributeValue]:
        """As `as_dict`, but NaN and infinities, which JSON lacks, by their names."""
        return {
            name: tuple(map(_named, value)) if isinstance(value, tuple) else _named(value)
            for name, value in self.values
        }

    @classmethod
    def of_json(cls, declared: Iterable[Attribute], values: Mapping[str, Any]) -> Self:
        """What `as_json` wrote. Whatever else stands in the place of a number stays as it is."""
        floats = {each.name for each in declared if each.kind.element is float}
        return cls.of(
            {name: _unnamed(value) if name in floats else value for name, value in values.items()}
        )

    def get(self, name: str) -> AttributeValue | None:
        return self.as_dict().get(name)

    def __str__(self) -> str:
        """As in `axis=1, broadcast=1`; empty where none is set."""
        return ", ".join(
            f"{name}={list(value) if isinstance(value, tuple) else value}"
            for name, value in self.values
        )


def _named(value: int | float | str) -> int | float | str:
    return value if isinstance(value, str) or math.isfinite(value) else str(value)


def _unnamed(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(map(_unnamed, value))
    return float(value) if value in _NOT_FINITE else value


UNSET = Attributes()
"""No attribute is set."""
