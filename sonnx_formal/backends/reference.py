"""The Python implementation of this project."""

import importlib
import importlib.metadata

from sonnx_formal.backends.backend import Form, only_plain
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance


class ReferenceBackend:
    """`sonnx_formal.reference`: each operator by the function that its declaration names."""

    def __init__(self) -> None:
        self.version = importlib.metadata.version("sonnx-formal")

    def supports(self, instance: Instance) -> bool:
        return True

    def run(self, call: Call, form: Form) -> Array:
        only_plain(form)
        return apply(call)


def apply(call: Call) -> Array:
    """What our own implementation gives for a call. Raises `SpecViolation`."""
    declared = call.operator.reference
    # Imported only here: a function that is not written yet is missed by who asks for it.
    function = getattr(importlib.import_module("sonnx_formal.reference"), declared.function)
    result: Array = function(*call.operands, **call.attributes.as_dict(), **declared.keywords)
    return result
