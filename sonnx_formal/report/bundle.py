"""The folder of a report: evidence, renderings, and all that they are derived from, with hashes."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from sonnx_formal.core.documents import decode, encode
from sonnx_formal.core.files import replaced
from sonnx_formal.report.bill_of_materials import bill_of_materials
from sonnx_formal.report.documents import VECTORS, sha256, text_of
from sonnx_formal.report.evidence import Evidence, assemble
from sonnx_formal.report.junit import junit_xml
from sonnx_formal.report.pdf import date_of_sources, pdf
from sonnx_formal.report.sarif import sarif
from sonnx_formal.report.templates import page, summary
from sonnx_formal.report.trace.summary import as_csv

EVIDENCE = "evidence.json"
PDF = "report.pdf"
SUMS = "SHA256SUMS"
DOCUMENTS = "documents"
SOURCES = "sources"

RENDERINGS: Mapping[str, Callable[[Evidence], str]] = {
    "report.html": page,
    "report.md": summary,
    "junit.xml": junit_xml,
    "report.sarif": sarif,
    "trace.csv": lambda evidence: as_csv(evidence.trace),
    "sbom.cdx.json": bill_of_materials,
}
"""The files that are rendered from the evidence, but for the PDF."""


def write_bundle(
    folder: Path,
    documents: Mapping[str, Mapping[str, Any]],
    sources: Mapping[str, bytes],
    vectors: Path,
    say: Callable[[str], None],
) -> Evidence:
    """Write a report; one that is there already is replaced as a whole, or not at all.

    :param vectors: the folder of the test vectors; need not exist if there is no such document.
    :param say: is told what comes next.
    :raises UserError: when it cannot be written, or the folder holds something else.
    """
    others = (EVIDENCE, PDF, DOCUMENTS, SOURCES, VECTORS, *RENDERINGS)
    with replaced(folder, SUMS, others) as made:
        say(EVIDENCE)
        # What is rendered is what the file says, read back.
        data = encode(assemble(documents, sources))
        evidence = decode(data, Evidence, EVIDENCE)
        files = {EVIDENCE: data}
        for name, document in documents.items():
            if name != VECTORS:  # whose manifest lies with them
                files[f"{DOCUMENTS}/{name}.json"] = text_of(document).encode()
        files |= {f"{SOURCES}/{path}": source for path, source in sources.items()}
        for name, render in RENDERINGS.items():
            say(name)
            files[name] = render(evidence).encode()
        say(PDF)
        files[PDF] = pdf(evidence, date_of_sources())
        for name, content in files.items():
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if VECTORS in documents:
            shutil.copytree(vectors, made / VECTORS)
        (made / SUMS).write_text(sums(made), encoding="utf-8")
    return evidence


def files_in(folder: Path) -> list[str]:
    """The files of a bundle but for `SHA256SUMS`, as paths within it."""
    paths = (path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
    return sorted(path.relative_to(folder).as_posix() for path in paths if path != folder / SUMS)


def sums(folder: Path) -> str:
    """What `sha256sum` prints for the files of a folder."""
    return "".join(f"{sha256((folder / n).read_bytes())}  {n}\n" for n in files_in(folder))
