"""SONNX operators on NumPy arrays: the implementation that the formal definitions are to judge.

It takes nothing from them: what it computes comes from NumPy and from `fractions`. Operands may
have any byte order and any strides, and are not modified. The function that a declaration names is
in the module of the same name.
"""

from importlib import import_module
from importlib.util import find_spec

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.admission import SpecViolation as SpecViolation
from sonnx_formal.spec.catalogue import operators

for _operator in operators():
    _name = _operator.reference.function
    if find_spec(f"{__name__}.{_name}") is None:
        raise UserError(
            f"sonnx_formal/reference/{_name}.py is missing: write the function {_name} there, which"
            f" the declaration of {_operator.title} names"
        )
    globals()[_name] = getattr(import_module(f"{__name__}.{_name}"), _name)
