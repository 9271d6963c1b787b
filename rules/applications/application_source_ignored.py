"""An Application names its sources in two ways, and Argo CD follows only one of them.

With `sourceHydrator` both `source` and `sources` are ignored; with a non-empty
`sources` the single `source` is. Nothing says so: what the ignored block names
is neither rendered nor compared, and a pruning sync deletes what it brought before.

Fix: take the block away that is not meant. If `source` is the one you mean,
move it into `sources`, or take `sources` away.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/multiple_sources/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      source:  # <- here
        repoURL: https://git.example.com/shop.git
        path: deploy
      sources:
        - repoURL: https://git.example.com/shop.git
          path: base
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      sources:
        - repoURL: https://git.example.com/shop.git
          path: base
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
"""

from __future__ import annotations

from collections.abc import Iterator

from ...linter.api import Finding, Fix, Moment, Note, Resource, Severity, rule
from ...linter.argocd.application_spec import application_spec


@rule("GL616", Severity.WARNING, Moment.SYNC, kinds="Application ApplicationSet")
def check(app: Resource) -> Iterator[Finding]:
    spec = application_spec(app)
    if spec is None:
        return
    hydrator, several, single = spec["sourceHydrator"], spec["sources"], spec["source"]
    if hydrator.is_mapping:
        ignored, followed = [several, single], hydrator
    elif several.is_sequence and several[0].present:
        ignored, followed = [single], several
    else:
        return
    for block in ignored:
        if block.is_mapping or (block.is_sequence and block[0].present):
            yield Finding(
                block,
                headline=f"{app} has {followed.key}, so its {block.key} counts for nothing",
                happens="Argo CD ignores it without a word.",
                do=f"Take {block.key} away, or write into {followed.key} what is missing there.",
                fixes=(Fix(f"take {block.key} away", block.remove()),),
                related=(Note(followed, "this is what counts"),),
            )
