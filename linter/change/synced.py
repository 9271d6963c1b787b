"""What an Application syncs, and whether that is known well enough to compare it."""

from __future__ import annotations

from ..dialects.target_revision import follows_main_line
from ..kubernetes.resource import Resource
from ..repo.app import App


def both_known(before: App, after: App) -> bool:
    """Whether all objects of both are known, and merging is what changes them.

    What was not rendered on either side may just not be seen, and a source that is fixed to a tag or
    a commit stays as it is, whatever is merged.
    """
    return before.is_complete and after.is_complete and not (_is_fixed(before) or _is_fixed(after))


def is_comparable(before: App, after: App) -> bool:
    """Whether what `before` has and `after` has not is surely gone, and merging is what changes it."""
    return not (failures_of(after) or doubt_about(before, after))


def doubt_about(before: App, after: App) -> str:
    """Why nobody can tell whether something left an Application, to stand after "it"; empty if that is known.

    A remote base that both have brings nothing back that was a file of this repository; what is not
    seen any more may be there all the same, and a chart that was not rendered may print anything.
    """
    if _is_fixed(before) or _is_fixed(after):
        return "is gone here, but a source is fixed to a tag or a commit, and stays as it is there"
    unrendered = any(one.tool == "helm" and one.unresolved for app in (before, after) for one in app.rendered)
    if unrendered or not after.rendered or not set(unresolved_of(after)) <= set(unresolved_of(before)):
        return "is not seen any more: not everything is known of what the Application brings"
    return ""


def _is_fixed(app: App) -> bool:
    sources = (one.source for one in app.rendered if not one.source.chart)
    return any(follows_main_line(source.target_revision) is False for source in sources)


def synced(app: App) -> tuple[Resource, ...]:
    """What stays in the cluster after a sync, and is pruned one day: no hooks, nothing that is skipped."""
    return tuple(one for one in app.resources if not one.is_hook and one.hook.phases)


def refuses_to_empty(app: App) -> bool:
    """Nothing of it is left in git, and Argo CD refuses to prune everything automatically."""
    return is_emptied(app) and app.application is not None and not app.application.allows_empty


def is_emptied(app: App) -> bool:
    """Nothing of it is left in git, nor anything that is fetched."""
    return not synced(app) and app.is_complete


def failures_of(app: App) -> tuple[str, ...]:
    """Why Argo CD cannot generate the manifests."""
    failing = [f"{one.path}: {one.reason}" for source in app.rendered for one in source.failures]
    missing = [f"{source.path} is not in the repository" for source in app.rendered if source.missing]
    return tuple(dict.fromkeys((*failing, *missing)))


def unresolved_of(app: App) -> tuple[str, ...]:
    """Why objects may be missing."""
    return tuple(dict.fromkeys(why for one in app.rendered if not one.missing for why in one.unresolved))
