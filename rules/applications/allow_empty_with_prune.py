"""With allowEmpty and prune, a source that yields nothing deletes everything.

An automatic sync that would prune all there is, and bring nothing, is refused by Argo CD:
"auto-sync will wipe out all resources". `allowEmpty: true` takes that guard away. A folder
that was moved, a chart whose values switch all of it off, a branch without the files: the
manifests are generated without an error, there are none, and the next automatic sync
deletes all objects of the Application, claims and namespaces among them. On a root
Application these are the Applications, and what they manage goes with them.

A note: nobody writes it by accident, and argocd-autopilot has it in every Application that it makes.

Fix: leave allowEmpty out. Somebody who means it can sync by hand with prune. The fix is
offered as unsafe: some have the option on purpose.

See: argo-cd#3484, argo-cd#16600, https://argo-cd.readthedocs.io/en/stable/user-guide/auto_sync/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      syncPolicy:
        automated:
          prune: true
          allowEmpty: true  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      syncPolicy:
        automated:
          prune: true
"""

from collections.abc import Iterator

from ...linter.api import Finding, Fix, Moment, Resource, Severity, rule
from ...linter.argocd.application_spec import application_spec


@rule("GL628", Severity.NOTE, Moment.REMOVAL, kinds="Application ApplicationSet")
def check(app: Resource) -> Iterator[Finding]:
    spec = application_spec(app)
    automated = spec["syncPolicy"]["automated"] if spec is not None else None
    if automated is None or automated["enabled"].value is False:
        return
    if automated["prune"].value is True and automated["allowEmpty"].value is True:
        yield Finding(
            automated["allowEmpty"],
            headline=f"{app} may prune everything: allowEmpty takes the guard away",
            happens="If its source yields no objects, by mistake or not, the next automatic sync deletes all it has.",
            do="Leave allowEmpty out, and sync by hand where everything is to go.",
            fixes=(Fix("leave allowEmpty out", automated["allowEmpty"].remove(), safe=False),),
            loses_data=True,
        )
