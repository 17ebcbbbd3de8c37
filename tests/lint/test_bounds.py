"""Small files that ask for much: of memory, of time, of depth. What is reached is named."""

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from sonnx_formal.lint import lint
from sonnx_formal.lint.model import MOST_EXPANDED, ModelError, read
from tests.lint.models import OPSET, model, node, save, tensor, value

MEMORY = 3 << 30
"""Bytes of address space, most of which are those of libraries."""


def _expanding(*counts: int) -> onnx.ModelProto:
    """A division by a constant that is made that large."""
    nodes = [
        node("Expand", ["one", f"shape{n}"], [f"many{n}"], name=f"large{n}")
        for n in range(len(counts))
    ]
    nodes += [node("Div", ["A", f"many{n}"], [f"C{n}"], name=f"div{n}") for n in range(len(counts))]
    shapes = [tensor(f"shape{n}", [count], np.int64) for n, count in enumerate(counts)]
    return model(nodes, [value("A", None)], [value("C0", None)], [tensor("one", [1]), *shapes])


def _calling(functions: int, calls: int) -> onnx.ModelProto:
    """Functions of which each calls the next one so many times."""
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("local", 1)]
    made = []
    for number in range(functions):
        last = number == functions - 1
        made.append(
            helper.make_function(
                "local",
                f"F{number}",
                ["x"],
                ["y"],
                [
                    node("Relu", [f"v{n}" if n else "x"], [f"v{n + 1}" if n < calls - 1 else "y"])
                    if last
                    else node(
                        f"F{number + 1}",
                        [f"v{n}" if n else "x"],
                        [f"v{n + 1}" if n < calls - 1 else "y"],
                        domain="local",
                    )
                    for n in range(calls)
                ],
                opsets,
            )
        )
    return model(
        [node("F0", ["A"], ["C"], domain="local")],
        [value("A")],
        [value("C", None)],
        functions=made,
        domains=["local"],
    )


def _varint(number: int) -> bytes:
    low, rest = number % 128, number // 128
    return bytes([low + 128]) + _varint(rest) if rest else bytes([low])


def _nested(depth: int) -> onnx.ModelProto:
    graph = helper.make_graph([node("Relu", ["A"], ["r"])], "inner", [], [value("r", None)])
    for _ in range(depth - 1):
        branch = node("If", ["c"], ["r"], then_branch=graph, else_branch=graph)
        graph = helper.make_graph([branch], "inner", [], [value("r", None)])
        graph.node[0].attribute[1].g.CopyFrom(
            helper.make_graph([node("Relu", ["A"], ["r"])], "else", [], [value("r", None)])
        )
    inputs = [value("A"), value("c", [], onnx.TensorProto.BOOL)]
    return model(graph.node, inputs, [value("r", None)])


@pytest.mark.parametrize("counts", [[2**29], [2**23] * 40, [2**62]])
def test_a_small_file_takes_little_memory(tmp_path: Path, counts: list[int]) -> None:
    path = save(_expanding(*counts), tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "sonnx_formal", "lint", str(path)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
        timeout=120,
    )
    assert (done.returncode, done.stderr) in [(1, ""), (2, "")]
    if counts != [2**62]:
        assert "elements that are constant: they are not computed, for of a model at most" in (
            done.stdout
        )


@pytest.mark.parametrize("count", [2**31, 2**62])
def test_a_model_that_is_run_takes_no_more(tmp_path: Path, count: int) -> None:
    """8 GiB, or more than there are; the operand is none that is constant."""
    nodes = [
        node("Expand", ["A", "shape"], ["many"], name="large"),
        node("Mul", ["B", "B2"], ["C"], name="mul"),
    ]
    inputs = [value("A", [1]), value("B", [2]), value("B2", [1])]
    path = save(
        model(nodes, inputs, [value("C", None)], [tensor("shape", [count], np.int64)]), tmp_path
    )
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "sonnx_formal",
            "lint",
            path,
            "--fix",
            "-o",
            tmp_path / "fixed.onnx",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    refusal = "the reference evaluator of onnx cannot run the model: node large: "
    assert done.returncode == 1
    assert done.stderr.startswith(f"sonnx-formal: --fix refuses: {refusal}")
    assert not (tmp_path / "fixed.onnx").exists()


def test_functions_that_call_the_next_one_twice(tmp_path: Path) -> None:
    path = save(_calling(40, 2), tmp_path)
    assert len(path.read_bytes()) < 4000
    with pytest.raises(ModelError, match=f"functions of more than {MOST_EXPANDED} nodes"):
        read(path)
    assert lint(_calling(5, 2)).total == 32
    with pytest.raises(ModelError, match="call each other more than 100 deep"):
        read(save(_calling(300, 1), tmp_path))


def test_graphs_that_are_too_deep_in_each_other_are_said_to_be(tmp_path: Path) -> None:
    assert lint(_nested(30)).total > 30
    graph = b""
    for _ in range(40):  # as bytes, for ONNX does not make it either
        for tag in b"\x32\x2a\x0a":  # graph of an attribute, attribute of a node, node of a graph
            graph = bytes([tag]) + _varint(len(graph)) + graph
    (tmp_path / "deep.onnx").write_bytes(b"\x08\x09\x3a" + _varint(len(graph)) + graph)
    with pytest.raises(ModelError, match="or has graphs more than 33 deep in each other"):
        read(tmp_path / "deep.onnx")


def test_of_a_long_cycle_a_few_nodes_are_named(tmp_path: Path) -> None:
    nodes = [node("Relu", [f"v{n}"], [f"v{(n + 1) % 10_000}"], name=f"n{n}") for n in range(10_000)]
    with pytest.raises(ModelError) as caught:
        read(save(model(nodes, [value("A")], [value("v0")]), tmp_path))
    assert len(str(caught.value)) < 300
    assert " more -> " in str(caught.value)


def test_a_long_chain_of_constants_is_left_open(tmp_path: Path) -> None:
    nodes = [node("Identity", [f"v{n}"], [f"v{n + 1}"]) for n in range(2000)]
    chain = model(
        [*nodes, node("Div", ["A", "v2000"], ["C"])],
        [value("A", [2], onnx.TensorProto.INT32)],
        [value("C", None, onnx.TensorProto.INT32)],
        [tensor("v0", [1, 2], np.int32)],
    )
    found = lint(save(chain, tmp_path))
    assert found.total == 2001
