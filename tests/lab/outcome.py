"""What a person would say of what was seen: one look at a record, in a few words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

ROOT = "the-root"
"""The Application that brings the others (see wrapping.py)."""
WORDS = {
    "cannot be compared": "Argo CD cannot make or compare the manifests",
    "refused": "a sync failed",
    "waits": "a sync does not end",
    "never synced": "no sync was started",
    "out of sync": "the Application is OutOfSync after its sync",
    "unhealthy": "the Application is not Healthy after its sync",
    "deleted": "objects were deleted",
    "to be pruned": "objects stay that git does not have",
    "warned": "the Application has a warning",
    "nothing generated": "an ApplicationSet made nothing",
    "nothing applied": "the sync applied nothing",
    "clean": "Synced and Healthy, nothing deleted",
}
_FAULTS = re.compile(r"(ComparisonError|InvalidSpecError|UnknownError|OrphanedResource)")
_WARNINGS = re.compile(r"\w+Warning")


def outcome(seen: dict[str, Any]) -> list[str]:
    """In the order of WORDS. Of a case that looked more than once: the end, and what was deleted after `before`."""
    end = seen.get("end", {})
    found = {word for app in end.get("applications", {}).values() for word in _of_application(app)}
    found |= {word for conditions in end.get("application sets", {}).values() for word in _of_set(conditions)}
    if any(_is_loss(line) for name, look in seen.items() if name != "before" for line in look.get("written", [])):
        found.add("deleted")
    if end.get("application sets") and not any(name != ROOT for name in end.get("applications", {})):
        found.add("nothing generated")
    return [word for word in WORDS if word in found] or ["clean"]


def of_root(seen: dict[str, Any]) -> set[str]:
    """What can be said of the Application that brings the others, itself."""
    return set(_of_application(seen.get("end", {}).get("applications", {}).get(ROOT, {})))


def _of_application(app: dict[str, Any]) -> Iterator[str]:
    conditions = app.get("conditions", [])
    if any(_FAULTS.match(one) for one in conditions):
        yield "cannot be compared"
    if any(_WARNINGS.match(one) for one in conditions):
        yield "warned"
    operation = app.get("operation", "")
    if operation.startswith(("Failed", "Error")):
        yield "refused"
    if operation.startswith("Running"):
        yield "waits"
    if not operation and app.get("sync") == "OutOfSync":
        yield "never synced"
    if operation.startswith("Succeeded") and not app.get("results"):
        yield "nothing applied"
    differences = app.get("out of sync", {}).values()
    if any(one == "to be pruned" for one in differences):
        yield "to be pruned"
    if operation.startswith("Succeeded") and any(one != "to be pruned" for one in differences):
        yield "out of sync"
    if app.get("health", "Healthy").split(":")[0] not in ("Healthy",) and operation.startswith("Succeeded"):
        yield "unhealthy"


def _of_set(conditions: list[str]) -> Iterator[str]:
    if any(one.startswith("ErrorOccurred True") for one in conditions):
        yield "cannot be compared"


def _is_loss(line: str) -> bool:
    """A hook that a policy of its own removes is no loss."""
    return line.startswith("delete ") and not line.startswith(("delete jobs", "delete pods"))
