"""What apps and objects are called in a plan: numbers where short is good, names where links must last."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from ...argocd.sync_order import Task
from ...repo.app import App


class Anchors(Protocol):
    def apps(self, apps: Sequence[App]) -> dict[int, str]:
        """By the id of an app."""

    def object(self, app: str, step: int, number: int, task: Task) -> str:
        """The step and the object's number in it count from 1 and 0."""


class Numbers:
    """For formats in which nobody follows a link tomorrow."""

    def apps(self, apps: Sequence[App]) -> dict[int, str]:
        return {id(app): f"app{number}" for number, app in enumerate(apps, 1)}

    def object(self, app: str, step: int, number: int, task: Task) -> str:
        return f"{app}-{step}-{number}"


class Names:
    """For pages: another app or object more changes no address.

    Of an app only letters, digits and underscores; what stands before the first
    hyphen of an address is the app that the place is in.
    """

    def __init__(self) -> None:
        self._given: Counter[str] = Counter()

    def apps(self, apps: Sequence[App]) -> dict[int, str]:
        plain = {id(app): f"{'app' if app.application else 'folder'}_{_word(app.name) or 'top'}" for app in apps}
        many = Counter(plain.values())
        return {
            id(app): self._once(f"{name}_{_where(app)}" if many[name] > 1 else name, "_")
            for app, name in ((app, plain[id(app)]) for app in apps)
        }

    def object(self, app: str, step: int, number: int, task: Task) -> str:
        one = task.resource
        return self._once(f"{app}-{_word(one.kind)}-{_word(one.display_name)}", "-")

    def _once(self, name: str, between: str) -> str:
        self._given[name] += 1
        return name if self._given[name] == 1 else f"{name}{between}{self._given[name]}"


def _word(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")[:80]


def _where(app: App) -> str:
    """What tells two apps of one name apart: where they are written, and what they read."""
    place = app.application.resource.file.path if app.application else ""
    parts = (place, *(one.path for one in app.rendered))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:6]
