"""CreateNamespace=true does nothing where the destination names no namespace.

Argo CD creates the namespace in spec.destination.namespace, and no other. Where that is
empty there is nothing to create: objects that name a namespace of their own need one that
is there already, and on a new cluster the first sync fails. managedNamespaceMetadata is
for the same namespace, and labels nothing either.

Fix: name the namespace, or take the option away and put a Namespace into the manifests.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      destination:
        server: https://kubernetes.default.svc
      syncPolicy:
        syncOptions:
          - CreateNamespace=true  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        syncOptions:
          - CreateNamespace=true
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Resource, Severity, rule
from ...linter.argocd.application_spec import application_spec


@rule("GL629", Severity.WARNING, Moment.INSTALL, kinds="Application ApplicationSet")
def check(app: Resource) -> Iterator[Finding]:
    spec = application_spec(app)
    if spec is None or app.patched or app["spec"]["templatePatch"].present:
        return
    destination = spec["destination"]
    if not destination.is_mapping or destination["namespace"].value not in (None, ""):
        return
    for option in spec["syncPolicy"]["syncOptions"]:
        if option.text == "CreateNamespace=true":
            yield Finding(
                option,
                headline=f"{app} creates no namespace: its destination names none",
                happens="The option does nothing, and objects go to namespaces that have to be there already.",
                do="Name a namespace in spec.destination, or take the option away.",
            )
