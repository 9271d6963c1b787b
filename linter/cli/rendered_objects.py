"""The objects that Argo CD would see, each with the place it was written at."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from posixpath import relpath
from typing import TYPE_CHECKING, Any, NamedTuple

from ..facts.file_names import KUSTOMIZATIONS
from ..facts.versions import Versions
from ..fetch.shelf_choice import ShelfChoice
from ..files.discover import discover
from ..files.disk import Reader
from ..files.elsewhere import is_fetched, shown
from ..files.tops import located, repository_root
from ..files.tracked_files import Versioned
from ..helm.helm_request import Request
from ..kubernetes.masked_fields import HIDDEN
from ..kubernetes.resource import Resource
from ..kustomize.release import shipped_with
from ..lint.credentials import Credentials
from ..repo.app import App
from ..repo.sources.charts import NO_HELM, RELEASE, Charts
from ..repo.sources.kustomize_builds import builds_of
from ..repo.tree import Tree
from ..report.escape import json_text, needs_quotes, terminal, yaml_text
from ..yaml.scalars import resolve
from ..yaml.source import Place, SourceFile

if TYPE_CHECKING:
    from ..helm.run.helm_choice import HelmChoice
    from ..kustomize.inflation import Inflated, Inflation
    from ..kustomize.kustomize_binary import Binary


class Rendered(NamedTuple):
    value: dict[str, Any]
    app: str
    path: str
    line: int


def without_secrets(one: Rendered) -> Rendered:
    """With every value of a Secret, and of a SealedSecret's template, hidden."""
    if one.value.get("kind") == "Secret":
        return one._replace(value=_hidden(one.value))
    if one.value.get("kind") == "SealedSecret":
        spec = one.value.get("spec")
        template = spec.get("template") if isinstance(spec, dict) else None
        if isinstance(spec, dict) and isinstance(template, dict):
            return one._replace(value={**one.value, "spec": {**spec, "template": _hidden(template)}})
    return one


def _hidden(value: dict[str, Any]) -> dict[str, Any]:
    held = {field: value[field] for field in ("data", "stringData") if isinstance(value.get(field), dict)}
    return {**value, **{field: dict.fromkeys(keys, HIDDEN) for field, keys in held.items()}}


class Problem(NamedTuple):
    """Why something is not there: the repository is at fault, or it is something that is not done here."""

    where: str
    message: str
    refused: bool


class Rendering(NamedTuple):
    objects: tuple[Rendered, ...]
    problems: tuple[Problem, ...] = ()

    @property
    def refused(self) -> bool:
        return any(problem.refused for problem in self.problems)


def credentials_around(folder: Path) -> Credentials:
    """Those of the repository that a folder is in."""

    def files() -> Iterable[SourceFile]:
        yield from discover([folder], context=True).files

    return Credentials(files())


def _reader(root: Path, folder: Path) -> Reader:
    versioned = Versioned(root)
    versioned.mean(folder.relative_to(root).as_posix())
    return Reader(root, versioned.hides)


def is_kustomization(folder: Path) -> bool:
    return any((folder / name).is_file() for name in KUSTOMIZATIONS)


def render_kustomization(
    folder: Path,
    kustomize: Binary | None = None,
    helm: HelmChoice | None = None,
    fetched: ShelfChoice = ShelfChoice(),
    versions: Versions = Versions(),
) -> Rendering:
    """What `kustomize build --enable-helm` makes of one folder, whatever Applications say of it."""
    folder = located(folder)
    root = _reach(folder)
    shelf, reader = fetched.at(_reader(root, folder))
    tree = Tree((), {}, reader=reader, elsewhere=shelf)

    known = credentials_around(folder).are_in

    def inflate(wanted: Inflation) -> Inflated:  # Helm is looked for when there is a chart
        return Charts(tree, versions, helm.at(root, reader, shelf, known) if helm is not None else None).inflate(wanted)

    tree.inflate, tree.kustomize = inflate, shipped_with(versions)
    builds = builds_of(tree, versions, kustomize.at(root) if kustomize is not None else None)
    name = folder.relative_to(root).as_posix()
    build = builds.of(name)
    # Without a repository, paths count from the folder itself.
    start = "." if (root / ".git").exists() else name
    refusals = [Problem(_where(error.at, start), error.message, True) for error in build.errors]
    left_out = [
        Problem(_seen_from(item.path, start), f"not analysed: {item.reason}{item.detail and f': {item.detail}'}", False)
        for item in build.not_analysed
    ]
    # Kustomize prints nothing when it refuses, and so do we: half of an output is no output.
    objects = () if build.errors else tuple(_rendered(one, relpath(name, start), start) for one in build.resources)
    return Rendering(objects, (*refusals, *left_out))


def is_chart(folder: Path) -> bool:
    return (folder / "Chart.yaml").is_file()


class ChartOptions(NamedTuple):
    """What `helm template` would be told about a chart."""

    release: str = RELEASE
    namespace: str = "default"
    value_files: tuple[Path, ...] = ()
    include_crds: bool = True


def render_chart(
    folder: Path, helm: HelmChoice, options: ChartOptions, fetched: ShelfChoice = ShelfChoice()
) -> Rendering:
    """What Helm makes of one chart, whatever Applications say of it."""
    folder = located(folder)
    files = [path.resolve() for path in options.value_files]
    root = _reach(folder)
    outside = next((path for path in files if not path.is_relative_to(root)), None)
    if outside is not None:
        return Rendering((), (Problem(str(outside), f"a value file has to be below {root}", True),))
    shelf, reader = fetched.at(_reader(root, folder))
    renderer = helm.at(root, reader, shelf, credentials_around(folder).are_in)
    name = folder.relative_to(root).as_posix()
    if renderer is None:
        return Rendering((), (Problem(name, f"not rendered: {NO_HELM}", True),))
    request = Request(
        name,
        options.release,
        options.namespace,
        value_files=tuple(path.relative_to(root).as_posix() for path in files),
        include_crds=options.include_crds,
    )
    tree = Tree((), {}, folders=(), reader=reader, elsewhere=shelf)
    build = Charts(tree, Versions(), renderer).rendered(request)
    start = "." if (root / ".git").exists() else name
    problems = [Problem(_where(one.at, start), one.message, True) for one in build.refusals]
    problems += [
        Problem(_seen_from(item.path, start), f"not analysed: {item.reason}{item.detail and f': {item.detail}'}", False)
        for item in build.not_analysed
    ]
    objects = () if build.refusals else tuple(_rendered(one, relpath(name, start), start) for one in build.resources)
    return Rendering(objects, tuple(problems))


def render_apps(apps: Iterable[App]) -> Rendering:
    objects: list[Rendered] = []
    problems: dict[Problem, None] = {}
    for app in apps:
        objects += [_rendered(one, app.name) for one in app.resources]
        for source in app.rendered:
            for failure in source.failures:
                problems[Problem(failure.path, failure.reason, True)] = None
            for reason in source.unresolved:
                problems[Problem(app.name, f"not analysed: {reason}", False)] = None
    return Rendering(tuple(objects), tuple(problems))


def _rendered(resource: Resource, app: str, start: str = ".") -> Rendered:
    place = resource.node.origin
    line = place.file.position(place.span.start).line
    return Rendered(resource.node.value, app, _seen_from(place.file.path, start), line)


def _seen_from(path: str, start: str) -> str:
    return shown(path) if is_fetched(path) else relpath(path, start)


def _where(place: Place, start: str) -> str:
    position = place.file.position(place.span.start)
    return f"{_seen_from(place.file.path, start)}:{position.line}:{position.column}"


def _reach(folder: Path) -> Path:
    """How far up bases are read: the repository; without one, as far as the folders may belong together.

    A kustomization without a repository around it may still name a base beside
    it. Home, the temporary folder and the root of the disk hold everybody's
    things, so it ends below these.
    """
    root = repository_root(folder)
    if root != folder or (folder / ".git").exists():
        return root
    shared = {Path(folder.anchor), Path(tempfile.gettempdir()).resolve(), *_home()}
    above = [folder, *folder.parents]
    return next((inner for inner, outer in pairwise(above) if outer in shared), folder)


def _home() -> Iterable[Path]:
    home = Path(os.path.expanduser("~"))
    return (home, *home.parents)


# -- printed


def as_json(objects: Iterable[Rendered]) -> str:
    listed = [{"object": one.value, "app": one.app, "origin": {"path": one.path, "line": one.line}} for one in objects]
    return json_text(json.dumps(listed, indent=2)) + "\n"


def as_yaml(objects: Iterable[Rendered]) -> str:
    """One document an object; where it comes from stands above it as a comment."""
    import yaml

    class Dumper(getattr(yaml, "CSafeDumper", yaml.SafeDumper)):  # type: ignore[misc]
        def ignore_aliases(self, data: Any) -> bool:
            return True

    def text(dumper: Any, content: str) -> Any:
        # Quoted whenever Kubernetes would read it as something else: PyYAML has another table of types.
        style = "|" if "\n" in content else None if content and resolve(content) is content else '"'
        style = '"' if needs_quotes(content) else style
        return dumper.represent_scalar("tag:yaml.org,2002:str", content, style=style)

    Dumper.add_representer(str, text)
    parts = []
    for one in objects:
        body = yaml.dump(one.value, Dumper=Dumper, sort_keys=True, allow_unicode=True, width=2**20)
        # A name may hold anything; a comment ends at the end of its line.
        parts.append(f"# {terminal(one.app)}: {terminal(one.path)}:{one.line}\n{yaml_text(body)}")
    return "---\n".join(parts)
