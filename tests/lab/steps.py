"""Runs a case in the lab and tells what was seen.

The steps, one key each:

    commit: WORD          the files of the blocks `yaml then WORD:PATH` replace those of the same name; `-PATH` removes one
    sync: APP             asks for a sync, as the web page would; {app, prune, force, replace, options, dry-run} to say more
    refresh: APP          compares again, with what git has now
    timer: APP            compares again as after three minutes: with the new commit, and with what is cached of its files
    delete: KIND NS/NAME  in the cluster; `with: background` or `orphan` for an Application's finalizer
    create: [...]         objects, as another tool would bring them
    patch: {of: KIND NS/NAME, with: {...}}
    pods, settings, answers   as in the head of the case, from now on
    wait: SECONDS         for what needs its time
    settle: SECONDS       until nothing changes any more, at most so long
    show: {of: KIND NS/NAME, at: [spec, ports]}   a part of an object, told in the next look
    look: NAME            keeps what is to be seen now; the end is always looked at
"""

from __future__ import annotations

import json
import time
from typing import Any

from . import wrapping
from .api import ApiError, Kind, Object
from .argocd import NAMESPACE, REVISION_CACHE
from .audit import Write
from .cases import Case
from .chart_repository import charts_in, serve
from .completing import foreign_kinds
from .laboratory import Laboratory
from .observing import all_plain, observe, plain

_REFRESH = "argocd.argoproj.io/refresh"
API = "https://api.example.com"
QUIET, PATIENCE, PAUSE = 3.0, 45.0, 0.3


class Experiment:
    """One run of one case."""

    def __init__(self, lab: Laboratory, case: Case) -> None:
        self._lab, self._case = lab, case
        self._url = lab.git.url("repository")
        self._files: dict[str, str] = {}
        self._writes: list[Write] = []
        self._seen: dict[str, Any] = {}
        self._shown: dict[str, Any] = {}
        self._application: Kind = lab.api.kind("argoproj.io/v1alpha1", "Application")

    def run(self) -> dict[str, Any]:
        lab, case = self._lab, self._case
        lab.clear()
        lab.audit.skip()
        if case.settings:
            lab.argocd.settings(case.settings)
        lab.pods.behave(case.pods)
        lab.git.answers = case.answers
        self._furnish()
        if case.before is not None:
            self._commit(case.before)
            self._bring_applications()
            self._sync_all()
            self._look("before")
            self._commit(case.files)
            self._refresh_all()
        else:
            self._commit(case.files)
            self._bring_applications()
        if case.steps:
            for step in case.steps:
                self._step(step)
        else:
            self._sync_all()
        self._look("end")
        return self._seen

    def _furnish(self) -> None:
        api, case = self._lab.api, self._case
        groups = [case.files, case.before or {}, *case.revisions.values()]
        destinations = {case.app.get("destination", {}).get("namespace", wrapping.EXAMPLE)}
        destinations |= wrapping.destinations(groups) if case.namespaces else set()
        for name in sorted({*wrapping.namespaces(groups, case.cluster), *destinations} - {NAMESPACE, "default"}):
            api.create(api.core["Namespace"], {"metadata": {"name": name}})
        everything = [one for group in groups for text in group.values() for one in wrapping.documents(text)]
        everything += case.cluster
        everything += [one for group in groups for text in group.values() for one in wrapping.kinds_in_templates(text)]
        missing = foreign_kinds(everything, self._is_served) if case.crds else []
        for one in [*missing, *case.cluster]:
            self._create(one)
        if missing:
            time.sleep(2)  # until Argo CD, too, knows the kinds

    def _is_served(self, version: str, kind: str) -> bool:
        try:
            self._lab.api.kind(version, kind)
        except ApiError:
            return False
        return True

    def _create(self, one: Object) -> None:
        one = json.loads(json.dumps(one).replace(API, self._lab.git.root))
        for attempt in range(40):
            try:
                self._lab.api.create(self._lab.api.kind(one["apiVersion"], one["kind"]), one)
                return
            except ApiError as error:
                if error.status not in (404, 503) or attempt == 39:
                    raise
                time.sleep(0.25)  # its CRD, or its namespace, is on the way

    def _commit(self, files: dict[str, str]) -> None:
        self._files = dict(files)
        self._lab.git.commit("repository", self._localised(files))

    def _localised(self, files: dict[str, str]) -> dict[str, str]:
        """The repositories that the files name, git's and Helm's, replaced by the lab's."""
        charts = charts_in(files)
        if charts:
            serve(self._lab.git.charts, charts)
        for url in sorted({url for url, _, _ in charts}, key=len, reverse=True):
            files = {path: text.replace(url, f"{self._lab.git.root}/charts") for path, text in files.items()}
        files = {path: text.replace(API, self._lab.git.root) for path, text in files.items()}
        return wrapping.with_url(files, self._url)

    def _bring_applications(self) -> None:
        case = self._case
        if not wrapping.has_applications(self._files):
            app = wrapping.around(self._files, self._url, case.app)
            self._lab.api.create(self._application, app)
        elif case.apps:
            self._lab.api.create(self._application, wrapping.root(self._brought(), self._url, case.app))
        else:
            files = self._localised(self._files)
            for path in wrapping.argocd_files(files):
                for one in wrapping.documents(files[path]):
                    if one.get("apiVersion", "").startswith("argoproj.io/"):
                        one["metadata"].setdefault("namespace", NAMESPACE)
                        self._create(one)
        self._refresh_all()

    def _brought(self) -> dict[str, str]:
        return {path: text for path, text in self._files.items() if not self._case.root or path in self._case.root}

    # What is done

    def _step(self, step: Any) -> None:
        ((verb, what),) = (step if isinstance(step, dict) else {step: None}).items()
        action = getattr(self, f"_do_{verb}", None)
        if action is None:
            raise ValueError(f"{self._case.name}: there is no step {verb!r}")
        action(what)

    def _do_commit(self, word: str) -> None:
        files = dict(self._files)
        for path, text in self._case.revisions.get(word, {}).items():
            if path.startswith("-"):
                files.pop(path[1:], None)
            else:
                files[path] = text
        self._commit(files)

    def _do_sync(self, what: Any) -> None:
        if not what or what is True:
            self._sync_all()
            return
        asked = {"app": what} if isinstance(what, str) else dict(what)
        self._sync(asked.pop("app", wrapping.EXAMPLE), **{key.replace("-", "_"): value for key, value in asked.items()})
        self._settle()

    def _do_refresh(self, what: Any) -> None:
        self._refresh_all(only=what if isinstance(what, str) else None)
        self._settle()

    def _do_timer(self, name: str) -> None:
        time.sleep(REVISION_CACHE + 1)
        self._lab.api.patch(self._application, name, {"metadata": {"annotations": {_REFRESH: "normal"}}}, NAMESPACE)
        self._quiet(PATIENCE)

    def _do_delete(self, what: Any) -> None:
        how = what.get("with") if isinstance(what, dict) else None
        name = what["of"] if isinstance(what, dict) else what
        kind, namespace, name = self._find(name)
        finalizers = {
            "background": "resources-finalizer.argocd.argoproj.io/background",
            "foreground": "resources-finalizer.argocd.argoproj.io",
        }
        if how in finalizers:
            held = (self._lab.api.get(kind, name, namespace) or {})["metadata"].get("finalizers") or []
            wanted = {"metadata": {"finalizers": [*held, finalizers[how]]}}
            self._lab.api.patch(kind, name, wanted, namespace)
        self._lab.api.delete(kind, name, namespace)

    def _do_create(self, what: list[Object]) -> None:
        for one in what:
            self._create(one)

    def _do_patch(self, what: dict[str, Any]) -> None:
        kind, namespace, name = self._find(what["of"])
        self._lab.api.patch(kind, name, what["with"], namespace, what.get("part", ""))

    def _do_pods(self, what: dict[str, str]) -> None:
        self._lab.pods.behave(what)

    def _do_settings(self, what: dict[str, str]) -> None:
        self._lab.argocd.settings(what)

    def _do_answers(self, what: dict[str, Any]) -> None:
        self._lab.git.answers = what

    def _do_wait(self, seconds: float) -> None:
        time.sleep(seconds)

    def _do_settle(self, seconds: float | None) -> None:
        self._settle(seconds or PATIENCE)

    def _do_show(self, what: dict[str, Any]) -> None:
        kind, namespace, name = self._find(what["of"])
        part: Any = self._lab.api.get(kind, name, namespace)
        for key in what["at"]:
            part = (part or {}).get(key)
        self._shown[f"{what['of']} {'.'.join(what['at'])}"] = all_plain(part)

    def _do_look(self, name: str) -> None:
        self._look(name)

    def _find(self, text: str) -> tuple[Kind, str, str]:
        word, _, name = text.partition(" ")
        namespace, _, name = name.rpartition("/")
        kind = next(kind for kind in self._lab.api.kinds() if kind.kind == word)
        return kind, namespace, name

    # Argo CD

    def _apps(self) -> list[Object]:
        return self._lab.api.list(self._application, NAMESPACE)

    def _sync_all(self) -> None:
        """The root first, then what it brought, and what that brought; automatic ones go by themselves."""
        done: set[str] = set()
        while True:
            apps = [app for app in self._apps() if app["metadata"]["name"] not in done]
            if not apps:
                return
            for app in apps:
                done.add(app["metadata"]["name"])
                if not _is_automatic(app):
                    self._sync(app["metadata"]["name"])
            self._settle()

    def _sync(
        self,
        name: str,
        prune: bool = False,
        force: bool = False,
        replace: bool = False,
        options: list[str] | None = None,
        dry_run: bool = False,
        retry: int | None = None,
    ) -> None:
        app = self._lab.api.get(self._application, name, NAMESPACE)
        if app is None:
            raise ValueError(f"{self._case.name}: there is no Application {name!r} to sync")
        policy = app["spec"].get("syncPolicy") or {}
        said = options if options is not None else policy.get("syncOptions") or []
        sync: dict[str, Any] = {"prune": prune, "dryRun": dry_run, "syncStrategy": {"hook": {"force": force}}}
        sync["syncOptions"] = [*said, *(["Replace=true"] if replace else [])]
        operation: dict[str, Any] = {"initiatedBy": {"username": "lab"}, "sync": sync}
        if retry is not None:
            operation["retry"] = {"limit": retry, "backoff": {"duration": "1s", "factor": 1, "maxDuration": "2s"}}
        elif policy.get("retry"):
            operation["retry"] = policy["retry"]
        self._await_compared(name)
        self._lab.api.patch(self._application, name, {"operation": operation}, NAMESPACE)

    def _await_compared(self, name: str) -> None:
        """A sync needs a comparison first: the page would not offer it before."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            app = self._lab.api.get(self._application, name, NAMESPACE) or {}
            if app.get("status", {}).get("reconciledAt") or app.get("status", {}).get("conditions"):
                return
            time.sleep(0.2)

    def _refresh_all(self, only: str | None = None) -> None:
        for app in self._apps():
            name = app["metadata"]["name"]
            if only in (None, name):
                annotation = {"metadata": {"annotations": {_REFRESH: "hard"}}}
                self._lab.api.patch(self._application, name, annotation, NAMESPACE)

    def _settle(self, patience: float = PATIENCE) -> None:
        """Until nothing changed for a while. What runs without a change for long is taken to hang."""
        self._quiet(patience)
        self._refresh_all()
        self._quiet(patience)

    def _quiet(self, patience: float) -> None:
        """Counted in looks and not in seconds: where the machine is busy, a look takes longer, as all does."""
        last, same = "", 0
        for _ in range(round(patience / PAUSE)):
            apps = self._apps()
            now = json.dumps([_state(app) for app in apps], sort_keys=True)
            last, same = now, same + 1 if now == last else 0
            if same * PAUSE > QUIET * max((_unrest(app) for app in apps), default=1):
                break
            time.sleep(PAUSE)
        self._writes += self._lab.audit.news()

    def _look(self, name: str) -> None:
        self._writes += self._lab.audit.news()
        shown = {"shown": self._shown} if self._shown else {}
        self._seen[name] = {**observe(self._lab, self._writes), **shown}
        self._writes.clear()
        self._shown = {}


def _is_automatic(app: Object) -> bool:
    automated = (app["spec"].get("syncPolicy") or {}).get("automated")
    return automated is not None and automated.get("enabled") is not False


def _unrest(app: Object) -> int:
    """How much longer than usual it must be quiet: what is not at its goal may only be slow."""
    status = app.get("status", {})
    refresh = app["metadata"].get("annotations", {}).get(_REFRESH)
    running = status.get("operationState", {}).get("phase") in ("Running", "Terminating")
    # What becomes of a CRD the controller may learn seconds later than of other objects.
    late = any(
        one["kind"] == "CustomResourceDefinition"
        and (one.get("status"), one.get("health", {}).get("status")) != ("Synced", "Healthy")
        for one in status.get("resources") or []
    )
    if refresh or app.get("operation") or running or late or not status.get("sync"):
        return 4
    return 1 if status.get("health", {}).get("status") == "Healthy" and status["sync"].get("status") == "Synced" else 2


def _state(app: Object) -> Any:
    status = app.get("status", {})
    operation = status.get("operationState", {})
    return [
        app["metadata"]["name"],
        app["metadata"].get("deletionTimestamp"),
        app.get("operation") is not None,
        operation.get("phase"),
        plain(operation.get("message", "")),
        status.get("sync", {}).get("status"),
        status.get("health", {}).get("status"),
        [
            (one.get("name"), one.get("status"), one.get("health", {}).get("status"))
            for one in status.get("resources") or []
        ],
        [plain(one["message"]) for one in status.get("conditions") or []],
        [
            (one.get("name"), one.get("hookPhase"), one.get("status"))
            for one in operation.get("syncResult", {}).get("resources") or []
        ],
    ]
