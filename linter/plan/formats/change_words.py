"""The sentences that all formats of a changed plan share."""

from __future__ import annotations

from ...dialects.phrases import counted
from ..changes.change_views import Action, AppChangeView, ChangedObject, ChangeView


def closing(view: ChangeView) -> str:
    """``3 Applications: 2 to create, 5 to change, 1 to prune (1 PersistentVolumeClaim), 0 refused``"""
    if not view.apps:
        return f"Nothing to sync differs from {view.base or 'the base'}.{_unchanged(view)}"
    applications = sum(1 for app in view.apps if app.is_application)
    units = len(view.apps) - applications
    apps = counted(applications, "Application")
    if units:
        apps += f" and {counted(units, 'folder')} without one" if applications else ""
        apps = apps if applications else f"{counted(units, 'folder')} without an Application"
    return f"{apps}: {totals(view)}.{_unchanged(view)}"


def totals(view: ChangeView) -> str:
    counts = view.counts
    lost = ", ".join(counted(number, kind) for kind, number in sorted(view.lost.items()))
    parts = [f"{counts[Action.CREATE]} to create", f"{counts[Action.CHANGE]} to change"]
    if counts[Action.MOVE]:
        parts.append(f"{counts[Action.MOVE]} to take over")
    if counts[Action.RECREATE]:
        parts.append(f"{counts[Action.RECREATE]} to recreate")
    parts.append(f"{counts[Action.PRUNE]} to prune{f' ({lost})' if lost else ''}")
    parts.append(f"{counts[Action.REFUSED]} refused")
    if counts[Action.STAY]:
        parts.append(f"{counts[Action.STAY]} left as they are" if counts[Action.STAY] > 1 else "1 left as it is")
    if counts[Action.RUN]:
        parts.append(f"{counted(counts[Action.RUN], 'hook')} to run")
    return ", ".join(parts)


def _unchanged(view: ChangeView) -> str:
    if not view.unchanged:
        return ""
    stay = "stays as it is" if view.unchanged == 1 else "stay as they are"
    return f" {counted(view.unchanged, 'other Application')} {stay}."


def title(app: AppChangeView) -> str:
    return app.title if app.status.value == "kept" else f"{app.title} ({app.status.value})"


def remarks(one: ChangedObject) -> str:
    return "; ".join(one.remarks)
