"""A chart with a range of versions changes without a commit.

`targetRevision: 1.*` or `>=1.2` stands for the newest version that fits, looked up again at
every refresh. A new release of the chart is then deployed unseen, in no order with anything
else, and a rollback of git brings nothing back. A chart whose newest major version has other
values fails at a moment that nobody chose.

Fix: write one version, and let a bot propose the next. No fix is offered: which version runs
now is not in git.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/tracking_strategies/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://charts.example.com
        chart: shop
        targetRevision: 1.*  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        repoURL: https://charts.example.com
        chart: shop
        targetRevision: 1.4.2
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Resource, Severity, regex, rule
from ...linter.argocd.application_spec import application_spec
from ...linter.dialects.spelling import is_placeholder

RANGE: Final = regex(r"[*^~<>|, ]|(?:^|\.)[xX](?:\.|$)")


@rule("GL637", Severity.NOTE, Moment.UPGRADE, kinds="Application ApplicationSet")
def check(app: Resource) -> Iterator[Finding]:
    spec = application_spec(app)
    for source in (spec["source"], *spec["sources"]) if spec is not None else ():
        chart, revision = source["chart"].text, source["targetRevision"]
        if chart and revision.text and not is_placeholder(revision.text) and RANGE.search(revision.text):
            yield Finding(
                revision,
                headline=f"chart {chart!r} of {app} has a range of versions: {revision.text}",
                happens="A new release that fits is deployed without a commit, and no revert brings the old one back.",
                do="Write one version.",
            )
