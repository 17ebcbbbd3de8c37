"""What the C text takes of stack, and what its loops depend on."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sonnx_formal.kernels.build import COMPILER, OPTIONS
from sonnx_formal.kernels.declared import Arithmetics, DeclaredKernel, kernels
from sonnx_formal.kernels.extraction import Kernel
from tests.kernels.machines import PLATFORM_CHECK
from tests.kernels.operands import BY_NAME
from tests.kernels.questions import KERNELS
from tests.kernels.stack import CallGraph, UnboundedStackError, call_graph
from tests.kernels.texts import of_kernel, with_error

README = Path(__file__).parents[2] / "sonnx_formal/kernels/README.md"
ELSEWHERE = {
    "memset", "memcpy", "memmove", "fma", "fmaf", "sqrt", "sqrtf", "__cpu_indicator_init",
}  # fmt: skip
CONSTANT = r"UINT64_C\(\d+\)"
WHILE = re.compile(
    rf"(?P<i>\w+) < (?P<end>\w+|{CONSTANT})|(?P<size>\w+) - (?P<p>\w+) >= {CONSTANT}"
)
FUNCTION = re.compile(r"^\w[^\n;]*?(\w+)\(([^)]*)\) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
LOOP = re.compile(r"\b(?:while|for|do|goto)\b")
SIZE = re.compile(r"(?:\w*dims|kernel_shape)\[[^;\]]*\]|product_of_some\([^;]*\)")
"""What an end may be set to, once: a dimension, or a product of some."""
ZERO_DIVISOR = " && is_divisible(b[i])"


@pytest.fixture(scope="session")
def graph(files: Path, tmp_path_factory: pytest.TempPathFactory) -> CallGraph:
    """As the library is built."""
    return compiled(files / "sonnx.c", tmp_path_factory.mktemp("stack"))


def compiled(source: Path, folder: Path) -> CallGraph:
    return call_graph([COMPILER, *OPTIONS], source, folder)


def stated(what: str) -> int:
    """The bytes that the README promises."""
    found = re.search(rf"{what}\s+takes\s+at\s+most\s+([\d,]+)\s+bytes", README.read_text())
    assert found, what
    return int(found[1].replace(",", ""))


@pytest.mark.long
@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.name)
def test_stack(kernel: Kernel, graph: CallGraph) -> None:
    sums = "one for\\s+matrices\\s+or\\s+convolutions"
    what = sums if kernel.sums_products else "a function that goes by elements"
    assert 0 < graph.deepest(kernel.name) <= stated(what)


@pytest.mark.long
def test_stack_of_the_check_of_the_platform(graph: CallGraph) -> None:
    assert 0 < graph.deepest(PLATFORM_CHECK) <= stated(f"`{PLATFORM_CHECK}\\(\\)`")


@pytest.mark.long
def test_which_functions_are_counted(graph: CallGraph) -> None:
    names = {kernel.name for kernel in KERNELS} | {PLATFORM_CHECK}
    assert set(graph.entries) - names <= ELSEWHERE
    assert names <= set(graph.entries)
    assert graph.elsewhere <= ELSEWHERE


@pytest.mark.long
@pytest.mark.parametrize(
    "kernel", [each for each in kernels() if each.sums_products], ids=lambda kernel: kernel.name
)
def test_loops_of_sums_of_products_are_one_function(
    kernel: DeclaredKernel, graph: CallGraph, files: Path
) -> None:
    """A loop that is called apart would be compiled for one processor alone, and take its time."""
    text = (files / "sonnx.c").read_text()
    loops = {each.name for each in functions(text, kernel) if each.is_over_elements}
    apart = {f"{kernel.name}_{name}" for name in loops - {"kernel", *kernel.programs}}
    assert apart
    assert apart.isdisjoint(name.rpartition(":")[2] for name in graph.bytes)


def test_stack_is_added_up_along_the_calls(tmp_path: Path) -> None:
    source = tmp_path / "made.c"
    source.write_text("""\
        void put(char *p);
        __attribute__((noinline)) static void deep(void) { char a[1000]; put(a); }
        __attribute__((noinline)) static void flat(void) { char a[50]; put(a); }
        void outer(void) { char a[300]; put(a); flat(); deep(); }
        """)
    graph = compiled(source, tmp_path)
    assert graph.entries == ["outer"]
    assert graph.elsewhere == {"put"}
    assert 1300 < graph.deepest("outer") < 1400


def test_stack_without_bound_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "made.c"
    head = "void put(char *p);\n"
    source.write_text(f"{head}void f(int n) {{ char a[n]; put(a); }}\n")
    with pytest.raises(UnboundedStackError, match="f takes stack that depends on its arguments"):
        compiled(source, tmp_path)
    source.write_text(
        f"{head}int f(int n) {{ char a[9]; n = n ? f(n - 1) : 0; put(a); return n; }}\n"
    )
    with pytest.raises(UnboundedStackError, match="f calls itself"):
        compiled(source, tmp_path).deepest("f")


@dataclass(frozen=True)
class Function:
    name: str
    parameters: str
    body: str

    @property
    def is_over_elements(self) -> bool:
        """Whether it gets arrays; what gets elements alone is an operation."""
        return "*" in self.parameters

    @property
    def names(self) -> list[str]:
        """Of its parameters."""
        return [each.split()[-1] for each in self.parameters.split(",") if each]

    def calls(self, other: str) -> Iterator[list[str]]:
        """The arguments of its calls of another function, each a variable."""
        for arguments in re.findall(rf"\b{other}\(([\w, ]*)\)", self.body):
            yield arguments.split(", ")

    def is_constant(self, variable: str) -> bool:
        """Whether it only has a constant of the format, and a number more."""
        values = re.findall(rf"\b{variable} = ([^;]*);", self.body)
        return bool(values) and all(
            re.fullmatch(rf"\w+\(\) \+ {CONSTANT}", value) for value in values
        )

    def is_size(self, variable: str) -> bool:
        """Whether it only has a dimension, or a constant in its place."""
        values = re.findall(rf"\b{variable} = ([^;]*);", self.body)
        are = (re.fullmatch(CONSTANT, value) or SIZE.fullmatch(value) for value in values)
        return bool(values) and all(are)

    def data_dependent_loops(
        self, kernel: DeclaredKernel, constant_parameters: Collection[str], over_sizes: bool
    ) -> list[str]:
        """The loops that may end by more than an index, which counts to a size or a constant."""
        found = []
        conditions = re.findall(r"while \((.*)\) \{", self.body)
        if len(conditions) != len(LOOP.findall(self.body)):
            found.append("another loop than while")
        for condition in conditions:
            # The status says that a loop ended early, and the caller is told where.
            loop = WHILE.fullmatch(
                condition.removesuffix(ZERO_DIVISOR) if kernel.is_partial else condition
            )
            constant = (
                loop
                and loop["end"]
                and (re.fullmatch(CONSTANT, loop["end"]) or loop["end"] in constant_parameters)
            )
            if loop is None or not (constant or over_sizes or self.is_over_elements):
                found.append(condition)
                continue
            index, end = loop["i"] or loop["p"], loop["end"] or loop["size"]
            for value in re.findall(rf"\b{index} = ([^;]*);", self.body):
                step = value.removeprefix(f"{index} + ")
                by_size = step != value and step.isidentifier() and self.is_size(step)
                if not (by_size or re.fullmatch(CONSTANT, step)):
                    found.append(f"{index} does not only count")
            ends = re.findall(rf"\b{re.escape(end)} = ([^;]*);", self.body)
            if len(ends) > 1 or not all(SIZE.fullmatch(each) for each in ends):
                found.append(f"{end} changes")
        return [f"{self.name}: {each}" for each in found]


def functions(text: str, kernel: DeclaredKernel) -> list[Function]:
    """What was extracted for a kernel."""
    part = of_kernel(text, kernel)
    found = [Function(*each) for each in FUNCTION.findall(part)]
    assert len(found) == part.count("\n}")
    return found


def constant_parameters(function: Function, among: Collection[Function]) -> list[str]:
    """The parameters for which each call has a constant."""
    calls = [(caller, given) for caller in among for given in caller.calls(function.name)]
    return [
        name
        for place, name in enumerate(function.names)
        if calls and all(caller.is_constant(given[place]) for caller, given in calls)
    ]


def size_parameters(function: Function, among: Collection[Function]) -> list[str]:
    """The parameters for which each call has a dimension."""
    bodies = (" ".join(re.sub(CONSTANT, "0", caller.body).split()) for caller in among)
    found = (re.findall(rf"\b{function.name}\(([^()]*)\)", body) for body in bodies)
    calls = [given.split(", ") for each in found for given in each]
    return [
        name
        for place, name in enumerate(function.names)
        if calls and all(SIZE.fullmatch(given[place]) for given in calls)
    ]


def data_dependent_loops(text: str, kernel: DeclaredKernel) -> list[str]:
    all_ = functions(text, kernel)
    check = (kernel.check or "").rpartition(".")[2]
    return [
        each
        for function in all_
        for each in function.data_dependent_loops(
            kernel,
            [*constant_parameters(function, all_), *size_parameters(function, all_)],
            function.name in called(check, all_),
        )
    ]


def called(name: str, among: Collection[Function]) -> set[str]:
    """The function and what it calls: of one that looks at sizes, all that gets sizes alone."""
    bodies = [each.body for each in among if each.name == name]
    names = {each.name for each in among}
    inner = {each for body in bodies for each in re.findall(r"(\w+)\(", body)} & names
    return {name}.union(*(called(each, among) for each in inner))


@pytest.mark.parametrize("kernel", kernels(), ids=lambda kernel: kernel.name)
def test_loops_depend_on_indices_and_sizes(kernel: DeclaredKernel, files: Path) -> None:
    assert data_dependent_loops((files / "sonnx.c").read_text(), kernel) == []


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("add", "if (x < UINT64_C(0x8", "while (x < UINT64_C(0x8"),
        ("add", "while (i < n) {", "while (i < n && a[i]) {"),
        ("add", "i = i + UINT64_C(1);", "i = i + a[i];"),
        ("add", "while (i < n) {", "for (; i < n;) {"),
        ("sqrt", "sticky_root(x, count)", "sticky_root(x, odd)"),
        ("sqrt", "count = digits() + UINT64_C(3)", "count = digits() + odd"),
    ],
)
def test_a_loop_that_depends_on_data_is_found(
    name: str, before: str, after: str, files: Path
) -> None:
    soft = BY_NAME[f"sonnx_soft_{name}_float16"]
    broken = with_error((files / "sonnx.c").read_text(), soft, before, after)
    assert data_dependent_loops(broken, soft) != []


def test_soft_kernels_have_no_floats(files: Path) -> None:
    text = (files / "sonnx.c").read_text()
    for kernel in kernels():
        if kernel.arithmetics is Arithmetics.SOFT:
            assert not re.search(r"\b(float|double)\b", str(functions(text, kernel)))
