"""Builds by a real Kustomize; the in-process ones then say where everything was written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from ...facts.versions import Versions
from ...kustomize import BuildError, Cause, NotBuilt, Object
from ...kustomize.build_files import is_remote
from ...kustomize.kustomize_binary import RealKustomize
from ...kustomize.printed import matched
from ...kustomize.trees import member, text
from ...programs.outcomes import Failed, Outcome, Printed
from ...yaml.compose import Mapping
from ...yaml.source import Node, SourceFile
from ..tree import Tree
from .kustomize_builds import Builds, KustomizeBuild, NotAnalysed

if TYPE_CHECKING:
    from ...kustomize.builder import Build

MAX_MESSAGE: Final = 400
_BRING_OBJECTS: Final = ("resources", "bases", "components")
_OUTSIDE: Final = "is not in or below"
"""Of a file of another folder. Argo CD can be told to allow it, and then our own build does, which stays in the
repository; a binary that is allowed it would read anything."""

_NO_CHARTS: Final = "must specify --enable-helm"
"""Of charts, which a binary would fetch from anywhere. Argo CD can be told to allow them: a rule of its own asks."""


class RealBuilds(Builds):
    """What an Application adds to a kustomization is still built in-process: `kustomize edit` would change files."""

    def __init__(self, tree: Tree, versions: Versions, kustomize: RealKustomize) -> None:
        super().__init__(tree, versions)
        self._kustomize = kustomize
        self._is_prepared = False

    def of(self, folder: str) -> KustomizeBuild:
        if folder not in self._done:
            if not self._is_prepared:
                self._is_prepared = True
                self._kustomize.prepare(self._tree.build_roots)
            own = self._tree.builder.build(folder)
            self._done[folder] = self._joined(own, self._kustomize.build(folder))
        return self._done[folder]

    def _joined(self, own: Build, outcome: Outcome) -> KustomizeBuild:
        top = self._top(own.folder)
        if isinstance(outcome, Printed):
            printed = _objects(outcome.text)
            if printed is not None and top is not None:
                return self._matched(own, printed, _entry(own.not_built) or top)
            outcome = Failed("printed something that is no list of objects")
        if isinstance(outcome, Failed):
            return self._without_answer(own, "no answer from the real Kustomize; built in-process", outcome.reason)
        if own.errors:
            return self._seen(own)
        if top is None or _may_follow_from(own.not_built, outcome.message):
            return self._without_answer(own, "the real Kustomize cannot build it here", _end_of(outcome.message))
        message = f"{self._kustomize.name} refuses it: {_end_of(outcome.message)}"
        return self._seen(own._replace(errors=(BuildError(Cause.REFUSED, top, message),)))

    def _matched(self, own: Build, printed: Sequence[Mapping], entry: Node) -> KustomizeBuild:
        resources = []
        for one in matched(printed, own.objects, entry):
            resources.append(self._resource(one) if isinstance(one, Object) else self._resource_at(one.root))
        return KustomizeBuild(
            own.folder,
            tuple(resources),
            folders=own.folders,
            files=own.files,
            charts=own.charts,
            reached=own.reached,
        )

    def _without_answer(self, own: Build, reason: str, detail: str) -> KustomizeBuild:
        """As it was built in-process, and said so."""
        top = self._top(own.folder)
        path = top.file.path if top is not None else own.folder
        built = self._seen(own)
        return built._replace(not_analysed=(*built.not_analysed, NotAnalysed(path, reason, detail)))

    def _top(self, folder: str) -> Node | None:
        """Of the kustomization; None if it cannot be read at all."""
        try:
            kustomization = self._tree.builder.kustomization(folder)
            return kustomization.root if kustomization else None
        except BuildError as error:
            documents = error.at.file.documents
            return documents[0].root if documents else None


def _objects(printed: str) -> list[Mapping] | None:
    """None for what is no list of objects."""
    file = SourceFile("", printed)
    roots = [document.raw for document in file.documents]
    if file.problems or not all(text(member(root, key)) for root in roots for key in ("apiVersion", "kind")):
        return None
    return [root for root in roots if isinstance(root, Mapping)]


def _entry(not_built: Iterable[NotBuilt]) -> Node | None:
    """Where the objects come from that were not built in-process, if there is only one such place."""
    found = {
        (one.at.file.path, one.at.span): one.at
        for one in not_built
        if one.at.parent is not None and one.at.parent.key in _BRING_OBJECTS
    }
    return next(iter(found.values())) if len(found) == 1 else None


def _end_of(message: str) -> str:
    """Kustomize tells the whole way down to the fault, and the fault last."""
    return message if len(message) <= MAX_MESSAGE else f"… {message[-MAX_MESSAGE:]}"


def _may_follow_from(not_built: Iterable[NotBuilt], message: str) -> bool:
    """Whether it is refused for want of something that Argo CD may have: a password, a plugin, an option."""
    if _OUTSIDE in message or _NO_CHARTS in message:
        return True
    return any(not is_remote(one.detail) or one.detail in message for one in not_built)
