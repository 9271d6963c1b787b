"""A pattern of a directory source that is no single glob fits no file.

`include` and `exclude` are one glob each, held against the path of a file below the folder.
Several alternatives are written in braces, `{*.yaml,*.json}`; a list without braces, with
commas or line breaks, is one long name that no file has. A path that begins with `./` or `/`
fits nothing either. An include that fits nothing leaves the Application without objects; an
exclude that fits nothing keeps nothing out.

Fix: put the alternatives into braces, and leave the beginning away. The fix offered does
that; it is unsafe, since other files are then applied.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/directory/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        path: shop
        directory:
          recurse: true
          exclude: values.yaml,tests/*  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      source:
        path: shop
        directory:
          recurse: true
          exclude: "{values.yaml,tests/*}"
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, regex, rule
from ...linter.argocd.application_spec import application_spec
from ...linter.dialects.spelling import is_placeholder

EFFECTS: Final = {
    "include": "No file fits, and the Application has no objects.",
    "exclude": "No file fits, and nothing is left out.",
}
BRACES: Final = regex(r"\{[^{}]*\}|\[[^\]]*\]|\\.")
SEPARATORS: Final = regex(r"[,\n;]\s*")


@rule("GL703", Severity.WARNING, Moment.SYNC, kinds="Application ApplicationSet")
def check(app: Resource) -> Iterator[Finding]:
    spec = application_spec(app)
    if spec is None:
        return
    for source in (spec["source"], *spec["sources"]):
        for key in EFFECTS:
            node = source["directory"][key]
            text = node.text.strip()
            if text and not is_placeholder(text):
                yield from _judged(node, text, app)


def _judged(node: Node, text: str, app: Resource) -> Iterator[Finding]:
    outside = BRACES.sub("", text)
    several = [part for part in SEPARATORS.split(text) if part]
    if "{" not in text and len(several) > 1:
        why, instead = "several patterns without braces", "{" + ",".join(map(_without_start, several)) + "}"
    elif text.startswith(("./", "/")) and not SEPARATORS.search(outside):
        why, instead = "a path with a beginning that no file below the folder has", _without_start(text)
    else:
        return
    yield Finding(
        node,
        headline=f"{node.key} of {app} is {why}",
        happens=EFFECTS[str(node.key)],
        do=f"Write {instead}.",
        fixes=(Fix(f"write {instead}", node.set(instead)),),
    )


def _without_start(pattern: str) -> str:
    return pattern.removeprefix("./").lstrip("/")
