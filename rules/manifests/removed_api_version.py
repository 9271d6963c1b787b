"""An API version that Kubernetes has removed: the whole sync is refused.

Before a sync applies anything, Argo CD tries everything out. An object whose version the cluster does
not serve any more (Ingress in networking.k8s.io/v1beta1, PodDisruptionBudget in policy/v1beta1) fails
there with "no matches for kind", and nothing of the Application is applied, the other objects
included. With SkipDryRunOnMissingResource=true only this object fails.

The release in kubernetes-version decides. If it is not known, a version that 1.31 does not have any
more, which is the oldest release that somebody still supports, is an error; one that went later is
a warning. The table goes from 1.16 to 1.37. Patches and files that no kustomization names are left out.

Fix: use the version that the message names. Where it has the same fields, and kubernetes-version says
that the cluster has it, the fix is safe. It is unsafe where the release is not known, since on a
cluster of before the new version the old one still works, and for what a kustomization builds, since
patches name the version, too. It is not offered for a PodDisruptionBudget with an empty selector,
which stood for no pods and now stands for all. Elsewhere (Ingress, webhooks, CRDs, Deployments) fields
have changed, and only you can carry them over.

See: grafana/loki#8887, argoproj/argo-helm#1281, argoproj/argo-helm#1709, actions/actions-runner-controller#1931,
https://kubernetes.io/docs/reference/using-api/deprecation-guide/

Bad:
    apiVersion: policy/v1beta1  # <- here
    kind: PodDisruptionBudget
    metadata:
      name: web
    spec:
      minAvailable: 1
      selector:
        matchLabels:
          app: web
Good:
    apiVersion: policy/v1
    kind: PodDisruptionBudget
    metadata:
      name: web
    spec:
      minAvailable: 1
      selector:
        matchLabels:
          app: web
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ...linter.api import Cause, Finding, Fix, Moment, Repo, Resource, Severity, rule, table
from ...linter.facts.versions import Version


@rule("GL015", Severity.ERROR, Moment.SYNC, literal=True, of_fetched=True)
def check(repo: Repo) -> Iterator[Finding]:
    facts = table("removed-apis.json")
    removed, oldest = facts["kinds"], facts["oldestSupported"]
    for resource in repo.resources:
        entry = removed.get(f"{resource.api_version}/{resource.kind}")
        severity = _severity(resource, entry, oldest) if entry and not _is_optional(resource) else None
        if severity:
            yield Finding(
                resource["apiVersion"],
                headline=f"{resource} uses {resource.api_version}, which Kubernetes {entry['removed']} removed",
                happens=f"{_in_use(resource, entry)}{_effect(repo, resource)}.",
                do=_instead(entry),
                fixes=_fixes(resource, entry, oldest),
                severity=severity,
                cause=Cause(
                    f"{resource.api_version}, removed in {entry['removed']}",
                    f"{{count}} objects use {resource.api_version}, which Kubernetes {entry['removed']} removed",
                ),
            )


def _is_optional(resource: Resource) -> bool:
    """Whether it stands in a branch of a template that was not rendered: as a rule, one for old clusters."""
    if not resource.unrendered:
        return False
    from ...linter.helm.template_conditions import conditions_at
    from ...linter.helm.template_file import TemplateFile

    at = resource["apiVersion"]
    return isinstance(at.file, TemplateFile) and conditions_at(at.file, at.span.start).any


def _severity(resource: Resource, entry: Mapping[str, Any], oldest_supported: str) -> Severity | None:
    removed, kubernetes = Version.parse(entry["removed"]), resource.versions.kubernetes
    if kubernetes is not None:
        return Severity.ERROR if removed <= kubernetes else None
    return Severity.ERROR if removed <= Version.parse(oldest_supported) else Severity.WARNING


def _in_use(resource: Resource, entry: Mapping[str, Any]) -> str:
    kubernetes = resource.versions.kubernetes
    return f"Kubernetes {kubernetes} is in use. " if kubernetes and str(kubernetes) != entry["removed"] else ""


def _effect(repo: Repo, resource: Resource) -> str:
    apps = repo.apps_with(resource)
    if apps and all(app.options_for(resource).skip_dry_run for app in apps):
        return "It cannot be applied there"
    return "Argo CD finds no such kind there and refuses the whole sync"


def _instead(entry: Mapping[str, Any]) -> str:
    if "use" not in entry:
        return "Take it out: there is no other version of it."
    return f"Use {entry['use']}{' (since ' + entry['since'] + ')' if 'since' in entry else ''}."


def _fixes(resource: Resource, entry: Mapping[str, Any], oldest_supported: str) -> tuple[Fix, ...]:
    kubernetes = resource.versions.kubernetes
    is_there = Version.parse(entry.get("since", "1.0")) <= (kubernetes or Version.parse(oldest_supported))
    if not entry.get("same") or _selects_nothing(resource) or (kubernetes and not is_there):
        return ()
    patch = resource["apiVersion"].set(entry["use"])
    is_safe = kubernetes is not None and not resource.kustomized and not resource.patched
    return (Fix(f"use {entry['use']}", patch, safe=is_safe),)


def _selects_nothing(resource: Resource) -> bool:
    selector = resource["spec"]["selector"]
    return resource.kind == "PodDisruptionBudget" and selector.is_mapping and not any(selector.items())
