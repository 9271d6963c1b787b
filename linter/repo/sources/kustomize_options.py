"""What an Application adds to a kustomization before Argo CD builds it.

Argo CD runs `kustomize edit` on its checkout: prefix, suffix and namespace are
set in place of the file's, images and replicas go by their name, labels and
annotations must be new unless they are forced, patches and components are
appended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from ...facts.regexes import regex
from ...kustomize import BuildError, Cause, Kustomization
from ...kustomize.trees import from_value, mapping, scalar, text
from ...yaml.compose import Mapping as RawMapping
from ...yaml.compose import Raw
from ...yaml.source import Document, Node

_IMAGE: Final = regex(r"(?:(?P<old>[^=]+)=)?(?P<name>.+?)(?::(?P<tag>[\w][\w.-]*))?(?:@(?P<digest>\S+))?")
_SET: Final = ("namePrefix", "nameSuffix", "namespace")


def edits(
    options: Mapping[str, Any], place: Node, has_folder: Callable[[str], bool]
) -> Callable[[Kustomization], Kustomization] | None:
    """The change that an Application's kustomize block makes, written at `place`; None if it makes none.

    `has_folder` says of a path as the kustomization counts it whether there is such a folder.
    """
    node = place if place.value == options and place.raw is not None else _at_one_place(options, place)
    wanted = (*_SET, "images", "replicas", "commonLabels", "commonAnnotations", "patches", "components")
    if not any(options.get(field) for field in wanted):
        return None
    return lambda kustomization: _edited(kustomization, node, has_folder)


def _at_one_place(options: Mapping[str, Any], place: Node) -> Node:
    while place.raw is None and place.parent is not None:
        place = place.parent
    assert place.raw is not None
    return Document(place.file, 0, from_value(dict(options), place.raw)).root


def _edited(kustomization: Kustomization, options: Node, has_folder: Callable[[str], bool]) -> Kustomization:
    replaced = {field: options[field] for field in _SET if options[field].text}
    listed = {}
    if options["images"].is_sequence:
        listed["images"] = _by_name(kustomization, "images", [_image(one) for one in options["images"]])
    if options["replicas"].is_sequence:
        listed["replicas"] = _by_name(kustomization, "replicas", list(options["replicas"]))
    components = tuple(options["components"])
    if options["ignoreMissingComponents"].value is True:
        components = tuple(one for one in components if has_folder(one.text))
    added: dict[str, tuple[Node, ...]] = {"patches": tuple(options["patches"]), "components": components}
    if options["commonLabels"].is_mapping:
        if options["labelWithoutSelector"].value is True:
            added["labels"] = (_labels_entry(kustomization, options),)
        else:
            replaced["commonLabels"] = _joined(kustomization, options, "commonLabels", "forceCommonLabels")
    if options["commonAnnotations"].is_mapping:
        replaced["commonAnnotations"] = _joined(kustomization, options, "commonAnnotations", "forceCommonAnnotations")
    return replace(kustomization, replaced=replaced, listed=listed, added=added)


def _raw(node: Node) -> Raw:
    assert node.raw is not None
    return node.raw


def _image(one: Node) -> Node:
    """``[old=]new[:tag][@digest]`` as an entry of `images`."""
    raw = _raw(one)
    found = _IMAGE.fullmatch(text(raw))
    if found is None:
        raise BuildError(Cause.BAD_TRANSFORMER, one, f"{text(raw)!r} is no image that kustomize edit understands")
    parts = {"name": found["old"] or found["name"]}
    if found["old"] and found["name"] != "*":
        parts["newName"] = found["name"]
    if found["tag"] and found["tag"] != "*":
        parts["newTag"] = found["tag"]
    if found["digest"] and found["digest"] != "*":
        parts["digest"] = found["digest"]
    entry = mapping(((scalar(key, raw), scalar(value, raw)) for key, value in parts.items()), raw)
    return Document(one.file, 0, entry).root


def _by_name(kustomization: Kustomization, field: str, new: list[Node]) -> tuple[Node, ...]:
    """The file's entries and the Application's, which win where both have a name."""
    names = {one["name"].text for one in new}
    kept = (one for one in kustomization.items(field) if one["name"].text not in names)
    return tuple(sorted((*kept, *new), key=lambda one: one["name"].text))


def _joined(kustomization: Kustomization, options: Node, field: str, force: str) -> Node:
    own, new = kustomization.one(field), options[field]
    pairs = {key.value: (key, value) for key, value in (own.raw.value if isinstance(own.raw, RawMapping) else ())}
    for name, value in new.items():
        if name in pairs and options[force].value is not True:
            kind = "label" if field == "commonLabels" else "annotation"
            raise BuildError(
                Cause.BAD_TRANSFORMER,
                value,
                f"the kustomization has the {kind} {name!r} already, and Argo CD does not replace it without {force}",
            )
        pairs[name] = (scalar(name, _raw(value)), scalar(str(value.scalar_text), _raw(value)))
    return Document(kustomization.document.file, 0, mapping(pairs.values(), _raw(new))).root


def _labels_entry(kustomization: Kustomization, options: Node) -> Node:
    raw = _raw(options["commonLabels"])
    pairs = [(scalar("pairs", raw), raw)]
    if options["labelIncludeTemplates"].value is True:
        pairs.append((scalar("includeTemplates", raw), scalar(True, raw)))
    return Document(kustomization.document.file, 0, mapping(pairs, raw)).root
