"""The command `eval`: an operator applied to operands as a user writes them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle.attributes import Attributes
from sonnx_formal.oracle.element_types import NUMERICAL, ElementType
from sonnx_formal.oracle.errors import Inadmissible
from sonnx_formal.oracle.frames import Operator, Reading
from sonnx_formal.oracle.notation import bits_text, element_text, list_text, nested
from sonnx_formal.oracle.operands import operand
from sonnx_formal.oracle.oracle import Oracle

SCHEMA = "sonnx-formal/eval/1"
_OPERATOR_OF: dict[Reading, Operator] = {"r5": "div", "unlisted": "matmul"}


@dataclass(frozen=True)
class Evaluation:
    """A result."""

    op: Operator
    reading: Reading | None
    attributes: Attributes
    type: ElementType
    array: NDArray[Any]

    def text(self, *, bits: bool = False) -> str:
        """The values, or the bit patterns, in nested lists.

        :raises UserError: when fractions are to be shown as bits.
        """
        if bits and self.type.kind == "real":
            raise UserError("--bits: real numbers have no bit patterns")
        return list_text(self._bits() if bits else self._values())

    def as_json(self) -> dict[str, Any]:
        """The result as JSON values: integers as numbers, all others as exact texts."""
        integers = self.type.kind == "integer"
        return {
            "schema": SCHEMA,
            "operator": self.op,
            "type": self.type.name,
            "reading": self.reading,
            "attributes": self.attributes.those_set(),
            "shape": list(self.array.shape),
            "result": self.array.tolist() if integers else self._values(),
            "bits": None if self.type.kind == "real" else self._bits(),
        }

    def _values(self) -> Any:
        floats = self.type.kind == "float"
        elements = self.array.view(self.type.pattern) if floats else self.array
        return nested(elements.tolist(), lambda element: element_text(element, self.type))

    def _bits(self) -> Any:
        patterns = self.array.view(self.type.pattern).tolist()
        return nested(patterns, lambda pattern: bits_text(pattern, self.type))


def run(  # noqa: PLR0913 (what a user may say)
    op: Operator,
    type_name: str,
    left: str,
    right: str,
    *,
    reading: Reading | None,
    attributes: Attributes,
    timeout: float,
    note: Callable[[str], None],
) -> Evaluation:
    """Apply an operator to operands as `literals.literals` reads them.

    :param note: is told of each number that was rounded.
    :raises UserError: when an operand is wrong, or the oracle gives no answer.
    """
    if reading and op != _OPERATOR_OF[reading]:
        raise UserError(f"--reading {reading}: {op} has one reading: leave it out")
    type_ = NUMERICAL[type_name]
    with Oracle(timeout=timeout) as oracle:
        oracle.build()
        a = _operand("A", left, type_, oracle, note)
        b = _operand("B", right, type_, oracle, note)
        try:
            array = oracle.evaluate(op, a, b, reading=reading, attributes=attributes)
            return Evaluation(op, reading, attributes, type_, array)
        except Inadmissible as error:
            raise UserError(str(error)) from None


def _operand(
    name: str, text: str, type_: ElementType, oracle: Oracle, note: Callable[[str], None]
) -> NDArray[Any]:
    try:
        return operand(text, type_, oracle, note)
    except UserError as error:
        raise UserError(f"operand {name}: {error}") from None
