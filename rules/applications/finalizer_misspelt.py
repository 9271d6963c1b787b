"""A finalizer of Argo CD that is misspelt deletes nothing, and keeps the Application for ever.

`resources-finalizer.argocd.argoproj.io`, alone or with `/foreground` or `/background`, has
Argo CD delete what an Application manages before the Application itself goes. A finalizer that
nobody knows is one that nobody removes: the Application stays in deletion until somebody takes
it out by hand, and its objects stay, too.

Fix: write the name as Argo CD knows it. The fix offered is unsafe: with it a deletion takes
the objects along.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/app_deletion/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      finalizers:
        - resources-finalizers.argocd.argoproj.io  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      finalizers:
        - resources-finalizer.argocd.argoproj.io
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Cause, Finding, Fix, Moment, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder

RESOURCES: Final = "resources-finalizer.argocd.argoproj.io"
KNOWN: Final = {
    RESOURCES: ("", "foreground", "background"),
    "pre-delete-finalizer.argocd.argoproj.io": ("", "cleanup"),
    "post-delete-finalizer.argocd.argoproj.io": ("", "cleanup"),
}
KINDS: Final = ("Application", "ApplicationSet", "AppProject")


@rule("GL636", Severity.WARNING, Moment.REMOVAL, kinds=KINDS)
def check(app: Resource) -> Iterator[Finding]:
    if app.group != "argoproj.io":
        return
    template = app["spec"]["template"]["metadata"] if app.kind == "ApplicationSet" else app.metadata
    for node in (*app.metadata["finalizers"], *(template["finalizers"] if template is not app.metadata else ())):
        name, _, stage = node.text.partition("/")
        if "argocd" not in name or is_placeholder(node.text) or stage in KNOWN.get(name, ()):
            continue
        yield Finding(
            node,
            headline=f"{node.text!r} is no finalizer of Argo CD",
            happens=f"Nobody removes it: once deleted, {app} hangs in deletion, and its objects stay.",
            do=f"Write {RESOURCES}.",
            fixes=(Fix(f"write {RESOURCES}", node.set(RESOURCES)),),
            cause=Cause(f"finalizer {node.text}", f"{node.text!r} is no finalizer of Argo CD, at {{count}} places"),
            never_heals=True,
            severity=Severity.WARNING,
        )
