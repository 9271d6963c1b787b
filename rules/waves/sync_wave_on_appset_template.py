"""A sync wave on the template of an ApplicationSet orders nothing.

Waves order the objects of one sync. Applications that an ApplicationSet makes are created by
its controller, all at once; no sync applies them, so nothing reads the annotation. To bring
them in an order takes a RollingSync strategy of the set, or an Application above them.

With a RollingSync strategy the rule is silent, and the annotation is of no use either.

Fix: take the annotation away, or use strategy.rollingSync. The fix offered takes it away and
changes nothing.

See: https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Progressive-Syncs/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      template:
        metadata:
          name: "{{name}}"
          annotations:
            argocd.argoproj.io/sync-wave: "2"  # <- here
            example.com/team: shop
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      template:
        metadata:
          name: "{{name}}"
          annotations:
            example.com/team: shop
"""

from collections.abc import Iterator

from ...linter.api import Finding, Fix, Moment, Resource, Severity, rule
from ...linter.kubernetes.annotations.hooks import WAVE


@rule("GL209", Severity.NOTE, Moment.SYNC, kinds="ApplicationSet", literal=True)
def check(maker: Resource) -> Iterator[Finding]:
    wave = maker["spec"]["template"]["metadata"]["annotations"][WAVE]
    if wave.present and maker.group == "argoproj.io" and maker["spec"]["strategy"]["type"].text != "RollingSync":
        yield Finding(
            wave,
            headline=f"the sync wave on the template of {maker} orders nothing",
            happens="The set creates its Applications all at once, and no sync reads their waves.",
            do="Use strategy.rollingSync, or take the annotation away.",
            fixes=(Fix("take it away", wave.remove(), safe=True),),
        )
