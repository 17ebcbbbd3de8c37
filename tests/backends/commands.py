"""A user's runner: `python commands.py PAYLOAD HOW`."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sonnx_formal import reference as ops
from sonnx_formal.backends.lines import array_of, array_text
from sonnx_formal.spec.element_types import BY_NAME, Array

RESULTS: dict[str, Callable[[str, list[Array]], Array]] = {
    "right": lambda name, operands: getattr(ops, name)(*operands),
    "echoes": lambda _, operands: operands[0],
    "counts": lambda _, operands: np.array(len(operands)),
    "tells its process": lambda *_: np.array(os.getpid()),
}


def main() -> None:  # noqa: PLR0912 (a case a way to go wrong)
    payload, how = sys.argv[1:]
    if how == "is none":
        sys.exit("usage: commands model.onnx A.pb")
    say(f"sonnx-formal {payload} of tests")
    for line in sys.stdin:
        name, operands = (from_files if payload == "files" else from_values)(line.rstrip("\n"))
        output = Path(line.rstrip("\n")) / "test_data_set_0" / "output_0.pb"
        if how in RESULTS:
            try:
                answer(payload, output, RESULTS[how](name, operands))
            except ops.SpecViolation as error:
                say(f"refused {error}")
            continue
        match how:
            case "dies":
                os.abort()
            case "asserts":
                print("commands.c:1: main: Assertion `no' failed.", file=sys.stderr, flush=True)
                os.abort()
            case "refuses":
                say("refused there is no such operator")
            case "refuses aloud":
                print("no licence\nfor it", file=sys.stderr, flush=True)
                say("refused there is no such operator")
            case "refuses without a word":
                print("no such\noperator", file=sys.stderr, flush=True)
                say("refused")
            case "exits":
                print("first words", file=sys.stderr, flush=True)
                print("no licence", file=sys.stderr, flush=True)
                os._exit(3)
            case "ends":
                return
            case "talks":
                say("loading weights")
            case "writes nothing":
                say("result")
            case "writes rubbish":
                output.write_bytes(b"rubbish")
                say("result int8 1 2 00")
            case _:
                raise AssertionError(how)


def say(line: str) -> None:
    print(line, flush=True)


def from_values(line: str) -> tuple[str, list[Array]]:
    """The operator and those operands that are there."""
    name, *words = (word for word in line.split(" ") if "=" not in word and word != "-")
    starts = [at for at, word in enumerate(words) if word in BY_NAME]
    texts = [" ".join(words[a:b]) for a, b in zip(starts, [*starts[1:], None], strict=True)]
    return name, [array_of(text) for text in texts]


def from_files(folder: str) -> tuple[str, list[Array]]:
    import onnx  # noqa: PLC0415 (who takes values does without)
    from onnx import numpy_helper  # noqa: PLC0415

    model = onnx.load(Path(folder) / "model.onnx")
    (node,) = model.graph.node
    paths = sorted(Path(folder).glob("test_data_set_0/input_*.pb"))
    tensors = [onnx.load_tensor(path) for path in paths]
    assert [tensor.name for tensor in tensors] == [each.name for each in model.graph.input]
    return node.op_type.lower(), [*map(numpy_helper.to_array, tensors)]


def answer(payload: str, output: Path, result: Array) -> None:
    if payload == "files":
        import onnx  # noqa: PLC0415
        from onnx import numpy_helper  # noqa: PLC0415

        onnx.save_tensor(numpy_helper.from_array(np.asarray(result)), output)
        say("result")
    else:
        say(f"result {array_text(np.asarray(result))}")


if __name__ == "__main__":
    main()
