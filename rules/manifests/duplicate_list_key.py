"""Two items of a list that Kubernetes takes for one and the same: refused, or never in sync.

Lists such as containers, volumes, env and ports have a field by which their items are
told apart. Two containers, volumes or mounts of one name or path, two Service ports of
one number and protocol: the API server refuses the object (error).

Other lists it accepts, of two environment variables with one name the last counts.
With ServerSideApply=true the sync fails ("duplicate entries for key", error). Without
it the object is applied and mostly in sync; but what the first of the two says is lost, and a later
change of the list may take both away, or stop the comparison of the whole Application ("The order in
patch list: … doesn't match $setElementOrder list"): a warning, a note for two that are alike. Of two
ports both stay, under their names, until a change of the list is merged (note).

One port number with two protocols is in order, and so is one with several hostPorts.
Rollouts are looked at for env and ports only: their CRD refuses two ports of one
number and protocol.

Fix: take one of them out. For two items that are alike in everything the fix is safe. For
two environment variables it is unsafe: it keeps the last one, which is the one that
counts now.

See: argo-cd#20979, argo-cd#4071, argo-helm#3732, argo-rollouts#2271, argo-rollouts#2750

Bad:
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
                - name: LEVEL
                  value: info
                - name: COLOR  # <- here
                  value: blue
Good:
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
                - name: LEVEL
                  value: info
                - name: COLOR
                  value: blue
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Note, Repo, Resource, Severity, by_line, rule
from ...linter.kubernetes.list_keys import Repeated, repeated_items
from ...linter.kubernetes.pods import KINDS

LOOKED_AT: Final = frozenset(
    (*KINDS.split(), *"Service ServiceAccount MutatingWebhookConfiguration ValidatingWebhookConfiguration".split())
)


@rule("GL019", Severity.ERROR, Moment.SYNC, literal=True)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        # In a template that was not rendered, the two may be branches of which one is taken.
        if resource.kind in LOOKED_AT and not resource.unrendered:
            repeated = [(one.field, one) for one in repeated_items(resource)]
            for _, together in by_line(repeated):
                worst = max(together, key=lambda one: one.key.refused)
                yield _finding(worst, resource, repo)


def _finding(repeated: Repeated, resource: Resource, repo: Repo) -> Finding:
    severity, effect = _effect(repeated, resource, repo)
    return Finding(
        repeated.field,
        headline=f"{repeated.list_name} of {_whose(repeated, resource)} has {repeated.name!r} twice",
        happens=effect,
        do="Take one of them out.",
        fixes=_fixes(repeated),
        related=(Note(repeated.first[repeated.key.by[0]], "the first one"),),
        severity=severity,
    )


def _effect(repeated: Repeated, resource: Resource, repo: Repo) -> tuple[Severity, str]:
    if repeated.key.refused:
        return Severity.ERROR, "The API server refuses the object."
    if any(app.options_for(resource).server_side_apply for app in repo.apps_with(resource)):
        return Severity.ERROR, "With ServerSideApply=true the sync fails (duplicate entries for key)."
    if repeated.item.value == repeated.first.value:
        return Severity.NOTE, "The API server takes it; a server-side apply would fail."
    if repeated.list_name == "ports":
        return (
            Severity.NOTE,
            "The API server takes both; a later change of the list may lose one, or fail to be applied.",
        )
    return (
        Severity.WARNING,
        "The API server takes it and only the last one counts; a later change of the list may fail to be applied.",
    )


def _whose(repeated: Repeated, resource: Resource) -> str:
    holder = repeated.item.parent.parent if repeated.item.parent else None
    name = holder["name"].scalar_text if holder is not None and holder["image"].present else ""
    return f"container {name!r} in {resource}" if name else str(resource)


def _fixes(repeated: Repeated) -> tuple[Fix, ...]:
    if repeated.item.value == repeated.first.value:
        return (Fix("take the second one out", repeated.item.remove(), safe=True),)
    if repeated.list_name == "env":
        return (Fix("keep the last one, which counts now", repeated.first.remove()),)
    return ()
