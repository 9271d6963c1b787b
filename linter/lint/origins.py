"""From what a rule says of a built object to what a person can read and change.

A rule sees the object as it comes out of a build. People see files: the line
of the base, or of the patch that changed it. One line may feed many builds,
so what several of them say of it becomes one finding, and its fix stays only
where all of them agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from posixpath import basename
from typing import Final

from ..dialects.phrases import some
from ..facts.file_names import KUSTOMIZATIONS
from ..kubernetes.resource import Resource
from ..kustomize.build_origin import BuiltDocument
from ..kustomize.printed import FetchedDocument
from ..repo.model import Repo
from ..yaml.json_pointer import unescaped
from ..yaml.source import Document, Node, Patch
from .result import Reported
from .rule import Finding, Fix, Note

MAX_NAMED: Final = 3
COMES_TO_LIGHT: Final = (
    "no fix is offered: the value is written in several places, and without this one another comes to light"
)
BY_THE_PATCH: Final = "Let the patch remove the field (with null, if it is merged): leaving the line out is not enough."


@dataclass
class Trace:
    """One finding at one place, and the objects it was found on."""

    reported: Reported
    fixes: tuple[Fix, ...]
    subjects: dict[int, Resource] = field(default_factory=dict)
    differs: bool = False
    """The builds propose different fixes."""


class Tracer:
    """Collects what is found on built objects until it is known what all builds say."""

    def __init__(self, repo: Repo) -> None:
        self._repo = repo
        self._traces: dict[tuple[object, ...], Trace] = {}

    def add(self, reported: Reported) -> None:
        finding, resource = reported.finding, reported.resource
        assert resource is not None
        at = _origin(finding.at)
        key = (reported.rule.code, at.file.path, at.span)
        trace = self._traces.get(key)
        if trace is None:
            trace = self._traces[key] = Trace(_told(reported, at), finding.fixes)
        else:
            if reported.severity > trace.reported.severity:  # words and severity are of one build
                trace.reported = _told(reported, at)
            trace.differs = trace.differs or _edits(finding.fixes) != _edits(trace.fixes)
        trace.subjects[id(resource)] = resource

    def settled(self) -> list[Reported]:
        return [self._settle(trace) for trace in self._traces.values()]

    def _settle(self, trace: Trace) -> Reported:
        finding = trace.reported.finding
        notes = list(finding.related)
        others = [one for one in self._repo.siblings(trace.reported.resource) if id(one) not in trace.subjects]
        silent = [one for one in others if not one.patched]
        if silent:
            notes.append(Note(finding.at, self._builds(trace.subjects.values())))
        if fetched := _fetched_too(trace):
            notes.append(Note(finding.at, fetched))
        fixes: tuple[Fix, ...] = ()
        if trace.fixes:
            reason = self._why_not(trace, others)
            if reason:
                notes.append(Note(finding.at, reason))
                if reason is COMES_TO_LIGHT and finding.do:
                    finding = replace(finding, do=BY_THE_PATCH)
            else:
                fixes = trace.fixes
        return replace(trace.reported, finding=replace(finding, fixes=fixes, related=tuple(notes)))

    def _builds(self, subjects: Iterable[Resource]) -> str:
        """Which builds it happens in."""
        names = dict.fromkeys(build.label for one in subjects for build in self._repo.builds_of[id(one)])
        return f"so it is in the build of {some(names, MAX_NAMED)}"

    def _why_not(self, trace: Trace, others: Iterable[Resource]) -> str:
        """Why no fix is offered; empty if it is."""
        patch = trace.fixes[0].patch
        if patch.torn:
            return "no fix is offered: the fields it would change are written in several files"
        if patch.differs:
            return "no fix is offered: what comes out does not follow from this line alone"
        if patch.document.is_embedded:
            return "no fix is offered: the patch is a text within the kustomization"
        if _is_kustomization(patch.document):
            return "no fix is offered: the kustomization sets this for all of its objects"
        if trace.differs:
            return "no fix is offered: this line feeds several builds, which need different ones"
        other = next((one for one in others if _reads(one, patch.document)), None)
        if other is not None:
            label = self._repo.builds_of[id(other)][0].label
            why = "and what that comes to is not known" if other.patched else "where nothing is wrong with it"
            return f"no fix is offered: this line feeds {label}, too, {why}"
        return next((reason for one in trace.subjects.values() if (reason := _rival(one, patch))), "")


def places_of(finding: Finding) -> list[Node]:
    """Every place that telling a finding will ask for."""
    own = [finding.at.origin] if isinstance(finding.at, Node) else []
    return [*own, *(note.at for note in (*_related(finding), *_history(finding.at)) if isinstance(note.at, Node))]


def _origin(place: object) -> Node:
    assert isinstance(place, Node)
    return place.origin


def _told(reported: Reported, at: Node) -> Reported:
    """At the place that a person can read."""
    finding = reported.finding
    related = (*_related(finding), *_history(finding.at))
    return replace(reported, finding=replace(finding, at=at, fixes=(), related=related))


def _related(finding: Finding) -> Iterable[Note]:
    for note in finding.related:
        yield note._replace(at=note.at.origin) if isinstance(note.at, Node) else note


def _history(place: object) -> Iterable[Note]:
    """The other places that have a part in the value."""
    if isinstance(place, Node):
        for other, what in place.document.story(place):
            yield Note(other, what)


def _fetched_too(trace: Trace) -> str:
    """What else one entry brought that has the same fault: its line stands for all of them."""
    fetched = (one for one in trace.subjects.values() if isinstance(one.node.document, FetchedDocument))
    names = [name for name in dict.fromkeys(map(str, fetched)) if name != str(trace.reported.resource)]
    return f"the same holds for {some(names, MAX_NAMED)} from here" if names else ""


def _edits(fixes: Sequence[Fix]) -> list[tuple[Document, object, bool]]:
    return [(fix.patch.document, fix.patch.operations, fix.patch.differs) for fix in fixes]


def _is_kustomization(document: Document) -> bool:
    return basename(document.file.path) in KUSTOMIZATIONS


def _reads(resource: Resource, document: Document) -> bool:
    """Whether a document takes part in what an object came to."""
    own = resource.node.document
    return own is document or (isinstance(own, BuiltDocument) and document in map(_text_of, own.sources))


def _text_of(document: Document) -> Document:
    """The one that a person wrote: of what Helm printed before it was built, the template's."""
    return document.root.origin.document if document.is_built else document


def _rival(resource: Resource, patch: Patch) -> str:
    """Why a change of one document comes to nothing, or to something else: others have a say in the same field."""
    own = resource.node.document
    if not isinstance(own, BuiltDocument):
        return ""
    sources = [_text_of(one) for one in own.sources]
    here = sources.index(patch.document) if patch.document in sources else 0
    told = [
        (number, operation["op"])
        for number, source in enumerate(sources)
        if source is not patch.document and not _is_kustomization_itself(source)
        for operation in patch.operations
        if _decides(source.root, operation["path"].split("/")[1:])
    ]
    if any(number > here for number, _ in told):
        return "no fix is offered: a patch decides about this field, whatever stands here"
    if any(op == "remove" for _, op in told):
        return COMES_TO_LIGHT
    return "no fix is offered: the field is written in several places, of which this is only one" if told else ""


def _is_kustomization_itself(document: Document) -> bool:
    return _is_kustomization(document) and not document.is_embedded


def _decides(patch: Node, keys: Sequence[str]) -> bool:
    """A patch with another value than a mapping on the way to the field; of operations, one on that way."""
    if patch.is_sequence:
        wanted = "/".join(("", *keys))
        paths = [operation["path"].text for operation in patch]
        return any(wanted.startswith(path) or path.startswith(wanted) for path in paths)
    node = patch
    for key in keys:
        if node["$patch"].present:
            return True
        node = node[unescaped(key)]
        if node.absent:
            return False
        if not node.is_mapping:
            return True
    return True
