"""ValueAddTransformer: one text, put into fields of many objects, or in between the parts of paths that they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..dialects.go_regexp import NotJudged
from ..yaml.compose import TEXT, Raw, RawScalar
from ..yaml.source import Document, Node
from .fieldpaths import BadPath, Untyped, Walk, untyped
from .fieldspecs import FieldSpecs, split_path
from .kustomize_errors import BuildError, Cause, NotBuilt
from .namespaces import set_namespace
from .objects import Object
from .patches import Selector
from .trees import instead, is_null, scalar


def add_value(objects: Sequence[Object], config: Node, documents: Callable[[Node, str], list[Document]]) -> None:
    value, file = config["value"], config["targetFilePath"]
    if not value.text.strip():
        raise NotBuilt(config["kind"], "ValueAddTransformer: the name of a folder as the value", changes_others=True)
    targets = list(config["targets"])
    if file.text:
        targets += (target for one in documents(file, file.text)[:1] for target in one.root["targets"])
    if not targets:
        raise _refused(config["kind"], "a ValueAddTransformer needs at least one target")
    for target in targets:
        _add_at(objects, target, value)


def _refused(at: Node, message: str) -> BuildError:
    return BuildError(Cause.BAD_TRANSFORMER, at, message)


def _add_at(objects: Sequence[Object], target: Node, value: Node) -> None:
    path, position, select = target["fieldPath"], target["filePathPosition"].value or 0, target["selector"]
    if not path.text or not isinstance(position, int) or position < 0:
        raise _refused(target, "a target needs a fieldPath, and a filePathPosition that is not negative")
    chosen = objects
    if select.present and not is_null(select.raw):
        selector = Selector.from_node(select)
        chosen = [one for one in objects if selector.matches(one)]
    if path.text == "metadata/namespace":
        set_namespace(chosen, value, FieldSpecs())
        return
    parts = tuple(part.strip() for part in split_path(path.text) if part.strip())
    for one in chosen:
        _put(one, parts, path, position, value)


def _put(one: Object, parts: tuple[str, ...], path: Node, position: int, value: Node) -> None:
    assert value.raw is not None
    walk = Walk(lambda field: _changed(field, position, value), RawScalar, value.raw)
    try:
        root = walk.follow(one.root, parts)
    except BadPath as wrong:
        raise _refused(path, f"{path.text} cannot be set in {one.id}: {wrong}") from None
    except NotJudged as unknown:
        raise NotBuilt(path, f"{unknown}: not tried", path.text, changes_others=True) from None
    one.put(root, "value added", value)


def _changed(field: Raw, position: int, value: Node) -> Raw:
    """Quotes stay as they are: without them, a value like 12 is a number."""
    assert value.raw is not None
    if not isinstance(field, RawScalar):
        raise BadPath("there is no single value")
    text = value.text.strip()
    if position > 0:
        text = inserted(field.value, position - 1, text)
    if isinstance(field, Untyped):
        return untyped(text, value.raw)
    if field.tag == TEXT:
        return instead(scalar(text, value.raw), field)
    return instead(untyped(text, value.raw), field)


def inserted(path: str, position: int, part: str) -> str:
    """A part put into a path; an absolute path stays one, and a place beyond the end is the end."""
    parts = path.strip("/").split("/") if path.strip("/") else []
    place = min(position, len(parts))
    return "/" * path.startswith("/") + "/".join([*parts[:place], part, *parts[place:]])
