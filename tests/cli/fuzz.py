"""Bad input of all kinds to all commands: `python fuzz.py SEED COUNT`, in an empty folder.

Each input is a command line, with files that it names; the same seed gives the same inputs. What
breaks a promise is printed, an input a line: that a command ends in time, with an exit status that
the help has and is none of our own errors, in a line or a few, without a traceback; that nothing in
what it says steers a terminal; and that pipes and devices are still there.
"""

import io
import json
import os
import random
import shlex
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType

import numpy as np
from onnx import numpy_helper

from sonnx_formal.backends.process import SentArray, decode_reply, encode_reply
from sonnx_formal.cli import main as cli
from sonnx_formal.core.files import is_folder
from sonnx_formal.core.processes import GarbledError
from sonnx_formal.spec.element_types import Array
from tests.lint import cases
from tests.lint.models import binary

SECONDS = 100
"""For an input: most take milliseconds, but modules are loaded, and machines are busy."""
STATUSES = {0, 1, 2, 3}
MOST_LINES = 60
"""On standard error, in a usage message."""
ODD = [
    "", " ", "-", "--", "=", "'", '"', "\\", "\n", "\x1b[2J", "\x07", "\u202e", "\udcff", "é",
    "..", "/", "/dev/null", "/dev/full", "/proc/self/mem", "pipe", "link", "loop", "folder",
    "n" * 300, "9" * 5000, "1e9999", "1e99999999", "0x" + "f" * 999, "nan", "inf", "-inf", "1/0",
    "[" * 100, "[]", "[[1], [2, 3]]", "[1,", "{}", "true", "bits:0x1ff", "bits:0b2",
    "<b>|`", "=1+1",
]  # fmt: skip
Input = tuple[str, ...]


class Overtime(BaseException):
    """No answer in time."""


class Fuzzer:
    """Makes inputs by chance."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        models = [case.model.SerializeToString() for case in cases.CASES]
        self._models = [*models, binary("Mul", [2, 3], [3]).SerializeToString()]
        tensors: list[Array] = [
            np.ones((2, 3), np.float32),
            np.array(5, np.int8),
            np.zeros((0, 2), bool),
        ]
        self._tensors = [numpy_helper.from_array(each).SerializeToString() for each in tensors]
        self._arrays = [_npy(each) for each in tensors]
        self._kinds: list[Callable[[], Input]] = [
            self._lint,
            self._lint,
            self._evaluate,
            self._evaluate,
            self._evaluate_files,
            self._vectors,
            self._report,
            self._document,
            self._source,
            self._operator,
            self._options,
        ]

    def input(self) -> Input:
        return self.random.choice(self._kinds)()

    def damaged(self, data: bytes) -> bytes:
        """Some bytes changed, taken out, doubled, or put in."""
        found = bytearray(data)
        for _ in range(self.random.choice([0, 1, 1, 2, 5, 50])):
            at = self.random.randrange(len(found) + 1)
            end = min(len(found), at + self.random.choice([1, 1, 2, 8, 100]))
            new = self.random.choice(
                [
                    b"",
                    self.random.randbytes(1),
                    b"\xff" * 10,
                    bytes(found[at:end]) * 2,
                    self.random.choice(ODD).encode(errors="surrogateescape"),
                ]
            )
            found[at:end] = new
        return bytes(found)

    def _odd(self) -> str:
        return self.random.choice(ODD)

    def _file(self, suffix: str, data: bytes) -> str:
        """A file of some name, or another thing of that name."""
        name = self.random.choice(["a", "b", ".c", "d\x1b[31m", "e\udcff"]) + suffix
        path = Path(name)
        if path.is_dir() or path.is_fifo():
            return name
        path.unlink(missing_ok=True)
        match self.random.randrange(12):
            case 0:
                path.symlink_to(self.random.choice(["nowhere", "pipe", "loop", "/dev/zero"]))
            case 1:
                path.touch()
            case _:
                path.write_bytes(data)
        return name

    def _outputs(self) -> Input:
        places = ["out.json", "link", "pipe", "folder", "loop", "/dev/null", "/dev/full", "no/x"]
        option = [(), ("--json", self.random.choice([*places, self._odd()]))]
        return self.random.choice(option)

    def _lint(self) -> Input:
        model = self.damaged(self.random.choice(self._models))
        place = self._file(".onnx", model)
        more: list[Input] = [
            (),
            (),
            ("--sarif", self._odd()),
            ("--fix", "-o", self._odd()),
            ("--input", f"{self._odd()}={self._odd()}"),
            (".",),
        ]
        return ("lint", place, *self.random.choice(more), *self._outputs())

    def _evaluate(self) -> Input:
        operands = [
            self.random.choice(["1", "[1, 2]", "[[1]]", self._odd(), self._odd()]) for _ in "ab"
        ]
        types = ["int8", "float16", "real", "bool", "bfloat16", self._odd()]
        names = ["add", "div", "matmul", "mul", "onnx-mul-6", self._odd()]
        more: list[Input] = [(), ("--bits",), ("--as", "decimal"), ("--axis", self._odd())]
        return (
            "eval",
            self.random.choice(names),
            *operands,
            "--type",
            self.random.choice(types),
            *self.random.choice(more),
            *self._outputs(),
        )

    def _evaluate_files(self) -> Input:
        pool, suffix = self.random.choice(
            [(self._tensors, ".pb"), (self._arrays, ".npy"), ([b"[1, 2]"], ".txt")]
        )
        files = [self._file(suffix, self.damaged(self.random.choice(pool))) for _ in "ab"]
        return ("eval", "add", "--file", *files, *self._outputs())

    def _json(self) -> bytes:
        documents = [
            '{"schema": "sonnx-formal/vectors/4", "origin": {}, "files": []}',
            '{"schema": "sonnx-formal/onnx-tests/1", "tests": [{"attributes": {"axis": 1.0}}]}',
            '{"schema": "sonnx-formal/check/9", "findings": [[]]}',
            '{"documents": [{"name": "a", "sha256": null}], "sources": []}',
            '{"schema": ' + "[" * self.random.choice([10, 950, 2000]),
            json.dumps({"schema": self._odd(), self._odd(): int("9" * 400)}),
        ]
        return self.damaged(self.random.choice(documents).encode())

    def _folder(self, *names: str) -> str:
        folder = Path(f"folder{self.random.randrange(5)}")
        folder.mkdir(exist_ok=True)
        for name in names:
            path = folder / name
            path.unlink(missing_ok=True)
            match self.random.randrange(6):
                case 0:
                    os.mkfifo(path)
                case 1:
                    path.symlink_to(self.random.choice(["nowhere", "../pipe", "/dev/zero"]))
                case _:
                    path.write_bytes(self._json())
        return str(folder)

    def _vectors(self) -> Input:
        folder = self._folder("manifest.json", "tests.json", "add-int8.npz")
        return self.random.choice(
            [
                ("vectors", "--verify", folder),
                ("check", "--vectors", folder, "--backend", "reference"),
                ("trace", "--vectors", folder),
                ("vectors", "-o", self.random.choice(["pipe", "/dev/null", "/dev/full", folder])),
            ]
        )

    def _report(self) -> Input:
        return ("verify-report", self._folder("SHA256SUMS", "evidence.json", "report.pdf"))

    def _document(self) -> Input:
        path = self._file(".json", self._json())
        folder = self._folder("manifest.json")
        # Of a folder that is there, a report is made, which takes minutes.
        odd = self.random.choice([each for each in ODD if not is_folder(Path(each))])
        return self.random.choice(
            [
                ("trace", "--vectors", folder, "--check", path),
                ("report", "--from", odd),
                ("refinements", "-o", self._odd(), *self._outputs()),
            ]
        )

    def _source(self) -> Input:
        """Files that no prover is asked about: Why3 alone takes longer than all else."""
        command = self.random.choice(
            ["certify", "hypotheses", "mutate", "prove", "stability", "vacuity"]
        )
        odd = self._odd()
        # Not the library by another name, nor everything there is.
        place = "folder" if Path(odd).is_absolute() or odd in {"", " ", "..", "-", "--"} else odd
        place = self.random.choice(["pipe.mlw", "loop.mlw", "nowhere.mlw", place])
        return (command, place, "--jobs", self.random.choice(["1", "0", "x"]))

    def _operator(self) -> Input:
        odd = self.random.choice([each for each in ODD if each != "true"])
        return ("new-operator", odd, "--like", self.random.choice(["add", self._odd()]))

    def _options(self) -> Input:
        command = self.random.choice(sorted(cli.cli.commands))
        option = self.random.choice(
            ["--timeout", "--jobs", "--seed", "--type", "--op", "--backend", "--budget", "--x"]
        )
        return (command, option, self._odd(), "--no-such-option")


def _npy(array: Array) -> bytes:
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    def over(_number: int, _frame: FrameType | None) -> None:
        raise Overtime

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def prepare() -> None:
    """What every input may name."""
    for pipe in ("pipe", "pipe.mlw"):
        os.mkfifo(pipe)
    Path("folder").mkdir()
    Path("link").symlink_to("beyond")
    for loop in ("loop", "loop.mlw"):
        Path(loop).symlink_to(loop)


def broken(given: Input) -> str:  # noqa: PLR0911 (a promise a return)
    """The promise that the command breaks; empty where it keeps them all."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", "strict") for _ in "ab")
    sys.argv = ["sonnx-formal", *given]
    status: object = None
    try:
        with limited(SECONDS), redirect_stdout(out), redirect_stderr(err):
            cli.main()
    except SystemExit as end:
        status = end.code or 0
    except Overtime:
        return f"no end within {SECONDS} s"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    texts = []
    for stream in (out, err):
        stream.seek(0)
        texts.append(stream.read())
    if status not in STATUSES:
        return f"exit status {status}: {texts[1][-300:]}"
    if "Traceback" in "".join(texts) or texts[1].count("\n") > MOST_LINES:
        return f"it says {texts[1][:300]!r}"
    if any(sign in text for text in texts for sign in ("\x1b", "\x07", "\u202e")):
        return "it steers the terminal"
    if not stat.S_ISFIFO(Path("pipe").lstat().st_mode) or not Path("link").is_symlink():
        return "it replaced what it was to write to"
    return "" if stat.S_ISCHR(Path(os.devnull).stat().st_mode) else "it replaced a device"


def broken_reply(fuzzer: Fuzzer) -> str:
    """The same of what a worker says."""
    wire = SentArray("float32", (2, 3), bytes(24))
    arrays = [wire, SentArray("real", (1,), b"\1\0\0\0001" * 2), SentArray("bool", (2,), b"\0\1")]
    text = encode_reply(1, "1.0")
    chosen = fuzzer.random.choice(arrays)
    good = encode_reply(1, {"type": "Result", "array": chosen})  # type: ignore[arg-type]
    data = fuzzer.damaged(fuzzer.random.choice([good, good, text]))
    try:
        with limited(SECONDS):
            decode_reply(1, memoryview(data))
    except GarbledError:
        pass
    except BaseException as error:
        return f"{type(error).__name__}: {error}: {data!r}"
    return ""


def main() -> None:
    seed, count = map(int, sys.argv[1:])
    fuzzer = Fuzzer(seed)
    prepare()
    began = time.monotonic()
    for _ in range(count):
        given = fuzzer.input()
        if what := broken(given):
            print(f"{shlex.join(given)[:300]!r}: {what}", flush=True)
        if what := broken_reply(fuzzer):
            print(f"a worker: {what}", flush=True)
    print(f"{count} inputs in {time.monotonic() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    main()
