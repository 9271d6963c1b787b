"""`automated:` with nothing behind it switches automated sync off, not on.

An empty value is null, and null is the same as leaving the field out: Argo CD syncs nothing
by itself. What was meant is an empty mapping, `automated: {}`. Comments below the key do not
count as something. Whoever writes the word null means it, and is told nothing.

Fix: write `automated: {}`, or take the line away. The fix offered switches automation on; it
is unsafe.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      syncPolicy:
        automated:  # <- here
        syncOptions:
          - CreateNamespace=true
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      syncPolicy:
        automated: {}
        syncOptions:
          - CreateNamespace=true
"""

from collections.abc import Iterator

from ...linter.api import Finding, Fix, Moment, Resource, Severity, rule
from ...linter.argocd.application_spec import application_spec


@rule("GL635", Severity.WARNING, Moment.SYNC, kinds="Application ApplicationSet", literal=True)
def check(app: Resource) -> Iterator[Finding]:
    spec = application_spec(app)
    automated = spec["syncPolicy"]["automated"] if spec is not None else None
    if automated is None or app.unrendered or automated.scalar_text:  # whoever writes null means it
        return
    if automated.present and automated.value is None:
        yield Finding(
            automated,
            headline=f"automated of {app} is empty, which is null and means off",
            happens="Argo CD syncs nothing by itself, as if the line were not there.",
            do="Write automated: {}, or take the line away.",
            fixes=(Fix("write automated: {}", automated.set({})),),
        )
