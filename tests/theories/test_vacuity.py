"""Every precondition of the library is shown to be satisfiable by a witness.

That the witness satisfies it is a goal that ``make prove`` proves; that no witness is missing is
checked here, on the text of the library.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.theories.evaluator import LIBRARY, is_evidence

_DECLARATION = re.compile(
    r"^  let (?:rec )?(?:ghost |lemma |function |predicate |constant )?([\w']+)", re.MULTILINE
)
_END = re.compile(r"^(?:  (?:let|lemma|goal|val|predicate|function|constant|clone|use)\b|end\b)")


def needing_a_witness(text: str) -> set[str]:
    """The names of the definitions and facts of a file that have a precondition."""
    lines = text.splitlines()
    found = set()
    for start, line in enumerate(lines):
        declared = _DECLARATION.match(line)
        if declared:
            block = [line]
            for following in lines[start + 1 :]:
                if _END.match(following):
                    break
                block.append(following)
            if any(part.lstrip().startswith("requires") for part in block):
                found.add(declared[1])
    return found


SOURCES = sorted(path for path in LIBRARY.rglob("*.mlw") if not is_evidence(path.stem))
EVIDENCE = " ".join(
    path.read_text() for path in sorted(LIBRARY.rglob("*.mlw")) if is_evidence(path.stem)
)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(LIBRARY)))
def test_every_precondition_has_a_witness(path: Path) -> None:
    applied = set(re.findall(r"[\w']+", re.sub(r"\(\*.*?\*\)", "", EVIDENCE, flags=re.DOTALL)))
    assert needing_a_witness(path.read_text()) - applied == set()


def test_a_missing_witness_is_noticed() -> None:
    text = "module M\n  let f (x: int) : int\n    requires { x > 0 }\n  = x\nend\n"
    assert needing_a_witness(text) == {"f"}
    assert needing_a_witness(text.replace("    requires { x > 0 }\n", "")) == set()
