"""What cvc5 proves with a proof that is checked, and what became of the check."""

import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import Outcome
from sonnx_formal.evidence.records.each import Launcher
from sonnx_formal.evidence.records.record import Record, Result
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import first_line
from sonnx_formal.prover.provers import find_provers

_PROCESS = Path(__file__).with_name("proof_process.py")
SIGNATURE = "SONNX_FORMAL_CPC"
"""The variable with the path of the rules that ethos checks by."""
TRUSTED_RULES = frozenset({"TRUST", "TRUST_THEORY_REWRITE"})
"""Steps that cvc5 does not explain; a check believes them."""

_OUT_OF_MEMORY = re.compile(r"bad_alloc|out of memory|MemoryError")


class Kind(StrEnum):
    """What came of asking for a proof."""

    PROOF = "proof"
    NO_PROOF = "no proof"
    REFUSED = "refused"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True)
class Checker:
    """An independent checker of cvc5's proofs."""

    path: str
    name: str
    """With its version."""
    signature: str


@dataclass(frozen=True)
class Certifier:
    """How proofs are asked for."""

    cvc5: str
    """Its version."""
    checker: Checker | None
    seconds: int
    """Of CPU time that a goal gets."""

    def holds(self, result: Result) -> bool:
        """Whether a recorded result is about this cvc5."""
        return bool(result["cvc5"] == self.cvc5)

    def knows(self, result: Result) -> bool:
        """Whether asking again could not tell more."""
        if result["outcome"] == Kind.NO_PROOF and result["seconds"] is not None:
            return bool(result["seconds"] >= self.seconds)
        if result["outcome"] == Kind.PROOF and self.checker:
            return bool(result["checker"] == self.checker.name)
        return True

    def __call__(self, goal: Goal, launch: Launcher) -> Result:
        """Ask for a proof of one goal."""
        command = [sys.executable, "-I", str(_PROCESS)]
        if self.checker:
            command += [self.checker.path, self.checker.signature]
        outcome = launch(command, goal.task.text, self.seconds)
        return {"goal": goal.id, "cvc5": self.cvc5} | self._result(outcome)

    def _result(self, outcome: Outcome) -> Result:
        if outcome.timed_out:
            return self._no_proof("timeout", limited=True)
        try:
            said = json.loads(outcome.stdout)
        except ValueError:
            return self._no_proof("failure", limited=False)
        match said:
            case {"error": error} if _OUT_OF_MEMORY.search(error):
                result = self._no_proof("out of memory", limited=True)
            case {"error": error}:
                result = {"outcome": str(Kind.REFUSED), "because": f"cvc5: {error}"}
            case {"answer": "unsat"}:
                result = self._proof(said)
            case {"answer": "sat"}:
                result = {"outcome": str(Kind.CONTRADICTION), "because": "cvc5 answers sat"}
            case _:
                result = self._no_proof("unknown", limited=False)
        return result

    def _proof(self, said: dict[str, Any]) -> Result:
        rules: dict[str, int] = said["rules"]
        verdict = said.get("checker")
        if verdict not in {None, "correct", "incomplete"}:
            assert self.checker
            because = f"{self.checker.name}: {verdict}"
            return {"outcome": str(Kind.REFUSED), "because": because}
        return {
            "outcome": str(Kind.PROOF),
            "steps": sum(rules.values()),
            "trusted": {name: rules[name] for name in sorted(TRUSTED_RULES & rules.keys())},
            "checker": self.checker.name if self.checker else None,
            "complete": None if verdict is None else verdict == "correct",
        }

    def _no_proof(self, because: str, *, limited: bool) -> Result:
        seconds = self.seconds if limited else None
        return {"outcome": str(Kind.NO_PROOF), "because": because, "seconds": seconds}


def certifier(seconds: int) -> Certifier:
    """The cvc5 of this machine, with the checker that is here. Raises `UserError` without cvc5."""
    version = next((one.version for one in find_provers() if one.name == "cvc5"), None)
    if version is None:
        raise UserError("cvc5 was not found: see `sonnx-formal doctor`")
    return Certifier(version, find_checker(), seconds)


def find_checker() -> Checker | None:
    """Ethos on the PATH, with the rules that `SONNX_FORMAL_CPC` names.

    Raises `UserError` when the variable names no file.
    """
    path = shutil.which("ethos")
    signature = os.environ.get(SIGNATURE)
    if path is None or not signature:
        return None
    if not Path(signature).is_file():
        raise UserError(f"{SIGNATURE}={signature}: no such file: name proofs/eo/cpc/Cpc.eo of cvc5")
    match = re.search(r"\d+(\.\d+)+", first_line([path, "--show-config"]))
    version = match[0] if match else "of unknown version"
    return Checker(path, f"ethos {version}", str(Path(signature).resolve()))


def certified_record(library: Path) -> Record:
    """The record of a library."""
    return Record(
        library / "evidence" / "certified.json", "sonnx-formal/certified-record/1", "certify"
    )


def trusted_steps(result: dict[str, Any]) -> int:
    """How many steps of a proof are believed."""
    return sum(result["trusted"].values())
