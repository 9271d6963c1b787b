"""An object that cannot become healthy stands in a wave that the sync has to get past.

Argo CD goes on to the next wave, and to PostSync, once everything before is healthy; it fails when
something is Degraded, and otherwise waits without a time limit. This rule finds objects of which the
files show that they do not get there: a Job or Pod whose command never ends; a Certificate that names
an Issuer where the repository has only a ClusterIssuer of that name, and an ExternalSecret with a
SecretStore that is a ClusterSecretStore, or the other way round. The kind is often forgotten: without
it an Issuer or a SecretStore of the same namespace is meant.

It is a note for an APIService whose Service is not part of the Application: it is available only
when that Service answers, and whether it runs by then the files do not show.

In the last wave of a sync without later hooks nothing is waited for, and the rule is silent. Hooks are
hook-never-completes, claims claim-before-its-pods, addresses of Ingresses and load balancers
wave-waits-for-address, suspended objects suspended-object-blocks-sync, and what merely comes too late
dependency-in-later-wave. Where the settings of Argo CD in the repository have a health check of their
own for the kind, nothing is said.

Fix: write the kind that is meant; the fix offered does so, and is unsafe, because the store or issuer is
then used for the first time. Give a Job a command that ends. Put an APIService into the last wave.

See: argo-cd#14607, argo-cd#28345, argo-cd#17702, https://argo-cd.readthedocs.io/en/stable/faq/

Bad:
    apiVersion: cert-manager.io/v1
    kind: ClusterIssuer
    metadata:
      name: letsencrypt
      annotations:
        argocd.argoproj.io/sync-wave: "-2"
    ---
    apiVersion: cert-manager.io/v1
    kind: Certificate
    metadata:
      name: shop
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
    spec:
      secretName: shop-tls
      issuerRef:
        name: letsencrypt  # <- here
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
Good:
    apiVersion: cert-manager.io/v1
    kind: ClusterIssuer
    metadata:
      name: letsencrypt
      annotations:
        argocd.argoproj.io/sync-wave: "-2"
    ---
    apiVersion: cert-manager.io/v1
    kind: Certificate
    metadata:
      name: shop
      annotations:
        argocd.argoproj.io/sync-wave: "-1"
    spec:
      secretName: shop-tls
      issuerRef:
        name: letsencrypt
        kind: ClusterIssuer
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ...linter.api import App, Confidence, Finding, Fix, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.argocd.endless_pods import never_ends
from ...linter.argocd.sync_order import Task


class Names(NamedTuple):
    """A kind that names another one, which exists with a namespace and without."""

    field: str
    group: str
    kinds: tuple[str, str]
    """With a namespace, the default, and without."""
    effect: str


NAMED: Final = {
    "cert-manager.io/Certificate": Names(
        "issuerRef", "cert-manager.io", ("Issuer", "ClusterIssuer"), "it is never issued, and the sync waits"
    ),
    "external-secrets.io/ExternalSecret": Names(
        "secretStoreRef",
        "external-secrets.io",
        ("SecretStore", "ClusterSecretStore"),
        "it becomes Degraded, and the sync fails",
    ),
}
KINDS: Final = frozenset({"Certificate", "ExternalSecret", "APIService", "Job", "Pod"})
API_SERVICE: Final = "apiregistration.k8s.io/APIService"


@rule("GL208", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for _, found in by_line(_unhealthy(repo)):
        yield found[0]


def _unhealthy(repo: Repo) -> Iterator[tuple[Node, Finding]]:
    named = [one for one in repo.resources if any(one.kind in each.kinds for each in NAMED.values())]
    for app in repo.apps:
        for task in app.plan.tasks:
            resource = task.resource
            if resource.kind not in KINDS or resource.is_hook or resource.patched:
                continue
            finding = _looked_at(task, app, named)
            if (
                finding is None
                or not app.awaits(resource)
                or repo.argocd.overrides_health(resource.group, resource.kind)
            ):
                continue
            assert isinstance(finding.at, Node)
            yield finding.at, finding


def _looked_at(task: Task, app: App, named: Sequence[Resource]) -> Finding | None:
    resource = task.resource
    names = NAMED.get(resource.group_kind)
    if names is not None:
        return _wrong_kind(task, names, named)
    return _foreign_service(task, app) if resource.group_kind == API_SERVICE else _endless(task)


def _wrong_kind(task: Task, names: Names, named: Sequence[Resource]) -> Finding | None:
    reference = task.resource["spec"][names.field]
    name, group = reference["name"].text, reference["group"].text or names.group
    kind = reference["kind"].text or names.kinds[0]
    if not name or group != names.group or kind not in names.kinds:
        return None
    other = next(each for each in names.kinds if each != kind)
    alike = [each for each in named if each.name == name and each.group == group and each.kind in names.kinds]
    if not alike or any(each.kind == kind or each.patched for each in alike):
        return None
    default = "" if reference["kind"].present else f", and {kind} is the default"
    return Finding(
        reference["kind"] if reference["kind"].present else reference["name"],
        headline=f"{task.resource} names the {kind} {name!r}, but there is only a {other}",
        happens=f"It is in {task.slot}{default}: {names.effect} before the next wave.",
        do=f"Write kind: {other}.",
        fixes=(Fix(f"write kind: {other}", reference["kind"].set(other)),),
        related=(Note(alike[0]["kind"], f"{alike[0]} is here"),),
        confidence=Confidence.MEDIUM,
    )


def _foreign_service(task: Task, app: App) -> Finding | None:
    service = task.resource["spec"]["service"]["name"]
    if not service.text or any(each.provider.group_kind == "Service" for each in app.graph.of(task.resource)):
        return None
    return Finding(
        service,
        headline=f"{task.resource} in {task.slot} is healthy only when Service {service.text!r} answers",
        happens="That is not applied with it; if it does not run by then, the sync waits for it for ever.",
        do="Make sure that the Service runs before, or put this into the last wave.",
        severity=Severity.NOTE,
        confidence=Confidence.LOW,
    )


def _endless(task: Task) -> Finding | None:
    resource: Resource = task.resource
    endless = never_ends(resource)
    if endless is None or (resource.kind == "Pod" and resource["spec"]["restartPolicy"].value in (None, "Always")):
        return None
    return Finding(
        endless.at,
        headline=f"{resource} in {task.slot} {endless.why}",
        happens="The sync waits for its end before it goes on, and it has none.",
        do="Give it a command that ends, or put it into the last wave.",
    )
