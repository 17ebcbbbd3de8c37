"""Test vectors as ONNX backend tests: a folder a case, with a model, operands and the result.

The layout is that of the tests that ONNX comes with, for `load_model_tests(DIR, KIND)` of
`onnx.backend.test.loader` and for runtimes' own runners; the kinds are the operators, and apart
from them the hazards, which end some runtimes:

    DIR/mul/test_mul_float32_tie_0007/model.onnx
                                      data.json
                                      test_data_set_0/input_0.pb input_1.pb output_0.pb
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import onnx
from onnx import helper

from sonnx_formal.backends.onnx_model import model, tensor
from sonnx_formal.oracle.element_types import NUMERICAL
from sonnx_formal.vectors.case import ONNX_MUL, SONNX, Case, CaseClass, Operator
from sonnx_formal.vectors.manifest import Origin

ORIGIN = "origin.json"
"""The file that says what the tests were generated from."""
_HAZARDS = "hazard"
_OPERATORS = (*SONNX, *ONNX_MUL)
LAYOUT = (*(operator.value for operator in _OPERATORS), _HAZARDS)
"""The names of all else in the folder."""


class OnnxExport:
    """Writes cases to a folder, which is there and empty."""

    def __init__(self, root: Path, origin: Origin) -> None:
        """Raises `OSError`."""
        self._root = root
        self._origin = origin
        (root / ORIGIN).write_text(json.dumps(asdict(origin), indent=1) + "\n", encoding="utf-8")

    def write(self, cases: Sequence[Case]) -> None:
        """Write cases that have a result; none of what ONNX does not have. Raises `OSError`."""
        for case in cases:
            if case.element_type != "real" and case.operator in _OPERATORS and not case.violated:
                kind = _HAZARDS if case.case_class is CaseClass.HAZARD else case.operator.value
                self._write(case, self._root / kind / f"test_{case.name.replace('-', '_')}")

    def _write(self, case: Case, folder: Path) -> None:
        data = folder / "test_data_set_0"
        data.mkdir(parents=True)
        (folder / "model.onnx").write_bytes(_serialised(self._model(case)))
        names = {
            "input_0": ("A", case.a),
            "input_1": ("B", case.b),
            "output_0": ("C", case.expected),
        }
        for file, (name, array) in names.items():
            (data / f"{file}.pb").write_bytes(_serialised(tensor(name, array)))
        if _has_one_result(case):
            # Else the runner's own tolerance.
            (folder / "data.json").write_text('{"rtol": 0.0, "atol": 0.0}\n')

    def _model(self, case: Case) -> onnx.ModelProto:
        made = model(case.operator, case.a, case.b, attributes=case.attributes)
        (result,) = made.graph.output
        shape = helper.make_tensor_type_proto(
            result.type.tensor_type.elem_type, case.expected.shape
        )
        result.type.CopyFrom(shape)
        made.producer_name = "sonnx-formal"
        made.doc_string = f"{case.name}: {', '.join(case.requirements)}"
        origin = {
            "class": case.case_class.value,
            "requirements": " ".join(case.requirements),
            "seed": str(self._origin.seed),
            "formal_sources_sha256": self._origin.formal_sources_sha256,
            "oracle_sha256": self._origin.oracle_sha256,
        }
        helper.set_model_props(made, origin)
        return made


def _has_one_result(case: Case) -> bool:
    """Whether each order of summation gives the same result."""
    floats = NUMERICAL[case.element_type].kind == "float"
    return not (floats and case.operator is Operator.MATMUL and case.a.shape[1] > 1)


def _serialised(proto: onnx.ModelProto | onnx.TensorProto) -> bytes:
    content: bytes = proto.SerializeToString(deterministic=True)
    return content
