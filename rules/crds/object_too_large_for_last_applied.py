"""An object too large for the annotation that a client-side apply keeps of it: the sync fails.

Argo CD applies as kubectl does: the whole object, as JSON, goes into the annotation
kubectl.kubernetes.io/last-applied-configuration as well. All annotations of an object together may have
262144 bytes; beyond that the API server answers "metadata.annotations: Too long". That hits CRDs with large
schemas (an operator's update can be enough; Argo CD's own ApplicationSet CRD is over the line since 3.3) and
ConfigMaps with dashboards.

Server-side apply and Replace=true keep no such annotation, so an object that has one of these options, by
itself or from its Application, is not reported. From 200000 bytes on it is a note. Where no Application
is known for the object it is a warning, for nobody knows how it is applied.

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
            yield _finding(resource, size, _severity(repo, resource))


def _is_applied_client_side(repo: Repo, resource: Resource) -> bool:
    return any(not one.server_side_apply and not one.replace for one in repo.options_of(resource))


def _severity(repo: Repo, resource: Resource) -> Severity:
    """As long as sets are not expanded, one of them may apply it another way."""
    if repo.managers(resource):
        return Severity.ERROR
    return Severity.NOTE if repo.reach.open_paths else Severity.WARNING


def _finding(resource: Resource, size: int, severity: Severity) -> Finding:
    annotation = resource.annotation(SYNC_OPTIONS)
    place = annotation if annotation.present else resource["kind"]
    patch = annotation.set(with_option(annotation.text, OPTION))
    kept = f"{resource} comes to about {size // 1000} kB in the annotation that a client-side apply keeps of it"
    if size > LAST_APPLIED_LIMIT:
        message = f"{kept}; the API server takes {LAST_APPLIED_LIMIT}, so the sync fails with Too long"
    else:
        message = f"{kept}; with more than {LAST_APPLIED_LIMIT} the sync will fail with Too long"
        severity = Severity.NOTE
    fix = Fix(f"add {OPTION}", patch, safe=size > LAST_APPLIED_LIMIT)
    return Finding(place, f"{message}; {OPTION} does without it", (fix,), severity=severity)
