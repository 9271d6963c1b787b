"""The values that a chart is rendered with, layer over layer: for who merges them, and who asks where one is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ...helm.chart import Files
from ...helm.dependencies import joined, root_of
from ...helm.value_layers import Layer, Layers
from ...yaml.source import Node
from .given_values import Given

_VALUES: Final = "values.yaml"


def layers_of(
    files: Files,
    chart: str,
    value_files: Sequence[str | Node] = (),
    given: Given | None = None,
    subcharts: Iterable[tuple[tuple[str, ...], str]] = (),
) -> Layers:
    """`subcharts` are folders by the keys of their values, the outermost last; what cannot be read is left out."""
    defaults = ((keys, joined(folder, _VALUES)) for keys, folder in subcharts)
    own = [*defaults, ((), joined(chart, _VALUES))]
    found = [Layer(root, keys, is_own=True) for keys, path in own if (root := root_of(files.source(path))) is not None]
    roots = (root_of(files.source(one)) if isinstance(one, str) else one for one in value_files)
    found += [Layer(root) for root in roots if root is not None]
    if given is None:
        return Layers(found)
    inline = given.inline()
    found += [Layer(root) for root in (inline.roots if inline else ())]
    return Layers(found, tuple(given.parameters()))
