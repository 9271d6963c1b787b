"""A file → the objects in it, as Kustomize reads them.

Kustomize reads YAML 1.2: a plain ``yes`` is a text there, and a plain date is
a point in time, which comes out as RFC 3339 text. Merge keys and aliases are
resolved when it loads a file; a repeated key makes it refuse the file.
"""

from __future__ import annotations

from operator import is_
from typing import Final

from ..facts.regexes import regex
from ..yaml.compose import PLAIN, TEXT, Mapping, Raw, RawScalar, Sequence
from ..yaml.scalars import NUMBER_STARTS, WORDS
from ..yaml.source import Document, SourceFile, Span, Spot
from ..yaml.values import members, scalar_value
from .kustomize_errors import BuildError, Cause
from .objects import Object
from .trees import Blank, Pair, at, is_null, mapping, member, pair, pairs, text, with_member, wrong_merge

TEXTS_IN_YAML_1_2: Final = frozenset("y Y yes Yes YES on On ON n N no No NO off Off OFF".split())
_ODD_VALUES: Final = TEXTS_IN_YAML_1_2 | {word for word, value in WORDS.items() if isinstance(value, float)}
_ODD_KEYS: Final = frozenset((*WORDS, "<<"))
_TIME_TAG: Final = "tag:yaml.org,2002:timestamp"
_TIME: Final = regex(
    r"(\d{4})-(\d\d?)-(\d\d?)(?:(?:[Tt]| +)(\d\d?):(\d\d?):(\d\d?)(\.\d+)?(?: *(Z|[+-]\d\d?(?::?\d\d)?))?)?"
)


class Unreadable(Exception):
    def __init__(self, raw: Raw, message: str) -> None:
        super().__init__(message)
        self.raw = raw
        self.message = message


def objects_in(file: SourceFile) -> tuple[Object, ...]:
    """Every object of a file; the first thing that Kustomize refuses ends it."""
    if file.problems:
        problem = file.problems[0]
        raise BuildError(Cause.BAD_MANIFEST, Spot(file, problem.span), f"cannot be read: {problem.message}")
    found: list[Object] = []
    for document in file.documents:
        found += _read(document)
    return tuple(found)


def _read(document: Document) -> list[Object]:
    """Annotations may repeat themselves, for Kustomize writes them anew in the end; nothing else may."""
    try:
        return objects_of(document)
    except BuildError as error:
        again = _with_united_annotations(document.raw)
        if again is document.raw:
            raise
        found = _objects_in(document, _normal_root(document, again))
        for one in found:
            one.repeated = error.at if isinstance(error.at, Spot) else None
        return found


def _with_united_annotations(root: Raw) -> Raw:
    """Of several maps of annotations the first one that has a key, and of equal keys in one map the last."""
    metadata = member(root, "metadata")
    maps = [value for key, value in pairs(metadata) if key.value == "annotations"]
    if not isinstance(root, Mapping) or not isinstance(metadata, Mapping):
        return root
    if not maps or not all(isinstance(one, Mapping) or is_null(one) for one in maps):
        return root
    united: dict[str, Pair] = {}
    for one in maps:
        united = {**members(one), **united} if isinstance(one, Mapping) else united
    if len(maps) == 1 and len(united) == len(maps[0].value):
        return root
    others = [pair for pair in metadata.value if pair[0].value != "annotations"]
    key = next(key for key, _ in metadata.value if key.value == "annotations")
    annotations = mapping(united.values(), maps[0])
    return with_member(root, "metadata", mapping([*others, (key, annotations)], metadata))


def objects_of(document: Document) -> list[Object]:
    return _objects_in(document, _normal_root(document, document.raw))


def _normal_root(document: Document, root: Raw) -> Raw:
    if _is_surely_normal(root):
        return root
    try:
        return normal(root)
    except Unreadable as problem:
        raise BuildError(Cause.BAD_MANIFEST, _place(document, problem.raw), problem.message) from None


def _objects_in(document: Document, root: Raw) -> list[Object]:
    found: list[Object] = []
    waiting: list[Raw] = [root]
    while waiting:
        raw = waiting.pop(0)
        if is_null(raw) or (isinstance(raw, Mapping) and not raw.value):
            continue
        if not isinstance(raw, Mapping):
            raise BuildError(Cause.BAD_MANIFEST, _place(document, raw), "is no Kubernetes object: no mapping")
        kind = text(member(raw, "kind"))
        if kind.endswith("List") and (items := member(raw, "items")) is not None:
            if not isinstance(items, Sequence) and not is_null(items):
                raise BuildError(Cause.BAD_MANIFEST, _place(document, items), f"the items of a {kind} must be a list")
            waiting += items.value if isinstance(items, Sequence) else ()
            continue
        if kind.endswith("List") and not text(at(raw, "metadata", "name")):
            continue  # an empty list; with a name it is an object of a kind that happens to end so
        _demand_identity(document, raw, kind)
        found.append(Object(raw, document))
    return found


def _demand_identity(document: Document, raw: Mapping, kind: str) -> None:
    if not kind:
        raise BuildError(Cause.BAD_MANIFEST, _place(document, raw), "has no kind, and Kustomize takes only objects")
    name = at(raw, "metadata", "name")
    if not text(name) or is_null(name):
        found = pair(raw, "metadata") or pair(raw, "kind")
        where = found[0] if found else raw
        raise BuildError(
            Cause.BAD_MANIFEST, _place(document, where), f"{kind} has no metadata.name, which Kustomize needs"
        )


def _place(document: Document, raw: Raw) -> Spot:
    start = raw.start_mark.index
    return Spot(document.file, Span(start, raw.end_mark.index if isinstance(raw, RawScalar) else start + 1))


# -- from YAML 1.1 to what Kustomize reads


def _is_surely_normal(root: Raw) -> bool:
    """Whether `normal` would give back the tree itself: a quick look, level by level, that most documents pass."""
    level = [root]
    while level:
        below: list[Raw] = []
        for raw in level:
            if raw.__class__ is Mapping:
                values = []
                names = set()
                for key, value in raw.value:
                    name = key.value
                    if key.__class__ is not RawScalar or (
                        key.tag == PLAIN and (name in _ODD_KEYS or name[0] in NUMBER_STARTS)
                    ):
                        return False
                    names.add(name)
                    values.append(value)
                if len(names) < len(values) or (raw.flow_style and any(value.value == "" for value in values)):
                    return False
            elif raw.__class__ is Sequence:
                values = raw.value
            else:
                return False
            for value in values:
                if value.__class__ is not RawScalar:
                    below.append(value)
                elif value.tag == PLAIN:
                    text = value.value
                    if text in _ODD_VALUES or (text[4:5] == "-" and len(text) >= 8 and text[0] in NUMBER_STARTS):
                        return False
                elif value.tag == _TIME_TAG or value.style == ">":
                    return False
        level = below
    return True


def normal(raw: Raw) -> Raw:
    """The same tree without merge keys and with scalars as Kustomize reads them; itself where it is so already."""
    if raw.__class__ is RawScalar:
        if raw.tag == PLAIN:
            return _normal_scalar(raw)
        if raw.tag == _TIME_TAG:
            return Moment(raw, rfc3339(raw.value) or raw.value)
        return raw if raw.style != ">" else _normal_folded(raw)
    if isinstance(raw, Mapping):
        return _normal_mapping(raw)
    if isinstance(raw, Sequence):
        changed = [normal(item) for item in raw.value]
        if all(map(is_, changed, raw.value)):
            return raw
        return Sequence(raw.tag, changed, raw.start_mark, raw.end_mark, flow_style=raw.flow_style)
    return raw


def _normal_mapping(raw: Mapping) -> Mapping:
    names: set[str] = set()
    changed = []
    same = True
    for one in raw.value:
        key, value = one
        name = key.value
        if key.tag == PLAIN:
            if name == "<<":
                return _normal_mapping(_unmerged(raw))
            key = _normal_key(key)
        if not isinstance(name, str):
            raise Unreadable(key, "a mapping or a list cannot be a key, and Kustomize refuses that")
        if name in names:
            raise Unreadable(key, f"the key {name!r} is there twice, and Kustomize refuses that")
        names.add(name)
        new = normal(value) if not (raw.flow_style and value.value == "") else _normal_flow_null(value)
        if new is not value or key is not one[0]:
            same = False
            one = (key, new)
        changed.append(one)
    return raw if same else Mapping(raw.tag, changed, raw.start_mark, raw.end_mark, flow_style=raw.flow_style)


def _normal_key(key: RawScalar) -> RawScalar:
    name = key.value
    if name[:1] not in NUMBER_STARTS and name not in WORDS:
        return key
    new = _normal_scalar(key)
    value = scalar_value(new)
    if isinstance(new, Moment) or not isinstance(value, str):
        words = "a time" if isinstance(new, Moment) else _type_words(value)
        raise Unreadable(key, f"the key {name} is no text but {words}, and Kustomize refuses that")
    return new


def _type_words(value: object) -> str:
    if value is None:
        return "null"
    return "a truth value" if isinstance(value, bool) else "a number"


def _unmerged(raw: Mapping) -> Mapping:
    wrong = wrong_merge(raw)
    if wrong is not None:
        raise Unreadable(wrong, "<< takes a mapping, or a list of mappings, and Kustomize refuses all else")
    own = [key.value for key, _ in raw.value if key.value != "<<"]
    if len(own) != len(set(own)):
        twice = next(key for key, _ in raw.value if own.count(key.value) > 1)
        raise Unreadable(twice, f"the key {twice.value!r} is there twice, and Kustomize refuses that")
    return Mapping(raw.tag, list(members(raw).values()), raw.start_mark, raw.end_mark, flow_style=raw.flow_style)


def _normal_scalar(raw: RawScalar) -> RawScalar:
    written: str = raw.value
    if written in TEXTS_IN_YAML_1_2:
        return RawScalar(TEXT, written, raw.start_mark, raw.end_mark)
    if len(written) >= 8 and written[4] == "-" and written[0] in NUMBER_STARTS and (moment := rfc3339(written)):
        return Moment(raw, moment)
    value = _infinite(written)
    if value is not None:
        raise Unreadable(raw, f"{value} cannot be written as JSON, and Kustomize refuses that")
    return raw


def _infinite(written: str) -> float | None:
    value = WORDS.get(written) if written[-4:-3] == "." else None
    return value if isinstance(value, float) else None


def in_place_of(old: RawScalar, text: str, like: Raw) -> RawScalar:
    """A text where another scalar was, written like that one: without quotes it has the type that it looks like."""
    is_text = text[:1] not in NUMBER_STARTS and text not in WORDS
    if old.style or is_text or _infinite(text) is not None:
        return RawScalar(TEXT, text, like.start_mark, like.end_mark, style=old.style)
    return _normal_scalar(RawScalar(PLAIN, text, like.start_mark, like.end_mark))


def _normal_flow_null(raw: RawScalar) -> RawScalar:
    return raw if raw.tag == TEXT else Blank(TEXT, "", raw.start_mark, raw.end_mark)


def _normal_folded(raw: RawScalar) -> RawScalar:
    if "\n" not in raw.value:
        return raw
    from .folded_scalars import refolded

    again = refolded(raw.value)
    return raw if again == raw.value else ReadAnew(raw, again)


class ReadAnew(RawScalar):
    """A scalar that Kustomize prints otherwise than it stands in the file; among annotations it leaves it alone."""

    def __init__(self, raw: RawScalar, text: str, tag: str = TEXT) -> None:
        super().__init__(tag, text, raw.start_mark, raw.end_mark)
        self.written: str = raw.value


class Moment(ReadAnew):
    """A plain date, which is a point in time to Kustomize."""


def rfc3339(written: str) -> str:
    """A plain scalar that YAML takes for a time, as JSON has times; empty if it is none."""
    found = _TIME.fullmatch(written)
    if not found:
        return ""
    year, month, day, hour, minute, second, fraction, zone = found.groups()
    if not (1 <= int(month) <= 12 and 1 <= int(day) <= 31):
        return ""
    date = f"{year}-{int(month):02}-{int(day):02}"
    if hour is None:
        return f"{date}T00:00:00Z"
    parts = (fraction or "").rstrip("0").rstrip(".")
    return f"{date}T{int(hour):02}:{int(minute):02}:{int(second):02}{parts}{_zone(zone)}"


def _zone(zone: str | None) -> str:
    if zone in (None, "Z"):
        return "Z"
    digits = zone[1:].replace(":", "")
    hours, minutes = (digits[:-2], digits[-2:]) if len(digits) > 2 else (digits, "0")
    return f"{zone[0]}{int(hours):02}:{int(minutes):02}"
