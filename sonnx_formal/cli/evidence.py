"""The commands of slow evidence, which keep a record; and `trusted-base`, of what has none."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from sonnx_formal.cli.conventions import (
    CORES,
    CommandOutcome,
    Option,
    a_time,
    exit_codes,
    number_option,
    reporting,
    scheduler_option,
)
from sonnx_formal.cluster.connection import cluster_at
from sonnx_formal.core.terminal import Progress
from sonnx_formal.evidence import certify, hypotheses, settling, stability, vacuity
from sonnx_formal.evidence.inquiry import Effort, is_known, select
from sonnx_formal.evidence.mutation import mutate
from sonnx_formal.evidence.trust.base import TrustedBase, print_base, read_ledger, trusted_base
from sonnx_formal.prover.installation import find_why3
from sonnx_formal.prover.sources import find_library

_Files = tuple[Path, ...]


def _recording(
    name: str, subjects: str, seconds: int | None = None
) -> Callable[[Callable[..., CommandOutcome[Any]]], click.Command]:
    """A command with FILE, and `--jobs`, `--budget`, `--fresh` and `--scheduler` as `effort`.

    :param subjects: the word for what is worked on, such as `Goals`.
    :param seconds: the default of `--timeout`; without it there is no such option.
    """
    decorators: list[Option] = [
        click.argument("files", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path)),
        number_option("--jobs", CORES, f"{subjects} at a time.", show_default="all cores"),
        scheduler_option(),
        click.option(
            "--budget",
            metavar="SECONDS",
            type=click.FloatRange(min=0, max=1_000_000),
            callback=a_time,
            help="Leave the rest for the next run after so long; 0 only shows the record.",
        ),
        click.option("--fresh", is_flag=True, help="Ask again what the record knows."),
    ]
    if seconds:
        time = number_option("--timeout", seconds, "CPU time that a goal gets.", metavar="SECONDS")
        decorators.insert(1, time)

    def decorate(work: Callable[..., CommandOutcome[Any]]) -> click.Command:
        @reporting("Write the result as JSON.")
        @functools.wraps(work)
        def command(
            *,
            jobs: int,
            budget: float | None,
            fresh: bool,
            scheduler: str | None,
            progress: Progress,
            **others: Any,
        ) -> CommandOutcome[Any]:
            with cluster_at(scheduler, progress) as cluster:
                effort = Effort(jobs, budget, fresh, cluster)
                return work(effort=effort, progress=progress, **others)

        decorated: Callable[..., int] = command
        for decorator in reversed(decorators):
            decorated = decorator(decorated)
        return click.command(name)(decorated)

    return decorate


@_recording("certify", "Goals", seconds=20)
@exit_codes(
    "every goal was tried, every proof holds (no proof is no error)",
    "a proof was refused, cvc5 contradicts a proof, or a goal was not tried",
)
def certify_command(
    files: _Files, timeout: int, effort: Effort, progress: Progress
) -> CommandOutcome[certify.CertifiedProofs]:
    """Have cvc5 prove goals with proofs that are checked.

    Each FILE may be a folder; none stands for the whole library. What comes of it is kept in
    why3/evidence/goals/, and only what is missing there is asked. With the checker ethos on
    the PATH, and the rules of cvc5's proofs (proofs/eo/cpc/Cpc.eo in its sources) named by
    SONNX_FORMAL_CPC, the proofs are checked independently, too.
    """
    question, library = certify.certify_question(timeout), find_library()
    known = is_known(library, question, effort)
    selection = select(library, files, effort.jobs, progress, known)
    found = certify.certify(selection, question, effort, progress)
    return CommandOutcome(found, certify.print_certified, certify.exit_status(found))


@_recording("hypotheses", "Goals", seconds=5)
@exit_codes(
    "each precondition is used, or unused for a reason, or undetermined",
    "one is unused for no reason, a reason is obsolete, or the time was up",
)
def hypotheses_command(
    files: _Files, timeout: int, effort: Effort, progress: Progress
) -> CommandOutcome[hypotheses.UseOfHypotheses]:
    """List the preconditions of functions that no proof uses.

    Each FILE may be a folder; none stands for the whole library. Provers are asked for unsat cores,
    which are kept in why3/evidence/goals/. The reasons of preconditions that stay though
    no proof uses them are in why3/evidence/unused_preconditions.toml.
    """
    question, library = hypotheses.cores_question(timeout), find_library()
    known = hypotheses.is_known_without_text(is_known(library, question, effort))
    selection = select(library, files, effort.jobs, progress, known)
    found = hypotheses.find_use(selection, question, effort, progress)
    return CommandOutcome(found, hypotheses.print_use, hypotheses.exit_status(found))


@_recording("mutate", "Mutants")
@exit_codes(
    "every mutant was tried, enough were killed, every survivor has a reason",
    "otherwise",
    interrupted="interrupted: what is finished is kept",
)
def mutate_command(
    files: _Files, effort: Effort, progress: Progress
) -> CommandOutcome[mutate.Mutation]:
    """Edit definitions wrongly, and see whether a goal notices.

    Each mutant is one slip in the body or the contract of a definition. It is killed by a goal that
    is not proved any more, and is no mutant if it is proved to mean the same. Those of each FILE
    are tried, or of the whole library but examples and witnesses: of a folder with many mutants
    a sample, which is always the same. The record, why3/evidence/mutants.jsonl, keeps what became
    of each as long as its sources are the same; mutation.toml beside it has the reasons for
    survivors.

    \b
    Examples:
      sonnx-formal mutate why3/ops/mul/definition.mlw
      sonnx-formal mutate --budget 600
    """
    found = mutate.mutate(find_library(), files, effort, progress)
    return CommandOutcome(found, mutate.print_mutation, mutate.exit_status(found))


@_recording("stability", "Proofs")
@exit_codes(
    "every recorded proof goes through with every seed, and with other names",
    "one does not, or was not tried",
    interrupted="interrupted: what is finished is kept",
)
@click.option(
    "--settle",
    is_flag=True,
    help="First look for stable proofs of the goals that have unstable ones.",
)
def stability_command(
    *, files: _Files, effort: Effort, settle: bool, progress: Progress
) -> CommandOutcome[stability.StabilityReport]:
    """Repeat recorded proofs under other seeds and other names.

    A proof that depends on the prover's luck is lost with the next version of the prover, or with
    an edit of something else. Each proof of the certificate, of each FILE or of the whole library,
    is repeated within the steps of a replay: under five seeds of what the prover chooses at random,
    and with other names for all symbols. What comes of it is kept in the certificate as long as the
    proof is the same.

    \b
    Examples:
      sonnx-formal stability why3/ops/mul
      sonnx-formal stability --budget 600
      sonnx-formal stability --settle
    """
    library = find_library()
    if settle:
        settling.settle(library, files, effort, progress)
    found = stability.find_stability(library, files, effort, progress)
    return CommandOutcome(found, stability.print_stability, stability.exit_status(found))


@_recording("vacuity", "Questions")
@exit_codes(
    "all was asked, every contradiction has a reason, every precondition a witness",
    "otherwise",
    interrupted="interrupted: what is finished is kept",
)
def vacuity_command(
    files: _Files, effort: Effort, progress: Progress
) -> CommandOutcome[vacuity.Vacuity]:
    """Look for goals that are proved of nothing.

    Whatever follows from hypotheses that contradict each other is no result. Of each module and of
    each goal of each FILE, or of the whole library, provers are asked for a contradiction in what
    is assumed, within few steps. The record, why3/evidence/goals/, keeps the answers as long as the
    goals are the same; vacuity.toml beside it has the reasons for cases that cannot occur.
    Preconditions are counted with their witnesses.

    \b
    Examples:
      sonnx-formal vacuity why3/ops/mul.mlw
      sonnx-formal vacuity --budget 600
    """
    found = vacuity.find_vacuity(find_library(), files, effort, progress)
    return CommandOutcome(found, vacuity.print_vacuity, vacuity.exit_status(found))


@click.command("trusted-base")
@reporting("Write the trusted base as JSON.")
@exit_codes("the ledger accounts for everything", "something is unaccounted for, or is gone")
def trusted_base_command(progress: Progress) -> CommandOutcome[TrustedBase]:
    """List what is believed without a proof.

    Axioms, theories and drivers of Why3, tools, assumptions; the ledger is why3/trusted_base.toml,
    with what each is trusted for and what would show an error.
    """
    progress("reading what is believed")
    library = find_library()
    found = trusted_base(library, find_why3(), read_ledger(library))
    return CommandOutcome(found, print_base, 1 if found.differences else 0)
