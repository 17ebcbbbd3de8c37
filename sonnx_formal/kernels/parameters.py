"""What a function of the library takes."""

from dataclasses import dataclass
from enum import Enum


class Role(Enum):
    """What a parameter is for."""

    READ = "an array"
    RESULT = "the array that gets the result"
    WRITTEN = "memory that gets something else"
    NUMBER = "a number by value"


@dataclass(frozen=True)
class Parameter:
    """A parameter of a function in C."""

    name: str
    c_type: str
    """Of a number; of an array, that of its elements."""
    role: Role

    @property
    def declared(self) -> str:
        """It, as the header has it."""
        match self.role:
            case Role.READ:
                return f"const {self.c_type} *{self.name}"
            case Role.RESULT | Role.WRITTEN:
                return f"{self.c_type} *{self.name}"
            case Role.NUMBER:
                return f"{self.c_type} {self.name}"


def words(role: Role, *names: str) -> tuple[Parameter, ...]:
    """Parameters of a role that are of uint64_t."""
    return tuple(Parameter(name, "uint64_t", role) for name in names)
