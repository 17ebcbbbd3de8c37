"""Counterexamples as the document has them: every value exactly, and its bits."""

from sonnx_formal.check.document import CheckExample, NamedTensor, Nested, TensorText
from sonnx_formal.check.elements import patterns
from sonnx_formal.check.smallest import Counterexample
from sonnx_formal.oracle.notation import bits_text, element_text, nested
from sonnx_formal.spec.element_types import Array, Family, element_type_of


def example(found: Counterexample, kind: str) -> CheckExample:
    """An example of what is wrong in this way."""
    trial, got = found.trial, found.judgement.got
    attributes = trial.call.attributes.as_dict().items()
    return CheckExample(
        trial.name,
        tuple(
            NamedTensor(*_tensor(operand), name)
            for name, _, operand in trial.call.bound()
            if operand is not None
        ),
        {name: [*value] if isinstance(value, tuple) else value for name, value in attributes},
        trial.violated,
        None if trial.expected is None else TensorText(*_tensor(trial.expected)),
        None if got is None else TensorText(*_tensor(got)),
        found.index(kind),
    )


def _tensor(array: Array) -> tuple[str, tuple[int, ...], Nested, Nested | None]:
    """The type and the shape; nested lists of the values, and of bit patterns if there are any."""
    type_ = element_type_of(array)
    values, bits = array.tolist(), None
    if type_.family is not Family.REAL:
        bits = patterns(array, type_).tolist()
        values = bits if type_.family is Family.FLOAT else values
    return (
        type_.name,
        array.shape,
        nested(values, lambda element: element_text(element, type_)),
        bits if bits is None else nested(bits, lambda pattern: bits_text(pattern, type_)),
    )
