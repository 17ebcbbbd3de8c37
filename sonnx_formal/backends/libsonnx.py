"""The kernels that are extracted from Why3, as `make kernels` compiles them."""

from sonnx_formal import kernels
from sonnx_formal.backends import backend
from sonnx_formal.backends.backend import Form
from sonnx_formal.kernels.declared import Arithmetics
from sonnx_formal.kernels.library import library
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.element_types import Array
from sonnx_formal.spec.operator import Instance


class Libsonnx:
    """libsonnx in this process."""

    def __init__(self, *, soft: bool) -> None:
        """Raises `UserError` when the library cannot be built.

        :param soft: with the kernels alone that compute with integers.
        """
        self._by = Arithmetics.SOFT if soft else None
        library()

    @property
    def version(self) -> str:
        return backend.version_of("sonnx-formal")

    def supports(self, instance: Instance) -> bool:
        return kernels.supports(instance, by=self._by)

    def run(self, call: Call, form: Form) -> Array:
        backend.only_plain(form)
        return kernels.apply(call, by=self._by)
