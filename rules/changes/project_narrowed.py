"""An AppProject no longer permits what its Applications have; from now on their syncs fail.

A pattern taken from `sourceRepos`, a destination less, a kind on a blacklist or off a whitelist:
one object that the project does not permit fails the whole sync of an Application before
anything is applied, and a source or destination that it does not permit makes the Application
invalid. What is in the cluster goes on running, but Argo CD does not see it any more: it is
neither updated, nor pruned, nor deleted with its Application.

Reported is only what was permitted before the change and is not after it, at the line of the
project that was narrowed; project-denies-source, -destination and -kind report at the
Applications what is denied after it. The same doubts hold: nothing is said where one of several
projects of that name permits it, where global projects are set up, or where a kustomization
changes the project.

Fix: permit it again, or move the Applications to another project, or remove the objects
first. There is no automatic fix.

See: argo-cd#22869, https://argo-cd.readthedocs.io/en/stable/user-guide/projects/

Bad:
    # before: project.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      sourceRepos: ["*"]
      destinations:
        - server: "*"
          namespace: shop
        - server: "*"
          namespace: cart
    # project.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      sourceRepos: ["*"]
      destinations:
        - server: "*"
          namespace: shop  # <- here
    # both: app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: shop
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      destination:
        server: https://kubernetes.default.svc
        namespace: cart
    # both: deploy/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
Good:
    # before: project.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      sourceRepos: ["*"]
      destinations:
        - server: "*"
          namespace: shop
        - server: "*"
          namespace: cart
    # project.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: AppProject
    metadata:
      name: shop
    spec:
      sourceRepos: ["*"]
      destinations:
        - server: "*"
          namespace: cart
    # both: app.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: shop
      source:
        repoURL: https://git.example.com/shop.git
        path: deploy
      destination:
        server: https://kubernetes.default.svc
        namespace: cart
    # both: deploy/web.yaml
    apiVersion: v1
    kind: Service
    metadata:
      name: web
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ...linter.api import (
    App,
    Change,
    Confidence,
    Finding,
    Moment,
    Node,
    Place,
    Resource,
    Severity,
    by_line,
    listed,
    rule,
)
from ...linter.argocd.applications import Application
from ...linter.argocd.identity import Identity
from ...linter.argocd.projects import AppProject
from ...linter.argocd.verdicts import Verdict
from ...linter.change import AppChange
from ...linter.facts.tables import is_cluster_scoped

Ask = Callable[[AppProject], Verdict]


class Denied(NamedTuple):
    application: Application
    what: str
    verdict: Verdict


@rule("GL943", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    narrowed = _changed_projects(change)
    found: list[tuple[Place, Denied]] = []
    for one in change.apps if narrowed else ():
        if _stays_in(one, narrowed):
            found += _newly_denied(change, one)
    for place, together in by_line(found):
        yield _finding(place, together)


def _changed_projects(change: Change) -> frozenset[str]:
    """Those of both revisions whose text is another one."""
    texts: list[dict[str, list[object]]] = []
    for repo in (change.base, change.head):
        own: dict[str, list[object]] = {}
        for project in repo.argocd.projects:
            own.setdefault(project.name, []).append(project.resource["spec"].value if project.resource else None)
        texts.append(own)
    before, after = texts
    return frozenset(name for name in before if name in after and before[name] != after[name])


def _stays_in(one: AppChange, projects: frozenset[str]) -> bool:
    before = one.before.application if one.before else None
    after = one.after.application if one.after else None
    if before is None or after is None or after.resource.patched or before.resource.patched:
        return False
    return after.project in projects and before.project == after.project


def _newly_denied(change: Change, one: AppChange) -> Iterator[tuple[Place, Denied]]:
    before, after = one.before, one.after
    assert before is not None
    assert after is not None
    assert before.application is not None
    assert after.application is not None
    for what, ask_before, ask_after in _questions(change, before, after):
        verdict = change.head.argocd.denial(after.application, ask_after)
        if verdict is not None and change.base.argocd.denial(before.application, ask_before) is None:
            yield _place(change, after.application, verdict, ask_before), Denied(after.application, what, verdict)


def _questions(change: Change, before: App, after: App) -> Iterator[tuple[str, Ask, Ask]]:
    """What an Application needs to be permitted, in both revisions the same."""
    assert before.application is not None
    assert after.application is not None
    for url in {s.repo_url for s in after.application.sources} & {s.repo_url for s in before.application.sources}:
        ask = _source(url)
        yield f"source {url}", ask, ask
    old, new = (
        change.base.argocd.resolved(before.application.destination),
        change.head.argocd.resolved(after.application.destination),
    )
    if (old.cluster, old.namespace) != (new.cluster, new.namespace) or not (new.server or new.name):
        return
    ask = _destination(new.server, new.name, new.namespace)
    yield f"destination {new}", ask, ask
    existing = {before.identity(resource) for resource in before.resources}
    for resource in after.resources:
        identity = after.identity(resource) if resource.hook.phases else None
        if identity is None or identity not in existing:
            continue
        if identity.namespace and identity.namespace != new.namespace:
            ask = _destination(new.server, new.name, identity.namespace)
            yield f"{resource} in namespace {identity.namespace!r}", ask, ask
        ask = _kind(change, resource, identity)
        yield str(resource), ask, ask


def _source(url: str) -> Ask:
    return lambda project: project.permits_source(url)


def _destination(server: str, name: str, namespace: str) -> Ask:
    return lambda project: project.permits_destination(server, name, namespace)


def _kind(change: Change, resource: Resource, identity: Identity) -> Ask:
    """A kind whose scope is not known is denied only if it is so in both."""
    argocd = change.head.versions.argocd
    scoped = is_cluster_scoped(identity.group, identity.kind)
    open_ended = not scoped and "." in identity.group and not identity.group.endswith(".k8s.io")

    def ask(project: AppProject) -> Verdict:
        def permits(cluster_scoped: bool) -> Verdict:
            return project.permits_kind(
                identity.group, identity.kind, resource.name, cluster_scoped=cluster_scoped, argocd=argocd
            )

        first = permits(scoped)
        return permits(True) if first.is_denied and open_ended else first

    return ask


def _place(change: Change, application: Application, verdict: Verdict, ask: Ask) -> Place:
    """The changed line: what denies it now, or else where what permitted it stood."""
    if verdict.at is not None and _is_changed(change, verdict.at):
        return verdict.at
    projects = [project for project in change.base.argocd.projects if project.name == application.project]
    for permitting in (ask(project).at for project in projects):
        if permitting is not None:
            origin = permitting.origin
            line = origin.file.position(origin.span.start).line
            place = change.place_of_line(origin.file.path, line)
            if place is not None:
                return place
    resources = [
        one.resource for one in change.head.argocd.projects if one.name == application.project and one.resource
    ]
    changed = (change.first_change(resource.node.origin.file.path) for resource in resources)
    return next((place for place in changed if place is not None), resources[0]["spec"])


def _is_changed(change: Change, node: Node) -> bool:
    origin = node.origin
    lines = change.changed_lines(origin.file.path)
    first, last = (origin.file.position(offset).line for offset in origin.span)
    return node.origin.present and any(line in lines for line in range(first, last + 1))


def _finding(place: Place, together: list[Denied]) -> Finding:
    first = together[0]
    what = list(dict.fromkeys(one.what for one in together))
    return Finding(
        place,
        headline=f"project {first.application.project!r} no longer permits {listed(what)}",
        happens=f"The next sync of {listed(one.application for one in together)} fails as a whole, and what is in the"
        f" cluster is out of Argo CD's sight: {first.verdict.why}.",
        do="Permit it again, or move it to another project first.",
        confidence=Confidence.HIGH if first.verdict.explicit else Confidence.MEDIUM,
    )
