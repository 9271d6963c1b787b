"""Clusters to begin a config with: what the ApplicationSets of a repository ask of those that it does not name.

A selector says which labels there are, a template which labels and annotations it reads. Names, addresses and
what nobody says are for the user to fill in.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, Final

from ..dialects.generator_selectors import BadSelector, selects
from ..dialects.go_template.blanks import Blank
from ..facts.regexes import regex
from .application_places import Map, as_list, as_map
from .clusters import LOCAL_NAME, SECRET_TYPE, Cluster
from .generators.generator_context import Parameters

FILL_IN: Final = "change-me"
MOST: Final = 20
"""Clusters that are proposed: more than that nobody reads through."""
_READ: Final = regex(
    r"""metadata\.(labels|annotations)(?:\.([A-Za-z_][\w-]*)|\s+\\?["`]([^"`\\\s]+)|\\?["`]?\]?\[\\?["`]([^"`\\\s]+))"""
)
_NO_NAME: Final = ("true", "yes", "enabled", "1", "")
_NOT_IN_NAMES: Final = regex(r"[^a-z0-9.-]+")
"""Sets make names of Applications of it."""
_Labels = dict[str, str]


def proposed_clusters(sets: Iterable[tuple[Map, Iterable[Parameters]]]) -> tuple[Cluster, ...]:
    """For each set what it says, and the parameters of what it is known to make all the same."""
    asked: list[tuple[Any, _Labels]] = []
    reads: dict[tuple[str, str], None] = {}
    for value, made in sets:
        spec = as_map(value.get("spec"))
        found = list(_asked(spec.get("generators"), [dict(_labels(one)) for one in made]))
        asked += (one for one in found if one not in asked)
        if found:
            reads |= dict.fromkeys(_read(json.dumps(spec)))
    clusters = _fewest(asked)
    shared = {key for key in clusters[0] if len({one.get(key) for one in clusters}) == 1} if len(clusters) > 1 else ()
    return tuple(_cluster(labels, number, shared, reads) for number, labels in enumerate(clusters))


def _asked(value: Any, made: list[_Labels]) -> Iterator[tuple[Any, _Labels]]:
    """Each selector of a cluster generator, with labels that it takes."""
    if isinstance(value, list):
        for item in value:
            yield from _asked(item, made)
    elif isinstance(value, Mapping):
        for name, member in value.items():
            if name == "clusters" and isinstance(member, Mapping):
                selector = member.get("selector")
                if "{{" in json.dumps(selector):
                    yield from ((None, labels) for labels in made if labels)
                else:
                    yield from ((selector, labels) for labels in _fitting(as_map(selector)))
            else:
                yield from _asked(member, made)


def _fitting(selector: Map) -> list[_Labels]:
    """Labels that a selector takes, once for each value that it names."""
    wanted = as_map(selector.get("matchLabels"))
    found: list[_Labels] = [{key: str(text) for key, text in wanted.items() if key != SECRET_TYPE and _is_text(text)}]
    for one in map(as_map, as_list(selector.get("matchExpressions"))):
        key, operator = one.get("key"), one.get("operator")
        if not isinstance(key, str) or key == SECRET_TYPE or operator not in ("In", "Exists"):
            continue
        values = [text for text in as_list(one.get("values")) if isinstance(text, str)] or ["true"]
        found = [{**labels, key: text} for labels in found for text in values[:MOST]][:MOST]
    return found


def _fewest(asked: list[tuple[Any, _Labels]]) -> list[_Labels]:
    """As few clusters as fit: each wish goes to all that it does not contradict, or makes another one."""
    clusters: list[_Labels] = []
    for _, labels in sorted(asked, key=lambda one: -len(one[1])):
        fitting = [one for one in clusters if all(one.get(key, text) == text for key, text in labels.items())]
        fitting = [one for one in fitting if _all_take({**one, **labels}, asked, one)]
        for one in fitting:
            one.update(labels)
        if not fitting and len(clusters) < MOST:
            clusters.append(dict(labels))
    return clusters


def _all_take(labels: _Labels, asked: list[tuple[Any, _Labels]], before: _Labels) -> bool:
    """Whether no selector that took the cluster as it was leaves it for its new labels."""
    return all(_takes(selector, labels) for selector, _ in asked if _takes(selector, before))


def _takes(selector: Any, labels: _Labels) -> bool:
    try:
        return selects(selector, {**labels})
    except BadSelector:
        return True


def _cluster(labels: _Labels, number: int, shared: Container[str], reads: Iterable[tuple[str, str]]) -> Cluster:
    """Called after what tells it from the others."""
    words = [text for key, text in labels.items() if key not in shared and text.lower() not in _NO_NAME]
    name = _NOT_IN_NAMES.sub("-", "-".join(dict.fromkeys(words)).lower()).strip("-.")
    name = name or (LOCAL_NAME if not number else f"cluster-{number + 1}")
    server = "" if name == LOCAL_NAME else f"https://{name}.example.com"
    unknown = {of: {key: FILL_IN for kind, key in reads if kind == of} for of in ("labels", "annotations")}
    return Cluster(name, server, {**unknown["labels"], **labels}, unknown["annotations"])


def _labels(parameters: Parameters) -> Iterator[tuple[str, str]]:
    """What a set that was looked at once knows of its cluster."""
    metadata = parameters.get("metadata")
    held = metadata.known.get("labels") if isinstance(metadata, Blank) else None
    for key, text in held.known.items() if isinstance(held, Blank) else ():
        if _is_text(text):
            yield key, str(text)
    for key, text in parameters.items():
        if key.startswith("metadata.labels.") and _is_text(text):
            yield key.removeprefix("metadata.labels."), str(text)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and "{{" not in value


def _read(text: str) -> Iterator[tuple[str, str]]:
    for found in _READ.finditer(text):
        yield found[1], found[2] or found[3] or found[4]
