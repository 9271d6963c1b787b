"""All generators: from an item of spec.generators to sets of parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Final

from ...dialects.generator_selectors import BadSelector, flattened, selects
from ...dialects.go_template.blanks import OpenMap
from ...dialects.go_template.encodings import read_yaml
from ...dialects.go_template.go_values import StringMap, Value, from_json, plain
from ...dialects.go_template.mergo import copied, merge_into
from ...dialects.go_template.safe_names import normalized
from ...dialects.go_template.template_errors import TemplateError
from ...facts.tables import table
from ...yaml.json_pointer import escaped
from .cluster_generator import from_clusters
from .generator_context import Context, GeneratorFailed, NotKnown, Parameters
from .git_generator import add_values, from_git, unknown_sets

MAX_SETS: Final = 2_000
_COMBINING: Final = ("matrix", "merge")


@cache
def _external() -> dict[str, str]:
    """The generators whose answer is not in any file, and what they ask."""
    generators: dict[str, str] = table("applicationset-generators.json")["external"]
    return generators


def names_given(generator: str, go: bool) -> tuple[str, ...]:
    """What a generator that asks somebody else calls its parameters, whatever they are; nothing if it does not say."""
    facts = table("applicationset-generators.json")
    no_texts = () if go else facts["onlyWithGoTemplate"].get(generator, ())
    return tuple(name for name in facts["parameters"].get(generator, ()) if name not in no_texts)


def known_generators() -> tuple[str, ...]:
    return ("list", "git", *_external(), *_COMBINING)


def generators_of(item: Mapping[str, Value], nested: int = 0) -> list[str]:
    """The generators that an item has. One that is null counts for nothing; the deepest level combines nothing."""
    names = known_generators() if nested < 2 else [name for name in known_generators() if name not in _COMBINING]
    return [name for name in names if item.get(name) is not None]


def transform(
    item: Mapping[str, Value], pointer: str, context: Context, given: Parameters | None = None, nested: int = 0
) -> list[tuple[str, list[Parameters]]]:
    """The sets of each generator of an item. `given` are those of the generator before it in a matrix."""
    found: list[tuple[str, list[Parameters]]] = []
    for name in generators_of(item, nested):
        # Argo CD does not fill in the selector.
        body = _filled_in(item[name], given, context) if given else item[name]
        if not isinstance(body, dict):
            raise GeneratorFailed(f"{name} is no map", f"{pointer}/{name}")
        try:
            sets = _generate(name, body, f"{pointer}/{name}", context, nested)
            kept = [one for one in sets if selects(item.get("selector"), one)]
        except BadSelector as error:
            raise GeneratorFailed(f"error parsing label selector: {error}", f"{pointer}/selector") from None
        found.append((name, _limited(kept, pointer)))
    return found


def _filled_in(body: Value, given: Parameters, context: Context) -> Value:
    """With what the generator before it gives; by now its own values wait for its own parameters."""
    if context.controller.fills_values_early or not isinstance(body, dict) or not body.get("values"):
        return context.renderer.deep(body, given)
    rest = context.renderer.deep({key: value for key, value in body.items() if key != "values"}, given)
    return {**rest, "values": body["values"]} if isinstance(rest, dict) else rest


def _limited(sets: list[Parameters], pointer: str) -> list[Parameters]:
    if len(sets) > MAX_SETS:
        raise NotKnown(f"gives more than {MAX_SETS:,} sets of parameters", pointer)
    return sets


def _generate(name: str, body: dict[str, Value], pointer: str, context: Context, nested: int) -> list[Parameters]:
    if name == "list":
        return _from_list(body, pointer, context)
    if name == "git":
        try:
            return from_git(body, pointer, context)
        except NotKnown as reason:
            return unknown_sets(body, context, reason)
    if name == "matrix":
        return _from_matrix(body, pointer, context, nested)
    if name == "merge":
        return _from_merge(body, pointer, context, nested)
    return _supplied(name, body, pointer, context)


# -- list


def _from_list(body: dict[str, Value], pointer: str, context: Context) -> list[Parameters]:
    elements = body.get("elements")
    found: list[Parameters] = []
    for index, element in enumerate(elements if isinstance(elements, list) else ()):
        place = f"{pointer}/elements/{index}"
        if element is not None and not isinstance(element, dict):
            raise GeneratorFailed("error unmarshling list element: it is no map", place)
        own = from_json(element or {})
        found.append(own if context.go and isinstance(own, dict) else _only_texts(element or {}, place))
    return found + _from_text(body.get("elementsYaml"), f"{pointer}/elementsYaml")


def _only_texts(element: dict[str, Value], pointer: str) -> Parameters:
    parameters: Parameters = {}
    for key, value in element.items():
        if key == "values":
            if not isinstance(value, dict):
                raise GeneratorFailed("error parsing values map", f"{pointer}/values")
            inner = {f"values.{name}": item for name, item in value.items()}
        else:
            inner = {key: value}
        wrong = next((name for name, item in inner.items() if not isinstance(item, str)), None)
        if wrong is not None:
            place = f"{pointer}/values/{escaped(wrong[7:])}" if key == "values" else f"{pointer}/{escaped(key)}"
            message = f"error parsing value as string: {wrong} is no string, as goTemplate: false needs it"
            raise GeneratorFailed(message, place)
        parameters |= inner
    return parameters


def _from_text(text: Value, pointer: str) -> list[Parameters]:
    if not text:
        return []
    try:
        items = from_json(read_yaml(plain(text)))
    except TemplateError as error:
        raise GeneratorFailed(f"error unmarshling decoded ElementsYaml {error}", pointer) from None
    if items is None:
        return []
    if not isinstance(items, list) or not all(item is None or isinstance(item, dict) for item in items):
        raise GeneratorFailed("error unmarshling decoded ElementsYaml: it is no list of maps", pointer)
    return [item if isinstance(item, dict) else {} for item in items]


# -- what is not in the files


def _supplied(name: str, body: dict[str, Value], pointer: str, context: Context) -> list[Parameters]:
    if context.supplied is None and name == "clusters":
        return from_clusters(body, pointer, context)
    if context.supplied is None:
        return unknown_sets(body, context, NotKnown(f"the {name} generator asks {_external()[name]}", pointer))
    found: list[Parameters] = []
    for one in context.supplied:
        nested = from_json(dict(one))
        parameters: Parameters = nested if isinstance(nested, dict) else {}
        if name == "clusters":
            if not selects(body.get("selector"), _labels(parameters)):
                continue
            parameters.setdefault("nameNormalized", normalized(plain(parameters.get("name") or "")))
        own: Parameters = _with_text_maps(parameters) if context.go else dict(flattened(parameters))
        add_values(body.get("values"), own, context)
        found.append(own)
    return [{"clusters": [*found]}] if name == "clusters" and body.get("flatList") is True else found


def _labels(parameters: Parameters) -> dict[str, Value]:
    """Of the Secret that stands for a cluster."""
    metadata = parameters.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    return {"argocd.argoproj.io/secret-type": "cluster", **(labels if isinstance(labels, dict) else {})}


def _with_text_maps(parameters: Parameters) -> Parameters:
    """A cluster's labels and annotations are of the type that takes nothing but texts."""
    metadata = parameters.get("metadata")
    if isinstance(metadata, dict):
        for key in ("labels", "annotations"):
            own = metadata.get(key)
            if isinstance(own, dict):
                metadata[key] = StringMap((name, plain(value)) for name, value in own.items())
    return parameters


# -- combinations


def _children(body: dict[str, Value]) -> list[Value]:
    children = body.get("generators")
    return children if isinstance(children, list) else []


def _child(child: Value, pointer: str, context: Context, given: Parameters | None, nested: int) -> list[Parameters]:
    found = transform(child if isinstance(child, dict) else {}, pointer, context, given, nested + 1)
    if not found:
        raise GeneratorFailed("child generator generated no parameters", pointer)
    if len(found) > 1:
        raise GeneratorFailed("found more than one generator in matrix.Generators", pointer)
    return found[0][1]


def _from_matrix(body: dict[str, Value], pointer: str, context: Context, nested: int) -> list[Parameters]:
    children = _children(body)
    if len(children) != 2:
        amount = "less" if len(children) < 2 else "more"
        raise GeneratorFailed(f"found {amount} than two generators, Matrix support only two", f"{pointer}/generators")
    found: list[Parameters] = []
    for first in _child(children[0], f"{pointer}/generators/0", context, None, nested):
        for second in _child(children[1], f"{pointer}/generators/1", context, first, nested):
            found.append(_joined(first, second, pointer, context))
        _limited(found, pointer)
    return found


def _joined(first: Parameters, second: Parameters, pointer: str, context: Context) -> Parameters:
    if context.go:
        joined = _copy(second)
        merge_into(joined, _copy(first), overwrite=True)
        return OpenMap(joined) if isinstance(first, OpenMap) else joined
    texts: Parameters = {key: plain(value) for key, value in first.items()}
    for key, value in second.items():
        if texts.setdefault(key, plain(value)) != plain(value):
            both = f"a: {texts[key]} ,b: {plain(value)}"
            raise GeneratorFailed(f"found duplicate key {key} with different value, {both}", f"{pointer}/generators")
    return texts


def _from_merge(body: dict[str, Value], pointer: str, context: Context, nested: int) -> list[Parameters]:
    children = _children(body)
    keys = body.get("mergeKeys")
    if len(children) < 2:
        raise GeneratorFailed("found less than two generators, Merge requires two or more", f"{pointer}/generators")
    families = [
        _child(child, f"{pointer}/generators/{index}", context, None, nested) for index, child in enumerate(children)
    ]
    if context.is_open:  # a set that none of the others has something for
        return families[0]
    if not isinstance(keys, list) or not keys:
        raise GeneratorFailed("no merge keys were specified, Merge requires at least one", f"{pointer}/mergeKeys")
    names = [plain(key) for key in keys]
    base, *others = (_by_key(names, family, f"{pointer}/generators/{index}") for index, family in enumerate(families))
    for other in others:
        for key in base.keys() & other.keys():
            if context.go:
                merge_into(base[key], other[key], overwrite=True)
            else:
                base[key] |= other[key]
    return list(base.values())


def _by_key(names: list[str], sets: list[Parameters], pointer: str) -> dict[str, Parameters]:
    found: dict[str, Parameters] = {}
    for one in sets:
        key = json.dumps({name: one.get(name) for name in names}, sort_keys=True)
        if key in found:
            raise GeneratorFailed(
                "the parameters from a generator were not unique by the given mergeKeys, "
                f"Merge requires all param sets to be unique. Duplicate key was {key}",
                pointer,
            )
        found[key] = _copy(one)
    return found


def _copy(parameters: Parameters) -> Parameters:
    copy = copied(parameters)
    return copy if isinstance(copy, dict) else {}
