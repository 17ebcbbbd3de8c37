"""A committed file of results, a line each, by the SHA-256 of the task that they are about.

A result about a task holds for as long as a goal has that task: what is stale is not found.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.files import write_atomically
from sonnx_formal.prover.goals import Goal

Result = dict[str, Any]
"""JSON values; `goal`, the id of a goal with the task, is for the reader."""


@dataclass(frozen=True)
class Record:
    """Where results lie, what kind they are, and the command that makes them."""

    path: Path
    schema: str
    command: str

    def read(self) -> dict[str, Result]:
        """The results by task; none when there is no file.

        :raises UserError: when the file cannot be read.
        """
        try:
            stored = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise UserError(f"{self.path}: {error.strerror}") from None
        except ValueError as error:
            raise self._unreadable(str(error)) from None
        try:
            schema, results = stored["schema"], stored["tasks"]
            sound = all(isinstance(one["goal"], str) for one in results.values())
        except (KeyError, TypeError, AttributeError) as error:
            raise self._unreadable(f"missing or malformed field: {error}") from None
        if schema != self.schema or not sound:
            raise self._unreadable(f"its schema is {schema}, not {self.schema}")
        return dict(results)

    def write(self, results: dict[str, Result]) -> None:
        """Write the results, by goal. Raises `UserError` when that is impossible."""
        lines = [
            f"    {json.dumps(task)}: {json.dumps(result)}"
            for task, result in sorted(results.items(), key=lambda one: (one[1]["goal"], one[0]))
        ]
        tasks = "{\n" + ",\n".join(lines) + "\n  }" if lines else "{}"
        text = f'{{\n  "schema": {json.dumps(self.schema)},\n  "tasks": {tasks}\n}}\n'
        try:
            write_atomically(self.path, text)
        except OSError as error:
            raise UserError(f"{self.path} could not be written: {error.strerror}") from None

    def _unreadable(self, why: str) -> UserError:
        return UserError(
            f"{self.path} is not a readable record ({why}): "
            f"restore it from version control, or delete it and run `sonnx-formal {self.command}`"
        )


def current(
    results: dict[str, Result], goals: Collection[Goal], files: Collection[str]
) -> dict[str, Result]:
    """The results without those about goals of these files that are no more.

    :param goals: all goals of the files.
    """
    tasks = {goal.task.sha256 for goal in goals}
    return {
        task: result
        for task, result in results.items()
        if task in tasks or result["goal"].partition(":")[0] not in files
    }
