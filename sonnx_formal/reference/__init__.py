"""SONNX operators on NumPy arrays: the implementation that the formal definitions are to judge.

It takes nothing from them: what it computes comes from NumPy and from `fractions`. The function
that a declaration names is in the module of the same name.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from sonnx_formal.core.errors import UserError
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.violation import SpecViolation as SpecViolation

if TYPE_CHECKING:
    from sonnx_formal.reference.add import add as add
    from sonnx_formal.reference.div import div as div
    from sonnx_formal.reference.matmul import matmul as matmul
    from sonnx_formal.reference.mul import mul as mul
    from sonnx_formal.reference.onnx_mul import onnx_mul as onnx_mul
    from sonnx_formal.reference.openvino_multiply import openvino_multiply as openvino_multiply
    from sonnx_formal.reference.sub import sub as sub

for _operator in operators():
    _name = _operator.reference.function
    if find_spec(f"{__name__}.{_name}") is None:
        raise UserError(
            f"sonnx_formal/reference/{_name}.py is missing: write the function {_name} there, which"
            f" the declaration of {_operator.title} names"
        )
    globals()[_name] = getattr(import_module(f"{__name__}.{_name}"), _name)
