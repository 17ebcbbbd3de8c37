"""The software bill of materials as CycloneDX 1.6: what the evidence was made with."""

import re
import uuid
from importlib import resources
from typing import Any

from sonnx_formal.core.documents import encode
from sonnx_formal.report.documents import sha256, text_of
from sonnx_formal.report.evidence import Evidence

_LOCKED = re.compile(r"^([a-z0-9-]+)==([^\s;]+)", re.MULTILINE)


def bill_of_materials(evidence: Evidence) -> str:
    """The project, Why3 and the provers that ran, the locked Python packages.

    The serial number follows from the SHA-256 of `evidence.json`.
    """
    lock = resources.files("sonnx_formal.cli.setup") / "requirements.lock"
    locked = dict(_LOCKED.findall(lock.read_text(encoding="utf-8")))
    tools = sorted(_tools(evidence, locked).items())
    packages = [
        _component(name, version) | {"bom-ref": purl, "purl": purl}
        for name, version in locked.items()
        for purl in [f"pkg:pypi/{name}@{version}"]
    ]
    value = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, sha256(encode(evidence)))}",
        "version": 1,
        "metadata": {"component": _component("sonnx-formal", evidence.version, "application")},
        "components": [*(_component(*tool, "application") for tool in tools), *packages],
    }
    return text_of(value)


def _component(name: str, version: str, kind: str = "library") -> dict[str, Any]:
    return {"type": kind, "bom-ref": f"{name}@{version}", "name": name, "version": version}


def _tools(evidence: Evidence, locked: dict[str, str]) -> dict[str, str]:
    """What is no locked package, with its version; the version that ran, if it is a prover."""
    provers = {prover.name: prover.version for prover in evidence.provers}
    tools = {f"prover {name}": version for name, version in provers.items()}
    if evidence.why3:
        tools["why3"] = evidence.why3
    for tool in evidence.trusted_base.tools if evidence.trusted_base else ():
        if tool.version and tool.name not in locked.keys() | provers.keys():
            tools[tool.name] = tool.version
    for name, version in evidence.vectors.tools.items() if evidence.vectors else ():
        if name.replace("_", "-") not in locked:
            tools[name] = version
    tools.pop("sonnx-formal", None)
    return tools
