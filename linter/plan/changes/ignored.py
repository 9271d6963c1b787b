"""Changes that Argo CD is told not to see."""

from __future__ import annotations

from typing import Any

from ...kubernetes.resource import Resource
from ...repo.app import App
from ...repo.model import Repo
from .changed_fields import Field, differences


def words_if_ignored(repo: Repo, app: App, before: Resource, after: Resource) -> tuple[str, ...]:
    """Empty unless every field that differs is ignored, or may be."""
    application = app.application
    if application is None or not (application.ignored_differences or repo.argocd.settings.customizations):
        return ()
    fields = differences(before.node.value, after.node.value)
    if not fields or not all(repo.argocd.ignores(app, after, _steps(field, before, after)) for field in fields):
        return ()
    if app.options_for(after).respects_ignored:
        return ("ignored (ignoreDifferences with RespectIgnoreDifferences): neither seen nor written",)
    return ("ignored (ignoreDifferences): it starts no sync, but the next one writes it",)


def _steps(field: Field, before: Resource, after: Resource) -> list[str | int]:
    """With numbers where there are lists."""
    value: Any = before.node.value if field.after is None else after.node.value
    steps: list[str | int] = []
    for text in field.pointer.split("/")[1:]:
        key = text.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and key.isdecimal():
            steps.append(int(key))
            value = value[int(key)] if int(key) < len(value) else None
        else:
            steps.append(key)
            value = value.get(key) if isinstance(value, dict) else None
    return steps
