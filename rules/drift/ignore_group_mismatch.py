"""An item of ignoreDifferences whose group has no such kind matches nothing.

group is the part of apiVersion before the slash, and nothing for the core kinds
(Secret, Service, ConfigMap …), whose apiVersion is just v1. Argo CD compares it
with the group of each object. group: apps/v1, group: core, group: v1, or no
group at all for a Deployment match no object there can be. Nothing says so: the
Application stays OutOfSync, and self-heal writes over what the item was meant to
leave alone.

Reported is only what is certain: the groups of Kubernetes itself, where nobody
can add a kind, groups with a slash, and names that no group can have. A custom
kind in a wrong group of its own is not seen, unless the group is missing. Stars
are taken as Argo CD takes them. The rule also looks at the keys of Argo CD's own
settings (resource.customizations.ignoreDifferences.GROUP_KIND).

Fix: write the group of the kind: the one that Kubernetes itself has it in, or that of
the objects in the repository. The fix is unsafe: the item never ignored anything, and
then does.

See: argo-cd#28590, argo-cd#8403, argo-cd#2322, argo-cd#2918

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      ignoreDifferences:
        - group: apps/v1  # <- here
          kind: StatefulSet
          jsonPointers:
            - /spec/replicas
        - group: core  # <- here
          kind: Secret
          jsonPointers:
            - /data
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      ignoreDifferences:
        - group: apps
          kind: StatefulSet
          jsonPointers:
            - /spec/replicas
        - kind: Secret
          jsonPointers:
            - /data
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...linter.api import Cause, Finding, Fix, Moment, Node, Repo, Severity, by_line, rule
from ...linter.argocd.broad_ignores import is_broad
from ...linter.argocd.ignore_entries import IgnoreEntry
from ...linter.dialects.project_patterns import matches_glob
from ...linter.dialects.spelling import is_placeholder
from ...linter.facts.tables import builtin_kinds

GONE: Final = "extensions"
"""What was in this group has been in another one for years."""


@rule("GL412", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(_mismatches(repo)):
        entry = found[0]
        groups = _meant(entry, repo)
        named = " or ".join(f"in group {one!r}" if one else "a core kind, which has none" for one in groups)
        why = _why(entry)
        yield Finding(
            place,
            headline="this item of ignoreDifferences matches no object",
            happens=f"{why[0].upper()}{why[1:]}, so it ignores nothing.",
            do=f"Correct it: {entry.kind} is {named}." if named else "Correct the group or the kind.",
            fixes=_fixes(entry, groups) if len(found) == 1 and len(groups) == 1 else (),
            cause=Cause(
                f"ignoreDifferences in {place.file.path}", "{count} items of ignoreDifferences match no object"
            ),
        )


def _mismatches(repo: Repo) -> Iterator[tuple[Node, IgnoreEntry]]:
    for entry in repo.argocd.ignore_entries:
        written = (entry.group, entry.kind)
        if entry.is_for_generated or not entry.kind or any(map(is_placeholder, written)):
            continue
        if not entry.can_match and not any(_is_for(entry, one.group, one.kind) for one in repo.resources):
            group = entry.at["group"]
            yield (entry.at["kind"] if group.absent and entry.owner else group if entry.owner else entry.at), entry


def _is_for(entry: IgnoreEntry, group: str, kind: str) -> bool:
    return matches_glob(entry.group, group) and matches_glob(entry.kind, kind)


def _why(entry: IgnoreEntry) -> str:
    if not entry.group:
        return f"without a group {entry.kind} stands for a core kind, and there is none of that name"
    if "/" in entry.group:
        return f"{entry.group!r} is no group: the version does not belong to it"
    if entry.group in builtin_kinds():
        return f"group {entry.group!r} has no kind {entry.kind}"
    return f"there is no group {entry.group!r}"


def _meant(entry: IgnoreEntry, repo: Repo) -> list[str]:
    """The groups that have the kind: what comes before the slash, those of Kubernetes, those of this repository."""
    before_slash = entry.group.partition("/")[0]
    known = builtin_kinds()
    if "/" in entry.group and entry.kind in known.get(before_slash, ()):
        return [before_slash]
    builtin = [group for group, kinds in known.items() if entry.kind in kinds and group != GONE]
    return builtin or list(dict.fromkeys(one.group for one in repo.resources if one.kind == entry.kind))


def _fixes(entry: IgnoreEntry, groups: list[str]) -> tuple[Fix, ...]:
    if entry.owner is None or is_broad(entry):  # it ignores nothing by now, and would then hide nearly everything
        return ()
    node, group = entry.at["group"], groups[0]
    if group:
        return (Fix(f"write group: {group}", node.set(group), safe=False),)
    return (Fix("leave the group out", node.remove(), safe=False),) if node.present else ()
