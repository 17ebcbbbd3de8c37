"""What declarations say of kernels: it is about the operator, and what is forgotten is missed."""

from dataclasses import replace

import pytest

from sonnx_formal.kernels.declared import DeclaredKernel, kernels
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.kernel import KernelForm, KernelShape
from sonnx_formal.spec.operator import ShapeRule

OWN = [kernel for kernel in kernels() if kernel.operator.shape_rule is ShapeRule.OWN]
BY_OPERATOR = list({kernel.operator: kernel for kernel in OWN}.values())
EACH = pytest.mark.parametrize("kernel", BY_OPERATOR, ids=lambda kernel: kernel.operator.name)


def declaring(kernel: DeclaredKernel, shape: KernelShape | None) -> DeclaredKernel:
    """The kernel, if its operator declared something else."""
    return replace(kernel, operator=replace(kernel.operator, kernel=shape))


def shape_of(kernel: DeclaredKernel) -> KernelShape:
    assert kernel.operator.kernel
    return kernel.operator.kernel


@pytest.mark.parametrize("operator", operators(), ids=str)
def test_it_is_said_of_operators_with_a_rule_of_their_own_alone(operator: object) -> None:
    (found,) = (each for each in operators() if each is operator)
    if found.kernel:
        assert found.shape_rule is ShapeRule.OWN
        assert {*found.kernel.scalars, *found.kernel.in_words} <= {x.name for x in found.inputs}
        assert found.kernel.form not in {KernelForm.ELEMENTS, KernelForm.PRODUCT}


@EACH
def test_a_form_that_is_forgotten(kernel: DeclaredKernel) -> None:
    forgotten = declaring(kernel, None)
    for asked in ("form", "operands", "parameters", "symbols"):
        with pytest.raises(LookupError, match=f"{kernel.operator.title}: no kernel is for"):
            getattr(forgotten, asked)


@EACH
def test_a_check_that_is_forgotten(kernel: DeclaredKernel) -> None:
    forgotten = declaring(kernel, replace(shape_of(kernel), check=None))
    if kernel.word_arrays:
        with pytest.raises(LookupError, match=r"no program looks at the words"):
            _ = forgotten.symbols
    else:
        assert forgotten.symbols == kernel.symbols


def test_operands_without_axes_and_those_in_words() -> None:
    named = {kernel.operator.name: kernel for kernel in BY_OPERATOR}
    conv = named["conv_integer"]
    assert [each.title for each in conv.operands] == ["x", "w", "w_zero_point"]
    assert [each.title for each in conv.numbers] == ["x_zero_point"]
    forgotten = declaring(conv, replace(shape_of(conv), scalars=frozenset()))
    assert "x_zero_point" in [each.title for each in forgotten.operands]
    sums = named["reduce_sum"]
    assert [each.title for each in sums.operands] == ["data"]
    forgotten = declaring(sums, replace(shape_of(sums), in_words=frozenset()))
    assert [each.title for each in forgotten.operands] == ["data", "axes"]
