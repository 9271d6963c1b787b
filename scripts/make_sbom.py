"""What is in a release, as a CycloneDX bill of materials: the program, the packages that it needs, the data it carries.

Packages are those of requirements/, with their sums; data are those of schemas/SOURCES.json.
Nothing in it depends on the time or the machine, so two are equal. `make dist` writes it beside the wheel.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SPEC = "1.6"
HOME = "https://github.com/gitops-lint/gitops-lint"
_PINNED = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)(.*)$")
_PROJECT = re.compile(r'^(name|version|license) = "([^"]+)"$', re.MULTILINE)


def bill() -> dict[str, Any]:
    project = dict(_PROJECT.findall((ROOT / "pyproject.toml").read_text("utf-8")))
    name, version = project["name"], project["version"]
    ours = f"pkg:pypi/{name}@{version}"
    needed, for_helm = packages("action.txt"), packages("action-helm.txt")
    for one in for_helm:
        one["scope"] = "optional"
    parts = [*needed, *for_helm, *data()]
    parts = list({part["bom-ref"]: part for part in reversed(parts)}.values())[::-1]
    body = {
        "bomFormat": "CycloneDX",
        "specVersion": SPEC,
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": ours,
                "name": name,
                "version": version,
                "purl": ours,
                "licenses": [{"license": {"id": project["license"]}}],
                "externalReferences": [{"type": "vcs", "url": HOME}],
            },
        },
        "components": parts,
        "dependencies": [{"ref": ours, "dependsOn": sorted(part["bom-ref"] for part in parts)}],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(body, sort_keys=True))
    return {
        "$schema": f"http://cyclonedx.org/schema/bom-{SPEC}.schema.json",
        "serialNumber": f"urn:uuid:{serial}",
        **body,
    }


def packages(file: str) -> list[dict[str, Any]]:
    text = (ROOT / "requirements" / file).read_text("utf-8").replace("\\\n", " ")
    found = []
    for line in text.splitlines():
        match = _PINNED.match(line)
        if match is None or match[1].lower() == "setuptools":  # that one builds the wheel and is no part of it
            continue
        name = re.sub(r"[-_.]+", "-", match[1]).lower()
        url = f"pkg:pypi/{name}@{match[2]}"
        sums = sorted(re.findall(r"sha256:([0-9a-f]{64})", match[3]))
        part: dict[str, Any] = {"type": "library", "bom-ref": url, "name": name, "version": match[2], "purl": url}
        if len(sums) == 1:
            part["hashes"] = [{"alg": "SHA-256", "content": sums[0]}]
        else:  # one for each system
            part["properties"] = [{"name": "gitops-lint:sha256", "value": one} for one in sums]
        found.append(part)
    return found


def data() -> list[dict[str, Any]]:
    """Tables of facts, and whose they are."""
    sources: dict[str, Any] = json.loads((ROOT / "schemas" / "SOURCES.json").read_text("utf-8"))
    found = []
    for name, source in sorted(sources.items()):
        if not (ROOT / "schemas" / name).is_file():
            continue
        part: dict[str, Any] = {"type": "data", "bom-ref": f"schemas/{name}", "name": f"schemas/{name}"}
        projects = [one for one in source.get("projects", {}).values() if isinstance(one, dict)]
        licences = sorted({one["licence"] for one in projects if "licence" in one})
        addresses = sorted({f"https://github.com/{one['repository']}" for one in projects if "repository" in one})
        if licences:
            part["licenses"] = [{"license": {"name": one}} for one in licences]
        if addresses:
            part["externalReferences"] = [{"type": "vcs", "url": one} for one in addresses]
        found.append(part)
    return found


def text() -> str:
    return json.dumps(bill(), indent=2) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(text(), "utf-8") if len(sys.argv) > 1 else print(text(), end="")
