"""managedNamespaceMetadata does nothing without CreateNamespace=true, or takes the namespace over.

Labels and annotations of managedNamespaceMetadata are set on the namespace that
CreateNamespace=true creates. Without the option nobody sets them: a namespace that should
have injection or Pod Security labels does not get them, and nothing says so.

With a tracking-id among them Argo CD takes the namespace for an object of the Application
that git does not have. An Application that prunes deletes it then, with everything in it
(error).

Fix: add CreateNamespace=true, or take the block away; leave the tracking-id out.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      destination:
        namespace: shop
      syncPolicy:
        managedNamespaceMetadata:  # <- here
          labels:
            istio-injection: enabled
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      destination:
        namespace: shop
      syncPolicy:
        managedNamespaceMetadata:
          labels:
            istio-injection: enabled
        syncOptions:
          - CreateNamespace=true
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Resource, Severity, rule
from ...linter.argocd.application_spec import application_spec

OPTION: Final = "CreateNamespace=true"
TRACKING: Final = "argocd.argoproj.io/tracking-id"


@rule("GL634", Severity.WARNING, Moment.SYNC, kinds="Application ApplicationSet")
def check(app: Resource) -> Iterator[Finding]:
    spec = application_spec(app)
    policy = spec["syncPolicy"] if spec is not None else None
    if policy is None or app.patched or app["spec"]["templatePatch"].present:
        return
    block = policy["managedNamespaceMetadata"]
    if not block.is_mapping or not any(True for _ in block.items()):
        return
    options = [option.text for option in policy["syncOptions"]]
    if OPTION not in options:
        yield Finding(
            block,
            headline=f"managedNamespaceMetadata of {app} does nothing without {OPTION}",
            happens="Nobody sets these labels and annotations on the namespace.",
            do=f"Add {OPTION} to the syncOptions, or take the block away.",
            fixes=(Fix(f"add {OPTION}", policy["syncOptions"].append(OPTION)),),
        )
    tracking = block["annotations"][TRACKING]
    if tracking.present:
        prunes = policy["automated"]["prune"].value is True
        yield Finding(
            tracking,
            headline=f"the tracking-id makes the namespace an object of {app} that git does not have",
            happens="A sync that prunes deletes the namespace, with everything in it.",
            do="Leave the tracking-id out, or put the Namespace into the manifests.",
            severity=Severity.ERROR if prunes else Severity.WARNING,
            loses_data=True,
        )
