"""The paths by which replacements name fields: `spec.containers.[name=app].image`, `metadata.labels.a\\.b`.

A source's path leads to one field and compares texts; a target's path leads to
any number of them, since `*` stands for every item and what follows the `=` in
brackets is a regular expression, which may match anywhere in the text.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import yaml

from ..dialects.go_regexp import BadPattern, Regexp
from ..yaml.compose import PLAIN, TEXT, Mapping, Raw, RawScalar, Sequence
from ..yaml.scalars import atoi, resolve
from ..yaml.values import scalar_value
from .objects_in_file import ReadAnew, Unreadable, normal
from .trees import is_null, member, scalar, sequence, value, with_member
from .trees import mapping as made_mapping

Parts = tuple[str, ...]
Kind = type[RawScalar] | type[Mapping] | type[Sequence]

_LITERAL: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/:@,;~%&#=<>!'\" ")
_QUOTES: Final = ("'", '"')


class Untyped(ReadAnew):
    """A scalar that Kustomize made: it has the type of whatever text it holds, now and later."""


class BadPath(Exception):
    """A path that cannot be followed in this object, as opposed to one that leads nowhere.

    One with a regular expression that nobody can judge here raises `go_regexp.NotJudged`.
    """


@lru_cache(maxsize=1024)
def split(path: str) -> Parts:
    """At dots, except after a backslash and in brackets.

    Brackets without `=` are taken off again, and so is a dot in front.
    """
    pieces = [""]
    for piece in path.removeprefix(".").split("."):
        if pieces[-1].endswith("\\"):
            pieces[-1] = f"{pieces[-1][:-1]}.{piece}"
        else:
            pieces.append(piece)
    return tuple(_whole_brackets(pieces[1:]))


def _whole_brackets(pieces: list[str]) -> list[str]:
    parts: list[str] = []
    is_open = False
    for piece in pieces:
        if is_open:
            parts[-1] += f".{piece}"
        else:
            parts.append(piece)
        was_open, is_open = is_open, (is_open or piece.startswith("[")) and not piece.endswith("]")
        if was_open and not is_open:
            parts[-1] = _unbracketed(parts[-1])
    if is_open:
        parts[-1] = _unbracketed(parts[-1])
    return parts


def _unbracketed(part: str) -> str:
    return part if "=" in part else part.strip("[]")


def _is_in_brackets(part: str) -> bool:
    return part.startswith("[") and part.endswith("]")


def _condition(part: str) -> tuple[str, str]:
    field, equals, wanted = part[1:-1].partition("=")
    if not equals:
        raise BadPath(f"{part} has no field=value between its brackets")
    return field, wanted


def _shape(raw: Raw) -> str:
    if isinstance(raw, RawScalar):
        return f"the value {raw.value!r}"
    return "a mapping" if isinstance(raw, Mapping) else "a list"


def _items(raw: Raw, part: str) -> list[Raw]:
    if isinstance(raw, Sequence):
        return raw.value  # type: ignore[no-any-return]
    if is_null(raw):
        return []
    raise BadPath(f"{part} wants a list, and there is {_shape(raw)}")


# -- one field


def look_up(root: Raw, parts: Parts) -> Raw | None:
    """The field that a path leads to; None if there is none."""
    found: Raw | None = root
    for part in parts:
        part = part.strip()
        if part and found is not None:
            found = _step(found, part)
    return found


def _step(raw: Raw, part: str) -> Raw | None:
    index = atoi(part)
    if index is not None or part == "-":
        items = _items(raw, part)
        if index is None and items:
            return items[-1]
        if index is None or index < 0:
            raise BadPath(f"there is no item {part}")
        return items[index] if index < len(items) else None
    if part == "*":
        raise BadPath("* stands for several fields, and a source is one")
    if _is_in_brackets(part):
        field, wanted = _condition(part)
        for item in _items(raw, part):
            compared = member(item, field) if field else item
            if isinstance(compared, RawScalar) and compared.value == wanted:
                return item
        return None
    if not isinstance(raw, Mapping) and not is_null(raw):
        raise BadPath(f"{part} is looked for in {_shape(raw)}")
    return member(raw, part)


def put_back(root: Raw, old: Raw, new: Raw) -> Raw:
    """The tree with one field of it, the very object, replaced."""
    if root is old:
        return new
    if isinstance(root, Mapping):
        for key, one in root.value:
            if (changed := put_back(one, old, new)) is not one:
                return with_member(root, key.value, changed)
    if isinstance(root, Sequence):
        items = [put_back(one, old, new) for one in root.value]
        if any(one is not before for one, before in zip(items, root.value, strict=True)):
            return sequence(items, root)
    return root


# -- any number of fields


class Walk:
    """Follows a path and changes what is at its ends; with `creates`, what is missing is made as such a thing."""

    def __init__(
        self, change: Callable[[Raw], Raw], creates: Kind | None, like: Raw, *, into_texts: bool = False
    ) -> None:
        self._change = change
        self._creates = creates
        self._like = like
        self._into_texts = into_texts
        """As 5.8 walks: through what YAML a text holds, too, of which it changes nothing then."""
        self.found = 0
        """How many fields the path led to."""

    def follow(self, raw: Raw, parts: Parts) -> Raw:
        if not parts:
            self.found += 1
            return self._change(raw)
        part = parts[0]
        if (index := atoi(part)) is not None and index >= 0:
            return self._item(raw, index, parts)
        if _is_in_brackets(part):
            return self._matching_items(raw, parts)
        if part == "*":
            items = _items(raw, part)
            return self._with_items(raw, [self.follow(item, parts[1:]) for item in items])
        return self._member(raw, part, parts[1:])

    def _member(self, raw: Raw, name: str, rest: Parts) -> Raw:
        if is_null(raw):
            if self._creates:
                self.follow(self._made(rest), rest)  # it is made, and lost: a null holds nothing
            return raw
        if not name and isinstance(raw, RawScalar) and not self._creates:
            return raw if raw.value else self.follow(raw, rest)
        if not name or not isinstance(raw, Mapping):
            raise BadPath(f"{name or 'nothing'} is looked for in {_shape(raw)}")
        old = member(raw, name)
        if self._into_texts and rest and isinstance(old, RawScalar):
            from .nested_texts import NotNested, parsed  # few paths end in a text

            inside = Walk(lambda field: field, self._creates, self._like)
            try:
                inside.follow(parsed(old.value, self._like), rest)
            except NotNested:
                raise BadPath(f"{rest[0]} is looked for in {_shape(old)}") from None
            self.found += inside.found
            return raw
        if old is not None:
            new = self.follow(old, rest)
            return raw if new is old else with_member(raw, name, new)
        if self._creates is None:
            return raw
        if not isinstance(scalar_value(untyped(name, self._like)), str):
            raise BadPath(f"{name} would be made as a key that is no text, and Kustomize fails on it")
        return with_member(raw, name, self.follow(self._made(rest), rest), self._like)

    def _item(self, raw: Raw, index: int, parts: Parts) -> Raw:
        items = list(_items(raw, parts[0]))
        if index == len(items) and self._creates:
            items.append(self._made(parts[1:]))
        if index >= len(items):
            raise BadPath(f"item {index} is wanted, and there are {len(items)}")
        items[index] = self.follow(items[index], parts[1:])
        return self._with_items(raw, items)

    def _matching_items(self, raw: Raw, parts: Parts) -> Raw:
        field, pattern = _condition(parts[0])
        before = self.found
        items = [self._matching_item(item, field, pattern, parts[1:]) for item in _items(raw, parts[0])]
        if self._creates and self.found == before:
            key, wanted = scalar(field, self._like), untyped(pattern, self._like)
            made = made_mapping([(key, wanted)], self._like) if field else wanted
            items.append(self._matching_item(made, field, pattern, parts[1:]))
            if self.found == before:
                raise BadPath(f"an item made for {parts[0]} would not match it")
        return self._with_items(raw, items)

    def _matching_item(self, item: Raw, field: str, pattern: str, rest: Parts) -> Raw:
        compared = member(item, field) if field else item
        if compared is None or not _matches(pattern, _as_yaml(compared)):
            return item
        return self.follow(item, rest if field else ())

    def _with_items(self, raw: Raw, items: list[Raw]) -> Raw:
        if not isinstance(raw, Sequence):
            return raw  # null
        if len(items) == len(raw.value) and all(map(operator.is_, items, raw.value)):
            return raw
        return sequence(items, raw)

    def _made(self, rest: Parts) -> Raw:
        """What must be there for the rest of the path to go on."""
        kind = self._creates
        if rest:
            is_list = _is_in_brackets(rest[0]) or ((index := atoi(rest[0])) is not None and index >= 0)
            kind = Sequence if is_list else Mapping
        if kind is RawScalar:
            return untyped("", self._like)
        return sequence((), self._like) if kind is Sequence else made_mapping((), self._like)


def untyped(text: str, like: Raw) -> Untyped:
    """A scalar that is read like one without quotes; a text of several lines is nothing but a text."""
    written = RawScalar(TEXT if "\n" in text else PLAIN, text, like.start_mark, like.end_mark)
    try:
        read = normal(written)
    except Unreadable as wrong:
        raise BadPath(wrong.message) from None
    return Untyped(written, read.value, read.tag)


# -- what a pattern is compared with


def _as_yaml(raw: Raw) -> str:
    """Kustomize compares with the YAML of a value, quotes and all."""
    if not isinstance(raw, RawScalar):
        return str(yaml.safe_dump(value(raw), default_flow_style=raw.flow_style, width=10**9)).strip()
    text: str = raw.value
    if raw.style in _QUOTES:
        return f"{raw.style}{text}{raw.style}"
    if raw.tag == TEXT and not raw.style and not isinstance(resolve(text), str):
        return f'"{text}"'
    return text.strip()


def _matches(pattern: str, text: str) -> bool:
    if _LITERAL.issuperset(pattern):
        return pattern in text
    try:
        return Regexp(pattern).is_in(text)
    except BadPattern as error:
        raise BadPath(f"{pattern!r} is no regular expression: {error}") from None
