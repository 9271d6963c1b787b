"""One object in two revisions, and objects that are one under two names."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from ..argocd.identity import Identity
from ..kubernetes.resource import Resource
from ..repo.app import App


class ObjectChange(NamedTuple):
    """An object that is added, removed, written otherwise, or moved to another file or app."""

    identity: Identity | None
    """None when the files do not tell which object it is: a placeholder in its name, a patch nobody can follow."""
    before: Resource | None
    after: Resource | None
    before_app: App | None
    """The Application, or the unit where none is known; None on the side that does not have the object."""
    after_app: App | None

    @property
    def is_added(self) -> bool:
        return self.before is None

    @property
    def is_removed(self) -> bool:
        """From the app it was in; see `Change.still_in` for others that have it."""
        return self.after is None

    @property
    def is_kept(self) -> bool:
        return self.before is not None and self.after is not None

    @property
    def is_rewritten(self) -> bool:
        """Whether its content is another one."""
        if self.before is None or self.after is None or self.before.node.raw is self.after.node.raw:
            return False
        return bool(self.before.node.value != self.after.node.value)

    @property
    def moved_app(self) -> bool:
        """The same object, in another app."""
        if self.before_app is None or self.after_app is None:
            return False
        return key_of(self.before_app) != key_of(self.after_app)

    @property
    def moved_file(self) -> bool:
        return self.before is not None and self.after is not None and self.before.file.path != self.after.file.path

    @property
    def resource(self) -> Resource:
        """As it is now, or else as it was."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def app(self) -> App | None:
        """The one it is in now, or else was in."""
        return self.after_app or self.before_app


class Likeness(Enum):
    """Why two names are taken for one object."""

    AFFIX = "another namePrefix or nameSuffix"
    GENERATED = "another hash of its content"
    NAMESPACE = "another namespace"
    POSITION = "written in the same place"
    CONTENT = "alike in content"


class Renaming(NamedTuple):
    """A removed and an added object that are alike: to Argo CD two objects, to people one with another name."""

    removed: ObjectChange
    added: ObjectChange
    similarity: float
    """From 0 to 1: how much of the content, names aside, is the same."""
    why: Likeness


def key_of(app: App) -> tuple[str, str, str]:
    """By which an app is the same in both revisions."""
    if app.application is None:
        return ("unit", "", app.name)
    return ("Application", app.application.namespace, app.application.name)
