"""The trace as a table for spreadsheets."""

import csv
import io

from sonnx_formal.report.evidence import Evidence

_COLUMNS = (
    "id", "document", "section", "kind", "status", "levels", "proof", "goals",
    "goals by two families", "vectors", "passes on", "tests", "findings", "gaps", "text",
)  # fmt: skip
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def trace_csv(evidence: Evidence) -> str:
    """A row for each requirement; only the heading where there is no trace."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    for one in evidence.trace.requirements if evidence.trace else ():
        complete = [each for each in one.confirmed_by if each.combinations == each.of]
        row = (
            one.id,
            one.document,
            one.section,
            one.kind,
            one.status,
            ", ".join(one.levels),
            one.proof,
            str(len(one.goals)),
            str(sum(len(goal.families) > 1 for goal in one.goals)),
            ", ".join(f"{each.cases} {each.name}" for each in one.vectors),
            ", ".join(each.implementation for each in complete),
            ", ".join(one.tests),
            ", ".join(one.findings),
            "; ".join(one.gaps),
            one.text,
        )
        writer.writerow(map(_inert, row))
    return file.getvalue()


def _inert(text: str) -> str:
    """A text that a spreadsheet would run as a formula, quoted as it asks for."""
    return f"'{text}" if text.startswith(_FORMULA) else text
