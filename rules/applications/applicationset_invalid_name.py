"""An ApplicationSet gives an Application a name that Kubernetes refuses.

The name of an Application has to be a DNS name: small letters, digits, hyphens and
dots, at most 253 characters, with a letter or a digit at both ends. Folders and
branches often have underscores or capitals, and what is made of them is refused by the
API server; an Application with an empty name is not made either. The others of the set
come to be, and the condition of the set shows the error.

Only sets whose generators can be evaluated from the files are looked at.

Fix: use basenameNormalized, or the functions normalize and slugify of Go templates.
Take care: an Application whose name changes is deleted and made anew, with everything
it manages.

See: argo-cd#21138, https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/GoTemplate/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      generators:
        - list:
            elements:
              - team: Cart_Team
      template:
        metadata:
          name: shop-{{team}}  # <- here
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
              - team: cart-team
      template:
        metadata:
          name: shop-{{team}}
        spec:
          project: default
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Repo, Severity, by_line, rule

KINDS: Final = ("invalid-name", "empty-name")


@rule("GL613", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    found = ((node, (resource, problem)) for node, resource, problem in repo.argocd.set_problems(KINDS))
    for place, faults in by_line(found):
        resource, problem = faults[0]
        yield Finding(
            place,
            headline=f"{problem.message}, which {resource} makes",
            happens="The API server refuses it, and the set shows an error.",
            do="Make the name of lower-case letters, digits, - and dots; slugify or normalize does it.",
        )
