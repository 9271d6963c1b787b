"""Two objects write the same Secret: they overwrite each other, or the second never gets ready.

An ExternalSecret, a SealedSecret or a Certificate has its controller make a Secret. Where
two of them name the same one, or git has the Secret itself as well, only one can own it:
External Secrets says "target is owned by another ExternalSecret", Sealed Secrets "already
exists and is not managed by SealedSecret", two Certificates are issued again and again. A
Secret in git and a controller that makes it write it in turn, and the Application does not
stay in sync.

Silent: a Secret in git that has no data of its own, or beside a Certificate none of the keys
that cert-manager writes; an ExternalSecret with creationPolicy Merge, Orphan or None, which adds to what is
there; a SealedSecret or a Secret with the annotation sealedsecrets.bitnami.com/patch or
/managed; hooks. Compared is what one Application, or one folder, brings, and what two Applications bring to one
namespace of one cluster; an object of one kind and name in both is for resource-in-two-applications.

Fix: give one of them another target, or take it away.

See: external-secrets#2416, argo-cd#13165, bitnami/sealed-secrets#321

Bad:
    apiVersion: external-secrets.io/v1
    kind: ExternalSecret
    metadata:
      name: database
    spec:
      target:
        name: shop-credentials
    ---
    apiVersion: external-secrets.io/v1
    kind: ExternalSecret
    metadata:
      name: cache
    spec:
      target:
        name: shop-credentials  # <- here
Good:
    apiVersion: external-secrets.io/v1
    kind: ExternalSecret
    metadata:
      name: database
    spec:
      target:
        name: shop-credentials
    ---
    apiVersion: external-secrets.io/v1
    kind: ExternalSecret
    metadata:
      name: cache
    spec:
      target:
        name: cache-credentials
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import App, Finding, Moment, Node, Note, Repo, Resource, Severity, by_line, rule
from ...linter.argocd.applications import Application
from ...linter.kubernetes.references.making import made_by
from ...linter.kubernetes.references.table import canonical

SHARING: Final = ("sealedsecrets.bitnami.com/patch", "sealedsecrets.bitnami.com/managed")
"""Annotations that let a SealedSecret write what somebody else has made."""
TLS_KEYS: Final = frozenset(("tls.crt", "tls.key", "ca.crt"))
ADDING: Final = ("Merge", "Orphan", "None")
OWNERS: Final = {
    "external-secrets.io/ExternalSecret": ("spec", "target", "name"),
    "bitnami.com/SealedSecret": ("spec", "template", "metadata", "name"),
    "cert-manager.io/Certificate": ("spec", "secretName"),
    "Secret": ("metadata", "name"),
}
"""Kinds that take a Secret for their own, and where they name it."""


class Writer(NamedTuple):
    resource: Resource
    at: Node


@rule("GL633", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    within = (pair for app in repo.apps for pair in _twice(app))
    for place, found in by_line((*within, *_in_two_applications(repo))):
        first, second = found[0]
        name = second.at.text or second.resource.name
        yield Finding(
            place,
            headline=f"{second.resource} and {first.resource} both write Secret {name!r}",
            happens="Only one can own it: they overwrite each other, or the second never becomes ready.",
            do="Give one of them another target, or take it away.",
            related=(Note(first.at, f"{first.resource} writes it, too"),),
        )


def _twice(app: App) -> Iterator[tuple[Node, tuple[Writer, Writer]]]:
    firsts: dict[tuple[str, str], Writer] = {}
    for secret, writer in _writers(app):
        first = firsts.setdefault(secret, writer)
        if first is not writer and not _can_share(first.resource, writer.resource):
            yield writer.at, (first, writer)


def _in_two_applications(repo: Repo) -> Iterator[tuple[Node, tuple[Writer, Writer]]]:
    known: dict[tuple[str, str], list[tuple[Application, Writer]]] = {}
    for app in repo.applications:
        application = app.certain_application
        for secret, writer in _writers(app) if application else ():
            others = known.setdefault(secret, [])
            if application and secret[0]:
                first = next((w for other, w in others if _quarrel(repo, other, w, application, writer)), None)
                if first is not None:
                    yield writer.at, (first, writer)
                others.append((application, writer))


def _quarrel(repo: Repo, one: Application, first: Writer, other: Application, second: Writer) -> bool:
    return one is not other and _are_two(first.resource, second.resource) and repo.deploy_to_one_cluster(one, other)


def _are_two(first: Resource, second: Resource) -> bool:
    one_object = (first.group_kind, first.name) == (second.group_kind, second.name)
    return not one_object and not _can_share(first, second)


def _writers(app: App) -> Iterator[tuple[tuple[str, str], Writer]]:
    """By namespace and name of the Secret."""
    for resource in app.resources:
        if resource.group_kind in OWNERS and _takes_it_whole(resource):
            writer = Writer(resource, _place(resource))
            for name in _secrets(resource):
                yield (resource.namespace or app.namespace, name), writer


def _takes_it_whole(resource: Resource) -> bool:
    if resource.is_hook or resource.patched or any(resource.annotation(key).present for key in SHARING):
        return False
    template = resource["spec"]["template"]["metadata"]["annotations"]
    if any(template[key].present for key in SHARING):
        return False
    return resource["spec"]["target"]["creationPolicy"].text not in ADDING


def _can_share(first: Resource, second: Resource) -> bool:
    """Two Secrets of one name are another rule's; and what git leaves open a controller may fill in."""
    plain = [one for one in (first, second) if one.kind == "Secret"]
    if not plain:
        return False
    keys = {key for field in ("data", "stringData") for key, _ in plain[0][field].items()}
    is_for_tls = any(one.kind == "Certificate" for one in (first, second))
    return len(plain) == 2 or not (keys & TLS_KEYS if is_for_tls else keys)


def _secrets(resource: Resource) -> Iterator[str]:
    if resource.kind == "Secret":
        yield resource.name
        return
    kind = canonical(resource.group, resource.kind)
    yield from dict.fromkeys(made.name for made in made_by(resource, kind) if made.kind == "Secret")


def _place(resource: Resource) -> Node:
    named = resource.node.at(*OWNERS[resource.group_kind])
    return named if named.present else resource.metadata["name"]
