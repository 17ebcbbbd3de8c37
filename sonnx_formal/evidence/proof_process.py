"""The process around cvc5 that asks it for a proof, and has the proof checked.

    python proof_process.py [CHECKER SIGNATURE]

A task on standard input, one JSON object on standard output. cvc5 checks each step when it makes
it (`proof-check=eager`) and the whole at the end (`check-proofs`); a step that is wrong ends it.
CHECKER is the program ethos, which then goes through the proof once more, independently: every
step by the rules in SIGNATURE, every assumption an assertion of the task, the last step `false`.
"""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from typing import Any

import cvc5

OPTIONS = {
    "produce-proofs": "true",
    "check-proofs": "true",
    "proof-check": "eager",
    # The finest steps there are: rewrites are proved one by one where cvc5 can.
    "proof-granularity": "dsl-rewrite",
}


def main() -> None:
    task = sys.stdin.read()
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    for name, value in OPTIONS.items():
        solver.setOption(name, value)
    if len(sys.argv) > 1:  # the symbols of the proof are then those of the task
        solver.setOption("proof-print-reference", "true")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, task, "task")
    symbols = parser.getSymbolManager()
    said = ""
    while not (command := parser.nextCommand()).isNull():
        said += command.invoke(solver, symbols) or ""
    found: dict[str, Any] = {"answer": said.strip()}
    if found["answer"] == "unsat":
        proofs = solver.getProof()
        found["rules"] = rules(proofs)
        if len(sys.argv) > 1:
            checker, signature = sys.argv[1:]
            text = b"".join(map(solver.proofToString, proofs))
            found["checker"] = check(checker, signature, task, text)
    print(json.dumps(found))


def rules(proofs: list[Any]) -> dict[str, int]:
    """How many steps there are of each rule; a step that is used twice counts once."""
    seen = set(proofs)
    waiting = list(proofs)
    counts: Counter[str] = Counter()
    while waiting:
        step = waiting.pop()
        counts[step.getRule().name] += 1
        new = [child for child in step.getChildren() if child not in seen]
        waiting += dict.fromkeys(new)
        seen.update(new)
    return dict(counts)


def check(checker: str, signature: str, task: str, proof: bytes) -> str:
    """What the checker prints last: `correct`, `incomplete` or an error."""
    with _memory_file(as_reference(task).encode()) as reference, _memory_file(b"") as written:
        # As commands: ethos forgets about a reference that is an option.
        head = f'(include "{signature}")\n(reference "/dev/fd/{reference.fileno()}")\n'
        # Through a pipe: a file of this process may not grow as long as a proof can.
        done = subprocess.run(
            [checker, "--require-proof-of-false", "/dev/stdin"],
            input=head.encode() + proof.strip().removeprefix(b"(").removesuffix(b")"),
            stdout=subprocess.PIPE,
            stderr=written,
            pass_fds=[reference.fileno()],
            check=False,
        )
        written.seek(0)
        said = written.read().decode(errors="replace")
    errors = [str(line) for line in said.splitlines() if line.startswith("Error: ")]
    lines = [line for line in done.stdout.decode(errors="replace").splitlines() if line.strip()]
    if done.returncode == 0 and lines and lines[-1] in {"correct", "incomplete"}:
        return str(lines[-1])
    return (errors[0] if errors else f"ended with {done.returncode}")[:200]


def as_reference(task: str) -> str:
    """A task in words that ethos knows: the test for a constructor C is `is C`, not `is-C`."""
    return re.sub(r"\(is-([^\s()]+)", r"(is \1", task)


def _memory_file(content: bytes) -> Any:
    file = os.fdopen(os.memfd_create("sonnx-formal"), "w+b")
    file.write(content)
    file.seek(0)
    file.flush()
    return file


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:  # what the bindings raise, for a wrong proof as for no memory
        print(json.dumps({"error": str(error)[:500]}))
