"""What a run looks like: a table by file, the goals that are not proved."""

import re
import shlex
import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from sonnx_formal.core.errors import INTERRUPTED, UserError
from sonnx_formal.core.files import write_atomically
from sonnx_formal.core.terminal import print_by_file, say
from sonnx_formal.prover.plan import GoalRun
from sonnx_formal.prover.prove import ProofRequest, ProofRun
from sonnx_formal.prover.provenance import Mode
from sonnx_formal.prover.provers import Answer
from sonnx_formal.prover.schedule import Disagreement
from sonnx_formal.prover.sequents import counterexample, sequent

_LISTED = 20  # single-family and conditional goals; all of them are in the JSON

_EXPLAINED = 10  # goals that are not proved: Why3 takes its time for each
_SEQUENT_LINES = 12  # the last ones; all of them are in the file

ALL_PROVED, NOT_PROVED, REJECTED, DISAGREEMENT = 0, 1, 2, 3


def exit_status(found: ProofRun) -> int:
    """Zero only if everything is proved, and rests on nothing that is not."""
    if found.disagreement:
        return DISAGREEMENT
    if found.interrupted:
        return INTERRUPTED
    if found.rejected:
        return REJECTED
    proved = all(run.proved for run in found.runs) and not found.conditional
    return ALL_PROVED if proved else NOT_PROVED


def print_summary(console: Console, found: ProofRun, request: ProofRequest, evidence: Path) -> None:
    """The whole run in words; tasks worth a look are kept in the folder `evidence`."""
    provers = ", ".join(f"{prover.name} {prover.version}" for prover in found.provers)
    say(console, f"Why3 {found.why3.version}; {provers}")
    row = partial(_row, found=found)
    print_by_file(console, found.runs, lambda run: run.goal.id, row)
    say(console, *_lines(found, request, evidence))


def _row(runs: Sequence[GoalRun], found: ProofRun) -> dict[str, object]:
    conditional = sum(run.goal.id in found.conditional for run in runs)
    proved = sum(run.proved for run in runs)
    spent = sum(v.seconds for run in runs for v in run.verdicts if not v.cached)
    by_prover = Counter(name for run in runs for name in {proof.prover for proof in run.proofs})
    proofs = {prover.name: by_prover[prover.name] for prover in found.provers}
    open_ = sum(run.open for run in runs)
    numbers = {"total": len(runs), "proved": proved - conditional, **proofs}
    numbers |= {"conditional": conditional} if found.conditional else {}
    numbers |= {"unproved": len(runs) - proved - open_}
    numbers |= {"open": open_} if any(run.open for run in found.runs) else {}
    return numbers | {"seconds": f"{spent:.1f}"}


def _lines(found: ProofRun, request: ProofRequest, evidence: Path) -> Iterator[str]:
    proved = [run for run in found.runs if run.proved and run.goal.id not in found.conditional]
    two_families = sum(len(run.families) > 1 for run in proved)
    cached = sum(all(proof.cached for proof in run.proofs) for run in proved)
    unsplit = sum(any(proof.unsplit for proof in run.proofs) for run in proved)
    cache = f"{cached} from the cache"
    if request.mode is not Mode.NORMAL:
        cache = f"mode {request.mode}: the cache was not used"
    yield (
        f"\n{len(proved)} of {len(found.runs)} goals proved in {found.made.took:,.1f} s; "
        f"{unsplit} by proofs of goals before they are split; {two_families} by two families; "
        f"{cache}"
    )
    if found.disagreement:
        yield from _disagreement(found.disagreement, evidence)
        return
    if request.families > 1:
        yield from _single_family([run for run in proved if len(run.families) == 1])
    yield from _conditional(found)
    yield from _rests_on(found)
    open_ = sum(run.open for run in found.runs)
    if found.interrupted:
        yield (
            f"interrupted: {open_} goals are open, and those of files that were not read yet; "
            "the finished ones are kept"
        )
    elif open_:
        yield f"stopped at the first failure: {open_} goals are open"
    unproved = [run for run in found.runs if not (run.proved or run.open)]
    for place, run in enumerate(unproved):
        yield from _unproved(run, evidence)
        if place < _EXPLAINED and not found.interrupted:
            yield from _explained(run, found, evidence)
    if found.rejected:
        yield "\nWhy3 does not accept:"
        yield from found.rejected
    if unproved and request.mode is Mode.REPLAY:
        yield "\nTo go on: `sonnx-formal prove` proves them anew and updates the certificate."
    elif unproved:
        yield (
            "\nTo go on: read the goal at its line (`sat` hints that it is false); put an assertion"
            "\nor a lemma before it; give it more time with --timeout; or run a prover on the task."
        )


def _unproved(run: GoalRun, evidence: Path) -> Iterator[str]:
    goal = run.goal
    yield f"\nnot proved: {goal}"
    if run.reason or not run.verdicts:
        yield f"  {run.reason or 'no prover could be tried'}"
    for verdict in run.verdicts:
        line = f"  {verdict.prover}: {verdict.answer}, {verdict.seconds:.1f} s"
        if verdict.cached:
            line += ", from the cache"
        if verdict.answer is Answer.FAILURE:
            said = verdict.output.strip().partition("\n")[0]
            line += f", it printed: {said[:100]}" if said else ", it printed nothing"
        yield line
    yield f"  task: {_keep(evidence, goal.id, goal.task.text)}"
    folders = " ".join(f"-L {shlex.quote(str(folder))}" for folder in goal.source.load_path)
    file = shlex.quote(str(goal.source.path))
    yield f"  in Why3's IDE: why3 ide {folders} {file}, module {goal.module}, goal {goal.name}"


def _explained(run: GoalRun, found: ProofRun, evidence: Path) -> Iterator[str]:
    """What is to be shown, and numbers for which it is false where a prover has some."""
    try:
        said = sequent(found.why3, run.goal)
    except UserError:  # the file was edited meanwhile, or Why3 does not find the goal by its name
        return
    yield f"  premises and conclusion: {_keep(evidence, run.goal.id, said, 'txt')}"
    yield textwrap.indent(_ending(said), "    ")
    refuted = {verdict.prover for verdict in run.attempts if verdict.answer is Answer.SAT}
    for prover in found.provers:
        if prover.name in refuted & {"z3"} and (values := counterexample(prover, run.goal, said)):
            yield f"  false, says {prover.name}, for {values}"


def _ending(text: str) -> str:
    lines = text.splitlines()
    left_out = len(lines) - _SEQUENT_LINES
    return "\n".join([f"({left_out} lines before)", *lines[left_out:]] if left_out > 0 else lines)


def _conditional(found: ProofRun) -> Iterator[str]:
    if found.conditional:
        yield f"\n{len(found.conditional)} goals are proved, but rest on what is not:"
    for goal, below in [*found.conditional.items()][:_LISTED]:
        yield f"  {goal} rests on {below}"
    if len(found.conditional) > _LISTED:
        yield f"  and {len(found.conditional) - _LISTED} more (--json lists them all)"


def _rests_on(found: ProofRun) -> Iterator[str]:
    """What the proofs take as true."""
    if not found.rests_on:
        return
    open_ = [used.file for used in found.rests_on if not used.proved]
    proved = len(found.rests_on) - len(open_)
    yield f"rests on {len(found.rests_on)} files: {proved} proved, {len(open_)} not checked"
    if open_:
        yield (
            f"  not checked, as they are at present: {', '.join(open_)}\n"
            "  What is proved here holds if these are: `sonnx-formal prove` proves all of them."
        )


def _single_family(single: Sequence[GoalRun]) -> Iterator[str]:
    if single:
        yield f"\n{len(single)} goals proved by one family only:"
    for run in single[:_LISTED]:
        yield f"  {run.goal.id} ({', '.join(proof.prover for proof in run.proofs)})"
    if len(single) > _LISTED:
        yield f"  and {len(single) - _LISTED} more (--json lists them all)"


def _disagreement(found: Disagreement, evidence: Path) -> Iterator[str]:
    yield (
        f"\nDISAGREEMENT on {found.goal.id}: {found.valid.prover} {found.valid.version} says it is "
        f"valid, {found.sat.prover} {found.sat.version} says it is not. One of them is wrong, so "
        "no verdict of this run can be relied on."
    )
    yield f"  task: {_keep(evidence, found.goal.id, found.task.text)}"
    for verdict in (found.valid, found.sat):
        name = f"{found.goal.id}.{verdict.prover}"
        yield f"  {verdict.prover}: {_keep(evidence, name, verdict.output, 'txt')}"


def _keep(folder: Path, name: str, text: str, suffix: str = "smt2") -> str:
    plain = re.sub(r"[^\w.+-]", "_", name)
    path = folder / f"{plain}.{suffix}"
    try:
        write_atomically(path, text)
    except OSError as error:
        return f"could not be kept in {folder} ({error.strerror})"
    return str(path)
