"""What every goal of a module assumes: the task of a goal `false` that stands last in it."""

import hashlib
from dataclasses import dataclass

from sonnx_formal.core.errors import UserError
from sonnx_formal.prover.cache import Cache
from sonnx_formal.prover.installation import Why3
from sonnx_formal.prover.tasks import DRIVER, Task
from sonnx_formal.prover.whyml.library import Library
from sonnx_formal.prover.whyml.workshop import RejectedError, Workshop

_GOAL = "context_of_"  # and the name of the module: a clone may bring another such goal


@dataclass(frozen=True)
class Context:
    """What is defined, stated and used in a module, and no assumption of a goal's own."""

    id: str
    """`<file>:<module>`."""
    task: Task


def contexts(why3: Why3, library: Library, file: str, cache: Cache) -> list[Context]:
    """The contexts of the modules of a file, in its order. Raises `UserError`."""
    names = [f"{file}:{module.name}" for module in library.modules[file]]
    key = {
        "format": 1,
        "why3": why3.version,
        "driver": hashlib.sha256(DRIVER.read_bytes()).hexdigest(),
        "file": file,
        "sources": library.digest([file]),
    }
    texts = cache.read("contexts", key)
    if texts is None:
        texts = _texts(why3, library, file)
        cache.write("contexts", key, texts)
    if len(texts) != len(names):
        raise UserError(f"{file}: internal error: {len(texts)} contexts of {len(names)} modules")
    return [Context(name, Task.of(text)) for name, text in zip(names, texts, strict=True)]


def _texts(why3: Why3, library: Library, file: str) -> list[str]:
    text = library.texts[file]
    modules = library.modules[file]
    for module in reversed(modules):
        goal = f"  goal {_GOAL}{module.name}: false\n"
        text = f"{text[: module.end]}\n{goal}{text[module.end :]}"
    workshop = Workshop(why3, library.texts)
    try:
        workshop.edit(file, text)
        names = [module.name for module in modules]
        goals = workshop.goals(file, names, [f"{_GOAL}{name}" for name in names])
    except RejectedError as error:
        raise UserError(f"{file}: {error}") from None
    finally:
        workshop.close()
    tasks = {goal.id.partition(f".{_GOAL}")[0]: goal.task.text for goal in goals}
    return [tasks[f"{file}:{name}"] for name in names if f"{file}:{name}" in tasks]
