"""Kernels of structural operators: they copy elements of so many bits, whatever these stand for."""

from dataclasses import dataclass
from enum import Enum
from functools import cache, partial

from sonnx_formal.kernels.parameters import Parameter, Role, words
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.operator import Arithmetic, Instance, Operator

_WIDTHS = (8, 16, 32, 64)


class Order(Enum):
    """What becomes of the order of elements."""

    KEPT = "it stays"
    JOINED = "an operand's are in the result block by block"
    TRANSPOSED = "that of axes in another order"
    CUT = "steps along each axis"


_ORDERS = {
    **dict.fromkeys(("flatten", "identity", "reshape", "squeeze", "unsqueeze"), Order.KEPT),
    "concat": Order.JOINED,
    "transpose": Order.TRANSPOSED,
    "slice": Order.CUT,
}


@dataclass(frozen=True)
class CopyingKernel:
    """A kernel: a structural operator on elements of so many bits."""

    operator: Operator
    width: int
    sums_products = False
    replaced = None

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
    def order(self) -> Order:
        """Raises `LookupError` for an operator of which nobody has said it."""
        if self.operator.name not in _ORDERS:
            raise LookupError(f"{self.operator.title}: enter the order of its elements here")
        return _ORDERS[self.operator.name]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What its entry in C takes."""
        x, y = Parameter("x", self.c_type, Role.READ), Parameter("y", self.c_type, Role.RESULT)
        read, number = partial(words, Role.READ), partial(words, Role.NUMBER)
        match self.order:
            case Order.KEPT:
                return (x, y, *number("n"))
            case Order.JOINED:
                return (x, y, *number("outer", "block", "start", "row"))
            case Order.TRANSPOSED:
                return (x, *read("dims", "perm"), *words(Role.WRITTEN, "work"), y, *number("rank"))
            case Order.CUT:
                return (x, *read("dims", "starts", "steps", "counts"), y, *number("rank"))

    @property
    def symbols(self) -> tuple[str, ...]:
        """The programs that are called: one may look at the arguments first."""
        kernel = f"{self.module}.kernel"
        match self.order:
            case Order.KEPT | Order.JOINED:
                return (kernel,)
            case Order.TRANSPOSED:
                return (kernel, "kernels.transpose.OrderOfAxes.is_order")
            case Order.CUT:
                return (kernel, "kernels.slice.CutCheck.is_cut")


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
