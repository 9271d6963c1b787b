"""An ApplicationSet makes several Applications of one name, of which at most one comes to be.

Names must be unique in a set. The controller shows an error ("contains applications
with duplicate name") and leaves out what has a name that is taken; newer versions
make none of the Applications with that name. It happens when the name in the template
holds no parameter, or only the last part of a path that exists in several folders.

Sets whose generators can be evaluated from the files are looked at; and of those that ask Argo CD for its clusters,
sets whose destination names the cluster and whose name does not: they work until a second cluster is selected, and
then the set stops making and updating all of its Applications (note: how many are selected is not in git).

Fix: put a parameter into the name that tells the Applications apart. Take care: an
Application whose name changes is deleted and made anew, with everything it manages.

See: argo-cd#21138, https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Template/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      generators:
        - list:
            elements:
              - cluster: dev
              - cluster: prod
      template:
        metadata:
          name: shop  # <- here
        spec:
          project: default
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      generators:
        - list:
            elements:
              - cluster: dev
              - cluster: prod
      template:
        metadata:
          name: shop-{{cluster}}
        spec:
          project: default
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Repo, Resource, Severity, by_line, listed, regex, rule

SET: Final = "argoproj.io/ApplicationSet"
OF_CLUSTER: Final = regex(r"\{\{[^}]*\b(?:name|nameNormalized|server|metadata|values|cluster)\b[^}]*\}\}")
"""A parameter that the clusters generator gives; one that is called `cluster` is taken for such."""


@rule("GL612", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    found = ((node, resource) for node, resource, _ in repo.argocd.set_problems(("duplicate-name",)))
    for place, (resource, *_) in by_line(found):
        expansions = (one.expansion for one in repo.argocd.sets if one.resource is resource)
        names = Counter(made.name for expansion in expansions for made in expansion.applications)
        repeated = [f"{name!r} ({times} times)" for name, times in names.items() if times > 1]
        yield Finding(
            place,
            headline=f"{resource} makes Applications of the same name",
            happens=f"Argo CD shows an error and makes at most one of each: {listed(repeated)}.",
            do="Put into the name what tells them apart.",
        )
    for resource in repo.resources:
        if resource.group_kind == SET and not resource.patched and _forgets_the_cluster(resource):
            yield Finding(
                resource["spec"]["template"]["metadata"]["name"],
                headline=f"{resource} goes over clusters and has none in the name of its Applications",
                happens="With the second cluster that is selected, names are given twice"
                ' ("contains applications with duplicate name"), and the set stops updating.',
                do="Put the name of the cluster into the name.",
                severity=Severity.NOTE,
                moment=Moment.TROUBLE,
            )


def _forgets_the_cluster(applicationset: Resource) -> bool:
    spec = applicationset["spec"]
    generators = [each for one in spec["generators"] for each in (one, *one["matrix"]["generators"])]
    if not any(one["clusters"].present for one in generators):
        return False
    template = spec["template"]
    destination = template["spec"]["destination"]
    goes_there = any(OF_CLUSTER.search(destination[field].text) for field in ("server", "name"))
    name = template["metadata"]["name"].text
    return goes_there and bool(name) and not OF_CLUSTER.search(name)
