"""The command `certify`: which goals does cvc5 prove with a proof that is checked step by step?"""

import json
import math
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import assert_never

from msgspec import structs
from rich.console import Console

from sonnx_formal.core.documents import Sha256
from sonnx_formal.core.errors import INTERRUPTED, UserError
from sonnx_formal.core.processes import ProcessEnd
from sonnx_formal.core.terminal import Progress, print_by_file, say
from sonnx_formal.core.texts import counted
from sonnx_formal.evidence.inquiry import Effort, End, GoalQuestion, Selection, inquire
from sonnx_formal.evidence.records import Certification, CertifyOutcome
from sonnx_formal.prover.certificate import RecordedGoal, certificate_path, read_certificate
from sonnx_formal.prover.cores import Core, restricted
from sonnx_formal.prover.goals import Goal
from sonnx_formal.prover.installation import first_line
from sonnx_formal.prover.launcher import Launcher
from sonnx_formal.prover.provenance import MadeDocument
from sonnx_formal.prover.provers import find_provers
from sonnx_formal.prover.site import Program, ProgramCall
from sonnx_formal.prover.tasks import Task

_PROCESS = Path(__file__).with_name("proof_process.py")
PROOFS = "cvc5 with proofs"
"""The name of the process around cvc5, as a program."""
SIGNATURE = "SONNX_FORMAL_CPC"
"""The variable with the path of the rules that ethos checks by."""
_TRUSTED_RULES = {"TRUST", "TRUST_THEORY_REWRITE"}  # steps not explained; a check believes them
_WRONG = {CertifyOutcome.REFUSED, CertifyOutcome.CONTRADICTION}
_OUT_OF_MEMORY = re.compile(r"bad_alloc|out of memory|MemoryError")


class CertifiedGoal(Certification, frozen=True, kw_only=True, omit_defaults=True):
    """A goal, and whether a proof of it was written out and checked."""

    id: str
    task_sha256: Sha256

    @property
    def without_proof(self) -> str | None:
        """Why there is no proof of it that holds; None where there is one."""
        match self.outcome:
            case CertifyOutcome.PROOF:
                return None
            case CertifyOutcome.NO_PROOF:
                return self.because
            case CertifyOutcome.NOT_TRIED:
                return str(self.outcome)
            case CertifyOutcome.REFUSED | CertifyOutcome.CONTRADICTION:
                return f"{self.outcome}: {self.because}"
            case _:
                assert_never(self.outcome)


class CertifiedProofs(MadeDocument, frozen=True, tag="sonnx-formal/certified/5"):
    """Proofs that were checked step by step."""

    command = "certify --json PATH"

    checker: str | None
    """The independent checker of this machine; None: there is none."""
    goals: tuple[CertifiedGoal, ...]
    interrupted: bool

    @property
    def checked(self) -> frozenset[tuple[str, str]]:
        """The goals whose proof was checked: ids, and hashes of their texts."""
        proofs = (goal for goal in self.goals if goal.outcome is CertifyOutcome.PROOF)
        return frozenset((goal.id, goal.task_sha256) for goal in proofs)

    @property
    def without_proof(self) -> Mapping[str, int]:
        """How many goals have no proof for which reason, the most frequent first."""
        return dict(
            Counter(why for goal in self.goals if (why := goal.without_proof)).most_common()
        )


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
    """Of CPU time that a goal gets, and so much once more if its core is not enough."""
    cores: Mapping[str, Core] = field(default_factory=dict, repr=False)
    """The assertions that are enough for a proof, by the digest of the task."""
    field = "certified"
    subjects = "goals"
    finding = "refused"

    def holds(self, answer: Certification) -> bool:
        return answer.cvc5 == self.cvc5

    def knows(self, answer: Certification) -> bool:
        if answer.outcome is CertifyOutcome.NO_PROOF and answer.seconds is not None:
            return answer.seconds >= self.seconds
        if answer.outcome is CertifyOutcome.PROOF and self.checker:
            return answer.checker == self.checker.name
        return True

    def is_finding(self, answer: Certification) -> bool:
        return answer.outcome in _WRONG

    def ask(self, goal: Goal, launch: Launcher) -> Certification:
        program = proof_program(self.cvc5, self.checker)

        def of(task: Task) -> Certification:
            return self.understood(launch(ProgramCall(program, (), task.text, self.seconds)))

        if core := self.cores.get(goal.task.sha256):
            found = of(restricted(goal.task, core))
            if found.outcome in {CertifyOutcome.PROOF, CertifyOutcome.REFUSED}:
                return found  # anything else says nothing about the whole task
        return of(goal.task)

    def understood(self, ended: ProcessEnd) -> Certification:
        """What it means that the process around cvc5 ended so."""
        if ended.timed_out:
            return self._answer("timeout", seconds=self.seconds)
        try:
            said = json.loads(ended.stdout)
        except ValueError:
            return self._answer("failure")
        match said:
            case {"error": error} if _OUT_OF_MEMORY.search(error):
                answer = self._answer("out of memory", seconds=self.seconds)
            case {"error": error}:
                answer = self._answer(f"cvc5: {error}", CertifyOutcome.REFUSED)
            case {"answer": "sat"}:
                answer = self._answer("cvc5 answers sat", CertifyOutcome.CONTRADICTION)
            case {"answer": "unsat", "rules": rules}:
                answer = self._proof(rules, said.get("checker"))
            case _:
                answer = self._answer("unknown")
        return answer

    def _proof(self, rules: dict[str, int], verdict: str | None) -> Certification:
        checker = self.checker.name if self.checker else None
        if verdict not in {None, "correct", "incomplete"}:
            return self._answer(f"{checker}: {verdict}", CertifyOutcome.REFUSED)
        return Certification(
            outcome=CertifyOutcome.PROOF,
            cvc5=self.cvc5,
            steps=sum(rules.values()),
            trusted={name: rules[name] for name in sorted(_TRUSTED_RULES & rules.keys())},
            checker=checker,
            complete=None if verdict is None else verdict == "correct",
        )

    def _answer(
        self,
        because: str,
        outcome: CertifyOutcome = CertifyOutcome.NO_PROOF,
        seconds: int | None = None,
    ) -> Certification:
        return Certification(outcome=outcome, cvc5=self.cvc5, because=because, seconds=seconds)


def proof_program(cvc5: str, checker: Checker | None) -> Program:
    """The process around a cvc5 of this version, and the checker that it asks."""
    command = (sys.executable, "-I", str(_PROCESS))
    if checker is None:
        return Program(PROOFS, cvc5, command)
    return Program(PROOFS, f"{cvc5}, {checker.name}", (*command, checker.path, checker.signature))


def certify_question(seconds: int) -> CertifyQuestion:
    """To the cvc5 of this machine, with the checker here. Raises `UserError` without cvc5."""
    version = next((prover.version for prover in find_provers() if prover.name == "cvc5"), None)
    if version is None:
        raise UserError("cvc5 was not found: see `sonnx-formal doctor`")
    return CertifyQuestion(version, find_checker(), seconds)


def find_checker() -> Checker | None:
    """Ethos on the PATH, by the rules of `SONNX_FORMAL_CPC`. Raises `UserError` without a file.

    An ethos that cannot require a proof of false is refused, too: every proof would look wrong.
    """
    path = shutil.which("ethos")
    signature = os.environ.get(SIGNATURE)
    if path is None or not signature:
        return None
    if not Path(signature).is_file():
        raise UserError(f"{SIGNATURE}={signature}: no such file: name proofs/eo/cpc/Cpc.eo of cvc5")
    try:
        says = first_line([path, "--require-proof-of-false", "--show-config"])
    except UserError as error:
        raise UserError(f"{error} An ethos after 0.2.3 is needed: build its sources") from None
    match = re.search(r"\d+(\.\d+)+", says)
    version = match[0] if match else "of unknown version"
    return Checker(path, f"ethos {version}", str(Path(signature).resolve()))


def certify(
    selection: Selection, question: CertifyQuestion, effort: Effort, progress: Progress
) -> CertifiedProofs:
    """Ask about each goal whose recorded result does not hold. Raises `UserError`."""
    provers = {"cvc5": question.cvc5}
    made = effort.provenance(
        selection.library, selection.asked_for, provers, timeout=question.seconds
    )
    certificate = read_certificate(certificate_path(selection.library))
    recorded = certificate.goals if certificate else {}
    question = replace(question, cores=_cores(recorded))
    in_order = _likely_first(selection.goals, recorded)
    found = inquire(selection, in_order, question, effort, progress)
    not_tried = Certification(outcome=CertifyOutcome.NOT_TRIED)
    goals = tuple(
        CertifiedGoal(
            id=goal.id,
            task_sha256=goal.task.sha256,
            **structs.asdict(found.answers.get(goal.task.sha256, not_tried)),
        )
        for goal in selection.goals
    )
    checker = question.checker.name if question.checker else None
    return CertifiedProofs(
        effort.ended(made, found.from_record), checker, goals, found.end is End.INTERRUPTED
    )


def _cores(recorded: Mapping[str, RecordedGoal]) -> dict[str, Core]:
    """Of the recorded goals that have one, by the digests of their tasks."""
    return {goal.task_sha256: goal.core for goal in recorded.values() if goal.core}


def _likely_first(goals: Sequence[Goal], recorded: Mapping[str, RecordedGoal]) -> list[Goal]:
    """Those that cvc5 has proved by the certificate, the shortest proofs first; then the others."""
    steps = {
        name: proof.steps or 0
        for name, goal in recorded.items()
        for proof in goal.proofs
        if proof.prover == "cvc5"
    }
    return sorted(goals, key=lambda goal: steps.get(goal.id, math.inf))


def exit_status(certified: CertifiedProofs) -> int:
    """Zero only if every goal was tried and nothing was refused."""
    found = _counts(certified.goals)
    return INTERRUPTED if certified.interrupted else int(found["refused"] + found["not tried"] > 0)


def print_certified(console: Console, certified: CertifiedProofs) -> None:
    print_by_file(console, certified.goals, lambda goal: goal.id, _counts)
    for goal in certified.goals:
        if goal.outcome in _WRONG:
            say(console, f"{goal.outcome}: {goal.id}: {goal.because}")
    found = _counts(certified.goals)
    say(
        console,
        f"\n{found['proof']} of {found['goals']} goals have a proof of which cvc5 has checked each "
        f"step; {found['without trusted steps']} have no step that is only trusted; "
        f"{found['independently checked']} checked independently",
    )
    if unchecked := found["proof"] - found["independently checked"]:
        say(console, f"{unchecked} proofs: not independently checked")
    for why, number in certified.without_proof.items():
        say(console, f"no proof of {counted(number, 'goal')}: {why}")
    if found["not tried"]:
        end = End.INTERRUPTED if certified.interrupted else End.OUT_OF_TIME
        say(console, f"{end}: {found['not tried']} goals were not tried")


def _counts(goals: Sequence[CertifiedGoal]) -> dict[str, int]:
    outcomes = Counter(goal.outcome for goal in goals)
    proofs = [goal for goal in goals if goal.outcome is CertifyOutcome.PROOF]
    return {
        "goals": len(goals),
        "proof": len(proofs),
        "without trusted steps": sum(not goal.trusted for goal in proofs),
        "independently checked": sum(goal.complete is True for goal in proofs),
        "no proof": outcomes[CertifyOutcome.NO_PROOF],
        "refused": sum(outcomes[outcome] for outcome in _WRONG),  # with contradictions
        "not tried": outcomes[CertifyOutcome.NOT_TRIED],
    }
