"""A kustomization uses a field that Kustomize has given up.

bases, imageTags, commonLabels, patchesStrategicMerge, patchesJson6902 and vars still
work in the versions that Argo CD ships (5.x), each with a warning in the log, and are
to be dropped with the next version of the format. Newer fields do the same: resources,
images, labels, patches, replacements. A missing apiVersion or kind is in order:
Kustomize fills them in without a word.

Fix: write it in the new way; kustomize edit fix does so, too, but not always without a
change to what is built: patchesStrategicMerge runs before patches, and patchesJson6902
after prefixes, namespace and labels. The fix offered here is safe: it is only offered
if everything that is built from the kustomization was compared and stays the same.
Where it is not offered the finding says why. vars have to be rewritten by hand.

See: kubernetes-sigs/kustomize#5436, kubernetes-sigs/kustomize#5464, https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/

Bad:
    # kustomization.yaml
    commonLabels:  # <- here
      app: shop
    bases:  # <- here
      - base
    patchesStrategicMerge:  # <- here
      - replicas.yaml
    ---
    # base/kustomization.yaml
    resources:
      - deployment.yaml
    ---
    # base/deployment.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    ---
    # replicas.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      replicas: 3
Good:
    # kustomization.yaml
    labels:
      - pairs:
          app: shop
        includeSelectors: true
    resources:
      - base
    patches:
      - path: replicas.yaml
    ---
    # base/kustomization.yaml
    resources:
      - deployment.yaml
    ---
    # base/deployment.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    ---
    # replicas.yaml
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: shop
    spec:
      replicas: 3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from ...linter.api import Cause, Finding, Fix, Moment, Node, Note, Patch, Repo, Severity, rule
from ...linter.kustomize.outline import Outline

FILES: Final = (".yaml", ".yml", ".json")


class Successor(NamedTuple):
    field: str
    rewrite: Callable[[Node, Node], Patch | None] | None = None
    """From the old and the new field to the patch; None where it takes a person."""
    is_same: Callable[[Repo, Outline], bool] = lambda repo, kustomization: False
    """Whether it is clear without a build that nothing changes."""


@rule("GL716", Severity.NOTE, Moment.UPGRADE)
def check(repo: Repo) -> Iterator[Finding]:
    for kustomization in repo.kustomize.by_folder.values():
        for name, successor in SUCCESSORS.items():
            old = kustomization.root[name]
            if old.present:
                yield _finding(repo, kustomization, old, successor)


def _finding(repo: Repo, kustomization: Outline, old: Node, successor: Successor) -> Finding:
    new = kustomization.root[successor.field]
    patch = successor.rewrite(old, new) if successor.rewrite and (new.is_sequence or new.absent) else None
    if patch is None:
        return _told(old, successor)
    why_not = _waits(kustomization, old)
    if not why_not and not successor.is_same(repo, kustomization):
        why_not = repo.kustomize.difference_after(patch)
    if why_not:
        return _told(old, successor, related=(Note(old, f"no fix is offered: {why_not}"),))
    return _told(old, successor, fixes=(Fix(f"write it as {successor.field}", patch, safe=True),))


def _told(old: Node, successor: Successor, fixes: tuple[Fix, ...] = (), related: tuple[Note, ...] = ()) -> Finding:
    return Finding(
        old,
        headline=f"{old.key} is deprecated",
        happens="Kustomize warns of it at every build, and the next version of the format drops it.",
        do=f"Write it as {successor.field}.",
        fixes=fixes,
        related=related,
        cause=Cause("deprecated fields", "kustomizations use deprecated fields at {count} places"),
    )


def _waits(kustomization: Outline, old: Node) -> str:
    """Both go to one list: each is compared alone, so they are rewritten one after the other."""
    waits = old.key == "patchesJson6902" and kustomization.root["patchesStrategicMerge"].present
    return "patchesStrategicMerge has to be rewritten first" if waits else ""


# -- how each is rewritten


def _renamed(old: Node, new: Node) -> Patch | None:
    """The items of the old field come after those of the new one."""
    if not old.is_sequence:
        return None
    if new.absent:
        return old.rename(str(new.key))
    patch = old.remove()
    for item in old:
        patch = patch.also(new.append(item.value))
    return patch


def _labels(old: Node, new: Node) -> Patch | None:
    if not old.is_mapping or not all(isinstance(one.value, str) for _, one in old.items()):
        return None
    entry = {"pairs": old.value, "includeSelectors": True}
    return old.remove().also(new.append(entry)) if new.present else _in_place(old, new, [entry])


def _merge_patches(old: Node, new: Node) -> Patch | None:
    """They run before those of the new field, so they go in front."""
    entries = [_entry(item) for item in old]
    if not entries or None in entries:
        return None
    if new.absent:
        return _in_place(old, new, entries)
    operations = tuple(
        {"op": "add", "path": f"{new.pointer}/{index}", "value": entry} for index, entry in enumerate(entries)
    )
    return old.remove().also(Patch(old.document, operations))


def _entry(item: Node) -> dict[str, str] | None:
    """An item is the name of a file, or the patch itself."""
    if "\n" in item.text:
        return {"patch": item.text}
    return {"path": item.text} if item.text.endswith(FILES) else None


def _in_place(old: Node, new: Node, value: object) -> Patch:
    replaced = Patch(old.document, ({"op": "replace", "path": new.pointer, "value": value},))
    return old.rename(str(new.key)).also(replaced)


def _is_only_a_name(repo: Repo, kustomization: Outline) -> bool:
    """Kustomize itself takes the items of the old field for ones of the new field."""
    return True


def _labels_go_alike(repo: Repo, kustomization: Outline) -> bool:
    return repo.kustomize.labels_go_alike(kustomization)


SUCCESSORS: Final = {
    "bases": Successor("resources", _renamed, _is_only_a_name),
    "imageTags": Successor("images", _renamed, _is_only_a_name),
    "commonLabels": Successor("labels", _labels, _labels_go_alike),
    "patchesStrategicMerge": Successor("patches", _merge_patches),
    "patchesJson6902": Successor("patches", _renamed),
    "vars": Successor("replacements"),
}
