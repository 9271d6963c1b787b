"""An Application whose source or destination Argo CD calls invalid is not synced at all.

Some combinations are refused before anything is compared: a source without
repoURL, or with neither path nor chart (nor ref, in a list of sources); a chart
without targetRevision; more than one of helm, kustomize, directory and plugin in a
source; a destination with both server and name, or with neither. The Application
then shows an InvalidSpecError or a ComparisonError, its status is Unknown, and
nothing of it is synced.

The same goes for value files that are taken from another source ($values/…): a
name that no source has as its ref, a ref that is given twice or has other signs
than letters, digits, _ and -, a ref on a source with a chart, two revisions of
one repository. (A file that is not there is helm-value-file-missing's.) In an Application with a single source
the name means nothing: Argo CD puts nothing in its place, and looks for the rest
of the path in the source itself. That is an error for a chart, which has no such
file, and a note for a repository, where the file may well be.

A path beside a chart is ignored without a word; that is a warning. A hydrator
that writes to the root of the branch is refused since Argo CD 3.2.

ApplicationSets are judged by the Applications that they make, and where these are
not known by their template, as long as no generator and no templatePatch adds to it.
Texts that another tool fills in are left alone, and so are $ARGOCD_… variables.

Fix: complete or correct the field that is named. A path beside a chart can be taken
away safely.

See: argo-cd#12679, argo-cd#16179, https://argo-cd.readthedocs.io/en/stable/user-guide/multiple_sources/

Bad:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      sources:
        - repoURL: https://charts.example.com
          chart: shop
          targetRevision: 1.4.2
          helm:
            valueFiles:
              - $value/shop/values.yaml  # <- here
        - repoURL: https://git.example.com/platform.git
          ref: values
      destination:
        server: https://kubernetes.default.svc
        name: in-cluster  # <- here
        namespace: shop
Good:
    apiVersion: argoproj.io/v1alpha1
    kind: Application
    metadata:
      name: shop
    spec:
      project: default
      sources:
        - repoURL: https://charts.example.com
          chart: shop
          targetRevision: 1.4.2
          helm:
            valueFiles:
              - $values/shop/values.yaml
        - repoURL: https://git.example.com/platform.git
          ref: values
      destination:
        server: https://kubernetes.default.svc
        namespace: shop
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from ...linter.api import Finding, Fix, Moment, Node, Repo, Severity, by_line, counted, rule
from ...linter.argocd.applications import Application, Source
from ...linter.argocd.source_references import REF_NAME, Reference, named_sources, references_of
from ...linter.dialects.git_urls import normal_git_url
from ...linter.dialects.spelling import is_placeholder
from ...linter.dialects.target_revision import follows_main_line
from ...linter.facts.versions import Versions

ROOTS: Final = ("", ".", "/", "./")
ARTIFACT: Final = "oci://"
"""Of such a source Argo CD 3.1 takes the path and not the chart."""
NO_URL: Final = "has a source without repoURL"
REFUSED: Final = "The API server refuses it."
NOT_SYNCED: Final = "Argo CD shows an error and syncs nothing of it."


class Fault(NamedTuple):
    pointer: str
    what: str
    """The fault, to stand after the Application."""
    do: str
    happens: str = NOT_SYNCED
    severity: Severity = Severity.ERROR
    is_useless: bool = False
    """The place can be taken away, and nothing changes."""


@rule("GL620", Severity.ERROR, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, found in by_line(_found(repo)):
        application, fault = max(found, key=lambda one: one[1].severity)
        others = len({one.name for one, _ in found}) - 1
        also = f" So it is with {counted(others, 'more Application')}." if others else ""
        rest = dict.fromkeys(one.what for whose, one in found if whose is application and one is not fault)
        yield Finding(
            place,
            headline=f"{application} {fault.what}",
            happens=f"{fault.happens}{also}" + "".join(f" Besides, it {what}." for what in rest),
            do=fault.do,
            fixes=_fixes(application, fault),
            severity=fault.severity,
        )


def _fixes(application: Application, fault: Fault) -> tuple[Fix, ...]:
    field = application.field(fault.pointer) if fault.is_useless else None
    return (Fix(f"take {field.key} away", field.remove(), safe=True),) if field is not None and field.present else ()


def _found(repo: Repo) -> Iterator[tuple[Node, tuple[Application, Fault]]]:
    for application in (*(app.application for app in repo.applications), *repo.argocd.templates):
        # One without a name is made by a chart that nobody has given values yet.
        if application is not None and application.name and not application.resource.patched:
            for fault in (*_of_spec(application), *_of_references(application)):
                if not (fault.what == NO_URL and _is_filled_in(application, repo)):
                    yield application.place(fault.pointer), (application, fault)


def _is_filled_in(application: Application, repo: Repo) -> bool:
    """Whether a kustomization above has a patch that gives Applications their repository: it is meant to be listed."""
    folder = application.resource.file.path
    while folder:
        folder = posixpath.dirname(folder)
        outline = repo.kustomize.by_folder.get(folder or ".")
        if outline is not None:
            return "/source/repoURL" in outline.file.text
    return False


# -- what a spec needs


def _of_spec(application: Application) -> Iterator[Fault]:
    spec = application.spec
    if isinstance(spec.get("sourceHydrator"), Mapping):
        yield from _of_hydrator(spec["sourceHydrator"], application.resource.versions)
    elif not application.sources:
        yield Fault("/spec", "has no source", "Write a source.")
    else:
        listed = bool(spec.get("sources"))
        for source in application.sources:
            yield from _of_source(source, listed)
    yield from _of_destination(spec.get("destination"), is_there="destination" in spec)
    if application.value.get("spec") and "project" not in spec:
        yield Fault("/spec", "has no project", "Write project: default, or another one.", REFUSED)


def _of_source(source: Source, listed: bool) -> Iterator[Fault]:
    at, value = source.pointer, source.value
    if not value.get("repoURL"):
        yield Fault(at, NO_URL, "Write the address of the repository.")
    elif not (value.get("path") or value.get("chart") or (listed and value.get("ref"))):
        wanted = "neither path nor chart nor ref" if listed else "neither path nor chart"
        yield Fault(f"{at}/repoURL", f"has a source with {wanted}", "Write one; the root of a repository is path: .")
    if value.get("chart") and not value.get("targetRevision"):
        what = f"takes chart {value['chart']!r} without a targetRevision"
        yield Fault(f"{at}/chart", what, "Write the version of the chart.")
    if value.get("chart") and value.get("path") and not source.repo_url.startswith(ARTIFACT):
        happens = f"Argo CD takes the chart and ignores path {value['path']!r}."
        do = "Take the path away, or the chart."
        yield Fault(f"{at}/path", "has a source with chart and path", do, happens, Severity.WARNING, is_useless=True)
    tools = source.explicit_tools
    if len(tools) > 1:
        what = f"has {' and '.join(tools)} in one source, which can have only one of them"
        yield Fault(f"{at}/{tools[1]}", what, "Keep the one for the tool that the folder is written for.")


def _of_hydrator(hydrator: Mapping[str, Any], versions: Versions) -> Iterator[Fault]:
    target = hydrator.get("syncSource")
    if not isinstance(target, Mapping) or versions.lacks("hydrator-needs-folder"):
        return
    if target.get("path") in (*ROOTS, None):
        severity = Severity.ERROR if versions.has("hydrator-needs-folder") else Severity.WARNING
        what, do = "hydrates to the root of the branch", "Name a folder in syncSource.path."
        happens = "Argo CD refuses that since 3.2."
        yield Fault("/spec/sourceHydrator/syncSource/path", what, do, happens, severity)


def _of_destination(destination: Any, *, is_there: bool) -> Iterator[Fault]:
    value = destination if isinstance(destination, Mapping) else {}
    server, name = value.get("server"), value.get("name")
    if server and name and not (is_placeholder(str(server)) or is_placeholder(str(name))):
        what = "has both server and name in its destination, which can have only one of them"
        yield Fault("/spec/destination/name", what, "Take one of them away.")
    elif not server and not name:
        do = "Write one; this cluster is https://kubernetes.default.svc, or in-cluster."
        what = "has neither server nor name in its destination" if is_there else "has no destination"
        yield Fault("/spec/destination", what, do, NOT_SYNCED if is_there else REFUSED)


# -- what sources take from each other


def _of_references(application: Application) -> Iterator[Fault]:
    sources = application.sources
    if not application.spec.get("sources"):
        for source in sources:
            yield from (_in_single_source(reference, source) for reference in references_of(source))
        return
    yield from _of_names(sources)
    named = named_sources(sources)
    for source in sources:
        for reference in references_of(source):
            target = named.get(reference.name)
            if target is None:
                yield _no_such_ref(reference, named)
            else:
                yield from _of_reference(reference, source, target)


def _in_single_source(reference: Reference, source: Source) -> Fault:
    rest = f"/{reference.path}"
    what = f"has a single source, in which ${reference.name} means nothing"
    do = f"Write sources, one of them with ref: {reference.name}."
    if not source.chart:
        happens = f"Argo CD looks for {rest!r} in the repository that it reads, and nowhere else."
        return Fault(reference.pointer, what, do, happens, Severity.NOTE)
    skips = source.tool("helm").get("ignoreMissingValueFiles") is True
    effect = "goes on without it." if skips else f"does not find it. {NOT_SYNCED}"
    happens = f"Argo CD looks for {rest!r} in the chart and {effect}"
    return Fault(reference.pointer, what, do, happens, Severity.WARNING if skips else Severity.ERROR)


def _no_such_ref(reference: Reference, named: Mapping[str, Source]) -> Fault:
    known = f"the refs are {', '.join(map(repr, sorted(named)))}" if named else "no source has a ref"
    what = f"takes {reference.text!r}, but {known}"
    return Fault(reference.pointer, what, f"Write ref: {reference.name} into the source that has the file.")


def _of_names(sources: tuple[Source, ...]) -> Iterator[Fault]:
    seen: set[str] = set()
    for source in sources if len(sources) > 1 else ():
        if not source.ref or is_placeholder(source.ref):
            continue
        if not REF_NAME.fullmatch(source.ref):
            what = f"has the ref {source.ref!r}, which is no name for one"
            yield Fault(f"{source.pointer}/ref", what, "Use only letters, digits, _ and -.")
        elif source.ref in seen:
            what = f"has two sources with the ref {source.ref!r}"
            yield Fault(f"{source.pointer}/ref", what, "Give each ref a name of its own.")
        seen.add(source.ref)


def _of_reference(reference: Reference, source: Source, target: Source) -> Iterator[Fault]:
    if target.chart:
        what = f"takes {reference.text!r} from a chart, and a source with a ref cannot be one"
        yield Fault(reference.pointer, what, "Take the file from a git repository.")
    elif not source.chart and _are_two_revisions(source, target):
        other, own = (one.target_revision or "HEAD" for one in (target, source))
        what = f"takes {reference.text!r} from another revision of the repository that it reads"
        happens = f"It reads {own!r} itself and the file at {other!r}; unless both are one commit, it is not synced."
        yield Fault(reference.pointer, what, "Give both sources one targetRevision.", happens)


def _are_two_revisions(source: Source, target: Source) -> bool:
    """Surely: of two branches, or of HEAD and a branch, nobody knows whether they are at one commit."""
    if source.target_revision == target.target_revision or is_placeholder(source.repo_url):
        return False
    if is_placeholder(source.target_revision) or is_placeholder(target.target_revision):
        return False
    fixed = [follows_main_line(one.target_revision) is False for one in (source, target)]
    return any(fixed) and normal_git_url(source.repo_url) == normal_git_url(target.repo_url)
