"""What gitops-lint predicts of a repository, beside what Argo CD does with it.

Every Application of the repository whose sources are folders of it is created in the lab with
its own spec; what an ApplicationSet makes, and a folder that nobody has an Application for, too.
Four things are compared, each a column of the table:

    generated    what the repo-server makes, object by object and field by field, with `render`
    order        the order in which the controller applies them, with `plan`
    failures     the objects that the API server refuses, with the errors of `check`
    OutOfSync    the objects that differ after a sync that succeeded, with the findings of `check`
"""

from __future__ import annotations

import http.client
import itertools
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from gitops_lint.linter.facts.tables import kind_rank

from . import wrapping
from .agreement import Compared
from .api import ApiError, Kind, Object
from .argocd import NAMESPACE, application
from .completing import foreign_kinds
from .laboratory import Laboratory
from .observing import CONTROLLER, differing_paths, plain
from .predicted import Predicted, identity, rules_that_show, rules_that_show_at_once, rules_that_stop_the_root

PATIENCE = 60
REFRESH = "argocd.argoproj.io/refresh"
BUILT = ("Chart.yaml", "kustomization.yaml", "kustomization.yml", "Kustomization")
_OUT_OF_REACH = re.compile(
    r"dial tcp|could not resolve|Could not resolve|no such host|connection refused|i/o timeout|proxyconnect|403 Forbidden"
)
"""A failure for want of a network, which the lab does not have."""


def candidates(predicted: Predicted, folder: Path) -> list[tuple[dict[str, Any], Object]]:
    """Applications in files, as `apps` lists them, each with its object; of a name that one alone has."""
    found = []
    names = Counter(app["name"] for app in predicted.apps["applications"])
    for app in predicted.apps["applications"]:
        sources = app["sources"]
        if names[app["name"]] > 1:
            continue  # clusters have one each: which of them a command is about, its name does not say
        if not sources or any(one["chart"] or not one["path"] for one in sources):
            continue
        manifest = (
            predicted.made_by_sets.get(app["name"]) if app["applicationSet"] else _written(predicted, folder, app)
        )
        if manifest is not None:
            found.append((app, manifest))
    return found


def _written(predicted: Predicted, folder: Path, app: Mapping[str, Any]) -> Object | None:
    """As it stands in its file, or as the chart or kustomization makes it that the file belongs to."""
    text = (folder / app["path"]).read_text("utf-8", "replace")
    for one in wrapping.documents(text) if "{{" not in text else []:
        if (one.get("kind"), one.get("metadata", {}).get("name")) == ("Application", app["name"]):
            return one
    return predicted.made_applications.get(app["name"])


def units(predicted: Predicted, folder: Path) -> list[tuple[dict[str, Any], Object]]:
    """Folders that nobody has an Application for, each with one around it."""
    found = []
    for unit in predicted.apps["units"]:
        source: Object = {"repoURL": "-", "path": unit["name"]}
        here = folder / unit["name"]
        is_built = any((here / name).exists() for name in BUILT)
        if not is_built and any(path.is_dir() for path in here.iterdir()):
            continue  # nobody knows how such a tree would be read
        if any(task["kind"] == "Application" for task in predicted.plans.get(unit["name"], {}).get("tasks", [])):
            continue  # `render` makes what they make, and not them
        spec = {"project": "default", "source": source, "destination": {**wrapping.HERE, "namespace": "compared"}}
        found.append((unit, application(unit["name"], spec)))
    return found


def compare(lab: Laboratory, folder: Path, limit: int, syncs: bool) -> list[Compared]:
    lab.clear()
    lab.argocd.forget()
    lab.git.commit("repository", dict(_files(folder)))
    predicted = Predicted(folder, lab.argocd_version, lab.kubernetes_version)
    everything = [*candidates(predicted, folder), *units(predicted, folder)]
    # Spread over the repository: what stands together is often alike.
    chosen = everything[:: max(1, -(-len(everything) // limit))]
    results = []
    for number, (listed, manifest) in enumerate(chosen):
        result = Compared(listed["name"])
        try:
            _compare(lab, predicted, number, listed, manifest, syncs, result)
        except (ApiError, http.client.InvalidURL) as error:  # the latter for an apiVersion that is none
            result.remark = f"the lab could not: {error}"
        lab.clear()
        results.append(result)
        print(
            f"{sum(result.agreed.values())}/{sum(result.asked.values())}  {result.name} {result.remark}",
            *result.differences,
            sep="\n    ",
            file=sys.stderr,
            flush=True,
        )
    return results


def _files(folder: Path) -> Iterable[tuple[str, bytes]]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and ".git" not in path.relative_to(folder).parts:
            yield str(path.relative_to(folder)), path.read_bytes()


def _compare(
    lab: Laboratory,
    predicted: Predicted,
    number: int,
    listed: Mapping[str, Any],
    manifest: Object,
    syncs: bool,
    result: Compared,
) -> None:
    kind = lab.api.kind("argoproj.io/v1alpha1", "Application")
    name = manifest["metadata"]["name"] if "sources" in listed else f"unit-{number}"
    lab.api.create(kind, application(name, _here(lab, manifest["spec"], listed.get("sources", []))))
    status = _compared(lab, kind, name)
    made = {identity(one): one for one in lab.argocd.manifests(name)}
    said, refused = predicted.rendered(name, listed)
    result.objects = len(made)
    failed = [one["message"] for one in status.get("conditions") or [] if one["type"] == "ComparisonError"]
    if failed and _OUT_OF_REACH.search(failed[0]):
        result.remark = "(needs a network)"
        return
    if failed and "discover server resources" in failed[0]:
        failed = []  # the manifests are made, their kinds are brought below
    if elsewhere := predicted.plans.get(listed["name"], {}).get("unresolved"):
        result.remark = f"(not predicted: {plain(elsewhere[0])[:150]})"
        return
    what = f"fails: {plain(failed[0])[-400:]}" if failed else "was said to fail"
    result.ask("generated", what, bool(failed) == refused)
    if not failed and not refused:
        _objects(result, made, said)
        if any(
            one["kind"] == "CustomResourceDefinition" and one["spec"].get("group") == "argoproj.io"
            for one in made.values()
        ):
            result.remark = "(brings Argo CD itself, and is not synced)"
        elif syncs and made:
            _sync(lab, predicted, kind, name, listed["name"], made, result)


def _objects(result: Compared, made: dict[str, Object], said: dict[str, Object]) -> None:
    for name in sorted({*made, *said}):
        if name not in said:
            result.ask("generated", f"not predicted: {name}", False)
        elif name not in made:
            result.ask("generated", f"predicted, but not made: {name}", False)
        else:
            fields = list(differing_paths(_starred(_hidden(made[name]), said[name]), _hidden(said[name])))
            result.ask("generated", f"{name}: {'; '.join(fields[:3])}", not fields)


def _hidden(one: Object) -> Object:
    """Of a Secret only which keys there are: we print no values. A metadata with nothing in it had Argo CD's mark alone."""
    one = {name: value for name, value in one.items() if value or name != "metadata"}
    if one.get("kind") != "Secret":
        return one
    return {**one, **{part: sorted(one[part]) for part in ("data", "stringData") if isinstance(one.get(part), dict)}}


def _starred(made: Any, said: Any) -> Any:
    """With stars where `render` prints stars: what looks like a credential it tells nobody."""
    if isinstance(made, dict) and isinstance(said, dict):
        return {key: _starred(value, said.get(key)) for key, value in made.items()}
    if isinstance(made, list) and isinstance(said, list) and len(made) == len(said):
        return [_starred(one, other) for one, other in zip(made, said, strict=True)]
    return said if isinstance(said, str) and "***" in said and "***" not in str(made) else made


def _here(lab: Laboratory, spec: Object, sources: list[Mapping[str, Any]]) -> Object:
    """The same Application, reading the lab's repository where we found its sources, and never syncing by itself."""
    here = json.loads(json.dumps(spec))
    own = here.get("sources") or [here["source"]]
    for source in own:
        source["repoURL"], source["targetRevision"] = lab.git.url("repository"), "main"
    for source, found in zip(own, sources, strict=False):
        source["path"] = found["path"]
    here["destination"] = {**wrapping.HERE, "namespace": here.get("destination", {}).get("namespace") or "default"}
    here["project"] = "default"
    (here.get("syncPolicy") or {}).pop("automated", None)
    return here


def _compared(lab: Laboratory, kind: Kind, name: str) -> Object:
    end = time.monotonic() + 2 * PATIENCE
    status: Object = {}
    while time.monotonic() < end and not (status.get("reconciledAt") or status.get("conditions")):
        time.sleep(0.3)
        status = (lab.api.get(kind, name, NAMESPACE) or {}).get("status", {})
    return status


def _sync(
    lab: Laboratory,
    predicted: Predicted,
    kind: Kind,
    name: str,
    shown: str,
    made: Mapping[str, Object],
    result: Compared,
) -> None:
    """With a CRD that takes anything for each kind the cluster does not have, and every namespace there."""
    objects = list(made.values())
    _bring(lab, foreign_kinds(objects, lambda version, word: _served(lab, version, word)))
    app = lab.api.get(kind, name, NAMESPACE) or {}
    named = {app["spec"]["destination"]["namespace"], *wrapping.namespaces([{"-": yaml.safe_dump_all(objects)}], [])}
    _bring(lab, [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": one}} for one in sorted(named)])
    time.sleep(1)
    lab.audit.skip()
    policy = app["spec"].get("syncPolicy") or {}
    operation = {"initiatedBy": {"username": "lab"}, "sync": {"syncOptions": policy.get("syncOptions") or []}}
    lab.api.patch(kind, name, {"operation": operation}, NAMESPACE)
    state = _ended(lab, kind, name)
    _order(lab, predicted.plans.get(shown), result)
    _failures(predicted, shown, objects, state, result)
    if state.get("phase") == "Succeeded":
        _differences(lab, predicted, kind, name, shown, made, result)
    elif state.get("phase") == "Running":
        result.remark = f"(does not end: {plain(state.get('message', ''))[:150]})"


def _bring(lab: Laboratory, objects: Iterable[Object]) -> None:
    for one in objects:
        try:
            lab.api.create(lab.api.core[one["kind"]], one)
        except ApiError as error:
            if error.status != 409:  # it is there
                raise


def _ended(lab: Laboratory, kind: Kind, name: str) -> Object:
    end = time.monotonic() + PATIENCE
    state: Object = {}
    while time.monotonic() < end and state.get("phase") in (None, "Running"):
        time.sleep(0.5)
        state = (lab.api.get(kind, name, NAMESPACE) or {}).get("status", {}).get("operationState", {})
    return state


def _served(lab: Laboratory, version: str, word: str) -> bool:
    try:
        lab.api.kind(version, word)
        return True
    except ApiError:
        return False


def _order(lab: Laboratory, plan: Mapping[str, Any] | None, result: Compared) -> None:
    """The tasks of the plan, against the order of the writes. What stands together and is of one kind goes together."""
    if not plan:
        return
    together = itertools.groupby(plan["tasks"], key=lambda one: (one["step"] or 0, one["kind"]))
    place = {
        (one["kind"], one["name"]): (number, *group) for number, (group, tasks) in enumerate(together) for one in tasks
    }
    plurals = {
        (one.plural + (f".{one.api_version.rpartition('/')[0]}" if "/" in one.api_version else "")): one.kind
        for one in lab.api.kinds()
    }
    steps: dict[tuple[str, str], tuple[tuple[int, int, str], str]] = {}
    for write in lab.audit.news():
        key = plurals.get(write.kind, ""), write.name
        applied = write.user == CONTROLLER and not write.dry_run and write.code < 400
        if applied and write.verb in ("create", "patch") and key in place:
            # Its first write: what comes later may be the status of a child.
            steps.setdefault(key, (place[key], write.name))
    namesakes = {name for name, count in Counter(name for _, name in place).items() if count > 1}
    for (before, first), (after, second) in itertools.pairwise(steps.values()):
        # Kinds that it does not list Argo CD sorts by name alone: two of one name come in any order, and so does
        # what then stands beside one of its own kind.
        equals = before[1] == after[1] and kind_rank(before[2]) == kind_rank(after[2]) and {first, second} & namesakes
        if before != after and not equals:
            what = f"{before[2]} of step {before[1]} before {after[2]} of step {after[1]}"
            result.ask("order", what, before[0] <= after[0])


def _failures(predicted: Predicted, shown: str, objects: list[Object], state: Object, result: Compared) -> None:
    refusing = rules_that_show("refused") | rules_that_show("cannot be compared")
    stopping = rules_that_stop_the_root("refused")  # what is wrong with a child stops the child
    said_no = {
        (one["kind"], one["name"]): one.get("message", "")
        for one in state.get("syncResult", {}).get("resources") or []
        if one.get("status") == "SyncFailed"
    }
    for one in objects:
        key = one["kind"], one["metadata"].get("name", "")
        those = stopping if one["kind"] == "Application" else refusing
        said = predicted.said_of(shown, one, those, {"error", "warning"})
        if key in said_no:
            result.ask("failures", f"{' '.join(key)} is refused, not predicted: {plain(said_no[key])[:300]}", said)
        elif state.get("phase") == "Succeeded":
            result.ask("failures", f"{' '.join(key)} was said to be refused", not said)


def _refreshed(lab: Laboratory, kind: Kind, name: str) -> None:
    """Until the controller has taken the wish away, and what it saw is told."""
    end = time.monotonic() + PATIENCE / 2
    while time.monotonic() < end:
        app = lab.api.get(kind, name, NAMESPACE) or {"metadata": {}}
        if REFRESH not in (app["metadata"].get("annotations") or {}):
            break
        time.sleep(0.5)
    time.sleep(2)


def _has_synced(lab: Laboratory, kind: Kind, name: str) -> bool:
    return bool((lab.api.get(kind, name, NAMESPACE) or {}).get("status", {}).get("operationState"))


def _differences(
    lab: Laboratory,
    predicted: Predicted,
    kind: Kind,
    name: str,
    shown: str,
    made: Mapping[str, Object],
    result: Compared,
) -> None:
    lab.api.patch(kind, name, {"metadata": {"annotations": {REFRESH: "normal"}}}, NAMESPACE)
    _refreshed(lab, kind, name)
    drifting = rules_that_show("out of sync")
    status = (lab.api.get(kind, name, NAMESPACE) or {}).get("status", {})
    differ = {
        (one["kind"], one["name"])
        for one in status.get("resources") or []
        if one.get("status") == "OutOfSync" and not one.get("requiresPruning")
    }
    pairs = {(one["kind"], one["name"]): one for one in lab.argocd.managed_resources(name)} if differ else {}
    for one in made.values():
        key = one["kind"], one["metadata"].get("name", "")
        if key in differ:
            pair = pairs.get(key, {})
            live, target = (
                json.loads(pair.get(side) or "null") for side in ("normalizedLiveState", "predictedLiveState")
            )
            fields = "; ".join(list(differing_paths(live, target))[:4]) if live and target else "?"
            said = predicted.said_of(shown, one, drifting, {"error", "warning", "note"})
            result.ask("OutOfSync", f"{' '.join(key)} is, not predicted: {fields}", said)
        elif one["kind"] != "Application" or _has_synced(lab, kind, key[1]):
            # What the sync of a child makes of it is not to be seen where its repository is elsewhere.
            result.ask(
                "OutOfSync",
                f"{' '.join(key)} was said to be",
                not predicted.said_of(shown, one, rules_that_show_at_once("out of sync"), {"error", "warning"}),
            )
