"""A custom resource whose operator another Application installs can refuse its whole sync.

Before a sync applies anything, Argo CD tries everything out. An object of a kind that the cluster does not know
fails there ("the server could not find the requested resource", "no matches for kind"), and nothing of the
Application is applied, the other objects included. Only two things prevent it: the CRD is part of the same
Application, or the object (since Argo CD 3.1 also the Application) has SkipDryRunOnMissingResource=true. So on a new
cluster the Application with the custom resource has to come after the operator, and nothing orders the two.

It is reported where the repository shows the one who brings the CRD: another Application for the same cluster has the
operator's chart or repository as its source, and no parent brings that one in an earlier wave and waits for its
health; or the Application itself holds a Subscription of the Operator Lifecycle Manager whose name goes with the group
of the custom resource: the operator, and its CRDs, come only after that has been applied. A CRD that is visible in
the repository is for cr-in-wave-of-its-crd. A chart that leaves its CRDs out, as cert-manager's does unless
crds.enabled is set, brings none.

Mostly it heals: an automatic sync is tried five more times within 155 seconds, and the operator is there by then. So it
is a note, and a warning in a change that brings it. An Application whose retry limit is 0 stays refused until the next
commit, which is a warning. It never heals where the refused Application is the one that brings the operator's, directly
or further down, or where a parent waits for its health before it brings that: then it is an error, since this cluster
cannot be built from git again.

Silent about all other custom resources: most clusters have their operators before Argo CD has Applications, and
nothing in the repository says so. Silent, too, where every object of the Application waits for such a CRD, since the
option then changes nothing; where not all its objects are known (a chart, a remote base), for the CRD may be among the
rest; and about kinds that OpenShift, GKE or EKS bring.

Fix: add SkipDryRunOnMissingResource=true to the syncOptions of the Application (before Argo CD 3.1 to the custom
resource). The fix is unsafe: the option has no effect once the kind is there, but a misspelled kind is then found late,
too. The object itself still fails until then, so let the Application retry.

See: argo-cd#2873, argo-cd#15095, argo-cd#21790, argo-cd#6489, argo-cd#748, redhat-cop/gitops-catalog#64

Bad:
    apiVersion: operators.coreos.com/v1alpha1
    kind: Subscription
    metadata:
      name: shop-operator
      namespace: shop
    spec:
      channel: stable
      name: shop-operator
      source: community-operators
      sourceNamespace: openshift-marketplace
    ---
    apiVersion: shop.example.com/v1
    kind: Backup  # <- here
    metadata:
      name: nightly
      namespace: shop
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      source:
        repoURL: https://git.example.com/shop
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
Good:
    apiVersion: operators.coreos.com/v1alpha1
    kind: Subscription
    metadata:
      name: shop-operator
      namespace: shop
    spec:
      channel: stable
      name: shop-operator
      source: community-operators
      sourceNamespace: openshift-marketplace
    ---
    apiVersion: shop.example.com/v1
    kind: Backup
    metadata:
      name: nightly
      namespace: shop
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      source:
        repoURL: https://git.example.com/shop
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        syncOptions:
          - SkipDryRunOnMissingResource=true
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...linter.api import App, Finding, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.argocd.applications import Application
from ...linter.argocd.operator_providers import is_preinstalled, subscribes_to
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS
from ...linter.kubernetes.crds import operator_of
from ...linter.kubernetes.validation import is_custom
from ...linter.lint.brought_operators import comes_first, deadlock, refused, waits_for_itself
from ...linter.repo.installed_operators import operators_with_crds


class Missing(NamedTuple):
    """A custom resource that comes without its definition."""

    resource: Resource
    application: Application
    brought_by: Application | Resource
    """The Application that installs the operator, or the Subscription."""
    sure: bool
    stuck: bool = False
    """The Application that lacks it has to be synced before it can come."""


@rule("GL304", Severity.ERROR, Moment.INSTALL)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(_missing(repo)):
        yield _finding(place, max(found, key=lambda one: (one.stuck, one.sure)))


def _missing(repo: Repo) -> Iterator[tuple[Node, Missing]]:
    operators = _operators(repo)
    defined = {resource.defines for resource in repo.resources if resource.defines}
    for app in repo.applications:
        application = app.application
        subscriptions = [one for one in app.resources if one.kind == "Subscription"]
        if application is None or not app.is_complete or not (operators or subscriptions):
            continue
        missing = []
        for resource in app.resources:
            if _needs_a_definition(app, resource, defined):
                found = _by_operator(repo, application, resource, operators)
                asked_for = next((one for one in subscriptions if subscribes_to(one, resource.group)), None)
                missing += [found] if found else [Missing(resource, application, asked_for, True)] if asked_for else []
        if len(missing) < len(app.resources) or any(one.stuck for one in missing):
            for one in missing:
                annotation = one.resource.annotation(SYNC_OPTIONS)
                yield (annotation if annotation.present else one.resource["kind"]), one


def _operators(repo: Repo) -> Mapping[str, Sequence[Application]]:
    found: dict[str, list[Application]] = {}
    for application in (app.application for app in repo.applications):
        if application is not None:
            for operator in operators_with_crds(application):
                found.setdefault(operator, []).append(application)
    return found


def _needs_a_definition(app: App, resource: Resource, defined: set[str]) -> bool:
    if not is_custom(resource) or is_preinstalled(resource.group) or resource.patched:
        return False
    if resource.group_kind in defined or not resource.hook.phases:
        return False
    return not app.options_for(resource).skip_dry_run


def _by_operator(
    repo: Repo, application: Application, resource: Resource, operators: Mapping[str, Sequence[Application]]
) -> Missing | None:
    """None also where one of them surely comes first."""
    cluster = application.destination.cluster
    others = [
        one
        for one in operators.get(operator_of(resource.group_kind) or "", ())
        if one is not application and one.destination.cluster == cluster != ""
    ]
    if not others or any(comes_first(repo, one, application) for one in others):
        return None
    near = [one for one in others if not one.destination.is_local or repo.in_one_argo_cd(application, one)]
    stuck = bool(near) and all(waits_for_itself(repo, application, one) for one in near)
    return Missing(resource, application, (near or others)[0], bool(near), stuck)


def _finding(place: Node, missing: Missing) -> Finding:
    resource, application, provider = missing.resource, missing.application, missing.brought_by
    if isinstance(provider, Application):
        note = Note(provider.place("/metadata/name"), "the operator is installed here")
        if missing.stuck:
            return deadlock(place, resource, application, provider, note)
    else:
        note = Note(provider["kind"], "the operator is asked for here")
    return refused(place, resource, application, provider, note, missing.sure)
