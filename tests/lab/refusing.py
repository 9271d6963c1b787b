"""What the API server says of objects, one by one: the proof of the rules that repeat its words.

The objects are those of the case pages, those of `refusals.yaml` here, and one for each row of the table
`checked-in-code.json`: a whole object of `whole.yaml` with one field taken out, or one word that nobody knows. Each is
offered to the server, which checks it, and throws it away (`dryRun`). Kept is whether it took it, and each cause it
named if not.
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

import yaml
from gitops_lint.linter.facts.tables import table
from gitops_lint.linter.kubernetes.resource import Resource, resources_in
from gitops_lint.linter.yaml.source import SourceFile

from . import building
from .api import Api, ApiError, Kind
from .cluster import Cluster
from .observing import plain
from .processes import Processes

HERE = Path(__file__).parent
FOLDER = HERE.parent
ANSWERS = HERE / "answers" / "refusals.json"
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
    texts += [(name, (HERE / f"{name}.yaml").read_text("utf-8")) for name in ("refusals", "whole")]
    texts += [(row, json.dumps(spoilt)) for row, spoilt in rows()]
    for page, text in texts:
        for document in SourceFile("a.yaml", _MARK.sub("", text)).documents:
            for resource in resources_in(document.root):
                if resource.kind and resource.api_version and "{{" not in text:
                    yield page, resource


def rows() -> Iterator[tuple[str, dict[str, Any]]]:
    """Each row of the table, with the object that it says something of."""
    whole = {_group_kind(one): one for one in yaml.safe_load_all((HERE / "whole.yaml").read_text("utf-8"))}
    for section, kinds in table("checked-in-code.json").items():
        for kind, paths in kinds.items() if isinstance(kinds, dict) else ():
            for path in paths:
                spoilt = json.loads(json.dumps(whole["Pod" if kind == "pods" else kind]))
                steps = [step for step in re.split(r"\.|(\[\])", path.replace("?", "")) if step]
                assert _spoil(spoilt["spec"] if kind == "pods" else spoilt, steps, section == "required"), path
                yield f"{section} {kind} {path}", spoilt


def _group_kind(one: dict[str, Any]) -> str:
    group = one["apiVersion"].rpartition("/")[0]
    return f"{group}/{one['kind']}" if group else str(one["kind"])


def _spoil(value: Any, steps: list[str], removes: bool) -> bool:
    """Takes a field out, or gives it a word that nobody knows; False if it is not there."""
    step, *more = steps
    if step == "[]" and more:
        return any(_spoil(item, more, removes) for item in value)
    keys: list[Any] = [0] if step == "[]" else [one for one in step.split("|") if one in value]
    if more:
        return bool(keys) and _spoil(value[keys[0]], more, removes)
    for key in keys:
        if removes:
            del value[key]
        else:
            value[key] = "Unheard"
    return bool(keys)


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
        found = {digest(one): _asked(api, page, one) for page, one in objects()}
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
    asked: dict[str, Any] = {"page": page, "object": str(one)}
    kind = _kind(api, one)
    if kind is None:
        return {**asked, "served": False}
    offered = json.loads(json.dumps(one.node.value, default=str))
    metadata = offered["metadata"] if isinstance(offered.get("metadata"), dict) else {}
    metadata.pop("namespace", None)
    try:
        # As Argo CD's client-side apply does it: unknown fields are no fault.
        api.request("POST", kind.path("default"), offered, dryRun="All", fieldValidation="Ignore")
    except ApiError as error:
        causes = sorted({(cause.get("field", ""), plain(cause.get("message", ""))) for cause in error.causes})
        asked |= {"code": error.status, "says": plain(str(error))}
        asked |= {"causes": [list(cause) for cause in causes]} if causes else {}
    return asked
