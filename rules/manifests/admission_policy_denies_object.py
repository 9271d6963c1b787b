"""A ValidatingAdmissionPolicy of the repository denies an object of the repository.

A policy with a binding that denies (`validationActions: [Deny]`) is asked before the API server takes an object. Where
its expression is false, the request is denied and the sync fails with the policy's message, again with every retry.
Where the policy comes in the same wave as the object it is applied after it: then the first sync passes, and the next
one that changes the object is denied.
Both stand in git: the one who writes the object seldom knows the policy.

Compared are policies and bindings with the objects of the same cluster: of the same Application, or of another one with
the same destination. Rules, selectors, conditions and variables are followed. A policy with parameters is left alone,
and so are expressions about what the server fills in before it asks, about users and about namespaces whose labels the
repository does not show, and objects that the policy only reaches as pods of a workload.

Fix: change the object, or let the policy's selectors leave it out.

See: https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/

Bad:
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingAdmissionPolicy
    metadata:
      name: owners
    spec:
      matchConstraints:
        resourceRules:
          - apiGroups: [apps]
            apiVersions: [v1]
            operations: [CREATE, UPDATE]
            resources: [deployments]
      validations:
        - expression: has(object.metadata.labels) && 'owner' in object.metadata.labels
          message: every Deployment has a label owner
    ---
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingAdmissionPolicyBinding
    metadata:
      name: owners
    spec:
      policyName: owners
      validationActions: [Deny]
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop  # <- here
    spec:
      selector:
        matchLabels: {app: shop}
      template:
        metadata:
          labels: {app: shop}
        spec:
          containers:
            - name: shop
              image: registry.example.com/shop:1.4
Good:
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingAdmissionPolicy
    metadata:
      name: owners
    spec:
      matchConstraints:
        resourceRules:
          - apiGroups: [apps]
            apiVersions: [v1]
            operations: [CREATE, UPDATE]
            resources: [deployments]
      validations:
        - expression: has(object.metadata.labels) && 'owner' in object.metadata.labels
          message: every Deployment has a label owner
    ---
    apiVersion: admissionregistration.k8s.io/v1
    kind: ValidatingAdmissionPolicyBinding
    metadata:
      name: owners
    spec:
      policyName: owners
      validationActions: [Deny]
    ---
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
      labels: {owner: shop-team}
    spec:
      selector:
        matchLabels: {app: shop}
      template:
        metadata:
          labels: {app: shop}
        spec:
          containers:
            - name: shop
              image: registry.example.com/shop:1.4
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...linter.api import App, Finding, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.kubernetes.admission_policies import BINDING, NAME_LABEL, POLICY, Denied, Subject, denials, enforces


@rule("GL031", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, ((resource, policy, denied), *_) in by_line(_denied(repo)):
        yield Finding(
            place,
            headline=f"{policy} of this repository denies {resource}",
            happens=f"With the policy in the cluster a sync that creates or changes it fails: {denied.says}.",
            do="Change the object, or let the policy's selectors leave it out.",
            related=(Note(denied.at, "the expression that is false"),),
        )


def _denied(repo: Repo) -> Iterator[tuple[Node, tuple[Resource, Resource, Denied]]]:
    pairs = [(app, *pair) for app in repo.apps for pair in _pairs(app.resources)]
    if not pairs:
        return
    labels = _NamespaceLabels(repo)
    for app in repo.apps:
        near = [(policy, binding) for home, policy, binding in pairs if _share_a_cluster(home, app)]
        for resource in app.resources if near else ():
            if resource.patched or resource.group_kind in (POLICY, BINDING):
                continue
            namespace = resource.namespace or app.namespace
            subject = Subject(resource, namespace, labels.of(app, namespace))
            for policy, binding in near:
                for one in denials(policy, binding, subject):
                    yield resource.metadata["name"], (resource, policy, one)


def _pairs(resources: Sequence[Resource]) -> Iterator[tuple[Resource, Resource]]:
    policies = {one.name: one for one in resources if one.group_kind == POLICY and not one.patched}
    for binding in resources if policies else ():
        policy = policies.get(binding["spec"]["policyName"].text) if binding.group_kind == BINDING else None
        if policy is not None and enforces(policy, binding):
            yield policy, binding


def _share_a_cluster(home: App, app: App) -> bool:
    if home is app:
        return True
    if home.application is None or app.application is None:
        return False
    return home.application.destination.cluster == app.application.destination.cluster != ""


class _NamespaceLabels:
    """Of all namespaces that an Application of the same cluster brings, found in one pass over the objects."""

    def __init__(self, repo: Repo) -> None:
        self._found: dict[tuple[str | int, str], list[dict[str, str]]] = {}
        for app in repo.apps:
            for one in app.resources:
                if one.kind == "Namespace" and not one.group and not one.patched:
                    labels = {key: value.scalar_text for key, value in one.labels.items()} | {NAME_LABEL: one.name}
                    self._found.setdefault((_cluster_of(app), one.name), []).append(labels)

    def of(self, app: App, namespace: str) -> Mapping[str, str] | None:
        """None where nobody knows: it has no Namespace here, or several that differ."""
        found = self._found.get((_cluster_of(app), namespace), ())
        return found[0] if found and all(one == found[0] for one in found) else None


def _cluster_of(app: App) -> str | int:
    """One word for all Applications of a cluster; an app of which it is not known is alone."""
    return (app.application.destination.cluster if app.application else "") or id(app)
