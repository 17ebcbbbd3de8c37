"""Reads a model from a file, and says in one line what is wrong with the file."""

import graphlib
import os
from collections.abc import Iterable
from pathlib import Path

import onnx

from sonnx_formal.lint.errors import ModelError
from sonnx_formal.lint.protobuf import all_graphs, all_tensors, free_names, is_text, label

LARGEST = 2**31 - 1
"""Bytes of a protobuf message."""
NEWEST_OPSET = onnx.defs.onnx_opset_version()
DEFAULT_DOMAIN = {"", "ai.onnx"}
FIRST_WITH_DEFAULTS = 4
"""The IR version from which on an initializer that is an input as well is only its default."""


def read(path: Path) -> onnx.ModelProto:
    """The model in a file, valid as far as ONNX's own checker sees.

    External data is not read; what it refers to is there. Raises `ModelError`.
    """
    model = _parsed(path)
    check(path, model)
    return model


def check(path: Path, model: onnx.ModelProto) -> None:
    """That a model is valid, and that its external data is there. Raises `ModelError`."""
    _check_opset(path, model)
    if not model.graph.node:
        raise ModelError(f"{path} has an empty graph: there is no node to examine")
    for graph in all_graphs(model):
        _check_acyclic(path, graph.node)
    for function in model.functions:
        _check_acyclic(path, function.node)
    for tensor in all_tensors(model):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            _check_external(path, tensor)
    try:
        onnx.checker.check_model(_checkable(model))
    except (onnx.checker.ValidationError, ValueError) as error:
        raise ModelError(f"{path} is no valid ONNX model: {error}") from None


def _parsed(path: Path) -> onnx.ModelProto:
    if path.is_dir():
        raise ModelError(f"{path} is a folder: give the model.onnx in it")
    if path.exists() and not path.is_file():
        raise ModelError(f"{path} is no regular file")
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise ModelError(
                f"{path} has {size} bytes; no ONNX file has more than {LARGEST}: save the model"
                " with its tensors as external data"
            )
        content = path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}") from None
    if not content:
        raise ModelError(f"{path} is empty")
    try:
        model = onnx.load_model_from_string(content)
    except Exception:  # protobuf's own, of a package that is onnx's to know
        raise ModelError(f"{path} is no ONNX model, or was cut off") from None
    if not is_text(model):
        raise ModelError(f"{path} is no ONNX model: there are names in it that are no UTF-8")
    if not model.HasField("graph") or not model.ir_version:
        raise ModelError(f"{path} is no ONNX model, or was cut off: it has no graph")
    return model


def _check_opset(path: Path, model: onnx.ModelProto) -> None:
    imports = [*model.opset_import, *(x for each in model.functions for x in each.opset_import)]
    for each in imports:
        if each.domain in DEFAULT_DOMAIN and not 1 <= each.version <= NEWEST_OPSET:
            raise ModelError(
                f"{path} uses opset {each.version}, which is unknown: the newest that onnx"
                f" {onnx.__version__} knows is {NEWEST_OPSET}"
            )


def _check_acyclic(path: Path, nodes: Iterable[onnx.NodeProto]) -> None:
    every = [*nodes]
    producer = {name: n for n, node in enumerate(every) for name in node.output if name}
    needs = {n: {producer[name] for name in free_names(node) & producer.keys()}
             for n, node in enumerate(every)}  # fmt: skip
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError as error:
        names = " -> ".join(label(every[n]) for n in error.args[1])
        raise ModelError(f"{path} has a cyclic graph: {names}") from None


def _check_external(path: Path, tensor: onnx.TensorProto) -> None:
    """That the bytes are there, in the folder of the model."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    start = f"{path}: tensor {tensor.name} has its data in {location!r}"
    folder = path.parent.resolve()
    file = Path(os.path.normpath(folder / location))
    if not location or Path(location).is_absolute() or not file.is_relative_to(folder):
        raise ModelError(f"{start}, which is outside the folder of the model")
    if not file.is_file():
        raise ModelError(f"{start}, which is not there")
    if not file.resolve().is_relative_to(folder):
        raise ModelError(f"{start}, a link to outside the folder of the model")
    try:
        offset, length = int(entries.get("offset", 0)), int(entries.get("length", 0))
    except ValueError:
        raise ModelError(f"{start}, with an offset or a length that is no number") from None
    if offset < 0 or length < 0 or offset + length > file.stat().st_size:
        raise ModelError(f"{start}, which is too short for it: it was cut off, or is another file")


def _checkable(model: onnx.ModelProto) -> onnx.ModelProto:
    """A copy that the checker takes for itself, without the data of any tensor.

    It asks for shapes of inputs and outputs, which many exporters leave out; for external data in
    the working directory, although the model is elsewhere; and, of old files, for initializers
    among the inputs, which runtimes do not need.
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    copy.ir_version = max(copy.ir_version, FIRST_WITH_DEFAULTS)
    for value in (*copy.graph.input, *copy.graph.output):
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.shape.SetInParent()
    for tensor in all_tensors(copy):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            del tensor.external_data[:]
            tensor.data_location = onnx.TensorProto.DEFAULT
            del tensor.dims[:]
            tensor.dims.append(0)
    return copy
