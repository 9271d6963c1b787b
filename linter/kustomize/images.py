"""`images:` gives images other names, tags and digests.

Kustomize looks for images twice: in every list called `containers` or
`initContainers`, wherever it stands, and then at the field specs. What both
looks find is changed twice: a `tagSuffix` is appended two times.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

from ..facts.regexes import regex
from ..yaml.compose import Mapping, Raw, RawScalar, Sequence
from ..yaml.source import Node
from .fieldspecs import FieldSpec, FieldSpecs, WrongShape, refused, update
from .kustomize_errors import BuildError, Cause, NotBuilt, demand_short
from .objects import Object
from .objects_in_file import in_place_of
from .trees import instead, is_null, map_items, mapping, member, with_member

_CONTAINERS: Final = frozenset(("containers", "initContainers"))
_UNTOUCHED_KIND: Final = "CustomResourceDefinition"
_TAG_AND_DIGEST: Final = r"(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?\Z"

_SLOW: Final = regex(r"\)[*+{]|(?:[*+{].*){3}")
"""Go matches in linear time whatever the expression; here, one in a hostile repository could hold up the run."""
_LONGEST_IMAGE: Final = 300

Change = Callable[[RawScalar], RawScalar]


def change_images(objects: Iterable[Object], entry: Node, field_specs: FieldSpecs) -> None:
    change_all_images(objects, (entry,), field_specs)


def change_all_images(objects: Iterable[Object], entries: Iterable[Node], field_specs: FieldSpecs) -> list[Node]:
    """One entry after the other, as Kustomize does it, but with one look at each object for images at all.

    Gives the entries that no image fits.
    """
    rules = [ImageRule(entry) for entry in entries]
    if rules:
        for one in objects:
            gvk = one.gvk
            if gvk.kind != _UNTOUCHED_KIND:
                _change_object(one, rules, field_specs.specs_for(gvk))
    return [rule.at for rule in rules if not rule.fits_some]


def _change_object(one: Object, rules: list[ImageRule], specs: tuple[FieldSpec, ...]) -> None:
    seen: set[str] = set()
    # Also when no image matches, Kustomize refuses what has another shape, and makes lists of nulls.
    root = _everywhere(one, lambda image: _noted(image, seen), specs, rules[0].at)
    one.put(root, "an empty list of containers made", rules[0].at)
    for rule in rules:
        if changed := {new for image in seen if (new := rule.renamed(image)) is not None}:
            one.put(_everywhere(one, rule.change, specs, rule.at), "image changed", rule.at)
            seen |= changed


def _noted(image: RawScalar, seen: set[str]) -> RawScalar:
    seen.add(image.value)
    return image


# -- where images are


def _everywhere(one: Object, change: Change, specs: tuple[FieldSpec, ...], by: Node) -> Raw:
    assert by.raw is not None
    try:
        root = _in_containers(one.root, change)
    except WrongShape as wrong:
        raise refused(one, "containers", wrong, by) from None
    for spec in specs:
        try:
            root = update(root, spec.path, lambda image: _at_image(image, change), None, by.raw)
        except WrongShape as wrong:
            raise refused(one, spec.written_path, wrong, by) from None
    return root


def _in_containers(raw: Raw, change: Change) -> Raw:
    if isinstance(raw, Sequence):
        return map_items(raw, lambda item: item if item.__class__ is RawScalar else _in_containers(item, change))
    if not isinstance(raw, Mapping):
        return raw
    pairs = None
    for index, (key, old) in enumerate(raw.value):
        if isinstance(old, RawScalar):
            continue
        new = _in_containers(old, change)
        if key.value in _CONTAINERS and isinstance(new, Sequence):
            new = map_items(new, lambda container: _in_container(container, change))
        if new is not old:
            pairs = pairs or list(raw.value)
            pairs[index] = (key, new)
    return raw if pairs is None else mapping(pairs, raw)


def _in_container(container: Raw, change: Change) -> Raw:
    if not isinstance(container, Mapping):
        if is_null(container):
            return container
        raise WrongShape("a container must be a map")
    image = member(container, "image")
    return container if image is None else with_member(container, "image", _at_image(image, change))


def _at_image(image: Raw, change: Change) -> Raw:
    if is_null(image):
        return image
    if not isinstance(image, RawScalar):
        raise WrongShape("an image must be a text")
    return change(image)


# -- what becomes of one


class ImageRule:
    """One entry of `images`."""

    def __init__(self, entry: Node) -> None:
        self.at = entry
        self._name, self._tag, self._digest, self._tag_suffix = entry.texts("newName", "newTag", "digest", "tagSuffix")
        for text in (self._name, self._tag, self._digest, self._tag_suffix):
            demand_short(text, entry)
        self._pattern = _pattern(entry)
        self._known: dict[str, str | None] = {}
        self.fits_some = False
        """Whether there was an image that it is about, even one that needed no change."""
        said = (entry[field] for field in ("newTag", "digest", "tagSuffix", "newName", "name"))
        self._like = next((node.raw for node in said if node.text), entry.raw)

    def renamed(self, image: str) -> str | None:
        """The image as this entry wants it; None if it is another one, or stays what it is."""
        if image not in self._known:
            fits = self._matches(image)
            self.fits_some = self.fits_some or fits
            new = self._put_together(image) if fits else image
            self._known[image] = None if new == image else new
        return self._known[image]

    def _matches(self, image: str) -> bool:
        return len(image) <= _LONGEST_IMAGE and self._pattern.search(image) is not None

    def _put_together(self, image: str) -> str:
        """A new tag drops the old digest, a new digest the old tag, and a suffix needs neither to be there."""
        name, tag, digest = split_image(image)
        if self._tag or self._digest:
            tag, digest = self._tag, self._digest
        elif self._tag_suffix:
            tag, digest = tag + self._tag_suffix, ""
        return (self._name or name) + (tag and f":{tag}") + (digest and f"@{digest}")

    def change(self, image: RawScalar) -> RawScalar:
        """Quotes stay as they are: without them, a new name like 12 is a number to Kustomize, too."""
        new = self.renamed(image.value)
        if new is None:
            return image
        assert self._like is not None
        changed = instead(in_place_of(image, new, self._like), image)
        assert isinstance(changed, RawScalar)
        return changed


def _pattern(entry: Node) -> re.Pattern[str]:
    """The name is a regular expression to Kustomize, which few expect: the dots of a registry match anything."""
    name = entry["name"].text
    if _SLOW.search(name):
        raise NotBuilt(entry["name"], "images: a regular expression that may take for ever", name)
    try:
        return re.compile("(?:^)" + name + _TAG_AND_DIGEST, re.ASCII)  # a name that is a star fits all of them
    except re.error as error:
        raise BuildError(
            Cause.BAD_TRANSFORMER,
            entry["name"],
            f"Kustomize takes the name of an image for a regular expression, and {name!r} is none: {error}",
        ) from None


def split_image(image: str) -> tuple[str, str, str]:
    """Name, tag and digest; a colon before the first slash belongs to a port."""
    slash = max(image.find("/"), 0)
    rest = image[slash:]
    tagged, _, digest = rest.partition("@")
    name, _, tag = tagged.partition(":")
    return image[:slash] + name, tag, digest
