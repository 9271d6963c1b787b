"""The value files that an Application names: where Argo CD looks for them, and why it may not find them."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from enum import Enum
from itertools import islice
from typing import Final, NamedTuple

from ...argocd.build_environment import NotKnown, substituted
from ...dialects.generator_globs import BadPattern
from ...dialects.spelling import is_placeholder
from ...dialects.value_globs import TooMuch, expand, fixed_folder, is_pattern
from ...facts.regexes import regex
from ...files.elsewhere import BRINGS_IT
from ...helm.run.lent_dependencies import ChartFiles

_SCHEME: Final = regex(r"[A-Za-z][A-Za-z0-9+.-]*:")
VALUE_FILES: Final = "/helm/valueFiles"
INLINE: Final = "/helm/values"
"""And `valuesObject`, which begins alike."""
_DECRYPTED: Final = regex(r"secrets(?!\+literal)(?:\+[\w-]+)?://(?:[^?]*\?)?(?P<path>[^/?][^?]*)")
"""How helm-secrets is asked to decrypt a file, with a key before the question mark."""
_PLACEHOLDER: Final = "{{"
_MOST_PATTERNS: Final = 50
_MOST_FILES: Final = 20_000


class Trouble(Enum):
    """Why something in a source's helm block cannot be followed."""

    MISSING = "missing"
    """There is no such file, and Argo CD fails."""
    NO_MATCH = "no match"
    """The pattern matches nothing, and Argo CD fails."""
    BAD_PATTERN = "bad pattern"
    """Argo CD fails."""
    FOLDER = "folder"
    """A folder stands where a file should, and Helm fails."""
    OUTSIDE = "outside"
    """The path leads out of the repository, and Argo CD fails."""
    UNKNOWN_REF = "unknown ref"
    """No source of the Application has this ref, and Argo CD fails."""
    REF_TO_CHART = "ref to chart"
    """The source with this ref has a chart, and Argo CD fails."""
    ELSEWHERE = "elsewhere"
    """The file is in another repository: Argo CD can read it, we cannot."""
    ADDRESS = "address"
    """The file is at an address: Argo CD fetches it, and here nobody has brought it."""
    BAD_SCHEME = "bad scheme"
    """Argo CD takes it for an address, of a kind that it does not allow as a rule."""
    NOT_KNOWN = "not known"
    """Only the sync itself knows a value in it, or another tool fills it in."""
    BAD_VALUES = "bad values"
    """The inline values are no YAML mapping, and Helm fails."""
    BAD_VERSION = "bad version"
    """kubeVersion is no version, and Argo CD fails."""


FAILS: Final = frozenset(Trouble) - {Trouble.ELSEWHERE, Trouble.ADDRESS, Trouble.NOT_KNOWN, Trouble.BAD_SCHEME}
"""Those with which Argo CD cannot generate the manifests."""


MAX_SHOWN: Final = 80
_WORDS: Final = {
    Trouble.MISSING: "is not in the repository",
    Trouble.NO_MATCH: "matches no file",
    Trouble.BAD_PATTERN: "is no pattern that can be read",
    Trouble.FOLDER: "is a folder",
    Trouble.OUTSIDE: "leads out of the repository",
    Trouble.UNKNOWN_REF: "names a ref that no source has",
    Trouble.REF_TO_CHART: "names the ref of a source that is a chart",
    Trouble.ELSEWHERE: f"is in another repository: {BRINGS_IT}",
    Trouble.ADDRESS: f"is an address: {BRINGS_IT}",
    Trouble.BAD_SCHEME: "is an address of a kind that Argo CD does not allow by default",
    Trouble.NOT_KNOWN: "has a part that is known only when it syncs",
    Trouble.BAD_VALUES: "is no mapping",
    Trouble.BAD_VERSION: "is no version",
}


class OptionProblem(NamedTuple):
    kind: Trouble
    pointer: str
    """In the source, like /helm/valueFiles/1."""
    text: str
    """As it is written."""
    sought: str = ""
    """The path from the root of the repository, where there is one."""
    detail: str = ""
    ref: str = ""
    """Of the source whose repository it is sought in; empty for the one that has the entry."""

    @property
    def fails(self) -> bool:
        return self.kind in FAILS

    @property
    def words(self) -> str:
        """What is wrong, in a few words."""
        name = self.pointer.removeprefix("/helm/") or "the Application"
        what = f": {self.detail}" if self.detail else ""
        text = self.text if len(self.text) <= MAX_SHOWN else f"{self.text[:MAX_SHOWN]}…"
        return f"{name}: {text!r} {_WORDS[self.kind]}{what}"


class _Trouble(Exception):
    def __init__(self, kind: Trouble, sought: str = "", detail: str = "") -> None:
        super().__init__(kind)
        self.kind, self.sought, self.detail = kind, sought, detail


class Refs(NamedTuple):
    """What ``$name/`` may begin with."""

    several: bool
    """The Application has `sources`; only then is a leading dollar sign a ref, and nothing but a ref."""
    charts: frozenset[str]
    """Those whose source is a chart."""
    roots: Mapping[str, str | None]
    """The folder of this repository that is the root of the source with the ref; None if that is elsewhere."""


AtAddress = Callable[[str, str], "str | None"]
"""For the place of an entry and its address: the file that was brought from there, if one was."""


class ValueFiles(NamedTuple):
    """Resolves the paths of one source."""

    files: ChartFiles
    chart: str
    root: str | None
    """The folder that a leading slash means, ``.`` as a rule; None if the chart is not in this repository."""
    refs: Refs
    variables: Mapping[str, str]
    has_globs: bool
    at_address: AtAddress

    def resolve(self, entries: list[tuple[str, str]], ignore_missing: bool) -> tuple[list[str], list[OptionProblem]]:
        """Entries are pointer and text. The files in the order in which Helm gets them."""
        problems: list[OptionProblem] = []
        sought: list[tuple[str, str, str]] = []
        for pointer, text in entries:
            try:
                sought.append((pointer, text, self._path(pointer, text)))
            except _Trouble as trouble:
                problems.append(self._problem(pointer, text, trouble))
        explicit = {path for _, _, path in sought if not self._is_glob(path)}
        found: list[str] = []
        patterns = 0
        for pointer, text, path in sought:
            try:
                patterns += self._is_glob(path)
                if patterns > _MOST_PATTERNS:
                    raise _Trouble(Trouble.NOT_KNOWN, detail=f"more than {_MOST_PATTERNS} patterns")
                if self._is_glob(path):
                    found += [one for one in self._matches(path, ignore_missing) if one not in explicit]
                elif self._is_there(path, ignore_missing):
                    found.append(path)
            except _Trouble as trouble:
                problems.append(self._problem(pointer, text, trouble))
        order = {pointer: number for number, (pointer, _) in enumerate(entries)}
        problems.sort(key=lambda one: order[one.pointer])
        return (list(dict.fromkeys(found)) if self.has_globs else found), problems

    def resolve_one(self, pointer: str, text: str) -> tuple[str, list[OptionProblem]]:
        """A path that is taken as it stands; empty if there is a problem with it."""
        try:
            path = self._path(pointer, text)
            self._is_there(path, ignore_missing=False)
        except _Trouble as trouble:
            return "", [self._problem(pointer, text, trouble)]
        return path, []

    def _problem(self, pointer: str, text: str, trouble: _Trouble) -> OptionProblem:
        ref, _ = self._split(text)
        return OptionProblem(trouble.kind, pointer, text, trouble.sought, trouble.detail, ref or "")

    def _split(self, text: str) -> tuple[str | None, str]:
        """The ref, None if there is none, and what follows it."""
        if not (text.startswith("$") and self.refs.several):
            return None, text
        name, _, rest = text[1:].partition("/")
        return name, f"/{rest}"

    def _is_glob(self, path: str) -> bool:
        return self.has_globs and is_pattern(path)

    def _path(self, pointer: str, text: str) -> str:
        """From the root of the repository. Raises _Trouble."""
        if _PLACEHOLDER in text:
            raise _Trouble(Trouble.NOT_KNOWN)
        ref, text = self._split(text)
        root = self.root if ref is None else self._ref_root(ref)
        try:
            text = substituted(text, self.variables)
        except NotKnown as variable:
            raise _Trouble(Trouble.NOT_KNOWN, detail=str(variable)) from None
        if is_placeholder(text):
            raise _Trouble(Trouble.NOT_KNOWN)
        scheme = _SCHEME.match(text)
        if scheme:
            sealed = self._decrypted(text)
            if sealed is not None:
                return sealed
            is_usual = scheme[0].lower() in ("http:", "https:")
            brought = self.at_address(pointer, text) if is_usual else None
            if brought is not None:
                return brought
            raise _Trouble(Trouble.ADDRESS if is_usual else Trouble.BAD_SCHEME, detail=scheme[0][:-1])
        if root is None:
            raise _Trouble(Trouble.ELSEWHERE, detail=ref or "")
        base = self.chart
        if text.startswith("/"):
            base, text = root, text.lstrip("/")
        path = posixpath.normpath(posixpath.join(base, text or "."))
        if path == ".." or path.startswith("../") or not _is_below(path, root):
            raise _Trouble(Trouble.OUTSIDE, path)
        return path

    def _decrypted(self, text: str) -> str | None:
        """The file of the chart's folder that helm-secrets decrypts; None if it is not here."""
        found = _DECRYPTED.fullmatch(text)
        if found is None or self.root is None:
            return None
        path = posixpath.normpath(posixpath.join(self.chart, found["path"]))
        return path if self.files.stamp(path) is not None else None

    def _ref_root(self, name: str) -> str | None:
        """None if it is elsewhere."""
        if name in self.refs.charts:
            raise _Trouble(Trouble.REF_TO_CHART, detail=name)
        if name not in self.refs.roots:
            raise _Trouble(Trouble.UNKNOWN_REF, detail=name)
        return self.refs.roots[name]

    def _is_there(self, path: str, ignore_missing: bool) -> bool:
        if self.files.stamp(path) is not None:
            return True
        if next(iter(self.files.below(path)), None) is not None:
            raise _Trouble(Trouble.FOLDER, path)
        if ignore_missing:
            return False
        raise _Trouble(Trouble.MISSING, path)

    def _matches(self, pattern: str, ignore_missing: bool) -> list[str]:
        paths = list(islice(self.files.below(fixed_folder(pattern)), _MOST_FILES + 1))
        if len(paths) > _MOST_FILES:
            raise _Trouble(Trouble.NOT_KNOWN, pattern, f"more than {_MOST_FILES} files")
        try:
            files, folders = expand(pattern, paths)
        except BadPattern:
            raise _Trouble(Trouble.BAD_PATTERN, pattern) from None
        except TooMuch:
            raise _Trouble(Trouble.NOT_KNOWN, pattern, "it matches too much") from None
        if folders:
            raise _Trouble(Trouble.FOLDER, pattern, folders[0])
        if not files and not ignore_missing:
            raise _Trouble(Trouble.NO_MATCH, pattern)
        return files


def _is_below(path: str, root: str) -> bool:
    return root == "." or path == root or path.startswith(f"{root}/")
