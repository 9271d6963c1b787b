"""A field that server-side apply refuses: an explicit null, or a field that the CRD does not have.

With ServerSideApply=true, or ServerSideDiff=true, the API server gets git's
object as it is. Two things that pass otherwise then stop the sync or the
comparison of the whole Application. A null for a field that is not nullable and
has no default is refused ("must be of type string"); client-side apply
leaves it out. A field that the schema of the CRD does not have is
refused, too ("field not declared in schema"); a client-side apply drops it.

Only custom resources are looked at, and only where the schema is known exactly:
from a CRD in the repository, or from the schema folder. If several CRDs define
the kind, all of them have to refuse the field. It is a warning where nothing shows that
the CRD comes to the same cluster as the object. The Application has to be known to
use one of the options, or the object has the annotation itself; else unknown fields
are told by cr-schema-violation, and those of Argo CD's own kinds by application-unknown-field.

Fix: leave the null out, which is offered as a safe fix, since as it stands the
object cannot be applied. Correct the name of a field that is not known, or put it
where it belongs.

See: argo-cd#16400, argo-cd#15176, https://kubernetes.io/docs/reference/using-api/server-side-apply/

Bad:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: shops.example.com
    spec:
      group: example.com
      names:
        kind: Shop
        plural: shops
      scope: Namespaced
      versions:
        - name: v1
          served: true
          storage: true
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  properties:
                    currency:
                      type: string
    ---
    apiVersion: example.com/v1
    kind: Shop
    metadata:
      name: main
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      currency: null  # <- here
Good:
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: shops.example.com
    spec:
      group: example.com
      names:
        kind: Shop
        plural: shops
      scope: Namespaced
      versions:
        - name: v1
          served: true
          storage: true
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  properties:
                    currency:
                      type: string
    ---
    apiVersion: example.com/v1
    kind: Shop
    metadata:
      name: main
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec: {}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import App, Confidence, Finding, Fix, Moment, Repo, Resource, Severity, rule
from ...linter.kubernetes.crds import Refused
from ...linter.kubernetes.validation import is_custom

ENCRYPTED: Final = "sops"


@rule("GL416", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        if not is_custom(resource) or resource.patched:
            continue
        app = next((app for app in repo.apps_with(resource) if _sends_whole(app, resource, repo)), None)
        if app is None or not resource.hook.phases or resource[ENCRYPTED].present:
            continue
        is_known = repo.has_known_definition(resource)
        lines: set[int] = set()
        for refused in app.schemas.refused(resource):
            line = refused.place.file.position(refused.place.span.start).line
            if line not in lines:
                lines.add(line)
                yield _finding(resource, app, refused, is_known)


def _sends_whole(app: App, resource: Resource, repo: Repo) -> bool:
    """Whether the server sees git's object as it is written, when it is applied or when it is compared."""
    options = app.options_for(resource)
    return options.server_side_apply or (options.known and options.asks_server)


def _finding(resource: Resource, app: App, refused: Refused, is_known: bool) -> Finding:
    where, key = refused.origin.text, refused.place.key
    owner = f"{app.application}" if app.application else "the Application"
    applies = app.options_for(resource).server_side_apply
    effect = f"the sync of {owner} fails" if applies else f"{owner} cannot be compared, so no automated sync starts"
    how = "Server-side apply" if applies else "ServerSideDiff=true"
    where = where if is_known else f"{where}, if the cluster has that one"
    if refused.is_null:
        headline, do = f"{key} of {resource} is null, which its schema does not allow", "Leave it out."
    else:
        headline, do = (
            f"{resource} has a field {key!r} that its schema does not have",
            "Correct its name, or take it out.",
        )
    fixes = (Fix("leave it out", refused.place.remove(), safe=True),) if refused.is_null else ()
    return Finding(
        refused.place,
        headline=headline,
        happens=f"{how} refuses it by the schema ({where}), and {effect}.",
        do=do,
        fixes=fixes if isinstance(key, str) else (),
        severity=None if is_known else Severity.WARNING,
        confidence=Confidence.HIGH if is_known else Confidence.MEDIUM,
    )
