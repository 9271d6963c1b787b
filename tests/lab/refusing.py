"""What the API server says of objects, one by one: the proof of the rules that repeat its words.

The objects are those of the case pages, and of `refusals.yaml` here; each is offered to the server, which
checks it, and throws it away (`dryRun`). Kept is whether it took it, and each cause it named if not.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gitops_lint.linter.kubernetes.resource import Resource, resources_in
from gitops_lint.linter.yaml.source import SourceFile

from . import building
from .api import Api, ApiError, Kind
from .cluster import Cluster
from .observing import plain
from .processes import Processes

FOLDER = Path(__file__).parents[1]
ANSWERS = Path(__file__).parent / "answers" / "refusals.json"
PAGES = (
    "refused_by_api_server",
    "field_wrong_type",
    "configmap_or_env_not_string",
    "job_restart_policy_missing",
    "job_field_misplaced",
    "annotation_value_not_string",
    "duplicate_list_key",
)
_BLOCK = re.compile(r"^```yaml[^\n]*\n(.*?)^```$", re.M | re.S)
_MARK = re.compile(r"[ \t]*# <- here.*$", re.M)


def objects() -> Iterator[tuple[str, Resource]]:
    """Every object that a page has, with the page."""
    texts = [(page, text) for page in PAGES for text in _blocks(FOLDER / "cases" / f"{page}.md")]
    texts.append(("refusals", (Path(__file__).parent / "refusals.yaml").read_text("utf-8")))
    for page, text in texts:
        for document in SourceFile("a.yaml", _MARK.sub("", text)).documents:
            for resource in resources_in(document.root):
                if resource.kind and resource.api_version and "{{" not in text:
                    yield page, resource


def _blocks(page: Path) -> list[str]:
    return _BLOCK.findall(page.read_text("utf-8"))


def digest(resource: Resource) -> str:
    return hashlib.sha256(json.dumps(resource.node.value, sort_keys=True, default=str).encode()).hexdigest()[:16]


def answers() -> dict[str, dict[str, Any]]:
    """By the digest of the object."""
    found: dict[str, dict[str, Any]] = json.loads(ANSWERS.read_text("utf-8"))["answers"]
    return found


def ask(version: str) -> None:
    """All of them, of an API server without anything around it."""
    folder = Path(tempfile.mkdtemp(prefix="gitops-lint-lab-"))
    processes = Processes(folder / "logs")
    try:
        cluster = Cluster(folder, processes, version)
        cluster.start()
        api = cluster.api()
        found = {digest(one): _asked(api, page, one) for page, one in objects() if _kind(api, one)}
    finally:
        processes.stop()
        shutil.rmtree(folder, ignore_errors=True)
    number = building.known()["kubernetes"][version]["version"].removeprefix("v")
    text = json.dumps({"kubernetes": number, "answers": found}, indent=1, ensure_ascii=False)
    ANSWERS.write_text(text + "\n", "utf-8")


def _kind(api: Api, one: Resource) -> Kind | None:
    try:
        return api.kind(one.api_version, one.kind)
    except ApiError:
        return None


def _asked(api: Api, page: str, one: Resource) -> dict[str, Any]:
    kind = _kind(api, one)
    assert kind is not None
    offered = json.loads(json.dumps(one.node.value, default=str))
    metadata = offered["metadata"] if isinstance(offered.get("metadata"), dict) else {}
    metadata.pop("namespace", None)
    asked: dict[str, Any] = {"page": page, "object": str(one)}
    try:
        # As Argo CD's client-side apply does it: unknown fields are no fault.
        api.request("POST", kind.path("default"), offered, dryRun="All", fieldValidation="Ignore")
    except ApiError as error:
        causes = sorted({(cause.get("field", ""), plain(cause.get("message", ""))) for cause in error.causes})
        asked |= {"code": error.status, "says": plain(str(error))}
        asked |= {"causes": [list(cause) for cause in causes]} if causes else {}
    return asked
