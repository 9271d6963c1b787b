"""Replace=true or Force=true on objects that do not survive it: volumes, workloads, addresses.

With Replace=true Argo CD writes the whole object instead of merging git's fields
into it. What git leaves out is gone: the volume that a bound PersistentVolumeClaim
has (the API server refuses that, so every sync fails), the number of replicas that
an autoscaler has chosen (it falls back to 1). With Force=true an object whose
change is refused is deleted and created anew. With both it is deleted and created
anew by every sync that applies it: pods stop all at once, a Service gets another
address, a PersistentVolumeClaim loses its volume. CustomResourceDefinitions and
Namespaces are only updated with Replace=true, but Force=true alone may delete them,
with everything in them.

An error: a PersistentVolumeClaim or PersistentVolume with Force=true, a claim with
Replace=true, a CRD or Namespace with Force=true alone. A warning: workloads,
Services and Ingresses with both, and workloads with Replace=true whose replicas are
not in git. A note: the same with Force=true alone, and Replace=true for a whole
Application, whose objects are not all known or may hold what others wrote.

Jobs, and large ConfigMaps and CRDs with Replace=true, are what the options are made
for; they are not reported.

Fix: give the option only to the object that needs it, by its annotation. For objects
that are too large use ServerSideApply=true.

See: argo-cd#820, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

Bad:
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: orders
      annotations:
        argocd.argoproj.io/sync-options: Force=true,Replace=true  # <- here
    spec:
      accessModes: [ReadWriteOnce]
Good:
    apiVersion: v1
    kind: PersistentVolumeClaim
    metadata:
      name: orders
      annotations:
        argocd.argoproj.io/sync-options: ServerSideApply=true
    spec:
      accessModes: [ReadWriteOnce]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import App, Confidence, Finding, Moment, Node, Note, Repo, Resource, Severity, by_line, counted, rule
from ...linter.argocd.applications import Application
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS

REPLACE: Final = "Replace=true"
FORCE: Final = "Force=true"
JOB: Final = "batch/Job"
CLAIM: Final = "PersistentVolumeClaim"
VOLUMES: Final = (CLAIM, "PersistentVolume")
HOLDING_OTHERS: Final = ("Namespace", "apiextensions.k8s.io/CustomResourceDefinition")
SCALED: Final = ("apps/Deployment", "apps/StatefulSet", "apps/ReplicaSet")
LOST: Final = {
    **dict.fromkeys((*SCALED, "apps/DaemonSet"), "all of its pods stop at once"),
    "Service": "it gets another address",
    "networking.k8s.io/Ingress": "its address may change, and nothing is served meanwhile",
}
MADE_FOR_IT: Final = frozenset((*HOLDING_OTHERS, JOB, "ConfigMap"))


class Harm(NamedTuple):
    what: str
    """The fault, to stand after the object."""
    happens: str
    severity: Severity


class Wide(NamedTuple):
    application: Application
    resource: Resource | None
    harm: Harm


@rule("GL624", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        if not resource.is_hook and (FORCE in resource.sync_options or REPLACE in resource.sync_options):
            harm = _harm(resource, _is_replaced(resource, repo))
            if harm is not None:
                annotation = resource.annotation(SYNC_OPTIONS)
                yield Finding(
                    annotation,
                    headline=f"{resource} {harm.what}",
                    happens=harm.happens,
                    do="Take the option away; use it by hand for the one sync that needs it.",
                    severity=harm.severity,
                )
    for place, found in by_line(wide for app in repo.applications for wide in _app_wide(app)):
        yield _finding(place, found)


def _is_replaced(resource: Resource, repo: Repo) -> bool:
    return any(app.options_for(resource).replace for app in repo.apps_with(resource))


def _harm(resource: Resource, replaces: bool) -> Harm | None:
    """What the two options do to an object."""
    kind, forces = resource.group_kind, FORCE in resource.sync_options
    if forces and replaces:
        return _recreated(kind)
    if forces:
        return _deleted_when_refused(kind)
    return _replaced(resource) if replaces else None


def _recreated(kind: str) -> Harm | None:
    what = "is deleted and created anew by every sync that applies it"
    both = "So it is with Force=true and Replace=true"
    if kind == JOB:
        return Harm(
            "runs again with every sync that applies it",
            f"{both}: a run that is not finished is killed.",
            Severity.NOTE,
        )
    if kind in VOLUMES:
        return Harm(what, f"{both}: its data is lost where the volume is not kept.", Severity.ERROR)
    return Harm(what, f"{both}: {LOST[kind]}.", Severity.WARNING) if kind in LOST else None


def _deleted_when_refused(kind: str) -> Harm | None:
    what = "is deleted and created anew when the API server refuses a change"
    if kind in VOLUMES:
        return Harm(what, "So it is with Force=true: its data is lost where the volume is not kept.", Severity.ERROR)
    if kind in HOLDING_OTHERS:
        return Harm(what, "So it is with Force=true: everything in it is deleted, too.", Severity.ERROR)
    return Harm(what, f"So it is with Force=true: {LOST[kind]}.", Severity.NOTE) if kind in LOST else None


def _replaced(resource: Resource) -> Harm | None:
    kind, spec = resource.group_kind, resource["spec"]
    if kind == CLAIM and not spec["volumeName"].text:
        happens = "Once it is bound, the API server refuses to have its volume taken out: every later sync fails."
        return Harm("cannot be written with Replace=true", happens, Severity.ERROR)
    if kind in SCALED and spec["replicas"].absent:
        happens = "With Replace=true git's text is all that counts, and git does not say how many."
        return Harm("goes back to 1 replica with every sync that applies it", happens, Severity.WARNING)
    return None


# -- the option of an Application


def _app_wide(app: App) -> Iterator[tuple[Node, Wide]]:
    application = app.certain_application
    if application is None or REPLACE not in application.sync_options:
        return
    place = application.place(f"/spec/syncPolicy/syncOptions/{application.sync_options.index(REPLACE)}")
    objects = [one for one in app.resources if not (one.is_hook or one.patched or REPLACE in one.sync_options)]
    is_meant = app.is_complete or _is_for_crds(application)
    found = [(one, harm) for one in objects if (harm := _replaced(one))]
    if found:
        resource, harm = max(found, key=lambda pair: pair[1].severity)
        yield place, Wide(application, resource, harm)
    elif not is_meant or any(one.group_kind not in MADE_FOR_IT for one in objects):
        happens = "Every sync writes its objects whole, and what others have written into them is lost."
        yield place, Wide(application, None, Harm("", happens, Severity.NOTE))


def _is_for_crds(application: Application) -> bool:
    """By its name, or those of its sources: large CRDs are the usual reason for the option."""
    names = (application.name, *(f"{one.path} {one.chart}" for one in application.sources))
    return any("crd" in name.lower() for name in names)


def _finding(place: Node, found: list[Wide]) -> Finding:
    worst = max(found, key=lambda wide: wide.harm.severity)
    also = f" So it is with {counted(len(found) - 1, 'more Application')}." if len(found) > 1 else ""
    what = "" if worst.resource is None else f"{worst.resource} {worst.harm.what}. "
    return Finding(
        place,
        headline=f"Replace=true is set for all of {worst.application}",
        happens=f"{what}{worst.harm.happens}{also}",
        do="Set it in the annotation of the objects that need it, or use ServerSideApply=true.",
        related=(Note(worst.resource["kind"], f"{worst.resource} is here"),) if worst.resource else (),
        severity=worst.harm.severity,
        confidence=Confidence.HIGH if worst.resource else Confidence.MEDIUM,
    )
