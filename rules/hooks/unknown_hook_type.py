"""A hook of an unknown type is never applied, and nothing says so.

The annotation alone makes the object a hook. Argo CD then looks for types that
it knows, letter by letter: PreSync, Sync, PostSync, SyncFail, Skip, PreDelete
(since 3.3) and PostDelete (since 2.10). When it finds none, there is no phase
to create the object in: it is not applied, not compared, not shown as
OutOfSync. If the object was in the cluster before, without the annotation, a
sync that prunes deletes it.

When another type in the list is valid, only the unknown one is ignored, and
the finding is a warning. The same holds for helm.sh/hook; of Helm's own types
pre-rollback and post-rollback have no counterpart in Argo CD, so an object
that has nothing else is never applied either. Helm's tests are meant to be
left out of a sync and are not reported. PreDelete and PostDelete are reported
only when the configured Argo CD is too old for them; written as Helm writes
them, in a chart that is for all versions, they are a note.

Fix: write the type as Argo CD has it. The fix offered is unsafe: it starts an
object that never ran before.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-waves/, https://argo-cd.readthedocs.io/en/stable/user-guide/helm/

Bad:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: pre-sync  # <- here
Good:
    apiVersion: batch/v1
    kind: Job
    metadata:
      name: migrate
      annotations:
        argocd.argoproj.io/hook: PreSync
"""

from collections.abc import Iterator, Mapping
from typing import Final

from ...linter.api import Finding, Fix, Moment, Node, Resource, Severity, rule
from ...linter.argocd.delete_hooks import is_run
from ...linter.dialects.spelling import is_placeholder, nearest, respelled
from ...linter.facts.versions import since
from ...linter.kubernetes.annotations.hooks import HELM_HOOK, HELM_HOOK_TYPES, HOOK, HOOK_TYPES, split

HELM_TESTS: Final = frozenset({"test", "test-success", "test-failure"})
HELM_WITHOUT_COUNTERPART: Final = frozenset({"pre-rollback", "post-rollback", "crd-install"})
ARGO_FOR: Final = {name: name for name in HOOK_TYPES} | HELM_HOOK_TYPES
HELM_FOR: Final = {name: name for name in HELM_HOOK_TYPES}
NEVER: Final = "Argo CD never applies the object."


@rule("GL103", Severity.ERROR, Moment.SYNC, annotated=(HOOK, HELM_HOOK), literal=True, of_fetched=False)
def check(hook: Resource) -> Iterator[Finding]:
    argo, helm = hook.annotation(HOOK), hook.annotation(HELM_HOOK)
    annotation = argo if argo.present else helm
    if not isinstance(annotation.value, str) or is_placeholder(annotation.text):
        return
    if argo.present:
        yield from _argo(hook, argo)
    elif not hook.patched:  # a patch may add Argo CD's own annotation, which goes first
        yield from _helm(hook, helm)


def _argo(hook: Resource, annotation: Node) -> Iterator[Finding]:
    items = split(annotation.text)
    unknown = [item for item in items if item not in HOOK_TYPES]
    if unknown:
        yield _unknown(hook, annotation, unknown, ARGO_FOR)
    elif not items and hook.hook.is_ignored:
        yield _never_applied(annotation, f"the hook annotation of {hook} names no type")
    else:
        yield from _too_new(hook, annotation)


def _helm(hook: Resource, annotation: Node) -> Iterator[Finding]:
    items = split(annotation.text)
    known = HELM_TESTS | HELM_WITHOUT_COUNTERPART | HELM_HOOK_TYPES.keys()
    unknown = [item for item in items if item not in known]
    if unknown:
        yield _unknown(hook, annotation, unknown, HELM_FOR)
    elif not hook.hook.is_ignored:
        yield from _too_new(hook, annotation)
    elif not items:
        yield _never_applied(annotation, f"the hook annotation of {hook} names no type")
    elif "crd-install" in items:
        yield _never_applied(annotation, f"Argo CD takes only the exact value crd-install, not that of {hook}")
    elif not HELM_TESTS.intersection(items):
        yield Finding(
            annotation,
            headline=f"Argo CD has no counterpart to the Helm hook {' or '.join(items)} of {hook}",
            happens=NEVER,
            do="Give it a hook type of Argo CD, or leave it to Helm on purpose.",
            severity=Severity.WARNING,
        )


def _unknown(hook: Resource, annotation: Node, unknown: list[str], known: Mapping[str, str]) -> Finding:
    guesses = {item: guess for item in unknown if (guess := nearest(item, known))}
    corrections = {item: known[guess] for item, guess in guesses.items()}
    names = " and ".join(repr(item) for item in unknown)
    meant = f"Write {' and '.join(corrections.values())}, if that is meant." if corrections else ""
    fixes: tuple[Fix, ...] = ()
    if len(corrections) == len(unknown):
        value = respelled(annotation.text, corrections)
        fixes = (Fix(f"write {value}", annotation.set(value)),)
    return Finding(
        annotation,
        headline=f"Argo CD knows no hook type {names}, which {hook} has",
        happens=NEVER if hook.hook.is_ignored else "That part of the list has no effect.",
        do=meant or "Use one of the types that Argo CD knows.",
        fixes=fixes,
        severity=None if hook.hook.is_ignored else Severity.WARNING,
    )


def _never_applied(annotation: Node, headline: str) -> Finding:
    return Finding(annotation, headline=headline, happens=NEVER, do="Write a hook type, or take the annotation out.")


def _too_new(hook: Resource, annotation: Node) -> Iterator[Finding]:
    if hook.is_hook and not is_run(hook) and hook.hook.delete_types:
        types = " and ".join(f"{kind} (since {since(f'hook-{kind}')})" for kind in hook.hook.delete_types)
        yield Finding(
            annotation,
            headline=f"Argo CD {hook.versions.argocd} does not know {types}",
            happens=f"It never creates {hook}.",
            do="Bring Argo CD up to date, or leave the hook out.",
            severity=Severity.WARNING if hook.annotation(HOOK).present else Severity.NOTE,
        )
