"""RespectIgnoreDifferences and an ignored field that git sets: what git says never arrives.

With RespectIgnoreDifferences=true Argo CD copies what it ignores from the live object into
what it applies. That is meant for fields that something else writes. Where git sets the field
itself, git's value counts only for an object that does not exist yet: every later change of it
is replaced by the live value, and the Application is Synced all the same. New environment
variables, resources or rules of a policy do not get into the cluster, and nobody is told.

A field that is a mapping or a list is a warning: most of it is git's. A single value is a note;
it may be there as a start. Fields that something else usually writes (replicas, image, caBundle,
data of a Secret) are left out, and so are claims, which cannot change.

A jq path into a list of a custom resource (`.spec.data[].remoteRef.property`) freezes more than it names: up to Argo CD
3.5 the list is put together from the one in the cluster, so an item that git takes out of it comes back with every
sync, and the Application stays OutOfSync (warning). Lists of built-in kinds are merged item by item, and are not.

Where the objects are not seen (a chart from elsewhere), a path to a block that manifests write as a rule (env,
rules) is a note; the better part of an object is for ignore-too-broad.

`.metadata.managedFields` in it makes every sync fail as soon as the object is applied
server-side: "metadata.managedFields must be nil" (error).

Fix: name only the fields that something else writes, or take the option away.

See: argo-cd#17694, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jqPathExpressions:
            - .spec.template.spec.containers[].env  # <- here
      syncPolicy:
        syncOptions:
          - RespectIgnoreDifferences=true
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      template:
        spec:
          containers:
            - name: shop
              image: registry.example.com/shop:1.4
              env:
                - name: COLOR
                  value: green
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      ignoreDifferences:
        - group: apps
          kind: Deployment
          jqPathExpressions:
            - .spec.template.spec.containers[].env[] | select(.name == "INJECTED")
      syncPolicy:
        syncOptions:
          - RespectIgnoreDifferences=true
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      template:
        spec:
          containers:
            - name: shop
              image: registry.example.com/shop:1.4
              env:
                - name: COLOR
                  value: green
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import (
    App,
    Confidence,
    Finding,
    Moment,
    Node,
    Note,
    Repo,
    Resource,
    Severity,
    and_more,
    by_line,
    rule,
)
from ...linter.argocd.applications import Application
from ...linter.argocd.broad_ignores import broad_part
from ...linter.argocd.ignored_differences import is_for, paths_of_pointer, paths_of_query, reached
from ...linter.dialects.jq_paths import Mark, Path
from ...linter.kubernetes.validation import is_custom

WRITTEN_BY_OTHERS: Final = frozenset(("replicas", "image", "caBundle", "data", "stringData", "clusterIP", "nodePort"))
WHOLE_BLOCKS: Final = frozenset("containers env envFrom initContainers rules spec template".split())
"""What manifests write as a rule, whoever adds to it."""
MERGED_SINCE: Final = "3.6"
"""The first Argo CD that puts lists of custom resources together by their schema."""
MANAGED_FIELDS: Final = ("metadata", "managedFields")


class Frozen(NamedTuple):
    application: Application
    resource: Resource
    field: Node | None
    """None for managedFields, which git does not set."""
    is_list: bool = False
    """The path leads on into the items of this list."""


class Unseen(NamedTuple):
    """A whole block is ignored, and the objects that may have it are not in this repository."""

    application: Application
    kind: str
    block: str


@rule("GL420", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(one for app in repo.applications for one in _frozen(app)):
        seen = [one for one in found if isinstance(one, Frozen)]
        refused = next((one for one in seen if one.field is None), None)
        lists = next((one for one in seen if one.is_list), None)
        if refused or lists:
            yield _refused(place, refused) if refused else _comes_back(place, lists or seen[0])
        else:
            yield _kept(place, seen) if seen else _may_be_kept(place, found[0])


def _frozen(app: App) -> Iterator[tuple[Node, Frozen | Unseen]]:
    application = app.certain_application
    if application is None:
        return
    if "RespectIgnoreDifferences=true" not in application.sync_options:
        return
    for index, item in enumerate(application.ignored_differences):
        resources = [one for one in app.resources if _can_change(one) and is_for(item, one, app.namespace)]
        for key, paths_of in (("jsonPointers", paths_of_pointer), ("jqPathExpressions", paths_of_query)):
            texts = item.get(key) if resources or not app.is_complete else None
            for number, text in enumerate(texts if isinstance(texts, list) else ()):
                paths = paths_of(text) if isinstance(text, str) else ()
                if not item.get("name"):  # else it is a note of ignore-too-broad, which tells the rest
                    paths = tuple(path for path in paths if not broad_part(path))
                place = application.place(f"/spec/ignoreDifferences/{index}/{key}/{number}")
                for resource in resources:
                    for field in _hit(app, resource, paths):
                        yield place, Frozen(application, resource, field)
                    for field in _lists(resource, paths):
                        yield place, Frozen(application, resource, field, is_list=True)
                narrow = (path for path in paths if path and not broad_part(path))
                block = next((str(path[-1]) for path in narrow if path[-1] in WHOLE_BLOCKS), "")
                if block and not resources:
                    yield place, Unseen(application, str(item.get("kind") or "an object"), block)


def _can_change(resource: Resource) -> bool:
    """A claim takes next to no change of its spec anyway."""
    return not (resource.is_hook or resource.patched or resource.kind == "PersistentVolumeClaim")


def _hit(app: App, resource: Resource, paths: tuple[Path, ...]) -> Iterator[Node | None]:
    for path in paths:
        if tuple(path[:2]) == MANAGED_FIELDS:
            if app.options_for(resource).server_side_apply:
                yield None
        elif path and path[0] != "status":
            yield from (node for node in reached(resource.node, path) if _is_gits(node))


def _lists(resource: Resource, paths: tuple[Path, ...]) -> Iterator[Node]:
    """Lists of a custom resource that a path goes through: Argo CD knows no way to merge their items."""
    if not is_custom(resource) or resource.versions.argocd_at_least(MERGED_SINCE):
        return
    for path in paths:
        if Mark.EACH in path[:-1]:
            yield from (node for node in reached(resource.node, path[: path.index(Mark.EACH)]) if node.is_sequence)


def _is_gits(node: Node) -> bool:
    above = node.parent.key if node.parent is not None else ""
    return node.value not in ({}, []) and WRITTEN_BY_OTHERS.isdisjoint((str(node.key), str(above)))


def _refused(place: Node, one: Frozen) -> Finding:
    return Finding(
        place,
        headline=f"managedFields are ignored and respected, and {one.resource} is applied server-side",
        happens='Argo CD sends the live ones along, and every sync fails ("metadata.managedFields must be nil").',
        do="Take managedFields out of ignoreDifferences: Argo CD does not compare them anyway.",
        severity=Severity.ERROR,
    )


def _comes_back(place: Node, one: Frozen) -> Finding:
    assert one.field is not None
    return Finding(
        place,
        headline=f"items of {one.field.key} of {one.resource} are ignored and respected, and git writes the list",
        happens="Up to Argo CD 3.5 a sync takes items of the list from the cluster: one that git takes out comes back,"
        " and the Application stays OutOfSync.",
        do="Write the defaults that are ignored into git, or take RespectIgnoreDifferences=true away.",
        related=(Note(one.field, "git writes the list here"),),
        confidence=Confidence.MEDIUM,
    )


def _may_be_kept(place: Node, one: Frozen | Unseen) -> Finding:
    assert isinstance(one, Unseen)
    return Finding(
        place,
        headline=f"{one.block} of {one.kind} as a whole is ignored and respected",
        happens="If git sets it, a sync writes the live value back, and a change never reaches an object that exists.",
        do="Ignore only what something else writes, or take RespectIgnoreDifferences=true away.",
        severity=Severity.NOTE,
        confidence=Confidence.MEDIUM,
    )


def _kept(place: Node, found: list[Frozen]) -> Finding:
    first = next((one for one in found if one.field and not one.field.scalar_text), found[0])
    assert first.field is not None
    others = len({id(one.resource) for one in found}) - 1
    also = and_more(others, " (and {} more)")
    is_whole = first.field.is_mapping or first.field.is_sequence
    return Finding(
        place,
        headline=f"{first.field.key} of {first.resource}{also} is ignored and respected, and git sets it",
        happens="A sync writes the live value back, so what git says of it never reaches an object that exists.",
        do="Ignore only what something else writes, or take RespectIgnoreDifferences=true away.",
        related=(Note(first.field, "git sets it here"),),
        severity=Severity.WARNING if is_whole else Severity.NOTE,
        confidence=Confidence.MEDIUM,
    )
