"""A compare option that only an Application can have does nothing on any other object.

`ServerSideDiff` and `IncludeMutationWebhook` say how an Application is compared. Argo CD reads them
from the annotation argocd.argoproj.io/compare-options of the Application itself; on one of its
objects, on an AppProject or on an ApplicationSet nobody looks for them, and the difference that they
were to hide stays. `IgnoreExtraneous` is the one that objects have.

Fix: move the option to the Application, or to the template of the ApplicationSet.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/diff-strategies/,
https://argo-cd.readthedocs.io/en/stable/user-guide/compare-options/

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      annotations:
        argocd.argoproj.io/compare-options: ServerSideDiff=true  # <- here
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
      annotations:
        argocd.argoproj.io/compare-options: IgnoreExtraneous
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Resource, Severity, listed, rule
from ...linter.kubernetes.annotations.hooks import split

OPTIONS: Final = "argocd.argoproj.io/compare-options"
OF_APPLICATIONS: Final = ("ServerSideDiff=", "IncludeMutationWebhook=")


@rule("GL422", Severity.WARNING, Moment.SYNC, annotated=(OPTIONS,), literal=True)
def check(resource: Resource) -> Iterator[Finding]:
    if resource.group_kind == "argoproj.io/Application":
        return
    annotation = resource.annotation(OPTIONS)
    idle = [option for option in split(annotation.text) if option.startswith(OF_APPLICATIONS)]
    if idle:
        yield Finding(
            annotation,
            headline=f"{listed(idle)} on {resource} does nothing: only an Application can have it",
            happens="Argo CD reads it from the Application alone, and compares the object as it does without.",
            do="Move it to the Application, or to the template of its ApplicationSet.",
        )
