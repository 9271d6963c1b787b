"""An entry of images fits no image, so a new tag changes nothing and the sync looks fine.

Kustomize compares the name of an entry with the images of all containers, and with
what a configuration adds; an entry that fits none is dropped without a word. The tag
that a pipeline writes there never reaches the cluster, and the Application shows
Synced. It happens when the image in the base is renamed, gets a registry in front, or
was renamed by newName in a base already: an overlay must then use the new name.

The name must be the whole of the image without tag and digest. Reported only if the
entry fits nothing in any build of the repository, and not where objects may be missing
(a remote base, a chart, an earlier error). A note if the image is in a field of some
object that Kustomize does not know as one for images: that takes a configuration with
an images entry for the field. Images of an Application (spec.source.kustomize.images)
are checked as well.

Fix: use the name that the manifests have, or remove the entry.

See: argo-cd#29417, meshery/meshery-operator#820, https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/images/

Bad:
    # kustomization.yaml
    resources:
      - deployment.yaml
    images:
      - name: shop  # <- here
        newTag: "1.5"
    ---
    # deployment.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      template:
        spec:
          containers:
            - name: shop
              image: registry.example.com/shop:1.4
Good:
    # kustomization.yaml
    resources:
      - deployment.yaml
    images:
      - name: registry.example.com/shop
        newTag: "1.5"
    ---
    # deployment.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      template:
        spec:
          containers:
            - name: shop
              image: registry.example.com/shop:1.4
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Node, Note, Repo, Resource, Severity, rule
from ...linter.dialects.spelling import is_placeholder

NO_SUCH_NAME: Final = "Use the name that the manifests have, or remove the entry."


@rule("GL719", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for entry in repo.kustomize.idle_entries:
        name = entry["name"]
        if entry["target"].present or not name.text or is_placeholder(name.text):
            continue
        objects = repo.kustomize.builds_with(entry)[0].resources  # whichever: it fits in none
        elsewhere = _field_with(objects, name.text)
        said = ", ".join(f"{key} {one.scalar_text}" for key, one in entry.items() if key != "name")
        headline = f"no container has the image {name.text!r}"
        effect = f"The entry has no effect ({said}), and the sync looks fine" if said else "The entry has no effect"
        if elsewhere is None:
            yield Finding(
                name,
                headline=headline,
                happens=f"{effect}.",
                do=_advice(objects, name.text),
            )
        else:
            resource, field = elsewhere
            yield Finding(
                name,
                headline=headline,
                happens=f"{effect}: {resource} has the image in a field that Kustomize does not know as one.",
                do="Add a configuration with an images entry for that field.",
                related=(Note(field, "the image is here"),),
                severity=Severity.NOTE,
                confidence=Confidence.MEDIUM,
            )


def _field_with(objects: Iterable[Resource], name: str) -> tuple[Resource, Node] | None:
    for resource in objects:
        if name in _text_of(resource):
            for node in resource.node.walk():
                if "image" in str(node.key).lower() and _name_of(node.scalar_text) == name:
                    return resource, node
    return None


def _text_of(resource: Resource) -> str:
    """As it is written: a look at the text is quicker than one at all values."""
    raw = resource.node.raw
    return resource.file.text[raw.start_mark.index : raw.end_mark.index] if raw is not None else ""


def _advice(objects: Iterable[Resource], name: str) -> str:
    if _name_of(name) != name:
        return "Leave the tag out: Kustomize looks for the name alone."
    there = _alike(objects, name)
    return f"Write {there!r}, which is there, or remove the entry." if there else NO_SUCH_NAME


def _alike(objects: Iterable[Resource], name: str) -> str:
    """An image of the same last name, in another registry."""
    last = name.rpartition("/")[2]
    places = (node for one in objects if f"/{last}" in _text_of(one) for node in one.node.walk() if node.key == "image")
    meant = sorted(image for node in places if (image := _name_of(node.text)).endswith(f"/{last}"))
    return meant[0] if meant else ""


def _name_of(image: str) -> str:
    """Without tag and digest; a colon before a slash belongs to a port."""
    named = image.partition("@")[0]
    head, _, last = named.rpartition("/")
    return f"{head}/{last.partition(':')[0]}" if head else last.partition(":")[0]
