"""A label that changes with every release is put into selectors that cannot be changed.

commonLabels, and labels with includeSelectors: true, go into the selectors of
workloads as well. Kubernetes never allows the selector of a Deployment, StatefulSet,
DaemonSet or ReplicaSet to change: as soon as the label gets another value, the API
server refuses every such object ("field is immutable") and the sync fails until each
of them is deleted. Until then nothing is wrong, which is why it is noticed at the
first upgrade.

Warned of are keys that name a version, a commit, a build, a release and the like. For
instance, managed-by, part-of and chart it is a note: they change when an installation
is renamed, moved or taken over by another tool. The kustomize block of an Application
is looked at as well. Only labels that reach such a selector in some build count.

Fix: move the label to an entry of labels without includeSelectors, with
includeTemplates: true if the pods need it. For workloads that exist already this
changes their selectors, too, so they have to be deleted and made anew once; no fix is
offered for that reason.

See: kubernetes-sigs/kustomize#1009, kubernetes-sigs/kustomize#3718, argo-cd#15283, argo-cd#17328,
kubeflow/community-distribution#1131

Bad:
    # kustomization.yaml
    resources:
      - deployment.yaml
    commonLabels:
      app.kubernetes.io/version: "1.4"  # <- here
    ---
    # deployment.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      selector:
        matchLabels:
          app: shop
Good:
    # kustomization.yaml
    resources:
      - deployment.yaml
    labels:
      - pairs:
          app.kubernetes.io/version: "1.4"
        includeTemplates: true
    ---
    # deployment.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      selector:
        matchLabels:
          app: shop
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Node, Repo, Resource, Severity, by_line, regex, rule

VOLATILE: Final = regex(
    r"(?i)(?:.*[/._-])?(?:app-?)?"
    r"(?:version|commit(?:-?(?:sha|hash|id))?|(?:git-?)?(?:sha|hash|commit|revision)|revision|build(?:-?(?:id|number|date))?"
    r"|release-?(?:date|version)|(?:image-?)?tag|date|timestamp|deployed-?at)"
)
SELDOM: Final = regex(r"(?i)(?:.*[/._-])?(?:instance|managed-?by|part-?of|release|chart)")
IMMUTABLE: Final = frozenset(("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"))


@rule("GL717", Severity.WARNING, Moment.UPGRADE)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(_labels(repo)):
        severity = Severity.WARNING if VOLATILE.fullmatch(str(place.key)) else Severity.NOTE
        yield Finding(
            place,
            headline=f"the label {place.key!r} goes into the selector of {found[0]}",
            happens="A selector can never be changed: with another value of the label the sync fails, until the object"
            " is deleted.",
            do="Move the label to an entry of labels without includeSelectors.",
            severity=severity,
            confidence=Confidence.HIGH if severity is Severity.WARNING else Confidence.MEDIUM,
        )


def _labels(repo: Repo) -> Iterator[tuple[Node, Resource]]:
    for pairs in _selecting(repo):
        for key, label in pairs.items():
            if VOLATILE.fullmatch(key) or SELDOM.fullmatch(key):
                reached = _selected_by(repo, pairs, key)
                if reached is not None:
                    yield label, reached


def _selecting(repo: Repo) -> Iterator[Node]:
    """Maps of labels that go into selectors."""
    for kustomization in repo.kustomize.by_folder.values():
        root = kustomization.root
        yield root["commonLabels"]
        for entry in root["labels"]:
            if entry["includeSelectors"].value is True:
                yield entry["pairs"]
    for app in repo.applications:
        for one in app.rendered:
            if app.application and one.build and one.source.tool("kustomize").get("labelWithoutSelector") is not True:
                yield app.application.place(f"{one.source.pointer}/kustomize/commonLabels")


def _selected_by(repo: Repo, pairs: Node, key: str) -> Resource | None:
    """An object with a selector that these labels are put into."""
    for resource in repo.kustomize.changed_by(pairs):
        selector = resource["spec"]["selector"]["matchLabels"]
        if resource.kind in IMMUTABLE and resource.group == "apps" and selector[key].present:
            return resource
    return None
