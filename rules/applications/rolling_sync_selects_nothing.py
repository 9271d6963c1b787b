"""A step of a RollingSync that fits no label of the template: its Applications are never synced.

With strategy RollingSync the set's controller syncs Applications step by step, and switches their
own automation off. A step takes the Applications whose labels fit its matchExpressions. An
Application that no step takes is not synced at all. Labels come from template.metadata.labels; a
step that asks for a key which is not there, with the operator In, takes nothing.

Without any step, RollingSync is the same as no strategy.

Fix: give the template the label, or correct the key.

See: https://argo-cd.readthedocs.io/en/stable/operator-manual/applicationset/Progressive-Syncs/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      strategy:
        type: RollingSync
        rollingSync:
          steps:
            - matchExpressions:
                - key: env  # <- here
                  operator: In
                  values: [dev]
      template:
        metadata:
          name: "{{name}}"
          labels:
            stage: "{{stage}}"
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: ApplicationSet
    metadata:
      name: shops
    spec:
      strategy:
        type: RollingSync
        rollingSync:
          steps:
            - matchExpressions:
                - key: stage
                  operator: In
                  values: [dev]
      template:
        metadata:
          name: "{{name}}"
          labels:
            stage: "{{stage}}"
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder


@rule("GL640", Severity.WARNING, Moment.SYNC, kinds="ApplicationSet")
def check(maker: Resource) -> Iterator[Finding]:
    spec = maker["spec"]
    strategy = spec["strategy"]
    if strategy["type"].text != "RollingSync" or maker.patched or spec["templatePatch"].present:
        return
    if any(node.key == "template" for node in spec["generators"].walk()):
        return  # a generator may bring labels of its own
    labels = {key for key, _ in spec["template"]["metadata"]["labels"].items()}
    if any(is_placeholder(label) or "{{" in label for label in labels):
        return
    for step in strategy["rollingSync"]["steps"]:
        for wanted in step["matchExpressions"]:
            key = wanted["key"]
            if wanted["operator"].text == "In" and key.text and key.text not in labels:
                yield Finding(
                    key,
                    headline=f"a step of {maker} asks for the label {key.text!r}, which its template does not have",
                    happens="The step takes no Application, and one that no step takes is never synced.",
                    do="Give the template the label, or correct the key.",
                )
