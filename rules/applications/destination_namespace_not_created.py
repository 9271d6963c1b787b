"""Nothing in the repository creates the namespace that an Application deploys to.

On a cluster without the namespace the first sync fails with "namespaces … not found".
Argo CD creates only spec.destination.namespace, and only with CreateNamespace=true in
syncOptions; a Namespace in the manifests of this or another Application does it, too.
The option does nothing for objects whose metadata.namespace is another one.

The rule is silent when the repository has a Namespace (or an OpenShift Project) of that
name anywhere, when another Application creates it, for namespaces that every cluster
has, and for those in which the Applications themselves live. It is a warning where all
objects of the Application are known and the repository creates other namespaces
itself; else a note, since the namespace may come from elsewhere. An object in another
namespace than the one that CreateNamespace=true creates is a warning.

Namespaces that a platform team makes outside git are named in the config, with `*` for any
letters: `options: {destination-namespace-not-created: {platform-namespaces: [team-*]}}`.

Fix: add CreateNamespace=true. The fix offered is unsafe: the project of the Application
has to permit the kind Namespace.

See: argo-cd#11625, argo-cd#3285, https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/

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
        namespace: shop  # <- here
      syncPolicy:
        automated: {}
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
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
      syncPolicy:
        automated: {}
        syncOptions:
          - CreateNamespace=true
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from ...linter.api import App, Confidence, Finding, Fix, Moment, Node, Repo, Resource, Severity, by_line, counted, rule
from ...linter.argocd.application_spec import application_spec
from ...linter.argocd.applications import Application
from ...linter.dialects.project_patterns import matches_glob
from ...linter.dialects.spelling import is_placeholder

OPTION: Final = "CreateNamespace=true"
CREATING: Final = frozenset(
    {
        "Namespace",
        "project.openshift.io/Project",
        "project.openshift.io/ProjectRequest",
        "hnc.x-k8s.io/SubnamespaceAnchor",
    }
)
ALWAYS_THERE: Final = ("default", "argocd", "argo-cd", "openshift", "openshift-gitops")
SYSTEM: Final = ("kube-", "openshift-")


@dataclass(frozen=True)
class Options:
    platform_namespaces: tuple[str, ...] = ()
    """Patterns of namespaces that are made elsewhere."""


@dataclass(frozen=True)
class Namespaces:
    """What the repository shows to be there."""

    created: frozenset[str]
    in_use: frozenset[str]
    """Applications live there."""
    by_unknown: bool
    """A set that cannot be expanded creates namespaces whose names are not known."""
    elsewhere: tuple[str, ...]
    """Patterns of those that the config says to be there."""

    @classmethod
    def of(cls, repo: Repo, options: Options) -> Namespaces:
        created = {resource.name for resource in repo.resources if resource.group_kind in CREATING}
        created |= {
            app.application.destination.namespace
            for app in repo.applications
            if app.application and OPTION in app.application.sync_options
        }
        unresolved = [one.resource for one in repo.argocd.sets if one.expansion.unresolved or one.resource.patched]
        templates = [spec for one in unresolved if (spec := application_spec(one)) is not None]
        creating = [s for s in templates if any(item.text == OPTION for item in s["syncPolicy"]["syncOptions"])]
        created |= {spec["destination"]["namespace"].text for spec in creating}
        in_use = {app.application.namespace for app in repo.applications if app.application}
        return cls(frozenset(created), frozenset(in_use), bool(creating), tuple(options.platform_namespaces))

    def has(self, name: str) -> bool:
        known = name in self.created or name in self.in_use or name in ALWAYS_THERE
        known = known or name.startswith(SYSTEM) or is_placeholder(name)
        return known or any(matches_glob(pattern, name) for pattern in self.elsewhere)


class Missing(NamedTuple):
    application: Application
    namespace: str
    resource: Resource | None
    """The object that asks for it; None for the destination itself."""
    severity: Severity


@rule("GL605", Severity.WARNING, Moment.INSTALL, options=Options())
def check(repo: Repo, options: Options) -> Iterator[Finding]:
    if not repo.applications:
        return
    namespaces = Namespaces.of(repo, options)
    for place, found in by_line(missing for app in repo.applications for missing in _missing(app, namespaces)):
        first = max(found, key=lambda one: one.severity)
        yield Finding(
            place,
            headline=_headline(first),
            happens=_effect(first, len(found) - 1),
            do=f"Add {OPTION}, or a Namespace." if first.resource is None else "Add a Namespace, or correct this one.",
            fixes=_fixes(first) if len(found) == 1 else (),
            severity=first.severity,
            confidence=Confidence.MEDIUM if first.severity is Severity.WARNING else Confidence.LOW,
        )


def _missing(app: App, namespaces: Namespaces) -> Iterator[tuple[Node, Missing]]:
    application = app.certain_application
    if application is None:
        return
    own = application.destination.namespace
    # A misspelled option is told by the rule about unknown ones.
    creates = any(option.strip().lower() == OPTION.lower() for option in application.sync_options)
    sure = app.is_complete and bool(namespaces.created) and not namespaces.by_unknown
    if own and not creates and not namespaces.has(own) and _is_needed(app, own):
        severity = Severity.WARNING if sure else Severity.NOTE
        yield application.place("/spec/destination/namespace"), Missing(application, own, None, severity)
    seen = {own}
    for resource in app.resources:
        name = resource.namespace
        if not name or name in seen or namespaces.has(name) or app.identity(resource) is None:
            continue
        seen.add(name)
        severity = Severity.WARNING if creates and sure else Severity.NOTE
        yield resource.metadata["namespace"], Missing(application, name, resource, severity)


def _is_needed(app: App, namespace: str) -> bool:
    """Whether something is put there, as far as its namespace is known."""
    identities = (app.identity(resource) for resource in app.resources)
    if any(identity and identity.namespace == namespace for identity in identities):
        return True
    return not app.is_complete


def _headline(missing: Missing) -> str:
    if missing.resource is None:
        return f"nothing here creates the namespace {missing.namespace!r} of {missing.application}"
    return f"{missing.resource} is in namespace {missing.namespace!r}, which nothing here creates"


def _effect(missing: Missing, others: int) -> str:
    also = f" and of {counted(others, 'more Application')}" if others else ""
    fails = f"on a cluster without it the first sync of {missing.application}{also} fails."
    if OPTION not in missing.application.sync_options:
        return f"{OPTION} is not set: {fails}"
    own = missing.application.destination.namespace
    return f"{OPTION} creates {f'only {own!r}' if own else 'nothing without a destination.namespace'}: {fails}"


def _fixes(missing: Missing) -> tuple[Fix, ...]:
    application = missing.application
    if missing.resource is not None or application.is_generated:
        return ()
    options = application.place("/spec/syncPolicy/syncOptions")
    return (Fix(f"add {OPTION}", options.append(OPTION), safe=False),)
