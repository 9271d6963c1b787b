"""A record in the words of the manual: what a user would see with Bad, from the cluster's own mouth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .outcome import WORDS

LONGEST = 400


def section(runs: list[dict[str, Any]], why_not: str | None) -> str:
    """A section of a rule's page; the runs that tell the same are told once."""
    if why_not:
        return f"\n## Seen\n\nNot shown in the lab. {why_not}\n"
    told: dict[str, list[str]] = {}
    for run in runs:
        if "bad" in run:
            told.setdefault("\n".join(_lines(run["bad"])), []).append(
                f"Argo CD {run['argocd']} / Kubernetes {run['kubernetes']}"
            )
    if not told:
        return ""
    parts = [f"Seen on {', '.join(where)}: {text}" for text, where in told.items()]
    return (
        "\n## Seen\n\nThe *Bad* example, synced by a real Argo CD ([how](../lab.md)).\n\n" + "\n\n".join(parts) + "\n"
    )


def _lines(entry: dict[str, Any]) -> Iterator[str]:
    yield "; ".join(WORDS[word] for word in entry["outcome"]) + "."
    words = list(dict.fromkeys(_said(entry["seen"])))
    if words:
        yield ""
        yield from (f"    {_short(line)}" for line in words[:4])


def _said(seen: dict[str, Any]) -> Iterator[str]:
    """The most telling lines first."""
    end = seen.get("end", {})
    for conditions in end.get("application sets", {}).values():
        yield from (one.partition(": ")[2] for one in conditions if one.startswith("ErrorOccurred True"))
    for app in end.get("applications", {}).values():
        yield from app.get("conditions", [])
    for app in end.get("applications", {}).values():
        if not app.get("operation", "Succeeded").startswith("Succeeded"):
            yield app["operation"]
            yield from (line for line in app.get("results", []) if ": SyncFailed" in line or ": Failed" in line)
    for app in end.get("applications", {}).values():
        for name, fields in app.get("out of sync", {}).items():
            yield f"OutOfSync: {name}: {fields if isinstance(fields, str) else ', '.join(fields)}"
        for name, health in app.get("unhealthy", {}).items():
            yield f"{name}: {health}"
    for name, look in seen.items():
        if name != "before":
            yield from (line for line in look.get("written", []) if line.startswith("delete "))


def _short(line: str) -> str:
    line = " ".join(line.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
