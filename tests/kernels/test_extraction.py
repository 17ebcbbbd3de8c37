"""Kernels, which Why3 writes into one text, are told apart."""

import re

import pytest

from sonnx_formal.core.errors import UserError
from sonnx_formal.kernels import extraction
from sonnx_formal.kernels.copying import copying_kernels
from sonnx_formal.kernels.declared import LIBRARY, kernels
from sonnx_formal.kernels.extraction import ExtractedKernel, Kernel, extract
from sonnx_formal.prover.installation import find_why3

ALL: tuple[Kernel, ...] = (*kernels(), *copying_kernels())
BY_NAME = {each.name: each for each in ALL}


def plain(extracted: ExtractedKernel) -> set[str]:
    """Its functions in one line each, with the names that they have in no other's company."""
    names = extracted.names
    return {
        " ".join(re.sub(r"\w+", lambda word: names.get(word[0], word[0]), each.text).split())
        for each in extracted.functions
    }


@pytest.mark.long
@pytest.mark.parametrize(
    "name", ["sonnx_div_uint16", "sonnx_soft_add_float64", "sonnx_gemm_int64", "sonnx_slice_word32"]
)
def test_a_kernel_is_the_same_with_others_and_alone(name: str) -> None:
    kernel, why3 = BY_NAME[name], find_why3()
    module = kernel.module.rpartition(".")[0]
    together = tuple(each for each in ALL if each.module.startswith(f"{module}."))
    assert len(together) > 1
    found = extract(together, LIBRARY, why3)[together.index(kernel)]
    (alone,) = extract((kernel,), LIBRARY, why3)
    assert plain(found) == plain(alone)
    entries = {symbol.rpartition(".")[2] for symbol in kernel.symbols}
    assert entries <= {*found.names.values()} == {*alone.names.values()}


def test_another_number_of_functions_than_asked_for_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    less = extraction._FUNCTION.pattern.replace(r"(\w+)\(", r"(?!kernel1\b)(\w+)\(")
    monkeypatch.setattr(extraction, "_FUNCTION", re.compile(less, re.MULTILINE))
    asked = (BY_NAME["sonnx_add_int8"], BY_NAME["sonnx_add_int16"])
    with pytest.raises(UserError, match=r"1 of 2 functions kernel:"):
        extract(asked, LIBRARY, find_why3())
