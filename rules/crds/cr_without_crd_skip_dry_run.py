"""A custom resource whose operator another Application installs can refuse its whole sync.

Before a sync applies anything, Argo CD tries everything out. An object of a kind that the cluster does not know fails
there ("the server could not find the requested resource", "no matches for kind"), and nothing of the Application is
applied, the other objects included. Only two things prevent it: the CRD is part of the same Application, or the
object (since Argo CD 3.1 also the Application) has SkipDryRunOnMissingResource=true. So on a new cluster the
Application with the custom resource has to come after the operator, and nothing orders the two.

It is reported where the repository shows the one who brings the CRD: another Application for the same cluster has the
operator's chart or repository as its source, and no parent brings that one in an earlier wave and waits for its
health; or the Application itself holds what brings it: a Subscription of the Operator Lifecycle Manager whose package
is known to, or goes by its name with, the group of the custom resource; a MultiClusterHub, a TektonConfig and their
like; a ConstraintTemplate, a CompositeResourceDefinition or a ResourceGraphDefinition that defines just this kind. A
CRD that is visible in the repository is for cr-in-wave-of-its-crd. A chart that leaves its CRDs out, as
cert-manager's does unless crds.enabled is set, brings none.

Where another Application brings it, it mostly heals: an automatic sync is tried five more times within 155 seconds,
and the operator is there by then. So it is a note, and a warning in a change that brings it. An Application whose
retry limit is 0 stays refused until the next commit, which is a warning. It never heals where the refused Application
itself holds what brings the CRD, since that is not applied either; waves do not help, for everything is tried out
before the first. That is a warning, also in a kustomization or chart that no Application is known to sync: clusters
that have the operator already do not notice. It never heals, too, where the refused Application is the one that
brings the operator's, directly or further down, or where a parent waits for its health before it brings that: then it
is an error, since this cluster cannot be built from git again.

Where the Application has a chart from elsewhere, too, not all of its objects are known. It is told as a note all the
same, unless that chart is the operator's own: a chart of something else that brings the CRD would be a second owner.

Silent about all other custom resources: most clusters have their operators before Argo CD has Applications, and
nothing in the repository says so. Silent, too, where every object of the Application waits for such a CRD, since the
option then changes nothing; where a base from another repository is among what Kustomize builds, for the CRD may be
there; about kinds that OpenShift, GKE or EKS bring; and about those of the pod network (Cilium,
Calico), without which no Argo CD runs.

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

from ...linter.api import App, Cause, Confidence, Finding, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.argocd.applications import Application
from ...linter.argocd.operator_providers import brings, is_preinstalled, is_provider, operator_behind
from ...linter.kubernetes.annotations.hooks import SYNC_OPTIONS
from ...linter.kubernetes.validation import is_custom
from ...linter.lint.brought_operators import (
    SKIP_DRY_RUN,
    comes_first,
    deadlock,
    refused,
    skip_dry_run,
    skip_dry_run_at,
    waits_for_itself,
)
from ...linter.repo.installed_operators import InstalledOperators


class Missing(NamedTuple):
    """A custom resource that comes without its definition."""

    resource: Resource
    application: Application
    brought_by: Application
    """The one that installs the operator."""
    sure: bool
    stuck: bool = False
    """The Application that lacks it has to be synced before it can come."""


class Beside(NamedTuple):
    """A custom resource that is synced together with what brings its definition."""

    resource: Resource
    app: App
    brought_by: Resource


@rule("GL304", Severity.ERROR, Moment.INSTALL)
def check(repo: Repo) -> Iterator[Finding]:
    defined = {resource.defines for resource in repo.resources if resource.defines}
    beside = list(_beside(repo, defined))
    told = {id(one.resource.node.raw) for _, one in beside}
    for place, (first, *_) in by_line(beside):
        yield _never_comes(place, first)
    for place, found in by_line(_missing(repo, defined)):
        others = [one for one in found if id(one.resource.node.raw) not in told]
        if others:
            yield _finding(place, max(others, key=lambda one: (one.stuck, one.sure)))


def _place(resource: Resource) -> Node:
    annotation = resource.annotation(SYNC_OPTIONS)
    return annotation if annotation.present else resource["kind"]


def _beside(repo: Repo, defined: set[str]) -> Iterator[tuple[Node, Beside]]:
    # The Applications first: of two that hold an object, the one that is known to be synced is named.
    for app in sorted(repo.apps, key=lambda app: app.application is None):
        providers = [one for one in app.resources if is_provider(one.group_kind) and one.hook.phases]
        for resource in app.resources if providers else ():
            if (app.application or resource.built) and _needs_a_definition(app, resource, defined):
                found = next((one for one in providers if brings(one, resource)), None)
                if found is not None and found is not resource:
                    yield _place(resource), Beside(resource, app, found)


def _missing(repo: Repo, defined: set[str]) -> Iterator[tuple[Node, Missing]]:
    installed = InstalledOperators(repo)
    operators = _operators(repo, installed)
    for app in repo.applications if operators else ():
        application = app.application
        if application is None:
            continue
        missing = [
            found if app.is_complete else found._replace(sure=False, stuck=False)
            for one in app.resources
            if _needs_a_definition(app, one, defined) and not is_preinstalled(one.group)
            for found in (_by_operator(repo, application, one, operators),)
            if found is not None and (app.is_complete or not installed.may_hold(app, operator_behind(one) or ""))
        ]
        if not app.is_complete or len(missing) < len(app.resources) or any(one.stuck for one in missing):
            yield from ((_place(one.resource), one) for one in missing)


def _operators(repo: Repo, installed: InstalledOperators) -> Mapping[str, Sequence[Application]]:
    found: dict[str, list[Application]] = {}
    for app in repo.applications:
        if app.application is not None:
            for operator in installed.with_crds(app):
                found.setdefault(operator, []).append(app.application)
    return found


def _needs_a_definition(app: App, resource: Resource, defined: set[str]) -> bool:
    if not is_custom(resource) or resource.patched:
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
        for one in operators.get(operator_behind(resource) or "", ())
        if one is not application and one.destination.cluster == cluster != ""
    ]
    if not others or any(comes_first(repo, one, application) for one in others):
        return None
    near = [one for one in others if repo.deploy_to_one_cluster(application, one)]
    stuck = bool(near) and all(waits_for_itself(repo, application, one) for one in near)
    return Missing(resource, application, (near or others)[0], bool(near), stuck)


def _finding(place: Node, missing: Missing) -> Finding:
    resource, application, provider = missing.resource, missing.application, missing.brought_by
    note = Note(provider.place("/metadata/name"), "the operator is installed here")
    if missing.stuck:
        return deadlock(place, resource, application, provider, note)
    return refused(place, resource, application, provider, note, missing.sure)


def _never_comes(place: Node, one: Beside) -> Finding:
    resource, application = one.resource, one.app.application
    whole = f"every sync of {application.name!r}" if application else "every sync that has both"
    return Finding(
        place,
        headline=f"{resource} needs a CRD that comes only after {one.brought_by}",
        happens=f"On a cluster that does not have the CRD yet {whole} is refused before anything is applied, the"
        f" {one.brought_by.kind} included, so the CRD never comes and no retry helps.",
        do=f"Add {SKIP_DRY_RUN} {skip_dry_run_at(application)}, or sync the {resource.kind} by another Application.",
        fixes=(skip_dry_run(resource, application),),
        related=(Note(one.brought_by["kind"], "this brings the CRD, once it is applied"),),
        severity=Severity.WARNING,
        never_heals=True,
        confidence=Confidence.HIGH if application else Confidence.MEDIUM,
        cause=_late(one.app),
    )


def _late(app: App) -> Cause:
    """One for all that is made of one Application, or set, in git: the option is written there once."""
    written = app.application.resource.node.origin if app.application else None
    name = f"{written['metadata']['name'].text} in {written.file.path}" if written is not None else app.name
    together = "{count} objects need CRDs that come only after others of the same Application"
    return Cause(f"CRDs that come late in {name}", together)
