"""`import sonnx_formal as sf`: what a user of the package finds, and what it costs."""

import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper

import sonnx_formal as sf
from sonnx_formal.reference.mul import mul
from sonnx_formal.spec.admission import SpecViolation
from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.element_types import REAL
from sonnx_formal.spec.operator import Operator, ShapeRule

NAMED = [each for each in operators() if each.goes_by_onnx_name]
MOST_SECONDS = 0.05


def fresh(program: str) -> str:
    """What a new interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return done.stdout.strip()


@pytest.mark.parametrize("operator", NAMED, ids=str)
def test_each_operator_is_a_function(operator: Operator) -> None:
    name = operator.reference.function
    assert name == operator.name
    assert name in dir(sf)
    assert getattr(sf, name).__name__ == name
    numbers = np.array([[2, 4], [8, 6]], np.float32)
    operands: list[Any] = [numbers > 3 if x.type == "bool" else numbers for x in operator.inputs]
    if operator.shape_rule is ShapeRule.SCALAR_BOUNDS:
        operands[1:] = [np.asarray(numbers[0, 0]) for _ in operands[1:]]
    arrangement = next(iter(operator.arrangements), None)
    attributes: Any = arrangement.attributes.as_dict() if arrangement else {}
    if arrangement and operator.shape_rule is ShapeRule.OWN:
        instances = [*operator.instances()]
        floats = (each for each in instances if each.types[0].name == "float32")
        instance = next(floats, instances[0])
        ports = operator.ports(len(arrangement.operands))
        operands = [
            np.ones(x, instance.type_of(port).dtype)
            if isinstance(x, tuple)
            else np.array(x, np.int64)
            for (_, port), x in zip(ports, arrangement.operands, strict=False)
            if x is not None
        ]
    if operator.parameters[0].types == (REAL,):
        operands = [np.full(x.shape, Fraction(1), object) for x in operands]
    result = getattr(sf, name)(*operands, **attributes)
    assert result.shape == sf.evaluate(name, *operands, **attributes).shape


def test_operands_go_by_position() -> None:
    a, b = np.array([3, 5], np.int8), np.array([2, 100], np.int8)
    assert sf.mul is mul
    assert sf.mul(a, b).tolist() == [6, -12]
    with pytest.raises(sf.SpecViolation, match=r"SONNX-MUL\.R1"):
        sf.mul(a, b[:1].repeat(3))
    assert sf.SpecViolation is SpecViolation


def test_the_definition_computes() -> None:
    a, b = np.array([3, 5], np.int8), np.array([2, 100], np.int8)
    assert sf.evaluate("mul", a, b).tolist() == [6, -12]


def test_attributes_go_by_name() -> None:
    a, b = np.array([[1, 2], [3, 4]], np.int32), np.array([10, 100], np.int32)
    result = sf.evaluate("onnx-mul-6", a, b, axis=0, broadcast=1)
    assert result.tolist() == [[10, 20], [300, 400]]


def test_a_model_is_judged() -> None:
    """Asked of a new interpreter, too, where nothing has imported the package before."""
    model = helper.make_model(
        helper.make_graph(
            [helper.make_node("Add", ["a", "b"], ["c"])],
            "sum",
            [helper.make_tensor_value_info(name, onnx.TensorProto.INT8, [2]) for name in "ab"],
            [helper.make_tensor_value_info("c", onnx.TensorProto.INT8, [2])],
        )
    )
    assert sf.lint(model).conforms
    assert fresh("import sonnx_formal as sf; print(callable(sf.lint), sf.lint.__name__)") == (
        "True sonnx_formal.lint"
    )


def test_the_bound_of_a_sum() -> None:
    a = np.array([[1, 2**-24]], np.float32)
    assert sf.matmul_bound(a, np.ones((2, 1), np.float32)).bound[0, 0] > 0
    row, unit = np.ones((2, 1), np.float32), np.ones((1, 1), np.float32)
    more = sf.gemm_bound(a, row, unit).bound[0, 0]
    assert more > sf.matmul_bound(a, row).bound[0, 0]
    x, w = a.reshape((1, 1, 1, 2)), row.reshape((1, 1, 1, 2))
    found = sf.conv_bound(
        x,
        w,
        unit[0],
        strides=[1, 1],
        pads=[0, 0, 0, 0],
        dilations=[1, 1],
        group=1,
        kernel_shape=[1, 2],
    )
    assert found.bound[0, 0, 0, 0] == more
    mean = sf.average_pool_bound(
        x,
        dilations=[1, 1],
        kernel_shape=[1, 2],
        pads=[0, 0, 0, 0],
        strides=[1, 1],
        auto_pad="NOTSET",
        ceil_mode=0,
        count_include_pad=0,
    )
    assert mean.bound[0, 0, 0, 0] > 0


def test_packages_are_found_whatever_was_asked_before() -> None:
    """The modules of operators have their names; so has the package of `lint`."""
    order = "import sonnx_formal as sf; sf.mul; from sonnx_formal import reference, vectors; "
    assert fresh(f"{order}print(reference.mul is sf.mul, vectors.__name__)") == (
        "True sonnx_formal.vectors"
    )
    first = "import sonnx_formal.reference.mul; import sonnx_formal as sf; "
    assert fresh(f"{first}print(sf.mul.__name__, callable(sf.mul))") == "mul True"


def test_names_that_are_not_there() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'mull'"):
        getattr(sf, "mull")  # noqa: B009 (mypy knows the names)
    for operator in operators():
        if not operator.goes_by_onnx_name:
            assert operator.reference.function not in dir(sf)
            with pytest.raises(AttributeError):
                getattr(sf, operator.reference.function)


def test_the_import_is_light() -> None:
    """Neither NumPy nor ONNX is imported before it is used. What counts is the processor's time,
    since the machine may be busy."""
    program = (
        "import sys, time; start = time.process_time(); import sonnx_formal; "
        "took = time.process_time() - start; "
        "print(took, [m for m in ('numpy', 'onnx', 'msgspec') if m in sys.modules])"
    )
    seconds, loaded = zip(*(fresh(program).split(" ", 1) for _ in range(3)), strict=True)
    assert set(loaded) == {"[]"}
    assert min(map(float, seconds)) < MOST_SECONDS


def test_names_for_editors_are_names() -> None:
    """What type checkers see is what there is."""
    text = Path(sf.__file__).read_text()
    block = text.partition("if TYPE_CHECKING:")[2].partition("_ELSEWHERE")[0]
    names = re.findall(r" as (\w+)$", block, re.MULTILINE)
    assert names
    assert set(names) <= set(dir(sf))
