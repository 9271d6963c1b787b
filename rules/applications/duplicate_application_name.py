"""Two Applications of one name: in one Argo CD the second takes the place of the first.

An Application is known by its name and namespace. Where two files of one folder have the
same, whoever applies the folder applies both, and the one that comes last is what there is;
the other is never synced, and what it managed is pruned or left alone.

Two that one Application brings are told by `duplicate-resource-in-application`, those of one
ApplicationSet by `applicationset-duplicate-name`. Overlays may make several of one
Application, each for its own Argo CD: the rule speaks only where both go to the same one.

Fix: give one of them another name.

See: argo-cd#11402

Bad:
    # apps/shop.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      project: default
      source:
        repoURL: https://git.example.com/shop.git
        path: shop
    # apps/stock.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop  # <- here
      namespace: argocd
    spec:
      project: default
      source:
        repoURL: https://git.example.com/stock.git
        path: stock
Good:
    # apps/shop.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      project: default
      source:
        repoURL: https://git.example.com/shop.git
        path: shop
    # apps/stock.yaml
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: stock
      namespace: argocd
    spec:
      project: default
      source:
        repoURL: https://git.example.com/stock.git
        path: stock
"""

from collections.abc import Iterator

from ...linter.api import Confidence, Finding, Moment, Note, Repo, Severity, rule
from ...linter.argocd.applications import Application


@rule("GL631", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    firsts: dict[tuple[str, str], Application] = {}
    for app in repo.applications:
        one = app.certain_application
        if one is None or not one.name or one.is_generated or one.resource.tentative:
            continue
        first = firsts.setdefault((one.namespace, one.name), one)
        if first is not one and _are_two(repo, first, one):
            yield Finding(
                one.place("/metadata/name"),
                headline=f"there are two Applications {one.name!r} in this folder",
                happens="Whichever is applied last takes the place of the other, which is then never synced.",
                do="Give one of them another name.",
                related=(Note(first.place("/metadata/name"), "the other one"),),
                confidence=Confidence.MEDIUM,
            )


def _are_two(repo: Repo, first: Application, second: Application) -> bool:
    if first.resource is second.resource or first.spec == second.spec:
        return False
    units = [{id(app) for app in repo.apps_with(one.resource)} for one in (first, second)]
    managed = any(repo.managers(one.resource) for one in (first, second))
    return not managed and not units[0].isdisjoint(units[1])
