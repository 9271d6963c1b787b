"""From the model and its findings to the views."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Final

from ...argocd.argocd_settings import Settings
from ...argocd.sync_order import Step, Task
from ...argocd.waits import Wait, wait_for
from ...facts.regexes import regex
from ...kubernetes.resource import Resource
from ...lint.result import Reported
from ...repo.app import App
from ...repo.model import Repo
from . import plan_words
from .anchors import Anchors, Numbers
from .families import Families, health_note
from .needs import At, needs_of
from .plan_views import AppView, Link, ObjectView, PlanView, StepView

_HOSTED: Final = regex(r"[\w-]+(\.[\w-]+)+(:\d+)?/.+/")
"""An address on a server, as addresses are compared."""


def build_view(
    repo: Repo, reported: Sequence[Reported], apps: Sequence[App], anchors: Anchors | None = None
) -> PlanView:
    """With numbers for anchors unless others are given."""
    anchors = anchors or Numbers()
    ids = anchors.apps(repo.apps)
    builder = _Builder(Families(repo.apps, ids), ids, anchors, Placing(reported), repo.argocd.settings)
    views = tuple(builder.app(app) for app in apps)
    return PlanView(views, builder.placing.rest(), _called(repo.paths.known_urls))


def _called(urls: Iterable[str]) -> str:
    """Its owner and name; never a folder of the machine, which a clone may be of."""
    names = {"/".join(url.split("/")[-2:]) for url in urls if _HOSTED.match(url)}
    return names.pop() if len(names) == 1 else ""


class _Builder:
    def __init__(
        self, families: Families, ids: dict[int, str], anchors: Anchors, placing: Placing, settings: Settings
    ) -> None:
        self.families = families
        self.ids = ids
        self.anchors = anchors
        self.placing = placing
        self.settings = settings

    def app(self, app: App) -> AppView:
        application = app.application
        steps = self._steps(app)
        children = self.families.children(app)
        about_children = health_note(children, self.settings.health_check("argoproj.io", "Application"))
        return AppView(
            id=self.ids[id(app)],
            name=app.name,
            is_application=application is not None,
            where=Link.to(application.place("/metadata/name") if application else app.resources[0]["kind"]),
            source=plan_words.source_of(app),
            destination=str(application.destination) if application else "",
            policy=_policy(app),
            summary=plan_words.summary(app.plan),
            steps=steps,
            left_out=app.plan.left_out,
            needs=needs_of(app, _positions(app, steps)),
            unresolved=_unresolved(app),
            failures=tuple(f"{one.path}: {one.reason}" for source in app.rendered for one in source.failures),
            findings=self.placing.of_app(app),
            left_out_findings=tuple(self.placing.of_object(item.resource) for item in app.plan.left_out),
            children=children,
            parents=self.families.parents(app),
            notes=(*((about_children,) if about_children else ()), *plan_words.notes(app, app.plan)),
        )

    def _steps(self, app: App) -> tuple[StepView, ...]:
        found: list[StepView] = []
        for number, step in enumerate(app.plan.steps, 1):
            places = count()
            name = partial(self.anchors.object, self.ids[id(app)], number)
            runs = tuple(
                tuple(self._object(app, step, task, name(next(places), task)) for task in run) for run in step.runs
            )
            after = plan_words.after_step(step, [one for run in runs for one in run])
            found.append(StepView(number, step.phase, step.waves, runs, after, step.is_last))
        return tuple(found)

    def _object(self, app: App, step: Step, task: Task, id_: str) -> ObjectView:
        return ObjectView(
            id=id_,
            task=task,
            destination=app.namespace,
            wait=self._wait(task) if step.is_waited_for(task) else None,
            findings=self.placing.of_object(task.resource),
            remarks=tuple(plan_words.remarks(task, app.plan)),
            child=self.families.child_of_object(app, task.resource),
        )

    def _wait(self, task: Task) -> Wait | None:
        resource = task.resource
        return wait_for(resource, self.settings.health_check(resource.group, resource.kind) is not None)


def _positions(app: App, steps: Sequence[StepView]) -> dict[int, At]:
    """By the id of an object: where it first runs."""
    found: dict[int, At] = {}
    for step, planned in zip(steps, app.plan.steps, strict=True):
        for number, run in enumerate(step.runs):
            for one in run:
                found.setdefault(id(one.resource), At(one.id, step.number, number, planned.is_waited_for(one.task)))
    return found


def _policy(app: App) -> str:
    application = app.application
    if application is None:
        return ""
    if not application.is_automated:
        return "synced by hand"
    words_ = [word for word, on in (("prune", application.prunes), ("self-heal", application.heals)) if on]
    return ", ".join(("synced automatically", *words_))


def _unresolved(app: App) -> tuple[str, ...]:
    if app.application is not None and not app.rendered:
        return ("the Application has no source",)
    return tuple(dict.fromkeys(reason for one in app.rendered for reason in one.unresolved))


# -- findings, put to the objects and the apps that they concern


class Placing:
    def __init__(self, reported: Iterable[Reported]) -> None:
        self._all = tuple(reported)
        self._of_objects: dict[int, list[Reported]] = defaultdict(list)
        self._below: dict[str, list[Reported]] = defaultdict(list)
        """What concerns no object, by its file and by every folder above that."""
        self._taken: set[int] = set()
        for item in self._all:
            if item.resource is not None:
                self._of_objects[id(item.resource)].append(item)
            else:
                for path in _upwards(item.file.path):
                    self._below[path].append(item)

    def of_object(self, resource: Resource) -> tuple[Reported, ...]:
        return self._take(self._of_objects.get(id(resource), ()))

    def of_app(self, app: App) -> tuple[Reported, ...]:
        """About the Application itself, and about its files where no object is concerned."""
        own = self._of_objects.get(id(app.application.resource), ()) if app.application else ()
        inside = (item for path in _reads(app) for item in self._below.get(path, ()))
        return self._take({id(item): item for item in (*own, *inside)}.values())

    def rest(self) -> tuple[Reported, ...]:
        """What none of the apps that were asked about has taken."""
        return tuple(item for item in self._all if id(item) not in self._taken)

    def _take(self, items: Iterable[Reported]) -> tuple[Reported, ...]:
        taken = tuple(items)
        self._taken.update(map(id, taken))
        return taken


def _upwards(path: str) -> Iterator[str]:
    while path:
        yield path
        path = posixpath.dirname(path)


def _reads(app: App) -> dict[str, None]:
    """The files and folders that it is made from, in a fixed order."""
    folders = [one.path for one in app.rendered if one.path] if app.application else [app.name]
    return dict.fromkeys((*folders, *(resource.file.path for resource in app.resources)))
