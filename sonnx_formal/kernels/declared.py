"""Which operators have a kernel over which element types, and what it is called."""

import itertools
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

import numpy as np

from sonnx_formal.kernels.parameters import Parameter, Role, words
from sonnx_formal.spec.attributes import AttributeKind
from sonnx_formal.spec.call import Call
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.element_types import BY_NAME, NARROW_FLOATS, Array, ElementType, Family
from sonnx_formal.spec.kernel import KernelForm, KernelShape
from sonnx_formal.spec.operator import Arithmetic, Input, Instance, Operator, Output, ShapeRule

LIBRARY = Path(__file__).resolve().parents[2] / "why3"
_TWO = 2
"""So many operands a kernel has where any number is allowed; it is applied again for each more."""
_C_TYPES = {"float32": "float", "float64": "double"}
_ATTRIBUTES = {AttributeKind.FLOAT: BY_NAME["float32"]}


class Arithmetics(StrEnum):
    """What a kernel computes with."""

    INTEGER = "integers"
    NATIVE = "C's own float and double"
    FUSED = "C's own float and double, and its fma"
    SOFT = "floating-point numbers as bit patterns, with integers alone"


@dataclass(frozen=True)
class KernelArray:
    """An array that a kernel reads or writes, or a number that it gets."""

    title: str
    """Its name in the document."""
    type: ElementType
    c_type: str
    """The type of the elements in C, for who calls it: `int8_t`; of soft kernels, patterns."""
    word: str
    """The type that the kernel has for them: bit patterns, `uint8_t`, but for native floats."""

    @property
    def name(self) -> str:
        """Its name in C."""
        return self.title.lower()

    def parameter(self, role: Role) -> Parameter:
        """It, as the entry of the kernel has it."""
        return Parameter(self.name, self.c_type, role)


@dataclass(frozen=True)
class DeclaredKernel:
    """A kernel: an operator over element types, one for each of its type parameters."""

    operator: Operator
    types: tuple[ElementType, ...]
    arithmetics: Arithmetics

    @property
    def type(self) -> ElementType:
        """That of the first parameter: of all, but for ConvInteger and QuantizeLinear."""
        return self.types[0]

    @property
    def instance(self) -> Instance:
        """What it computes."""
        return Instance(self.operator, self.types)

    @property
    def module(self) -> str:
        """Its WhyML module: `kernels.mul.MulInt8`, `kernels.soft.mul.SoftMulFloat16`."""
        name = self.instance.module.rpartition(".")[2]
        template = self.operator.definition.modules[self.type.family]
        pairs = zip(self.operator.parameters, self.types, strict=True)
        # It may be one for all types of a parameter.
        name += "".join(type_.whyml for each, type_ in pairs if f"{{{each.name}}}" not in template)
        match self.arithmetics:
            case Arithmetics.INTEGER | Arithmetics.NATIVE:
                return f"kernels.{self.operator.name}.{name}"
            case Arithmetics.FUSED:
                return f"kernels.fused_{self.operator.name}.Fused{name}"
            case Arithmetics.SOFT:
                return f"kernels.soft.{self.operator.name}.Soft{name}"

    @property
    def name(self) -> str:
        """Its checked entry in C: `sonnx_mul_int8`, `sonnx_soft_mul_float16`."""
        types = "_".join(map(str, self.types))
        match self.arithmetics:
            case Arithmetics.INTEGER | Arithmetics.NATIVE:
                return f"sonnx_{self.operator.name}_{types}"
            case Arithmetics.FUSED:
                return f"sonnx_{self.operator.name}_fused_{types}"
            case Arithmetics.SOFT:
                return f"sonnx_soft_{self.operator.name}_{types}"

    @property
    def requirement(self) -> str:
        """The id of what it meets: `SONNX-MUL.FUNC`; of a fused one, that of the accuracy."""
        return f"{self.operator.document(self.type)}.{'ACC' if self.is_fused else 'FUNC'}"

    @property
    def is_fused(self) -> bool:
        """Whether it has its own order of roundings, and not the bits of the definition."""
        return self.arithmetics is Arithmetics.FUSED

    @property
    def operands(self) -> tuple[KernelArray, ...]:
        """The arrays that it reads, in the order of the inputs: of any number of operands, two."""
        return tuple(
            self._array(name, each)
            for name, each in self._inputs
            if not self._is_number(each) and name not in self._shape.in_words
        )

    @property
    def numbers(self) -> tuple[KernelArray, ...]:
        """What it gets by value, after these: operands that have no axes, then attributes."""
        operands = (self._array(name, each) for name, each in self._inputs if self._is_number(each))
        attributes = (self._of_type(name, type_) for name, type_ in self._number_attributes)
        return (*operands, *attributes)

    def values(self, call: Call) -> tuple[Array, ...]:
        """Of a call of the operator: the arrays, and each attribute as one without axes."""
        attributes = call.attributes.as_dict()
        with np.errstate(all="ignore"):  # another number is rounded
            numbers = (
                np.asarray(attributes[name], type_.dtype) for name, type_ in self._number_attributes
            )
            return (*call.arrays, *numbers)

    @property
    def _number_attributes(self) -> list[tuple[str, ElementType]]:
        """The attributes that it gets by value, and their types."""
        kinds = ((each.name, _ATTRIBUTES.get(each.kind)) for each in self.operator.attributes)
        return [(name, type_) for name, type_ in kinds if type_]

    @property
    def word_arrays(self) -> tuple[tuple[str, int | str], ...]:
        """The arrays of uint64_t that it reads after its operands, each with its length."""
        match self.form:
            case (
                KernelForm.ELEMENTS
                | KernelForm.PRODUCT
                | KernelForm.PRODUCT_AND_SUM
                | KernelForm.PER_AXIS
            ):
                return ()
            case KernelForm.WINDOW:
                pairs = {"kernel_shape": 2, "strides": 2, "pads": 4, "dilations": 2}
                return (("dims", 4), *pairs.items(), ("y_dims", 4))
            case KernelForm.CONVOLUTION:
                pairs = {"strides": 2, "pads": 4, "dilations": 2}
                return (("dims", 4), ("w_dims", 4), *pairs.items(), ("y_dims", 4))
            case KernelForm.REDUCTION:
                return (("dims", "rank"), ("summed", "rank"))

    @property
    def lengths(self) -> tuple[tuple[KernelArray, str], ...]:
        """The operands, each with how many elements it has, as C computes that from words."""
        match self.form:
            case KernelForm.ELEMENTS | KernelForm.PRODUCT | KernelForm.PRODUCT_AND_SUM:
                return ()
            case KernelForm.PER_AXIS:
                x, scale, zero = self.operands
                return ((x, "result.count"), (scale, "channels"), (zero, self.sizes[3]))
            case KernelForm.WINDOW:
                (x,) = self.operands
                return ((x, "size_of(dims, 4)"),)
            case KernelForm.CONVOLUTION:
                x, w, last = self.operands
                return ((x, "size_of(dims, 4)"), (w, "size_of(w_dims, 4)"), (last, self.sizes[-1]))
            case KernelForm.REDUCTION:
                (data,) = self.operands
                return ((data, "size_of(dims, rank)"),)

    @property
    def count(self) -> str:
        """How many elements its result has, as C computes that from words."""
        match self.form:
            case KernelForm.REDUCTION:
                return "size_of_others(dims, summed, rank)"
            case KernelForm.WINDOW | KernelForm.CONVOLUTION:
                return "size_of(y_dims, 4)"
            case (
                KernelForm.ELEMENTS
                | KernelForm.PRODUCT
                | KernelForm.PRODUCT_AND_SUM
                | KernelForm.PER_AXIS
            ):
                raise AssertionError(f"{self.name}: no words say how many elements its result has")

    @property
    def result(self) -> KernelArray:
        """What it writes."""
        output = self.operator.output
        return self._array(output.name, output)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """What its entry in C takes."""
        return (
            *(each.parameter(Role.READ) for each in self.operands),
            *words(Role.READ, *(name for name, _ in self.word_arrays)),
            *(each.parameter(Role.NUMBER) for each in self.numbers),
            self.result.parameter(Role.RESULT),
            *words(Role.NUMBER, *self.sizes),
            *(words(Role.WRITTEN, "computed") if self.is_partial else ()),
        )

    @property
    def sizes(self) -> tuple[str, ...]:
        """The sizes that it takes, as C names them."""
        match self.form:
            case KernelForm.ELEMENTS:
                return ("n",)
            case KernelForm.PRODUCT | KernelForm.PRODUCT_AND_SUM:
                return ("m", "k", "n")
            case KernelForm.WINDOW:
                return ("count_include_pad",) if self.rounds else ()
            case KernelForm.CONVOLUTION:
                *_, last = self.operands
                return ("group", f"{last.name}_count")
            case KernelForm.PER_AXIS:
                *_, last = self.operands
                sizes = ("outer", "channels", "inner", f"{last.name}_count")
                return (*sizes, "saturate") if self.saturates else sizes
            case KernelForm.REDUCTION:
                return ("rank", "untouched")

    @property
    def saturates(self) -> bool:
        """Whether it is told what becomes of numbers beyond the greatest one of its result."""
        return self.result.type in NARROW_FLOATS

    @property
    def replaced(self) -> KernelArray | None:
        """The operand whose place the result may take: by element, the first one that is always of
        its type."""
        if not self.by_element:
            return None
        like = (each for each in self._inputs if each[1].type == self.operator.output.type)
        return next(itertools.starmap(self._array, like), None)

    @property
    def _inputs(self) -> list[tuple[str, Input]]:
        return self.operator.ports(_TWO)

    def _is_number(self, input_: Input) -> bool:
        first, *_ = self.operator.inputs
        if self.operator.shape_rule is ShapeRule.SCALAR_BOUNDS:
            return input_ is not first
        return input_.name in self._shape.scalars

    def _array(self, name: str, port: Input | Output) -> KernelArray:
        return self._of_type(name, self.instance.type_of(port))

    def _of_type(self, name: str, type_: ElementType) -> KernelArray:
        word = f"uint{type_.width}_t"
        if type_.family is Family.INTEGER:
            c_type = f"{type_}_t"
        elif type_.family is Family.FLOAT and self.is_native:
            c_type = word = _C_TYPES[type_.name]
        else:
            c_type = word
        return KernelArray(name, type_, c_type, word)

    @property
    def is_native(self) -> bool:
        """Whether it computes with C's own floating-point numbers."""
        return self.arithmetics in {Arithmetics.NATIVE, Arithmetics.FUSED}

    @property
    def is_canonical(self) -> bool:
        """Whether each NaN in its results has the bits that the definition gives NaN.

        ReduceSum may copy data that are untouched."""
        return not self.is_native and self.rounds and self.form is not KernelForm.REDUCTION

    @property
    def rounds(self) -> bool:
        """Whether it computes numbers, and does not choose among those of the operands."""
        return self.operator.arithmetic is not Arithmetic.EXACT

    @property
    def form(self) -> KernelForm:
        """Raises `LookupError` for an operator of which nobody has said it."""
        return self._shape.form

    @property
    def _shape(self) -> KernelShape:
        match self.operator.shape_rule:
            case ShapeRule.SAME | ShapeRule.SCALAR_BOUNDS | ShapeRule.MULTIDIRECTIONAL:
                return KernelShape(KernelForm.ELEMENTS)
            case ShapeRule.MATRIX_PRODUCT:
                return KernelShape(KernelForm.PRODUCT)
            case ShapeRule.OWN if self.operator.kernel:
                return self.operator.kernel
            case rule:
                raise LookupError(f"{self.operator.title}: no kernel is for {rule.value}")

    @property
    def by_element(self) -> bool:
        """Whether it computes element by element."""
        return self.form is KernelForm.ELEMENTS

    @property
    def is_product(self) -> bool:
        """Whether it computes a product of matrices."""
        return self.form in {KernelForm.PRODUCT, KernelForm.PRODUCT_AND_SUM}

    @property
    def sums_products(self) -> bool:
        """Whether most of its time goes into sums of products."""
        return self.is_product or self.form is KernelForm.CONVOLUTION

    @property
    def matrices(self) -> tuple[tuple[KernelArray, str, str], ...]:
        """Of a product, each operand with its rows and columns, as C names them."""
        sizes = (("m", "k"), ("k", "n"), ("m", "n"))
        return tuple((each, *size) for each, size in zip(self.operands, sizes, strict=False))

    @property
    def is_partial(self) -> bool:
        """Whether it stops at operands for which there is no result."""
        domain = self.operator.definition.domain
        return domain is not None and self.type.family in domain.families

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs of the module that are called: one with a result apart, one in place."""
        match self.form:
            case KernelForm.ELEMENTS:
                return ("kernel", "in_place") if self.replaced else ("kernel",)
            case (
                KernelForm.PRODUCT
                | KernelForm.WINDOW
                | KernelForm.CONVOLUTION
                | KernelForm.REDUCTION
            ):
                return ("kernel",)
            case KernelForm.PER_AXIS:
                return ("quantize_words",) if self.saturates else ("kernel",)
            case KernelForm.PRODUCT_AND_SUM:
                return ("multiply_add",)

    @property
    def check(self) -> str | None:
        """The program that looks first at the words that it reads.

        Raises `LookupError` where it reads some, and nobody has said which program that is."""
        if self.word_arrays and self._shape.check is None:
            raise LookupError(f"{self.operator.title}: no program looks at the words of its kernel")
        return self._shape.check

    @property
    def symbols(self) -> tuple[str, ...]:
        """All that are called, as the formal library has them."""
        check = (self.check,) if self.check else ()
        return (*(f"{self.module}.{name}" for name in self.programs), *check)


@cache
def kernels() -> tuple[DeclaredKernel, ...]:
    """All kernels, by operators, types and arithmetics in the order of the declarations.

    They are those that the formal library has a module for.
    """
    possible = (
        DeclaredKernel(operator, types, arithmetics)
        for operator in operators()
        if operator.goes_by_onnx_name and operator.arithmetic is not Arithmetic.COPY
        for types in itertools.product(*((*p.types, *p.beyond) for p in operator.parameters))
        for arithmetics in _arithmetics(_computed_with(operator, types))
    )
    return tuple(kernel for kernel in possible if _is_in_the_library(kernel))


def kernels_of(instance: Instance) -> tuple[DeclaredKernel, ...]:
    """The kernels of an operator over types: native before fused before soft."""
    return tuple(
        kernel
        for kernel in kernels()
        if kernel.operator is instance.operator and kernel.types == instance.types
    )


def _computed_with(operator: Operator, types: tuple[ElementType, ...]) -> ElementType:
    """The first floating-point type among operands and result, or else that of the first."""
    ports: tuple[Input | Output, ...] = (*operator.inputs, operator.output)
    found = map(Instance(operator, types).type_of, ports)
    return next((each for each in found if each.family is Family.FLOAT), types[0])


def _arithmetics(type_: ElementType) -> tuple[Arithmetics, ...]:
    match type_.family:
        case Family.INTEGER | Family.BOOLEAN:
            return (Arithmetics.INTEGER,)
        case Family.FLOAT if type_.name in _C_TYPES:
            return (Arithmetics.NATIVE, Arithmetics.FUSED, Arithmetics.SOFT)
        case Family.FLOAT:
            return (Arithmetics.SOFT,)
        case Family.REAL | Family.TEXT | Family.COMPLEX:
            return ()


def _is_in_the_library(kernel: DeclaredKernel) -> bool:
    *folders, module = kernel.module.split(".")
    path = LIBRARY.joinpath(*folders).with_suffix(".mlw")
    return path.is_file() and f"\nmodule {module}\n" in path.read_text()
