"""What is still encrypted, or a placeholder, is applied as it stands.

A file that SOPS has encrypted, and a `<path:…>` of the Vault plugin, are turned into values
by a config management plugin. An Application whose source is read by Argo CD's own Kustomize,
Helm or directory reader has none: the ciphertext or the placeholder itself gets into the
cluster. `data` of a Secret is then refused ("illegal base64 data"), everything else is
accepted, and pods start with it as their password.

A plugin that Argo CD finds by itself, without a word in the Application, is not seen in the
repository, so this is a warning; where the source has a `helm`, `kustomize` or `directory`
block no plugin is asked, and it is an error. Placeholders count only where Argo CD's own
settings in the repository do not replace them (a plugin for Kustomize, helm-secrets). In the
values of an Application the question is for the one above it, which makes it: a plugin that
reads it replaces them before.

Fix: name the plugin in the source, or bring the Secret with something that Argo CD can apply:
a SealedSecret, an ExternalSecret, a Secret of the SOPS operator.

See: https://argo-cd.readthedocs.io/en/stable/operator-manual/secret-management/

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
    kind: ConfigMap
    metadata:
      name: shop
    data:
      password: <path:kv/data/shop#password>  # <- here
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
        plugin:
          name: argocd-vault-plugin
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: shop
    data:
      password: <path:kv/data/shop#password>
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from ...linter.api import App, Confidence, Finding, Moment, Node, Repo, Resource, Severity, by_line, regex, rule
from ...linter.argocd.applications import Application, Source

SEALED: Final = regex(r"ENC\[AES256_GCM,data:|<path:[^\s<>]+#[^\s<>]+>")
PLUGIN_BLOCKS: Final = ("helm", "kustomize", "directory")
DECRYPTED_LATER: Final = "isindir.github.com"
"""Of the SOPS operator: what it holds is meant to come to the cluster as it is."""
DECRYPTING: Final = regex(r"ksops|helm-secrets|secrets://|argocd-vault-plugin|avp-|sops", re.IGNORECASE)
"""Words in Argo CD's own settings by which it is seen to decrypt."""


class Raw(NamedTuple):
    application: Application
    what: str
    is_sure: bool


@rule("GL026", Severity.WARNING, Moment.SYNC, any_tool=False)
def check(repo: Repo) -> Iterator[Finding]:
    decrypts = any(DECRYPTING.search(text) for text in _settings(repo))
    for place, found in by_line(one for app in repo.applications for one in _raw(app, repo, decrypts=decrypts)):
        yield _finding(place, found[0])


def _settings(repo: Repo) -> Iterator[str]:
    """What sets Argo CD's repo server up: its plugins are containers beside it."""
    for file in repo.files:
        if "repo-server" in file.text or "repoServer" in file.text or "argocd-cmp" in file.text:
            yield file.text


def _raw(app: App, repo: Repo, *, decrypts: bool) -> Iterator[tuple[Node, Raw]]:
    application = app.certain_application
    if application is None:
        return
    for one in app.rendered:
        if one.tool == "plugin" or "plugin" in one.source.explicit_tools:
            continue
        is_sure = any(tool in one.source.explicit_tools for tool in PLUGIN_BLOCKS)
        # No plugin ever sees what is taken from a Helm repository.
        if one.source.chart or not decrypts:
            yield from _in_values(application, one.source, repo.managers(application.resource))
        for resource in one.resources if not decrypts else ():
            place = _sealed(resource)
            if place is not None:
                yield place, Raw(application, str(resource), is_sure)


def _in_values(application: Application, source: Source, parents: Sequence[App]) -> Iterator[tuple[Node, Raw]]:
    """Whoever makes the Application may decrypt it before it is one: a plugin that is named, or finds the folder."""
    above = [one for parent in parents for one in parent.rendered]
    if any(one.tool == "plugin" or "plugin" in one.source.explicit_tools for one in above):
        return
    is_sure = all(any(tool in one.source.explicit_tools for tool in PLUGIN_BLOCKS) for one in above)
    helm: dict[str, Any] = dict(source.tool("helm"))
    for key in ("values", "valuesObject"):
        if SEALED.search(str(helm.get(key) or "")):
            yield (
                application.place(f"{source.pointer}/helm/{key}"),
                Raw(application, f"{key} of {application}", is_sure),
            )


def _sealed(resource: Resource) -> Node | None:
    if resource.group == DECRYPTED_LATER:
        return None
    if resource["sops"].is_mapping:
        return resource["sops"]
    if resource.patched or resource.group == "argoproj.io" or not resource.file.mentions(SEALED):
        return None
    return next((node for node in resource.node.walk() if SEALED.search(node.text)), None)


def _finding(place: Node, raw: Raw) -> Finding:
    return Finding(
        place,
        headline=f"{raw.what} is still encrypted, and nothing in {raw.application} decrypts it",
        happens="Argo CD applies the ciphertext or placeholder as it stands, or the API server refuses it.",
        do="Name the plugin that decrypts it, or use a kind whose controller does.",
        severity=Severity.ERROR if raw.is_sure else Severity.WARNING,
        confidence=Confidence.HIGH if raw.is_sure else Confidence.MEDIUM,
    )
