"""A field of an Application has a value of the wrong type, and the API server refuses the object.

YAML makes numbers and booleans of what is written without quotes: targetRevision: 1.10 is the number 1.1 and a commit
like 1234e56 a very large one; a Helm parameter's value: true is no string; limit: "5" is no number. The schema of the
CRD knows one type for each field, and the API server answers "must be of type string". The Application is not
created, or keeps its old spec. A mapping under helm.values is a case of its own: values takes text, valuesObject
takes a mapping.

In an ApplicationSet this holds for the template as well: it is checked before anything is filled in, so a field that is
no string cannot be a placeholder ("{{ .prune }}"); templatePatch can set it.

syncOptions, annotations and labels have rules of their own. An empty value is no fault: it counts as not written.

Fix: put quotes around a string, or take them off. These fixes are safe: they keep what is written, and the object
cannot be applied as it is. For everything else only you know what was meant.

See: argo-cd#21818, https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Template/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      source:
        repoURL: https://charts.example.com
        chart: shop
        targetRevision: 1.10  # <- here
        helm:
          parameters:
            - name: debug
              value: true  # <- here
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        retry:
          limit: "5"  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      source:
        repoURL: https://charts.example.com
        chart: shop
        targetRevision: "1.10"
        helm:
          parameters:
            - name: debug
              value: "true"
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
      syncPolicy:
        retry:
          limit: 5
"""

from collections.abc import Iterator
from functools import reduce

from ...linter.api import Cause, Finding, Fix, Moment, Node, Patch, Repo, Resource, Severity, by_line, rule, sentence
from ...linter.kubernetes.validation import Fault, Violation


@rule("GL619", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for resource, violations in repo.validation.argo_cd:
        wrong = [one for one in violations if one.fault is Fault.WRONG_TYPE and not _is_told_elsewhere(one, resource)]
        for place, together in by_line((one.at, one) for one in wrong):
            yield _finding(place, together, resource)


def _is_told_elsewhere(violation: Violation, resource: Resource) -> bool:
    return "syncPolicy.syncOptions" in violation.path or violation.is_in_a_string_map(resource)


def _finding(place: Node, wrong: list[Violation], resource: Resource) -> Finding:
    first, *others = wrong
    path, kind = first.path.removeprefix("spec.template.").removeprefix("spec."), resource.kind
    wanted, _, written = first.complaint.partition(", not ")
    also = "".join(f" {one.path} {one.complaint}, too." for one in others)
    patches = [one.at.set(one.corrected) for one in wrong if one.corrected is not None]
    quotes = "put it in quotes" if isinstance(first.corrected, str) else "take the quotes off"
    is_mended = len(patches) == len(wrong)
    return Finding(
        place,
        headline=f"{path} of {resource} {wanted}",
        happens=f"{f'It is {written}: the' if written else 'The'} API server refuses the {kind}.{also}",
        do=_advice(first, quotes if is_mended else "write a value of that type"),
        fixes=(Fix(quotes, reduce(Patch.also, patches), safe=True),) if is_mended else (),
        cause=Cause(f"{path} {first.complaint}", f"{path} of {{count}} {kind}s {wanted}"),
    )


def _advice(violation: Violation, usual: str) -> str:
    if violation.path.endswith("helm.values") and violation.at.is_mapping:
        return "Write it below valuesObject, which takes a mapping."
    if "{{" in violation.at.scalar_text:
        return "Set it in a templatePatch: in the template only strings can be filled in."
    return sentence(usual)
