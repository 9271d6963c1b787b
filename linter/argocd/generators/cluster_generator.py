"""The cluster generator: a set of parameters for each cluster that Argo CD knows."""

from __future__ import annotations

from typing import Final

from ...dialects.generator_selectors import selects
from ...dialects.go_template.blanks import Blank, BlankTexts
from ...dialects.go_template.go_values import StringMap, Value
from ...dialects.go_template.safe_names import normalized
from ..clusters import LOCAL, SECRET_TYPE, Cluster
from .generator_context import Context, NotKnown, Parameters
from .git_generator import add_values

_NAMES_THEM: Final = "`clusters:` in the config names them"
_ASKS: Final = f"the clusters generator asks Argo CD for its clusters: {_NAMES_THEM}"
_NONE_FITS: Final = "none of the clusters that are known fits the selector of the clusters generator"


def from_clusters(body: dict[str, Value], pointer: str, context: Context) -> list[Parameters]:
    """Of those that are known; in an open look at the set, one that stands for all others."""
    selector = body.get("selector")
    if context.any_cluster:
        return [_unknown(selector, context.go)]
    fitting = [one for one in context.controller.clusters if selects(selector, _labels(one))]
    if not _is_selective(selector) and not any(one.is_local for one in context.controller.clusters):
        fitting.append(LOCAL)  # it has no Secret, and so no labels
    if not context.controller.clusters and not context.is_open:
        raise NotKnown(_ASKS, pointer)
    if not fitting and not context.is_open:
        is_told = context.controller.knows_all_clusters
        raise NotKnown(_NONE_FITS if is_told else f"{_NONE_FITS}: {_NAMES_THEM}", pointer)
    if not context.controller.knows_all_clusters:
        context.guesses.add(pointer)
    found = [_parameters(one, context.go) for one in fitting] or [_unknown(selector, context.go)]
    for parameters in found:
        add_values(body.get("values"), parameters, context)
    return [{"clusters": [*found]}] if body.get("flatList") is True else found


def _labels(cluster: Cluster) -> dict[str, Value]:
    return {**cluster.labels, SECRET_TYPE: "cluster"}


def _is_selective(selector: Value) -> bool:
    return isinstance(selector, dict) and bool(selector.get("matchLabels") or selector.get("matchExpressions"))


def _parameters(cluster: Cluster, go: bool) -> Parameters:
    """What its Secret seals is a blank."""
    texts: Parameters = {
        "name": cluster.name or _blank("name", go),
        "nameNormalized": normalized(cluster.name) if cluster.name else _blank("nameNormalized", go),
        "server": cluster.server or _blank("server", go),
        "project": cluster.project,
    }
    if cluster is LOCAL:
        return texts
    metadata = {"annotations": cluster.annotations, "labels": cluster.labels}
    if go:
        return {**texts, "metadata": {key: StringMap(held) for key, held in metadata.items() if held}}
    return {**texts, **{f"metadata.{of}.{key}": text for of, held in metadata.items() for key, text in held.items()}}


def _blank(name: str, go: bool) -> str:
    return Blank(f".{name}") if go else f"{{{{{name}}}}}"


def _unknown(selector: Value, go: bool) -> Parameters:
    """Some cluster that the selector fits: without goTemplate, what is not known stays between its braces."""
    wanted = selector.get("matchLabels") if isinstance(selector, dict) else None
    labels = {key: text for key, text in wanted.items() if isinstance(text, str)} if isinstance(wanted, dict) else {}
    if not go:
        return {f"metadata.labels.{key}": text for key, text in labels.items()}
    names = ("name", "nameNormalized", "server", "project")
    known = {"labels": BlankTexts(".metadata.labels", {**labels}), "annotations": BlankTexts(".metadata.annotations")}
    metadata = Blank(".metadata", known)
    return {**{name: Blank(f".{name}") for name in names}, "metadata": metadata}
