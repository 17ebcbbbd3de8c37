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

from msgspec import field

from sonnx_formal.core.documents import Count, Part
from sonnx_formal.core.errors import UserError
from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.evidence.launcher import Launcher
from sonnx_formal.evidence.question import GoalQuestion
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import first_line
from sonnx_formal.prover.provers import find_provers

_PROCESS = Path(__file__).with_name("proof_process.py")
SIGNATURE = "SONNX_FORMAL_CPC"
"""The variable with the path of the rules that ethos checks by."""
TRUSTED_RULES = frozenset({"TRUST", "TRUST_THEORY_REWRITE"})
"""Steps that cvc5 does not explain; a check believes them."""

_OUT_OF_MEMORY = re.compile(r"bad_alloc|out of memory|MemoryError")


class CertifyOutcome(StrEnum):
    """What came of asking for a proof."""

    PROOF = "proof"
    NO_PROOF = "no proof"
    REFUSED = "refused"
    CONTRADICTION = "contradiction"
    NOT_TRIED = "not tried"


class Certification(Part, frozen=True, kw_only=True, omit_defaults=True):
    """What cvc5 and the checker said; fields that say nothing about the outcome are left out."""

    outcome: CertifyOutcome
    cvc5: str = ""
    """Its version."""
    steps: Count = 0
    """Of the proof."""
    trusted: dict[str, Count] = field(default_factory=dict)
    """Steps that cvc5 does not explain, by rule."""
    checker: str | None = None
    """Who checked the proof besides cvc5; None: it was not independently checked."""
    complete: bool | None = None
    """Whether the checker believed no step; None without a checker."""
    because: str = ""
    """Why there is no proof, or why it is refused."""
    seconds: Count | None = None
    """The limit that was reached; None: no limit was."""


@dataclass(frozen=True)
class Checker:
    """An independent checker of cvc5's proofs."""

    path: str
    name: str
    """With its version."""
    signature: str


@dataclass(frozen=True)
class CertifyQuestion(GoalQuestion[Goal, Certification]):
    """Does cvc5 prove the goal, by a proof that holds step by step?"""

    cvc5: str
    """Its version."""
    checker: Checker | None
    seconds: int
    """Of CPU time that a goal gets."""
    field = "certified"
    subjects = "goals"
    finding = "refused"

    def holds(self, answer: Certification) -> bool:
        """Whether a recorded answer is of this cvc5."""
        return answer.cvc5 == self.cvc5

    def knows(self, answer: Certification) -> bool:
        """Whether asking again could not tell more."""
        if answer.outcome is CertifyOutcome.NO_PROOF and answer.seconds is not None:
            return answer.seconds >= self.seconds
        if answer.outcome is CertifyOutcome.PROOF and self.checker:
            return answer.checker == self.checker.name
        return True

    def is_finding(self, answer: Certification) -> bool:
        """Whether something is wrong with a proof."""
        return answer.outcome in {CertifyOutcome.REFUSED, CertifyOutcome.CONTRADICTION}

    def ask(self, goal: Goal, launch: Launcher) -> Certification:
        """Ask for a proof of one goal. Raises `StoppedError`, `UserError`."""
        command = [sys.executable, "-I", str(_PROCESS)]
        if self.checker:
            command += [self.checker.path, self.checker.signature]
        return self.understood(launch(command, goal.task.text, self.seconds))

    def understood(self, outcome: ProcessEnd) -> Certification:
        """What it means that the process around cvc5 ended so."""
        if outcome.timed_out:
            return self._no_proof("timeout", limited=True)
        try:
            said = json.loads(outcome.stdout)
        except ValueError:
            return self._no_proof("failure", limited=False)
        match said:
            case {"error": error} if _OUT_OF_MEMORY.search(error):
                answer = self._no_proof("out of memory", limited=True)
            case {"error": error}:
                answer = self._wrong(CertifyOutcome.REFUSED, f"cvc5: {error}")
            case {"answer": "unsat"}:
                answer = self._proof(said)
            case {"answer": "sat"}:
                answer = self._wrong(CertifyOutcome.CONTRADICTION, "cvc5 answers sat")
            case _:
                answer = self._no_proof("unknown", limited=False)
        return answer

    def _proof(self, said: dict[str, Any]) -> Certification:
        rules: dict[str, int] = said["rules"]
        verdict = said.get("checker")
        checker = self.checker.name if self.checker else None
        if verdict not in {None, "correct", "incomplete"}:
            return self._wrong(CertifyOutcome.REFUSED, f"{checker}: {verdict}")
        return Certification(
            outcome=CertifyOutcome.PROOF,
            cvc5=self.cvc5,
            steps=sum(rules.values()),
            trusted={name: rules[name] for name in sorted(TRUSTED_RULES & rules.keys())},
            checker=checker,
            complete=None if verdict is None else verdict == "correct",
        )

    def _wrong(self, outcome: CertifyOutcome, because: str) -> Certification:
        return Certification(outcome=outcome, cvc5=self.cvc5, because=because)

    def _no_proof(self, because: str, *, limited: bool) -> Certification:
        return Certification(
            outcome=CertifyOutcome.NO_PROOF,
            cvc5=self.cvc5,
            because=because,
            seconds=self.seconds if limited else None,
        )


def certify_question(seconds: int) -> CertifyQuestion:
    """To the cvc5 of this machine, with the checker that is here.

    Raises `UserError` without cvc5.
    """
    version = next((prover.version for prover in find_provers() if prover.name == "cvc5"), None)
    if version is None:
        raise UserError("cvc5 was not found: see `sonnx-formal doctor`")
    return CertifyQuestion(version, find_checker(), seconds)


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
