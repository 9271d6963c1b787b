"""The kustomizations of one repository → what Kustomize builds from each.

A build goes on after an error, so that what can be built is still looked at;
Kustomize itself would stop. What fails only because something is missing,
after an error or a remote base, is not reported a second time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from ..files.elsewhere import NOTHING, Elsewhere
from ..yaml.source import Document, Node
from . import content_hash, kind_order, metadata, name_references, variables
from .accumulated import Accumulated, Build
from .assembly import Assembly
from .build_files import Files, Loader, is_remote, is_within, joined, leaves_repository, leaves_root
from .embedded import documents_in
from .kustomization import Kustomization, find_file, read
from .kustomize_errors import BuildError, Cause, NotBuilt
from .objects import LOCAL_CONFIG, Object
from .objects_in_file import objects_in
from .patches import Schemas, demand_known_version
from .release import Release
from .trees import unfolded_size

if TYPE_CHECKING:
    from .inflation import Inflate, InflatedObjects, Inflation

__all__ = ["Build", "Builder"]

Change = Callable[[Kustomization], Kustomization]

MAX_DEPTH: Final = 50
"""Of bases of bases; people need three or four."""
MAX_NODES: Final = 2_000_000
"""Of all objects of one build together; patches that copy what they copied grow without measure."""


class Builder:
    """What several kustomizations share is read and built once."""

    def __init__(
        self,
        files: Files,
        *,
        restricted: bool = True,
        inflate: Inflate | None = None,
        elsewhere: Elsewhere = NOTHING,
        release: Release = Release.V5_8,
    ) -> None:
        self._files = files
        self.release = release
        self._elsewhere = elsewhere
        self._restricted = restricted
        """Kustomizations may name only files of their own folder, as Kustomize has it by default."""
        self._inflate = inflate
        """Renders charts; without it they are not built."""
        self._inflated: dict[object, tuple[Inflation, InflatedObjects | BuildError | NotBuilt]] = {}
        self._kustomizations: dict[str, Kustomization | BuildError | None] = {}
        self._bases: dict[tuple[str, Schemas, str | None], Accumulated] = {}
        """By folder, schemas, and the namespace that overlays have for charts in it; None where no chart takes it."""
        self._loaded: dict[str, tuple[Object, ...] | BuildError] = {}
        self._inline: dict[int, tuple[Node, list[Document]]] = {}
        self._built_in = Schemas()
        self._built_in_by_choice = Schemas(is_chosen=True)

    def build(self, folder: str, change: Change | None = None) -> Build:
        """Build a folder; `change` is what an Application adds to its kustomization."""
        whole = Accumulated()
        kustomization = whole.attempt(self._changed, folder, change)
        if kustomization is None:
            return Build(folder, errors=tuple(whole.errors))
        schemas = whole.attempt(self.schemas, kustomization, self._built_in, whole) or self._built_in
        if change is None and not whole.has_gaps:
            whole = self.base(kustomization, (), schemas).copy()
        else:
            self._assemble(kustomization, whole, (), schemas)
        return _finished(kustomization, whole, self.release)

    def _changed(self, folder: str, change: Change | None) -> Kustomization:
        kustomization = self.kustomization(folder)
        if kustomization is None:
            raise LookupError(f"{folder} has no kustomization file")
        return change(kustomization) if change else kustomization

    def kustomization(self, folder: str) -> Kustomization | None:
        """The kustomization of a folder; None if it has none. Raises what is wrong with it."""
        if folder not in self._kustomizations:
            try:
                file = find_file(self._files, folder, restricted=self._restricted)
                self._kustomizations[folder] = read(file, folder) if file else None
            except BuildError as error:
                self._kustomizations[folder] = error
        found = self._kustomizations[folder]
        if isinstance(found, BuildError):
            raise found
        return found

    def whole(self, folder: str) -> Accumulated:
        """What a kustomization hands to those that include it; to be looked at, not to be changed."""
        kustomization = self._changed(folder, None)
        return self.base(kustomization, (), self.schemas(kustomization, self._built_in, Accumulated()))

    def instead(self, kustomization: Kustomization) -> Builder:
        """One that builds with this in place of what its folder has, and shares all that it has no part in."""
        folder = kustomization.folder
        other = Builder(
            self._files,
            restricted=self._restricted,
            inflate=self._inflate,
            elsewhere=self._elsewhere,
            release=self.release,
        )
        other._kustomizations = {**self._kustomizations, folder: kustomization}
        other._bases = {key: base for key, base in self._bases.items() if folder not in base.folders}
        other._loaded, other._inline, other._built_in = self._loaded, self._inline, self._built_in
        other._inflated = self._inflated
        return other

    def has_kustomization(self, folder: str) -> bool:
        """Whether there is a file, however broken."""
        try:
            return self.kustomization(folder) is not None
        except BuildError:
            return True

    def base(
        self, kustomization: Kustomization, chain: tuple[str, ...], schemas: Schemas, namespace: str = ""
    ) -> Accumulated:
        folder = kustomization.folder
        found = self._bases.get((folder, schemas, None)) or self._bases.get((folder, schemas, namespace))
        if found is None:
            found = Accumulated()
            self._assemble(kustomization, found, chain, schemas, namespace)
            self._bases[folder, schemas, namespace if found.takes_namespace else None] = found
        return found

    def _assemble(
        self,
        kustomization: Kustomization,
        whole: Accumulated,
        chain: tuple[str, ...],
        schemas: Schemas,
        namespace: str = "",
    ) -> None:
        loader = self._loader(kustomization)
        Assembly(kustomization, whole, loader, (*chain, kustomization.folder), schemas, self, namespace).run()

    def _loader(self, kustomization: Kustomization) -> Loader:
        return Loader(self._files, kustomization.folder, restricted=self._restricted, elsewhere=self._elsewhere)

    # -- what the assembly of one needs of the others

    def is_file(self, path: str) -> bool:
        return not leaves_repository(path) and self._files.source(path) is not None

    def objects_in(self, path: str) -> tuple[Object, ...]:
        if path not in self._loaded:
            file = self._files.source(path)
            assert file is not None
            try:
                self._loaded[path] = objects_in(file)
            except BuildError as error:
                self._loaded[path] = error
        found = self._loaded[path]
        if isinstance(found, BuildError):
            raise found
        return found

    def inflated(self, wanted: Inflation) -> InflatedObjects:
        if wanted.key not in self._inflated:
            from .inflation import objects_from  # few kustomizations ask for charts

            try:
                self._inflated[wanted.key] = (wanted, objects_from(wanted, self._inflate))
            except (BuildError, NotBuilt) as reason:
                self._inflated[wanted.key] = (wanted, reason)
        found = self._inflated[wanted.key][1]
        if isinstance(found, Exception):
            raise found
        return found

    def documents_in(self, node: Node) -> list[Document]:
        key = id(node.raw)
        if key not in self._inline:
            self._inline[key] = (node, documents_in(node))  # the node is kept: an id is good while its owner lives
        return self._inline[key][1]

    def nested(self, entry: Node, folder: str, chain: tuple[str, ...]) -> Kustomization:
        written = entry.text
        path = joined(folder, written)
        if not written:
            raise BuildError(Cause.MISSING_FILE, entry, "an empty entry: Kustomize wants a file or a folder")
        if is_remote(written) and not self._files.is_folder(path):
            path = self._elsewhere.base(entry, written) or ""
            if not path:
                raise NotBuilt(entry, self._elsewhere.why_not("a remote base"), written)
        elif leaves_root(folder, path):
            path = f"../{path}"  # of another repository, whose root is a folder here
        if written.startswith("/"):
            raise BuildError(Cause.OUTSIDE_ROOT, entry, f"{written} is an absolute path, which Kustomize refuses")
        if leaves_repository(path):
            raise NotBuilt(entry, "a base outside the repository: not read", written)
        if any(is_within(visited, path) for visited in chain):
            if is_remote(written):  # Kustomize builds a copy of it, where the way back may end
                raise NotBuilt(entry, "a remote base that leads back to itself", written)
            raise BuildError(Cause.CYCLE, entry, f"{written} leads back to {path}, which is being built: a circle")
        if not self._files.is_folder(path):
            raise BuildError(Cause.MISSING_FILE, entry, f"{written} does not exist", sought=path)
        if len(chain) > MAX_DEPTH:
            raise NotBuilt(entry, f"bases nested more than {MAX_DEPTH} deep", written)
        found = self.kustomization(path)
        if found is None:
            message = f"{written} is a folder without a kustomization file of its own"
            raise BuildError(Cause.NO_KUSTOMIZATION, entry, message, sought=path)
        return found

    def schemas(self, kustomization: Kustomization, inherited: Schemas, so_far: Accumulated) -> Schemas:
        """The first to name a document decides, and overlays come before their bases."""
        path, version = (kustomization.one("openapi")[key] for key in ("path", "version"))
        file = self._loader(kustomization).source(path, path.text) if path.text else None
        if inherited.is_chosen:
            return inherited
        demand_known_version(kustomization.one("openapi"))
        if file is None:
            return self._built_in_by_choice if version.text else inherited
        definitions = file.documents[0].root.value if file.documents else {}
        return inherited.with_definitions(definitions, beside=so_far.has_asked(inherited))


def _finished(kustomization: Kustomization, whole: Accumulated, release: Release) -> Build:
    """What is done once, when everything is there: for the kustomization that is built, not for its bases."""
    whole.attempt(content_hash.add_hashes, whole.objects)
    whole.attempt(name_references.fix_name_references, whole.objects, whole.configuration)
    if whole.variables:
        whole.attempt(variables.resolve_variables, whole.objects, whole.variables, whole.configuration)
    _drop_what_grew(whole, kustomization)
    objects = [one for one in whole.objects if one.annotations.get(LOCAL_CONFIG, "false") == "false"]
    for one in objects:
        whole.attempt(metadata.finish, one)
    whole.attempt(metadata.add_build_metadata, objects, kustomization, release)
    if not whole.errors:
        objects = whole.attempt(kind_order.ordered, objects, kustomization.one("sortOptions")) or objects
    return Build(
        kustomization.folder,
        tuple(objects),
        tuple(whole.errors),
        tuple(whole.not_built),
        frozenset(whole.folders),
        tuple(whole.files),
        tuple(whole.charts),
        whole.reached,
    )


def _drop_what_grew(whole: Accumulated, kustomization: Kustomization) -> None:
    sizes: dict[int, int] = {}
    room = MAX_NODES
    for index, one in enumerate(whole.objects):
        if one.steps:
            room -= unfolded_size(one.root, sizes)
        if room < 0:
            del whole.objects[index:]
            whole.not_built.append(
                NotBuilt(kustomization.root, "a build that grows beyond measure", str(one.id), met_limit=True)
            )
            return
