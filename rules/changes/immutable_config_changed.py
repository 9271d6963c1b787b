"""A ConfigMap or Secret that says `immutable: true` gets other content under its old name.

The content of an immutable ConfigMap or Secret cannot change, and the mark cannot be taken off: the
API server answers ``field is immutable when `immutable` is set``. The sync fails, again at every
retry, and later waves are not applied. Labels and annotations may change, and `immutable: true` may
be added to one that did not have it, together with its last content.

With Force=true (Argo CD 2.12 and later, not with server-side apply) the object is deleted and created
anew: a warning. Pods that run keep the old content, and pods that start in that moment fail.

Fix: give the new content a new name (a generator of Kustomize does it by a hash) and name that one
in the pods, which also rolls them.

See: argo-cd#8551, https://kubernetes.io/docs/concepts/configuration/configmap/#configmap-immutable

Bad:
    # before: config.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
    immutable: true
    data:
      currency: EUR
    # config.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
    immutable: true
    data:
      currency: CHF  # <- here
Good:
    # before: config.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop-v1
    immutable: true
    data:
      currency: EUR
    # config.yaml
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop-v2
    immutable: true
    data:
      currency: CHF
"""

from collections.abc import Iterator
from typing import Final

from ...linter.api import Change, Finding, Moment, Node, Resource, Severity, rule, sentence
from ...linter.change.immutable import Rewritten, answer, outcome, rewritten

SAYS: Final = "field is immutable when `immutable` is set"
NEW_NAME: Final = "Give the new content a new name, and name that one in the pods."
MAPS: Final = {"ConfigMap": ("data", "binaryData"), "Secret": ("data", "stringData")}


@rule("GL907", Severity.ERROR, Moment.SYNC)
def check(change: Change) -> Iterator[Finding]:
    for pair in rewritten(change):
        if pair.kind not in MAPS or pair.before["immutable"].value is not True:
            continue
        changed = _changed_key(pair)
        if changed is not None:
            verb = "changes" if changed.present else "is gone"
            yield _finding(pair, changed, f"{changed.pointer.lstrip('/').replace('/', '.', 1)} {verb}")
        elif (mark := pair.after["immutable"]).value is not True:
            yield _finding(pair, mark if mark.present else pair.after["kind"], "no longer says so in git")


def _finding(pair: Rewritten, place: Node, what: str) -> Finding:
    result = outcome(pair.after, pair.app)
    change = f"{pair.after} is immutable, but {what}"
    if result.recreated:
        lost = "pods that run keep the old content, and pods that start in that moment fail"
        happens = sentence(f"{result.words}: {lost}")
        return Finding(place, headline=change, happens=happens, do=NEW_NAME, severity=Severity.WARNING)
    return Finding(place, headline=change, happens=sentence(answer(SAYS, result)), do=NEW_NAME)


def _changed_key(pair: Rewritten) -> Node | None:
    """A key with another content, at its new place; of one that is gone, the map it was in."""
    before, after = _content(pair.before), _content(pair.after)
    for key in (*after, *before):
        if before.get(key, (None, None))[0] != after.get(key, (None, None))[0]:
            old, new = before.get(key), after.get(key)
            return new[1] if new else pair.after.node.find(old[1].pointer) if old else None
    return None


def _content(resource: Resource) -> dict[tuple[str, str], tuple[bytes, Node]]:
    """By field and key. What stringData says counts more than data, and is the same field."""
    found: dict[tuple[str, str], tuple[bytes, Node]] = {}
    for name in MAPS[resource.kind]:
        for key, node in resource[name].items():
            field = "data" if resource.kind == "Secret" else name
            found[field, key] = (_bytes(node, encoded=resource.kind == "Secret" and name == "data"), node)
    return found


def _bytes(node: Node, encoded: bool) -> bytes:
    raw = node.scalar_text.encode("utf-8", "surrogatepass")
    if not encoded:
        return raw
    from base64 import b64decode  # only for Secrets that changed

    try:
        return b64decode(b"".join(raw.split()))
    except ValueError:
        return raw
