"""Formal definitions of the SONNX operators, and the programs that stand on them.

    import sonnx_formal as sf

    sf.mul(a, b)                      # an operator of SONNX on NumPy arrays, by our implementation
    sf.evaluate("mul", a, b)          # the same by the formal definition
    sf.matmul_bound(a, b)             # how far a MatMul in any order may be from the exact one
    sf.gemm_bound(a, b, c)            # and a Gemm; conv_bound, average_pool_bound, reduce_sum_bound
    sf.lint(model)                    # which nodes of an ONNX model are inside the profile
    sf.SpecViolation                  # for operands that the documents do not allow

Each operator of SONNX, and each of ONNX that SONNX lacks, is a function with the name that ONNX has
for it, in snake case; operands go by position, attributes by name. What is heavy is imported when
it is used.
"""

from importlib import import_module

TYPE_CHECKING = False  # without importing `typing`, which would be most of the time
if TYPE_CHECKING:
    from typing import Any

    from sonnx_formal.accuracy.bound import average_pool_bound as average_pool_bound
    from sonnx_formal.accuracy.bound import conv_bound as conv_bound
    from sonnx_formal.accuracy.bound import gemm_bound as gemm_bound
    from sonnx_formal.accuracy.bound import matmul_bound as matmul_bound
    from sonnx_formal.accuracy.bound import reduce_sum_bound as reduce_sum_bound
    from sonnx_formal.lint import lint as lint
    from sonnx_formal.oracle import evaluate as evaluate
    from sonnx_formal.reference.add import add as add
    from sonnx_formal.reference.div import div as div
    from sonnx_formal.reference.matmul import matmul as matmul
    from sonnx_formal.reference.mul import mul as mul
    from sonnx_formal.reference.sub import sub as sub
    from sonnx_formal.spec.admission import SpecViolation as SpecViolation

_ELSEWHERE = {
    "SpecViolation": "spec.admission",
    "average_pool_bound": "accuracy.bound",
    "conv_bound": "accuracy.bound",
    "evaluate": "oracle",
    "gemm_bound": "accuracy.bound",
    "matmul_bound": "accuracy.bound",
    "reduce_sum_bound": "accuracy.bound",
}
_PACKAGES = ("lint",)
"""A package that can be called."""


def __getattr__(name: str) -> "Any":
    if name in _ELSEWHERE:
        return getattr(import_module(f"{__name__}.{_ELSEWHERE[name]}"), name)
    if name in _PACKAGES:
        return import_module(f"{__name__}.{name}")
    if not name.startswith("_") and not _is_package(name) and name in _operators():
        return getattr(import_module(f"{__name__}.reference"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_ELSEWHERE, *_PACKAGES, *_operators()})


def _is_package(name: str) -> bool:
    """The import system asks for names of packages, too, and then finds them by itself."""
    from importlib.util import find_spec  # noqa: PLC0415 (it takes as long as all the rest)

    return find_spec(f"{__name__}.{name}") is not None


def _operators() -> set[str]:
    """The functions of the operators that go by the name that ONNX has for them."""
    catalogue = import_module(f"{__name__}.spec.catalogue")
    return {each.name for each in catalogue.operators() if each.goes_by_onnx_name}
