"""The software bill of materials as CycloneDX 1.6: what the evidence was made with."""

import json
import re
import uuid
from collections.abc import Iterator
from importlib import resources
from typing import Any

from sonnx_formal.report.evidence import Evidence

_LOCKED = re.compile(
    r"^(?P<name>[a-z0-9-]+)==(?P<version>[^\s;]+)(?P<hashes>(?:[^\n]*\\\n\s+--hash=sha256:[0-9a-f]+)*)",
    re.MULTILINE,
)


def bill_of_materials(evidence: Evidence, seal: str) -> str:
    """The project, Why3 and the provers that ran, the locked Python packages.

    :param seal: the SHA-256 of `evidence.json`: the serial number follows from it.
    """
    value = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, seal)}",
        "version": 1,
        "metadata": {"component": _component("sonnx-formal", evidence.version, "application")},
        "components": [*_tools(evidence), *_packages()],
    }
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _component(name: str, version: str, kind: str = "library") -> dict[str, Any]:
    return {"type": kind, "bom-ref": f"{name}@{version}", "name": name, "version": version}


def _tools(evidence: Evidence) -> Iterator[dict[str, Any]]:
    locked = {name for name, _ in _locked()}
    tools = {f"prover {prover.name}": prover.version for prover in evidence.provers}
    if evidence.why3:
        tools["why3"] = evidence.why3
    for tool in evidence.trusted_base.tools if evidence.trusted_base else ():
        if tool.version and tool.name not in locked | {p.name for p in evidence.provers}:
            tools[tool.name] = tool.version
    if evidence.vectors:
        others = evidence.vectors.tools.items()
        tools |= {name: v for name, v in others if name.replace("_", "-") not in locked}
    tools.pop("sonnx-formal", None)
    for name, version in sorted(tools.items()):
        yield _component(name, version, "application")


def _packages() -> Iterator[dict[str, Any]]:
    for name, version in _locked():
        purl = f"pkg:pypi/{name}@{version}"
        yield _component(name, version) | {"bom-ref": purl, "purl": purl}


def _locked() -> list[tuple[str, str]]:
    lock = resources.files("sonnx_formal.cli.setup") / "requirements.lock"
    found = _LOCKED.finditer(lock.read_text(encoding="utf-8"))
    return [(match["name"], match["version"]) for match in found]
