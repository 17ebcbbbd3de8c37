"""What the kernels in C of an operator take, where the shape rule does not say it."""

from dataclasses import dataclass
from enum import Enum


class KernelForm(Enum):
    """What a kernel computes of its operands."""

    ELEMENTS = "an operation at each position"
    PRODUCT = "a product of matrices"
    PRODUCT_AND_SUM = "a product of matrices, and a matrix added to it"
    WINDOW = "what comes of the elements under each position of a window"
    CONVOLUTION = "a sum of products under each position of a kernel"
    PER_AXIS = "an operation at each position, with parameters for each entry along an axis"
    REDUCTION = "sums along axes"


@dataclass(frozen=True)
class KernelShape:
    """Of an operator whose shapes follow a rule of their own."""

    form: KernelForm
    check: str | None = None
    """The program of the formal library that looks first at the words that a kernel reads."""
    scalars: frozenset[str] = frozenset()
    """Operands that have no axes: a kernel gets a number."""
    in_words: frozenset[str] = frozenset()
    """Operands that words say: a kernel does not read them."""
