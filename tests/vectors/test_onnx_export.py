"""The export is what ONNX's own tools take for backend tests."""

import hashlib
import itertools
import json
import random
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx.backend.base import Backend, BackendRep
from onnx.backend.test.loader import load_model_tests
from onnx.backend.test.runner import Runner
from onnx.reference import ReferenceEvaluator

from sonnx_formal.core.errors import UserError
from sonnx_formal.oracle import Oracle
from sonnx_formal.spec.attributes import Attributes
from sonnx_formal.spec.catalogue import operators, selected
from sonnx_formal.spec.element_types import MACHINE, Array, Family
from sonnx_formal.spec.operator import Arithmetic
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.folder import Verification, make, origin, verify
from sonnx_formal.vectors.manifest import Case, Origin, read_manifest
from sonnx_formal.vectors.onnx_export import TESTS, export, layout, read_tests
from tests.vectors.parts import a_of, arithmetic_of, operator_of, type_of

KINDS = {"hazard", *(each.name for each in operators() if each.name != "ov-multiply-1")}


@pytest.fixture(scope="session")
def chosen(every_case: list[Case]) -> list[Case]:
    """Of each operator, type and class the first cases."""
    key = lambda case: (case.instance.name, case.case_class)  # noqa: E731
    grouped = itertools.groupby(sorted(every_case, key=key), key)
    return [case for _, group in grouped for case in itertools.islice(group, 2)]


@pytest.fixture(scope="session")
def exported(chosen: list[Case], tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("onnx")
    export(root, Origin(0, "1" * 64, "2" * 64, {"why3": "1"}), chosen)
    return root


def folder_of(root: Path, case: Case) -> Path:
    kind = "hazard" if case.case_class is CaseClass.HAZARD else operator_of(case)
    return root / kind / f"test_{case.name.replace('-', '_')}"


def is_exported(case: Case) -> bool:
    """ONNX has neither real numbers, nor the operator of OpenVINO, nor Neg of unsigned integers.

    It has Where and LeakyRelu of bfloat16 since operator set 16 only, Conv since 22; QuantizeLinear
    21 gives int32 a scale of int32. A rejection is no test.
    """
    of_onnx = type_of(case).name != "real" and operator_of(case) != "ov-multiply-1"
    operator, type_ = operator_of(case), type_of(case).name
    lacking = (operator == "neg" and type_.startswith("uint")) or (
        operator in {"where", "leaky_relu", "conv"} and type_ == "bfloat16"
    )
    lacking |= operator == "quantize_linear" and type_ == "int32"
    return of_onnx and not lacking and case.case_class is not CaseClass.REJECTED


def tensor(path: Path) -> Array:
    array = numpy_helper.to_array(onnx.load_tensor(path))
    return array.astype(np.str_) if array.dtype == object else array


def same(a: Array, b: Array) -> bool:
    bits = (a == b).all() if a.dtype.kind == b.dtype.kind == "U" else a.tobytes() == b.tobytes()
    return a.dtype.kind == b.dtype.kind and a.shape == b.shape and bool(bits)


def test_every_case_that_onnx_can_have(exported: Path, chosen: list[Case]) -> None:
    assert {path.name for path in exported.iterdir()} == {*layout(), TESTS} == {*KINDS, TESTS}
    folders = {path for kind in KINDS for path in (exported / kind).iterdir()}
    assert folders == {folder_of(exported, c) for c in chosen if is_exported(c)}
    assert len({path.name for path in folders}) == len(folders)


def test_tensors_bit_by_bit(exported: Path, chosen: list[Case]) -> None:
    for case in chosen:
        if is_exported(case):
            data = folder_of(exported, case) / "test_data_set_0"
            inputs = {f"input_{n}.pb": array for n, array in enumerate(case.call.arrays)}
            files = {**inputs, "output_0.pb": case.expected}
            assert {path.name for path in data.iterdir()} == set(files)
            for name, array in files.items():
                assert same(tensor(data / name), array), (case.name, name)


def test_bfloat16_is_bfloat16(exported: Path) -> None:
    folder = exported / "mul" / "test_mul_bfloat16_example_0001"
    proto = onnx.load_tensor(folder / "test_data_set_0" / "input_0.pb")
    assert proto.data_type == onnx.TensorProto.BFLOAT16
    assert proto.raw_data == b"\x00\x40\x40\x40\xe0\x40"  # 2, 3, 7


def _value(attribute: onnx.AttributeProto) -> Any:
    value = helper.get_attribute_value(attribute)
    return value.decode() if isinstance(value, bytes) else value


def test_models_are_old_enough_and_sound(exported: Path, chosen: list[Case]) -> None:
    for case in chosen:
        if not is_exported(case):
            continue
        model = onnx.load(folder_of(exported, case) / "model.onnx")
        onnx.checker.check_model(model, full_check=True)
        declared = case.instance.operator.onnx
        assert declared is not None
        opset = max(14, declared.since) if declared.until is None else declared.since
        assert [(each.domain, each.version) for each in model.opset_import] == [("", opset)]
        assert model.ir_version <= 13
        (node,) = model.graph.node
        assert node.op_type == declared.op_type
        attributes = {each.name: _value(each) for each in node.attribute}
        assert Attributes.of(attributes) == case.call.attributes
        about = {entry.key: entry.value for entry in model.metadata_props}
        assert about["class"] == case.case_class
        assert about["requirements"].split() == list(case.requirements)
        assert about["formal_sources_sha256"] == "1" * 64


class Prepared(BackendRep):
    """A model, ready for ONNX's reference implementation."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self._evaluator = ReferenceEvaluator(model)

    def run(self, inputs: Any, **_: Any) -> tuple[Array, ...]:
        names = self._evaluator.input_names
        with np.errstate(all="ignore"):
            results = self._evaluator.run(None, dict(zip(names, inputs, strict=True)))
        return tuple(np.asarray(result) for result in results)


class Reference(Backend):
    """ONNX's reference implementation as its runner takes it."""

    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **_: Any) -> Prepared:
        assert device == "CPU"
        return Prepared(model)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device == "CPU"


@pytest.fixture(scope="session")
def run(exported: Path) -> Any:
    """Runs tests of a kind by ONNX's own loader and runner; says which fail."""
    with pytest.MonkeyPatch.context() as patch:
        # Not the thousands of tests that it comes with.
        patch.setattr("onnx.backend.test.runner.load_model_tests", lambda kind: [])
        runner = Runner(Reference, __name__)

    def results(kind: str, prefix: str) -> unittest.TestResult:
        runner._test_items.clear()
        for test in load_model_tests(str(exported), kind):
            if test.name.startswith(prefix):
                runner._add_model_test(test, "Sonnx")
        result = unittest.TestResult()
        runner.test_suite.run(result)
        assert result.testsRun > 0
        return result

    return results


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("element_type", [type_.name for type_ in MACHINE])
def test_the_runner_of_onnx_runs_them(run: Any, element_type: str) -> None:
    """The reference implementation passes Mul: the runner does not look at signs of zeros."""
    result = run("mul", f"test_mul_{element_type}_")
    assert result.failures == result.errors == []
    assert 2 * len(result.skipped) == result.testsRun  # on CUDA


@pytest.mark.filterwarnings("ignore")
def test_the_runner_of_onnx_finds_a_wrong_result(run: Any, exported: Path) -> None:
    path = exported / "mul" / "test_mul_float32_nominal_0001" / "test_data_set_0" / "output_0.pb"
    sound = path.read_bytes()
    proto = onnx.load_tensor(path)
    bits = numpy_helper.to_array(proto).view(np.uint32) + 1
    path.write_bytes(numpy_helper.from_array(bits.view(np.float32), "C").SerializeToString())
    try:
        result = run("mul", "test_mul_float32_nominal_0001")
    finally:
        path.write_bytes(sound)
    assert [test.id().rpartition(".")[2] for test, _ in result.failures] == [
        "test_mul_float32_nominal_0001_cpu"
    ]


@pytest.mark.filterwarnings("ignore")
def test_matmul_and_div_run_too(run: Any) -> None:
    assert run("matmul", "test_matmul_int64_example").failures == []
    assert run("div", "test_div_float64_example").failures == []
    assert run("hazard", "test_div_int16").testsRun > 1


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("version", [14, 13, 7])
def test_the_versions_of_onnx_mul_run_too(run: Any, version: int) -> None:
    """The reference implementation knows nothing of the attributes that were there before 7."""
    result = run(f"onnx-mul-{version}", f"test_onnx_mul_{version}_")
    assert result.failures == result.errors == []


def test_tolerance_is_nought_where_the_order_of_summation_does_not_count(
    exported: Path, chosen: list[Case]
) -> None:
    for case in chosen:
        if is_exported(case):
            exact = (folder_of(exported, case) / "data.json").exists()
            floats = type_of(case).family is Family.FLOAT
            products = arithmetic_of(case) is Arithmetic.SUM_OF_PRODUCTS
            single = operator_of(case) == "matmul" and a_of(case).shape[1] <= 1
            assert exact == (not products or not floats or single)


def test_exported_with_the_vectors(tmp_path: Path) -> None:
    asked = selected(["div"], ["int8", "real"])
    for _ in range(2):  # the second time, both folders are replaced
        make(asked, 0, tmp_path / "v", lambda *_: None, tmp_path / "onnx")
        manifest = read_manifest(tmp_path / "v")
        names = {
            case.name.replace("-", "_")
            for file in manifest.files
            for case in file.cases
            if file.types == ("int8",)
        }
        tests = (path.name for path in (tmp_path / "onnx").glob("*/*"))
        assert {name.removeprefix("test_") for name in tests} == names
        assert {path.name for path in tmp_path.iterdir()} == {"v", "onnx"}


def test_the_same_vectors_make_the_same_bytes(
    exported: Path, chosen: list[Case], tmp_path: Path
) -> None:
    export(tmp_path, Origin(0, "1" * 64, "2" * 64, {"why3": "1"}), chosen[:40])
    few, every = (read_tests(root) for root in (tmp_path, exported))
    assert few.tests == every.tests[: len(few.tests)]
    paths = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != TESTS]
    assert len(paths) > 40
    for path in paths:
        assert path.read_bytes() == (exported / path.relative_to(tmp_path)).read_bytes()


@pytest.fixture
def tests_of_onnx(oracle: Oracle, chosen: list[Case], tmp_path: Path) -> Path:
    """A few tests, to be damaged."""
    names = {"div-int8", "clip-float32", "onnx-mul-6-int32", "leakyrelu-float16", "concat-int8"}
    few = [case for case in chosen if case.instance.name in names]
    assert {"hazard", "div", "onnx-mul-6"} <= {
        folder_of(tmp_path, case).parent.name for case in few
    }
    export(tmp_path / "onnx", origin(0, oracle), few)
    return tmp_path / "onnx"


def found_in(root: Path) -> tuple[Verification, list[str]]:
    found = verify(root, lambda *_: None)
    return found, [str(difference) for difference in found.differences]


def test_the_export_is_verified_like_the_vectors(tests_of_onnx: Path) -> None:
    found, differences = found_in(tests_of_onnx)
    assert differences == []
    assert found.verified == found.cases == len(list(tests_of_onnx.glob("*/test_*"))) > 20


def test_every_file_of_the_export_has_a_hash(tests_of_onnx: Path) -> None:
    chance = random.Random(3)
    files = [path for path in tests_of_onnx.rglob("*") if path.is_file() and path.name != TESTS]
    for path in {path.name: path for path in files}.values():  # one of each kind
        sound = path.read_bytes()
        data = bytearray(sound)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        found, (difference,) = found_in(tests_of_onnx)
        where = path.relative_to(tests_of_onnx)
        case = where.parts[1].removeprefix("test_").replace("_", "-")
        assert difference == f"{where}: {case}: its contents have changed"
        assert found.verified == found.cases - 1
        path.write_bytes(sound)


def test_files_of_the_export_that_are_missing_or_too_many(tests_of_onnx: Path) -> None:
    gone = next(tests_of_onnx.glob("div/*/model.onnx"))
    gone.unlink()
    (tests_of_onnx / "div" / "notes").write_text("")
    _, (extra, missing) = found_in(tests_of_onnx)
    assert extra == "div/notes: the manifest does not have it"
    assert missing.startswith(f"{gone.relative_to(tests_of_onnx)}: div-int8-")
    assert missing.endswith(": No such file or directory")


def test_a_wrong_result_that_the_hashes_vouch_for(tests_of_onnx: Path) -> None:
    tests = json.loads((tests_of_onnx / TESTS).read_text())
    entry = next(each for each in tests["tests"] if each["name"] == "div-int8-example-0001")
    file = "test_data_set_0/output_0.pb"
    path = tests_of_onnx / entry["folder"] / file
    wrong = tensor(path) ^ np.int8(1)
    path.write_bytes(numpy_helper.from_array(wrong, "C").SerializeToString())
    entry["sha256"][file] = hashlib.sha256(path.read_bytes()).hexdigest()
    (tests_of_onnx / TESTS).write_text(json.dumps(tests))
    _, (difference,) = found_in(tests_of_onnx)
    assert difference.startswith(f"{entry['folder']}: {entry['name']}: the result is ")


def test_no_test_leads_out_of_the_folder(tests_of_onnx: Path) -> None:
    tests = json.loads((tests_of_onnx / TESTS).read_text())
    tests["tests"][0]["folder"] = "../elsewhere"
    (tests_of_onnx / TESTS).write_text(json.dumps(tests))
    with pytest.raises(UserError, match="Expected `str` matching regex"):
        found_in(tests_of_onnx)
