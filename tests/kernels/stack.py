"""How much stack the functions of a C file take, as GCC says."""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_OPTIONS = ("-fcallgraph-info=su", "-fno-ipa-icf")
"""They make GCC write a graph beside the object file: the calls that are left after inlining, and
the stack of each function. Functions that are alike stay apart, for else some are not in it."""
_ALIAS = ".localalias"
_NODE = re.compile(r'^node: \{ title: "([^"]+)" label: "([^"]*)"', re.MULTILINE)
_EDGE = re.compile(r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', re.MULTILINE)
_BYTES = re.compile(r"\\n(\d+) bytes \((static|dynamic,bounded)\)")


class UnboundedStackError(Exception):
    """A function calls itself, or takes stack that depends on what it is given."""


@dataclass(frozen=True)
class CallGraph:
    """What calls what, and the bytes of stack of each; a function of another file has none."""

    bytes: dict[str, int]
    calls: dict[str, frozenset[str]]

    @cached_property
    def entries(self) -> list[str]:
        """The functions that are called from outside of the file."""
        return [name for name in self.bytes if ":" not in name]

    @cached_property
    def elsewhere(self) -> set[str]:
        """The functions of other files that are called."""
        return set().union(*self.calls.values()) - set(self.bytes)

    def deepest(self, name: str, callers: tuple[str, ...] = ()) -> int:
        """The bytes of a function and of what it calls, where this adds up to most.

        :raises UnboundedStackError: where there is recursion.
        """
        if name in callers:
            raise UnboundedStackError(f"{name} calls itself")
        below = (self.deepest(each, (*callers, name)) for each in self.calls.get(name, ()))
        return self.bytes.get(name, 0) + max(below, default=0)


def call_graph(gcc: Sequence[str], source: Path, folder: Path) -> CallGraph:
    """The graph of a C file, as a GCC with options compiles it into a folder.

    :raises UnboundedStackError: where a function takes as much as its arguments say.
    """
    command = [*gcc, *_OPTIONS, "-c", str(source), "-o", "stack.o"]
    subprocess.run(command, cwd=folder, check=True)
    text = (folder / "stack.ci").read_text()
    bytes_: dict[str, int] = {}
    for name, label in _NODE.findall(text):
        if found := _BYTES.search(label):
            bytes_[name] = int(found[1])
        elif " bytes (" in label:
            raise UnboundedStackError(f"{name} takes stack that depends on its arguments")
    calls: dict[str, set[str]] = {}
    for caller, callee in _EDGE.findall(text):
        calls.setdefault(caller, set()).update(_variants(callee, bytes_))
    return CallGraph(bytes_, {name: frozenset(called) for name, called in calls.items()})


def _variants(name: str, known: dict[str, int]) -> set[str]:
    """The function itself; of one that is compiled for several processors, that for each."""
    if name.endswith(_ALIAS):  # by which a file calls a function that others may call, too
        name = name.removesuffix(_ALIAS).rpartition(":")[2]
    if name in known:
        return {name}
    made = {each for each in known if each.rpartition(".")[0] == name}
    return {each for each in made if not each.endswith(".resolver")} or {name}
