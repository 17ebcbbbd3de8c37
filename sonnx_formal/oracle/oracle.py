"""The oracle: results computed by the formal definitions themselves, for NumPy arrays."""

from typing import Any

import numpy as np

from sonnx_formal.oracle import arrays, frames
from sonnx_formal.oracle.definitions import DefinitionProcess
from sonnx_formal.spec.call import Call, attributes_of
from sonnx_formal.spec.catalogue import operator
from sonnx_formal.spec.element_types import Array


class Oracle(DefinitionProcess):
    """Evaluates operators on arrays by their formal definitions; a context manager."""

    def evaluate(self, call: Call) -> Array:
        """The result of a call by the formal definition of its operator: a new array.

        Arrays may be of any layout and byte order. Real numbers are object arrays of
        `fractions.Fraction` or integers, and `float("inf")` where SONNX-DIV R5 says so; bfloat16 is
        that of `ml_dtypes`. Every NaN in a result is the positive quiet NaN without payload,
        but for operators that copy elements, of which it has the bits that it had.

        :raises Inadmissible, OracleError, UserError: as `compute` does.
        :raises TypeError: likewise, and for values without element type.
        """
        given = [*map(_array, call.operands)]
        for operand in given:
            if operand is not None:
                frames.require_size(operand.size)
        tensors = [None if operand is None else arrays.tensor(operand) for operand in given]
        return arrays.array(self.compute(call.operator, tensors, call.attributes, call.reading))

    def apply(
        self,
        name: str,
        *operands: Array | np.generic | None,
        reading: str | None = None,
        **attributes: Any,
    ) -> Array:
        """`evaluate` of the operator of this name with these attributes."""
        chosen = operator(name)
        made = attributes_of(chosen, **attributes)
        return self.evaluate(Call(chosen, tuple(map(_array, operands)), made, reading))


def evaluate(
    name: str, *operands: Array | np.generic | None, reading: str | None = None, **attributes: Any
) -> Array:
    """The result of an operator by its formal definition, from an oracle for this one call.

    :param name: the operator, as `sonnx-formal eval` knows it: `mul`, `onnx-mul-6`.
    :param operands: in the order of the inputs; None for an optional one that is left out.
    :param reading: another way to read the document: `r5` of `div`.
    :param attributes: by the names that the document gives them.
    :raises Inadmissible, TypeError, UserError: as `Oracle.evaluate` does.
    """
    with Oracle() as oracle:
        return oracle.apply(name, *operands, reading=reading, **attributes)


def _array(value: Array | np.generic | None) -> Array | None:
    if value is None:
        return None
    if isinstance(value, np.ma.MaskedArray) or not isinstance(value, np.ndarray | np.generic):
        raise TypeError(f"not a NumPy array: {type(value).__name__}")
    return np.asarray(value)
