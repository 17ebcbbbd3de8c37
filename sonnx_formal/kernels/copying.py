"""Kernels of structural operators: they copy elements of so many bits, whatever these stand for."""

from dataclasses import dataclass
from functools import cache

from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.operator import Arithmetic, Instance, Operator

_WIDTHS = (8, 16, 32, 64)
_SIZES = "const uint64_t *"
_PARAMETERS = {
    "concat": ("uint64_t outer", "uint64_t block", "uint64_t start", "uint64_t row"),
    "transpose": (f"{_SIZES}dims", f"{_SIZES}perm", "uint64_t *work", "uint64_t rank"),
    "slice": (
        *(f"{_SIZES}{name}" for name in ("dims", "starts", "steps", "counts")),
        "uint64_t rank",
    ),
}
"""What a kernel takes after the operand and the result. Of the others, the elements keep their
order: these take the number of them."""
_TESTS = {
    "transpose": "kernels.transpose.OrderOfAxes.is_order",
    "slice": "kernels.slice.CutCheck.is_cut",
}
"""Programs that look at arguments before a kernel is called."""


@dataclass(frozen=True)
class CopyingKernel:
    """A kernel: a structural operator on elements of so many bits."""

    operator: Operator
    width: int
    is_product = False

    @property
    def module(self) -> str:
        """Its WhyML module: `kernels.reshape.ReshapeWord8`."""
        stem = self.operator.definition.signature.rpartition(".")[2].removesuffix("Signature")
        return f"kernels.{self.operator.name}.{stem}Word{self.width}"

    @property
    def name(self) -> str:
        """Its checked entry in C: `sonnx_reshape_word8`."""
        return f"sonnx_{self.operator.name}_word{self.width}"

    @property
    def requirements(self) -> tuple[str, ...]:
        """The ids of what it meets: `SONNX-RESHAPE.FUNC`, and that elements are copied."""
        document = next(iter(self.operator.documents.values()))
        return tuple(f"{document}.{item}" for item in self.operator.computed)

    @property
    def c_type(self) -> str:
        """The type of the elements in C."""
        return f"uint{self.width}_t"

    @property
    def parameters(self) -> tuple[str, ...]:
        """What it takes in C after the operand and the result."""
        return _PARAMETERS.get(self.operator.name, ("uint64_t n",))

    @property
    def symbols(self) -> tuple[str, ...]:
        """The programs that are called."""
        test = _TESTS.get(self.operator.name)
        return (f"{self.module}.kernel", *([test] if test else []))


@cache
def copying_kernels() -> tuple[CopyingKernel, ...]:
    """Those of all structural operators, by operators and widths."""
    return tuple(
        CopyingKernel(operator, width)
        for operator in operators()
        if operator.arithmetic is Arithmetic.COPY
        for width in _WIDTHS
    )


def copying_kernel(instance: Instance) -> CopyingKernel | None:
    """The kernel for the elements of an instance; texts have no width, and none."""
    type_ = instance.types[0]
    return next(
        (
            kernel
            for kernel in copying_kernels()
            if kernel.operator is instance.operator
            and type_.has_patterns
            and kernel.width == type_.width
        ),
        None,
    )
