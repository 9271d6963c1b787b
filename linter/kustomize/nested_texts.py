"""Replacements into a text that holds YAML or JSON itself, such as a file in a ConfigMap: since Kustomize 5.8.

Kustomize reads the text, puts the value in and writes all of it anew: JSON with sorted keys, YAML in its own layout.
What begins with a bracket or a brace is JSON to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import yaml

from ..dialects.go_regexp import NotJudged
from ..facts.regexes import regex
from ..yaml import compose
from ..yaml.compose import PLAIN, TEXT, Mapping, Raw, RawScalar
from ..yaml.scalars import resolve
from ..yaml.values import scalar_value
from .content_hash import go_json
from .embedded import place_all
from .fieldpaths import BadPath, Kind, Parts, Untyped, Walk
from .objects_in_file import TEXTS_IN_YAML_1_2, Unreadable, normal
from .trees import value

_COMMENT: Final = regex(r"(?m)(?:^|\s)#")
_JSON_STARTS: Final = ("{", "[")
_INDENT: Final = "  "


class NotNested(Exception):
    """There is nothing to put the value into; Kustomize then looks for the path as if texts held nothing."""


class Unprintable(Exception):
    """Kustomize does it, and what its text comes to is not known here, in words."""


def parsed(text: str, like: Raw) -> Raw:
    """What a text holds; all of it counts as written where `like` is. Raises NotNested."""
    roots, errors = compose.documents(text)
    if errors:
        raise NotNested
    if not roots:
        return RawScalar(PLAIN, "null", like.start_mark, like.end_mark)
    try:
        root = normal(roots[0])
    except Unreadable:
        raise NotNested from None
    place_all(root, like)
    return root


def with_value_in(text: str, parts: Parts, creates: Kind | None, new: Raw, words: str, like: Raw) -> str:
    """The text with a value put in; `words` is what a scalar says then. Raises NotNested and Unprintable."""
    walk = Walk(lambda field: _changed(field, new, words), creates, like)
    try:
        root = walk.follow(parsed(text, like), parts)
    except (BadPath, NotJudged):
        raise NotNested from None
    if not walk.found:
        raise NotNested
    if text.lstrip().startswith(_JSON_STARTS):
        content = _as_json(root)
        return _indented(content, "") if "\n" in text and _INDENT in text else _compact(content)
    return _as_yaml(root, text)


def _changed(field: Raw, new: Raw, words: str) -> Raw:
    if not isinstance(field, RawScalar):
        return new
    tag = PLAIN if field.tag == PLAIN or isinstance(field, Untyped) else TEXT
    made = RawScalar(tag, words, field.start_mark, field.end_mark, style=field.style)
    if tag == TEXT or isinstance(field, Untyped):
        return made
    before, after = type(scalar_value(field)), type(resolve(words))
    if before is str and after is not str:
        return RawScalar(TEXT, words, field.start_mark, field.end_mark, style='"')
    if before is not after:  # it would carry the tag of the type that it had
        raise NotNested
    return made


# -- JSON, as Go writes it


def _as_json(root: Raw) -> Any:
    content = value(root)
    if not _has_text_keys(root):
        raise NotNested
    return content


def _has_text_keys(raw: Raw) -> bool:
    if isinstance(raw, Mapping):
        return all(isinstance(scalar_value(key), str) and _has_text_keys(one) for key, one in raw.value)
    return isinstance(raw, RawScalar) or all(map(_has_text_keys, raw.value))


def _compact(content: Any) -> str:
    if isinstance(content, dict):
        return "{" + ",".join(f"{go_json(key)}:{_compact(content[key])}" for key in sorted(content)) + "}"
    if isinstance(content, list):
        return "[" + ",".join(map(_compact, content)) + "]"
    return _leaf(content)


def _indented(content: Any, margin: str) -> str:
    inner = margin + _INDENT
    if isinstance(content, dict) and content:
        lines = [f"{inner}{go_json(key)}: {_indented(content[key], inner)}" for key in sorted(content)]
        return "{\n" + ",\n".join(lines) + f"\n{margin}}}"
    if isinstance(content, list) and content:
        return "[\n" + ",\n".join(f"{inner}{_indented(one, inner)}" for one in content) + f"\n{margin}]"
    return _compact(content)


def _leaf(content: Any) -> str:
    is_whole = isinstance(content, int) and not isinstance(content, bool)
    return str(content) if is_whole else go_json(content)


# -- YAML, as Kustomize lays it out


def _as_yaml(root: Raw, text: str) -> str:
    if _COMMENT.search(text):
        raise Unprintable("a replacement in a text with comments, which Kustomize writes anew")
    events = [yaml.StreamStartEvent(), yaml.DocumentStartEvent(explicit=False), *_events(root)]
    events += [yaml.DocumentEndEvent(explicit=False), yaml.StreamEndEvent()]
    return str(yaml.emit(events, width=10**9, allow_unicode=True)).strip()


def _events(raw: Raw) -> Iterator[yaml.Event]:
    if isinstance(raw, RawScalar):
        yield _scalar(raw)
    elif isinstance(raw, Mapping):
        yield yaml.MappingStartEvent(None, None, True, flow_style=bool(raw.flow_style) or not raw.value)
        for key, one in raw.value:
            yield from _events(key)
            yield from _events(one)
        yield yaml.MappingEndEvent()
    else:
        yield yaml.SequenceStartEvent(None, None, True, flow_style=bool(raw.flow_style) or not raw.value)
        for one in raw.value:
            yield from _events(one)
        yield yaml.SequenceEndEvent()


def _scalar(raw: RawScalar) -> yaml.Event:
    if raw.style == ">":
        raise Unprintable("a replacement in a text with folded lines, which Kustomize writes anew")
    is_bare = raw.tag != TEXT or raw.value in TEXTS_IN_YAML_1_2 or isinstance(resolve(raw.value), str)
    style = raw.style or (None if is_bare else '"')
    if "\n" in raw.value and style is None:
        style = "|"
    return yaml.ScalarEvent(None, None, (True, True), raw.value, style=style)
