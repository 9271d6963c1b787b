"""What was written to the cluster, by whom and in which order, from the API server's audit log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple


class Write(NamedTuple):
    user: str
    verb: str
    kind: str
    """The plural, with its group: deployments.apps."""
    namespace: str
    name: str
    code: int
    message: str
    dry_run: bool
    server_side: bool

    def __str__(self) -> str:
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.verb} {self.kind} {place}{self.name}"


class AuditLog:
    """Reads on from where it stopped."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0

    def skip(self) -> None:
        self._read = self._path.stat().st_size if self._path.exists() else 0

    def news(self) -> list[Write]:
        with self._path.open("rb") as log:
            log.seek(self._read)
            data = log.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._read += len(whole)
        return [write for line in whole.splitlines() if (write := _write(json.loads(line)))]


def _write(event: dict[str, object]) -> Write | None:
    target = event.get("objectRef")
    if event.get("stage") != "ResponseComplete" or not isinstance(target, dict):
        return None
    group = target.get("apiGroup")
    kind = target.get("resource", "") + (f".{group}" if group else "")
    if sub := target.get("subresource"):
        kind += f"/{sub}"
    answer = event.get("responseStatus")
    answer = answer if isinstance(answer, dict) else {}
    user, uri = event.get("user"), str(event.get("requestURI"))
    return Write(
        user=str(user.get("username")) if isinstance(user, dict) else "",
        verb=str(event["verb"]),
        kind=str(kind),
        namespace=str(target.get("namespace") or ""),
        name=str(target.get("name") or ""),
        code=int(answer.get("code") or 0),
        message=str(answer.get("message") or ""),
        dry_run="dryRun=" in uri,
        server_side="fieldManager=" in uri and "force=" in uri,
    )
