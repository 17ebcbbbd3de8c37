"""Which operators have a kernel over which element types, and what it is called."""

from dataclasses import dataclass
from functools import cache

from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.element_types import ElementType, Family
from sonnx_formal.spec.operator import Instance, Operator, ShapeRule, System

_NATIVE = {"float32": "float", "float64": "double"}
"""The floating-point types that C has itself."""


@dataclass(frozen=True, eq=False)
class DeclaredKernel:
    """A kernel: an operator of SONNX over an element type."""

    operator: Operator
    type: ElementType

    @property
    def module(self) -> str:
        """Its WhyML module: `kernels.mul.MulInt8`."""
        definition = self.operator.definition.modules[self.type.family].rpartition(".")[2]
        return f"kernels.{self.operator.name}.{definition.replace('{T}', self.type.whyml)}"

    @property
    def name(self) -> str:
        """Its checked entry in C: `sonnx_mul_int8`."""
        return f"sonnx_{self.operator.name}_{self.type}"

    @property
    def requirement(self) -> str:
        """The id of what it computes: `SONNX-MUL.FUNC`."""
        return f"{self.operator.document(self.type)}.FUNC"

    @property
    def c_type(self) -> str:
        """The type of the elements in C, for who calls it: `int8_t`."""
        return _NATIVE.get(self.type.name) or f"{self.type}_t"

    @property
    def word(self) -> str:
        """The type that the kernel has for them: bit patterns of integers, `uint8_t`."""
        return _NATIVE.get(self.type.name) or f"uint{self.type.width}_t"

    @property
    def by_element(self) -> bool:
        """Whether it computes element by element, and else a product of matrices."""
        match self.operator.shape_rule:
            case ShapeRule.SAME:
                return True
            case ShapeRule.MATRIX_PRODUCT:
                return False
            case rule:
                raise LookupError(f"{self.operator.title}: no kernel is for {rule.value}")

    @property
    def is_partial(self) -> bool:
        """Whether it stops at operands for which there is no result."""
        domain = self.operator.definition.domain
        return domain is not None and self.type.family in domain.families

    @property
    def entry_points(self) -> tuple[str, ...]:
        """The programs of the module that are called."""
        return ("kernel", "in_place") if self.by_element else ("kernel",)


@cache
def kernels() -> tuple[DeclaredKernel, ...]:
    """All kernels, by operators and types in the order of the declarations."""
    return tuple(
        DeclaredKernel(operator, type_)
        for operator in operators()
        if operator.system is System.SONNX
        for type_ in operator.parameters[0].types
        if type_.family is Family.INTEGER or type_.name in _NATIVE
    )


def kernel_of(instance: Instance) -> DeclaredKernel | None:
    """The kernel of an operator over types; None where there is none."""
    return next(
        (
            kernel
            for kernel in kernels()
            if kernel.operator is instance.operator and set(instance.types) == {kernel.type}
        ),
        None,
    )
