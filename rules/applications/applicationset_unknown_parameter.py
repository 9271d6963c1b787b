"""A template of an ApplicationSet uses a parameter that no generator gives.

Without goTemplate a name that is not among the parameters stays in the text as it is,
braces included. With goTemplate, and without the option missingkey=error, it is printed
as <no value>. Either way an Application is made with a path, a namespace or a cluster
that does not exist, perhaps in place of one that worked. A number without quotes can
surprise, too: Go templates print a large one with an exponent.

It is an error where it says what is synced and to where (name, project, source,
destination), else a warning. Known are the parameters of generators that can be evaluated
from the files, and the names that those over repositories and pull requests of a forge
give; of the latter repository_id and labels, which are no texts, need goTemplate.

A list whose own values have such marks is filled in by another tool first: there it is a note.

Fix: correct the name of the parameter, or give it in the generator. For Go templates
set goTemplateOptions: ["missingkey=error"], so that a missing one stops the set.

See: applicationset#122, argo-cd#16832, argo-cd#13731, argo-cd#20594

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      generators:
        - list:
            elements:
              - name: cart
                namespace: cart
      template:
        metadata:
          name: "{{name}}"
        spec:
          project: default
          destination:
            server: https://kubernetes.default.svc
            namespace: "{{nameSpace}}"  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      generators:
        - list:
            elements:
              - name: cart
                namespace: cart
      template:
        metadata:
          name: "{{name}}"
        spec:
          project: default
          destination:
            server: https://kubernetes.default.svc
            namespace: "{{namespace}}"
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Repo, Resource, Severity, by_line, regex, rule, sentence
from ...linter.dialects.spelling import is_placeholder

KINDS: Final = ("unknown-parameter", "no-value", "exponent")
ADVICE: Final = {
    "unknown-parameter": "Correct its name, or give it in every generator.",
    "no-value": "Correct its name, or give it in every generator; missingkey=error stops the set instead.",
    "exponent": "Put the number in quotes where it is written.",
}
DECISIVE: Final = regex(r"/(?:metadata/name|spec/(?:project|sources?|sourceHydrator|destination)(?:/.*)?)$")
OVERRIDES: Final = regex(r"/(?:helm|kustomize|plugin)/")


@rule("GL614", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    found = ((node, (resource, problem)) for node, resource, problem in repo.argocd.set_problems(KINDS))
    for place, faults in by_line(found):
        resource, problem = faults[0]
        what, _, rest = problem.message.partition("; ")
        decisive = any(DECISIVE.search(one.pointer) and not OVERRIDES.search(one.pointer) for _, one in faults)
        yield Finding(
            place,
            headline=f"{what} in {resource}",
            happens=f"{sentence(rest) + ' ' if rest else ''}Argo CD makes the Application all the same.",
            do=ADVICE[problem.kind.value],
            severity=Severity.NOTE if _is_filled_in_before(resource) else None if decisive else Severity.WARNING,
        )


def _is_filled_in_before(resource: Resource) -> bool:
    """Whether a generator's own list has blanks, which Argo CD never fills in: another tool writes the set."""
    generators = resource["spec"]["generators"]
    elements = (element for one in generators for element in one["list"]["elements"])
    return any(is_placeholder(node.text) for element in elements for _, node in element.items())
