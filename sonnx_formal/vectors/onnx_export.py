"""Test vectors as ONNX backend tests: a folder a case, with a model, operands and the result.

The layout is that of the tests that ONNX comes with, for `load_model_tests(DIR, KIND)` of
`onnx.backend.test.loader` and for runtimes' own runners; the kinds are the operators, and apart
from them the hazards, which end some runtimes:

    DIR/mul/test_mul_float32_tie_0007/model.onnx
                                      data.json
                                      test_data_set_0/input_0.pb input_1.pb output_0.pb
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import onnx
from onnx import helper

from sonnx_formal.spec.catalogue import operators
from sonnx_formal.spec.element_types import Family
from sonnx_formal.spec.onnx_model import is_in_onnx, model, tensor
from sonnx_formal.spec.operator import Arithmetic
from sonnx_formal.spec.requirements.entries import CaseClass
from sonnx_formal.vectors.manifest import Case, Origin

ORIGIN = "origin.json"
"""The file that says what the tests were generated from."""
_HAZARDS = "hazard"


def layout() -> list[str]:
    """The names of all else in the folder."""
    return [*(operator.name for operator in operators() if operator.onnx), _HAZARDS]


def export(root: Path, origin: Origin, cases: Iterable[Case]) -> None:
    """Write those cases that have a result and that ONNX has, to a folder. Raises `OSError`."""
    (root / ORIGIN).write_bytes(msgspec.json.format(msgspec.json.encode(origin)) + b"\n")
    for case in cases:
        if is_in_onnx(case.instance) and not case.violated:
            operator = case.instance.operator.name
            kind = _HAZARDS if case.case_class is CaseClass.HAZARD else operator
            folder = root / kind / f"test_{case.name.replace('-', '_')}"
            data = folder / "test_data_set_0"
            data.mkdir(parents=True)
            _write(folder / "model.onnx", _model(case, origin))
            inputs = [(name, array) for name, _, array in case.call.bound() if array is not None]
            for number, (name, array) in enumerate(inputs):
                _write(data / f"input_{number}.pb", tensor(name, array))
            _write(data / "output_0.pb", tensor(case.instance.operator.output.name, case.expected))
            if _has_one_result(case):  # else the runner's own tolerance
                (folder / "data.json").write_text('{"rtol": 0.0, "atol": 0.0}\n')


def _model(case: Case, origin: Origin) -> onnx.ModelProto:
    made = model(case.call, result=case.expected.shape)
    made.producer_name = "sonnx-formal"
    made.doc_string = f"{case.name}: {', '.join(case.requirements)}"
    properties = {
        "class": case.case_class.value,
        "requirements": " ".join(case.requirements),
        "seed": str(origin.seed),
        "formal_sources_sha256": origin.formal_sources_sha256,
        "oracle_sha256": origin.oracle_sha256,
    }
    helper.set_model_props(made, properties)
    return made


def _has_one_result(case: Case) -> bool:
    instance, arrays = case.instance, case.call.arrays
    if instance.multiplies_floats:
        return bool(arrays[0].shape[1] <= 1)
    floats = instance.type_of(instance.operator.output).family is Family.FLOAT
    several = instance.operator.arithmetic is Arithmetic.SUM and len(arrays) > 2  # noqa: PLR2004
    return not (instance.sums_floats or (floats and several))


def _write(path: Path, proto: onnx.ModelProto | onnx.TensorProto) -> None:
    path.write_bytes(proto.SerializeToString(deterministic=True))
