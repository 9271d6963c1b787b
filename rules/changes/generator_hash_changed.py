"""A generated ConfigMap or Secret changes, so that it gets another name and its pods are replaced.

Kustomize puts a hash of the content behind the names that generators make. A change of one
literal or file is therefore, to Argo CD, a new object and one that is gone, and everything whose
pod template names it gets a new template: Deployments, StatefulSets and DaemonSets replace
their pods at the next sync. That is what the hash is for, so it is a note that says who restarts.
What runs outside of a rollout, a bare Pod or a Job that is there already, cannot be changed and
is told by other rules.

The old object is pruned in the same sync where the Application prunes. Without PruneLast=true
that comes first, and pods of the old generation that restart while the rollout goes on do not
find it (generator-hash-without-prune-last).

Fix: nothing, if the restart is meant; else make the change when it may happen. With
disableNameSuffixHash: true the name stays, and so do the pods, with what they have read before.

See: argo-cd#5080, https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/configmapgenerator/

Bad:
    # before: kustomization.yaml
    resources:
      - web.yaml
    configMapGenerator:
      - name: settings
        literals:
          - mode=fast
    # kustomization.yaml
    resources:
      - web.yaml
    configMapGenerator:
      - name: settings
        literals:
          - mode=slow  # <- here
    # both: web.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      selector:
        matchLabels:
          app: web
      template:
        metadata:
          labels:
            app: web
        spec:
          containers:
            - name: web
              image: registry.example.com/web:1.4.2
              envFrom:
                - configMapRef:
                    name: settings
Good:
    # before: kustomization.yaml
    resources:
      - web.yaml
    configMapGenerator:
      - name: settings
        literals:
          - mode=fast
    # kustomization.yaml
    resources:
      - web.yaml
    generatorOptions:
      disableNameSuffixHash: true
    configMapGenerator:
      - name: settings
        literals:
          - mode=fast
    # both: web.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web
    spec:
      selector:
        matchLabels:
          app: web
      template:
        metadata:
          labels:
            app: web
        spec:
          containers:
            - name: web
              image: registry.example.com/web:1.4.2
              envFrom:
                - configMapRef:
                    name: settings
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import App, Change, Finding, Moment, Node, Resource, Severity, by_line, listed, rule
from ...linter.change import Likeness

ROLL: Final = ("apps/Deployment", "apps/StatefulSet", "apps/DaemonSet", "argoproj.io/Rollout")
MOST: Final = 500
"""Places of one generator that are looked at for the changed line."""


class Changed(NamedTuple):
    resource: Resource
    app: App
    restarted: tuple[Resource, ...]


@rule("GL946", Severity.NOTE, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    for place, together in by_line(_found(change)):
        objects = listed(f"{one.resource.kind} {_base(one.resource.name)!r}" for one in together)
        yield Finding(
            place,
            headline=f"{objects} gets another hash, and with it another name",
            happens=_effect(together),
            do="Merge when the pods may be replaced.",
        )


def _found(change: Change) -> Iterator[tuple[Node, Changed]]:
    for renaming in change.renamings:
        resource, app = renaming.added.after, renaming.added.after_app
        if renaming.why is not Likeness.GENERATED or resource is None or app is None:
            continue
        restarted = tuple(
            dict.fromkeys(one.consumer for one in app.graph.to(resource) if one.consumer.group_kind in ROLL)
        )
        if restarted:
            yield _place(change, resource.node.origin), Changed(resource, app, restarted)


def _place(change: Change, generator: Node) -> Node:
    """The line of the generator that changed; its name if what changed is another file."""
    lines = change.changed_lines(generator.file.path)
    for _, node in zip(range(MOST), generator.walk(), strict=False):
        if node.file.position(node.span.start).line in lines:
            return node
    return generator["name"]


def _effect(together: list[Changed]) -> str:
    workloads = listed(one for found in together for one in found.restarted)
    apps = {id(one.app): one.app for one in together if one.app.application is not None}
    known = [app.application for app in apps.values() if app.application is not None]
    when = f"The next sync of {listed(known)}" if known else "Whoever applies it"
    return f"{when} replaces the pods of {workloads}."


def _base(name: str) -> str:
    """Without the hash."""
    return name.rpartition("-")[0] or name
