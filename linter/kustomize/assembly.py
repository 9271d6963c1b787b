"""One kustomization, assembled: everything in the order in which Kustomize does it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from operator import is_
from typing import TYPE_CHECKING, Protocol

from ..yaml.source import Document, Node, SourceFile, Spot
from . import (
    configurations,
    generators,
    images,
    labels,
    name_affixes,
    namespaces,
    patches,
    replacements,
    replicas,
    variables,
)
from .accumulated import Accumulated, Ids
from .build_files import Loader, is_remote, is_within, joined
from .configurations import Configuration
from .crd_configurations import from_crds
from .kustomization import CHART_FIELDS, Kustomization
from .kustomize_errors import BuildError, Cause, NotBuilt
from .objects import Object
from .objects_in_file import objects_of
from .patches import PatchEntry, PatchField, Schemas, Selector
from .release import Release
from .shared_labels import without_annotations

if TYPE_CHECKING:
    from .chart_entries import ChartEntry
    from .inflation import InflatedObjects, Inflation


class Surroundings(Protocol):
    """The other kustomizations and the files, as the assembly of one needs them."""

    release: Release

    def is_file(self, path: str) -> bool: ...
    def objects_in(self, path: str) -> tuple[Object, ...]: ...
    def inflated(self, wanted: Inflation) -> InflatedObjects: ...
    def documents_in(self, node: Node) -> list[Document]:
        """Of a text within the kustomization."""

    def nested(self, entry: Node, folder: str, chain: tuple[str, ...]) -> Kustomization:
        """The kustomization that an entry of another one names."""

    def base(
        self, kustomization: Kustomization, chain: tuple[str, ...], schemas: Schemas, namespace: str = ""
    ) -> Accumulated:
        """Assembled; shared, so copy before changing it. The namespace is what overlays have for charts in it."""

    def schemas(self, kustomization: Kustomization, inherited: Schemas, so_far: Accumulated) -> Schemas: ...


@dataclass(frozen=True)
class PluginContext:
    """What the config of a plugin may ask for."""

    loader: Loader
    schemas: Schemas
    configuration: Configuration
    release: Release

    def load(self, at: Node, path: str) -> bytes:
        return self.loader.data(at, path)

    def documents(self, at: Node, path: str) -> list[Document]:
        return _readable(self.loader.source(at, path))


@dataclass(frozen=True)
class Assembly:
    kustomization: Kustomization
    whole: Accumulated
    """What it adds to and changes: its own, or for a component that of the kustomization which uses it."""
    loader: Loader
    chain: tuple[str, ...]
    """The folders that are being assembled, this one last."""
    schemas: Schemas
    """Those to begin with."""
    around: Surroundings
    namespace: str = ""
    """That of the nearest overlay which has one: charts take it that have none."""

    def run(self) -> None:
        whole, kustomization = self.whole, self.kustomization
        whole.folders.add(kustomization.folder)
        if self.schemas.is_chosen:
            whole.schemas = self.schemas
        self._add_resources(kustomization.items("resources"))
        whole.attempt(self._configure)
        self._generate()
        for entry in kustomization.items("components"):
            whole.attempt(self._add_component, entry)
        if self._keeps_notes:
            self._unshare_annotations()
        self._transform()
        if kustomization.one("vars").present:
            whole.attempt(self._add_variables)

    @property
    def _keeps_notes(self) -> bool:
        return len(self.chain) == 1 and any(self.kustomization.items("buildMetadata"))

    def _unshare_annotations(self) -> None:
        for one in self.whole.objects:
            one.shared = without_annotations(one.shared, one.root)

    # -- what goes in

    def _add_resources(self, entries: Iterable[Node]) -> None:
        ids = Ids(self.whole.objects)
        for entry in entries:
            self.whole.attempt(self._add_resource, entry, ids)

    def _add_resource(self, entry: Node, ids: Ids) -> None:
        fetched = self.loader.elsewhere.file(entry, entry.text) if is_remote(entry.text) else None
        path = fetched or joined(self.loader.folder, entry.text)
        if entry.text and self.around.is_file(path):
            self.loader.path(entry, entry.text)
            self.whole.files[path] = None
            self._append((one.copy() for one in self.around.objects_in(path)), ids, entry)
            return
        base = self.around.nested(entry, self.loader.folder, self.chain)
        if base.is_component:
            raise BuildError(Cause.WRONG_KIND, entry, f"{entry.text} is a component: name it under components")
        inner = self.around.base(base, self.chain, self._schemas_for(base), self._chart_namespace)
        self._demand_no_circle(entry, inner.folders)
        self._merge(inner.copy(), ids, entry)

    def _merge(self, inner: Accumulated, ids: Ids, entry: Node) -> None:
        whole = self.whole
        whole.add_problems(inner)
        whole.folders |= inner.folders
        whole.files |= inner.files
        whole.charts |= inner.charts
        whole.take_reaches(inner.reached)
        self._append(inner.objects, ids, entry)
        whole.configuration = whole.configuration.merged(inner.configuration)
        whole.variables = variables.joined_variables(whole.variables, inner.variables)
        whole.schemas = inner.schemas or whole.schemas
        whole.has_merged = whole.has_merged or inner.has_merged
        whole.takes_namespace |= inner.takes_namespace and not self.kustomization.one("namespace").text

    def _append(self, objects: Iterable[Object], ids: Ids, entry: Node) -> None:
        for one in objects:
            ids.take(one, entry)
            self.whole.add(one, entry)

    def _demand_no_circle(self, entry: Node, folders: Iterable[str]) -> None:
        for folder in folders:
            if any(is_within(visited, folder) for visited in self.chain):
                message = f"{entry.text} leads back to {folder}, which is being built: a circle"
                raise BuildError(Cause.CYCLE, entry, message)

    def _add_component(self, entry: Node) -> None:
        with _for_others():
            component = self.around.nested(entry, self.loader.folder, self.chain)
        if not component.is_component:
            raise BuildError(Cause.WRONG_KIND, entry, f"{entry.text} is no component: its kind must be Component")
        self.whole.count_component(entry)
        Assembly(
            component,
            self.whole,
            self.loader.moved_to(component.folder),
            (*self.chain, component.folder),
            self._schemas_for(component),
            self.around,
            self._chart_namespace,
        ).run()

    @property
    def _schemas(self) -> Schemas:
        return self.whole.schemas or self.schemas

    def _schemas_for(self, other: Kustomization) -> Schemas:
        return self.around.schemas(other, self._schemas, self.whole)

    def _configure(self) -> None:
        files = self._configurations("configurations", configurations.from_file)
        crds = self._configurations("crds", from_crds)
        self.whole.configuration = configurations.of_kustomization(self.whole.configuration, files, crds)

    def _configurations(self, field: str, make: Callable[[Node], Configuration]) -> list[Configuration]:
        made = (self.whole.attempt(self._configuration, entry, make) for entry in self.kustomization.items(field))
        return [one for one in made if one is not None]

    def _configuration(self, entry: Node, make: Callable[[Node], Configuration]) -> Configuration:
        documents = _readable(self.loader.source(entry, entry.text), Cause.BAD_MANIFEST)
        return make(documents[0].root) if documents else configurations.EMPTY

    def _add_variables(self) -> None:
        entries = self.kustomization.one("vars")
        self.whole.variables = variables.merge_variables(self.whole.variables, entries, self.whole.objects)

    # -- what is made

    def _generate(self) -> None:
        named = generators.by_any_name(self.whole.objects)
        for field, kind in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
            for entry in self.kustomization.items(field):
                self.whole.attempt(self._generate_one, entry, kind, named)
        if any(self.kustomization.root[field].present for field in CHART_FIELDS):
            from .chart_entries import entries_of  # few kustomizations have any

            for chart in entries_of(self.kustomization):
                self.whole.attempt(self._inflate, chart)
        for config, entry in self._plugins("generators"):
            from .plugins import generate, is_chart
            from .sealed_secrets import decrypted, is_decrypting

            if is_chart(config):
                self.whole.attempt(self._inflate, config)
                continue
            make = decrypted if is_decrypting(config) else generate
            for one in self.whole.attempt(make, config, self._context()) or ():
                self.whole.attempt(self._absorb, one, generators.by_any_name(self.whole.objects), entry)

    def _generate_one(self, entry: Node, kind: str, named: generators.Named) -> None:
        options = self.kustomization.one("generatorOptions")
        made = generators.generate(entry, kind, options, self.loader.data, self.kustomization.document)
        self._absorb(made, named, entry)

    def _absorb(self, made: Object, named: generators.Named, entry: Node) -> None:
        self.whole.objects = generators.absorb(self.whole.objects, named, made, entry)

    def _inflate(self, asked: ChartEntry | Document) -> None:
        from .chart_entries import ChartReader, entry_of
        from .inflation import add_objects

        entry = entry_of(asked) if isinstance(asked, Document) else asked
        wanted = ChartReader(self.loader, self._schemas).inflation(entry)
        if self.around.release.is_newer and not wanted.namespace and entry is asked:
            wanted = wanted._replace(namespace=self._chart_namespace)
            self.whole.takes_namespace |= not self.kustomization.one("namespace").text
        self.whole.charts |= dict.fromkeys(wanted.inputs)
        add_objects(self.whole, self.around.inflated(wanted), entry.asked_by, entry.place)

    @property
    def _chart_namespace(self) -> str:
        return self.kustomization.one("namespace").text or self.namespace

    # -- what is changed

    def _transform(self) -> None:
        whole, items = self.whole, self.kustomization.items
        whole.attempt(self._patch_strategically)
        for entry in items("patches"):
            whole.attempt(self._patch, entry, PatchField.PATCHES)
        self._name()
        self._label()
        for entry in items("patchesJson6902"):
            whole.attempt(self._patch, entry, PatchField.JSON6902)
        for entry in items("replicas"):
            whole.attempt(replicas.set_replicas, whole.objects, entry, whole.configuration.replicas)
        whole.attempt(self._change_images)
        for entry in items("replacements"):
            whole.attempt(self._replace, entry)
        for config, _ in self._plugins("transformers"):
            from .plugins import transform

            changed = whole.attempt(transform, whole.objects, config, self._context())
            whole.objects = whole.objects if changed is None else changed
        for entry in (one for one in items("validators") if one.text.strip()):
            whole.not_built.append(NotBuilt(entry, "a validator: nothing is executed", entry.text.partition("\n")[0]))

    def _name(self) -> None:
        whole, one = self.whole, self.kustomization.one
        namespace, prefix, suffix = one("namespace"), one("namePrefix"), one("nameSuffix")
        if namespace.text:
            whole.attempt(
                namespaces.set_namespace,
                whole.objects,
                namespace,
                whole.configuration.namespace,
                spares_charts=self.around.release.is_newer,
            )
        if prefix.text:
            whole.attempt(name_affixes.add_prefix, whole.objects, prefix, whole.configuration.name_prefix)
        if suffix.text:
            whole.attempt(name_affixes.add_suffix, whole.objects, suffix, whole.configuration.name_suffix)

    def _label(self) -> None:
        whole, one = self.whole, self.kustomization.one
        for entry in self.kustomization.items("labels"):
            whole.attempt(labels.add_labels_entry, whole.objects, entry, whole.configuration)
        everywhere, annotations = one("commonLabels"), one("commonAnnotations")
        if everywhere.present:
            whole.attempt(labels.add_labels, whole.objects, everywhere, whole.configuration.common_labels)
        if annotations.present:
            whole.attempt(labels.add_annotations, whole.objects, annotations, whole.configuration.common_annotations)
            if self._keeps_notes:
                self._unshare_annotations()

    def _patch_strategically(self) -> None:
        """The items of patchesStrategicMerge: names of files, or the patches themselves."""
        entries = list(self.kustomization.items("patchesStrategicMerge"))
        patches_ = [self.whole.attempt(self._strategic_patch, entry) for entry in entries]
        if entries and all(patch is not None and patch.is_blank for patch in patches_):
            raise BuildError(Cause.BAD_PATCH, entries[0], "all these patches are empty, and Kustomize refuses that")
        for patch in patches_:
            if patch is not None:
                self.whole.attempt(self._apply, patch)

    def _strategic_patch(self, entry: Node) -> PatchEntry:
        is_inline = self._is_inline(entry) or not entry.text.strip()
        documents = self.around.documents_in(entry) if is_inline else self._patch_file(entry)
        return PatchEntry(entry, documents, field=PatchField.STRATEGIC_MERGE)

    def _patch(self, entry: Node, field: PatchField) -> None:
        path, inline = entry["path"], entry["patch"]
        if bool(path.text) == bool(inline.text.strip()):
            which = "both" if path.text else "neither"
            raise BuildError(Cause.BAD_PATCH, entry, f"a patch must have one of path and patch, and this has {which}")
        documents = self._patch_file(path) if path.text else self.around.documents_in(inline)
        target = entry["target"] if entry["target"].present else None
        options = entry["options"] if entry["options"].present else None
        self._apply(PatchEntry(entry, documents, target, options, field))

    def _patch_file(self, path: Node) -> list[Document]:
        with _for_others():
            return _readable(self.loader.source(path, path.text))

    def _apply(self, entry: PatchEntry) -> None:
        whole = self.whole
        before = [one.root for one in whole.objects]
        if entry.does_nothing and self.around.release.is_newer:
            return
        whole.objects = patches.apply_patch(whole.objects, entry, self._schemas)
        whole.has_merged = True
        if entry.selects and entry.target is not None:
            same = len(before) == len(whole.objects) and all(map(is_, before, (one.root for one in whole.objects)))
            whole.note_reach(entry.node, not same or any(map(Selector.from_node(entry.target).matches, whole.objects)))

    def _change_images(self) -> None:
        whole = self.whole
        entries = list(self.kustomization.items("images"))
        idle = images.change_all_images(whole.objects, entries, whole.configuration.images)
        for entry in entries:
            whole.note_reach(entry, entry not in idle)

    def _replace(self, entry: Node) -> None:
        for one in replacements.resolved(entry, self._context().documents):
            replacements.replace(self.whole.objects, one, self.around.release)

    # -- transformers and generators with a config of their own

    def _plugins(self, field: str) -> list[tuple[Document, Node]]:
        """The configs, those that are written in place first."""
        inline: list[Node] = []
        others: list[Node] = []
        for entry in self.kustomization.items(field):
            if not entry.text.strip():
                continue
            (inline if self._is_inline(entry) else others).append(entry)
        found: list[tuple[Document, Node]] = []
        ids = Ids(())
        for entry in (*inline, *others):
            for one in self.whole.attempt(self._configs, entry) or ():
                self.whole.attempt(ids.take, one, entry)
                found.append((replace(one.document, raw=one.root), entry))
        return found

    def _is_inline(self, entry: Node) -> bool:
        return "\n" in entry.text or (":" in entry.text and not self._is_file(entry) and not is_remote(entry.text))

    def _configs(self, entry: Node) -> list[Object]:
        """A text in place, a file, or a kustomization whose objects are the configs."""
        if self._is_inline(entry):
            return [one for document in self.around.documents_in(entry) for one in objects_of(document)]
        if self._is_file(entry):
            return list(self.around.objects_in(self.loader.path(entry, entry.text)))
        base = self.around.nested(entry, self.loader.folder, self.chain)
        return self.around.base(base, self.chain, self._schemas).objects

    def _context(self) -> PluginContext:
        return PluginContext(self.loader, self._schemas, self.whole.configuration, self.around.release)

    def _is_file(self, entry: Node) -> bool:
        return self.around.is_file(joined(self.loader.folder, entry.text))


@contextmanager
def _for_others() -> Iterator[None]:
    """What is not read within it would have changed objects that are there."""
    try:
        yield
    except NotBuilt as reason:
        reason.changes_others = True
        raise


def _readable(file: SourceFile, cause: Cause = Cause.BAD_PATCH) -> list[Document]:
    if file.problems:
        problem = file.problems[0]
        raise BuildError(cause, Spot(file, problem.span), f"cannot be read: {problem.message}")
    return file.documents
