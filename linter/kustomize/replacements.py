"""Replacements: a value taken from one object is put into fields of others.

A field keeps its type: a text stays one whatever it gets, and a number that
gets a word makes Kustomize fail. A field that is made has the type that its
value would have without quotes. No object remembers a name that is replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from ..dialects import label_selectors
from ..dialects.go_regexp import NotJudged
from ..dialects.label_selectors import Requirement, all_met
from ..yaml.compose import TEXT, Raw, RawScalar
from ..yaml.compose import Mapping as RawMapping
from ..yaml.compose import Sequence as RawSequence
from ..yaml.source import Document, Node
from ..yaml.values import scalar_value
from .fieldpaths import BadPath, Kind, Parts, Untyped, Walk, look_up, put_back, split, untyped
from .kustomize_errors import BuildError, Cause, NotBuilt, demand_short
from .objects import Object
from .objects_in_file import Moment, ReadAnew, rfc3339
from .patches.patch_targets import Pattern, fits, pattern_in
from .release import Release
from .trees import instead, is_null, member
from .trees import text as scalar_text

_DEFAULT_PATH: Final = "metadata.name"
_TYPE_WORDS: Final = {int: "a whole number", float: "a number", bool: "true or false", type(None): "null"}


def replace(objects: Sequence[Object], entry: Node, release: Release) -> None:
    """Make one replacement, that is all of its targets."""
    targets = list(entry["targets"])
    has_source, has_value = _is_there(entry["source"]), _is_there(entry["sourceValue"])
    if not targets or not (has_source or has_value):
        raise _refused(entry, "a replacement needs a source and at least one target")
    if has_source and has_value:
        raise _refused(entry["sourceValue"], "a replacement has either a source or a sourceValue")
    found = _from_object(objects, entry["source"]) if has_source else _given(entry["sourceValue"])
    for target in targets:
        _apply(objects, target, found, release)


def resolved(entry: Node, documents: Callable[[Node, str], list[Document]]) -> Iterable[Node]:
    """The entry itself, or the replacements of the file that it names: one, or a list of them."""
    path = entry["path"]
    if not path.text:
        return (entry,)
    if _is_there(entry["source"]) or entry["targets"].present:
        raise _refused(path, "a replacement is either in a file or written here, and this one is both")
    found = documents(path, path.text)[:1]  # Kustomize reads no further
    if not found or not (found[0].root.is_sequence or found[0].root.is_mapping):
        raise _refused(path, f"{path.text} holds neither a replacement nor a list of them")
    return found[0].root if found[0].root.is_sequence else (found[0].root,)


def _is_there(node: Node) -> bool:
    return node.present and not is_null(node.raw)


def _refused(at: Node, message: str) -> BuildError:
    return BuildError(Cause.BAD_REPLACEMENT, at, message)


# -- the value


class _Value(NamedTuple):
    raw: Raw
    text: str
    """What a scalar that takes it up says then: of a mapping or a list, nothing."""
    documents: tuple[Document, ...] = ()
    """Where it may have been written."""

    @property
    def kind(self) -> Kind:
        if isinstance(self.raw, RawScalar):
            return RawScalar
        return RawMapping if isinstance(self.raw, RawMapping) else RawSequence

    def as_it_is(self, at: Node) -> Raw:
        """For a field that is no scalar, which takes the type of the value, too."""
        return _retyped(self.raw, self.text, self.raw, at) if isinstance(self.raw, RawScalar) else self.raw


def _given(node: Node) -> _Value:
    assert isinstance(node.raw, RawScalar)
    try:
        return _Value(untyped(node.raw.value, node.raw), node.raw.value, (node.document,))
    except BadPath as wrong:
        raise _refused(node, f"{wrong}") from None


def _from_object(objects: Sequence[Object], source: Node) -> _Value:
    selector = _Selector.read(source)
    matches = [one for one in objects if selector.selects(one)]
    if len(matches) != 1:
        which = "there is none" if not matches else f"there are {len(matches)}"
        raise _refused(source, f"the source of a replacement must be one object, and {which} with {selector}")
    path = source["fieldPath"].text or _DEFAULT_PATH
    where = source["fieldPath"] if source["fieldPath"].text else source
    try:
        raw = look_up(matches[0].root, split(path))
    except BadPath as wrong:
        raise _refused(where, f"{path} cannot be looked up in the source {matches[0].id}: {wrong}") from None
    except NotJudged as unknown:
        raise NotBuilt(where, f"{unknown}: not tried", path, changes_others=True) from None
    if raw is None or is_null(raw) or (not isinstance(raw, RawScalar) and not raw.value):
        raise _refused(where, f"the source {matches[0].id} has no {path}")
    return _Value(raw, _part_of(raw, source["options"]), _documents(matches[0]))


def _part_of(raw: Raw, options: Node) -> str:
    text = _written(raw)
    delimiter = options["delimiter"].text
    if not delimiter:
        return text
    if not isinstance(raw, RawScalar):
        raise _refused(options["delimiter"], "only a single value can be split at a delimiter, and the source is none")
    parts, index = text.split(delimiter), _index(options)
    if not 0 <= index < len(parts):
        at = options["index"] if options["index"].present else options["delimiter"]
        raise _refused(at, f"{text!r} split at {delimiter!r} has {len(parts)} parts, none of them at index {index}")
    return parts[index]


def _index(options: Node) -> int:
    index = options["index"].value
    return index if isinstance(index, int) else 0


def _written(raw: Raw) -> str:
    if isinstance(raw, ReadAnew):
        return raw.written
    return raw.value if isinstance(raw, RawScalar) else ""


def _documents(one: Object) -> tuple[Document, ...]:
    found = [one.document]
    for step in one.steps:
        found += (step.at.document, *step.sources)
    return tuple({id(document): document for document in found}.values())


# -- who is meant


class _Selector(NamedTuple):
    """Exact texts, an empty one for any; an object is also found by the names that it had."""

    group: str
    version: str
    kind: str
    name: str
    namespace: str

    @classmethod
    def read(cls, node: Node) -> _Selector:
        return cls(*node.texts(*cls._fields))

    def __str__(self) -> str:
        said = (f"{field} {wanted}" for field, wanted in self._asdict().items() if wanted)
        return ", ".join(said) or "anything at all"

    def selects(self, one: Object) -> bool:
        if self.group or self.version:
            gvk = one.gvk
            if (self.group and gvk.group != self.group) or (self.version and gvk.version != self.version):
                return False
        return self._fits(scalar_text(member(one.root, "kind")), one.name, one.namespace) or any(
            self._fits(before.gvk.kind, before.name, before.namespace) for before in one.previous
        )

    def _fits(self, kind: str, name: str, namespace: str) -> bool:
        return (
            (not self.kind or kind == self.kind)
            and (not self.name or name == self.name)
            and (not self.namespace or (namespace or "default") == self.namespace)
        )


class _Labels(NamedTuple):
    labels: tuple[Requirement, ...]
    annotations: tuple[Requirement, ...]

    @classmethod
    def read(cls, node: Node) -> _Labels:
        return cls(_requirements(node["labelSelector"]), _requirements(node["annotationSelector"]))

    def select(self, one: Object) -> bool:
        return all_met(self.labels, one.labels) and all_met(self.annotations, one.annotations)


def _requirements(node: Node) -> tuple[Requirement, ...]:
    try:
        return label_selectors.parse(node.text)
    except ValueError as error:
        raise _refused(node, f"{node.text} is no selector: {error}") from None


class _PatternSelector(NamedTuple):
    """As a target selects since 5.8: by regular expressions, an empty one for any."""

    group: Pattern
    version: Pattern
    kind: Pattern
    name: Pattern
    namespace: Pattern

    @classmethod
    def read(cls, node: Node) -> _PatternSelector:
        return cls(*(pattern_in(node[key], Cause.BAD_REPLACEMENT) for key in cls._fields))

    def selects(self, one: Object) -> bool:
        gvk = one.gvk
        if not (fits(self.group, gvk.group) and fits(self.version, gvk.version)):
            return False
        return self._fits(gvk.kind, one.name, one.namespace) or any(
            self._fits(before.gvk.kind, before.name, before.namespace) for before in one.previous
        )

    def _fits(self, kind: str, name: str, namespace: str) -> bool:
        return fits(self.kind, kind) and fits(self.name, name) and fits(self.namespace, namespace)


class _Chosen:
    """The objects that a target selects, less those that it rejects, be it by id or by labels alone."""

    def __init__(self, target: Node, release: Release) -> None:
        select, by = target["select"], _PatternSelector if release.is_newer else _Selector
        self._id, self._labels = by.read(select), _Labels.read(select)
        self._rejected = [(by.read(node), _Labels.read(node)) for node in target["reject"]]

    def __contains__(self, one: Object) -> bool:
        return (
            self._id.selects(one)
            and (not any(self._labels) or self._labels.select(one))
            and not any(
                (any(by_id) and by_id.selects(one)) or (any(by_labels) and by_labels.select(one))
                for by_id, by_labels in self._rejected
            )
        )


# -- the fields


def _apply(objects: Sequence[Object], target: Node, found: _Value, release: Release) -> None:
    select = target["select"]
    if not _is_there(select):
        raise _refused(target, "a target of a replacement must select objects")
    chosen = _Chosen(target, release)
    paths = [(path.text, path) for path in target["fieldPaths"]] or [(_DEFAULT_PATH, select)]
    for one in objects:
        if one in chosen:
            for path, at in paths:
                _put(one, path, at, target["options"], found, release)


def _put(one: Object, path: str, at: Node, options: Node, found: _Value, release: Release) -> None:
    creates = found.kind if options["create"].value is True else None
    assert at.raw is not None
    walk = Walk(lambda field: _changed(field, options, found, at), creates, at.raw, into_texts=release.is_newer)
    try:
        root = _within_text(one.root, split(path), creates, found, at) if release.is_newer else None
        if root is not None:
            one.put(root, "value replaced", at, *found.documents)
            return
        root = walk.follow(one.root, split(path))
    except BadPath as wrong:
        raise _refused(at, f"{path} cannot be replaced in {one.id}: {wrong}") from None
    except NotJudged as unknown:
        raise NotBuilt(at, f"{unknown}: not tried", path, changes_others=True) from None
    if not walk.found:
        raise _refused(at, f"{one.id} has no {path} to replace")
    was = one.id
    one.put(root, "value replaced", at, *found.documents)
    if not one.name:
        raise _refused(at, f"{was} is left without a name, and Kustomize refuses that")


def _within_text(root: Raw, parts: Parts, creates: Kind | None, found: _Value, at: Node) -> Raw | None:
    """With the value in what YAML or JSON a text on the way holds; None where there is no such thing.

    The delimiter does not count there, and what goes wrong is tried again without looking into texts.
    """
    assert at.raw is not None
    for length in range(1, len(parts)):
        try:
            field = look_up(root, parts[:length])
        except BadPath:
            continue
        if not isinstance(field, RawScalar):
            continue
        from .nested_texts import NotNested, Unprintable, with_value_in  # few replacements go into a text

        try:
            text = with_value_in(_written(field), parts[length:], creates, found.raw, found.text, at.raw)
        except NotNested:
            return None
        except Unprintable as reason:
            raise NotBuilt(at, f"{reason}", at.text, changes_others=True) from None
        changed = instead(RawScalar(TEXT, text, at.raw.start_mark, at.raw.end_mark), field)
        return put_back(root, field, changed)
    return None


def _changed(field: Raw, options: Node, found: _Value, at: Node) -> Raw:
    text = found.text
    if delimiter := options["delimiter"].text:
        if not isinstance(field, RawScalar):
            raise _refused(at, f"only a single value can be split at a delimiter, and {at.text} is none")
        demand_short(text, at)
        text = delimiter.join(_with_part(_written(field).split(delimiter), _index(options), text))
    if isinstance(field, RawScalar):
        return _retyped(field, text, found.raw, at)
    return found.as_it_is(at)


def _with_part(parts: list[str], index: int, text: str) -> list[str]:
    """Below zero it goes in front, beyond the end behind."""
    if index < 0:
        return [text, *parts]
    return [*parts[:index], text, *parts[index + 1 :]]


def _retyped(field: RawScalar, text: str, like: Raw, at: Node) -> Raw:
    """The text as a value of the type that the field has."""
    if isinstance(field, Untyped):
        return untyped(text, like)
    if _written(field) == text:
        return field
    new = untyped(text, like)
    if isinstance(field, Moment):
        fits, wanted = bool(rfc3339(text)), "a date"
    else:
        old_type, new_type = type(scalar_value(field)), type(scalar_value(new))
        if old_type is str:
            return instead(RawScalar(TEXT, text, like.start_mark, like.end_mark), field)
        fits = new_type is old_type or (old_type is float and new_type is int)
        wanted = _TYPE_WORDS[old_type]
    if not fits:
        raise _refused(at, f"{at.text or _DEFAULT_PATH} holds {wanted}, and Kustomize cannot put {text!r} there")
    return instead(new, field)
