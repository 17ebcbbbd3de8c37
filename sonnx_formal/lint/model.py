"""A model: read from a file and checked, walked through, its inputs fixed."""

import graphlib
import os
import re
import stat
from collections.abc import Iterable, Iterator
from copy import deepcopy
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import onnx

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import files_below, is_folder, read_given
from sonnx_formal.core.texts import one_line
from sonnx_formal.lint.values import StaticShape, described, shapes_differ, typed

LARGEST = 2**31 - 1
"""Bytes of a protobuf message."""
MOST_EXPANDED = 10_000
"""Nodes of functions, counted once a call."""
MOST_NESTED = 100
"""Calls within each other."""
_DEEPEST = 33
"""Graphs, the outermost among them: messages are read that are up to 100 deep in each other."""
NEWEST_OPSET = onnx.defs.onnx_opset_version()
DEFAULT_DOMAIN = {"", "ai.onnx"}
FIRST_WITH_DEFAULTS = 4
"""The IR version from which on an initializer that is an input as well is only its default."""

FixedInput = tuple[str, StaticShape]
"""An input, and the shape that it is to have."""
_SHOWN = 8
"""Nodes of a cycle that are named."""
_NOTATION = re.compile(r"(?P<name>.+)=(?P<dims>(\d+(x\d+)*)?)", re.DOTALL)
_Message = TypeVar("_Message")


class LintError(UserError):
    """An error whose message may have names of the file in it."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class ModelError(LintError):
    """The file is no ONNX model that can be examined."""

    exit_status = 3


def label(node: onnx.NodeProto) -> str:
    """What a node is called: its name or, if it has none, what it computes."""
    return node.name or f"{node.op_type}:{next(filter(None, node.output), '')}"


def subgraphs(node: onnx.NodeProto) -> Iterator[tuple[int, str, onnx.GraphProto]]:
    """The graphs in the attributes of a node: index and name of the attribute, graph."""
    for index, attribute in enumerate(node.attribute):
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield index, attribute.name, attribute.g


def messages(message: Any) -> Iterator[Any]:
    """A message, and all messages in it, wherever they are."""
    yield message
    if isinstance(message, onnx.TensorProto):
        yield from message.external_data
        return  # all else is data, and may be large
    for field, content in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for inner in content if field.is_repeated else [content]:
                yield from messages(inner)


def parts(message: Any, kind: type[_Message]) -> Iterator[_Message]:
    return (each for each in messages(message) if isinstance(each, kind))


def texts(message: Any) -> Iterator[str | bytes]:
    """All names and other texts in a message: those that are no UTF-8 are bytes."""
    for each in messages(message):
        for field, content in each.ListFields():
            if field.type == field.TYPE_STRING:
                yield from content if field.is_repeated else [content]


def model_files(given: Iterable[Path]) -> list[Path]:
    """These files, and the `.onnx` files in these folders and below, once each.

    :raises ModelError: for a folder that has none.
    """
    found: list[Path] = []
    for path in given:
        inside = files_below(path, ".onnx") if is_folder(path) else [path]
        if not inside:
            raise ModelError(f"{path} is a folder without .onnx files")
        found += inside
    return [*dict.fromkeys(found)]


def read(path: Path) -> onnx.ModelProto:
    """The model in a file, without external data, as far as it is valid. Raises `ModelError`."""
    try:
        status = path.stat()
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}") from None
    if stat.S_ISDIR(status.st_mode):
        raise ModelError(f"{path} is a folder: give the model.onnx in it")
    if status.st_size > LARGEST:
        what = f"{path} has {status.st_size} bytes; no ONNX file has more than {LARGEST}"
        raise ModelError(f"{what}: save the model with its tensors as external data")
    try:
        content = read_given(path, LARGEST)
    except UserError as error:
        raise ModelError(str(error)) from None
    if not content:
        raise ModelError(f"{path} is empty")
    try:
        model = onnx.load_model_from_string(content)
    except Exception:  # protobuf's own, of a package that is onnx's to know
        what = f"{path} is no ONNX model, or was cut off"
        deep = f"or has graphs more than {_DEEPEST} deep in each other, which ONNX does not read"
        raise ModelError(f"{what}, {deep}") from None
    if not all(isinstance(text, str) for text in texts(model)):
        raise ModelError(f"{path} is no ONNX model: there are names in it that are no UTF-8")
    if not model.HasField("graph") or not model.ir_version:
        raise ModelError(f"{path} is no ONNX model, or was cut off: it has no graph")
    check(path, model)
    return model


def check(path: Path, model: onnx.ModelProto) -> None:
    """That a model is valid, and that its external data is there. Raises `ModelError`."""
    for each in parts(model, onnx.OperatorSetIdProto):
        if each.domain in DEFAULT_DOMAIN and not 1 <= each.version <= NEWEST_OPSET:
            newest = f"the newest that onnx {onnx.__version__} knows is {NEWEST_OPSET}"
            raise ModelError(f"{path} uses opset {each.version}, which is unknown: {newest}")
    if not model.graph.node:
        raise ModelError(f"{path} has an empty graph: there is no node to examine")
    _check_calls(path, model)
    for body in (*parts(model, onnx.GraphProto), *model.functions):
        _check_acyclic(path, body.node)
    for tensor in parts(model, onnx.TensorProto):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            _check_external(path, tensor)
    try:
        onnx.checker.check_model(_checkable(model))
    except (onnx.checker.ValidationError, ValueError) as error:
        raise ModelError(f"{path} is no valid ONNX model: {error}") from None


def key(called: onnx.NodeProto | onnx.FunctionProto) -> tuple[str, str, str]:
    """What a call and the function that it calls have in common: domain, name, overload."""
    name = called.op_type if isinstance(called, onnx.NodeProto) else called.name
    return "" if called.domain == "ai.onnx" else called.domain, name, called.overload


def _check_calls(path: Path, model: onnx.ModelProto) -> None:
    """That the nodes of functions, which are examined once a call, are not too many.

    Functions that call the next one twice are twice as many nodes each.
    """
    called = {key(function): [*map(key, parts(function, onnx.NodeProto))]
              for function in model.functions}  # fmt: skip
    nodes: dict[tuple[str, str, str], int] = {}
    depth: dict[tuple[str, str, str], int] = {}
    try:
        order = [*graphlib.TopologicalSorter(called).static_order()]
    except graphlib.CycleError:
        return  # which the checker says
    for each in order:
        inside = called.get(each, [])
        nodes[each] = sum(1 + nodes[call] for call in inside)
        depth[each] = 1 + max((depth[call] for call in inside), default=0)
    calls = [*map(key, parts(model.graph, onnx.NodeProto))]
    if sum(nodes.get(call, 0) for call in calls) > MOST_EXPANDED:
        raise ModelError(
            f"{path} has functions of more than {MOST_EXPANDED} nodes, counted once a call:"
            " they are too many to examine"
        )
    if max((depth.get(call, 0) for call in calls), default=0) > MOST_NESTED:
        raise ModelError(
            f"{path} has functions that call each other more than {MOST_NESTED} deep: that is too"
            " deep to examine"
        )


def _check_acyclic(path: Path, nodes: Iterable[onnx.NodeProto]) -> None:
    every = [*nodes]
    producer = {name: n for n, node in enumerate(every) for name in node.output if name}
    needs = {n: {producer[name] for name in _free_names(node) & producer.keys()}
             for n, node in enumerate(every)}  # fmt: skip
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError as error:
        cycle = error.args[1]
        names = [label(every[n]) for n in cycle]
        if len(names) > _SHOWN:
            names[_SHOWN - 1 : -1] = [f"{len(names) - _SHOWN} more"]
        raise ModelError(f"{path} has a cyclic graph: {' -> '.join(names)}") from None


def _free_names(node: onnx.NodeProto) -> set[str]:
    """The values that a node takes from around it: its inputs, and what its graphs refer to."""
    names = {name for name in node.input if name}
    for _, _, graph in subgraphs(node):
        inner = {value.name for value in (*graph.input, *graph.initializer)}
        inner |= {sparse.values.name for sparse in graph.sparse_initializer}
        inner |= {name for each in graph.node for name in each.output}
        outer = {name for each in graph.node for name in _free_names(each)}
        names |= (outer | {value.name for value in graph.output}) - inner
    return names


def _check_external(path: Path, tensor: onnx.TensorProto) -> None:
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
    copy = deepcopy(model)
    copy.ir_version = max(copy.ir_version, FIRST_WITH_DEFAULTS)
    for value in (*copy.graph.input, *copy.graph.output):
        if value.type.HasField("tensor_type"):
            value.type.tensor_type.shape.SetInParent()
    for tensor in parts(copy, onnx.TensorProto):
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            del tensor.external_data[:]
            tensor.data_location = onnx.TensorProto.DEFAULT
            tensor.dims[:] = [0]
    return copy


def parse(text: str) -> FixedInput:
    """Of x=1x3: input x, shape (1, 3). Of x=: rank 0. Raises `UserError`."""
    match = _NOTATION.fullmatch(text)
    if match is None:
        raise UserError(f"--input: {text!r} is not of the form name=1x3x224x224")
    shape = tuple(int(digits) for digits in match["dims"].split("x") if digits)
    if any(size >= 2**31 for size in shape):
        raise UserError(f"--input: {text!r} has a dimension that no tensor has")
    return match["name"], shape


def with_inputs(model: onnx.ModelProto, fixed: Iterable[FixedInput]) -> onnx.ModelProto:
    """A copy in which these inputs have these shapes, and symbols that this fixes their numbers.

    :raises UserError: for what the model does not allow.
    """
    copy = deepcopy(model)
    inputs = {value.name: value for value in copy.graph.input}
    numbers: dict[str, int] = {}
    seen: set[str] = set()
    for name, shape in fixed:
        if name not in inputs:
            near = get_close_matches(name, inputs, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(inputs) or 'none'}"
            raise UserError(f"--input {name}: the model has no such input; {one_line(hint)}")
        if name in seen:
            raise UserError(f"--input {name} is given twice")
        seen.add(name)
        _fix(inputs[name], shape, numbers)
    for dimension in parts(copy.graph, onnx.TensorShapeProto.Dimension):
        if dimension.dim_param in numbers:
            dimension.dim_value = numbers[dimension.dim_param]
    return copy


def _fix(value: onnx.ValueInfoProto, shape: StaticShape, numbers: dict[str, int]) -> None:
    if not value.type.HasField("tensor_type"):
        raise UserError(f"--input {value.name}: it is no dense tensor")
    declared = typed(value).shape
    if shapes_differ(declared, shape):
        what = f"the model has it as {described(declared)}"
        raise UserError(f"--input {value.name}: {what}, which {described(shape)} contradicts")
    for symbol, number in zip(declared or (), shape, strict=False):
        if isinstance(symbol, str) and numbers.setdefault(symbol, number) != number:
            what = f"dimension {symbol} would be {number}, and is {numbers[symbol]} already"
            raise UserError(f"--input {value.name}: {what}")
    fixed = onnx.helper.make_tensor_type_proto(onnx.TensorProto.UNDEFINED, shape)
    value.type.tensor_type.shape.CopyFrom(fixed.tensor_type.shape)
