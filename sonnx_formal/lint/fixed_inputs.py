"""Shapes that the user gives to inputs: name=1x3x224x224."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

import onnx

from sonnx_formal.core.errors import UserError
from sonnx_formal.lint.errors import one_line
from sonnx_formal.lint.protobuf import all_graphs
from sonnx_formal.lint.shapes import StaticShape, described, shape_of

_NOTATION = re.compile(r"(?P<name>.+)=(?P<dims>(\d+(x\d+)*)?)", re.DOTALL)


@dataclass(frozen=True)
class FixedInput:
    """The shape that one input is to have."""

    name: str
    shape: StaticShape


def parse(text: str) -> FixedInput:
    """Of x=1x3: input x, shape (1, 3). Of x=: rank 0. Raises `ValueError`."""
    match = _NOTATION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not of the form name=1x3x224x224")
    dims = [int(digits) for digits in match["dims"].split("x") if digits]
    if any(size >= 2**31 for size in dims):
        raise ValueError(f"{text!r} has a dimension that no tensor has")
    return FixedInput(match["name"], tuple(dims))


def with_inputs(model: onnx.ModelProto, fixed: Iterable[FixedInput]) -> onnx.ModelProto:
    """A copy in which these inputs have these shapes.

    A symbol that is fixed by this has its number everywhere. Raises `UserError` for what the model
    does not allow.
    """
    copy = onnx.ModelProto()
    copy.CopyFrom(model)
    inputs = {value.name: value for value in copy.graph.input}
    numbers: dict[str, int] = {}
    seen: set[str] = set()
    for given in fixed:
        name = given.name
        if name not in inputs:
            near = get_close_matches(name, inputs, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it has {', '.join(inputs) or 'none'}"
            raise UserError(f"--input {name}: the model has no such input; {one_line(hint)}")
        if name in seen:
            raise UserError(f"--input {name} is given twice")
        seen.add(name)
        _fix(inputs[name], given, numbers)
    for graph in all_graphs(copy):
        for value in (*graph.input, *graph.output, *graph.value_info):
            _substitute(value, numbers)
    return copy


def _fix(value: onnx.ValueInfoProto, fixed: FixedInput, numbers: dict[str, int]) -> None:
    if not value.type.HasField("tensor_type"):
        raise UserError(f"--input {fixed.name}: it is no dense tensor")
    tensor = value.type.tensor_type
    if tensor.HasField("shape"):
        declared = shape_of(tensor.shape)
        if len(declared) != len(fixed.shape) or any(
            isinstance(m, int) and m != n for m, n in zip(declared, fixed.shape, strict=True)
        ):
            raise UserError(
                f"--input {fixed.name}: the model has it as {described(declared)}, which"
                f" {described(fixed.shape)} contradicts"
            )
        for symbol, number in zip(declared, fixed.shape, strict=True):
            if isinstance(symbol, str) and numbers.setdefault(symbol, number) != number:
                raise UserError(
                    f"--input {fixed.name}: dimension {symbol} would be {number}, and is"
                    f" {numbers[symbol]} already"
                )
    del tensor.shape.dim[:]
    tensor.shape.SetInParent()
    for number in fixed.shape:
        tensor.shape.dim.add().dim_value = number


def _substitute(value: onnx.ValueInfoProto, numbers: dict[str, int]) -> None:
    kind = value.type.WhichOneof("value")
    if kind not in {"tensor_type", "sparse_tensor_type"}:
        return
    for dim in getattr(value.type, kind).shape.dim:
        if dim.dim_param in numbers:
            dim.dim_value = numbers[dim.dim_param]
