"""What a template should have filled in is applied as text.

`{{ .Values.name }}` in a file that Helm does not render, or `<no value>`, is a value like any
other to Kustomize and to a plain folder: it gets into the cluster as it stands, into a
hostname, an image or a variable. A file that was copied out of a chart and one that lost its
`templates/` folder look so.

Looked at are objects that an Application brings from a folder or a kustomization. Texts of
several lines, annotations and the contents of ConfigMaps and Secrets may be templates for
something else, and so are custom resources: they are left alone. A sync wave with `{{ }}` in it is told of every
object, since Argo CD itself reads it.

Fix: write the value, or let Helm render the file.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/directory/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      type: ExternalName
      externalName: "{{ .Values.host }}"  # <- here
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
      namespace: argocd
    spec:
      source:
        repoURL: https://git.example.com/shop.git
        path: .
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      type: ExternalName
      externalName: db.example.com
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import App, Cause, Confidence, Finding, Moment, Node, Repo, Resource, Severity, by_line, regex, rule
from ...linter.facts.tables import builtin_kinds
from ...linter.kubernetes.annotations.hooks import WAVE

RESIDUE: Final = regex(r"\{\{-?\s*\.(?:Values|Release|Chart)\b|<no value>")
OPENED: Final = regex(r"\{\{.*\}\}")
DATA: Final = ("data", "stringData", "binaryData", "annotations", "args", "command")


@rule("GL028", Severity.WARNING, Moment.SYNC, any_tool=False)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(one for app in repo.applications for one in _residues(app)):
        is_wave = place.key == WAVE
        yield Finding(
            place,
            headline=f"{'the sync wave of ' if is_wave else ''}{found[0]} has the rest of a template in it",
            happens="Nothing fills it in, and what is no integer counts as wave 0."
            if is_wave
            else "Nothing fills it in: the text gets into the cluster as it stands, or is refused there.",
            do="Write the value, or let Helm render the file.",
            confidence=Confidence.MEDIUM,
            cause=Cause(
                f"waves that say {place.text}", "the sync waves of {count} objects have the rest of a template in them"
            )
            if is_wave
            else None,
        )


def _residues(app: App) -> Iterator[tuple[Node, Resource]]:
    plain = [r for one in app.rendered if one.tool in ("directory", "kustomize") for r in one.resources]
    for resource in plain:
        wave = resource.annotation(WAVE)
        if OPENED.search(wave.text) and not resource.patched:
            yield wave, resource
        if resource.group in builtin_kinds() and not resource.patched and resource.file.mentions(RESIDUE):
            yield from ((node, resource) for node in _texts(resource.node) if RESIDUE.search(node.text))


def _texts(node: Node) -> Iterator[Node]:
    """The texts of one line, without what may be a template for something else."""
    if node.is_mapping:
        for key, value in node.items():
            if key not in DATA:
                yield from _texts(value)
    elif node.is_sequence:
        for item in node:
            yield from _texts(item)
    elif "\n" not in node.text:
        yield node
