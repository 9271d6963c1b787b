"""The values that a chart is rendered with, layer over layer: for who merges them, and who asks where one is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from ..helm.chart import Files
from ..helm.dependencies import joined, root_of
from ..helm.values import Layer, Layers
from .given_values import Given

_VALUES: Final = "values.yaml"


def layers_of(
    files: Files,
    chart: str,
    value_files: Sequence[str] = (),
    given: Given | None = None,
    subcharts: Iterable[tuple[tuple[str, ...], str]] = (),
) -> Layers:
    """`subcharts` are folders by the keys of their values, the outermost last; what cannot be read is left out."""
    defaults = ((keys, joined(folder, _VALUES)) for keys, folder in subcharts)
    own = [*defaults, ((), joined(chart, _VALUES))]
    found = [Layer(root, keys, is_own=True) for keys, path in own if (root := root_of(files.source(path))) is not None]
    found += [Layer(root) for path in value_files if (root := root_of(files.source(path))) is not None]
    if given is None:
        return Layers(found)
    inline = given.inline()
    found += [Layer(root) for root in (inline.roots if inline else ())]
    return Layers(found, tuple(given.parameters()))
