"""Runs of a model by ONNX's reference evaluator: what each node of the main graph computes."""

import hashlib
import resource
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from sonnx_formal.lint.model import LintError, label
from sonnx_formal.spec.element_types import Array

Feeds = dict[str, Array]
Results = dict[bytes, tuple[Any, ...]]
"""What nodes gave, by node and operands."""
_SLOW = {"Conv", "ConvTranspose", "Gemm", "MatMul"}
"""Operators that take nearly all of the time, and give the same for the same operands."""


MEMORY_GIB = 4
"""What runs may take besides what the program has: a small file may ask for any amount."""


class EvaluationError(LintError):
    """The evaluator cannot run a model, or a node of it."""


@contextmanager
def bounded_memory() -> Iterator[None]:
    """Within it, what asks for more memory than runs may take raises `MemoryError`."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    most = pages * resource.getpagesize() + (MEMORY_GIB << 30)
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    limited = before != resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (min(most, before) if limited else most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))


class Evaluator:
    """A model that can be run."""

    def __init__(self, model: onnx.ModelProto, folder: Path, known: Results) -> None:
        """Raises `EvaluationError` where there is an operator that the evaluator lacks.

        :param folder: where external data is.
        :param known: results that are shared with other models, and added to.
        """
        copy = deepcopy(model)
        onnx.load_external_data_for_model(copy, str(folder))
        try:
            self._evaluator = ReferenceEvaluator(copy, new_ops=[Conv])
        except Exception as error:
            raise EvaluationError(f"{_unloadable(copy)}{error}") from None
        self._known = known
        initializers: Iterable[Any] = self._evaluator.rt_inits_.values()
        self._constants = {id(x): _digest(x) for x in initializers if isinstance(x, np.ndarray)}
        """The digests of arrays that live as long as this, by their places."""
        for node in self._evaluator.rt_nodes_:
            node.run = self._wrapped(node.onnx_node, node.run)

    def run(self, operands: Feeds) -> dict[str, Any]:
        """What the nodes compute. Raises `EvaluationError`, with the name of the node."""
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found: Any = self._evaluator.run(None, dict(operands), intermediate=True)
        return {name: x for name, x in found.items() if name and name not in operands}

    def _wrapped(
        self, node: onnx.NodeProto, run: Callable[..., tuple[Any, ...]]
    ) -> Callable[..., tuple[Any, ...]]:
        def named(*inputs: Any, **context: Any) -> tuple[Any, ...]:
            key = None
            if node.op_type in _SLOW and not node.domain and not any(map(_is_sparse, inputs)):
                key = _key(node, [self._constants.get(id(x)) or _digest(x) for x in inputs])
                if key in self._known:
                    return self._known[key]
            try:
                results = run(*inputs, **context)
            except Exception as error:
                what = str(error) or type(error).__name__
                raise EvaluationError(f"node {label(node)}: {what}") from None
            if key:
                self._known[key] = results
            return results

        return named


def _key(node: onnx.NodeProto, operands: Sequence[bytes]) -> bytes:
    attributes = [each.SerializeToString(deterministic=True) for each in node.attribute]
    parts = [node.op_type.encode(), *attributes, *operands]
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).digest()


def _is_sparse(x: Any) -> bool:
    return x is not None and not isinstance(x, np.ndarray)


def _digest(x: Array | None) -> bytes:
    if x is None:
        return b"-"
    return hashlib.sha256(f"{x.dtype} {x.shape} ".encode() + x.tobytes()).digest()


def _unloadable(model: onnx.ModelProto) -> str:
    """The first node that the evaluator cannot load even alone, for the start of a message."""
    opsets, functions = model.opset_import, model.functions
    for node in model.graph.node:
        alone = helper.make_graph([node], "alone", [], [])
        try:
            ReferenceEvaluator(helper.make_model(alone, opset_imports=opsets, functions=functions))
        except Exception:
            return f"node {label(node)}: "
    return ""


class Conv(OpRun):
    """ONNX Conv; the evaluator's own takes most of its time to gather the patches one by one."""

    op_domain = ""

    def _run(  # noqa: PLR0913, PLR0917 (the attributes of the operator)
        self,
        x: Array,
        w: Array,
        b: Array | None = None,
        auto_pad: str | None = None,
        dilations: Sequence[int] | None = None,
        group: int | None = None,
        kernel_shape: Sequence[int] | None = None,
        pads: Sequence[int] | None = None,
        strides: Sequence[int] | None = None,
    ) -> tuple[Array]:
        kernel = tuple(w.shape[2:])
        axes, groups = len(kernel), group or 1
        if x.ndim != w.ndim or not axes or x.shape[1] != w.shape[1] * groups:
            raise ValueError(f"operands of shapes {x.shape} and {w.shape} in {groups} groups")
        if kernel_shape and tuple(kernel_shape) != kernel:
            raise ValueError(f"kernel_shape is {[*kernel_shape]}, and W has {[*kernel]}")
        steps, apart = strides or [1] * axes, dilations or [1] * axes
        reach = [(size - 1) * gap + 1 for size, gap in zip(kernel, apart, strict=True)]
        sides = _padding(auto_pad or "NOTSET", x.shape[2:], reach, steps, pads)
        padded = np.pad(x, [(0, 0), (0, 0), *sides])
        windows = np.lib.stride_tricks.sliding_window_view(padded, reach, (*range(2, x.ndim),))
        picked = (
            *(slice(None, None, step) for step in steps),
            *(slice(None, None, n) for n in apart),
        )
        patches = windows[:, :, *picked]  # batch, channel, place, kernel
        places = patches.shape[2 : 2 + axes]
        order = (1, *range(2 + axes, 2 + 2 * axes), 0, *range(2, 2 + axes))
        columns = patches.transpose(order).reshape(groups, -1, x.shape[0] * prod(places))
        rows = w.reshape(groups, w.shape[0] // groups, -1)
        sums = (rows @ columns).reshape(w.shape[0], x.shape[0], *places).swapaxes(0, 1)
        result = sums if b is None else sums + b.reshape(-1, *[1] * axes)
        return (np.ascontiguousarray(result, x.dtype),)


def _padding(
    how: str,
    sizes: Sequence[int],
    reach: Sequence[int],
    steps: Sequence[int],
    pads: Sequence[int] | None,
) -> list[tuple[int, int]]:
    """How many zeros are before and after each axis."""
    axes = len(sizes)
    if how == "VALID" or (how == "NOTSET" and not pads):
        return [(0, 0)] * axes
    if how == "NOTSET":
        assert pads
        return [*zip(pads[:axes], pads[axes:], strict=True)]
    found = []
    for size, width, step in zip(sizes, reach, steps, strict=True):
        missing = max(0, (-(-size // step) - 1) * step + width - size)
        less, more = missing // 2, missing - missing // 2
        found.append((more, less) if how == "SAME_LOWER" else (less, more))
    return found
