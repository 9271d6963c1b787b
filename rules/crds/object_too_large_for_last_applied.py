"""An object too large for the annotation that a client-side apply keeps of it: the sync fails.

Argo CD applies as kubectl does: the whole object, as JSON, goes into the annotation
kubectl.kubernetes.io/last-applied-configuration as well. All annotations of an object together may have
262144 bytes; beyond that the API server answers "metadata.annotations: Too long". That hits CRDs with large
schemas (an operator's update can be enough; Argo CD's own ApplicationSet CRD is over the line since 3.3) and
ConfigMaps with dashboards.

Server-side apply and Replace=true keep no such annotation, so an object that has one of these options, by
itself or from its Application, is not reported. The Applications that sync the object decide: an error if one of them
applies it client-side. Where none is known, it is a note, for nobody knows how it is applied; and so it is from 200000
bytes on, when it grows.

Fix: ServerSideApply=true for this object. The fix adds it to the object's annotation and is safe: the object cannot
be applied as it is. For the whole Application the option also changes how everything is compared. A ConfigMap may
be split instead.

See: argo-cd#820, https://argo-cd.readthedocs.io/en/stable/operator-manual/upgrading/3.2-3.3/,
prometheus-operator/prometheus-operator#4355, cloudnative-pg/cloudnative-pg#4377,
mariadb-operator/mariadb-operator#522, redhat-appstudio/infra-deployments#5286, k8ssandra/k8ssandra-operator#396
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Repo, Resource, Severity, rule
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS
from ...linter.kubernetes.annotations.option_lists import with_option
from ...linter.kubernetes.validation import LAST_APPLIED_LIMIT, annotations_size, may_be_large

NEAR: Final = 200_000
OPTION: Final = "ServerSideApply=true"


@rule("GL307", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for resource in repo.resources:
        if not may_be_large(resource) or not resource.name or not _is_applied_client_side(repo, resource):
            continue
        size = annotations_size(resource, NEAR)
        if size:
            yield _finding(resource, size, bool(repo.managers(resource)))


def _is_applied_client_side(repo: Repo, resource: Resource) -> bool:
    """By those who sync it, if anybody does: an overlay that nobody deploys says nothing."""
    managers = repo.managers(resource)
    options = [app.options_for(resource) for app in managers] if managers else repo.options_of(resource)
    return any(not one.server_side_apply and not one.replace for one in options)


def _finding(resource: Resource, size: int, is_managed: bool) -> Finding:
    annotation = resource.annotation(SYNC_OPTIONS)
    patch = annotation.set(with_option(annotation.text, OPTION))
    is_over = size > LAST_APPLIED_LIMIT
    sync = "the sync" if is_managed else "a client-side apply"
    if is_over:
        headline = f"{resource} is too large for a client-side apply"
        fails = f'so {sync} fails with "metadata.annotations: Too long"'
    else:
        headline = f"{resource} is nearly too large for a client-side apply"
        fails = f'and when it grows beyond them, {sync} fails with "metadata.annotations: Too long"'
    return Finding(
        annotation if annotation.present else resource["kind"],
        headline=headline,
        happens=f"The copy that is kept of it in an annotation has about {size // 1000} kB; the API server takes"
        f" {LAST_APPLIED_LIMIT} bytes, {fails}.",
        do=f"Add {OPTION} for this object, which keeps no such copy.",
        fixes=(Fix(f"add {OPTION}", patch, safe=is_over and is_managed),),
        severity=None if is_over and is_managed else Severity.NOTE,
        moment=None if is_over else Moment.UPGRADE,
    )
