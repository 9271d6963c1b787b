"""The order in which Kustomize writes objects: by kind, unless the kustomization wants them as they came.

`kustomize build` and `kubectl kustomize` share the default, which is called
`legacy`. Only the kustomization that is built has a say, none of its bases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from ..facts.tables import table
from ..yaml.source import Node
from .kustomize_errors import BuildError, Cause
from .objects import Gvk, Object
from .trees import is_null

Ranks = Mapping[str, int]
"""By kind: below zero for those that come first, above it for those that come last."""


def ordered(objects: Sequence[Object], sort_options: Node) -> list[Object]:
    """The objects as they are written; two with the same id are refused here at the latest."""
    ranks = _wanted(sort_options)
    _demand_different_ids(objects)
    if ranks is None:
        return list(objects)
    return sorted(objects, key=lambda one: _sort_key(one, ranks))


def _wanted(options: Node) -> Ranks | None:
    """None when the objects stay as they came."""
    if options.absent or is_null(options.raw):
        return _default_ranks()
    order, lists = options["order"], options["legacySortOptions"]
    if order.text not in ("legacy", "fifo"):
        raise BuildError(Cause.UNKNOWN_FIELD, order, "the order of sortOptions must be legacy or fifo")
    has_lists = lists.present and not is_null(lists.raw)
    if order.text == "fifo":
        if has_lists:
            raise BuildError(
                Cause.UNKNOWN_FIELD, lists, "legacySortOptions need the order legacy, and this order is fifo"
            )
        return None
    if not has_lists:
        return _default_ranks()
    return _ranks([kind.text for kind in lists["orderFirst"]], [kind.text for kind in lists["orderLast"]])


@cache
def _default_ranks() -> Ranks:
    order = table("kustomize-order.json")
    return _ranks(order["orderFirst"], order["orderLast"])


def _ranks(first: Sequence[str], last: Sequence[str]) -> Ranks:
    """A kind in both lists comes last; one that is twice in a list counts where it is named last."""
    before = {kind: place - len(first) for place, kind in enumerate(first)}
    return before | {kind: place + 1 for place, kind in enumerate(last)}


def _sort_key(one: Object, ranks: Ranks) -> tuple[int, str, str]:
    gvk = one.gvk
    return ranks.get(gvk.kind, 0), _kind_text(gvk), f"{one.namespace or '~X'}|{one.name}"


@lru_cache(maxsize=1024)
def _kind_text(gvk: Gvk) -> str:
    """Compared as one text: kinds without a group come after all others, versions come before kinds."""
    return f"{gvk.group or '~G'}_{gvk.version or '~V'}_{gvk.kind}"


def _demand_different_ids(objects: Sequence[Object]) -> None:
    """A patch or a replacement may have given an object the name of another one."""
    seen: dict[tuple[Gvk, str], list[Object]] = {}
    for one in objects:
        alike = seen.setdefault((one.gvk, one.name), [])
        if alike and any(one.id.equals(other.id) for other in alike):
            raise BuildError(
                Cause.DUPLICATE_ID,
                one.document.root["metadata"]["name"],
                f"after all changes two objects are called {one.id}, and Kustomize refuses that",
            )
        alike.append(one)
