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

from ...linter.api import Finding, Moment, Node, Resource, Severity, regex, rule
from ...linter.argocd.application_spec import application_spec
from ...linter.dialects.spelling import is_placeholder

PARAMETER: Final = regex(r"\{\{\s*\.?(\w+)\s*\}\}")
RANGE: Final = regex(r"[*^~<>|, ]|(?:^|\.)[xX](?:\.|$)")


@rule("GL637", Severity.NOTE, Moment.UPGRADE, kinds="Application ApplicationSet")
def check(app: Resource) -> Iterator[Finding]:
    spec = application_spec(app)
    for source in (spec["source"], *spec["sources"]) if spec is not None else ():
        chart = source["chart"].text
        for revision in _revisions(app, source["targetRevision"]) if chart else ():
            named = "a chart" if is_placeholder(chart) else f"chart {chart!r}"
            yield Finding(
                revision,
                headline=f"{named} of {app} has a range of versions: {revision.text}",
                happens="A new release that fits is deployed without a commit, and no revert brings the old one back.",
                do="Write one version.",
            )


def _revisions(app: Resource, revision: Node) -> Iterator[Node]:
    """The revision itself, or what elements of the set's lists put there."""
    if not is_placeholder(revision.text):
        if revision.text and RANGE.search(revision.text):
            yield revision
        return
    parameter = PARAMETER.fullmatch(revision.text.strip())
    for node in app["spec"]["generators"].walk() if parameter else ():
        if parameter and node.key == parameter[1] and "/elements/" in node.pointer and RANGE.search(node.text):
            yield node
