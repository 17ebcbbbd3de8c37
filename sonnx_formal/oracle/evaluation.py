"""The command `eval`: an operator applied to operands as a user writes them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sonnx_formal.core.documents import Document
from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle.frames import Inadmissible
from sonnx_formal.oracle.notation import bits_text, element_text, list_text, nested
from sonnx_formal.oracle.operands import operand
from sonnx_formal.oracle.oracle import Oracle
from sonnx_formal.spec.attributes import Attributes, AttributeValue
from sonnx_formal.spec.call import Call, check_attributes
from sonnx_formal.spec.element_types import Array, Family
from sonnx_formal.spec.operator import Instance, Presence


class EvaluationDocument(Document, frozen=True, kw_only=True, tag="sonnx-formal/eval/2"):
    """What `sonnx-formal eval --json` writes."""

    command = "eval OPERATOR OPERANDS --json PATH"

    operator: str
    types: list[str]
    """The element types of the operator's type parameters."""
    result_type: str
    reading: str | None
    attributes: dict[str, AttributeValue]
    """Those that were set."""
    shape: list[int]
    result: Any
    """Nested lists: integers as numbers, truth values as such, all others as exact texts."""
    bits: Any
    """The bit patterns in nested lists; null for real numbers, which have none."""

    def text(self, *, bits: bool = False) -> str:
        """The values, or the bit patterns, in nested lists.

        :raises UserError: when fractions are to be shown as bits.
        """
        if bits and self.bits is None:
            raise UserError("--bits: real numbers have no bit patterns")
        return list_text(self.bits if bits else self.result)


def run(  # noqa: PLR0913 (what a user may say)
    instance: Instance,
    texts: Sequence[str],
    *,
    reading: str | None,
    attributes: Attributes,
    timeout: float,
    note: Callable[[str], None],
) -> EvaluationDocument:
    """Apply an operator to operands as `literals.literals` reads them; an empty one is left out.

    :param note: is told of each number that was rounded.
    :raises UserError: when an operand is wrong, or the oracle gives no answer.
    """
    operator = instance.operator
    check_attributes(operator, attributes)
    inputs = operator.inputs
    if inputs[-1].presence is Presence.VARIADIC:
        inputs += inputs[-1:] * (len(texts) - len(inputs))
    elif len(texts) > len(inputs):
        names = ", ".join(input_.name for input_ in operator.inputs)
        raise UserError(f"{operator} takes {names}: {len(texts)} operands are too many")
    with Oracle(timeout=timeout) as oracle:
        oracle.build()
        operands: list[Array | None] = []
        for input_, text in zip(inputs, texts, strict=False):
            try:
                type_ = instance.type_of(input_)
                operands.append(operand(text, type_, oracle, note) if text else None)
            except UserError as error:
                raise UserError(f"operand {input_.name}: {error}") from None
        call = Call(operator, tuple(operands), attributes, reading)
        try:
            array = oracle.evaluate(call)
        except (Inadmissible, TypeError) as error:
            raise UserError(str(error)) from None
    type_ = instance.type_of(operator.output)
    exact = type_.family in {Family.INTEGER, Family.BOOLEAN}
    patterns = None if type_.family is Family.REAL else array.view(type_.pattern).tolist()
    elements = patterns if type_.family is Family.FLOAT else array.tolist()
    return EvaluationDocument(
        operator=operator.name,
        types=[each.name for each in instance.types],
        result_type=type_.name,
        reading=reading,
        attributes=attributes.as_dict(),
        shape=list(array.shape),
        result=elements if exact else nested(elements, partial(element_text, type_=type_)),
        bits=None if patterns is None else nested(patterns, partial(bits_text, type_=type_)),
    )
