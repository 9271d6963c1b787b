"""Two Applications manage the same object and overwrite each other for ever.

Argo CD marks each object with the Application that it belongs to. An object that
is in the manifests of two carries the mark of the one that was synced last; the
other one shows it as OutOfSync with a SharedResourceWarning, and with self-heal
takes it back, until the first does the same. With FailOnSharedResource=true the
sync fails instead. When the object leaves git in one of them, or that Application
is deleted, it can be deleted although the other still wants it.

Objects count as the same when cluster, group, kind, namespace and name agree,
after the destination's namespace is filled in. Two Applications for different
clusters or namespaces may share a folder. Several clusters can each have an Argo
CD of their own that calls them in-cluster: where nothing shows that two
Applications live in the same one, the finding is a note, and there is none at all
if names of Applications repeat in the repository. Roots that are applied by hand
and bring Applications of the same names are taken to be for a cluster each. Namespaces that only
CreateNamespace=true makes are not counted, nor is what Kustomize renames, nor what an
Application would have if its manifests could be generated, or if its syncs were not all
refused. CRDs are not marked, so they are a note.

It is an error when one of the two prunes, deletes what it manages along with
itself, or has FailOnSharedResource=true; otherwise a warning.

Fix: keep the object in one Application, or give the copies different names or
namespaces.

See: argo-cd#7156, argo-cd#8811, argo-cd#15467, argo-cd#2600, argo-cd#22607

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop-copy
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .  # <- here
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from ...linter.api import (
    App,
    Cause,
    Confidence,
    Finding,
    Moment,
    Node,
    Note,
    Repo,
    Resource,
    Severity,
    by_line,
    counted,
    listed,
    rule,
    sentence,
)
from ...linter.argocd.applications import Application, Source
from ...linter.argocd.excluded_kinds import is_left_alone
from ...linter.argocd.identity import Identity


class Owner(NamedTuple):
    app: App
    application: Application
    resource: Resource


class Shared(NamedTuple):
    """An object of two Applications."""

    first: Owner
    second: Owner
    sure: bool
    """Both Applications are known to live in one Argo CD."""

    @property
    def pair(self) -> str:
        return f"{self.second.application} and {self.first.application}"

    @property
    def severity(self) -> Severity:
        if not self.sure or self.second.resource.is_crd:
            return Severity.NOTE
        applications = (self.first.application, self.second.application)
        loses = any(
            one.prunes or one.cascades or "FailOnSharedResource=true" in one.sync_options for one in applications
        )
        return Severity.ERROR if loses else Severity.WARNING


@rule("GL603", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    sources: dict[int, dict[int, Node]] = {}
    together = [
        (place, sorted(found, key=lambda shared: -shared.severity))
        for place, found in by_line((_place(shared, sources), shared) for shared in _shared(repo))
    ]
    copies = Counter(str(found[0].second.resource) for _, found in together)
    pairs = Counter(found[0].pair for _, found in together)
    for place, found in together:
        is_spread = copies[str(found[0].second.resource)] > pairs[found[0].pair]
        yield _finding(place, found, _cause(found[0], is_spread))


def _shared(repo: Repo) -> Iterator[Shared]:
    owners: dict[Identity, list[Owner]] = {}
    for app in repo.applications:
        application = app.certain_application
        if application is None or not application.destination.cluster:
            continue
        if app.is_refused or not app.is_generated:
            continue
        for resource in app.resources:
            identity = app.identity(resource) if not resource.is_hook and resource.hook.phases else None
            if identity and not is_left_alone(resource, repo.versions.argocd):
                owners.setdefault(identity, []).append(Owner(app, application, resource))
    several = [found for found in owners.values() if len(found) > 1]
    if not several:
        return
    variants = _variants(repo, several)
    names = Counter((app.name, app.application.namespace) for app in repo.applications if app.application)
    repeated = max(names.values()) > 1
    for found in several:
        other = None
        for second in found[1:]:
            if _are_two(found[0], second):
                first: Owner | None = found[0]
                other = other or second
            else:
                first = other
            local = second.application.destination.is_local
            sure = first is not None and repo.deploy_to_one_cluster(first.application, second.application)
            if sure and first is not None and local and variants:
                sure = not variants.intersection(product(_tops(repo, first.app), _tops(repo, second.app)))
            if first is not None and (sure or not repeated):
                yield Shared(first, second, sure)


def _are_two(first: Owner, second: Owner) -> bool:
    """Not one Application written twice, as overlays for several Argo CDs do, each in the namespace of its own."""
    return first.application.name != second.application.name


def _variants(repo: Repo, several: Sequence[Sequence[Owner]]) -> set[tuple[int, int]]:
    """Pairs of Applications, applied by hand, that bring the same Applications: each is for a cluster of its own."""
    found: set[tuple[int, int]] = set()
    by_hand: dict[int, bool] = {}
    for owners in several:
        if owners[0].resource.group_kind == "argoproj.io/Application":
            for one in owners:
                if id(one.app) not in by_hand:
                    by_hand[id(one.app)] = not repo.is_brought(one.application.resource)
            apps = [id(one.app) for one in owners if by_hand[id(one.app)]]
            found.update((one, other) for one in apps for other in apps if one != other)
        found.update(_one_release(repo, owners))
    return found


def _one_release(repo: Repo, owners: Sequence[Owner]) -> Iterator[tuple[int, int]]:
    """Those applied by hand that install one release with other values: whoever has one of them has no other."""
    releases: dict[object, list[Owner]] = {}
    for one in owners:
        for source in one.application.sources:
            if not repo.is_brought(one.application.resource):
                name = str(source.tool("helm").get("releaseName") or one.application.name)
                where = (one.application.destination, source.repo_url, source.path, source.chart, name)
                releases.setdefault(where, []).append(one)
    for found in releases.values():
        values = {id(one.app): [dict(source.tool("helm")) for source in one.application.sources] for one in found}
        yield from ((one, other) for one in values for other in values if values[one] != values[other])


def _tops(repo: Repo, app: App) -> frozenset[int]:
    """The Applications above one that nothing else brings; of those that bring each other none."""
    seen, waiting, tops = {id(app)}, [app], set()
    while waiting:
        one = waiting.pop()
        above = repo.managers(one.application.resource) if one.application is not None else ()
        if not above:
            tops.add(id(one))
        for parent in above:
            if id(parent) not in seen:
                seen.add(id(parent))
                waiting.append(parent)
    return frozenset(tops)


def _place(shared: Shared, sources: dict[int, dict[int, Node]]) -> Node:
    """The object that is there twice; if both read the same file, the source of the second.

    Many Applications of one large folder ask this of each of its objects: `sources` has the answers of an Application.
    """
    second = shared.second
    if second.resource is not shared.first.resource:
        return second.resource.metadata["name"]
    app, application = second.app, second.application
    if id(app) not in sources:
        sources[id(app)] = {
            id(resource): place
            for one in reversed(app.rendered)
            for place in [_path_of(application, one.source)]
            for resource in one.resources
        }
    return sources[id(app)].get(id(second.resource)) or _path_of(application, application.sources[0])


def _path_of(application: Application, source: Source) -> Node:
    return application.place(f"{source.pointer}/path")


def _cause(shared: Shared, is_spread: bool) -> Cause:
    """One object that many Applications have, or two Applications that have many objects."""
    if is_spread:
        what = shared.second.resource
        return Cause(str(what), f"{what} belongs to several Applications, in {{count}} places once more")
    two = f"{shared.second.application.name!r} and {shared.first.application.name!r}"
    return Cause(shared.pair, f"objects in {{count}} places belong to two Applications, {two}")


def _finding(place: Node, found: Sequence[Shared], cause: Cause) -> Finding:
    first = found[0]
    objects = list(dict.fromkeys(str(shared.second.resource) for shared in found))
    what = objects[0] if len(objects) == 1 else f"{objects[0]} and {counted(len(objects) - 1, 'more object')}"
    related = {
        id(shared.first.resource): Note(
            shared.first.resource["kind"], f"{shared.first.resource}, of {shared.first.application}"
        )
        for shared in found[:10]
    }
    others = list(dict.fromkeys(shared.first.application.name for shared in found))
    name, (other, *more) = first.second.application.name, others
    it = "it" if len(objects) == 1 else "some of them"
    also = f" {listed(map(repr, more))} {'has' if len(more) == 1 else 'have'} {it}, too." if more else ""
    return Finding(
        place,
        headline=f"{what} {_belong(objects)} to two Applications, {name!r} and {other!r}",
        happens=f"{sentence(_effect(first))}{also}",
        do="Keep it in one of them, or give the copies other names or namespaces.",
        cause=cause,
        related=tuple(related.values()),
        severity=first.severity,
        confidence=Confidence.HIGH if first.sure else Confidence.LOW,
    )


def _belong(objects: Sequence[str]) -> str:
    return "belongs" if len(objects) == 1 else "belong"


def _where(application: Application) -> str:
    to = application.destination
    return "the same cluster" if to.is_local else f"cluster {to.cluster}"


def _effect(shared: Shared) -> str:
    where = _where(shared.second.application)
    if shared.second.resource.is_crd:
        return f"in {where} each sync of one overwrites what the other wrote"
    effect = f"in {where} each sync of one makes the other OutOfSync (SharedResourceWarning)"
    if "FailOnSharedResource=true" in (*shared.first.application.sync_options, *shared.second.application.sync_options):
        effect = f"in {where} FailOnSharedResource=true fails the sync"
    elif shared.severity is Severity.ERROR:
        effect += ", and what one of them prunes or deletes the other loses"
    return effect if shared.sure else f"if one Argo CD syncs both, {effect}"
