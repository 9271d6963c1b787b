"""Charts that a kustomization asks for: which chart an entry means, and what Kustomize would ask Helm for.

Kustomize gives Helm the chart's own values.yaml, or the file that is named in
its place, a second time as a file of values. Inline values are merged with
that file, and not with the values of the chart.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from ..files.elsewhere import is_fetched
from ..yaml.compose import PLAIN, Raw, RawScalar, Sequence
from ..yaml.compose import Mapping as RawMapping
from ..yaml.source import Document, Node, Spot
from .build_files import Loader, joined, leaves_repository
from .inflation import Inflation
from .kustomization import CHART_FIELDS, Kustomization
from .kustomize_errors import BuildError, Cause, NotBuilt
from .objects_in_file import Unreadable, normal
from .patches import Schemas
from .patches.patch_directives import Unmergeable
from .patches.strategic import Merge
from .trees import from_value, is_null, mapping, value
from .typed_fields import Decoder

DEFAULT_HOME: Final = "charts"
DEFAULT_RELEASE: Final = "release-name"
"""What Helm calls a release when it is told to make up a name, and only prints it."""
_REMOTE: Final = "helmCharts: a remote chart"
_NAME_NOT_MADE: Final = "helmCharts: a nameTemplate, which can look up names in the network, so it is not run"
_OUTSIDE: Final = "helmCharts: a chart outside the repository, which is not read"
_VALUES: Final = "values.yaml"
_OVERRIDE, _MERGE, _REPLACE = "override", "merge", "replace"
_OLD_NAMES: Final[Mapping[str, str]] = {
    "name": "chartName",
    "version": "chartVersion",
    "repo": "chartRepoUrl",
    "valuesFile": "values",
    "valuesInline": "valuesLocal",
    "valuesMerge": "valuesMerge",
    "releaseName": "releaseName",
}
"""All that Kustomize takes over from an item of the older field."""


class ChartEntry(NamedTuple):
    """An entry of `helmCharts`, of the older field, or the config of a generator."""

    node: Node
    home: str
    asked_by: Document
    is_old: bool = False

    def __call__(self, name: str) -> Node:
        if self.is_old:
            name = _OLD_NAMES.get(name, f"no {name}")
        return self.node[name]

    @property
    def place(self) -> Node:
        name = self("name")
        return name if name.text else self.node


def entries_of(kustomization: Kustomization) -> Iterator[ChartEntry]:
    """In the order in which Kustomize takes them; items of the older field come last."""
    charts, older = (list(kustomization.items(field)) for field in CHART_FIELDS)
    home = _home(kustomization.one("helmGlobals"), older)
    asked_by = kustomization.document
    yield from (ChartEntry(node, home, asked_by) for node in charts)
    yield from (ChartEntry(node, home, asked_by, is_old=True) for node in older)


def _home(globals_: Node, older: list[Node]) -> str:
    """Where charts lie; items of the older field say it for all, the last of them, if nobody else does."""
    if globals_.present and not is_null(globals_.raw):
        return globals_["chartHome"].text or DEFAULT_HOME
    named = [entry["chartHome"].text for entry in older if entry["chartHome"].text]
    return named[-1] if named else DEFAULT_HOME


def entry_of(config: Document) -> ChartEntry:
    """The config of a generator, whose types must be those that it would have in a kustomization."""
    decoder = Decoder(config.file, is_strict=False)
    globals_ = Document(config.file, config.index, decoder.decoded(config.raw, "HelmGlobals")).root
    chart = Document(config.file, config.index, decoder.decoded(config.raw, "HelmChart")).root
    return ChartEntry(chart, globals_["chartHome"].text or DEFAULT_HOME, config)


class ChartReader(NamedTuple):
    """Reads the entries of one kustomization, as Kustomize checks them: one thing after the other."""

    loader: Loader
    schemas: Schemas

    def inflation(self, entry: ChartEntry) -> Inflation:
        name, release, template = entry("name"), entry("releaseName").text, entry("nameTemplate").text
        self._demand_sound(entry)
        folder = self._folder(entry)
        value_files = [self._file(one) for one in entry("additionalValuesFiles")]
        own = self._values_file(entry, folder)
        if release and template:
            raise _refused(entry("nameTemplate"), "Helm takes a releaseName or a nameTemplate, and not both")
        if "{{" in template:
            raise NotBuilt(entry("nameTemplate"), _NAME_NOT_MADE, template)
        values, layers = self._values(entry, own)
        return Inflation(
            at=name,
            chart=folder,
            release=release or template or DEFAULT_RELEASE,
            namespace=entry("namespace").text,
            value_files=tuple(value_files) if values else (own, *value_files),
            values=values,
            layers=(*layers, *value_files),
            kube_version=entry("kubeVersion").text,
            api_versions=tuple(one.text for one in entry("apiVersions") if one.text),
            include_crds=entry("includeCRDs").value is True,
            skip_hooks=entry("skipHooks").value is True,
            skip_tests=entry("skipTests").value is True,
        )

    def _demand_sound(self, entry: ChartEntry) -> None:
        name, merge = entry("name"), entry("valuesMerge")
        if not name.text:
            raise _refused(entry.node, "a chart needs a name, and Kustomize refuses one without")
        if "/" in name.text:
            raise _refused(name, f"{name.text} is no name of a chart but a path: Kustomize fails on it; set chartHome")
        if merge.text not in ("", _OVERRIDE, _MERGE, _REPLACE):
            raise _refused(merge, f"valuesMerge must be override, merge or replace, and {merge.text} is none of them")

    def _folder(self, entry: ChartEntry) -> str:
        """Of the chart; one that is fetched lies in a folder with its version."""
        name, repo, version = entry("name"), entry("repo").text, entry("version").text
        inside = posixpath.join(f"{name.text}-{version}", name.text) if repo and version else name.text
        written = posixpath.join(entry.home, inside)
        path = joined(self.loader.folder, written)
        if leaves_repository(path):
            raise NotBuilt(name, _OUTSIDE, written)
        if self.loader.is_folder(path):
            return path
        if repo:
            fetched = self.loader.elsewhere.chart(name, repo, name.text, version)
            if fetched is not None:
                return fetched
            what = " ".join(filter(None, (name.text, version, "from", repo)))
            raise NotBuilt(name, self.loader.elsewhere.why_not(_REMOTE), what)
        message = f"there is no chart in {written}, and no repo to fetch {name.text} from"
        raise BuildError(Cause.MISSING_FILE, name, message, sought=path)

    def _file(self, node: Node) -> str:
        self.loader.data(node, node.text)
        return self.loader.path(node, node.text)

    def _values_file(self, entry: ChartEntry, folder: str) -> str:
        named = entry("valuesFile")
        has_inline = bool(entry("valuesInline").value)
        if has_inline and entry("valuesMerge").text == _REPLACE:
            return ""  # nobody reads it
        if named.text:
            return self._file(named)
        written = posixpath.relpath(joined(folder, _VALUES), self.loader.folder)
        try:
            if not is_fetched(folder):  # Kustomize unpacks that one below the kustomization
                self.loader.data(entry.place, written)
        except BuildError as error:
            hint = "Kustomize reads the values.yaml of the chart unless valuesFile names another file"
            raise BuildError(error.cause, error.at, f"{error.message} ({hint})", sought=error.sought) from None
        return joined(folder, _VALUES)

    def _values(self, entry: ChartEntry, own: str) -> tuple[str, tuple[str | Node, ...]]:
        """The merged values, if there are inline ones, and what they are made of."""
        inline = entry("valuesInline")
        given = inline.value
        if not given:
            return "", (own,)
        if not own:
            return json.dumps(given), (inline,)
        assert inline.raw is not None
        named = entry("valuesFile")
        at = named if named.text else entry.place
        mine, theirs = from_value(given, inline.raw), self._read(at, own)
        is_below = entry("valuesMerge").text == _MERGE
        base, patch = (mine, theirs) if is_below else (theirs, mine)
        try:
            merged = Merge(self.schemas).both(base, patch, None)
        except Unmergeable as problem:
            raise _refused(inline, f"the inline values do not go with {own}: {problem.message}") from None
        layers: tuple[str | Node, ...] = (inline, own) if is_below else (own, inline)
        return json.dumps(value(merged)) if merged is not None else "null", layers

    def _read(self, at: Node, path: str) -> Raw:
        fetched = self.loader.source_at(path) if is_fetched(path) else None
        file = fetched or self.loader.source(at, posixpath.relpath(path, self.loader.folder))
        if file.problems:
            problem = file.problems[0]
            raise BuildError(Cause.BAD_CHART, Spot(file, problem.span), f"cannot be read: {problem.message}")
        if not file.documents or (is_null(file.documents[0].raw) and not file.documents[0].raw.value):
            raise _refused(at, f"{path} is empty, and Kustomize cannot merge inline values with it")
        try:
            found = normal(_for_merging(file.documents[0].raw, set()))
        except Unreadable as problem:
            raise _refused(at, f"{path}: {problem.message}") from None
        if not isinstance(found, RawMapping):
            raise _refused(at, f"{path} is no mapping, and Kustomize cannot merge inline values with it")
        return found


def _for_merging(raw: Raw, seen: set[int]) -> Raw:
    """As Kustomize merges values: it loses aliases and merge keys, except in lists, which it does not look into.

    A number in place of a text stays a number here, unlike in objects.
    """
    seen.add(id(raw))
    if isinstance(raw, RawMapping):
        own = [(key, one) for key, one in raw.value if key.tag != PLAIN or key.value != "<<"]
        return mapping([(key, _for_merging(one, seen)) for key, one in own if id(one) not in seen], raw)
    if isinstance(raw, Sequence):
        _note_all(raw, seen)
        return raw
    return RawScalar(raw.tag, raw.value, raw.start_mark, raw.end_mark) if raw.style in ("'", '"', "|") else raw


def _note_all(raw: Raw, seen: set[int]) -> None:
    waiting: list[Raw] = [raw]
    while waiting:
        one = waiting.pop()
        inner = (part for pair in one.value for part in pair) if isinstance(one, RawMapping) else one.value
        new = [] if isinstance(one, RawScalar) else [part for part in inner if id(part) not in seen]
        seen.update(map(id, new))
        waiting += new


def _refused(at: Node, message: str) -> BuildError:
    return BuildError(Cause.BAD_CHART, at, message)
