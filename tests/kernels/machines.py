"""`python -m tests.kernels.machines`: libsonnx on other processors and by other compilers.

It is run on the test vectors. What is expected comes from the formal definitions, or from exact
fractions for fused kernels, and every bit has to be right; of native kernels, and of those that
round nothing, one NaN is as good as another.
"""

import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from sonnx_formal.core import documents
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import why_not_writable
from sonnx_formal.kernels.build import OPTIONS, find_library_files, sha256_of
from sonnx_formal.kernels.declared import LIBRARY
from sonnx_formal.kernels.targets import TargetResult, TargetRun, TargetRuns
from sonnx_formal.oracle import Oracle
from sonnx_formal.prover.installation import first_line
from sonnx_formal.prover.provenance import BegunRun
from tests.kernels.questions import KERNELS, Question, entries, questions
from tests.kernels.stack import call_graph

RUNNER = Path(__file__).with_name("runner.c")
FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130
PLATFORM_CHECK = "sonnx_platform_check"
SHOWN = 5
SECONDS = 900
"""For all vectors on one machine."""
STRICT = tuple(option for option in OPTIONS if option not in {"-O3", "-fPIC"})
CONTRACTED = ("-O3", "-std=gnu11", "-ffp-contract=fast")
"""As GCC does if it is not told otherwise. With -std=c11, the library refuses to be compiled so."""
SANITIZED = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
IS_X86_64 = platform.machine() == "x86_64"


@dataclass(frozen=True)
class Machine:
    """A compiler with options, and what runs its programs here."""

    name: str
    compiler: str
    options: tuple[str, ...]
    packages: tuple[str, ...]
    """The Debian packages that it takes."""
    emulator: tuple[str, ...] = ()
    contracts: bool = False
    """Whether it is told to contract: then the check of the platform has to say so, and only native
    floats may be wrong; or nothing is."""

    @property
    def command(self) -> list[str]:
        """What compiles for it, without a warning."""
        return [self.compiler, *STRICT, *self.options]

    def missing(self) -> tuple[str, ...]:
        """Its packages, if something of them is not here."""
        if any(shutil.which(tool) is None for tool in (self.compiler, *self.emulator[:1])):
            return self.packages
        where = [self.compiler, "-print-file-name=libc.a"]
        found = Path(subprocess.check_output(where, text=True).strip())
        return () if found.is_absolute() or not self.emulator else self.packages


def _here(compiler: str) -> Iterator[Machine]:
    packages = (compiler,)
    for level in ("-O0", "-O2", "-O3"):
        yield Machine(f"{compiler} {level}", compiler, (level,), packages)
    yield Machine(f"{compiler} sanitizers", compiler, SANITIZED, packages)
    fused = ("-mfma", "-mavx2") if IS_X86_64 else ()
    contracted = (*CONTRACTED, *fused)
    yield Machine(f"{compiler} contracted", compiler, contracted, packages, contracts=True)


def _emulated(processor: str, system: str, architecture: str, *options: str) -> Iterator[Machine]:
    compiler, emulator = f"{processor}-{system}-gcc", (f"qemu-{processor}",)
    packages = (f"gcc-{processor}-{system}", f"libc6-dev-{architecture}-cross", "qemu-user")
    for level in ("-O0", "-O3"):
        yield Machine(f"{processor} {level}", compiler, (level, *options), packages, emulator)
    if architecture != "armel":  # where a library computes floats, nothing is there to contract
        contracted = (*CONTRACTED, *options)
        name = f"{processor} contracted"
        yield Machine(name, compiler, contracted, packages, emulator, contracts=True)


def _without_avx2() -> Iterator[Machine]:
    """The other variant of what GCC compiles for two processors."""
    if IS_X86_64:
        emulator = ("qemu-x86_64", "-cpu", "Nehalem")
        yield Machine("gcc no-AVX2 -O3", "gcc", ("-O3",), ("gcc", "qemu-user"), emulator)


MACHINES = (
    *_here("gcc"),
    *_without_avx2(),
    *_here("clang"),
    *_emulated("aarch64", "linux-gnu", "arm64"),
    *_emulated("arm", "linux-gnueabi", "armel"),
    *_emulated("riscv64", "linux-gnu", "riscv64"),
    # GCC computes `float` as `double` there in the mode of the standard, unless it is told not to.
    *_emulated("s390x", "linux-gnu", "s390x", "-fexcess-precision=fast"),
)


@dataclass(frozen=True)
class Finding:
    """What came of a machine."""

    machine: Machine
    failure: str = ""
    """Why it gave no answers."""
    compiled: bool = True
    platform: int = 0
    """What `sonnx_platform_check` says."""
    asked: int = 0
    wrong: tuple[Question, ...] = ()
    stack: int = 0
    """The bytes of stack of the function that takes most, but for the check of the platform; 0 if
    the compiler does not say."""
    seconds: float = 0

    @property
    def result(self) -> TargetResult:
        """It, as the document has it."""
        native = sum(each.is_native for each in self.wrong)
        return TargetResult(
            contracts=self.machine.contracts,
            failure=self.failure or None,
            compiled=self.compiled,
            platform=self.platform,
            native_differing=native,
            other_differing=len(self.wrong) - native,
            stack=self.stack,
            seconds=round(self.seconds, 3),
        )

    @property
    def passes(self) -> bool:
        return self.result.verdict.passes

    def told(self) -> str:
        """A line of the table."""
        numbers = (self.platform, self.asked - len(self.wrong), len(self.wrong), self.stack or "-")
        words = "----" if self.failure else map(str, numbers)
        compiled = "yes" if self.compiled else "no"
        verdict = self.failure or self.result.verdict
        return row(self.machine.name, compiled, *words, f"{self.seconds:.0f} s", verdict)


def row(name: str, *words: str) -> str:
    """The words in columns."""
    widths = (8, 8, 6, 9, 5, 5)
    cells = (word.rjust(width) for word, width in zip(words, widths, strict=False))
    return "  ".join((name.ljust(18), *cells, *words[len(widths) :]))


TITLES = row("target", "compiled", "platform", "passed", "differing", "stack", "time", "verdict")


class NoAnswersError(Exception):
    """The runner does not end as it should on a machine; the text says why."""


class DoesNotCompileError(NoAnswersError):
    """There is no runner for a machine; the text is what the compiler says first."""


def ask(machine: Machine, sources: Path, folder: Path, asked: Sequence[Question]) -> Finding:
    """What a machine makes of questions.

    :param sources: the folder of `sonnx.c` and `sonnx.h`.
    :param folder: an empty one.
    """
    began = time.monotonic()
    try:
        compile_for(machine, sources, folder)
        platform_line, *answers = _run(machine, folder, [question.line for question in asked])
        found = Finding(
            machine,
            platform=int(platform_line.removeprefix("platform ")),
            asked=len(asked),
            wrong=tuple(
                question
                for question, answer in zip(asked, answers, strict=True)
                if not question.is_answered_by(answer)
            ),
            stack=_most_stack(machine, sources / "sonnx.c", folder),
        )
    except NoAnswersError as error:
        said = str(error).replace(f"{sources}/", "")  # in a document, no path of this machine
        found = Finding(machine, said, not isinstance(error, DoesNotCompileError))
    return replace(found, seconds=time.monotonic() - began)


def compile_for(machine: Machine, sources: Path, folder: Path) -> None:
    """Write `runner` into a folder. Raises `DoesNotCompileError`."""
    calls = (entry.call for kernel in KERNELS for entry in entries(kernel))
    (folder / "calls.inc").write_text("".join(calls))
    compile_ = [*machine.command, f"-I{sources}", "-I."]
    static = ["-static"] if machine.emulator else []  # so that no library has to be found there
    for command in (
        [*compile_, "-c", str(sources / "sonnx.c"), "-o", "sonnx.o"],
        [*compile_, "-c", str(RUNNER), "-o", "runner.o"],
        [*compile_, *static, "runner.o", "sonnx.o", "-lm", "-o", "runner"],
    ):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise DoesNotCompileError(_first_error(done.stderr))


def _run(machine: Machine, folder: Path, lines: Sequence[str]) -> list[str]:
    """What the runner says: a line about the platform, and one for each line that it gets."""
    command = [*machine.emulator, str(folder / "runner")]
    given = "".join(f"{line}\n" for line in lines)
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise NoAnswersError(f"no end within {SECONDS} s") from None
    said = done.stdout.splitlines()
    if done.returncode != 0 or len(said) != len(lines) + 1:
        what = f"exit status {done.returncode} after {len(said)} lines"
        raise NoAnswersError(f"{what}: {_first_error(done.stderr)}")
    return said


def _first_error(said: str) -> str:
    lines = said.splitlines() or ["it said nothing"]
    return next((line for line in lines if "error" in line.lower()), lines[0])


def _most_stack(machine: Machine, source: Path, folder: Path) -> int:
    if "clang" in machine.compiler:
        return 0
    graph = call_graph(machine.command, source, folder)
    return max(graph.deepest(name) for name in graph.entries if name != PLATFORM_CHECK)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--target",
    "names",
    metavar="WORD",
    multiple=True,
    help="Only targets with this word in their name, as arm or -O3; several times for several.",
)
@click.option("--seed", metavar="N", type=int, default=0, show_default=True, help="Of all chance.")
@click.option(
    "--json",
    "json_path",
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Write the findings as JSON: build/evidence/targets.json is shown by the next report.",
)
def main(names: tuple[str, ...], seed: int, json_path: Path | None) -> None:
    """Run libsonnx, compiled for other processors and by other compilers, on the test vectors.

    A line says of a target whether it compiled, what sonnx_platform_check() found, how many vectors
    passed and how many differ, and the most stack that a function takes, in bytes.

    \b
    Exit status:
      0    all results are those of the definitions
      1    some are not, or a target does not compile
      2    bad input, or a package is missing
      130  interrupted
    """
    try:
        status = _check(names, seed, json_path)
    except UserError as error:
        click.echo(f"machines: {error}", err=True)
        status = BAD_INPUT
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        status = INTERRUPTED
    sys.exit(status)


def _check(names: tuple[str, ...], seed: int, json_path: Path | None) -> int:
    if json_path and (why := why_not_writable(json_path)):
        raise UserError(f"{json_path}: {why}: --json needs the name of a file")
    chosen = select(names)
    made = BegunRun.of(LIBRARY)
    sources = find_library_files()[0].parent
    with Oracle() as oracle:
        oracle.build()
        asked = [each for kernel in KERNELS for each in questions(oracle, kernel, seed)]
    click.echo(f"{len(asked)} vectors for {len(KERNELS)} functions\n\n{TITLES}")
    failed, runs = 0, []
    for machine in chosen:
        with tempfile.TemporaryDirectory(prefix="sonnx-formal-machine-") as folder:
            found = ask(machine, sources, Path(folder), asked)
        click.echo(found.told())
        runs.append(run_of(found))
        if not found.passes:
            failed += 1
            for question in found.wrong[:SHOWN]:
                click.echo(f"  {question}")
    click.echo(f"\n{len(chosen) - failed} of {len(chosen)} targets are as they should be")
    if json_path:
        found_out = TargetRuns(
            made=made.ended(),
            sonnx_c_sha256=sha256_of(sources / "sonnx.c"),
            architecture=platform.machine() or "unknown",
            seed=seed,
            questions=len(asked),
            functions=len(KERNELS),
            targets=tuple(runs),
            left_out=tuple(each.name for each in MACHINES if each not in chosen),
        )
        documents.write(json_path, found_out)
    return FAILED if failed else 0


def run_of(found: Finding) -> TargetRun:
    """A finding with the versions of its tools. Raises `UserError` when one does not say it."""
    machine = found.machine
    return TargetRun(
        name=machine.name,
        compiler=first_line([machine.compiler, "--version"]),
        options=tuple(machine.command[1:]),
        emulator=first_line([machine.emulator[0], "--version"]) if machine.emulator else None,
        result=found.result,
    )


def select(names: Collection[str]) -> list[Machine]:
    """The machines with one of these words in their names; without words, all.

    :raises UserError: where there is none, or a package is missing.
    """
    chosen = [each for each in MACHINES if not names or set(names) & set(each.name.split())]
    if not chosen:
        words = dict.fromkeys(word for machine in MACHINES for word in machine.name.split())
        raise UserError(f"no target has this word in its name: choose from {', '.join(words)}")
    if missing := sorted({package for machine in chosen for package in machine.missing()}):
        raise UserError(
            "some compilers or emulators are not here: run `apt-get install"
            f" {' '.join(missing)}`, or choose other targets with --target"
        )
    return chosen


if __name__ == "__main__":
    main()
