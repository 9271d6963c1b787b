"""A CustomResourceDefinition changes in a way that the cluster refuses, or that breaks what it stores.

An error: the scope, the group, the kind or the plural changes, which none can once it exists
(`field is immutable`); a version is taken out that the objects are stored in (`status.storedVersions:
... missing from spec.versions`): the API server refuses the whole definition, so the sync fails, again
at every retry, and later waves are not applied.

A warning: a version is taken out, or no longer served, that was not the stored one: whoever still
uses it fails, and if it was stored once, the update is refused, too. A warning as well: a field of a
version gets another type: objects that have the old one are refused when next written.

With Force=true (without Replace=true and server-side apply) a refused definition is deleted, and
with it every object of its kind: an error that says so.

Fix: keep the old version in the list until all objects are stored in the new one and
status.storedVersions no longer names it; give a changed kind or scope a definition of its own.

See: https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/

Bad:
    # before: crd.yaml
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: shops.example.com
    spec:
      group: example.com
      scope: Namespaced
      names: {kind: Shop, plural: shops}
      versions:
        - name: v1alpha1
          served: true
          storage: true
    # crd.yaml
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: shops.example.com
    spec:
      group: example.com
      scope: Namespaced
      names: {kind: Shop, plural: shops}
      versions:  # <- here
        - name: v1
          served: true
          storage: true
Good:
    # before: crd.yaml
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: shops.example.com
    spec:
      group: example.com
      scope: Namespaced
      names: {kind: Shop, plural: shops}
      versions:
        - name: v1alpha1
          served: true
          storage: true
    # crd.yaml
    apiVersion: apiextensions.k8s.io/v1
    kind: CustomResourceDefinition
    metadata:
      name: shops.example.com
    spec:
      group: example.com
      scope: Namespaced
      names: {kind: Shop, plural: shops}
      versions:
        - name: v1alpha1
          served: true
          storage: false
        - name: v1
          served: true
          storage: true
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import Change, Confidence, Finding, Moment, Node, Severity, rule, sentence
from ...linter.change.immutable import Rewritten, answer, outcome, rewritten

FIXED: Final = (("spec", "group"), ("spec", "scope"), ("spec", "names", "kind"), ("spec", "names", "plural"))
MAX_DEPTH: Final = 60


class Broken(NamedTuple):
    at: Node
    what: str
    says: str = ""
    """The API server's words where it refuses the definition."""
    remedy: str = ""


@rule("GL908", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    for pair in rewritten(change):
        if pair.after.is_crd:
            told: set[int] = set()
            for broken in (*_fixed(pair), *_versions(pair)):
                line = broken.at.file.position(broken.at.span.start).line
                if line not in told:
                    told.add(line)
                    yield _finding(pair, broken)


def _finding(pair: Rewritten, broken: Broken) -> Finding:
    result, options = outcome(pair.after, pair.app), pair.app.options_for(pair.after)
    if not broken.says:
        what, _, rest = broken.what.partition(": ")
        return Finding(
            broken.at,
            headline=f"CRD {pair.after.name!r}: {what}",
            happens=sentence(rest or "objects that are stored so are not read any more"),
            do=sentence(broken.remedy),
            severity=Severity.WARNING,
            confidence=Confidence.MEDIUM,
        )
    if result.recreated and not options.replace:
        # With Replace=true Argo CD updates definitions instead of replacing them.
        return Finding(
            broken.at,
            headline=f"CRD {pair.after.name!r}: {broken.what}",
            happens="The API server refuses that; Force=true then deletes the definition and all objects of its kind.",
            do=sentence(broken.remedy),
        )
    words = "the sync fails, again at every retry" if result.recreated else result.words
    return Finding(
        broken.at,
        headline=f"CRD {pair.after.name!r}: {broken.what}",
        happens=sentence(answer(broken.says, result._replace(words=words))),
        do=sentence(broken.remedy),
    )


def _fixed(pair: Rewritten) -> Iterator[Broken]:
    for steps in FIXED:
        before, after = pair.before.node.at(*steps).text, pair.after.node.at(*steps)
        if before and after.text and before != after.text:
            path = ".".join(steps)
            yield Broken(
                after,
                f"{path} changes from {before!r} to {after.text!r}",
                f"{path}: Invalid value: {after.text!r}: field is immutable",
                "make another definition, and move the objects over",
            )


def _versions(pair: Rewritten) -> Iterator[Broken]:
    old, new = (
        {one["name"].text: one for one in resource["spec"]["versions"]} for resource in (pair.before, pair.after)
    )
    if not old or not new or "" in old or "" in new:
        return
    for name, version in old.items():
        if name not in new:
            yield _removed(pair, name, version["storage"].value is True)
        elif version["served"].value is True and new[name]["served"].value is False:
            remedy = "first see that no manifest and no client names it any more"
            yield Broken(
                new[name]["served"], f"version {name} is no longer served: whoever uses it fails", remedy=remedy
            )
        else:
            yield from _types(version["schema"]["openAPIV3Schema"], new[name]["schema"]["openAPIV3Schema"], name)


def _removed(pair: Rewritten, name: str, stored: bool) -> Broken:
    versions = pair.after["spec"]["versions"]
    if stored:
        return Broken(
            versions,
            f"version {name}, in which its objects are stored, is gone",
            f'status.storedVersions[0]: Invalid value: "{name}": missing from spec.versions',
            f"keep {name}, served or not, until all objects are stored in another version and storedVersions lacks it",
        )
    return Broken(
        versions,
        f"version {name} is gone: whoever uses it fails, and if objects were ever stored in it, the API server refuses"
        " the definition",
        remedy="first see that nothing names it, and that status.storedVersions does not",
    )


def _types(before: Node, after: Node, version: str, path: str = "", depth: int = 0) -> Iterator[Broken]:
    """Fields that get another type; only the outermost of each."""
    old, new = before["type"].text, after["type"].text
    if old and new and old != new and not _widens(old, new) and not _is_free(after):
        yield Broken(
            after["type"],
            f"{path.lstrip('.') or 'the object'} of version {version} changes its type from {old} to {new}",
            remedy="objects that have the old one are refused when next written: give it another name or version",
        )
        return
    if depth > MAX_DEPTH:
        return
    for key, member in before["properties"].items():
        if after["properties"][key].present:
            yield from _types(member, after["properties"][key], version, f"{path}.{key}", depth + 1)
    for key, suffix in (("items", "[]"), ("additionalProperties", ".*")):
        if before[key].is_mapping:
            yield from _types(before[key], after[key], version, f"{path}{suffix}", depth + 1)


def _widens(old: str, new: str) -> bool:
    return (old, new) == ("integer", "number")


def _is_free(schema: Node) -> bool:
    return schema["x-kubernetes-int-or-string"].value is True
