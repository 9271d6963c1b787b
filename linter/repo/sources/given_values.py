"""What an Application itself says of a chart's values: inline, and one by one as parameters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from ...argocd.applications import Application, Source
from ...helm.value_layers import Parameter, typed
from ...kustomize.embedded import EmbeddedDocument, documents_in, place_all
from ...kustomize.kustomize_errors import BuildError
from ...yaml import compose
from ...yaml.compose import RawScalar
from ...yaml.source import Node, Place


class InlineValues(NamedTuple):
    """What stands in `values` or `valuesObject`."""

    at: Node
    roots: tuple[Node, ...] = ()
    """One; of a text with several documents, all of them."""
    problem: str = ""
    problem_at: Place | None = None


_READ: Final[WeakKeyDictionary[Source, InlineValues | None]] = WeakKeyDictionary()


class Given(NamedTuple):
    """By one source of one Application."""

    application: Application
    source: Source

    def inline(self) -> InlineValues | None:
        """`valuesObject` before `values`, even an empty one, as Argo CD takes them. Read once, whoever asks."""
        if self.source not in _READ:
            _READ[self.source] = self._inline()
        return _READ[self.source]

    def _inline(self) -> InlineValues | None:
        helm = self.source.tool("helm")
        given = helm.get("valuesObject")
        if isinstance(given, Mapping):
            place = self._place("valuesObject")
            if place.value == given:
                return InlineValues(place, (place,))
            return _read(place, json.dumps(given))
        text = helm.get("values")
        return _read(self._place("values"), text) if isinstance(text, str) and text.strip() else None

    def parameters(self) -> Iterator[Parameter]:
        given = self.source.tool("helm").get("parameters")
        for index, one in enumerate(given if isinstance(given, list) else ()):
            if isinstance(one, Mapping) and isinstance(one.get("name"), str):
                text = one.get("value")
                text = text if isinstance(text, str) else ""
                value = text if one.get("forceString") is True else typed(text)
                yield Parameter(one["name"], value, self._place(f"parameters/{index}"))

    def _place(self, name: str) -> Node:
        return self.application.place(f"{self.source.pointer}/helm/{name}")


def _read(place: Node, text: str) -> InlineValues:
    """From the file itself where its text is the value; else all of it counts as written at the place."""
    if place.document.is_built:
        is_text = isinstance(place.raw, RawScalar) and place.document.agrees(place)
        place = place.origin
        raw = place.raw if is_text else None
    else:
        raw = place.raw
    if isinstance(raw, RawScalar) and raw.value == text:
        try:
            documents = documents_in(place)
        except BuildError as error:
            return InlineValues(place, (), error.message.removeprefix("cannot be read: "), error.at)
        roots = [document.root for document in documents]
    else:
        composed, errors = compose.documents(text)
        if errors:
            return InlineValues(place, (), errors[0].message, place)
        if place.raw is not None:
            for one in composed:
                place_all(one, place.raw)
        roots = [EmbeddedDocument(place.file, index, one, place).root for index, one in enumerate(composed)]
    wrong = next((root for root in roots if not root.is_mapping and root.value is not None), None)
    if wrong is not None:
        what = "a list" if wrong.is_sequence else "a text"
        return InlineValues(place, (), f"it is {what}, and values have to be a mapping", wrong)
    return InlineValues(place, tuple(root for root in roots if root.is_mapping))
