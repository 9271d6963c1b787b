"""A CRD default left out of git, where server-side apply makes Argo CD show it for ever.

The API server fills in the defaults of a custom resource's schema. Argo CD
takes no notice of them, with one exception: for an object that syncs with
ServerSideApply=true, and without ServerSideDiff=true, it merges git's object
into the live one by the schema of the cluster, and what that merge replaces
whole has lost its defaults. The object is then OutOfSync after every sync, and
with selfHeal it is synced again and again.

Replaced whole are lists without x-kubernetes-list-type or with atomic or set,
objects with x-kubernetes-map-type atomic, and all lists below a nullable object
or one that keeps unknown fields. In a list that is merged by keys, an item that
leaves out a key with a default is shown, too, and so is an explicit null in
place of a default. About all other defaults the rule is silent: Argo CD is.

Defaults come from the CRDs in the repository, else from the schema folder, else
from a table of well-known CRDs that names the operator's releases. The release
that the repository itself names (chart, image, link to a release) decides; of an
operator without one, a default that only some of its releases have is a note. An
object that no Application is known to sync is reported only where it asks for
server-side apply itself: how it syncs is not known.

All objects of one kind in an Application that leave out the same are one finding.

Fields that the Application ignores are left out (ignoreDifferences; where it
takes jq or the cluster to tell, the rule is silent). So are those that Argo CD's
own settings ignore, and everything where these switch server-side diff on for
the whole controller, as far as the settings are in the repository.

Fix: set argocd.argoproj.io/compare-options: ServerSideDiff=true on the Application;
one line mends all of its objects. It is offered first, as an unsafe fix, since it changes how
everything in the Application is compared. Or write the defaults out. That is
safe where the release is known to have the fields, since the values do not change.

See: argo-cd#11139, argo-cd#11574, external-secrets#6797, rackerlabs/understack#274, alphagov/govuk-helm-charts#2619

Bad:
    apiVersion: monitoring.coreos.com/v1
    kind: ServiceMonitor
    metadata:
      name: shop
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      selector:
        matchLabels:
          app: shop
      endpoints:
        - port: metrics
          relabelings:
            - sourceLabels: [__meta_kubernetes_pod_node_name]  # <- here
              targetLabel: node
Good:
    apiVersion: monitoring.coreos.com/v1
    kind: ServiceMonitor
    metadata:
      name: shop
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      selector:
        matchLabels:
          app: shop
      endpoints:
        - port: metrics
          relabelings:
            - sourceLabels: [__meta_kubernetes_pod_node_name]
              targetLabel: node
              action: replace
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...linter.api import App, Cause, Confidence, Finding, Fix, Moment, Node, Repo, Resource, Severity, rule
from ...linter.kubernetes.annotations.hooks import COMPARE_OPTIONS
from ...linter.kubernetes.annotations.option_lists import with_option
from ...linter.kubernetes.crds import Unpinned
from ...linter.kubernetes.merge_diff import Shown


@rule("GL403", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        if "." not in resource.group or resource.is_hook or resource.hook.is_skipped or resource.patched:
            continue  # no custom resource, never compared, or not complete here
        apps = repo.apps_with(resource)
        if not apps or not apps[0].schemas.unpinned(resource):
            continue  # asked first: many Applications may have it
        merging = repo.merging(resource)
        fields = _shown(resource, merging, repo)
        for together in _by_line(fields):
            yield _on_line(resource, together, merging[0])


def _shown(resource: Resource, apps: Sequence[App], repo: Repo) -> list[Unpinned]:
    """The defaults that the diff of one of the apps shows."""
    # Without its key the whole list item is shown; with the key the rest of it is merged.
    missing = apps[0].schemas.unpinned(resource) if apps else ()
    fields = [field for field in missing if field.shown not in (None, Shown.WITH_KEY)]
    return [
        field
        for field in fields
        if any(not repo.argocd.ignores(app, resource, _steps(resource.node, field.place)) for app in apps)
    ]


def _on_line(resource: Resource, fields: Sequence[Unpinned], app: App) -> Finding:
    is_sure = any(field.origin.current and field.origin.certain for field in fields)
    names = ", ".join(dict.fromkeys(str(field.place.key) for field in fields))
    other_diff = _other_diff(app)
    asked = (
        f"Annotate {app.application} with {COMPARE_OPTIONS}: ServerSideDiff=true, or write" if other_diff else "Write"
    )
    return Finding(
        _where(fields[0]),
        headline=f"{resource} leaves {names} to the API server",
        happens=f"{_effect(fields)} {_named(resource, fields)}.",
        do=f"{asked} the defaults out.",
        fixes=(*other_diff, *_fixes(fields)),
        severity=None if is_sure else Severity.NOTE,
        confidence=Confidence.HIGH if all(field.origin.certain for field in fields) else Confidence.MEDIUM,
        cause=_cause(resource, app),
    )


def _cause(resource: Resource, app: App) -> Cause | None:
    application = app.application
    if application is None:
        return None
    return Cause(
        f"{application}, {resource.kind}",
        f"{{count}} places in {resource.kind} objects of {application} leave defaults to the API server",
    )


def _effect(fields: Sequence[Unpinned]) -> str:
    how = "With ServerSideApply=true and without ServerSideDiff=true Argo CD"
    if any(field.shown is Shown.ALL_KEYS for field in fields):
        return f"{how} cannot compare the Application, because a list item has none of its keys."
    return f"{how} shows the object as OutOfSync for ever."


def _fixes(fields: Sequence[Unpinned]) -> tuple[Fix, ...]:
    certain = all(field.origin.certain for field in fields)
    patch = fields[0].place.set(fields[0].default)
    for field in fields[1:]:
        patch = patch.also(field.place.set(field.default))
    title = "write the defaults out" if certain else f"write out the defaults of {fields[0].origin.text}"
    return (Fix(title, patch, safe=certain),)


def _other_diff(app: App) -> tuple[Fix, ...]:
    """Asking the server instead, for all objects of the Application."""
    application = app.certain_application
    if application is None or application.is_generated:
        return ()
    annotation = application.resource.annotation(COMPARE_OPTIONS)
    patch = annotation.set(with_option(annotation.text, "ServerSideDiff=true"))
    return (Fix(f"compare {application} by asking the server", patch, safe=False),)


def _by_line(fields: Sequence[Unpinned]) -> list[list[Unpinned]]:
    lines = defaultdict(list)
    for field in fields:
        at = _where(field)
        lines[at.file.position(at.span.start).line].append(field)
    return list(lines.values())


def _where(field: Unpinned) -> Node:
    return field.place if field.place.present or field.place.parent is None else field.place.parent


# -- words


def _named(resource: Resource, fields: Sequence[Unpinned]) -> str:
    """``The default of spec.items[] is a: 1, b: 2 (operator 1.2 to 1.4)``, each field and each origin once."""
    origins: dict[str, dict[str, dict[str, None]]] = defaultdict(lambda: defaultdict(dict))
    for field in fields:
        place = _dotted(resource.node, field.place.parent or resource.node)
        origins[field.origin.text][place][f"{field.place.key}: {_short(field.default)}"] = None
    told = (f"{_places(places)} ({origin})" for origin, places in origins.items())
    return f"The server sets {' and '.join(told)}"


def _places(places: Mapping[str, Iterable[str]]) -> str:
    return "; ".join(f"{', '.join(names)} in {place}" for place, names in places.items())


def _steps(root: Node, node: Node) -> list[str | int]:
    steps: list[str | int] = []
    while node.parent is not None and node.raw is not root.raw:
        steps.append(node.key)
        node = node.parent
    return steps[::-1]


def _dotted(root: Node, node: Node) -> str:
    """The way to a node, without the numbers of list items: what is missing in one is missing in many."""
    words = ("[]" if isinstance(step, int) else f".{step}" for step in _steps(root, node))
    return "".join(words).removeprefix(".")


def _short(default: Any) -> str:
    text = default if isinstance(default, str) and default else json.dumps(default, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."
