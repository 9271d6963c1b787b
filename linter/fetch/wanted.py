"""What a repository names and does not hold: a chart, another git repository, a file at an address."""

from __future__ import annotations

import posixpath
import re
from typing import Final, NamedTuple
from urllib.parse import urlsplit, urlunsplit

from ..dialects.secrets_in_text import opens_an_address
from ..facts import limits
from ..facts.regexes import regex

CHART: Final = "chart"
GIT: Final = "git"
FILE: Final = "file"
KINDS: Final = (CHART, GIT, FILE)
OCI: Final = "oci"
HEAD: Final = "HEAD"
WEB: Final = ("http", "https")
_SCP: Final = regex(r"(?:[\w.+-]+@)?(?P<host>[\w.-]+):(?!//)(?P<path>[^\s]+)")
_SCHEME: Final = regex(r"(?i)([a-z][a-z0-9+.-]*)://")
_FORCED: Final = regex(r"(?i)git::")
_HOST: Final = regex(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?|\[[0-9a-f:.]+\](?::\d{1,5})?")
_ODD: Final = regex(r"[\s\x00-\x1f\x7f\\]")
_NAME: Final = regex(r"[A-Za-z0-9][\w.+-]*(?:/[A-Za-z0-9][\w.+-]*)*")
_VERSION: Final = regex(r"[\w.+*^~<>=!|,/ @-]{0,200}")
_MANIFEST: Final = (".yaml", ".yml", ".json")


class Wanted(NamedTuple):
    """One thing that is elsewhere, in one spelling: whoever asks for the same asks with an equal value."""

    kind: str
    url: str
    """Of the Helm repository, the registry, the git repository, the file; never with a user or a password."""
    name: str = ""
    """Of a chart."""
    version: str = ""
    """Of a chart what it must match, of a git repository the revision; empty for the newest, and for files."""

    @property
    def host(self) -> str:
        """With the port, where one is written."""
        return urlsplit(self.url).netloc

    def __str__(self) -> str:
        if self.kind == CHART:
            return f"{' '.join(filter(None, (self.name, self.version)))} from {self.url}"
        return f"{self.url} at {self.version}" if self.version else self.url


def chart_wanted(repository: str, name: str, version: str) -> Wanted | None:
    """A chart of a Helm repository or, with ``oci://`` or no scheme at all, of a registry; None if it is neither."""
    found = _SCHEME.match(repository)
    if repository.startswith("@") or (not found and "." not in repository.partition("/")[0]):
        return None  # a name that only somebody's Helm knows
    url = _cleaned(repository if found else f"{OCI}://{repository}", (*WEB, OCI))
    if url is None or not _NAME.fullmatch(name) or ".." in name or not _VERSION.fullmatch(version):
        return None
    return Wanted(CHART, url, name, version.strip())


def artifact_wanted(url: str, version: str) -> Wanted | None:
    """A chart that an address of a registry names by itself."""
    above, _, name = url.rstrip("/").rpartition("/")
    return chart_wanted(above, name, version) if url.startswith(f"{OCI}://") else None


def repository_wanted(url: str, revision: str) -> Wanted | None:
    """A git repository; one that is written for ssh is asked for over https, since it is the same one."""
    text = _FORCED.sub("", url.strip(), count=1)
    scheme = _SCHEME.match(text)
    if scheme is None:
        found = _SCP.fullmatch(text)
        text = f"https://{found['host']}/{found['path'].lstrip('/')}" if found else f"https://{text}"
    elif scheme[1].lower() == "ssh":
        try:
            parts = urlsplit(text)
        except ValueError:
            return None
        text = f"https://{parts.hostname or ''}{parts.path}"
    address = _cleaned(text, WEB)
    if address is None or not _VERSION.fullmatch(revision) or revision.startswith("-"):
        return None
    return Wanted(GIT, address.removesuffix(".git"), version=revision.strip() or HEAD)


def file_wanted(url: str) -> Wanted | None:
    address = _cleaned(url, WEB, query=True)
    return Wanted(FILE, address) if address else None


class RemoteEntry(NamedTuple):
    """What an entry of a kustomization means that is an address."""

    wanted: Wanted
    path: str = ""
    """The folder in the git repository."""


def remote_entry(entry: str) -> RemoteEntry | None:
    """As Kustomize reads it: a file at an address, or a folder of a git repository; None if it is neither."""
    text, _, query = entry.strip().partition("?")
    is_web = text.lower().startswith(("http://", "https://"))
    if is_web and text.endswith(_MANIFEST) and "//" not in text.split("://", 1)[1] and ".git/" not in text:
        file = file_wanted(entry)
        return RemoteEntry(file) if file else None
    revision = next((value for part in query.split("&") for key, _, value in [part.partition("=")] if key in _REFS), "")
    repository, path = _split_repository(re.sub(r"(?i)^gh:", "https://github.com/", text))
    folder = posixpath.normpath(path.strip("/") or ".")
    wanted = repository_wanted(repository, revision)
    return RemoteEntry(wanted, folder) if wanted and folder != ".." and not folder.startswith("../") else None


_REFS: Final = ("ref", "version")


def _split_repository(text: str) -> tuple[str, str]:
    """The repository and the folder: ``//`` or ``.git`` ends the first, else it is an owner and a name."""
    text = _FORCED.sub("", text, count=1)
    scheme = _SCHEME.match(text)
    start = scheme.end() if scheme else 0
    for mark, kept in (("_git/", None), ("//", 0), (".git/", 4), (".git", 4)):
        at = text.find(mark, start)
        if at < 0:
            continue
        if kept is None:  # Azure: the name follows
            end = text.find("/", at + len(mark))
            return (text, "") if end < 0 else (text[:end], text[end:].lstrip("/"))
        return text[: at + kept], text[at + len(mark) :].lstrip("/")
    scp = _SCP.fullmatch(text) if scheme is None else None
    first = text.index(":") + 1 if scp else text.find("/", start) + 1
    parts = text[first:].split("/")
    return text[:first] + "/".join(parts[:2]), "/".join(parts[2:])


def _cleaned(url: str, schemes: tuple[str, ...], *, query: bool = False) -> str | None:
    """In one spelling, without user and password; None if it is no address of such a scheme."""
    if len(url) > limits.ADDRESS_LENGTH or _ODD.search(url.strip()):
        return None  # Python would read some of them as if they were not there
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return None
    host = parts.netloc.rpartition("@")[2].lower()
    bad = any(sign in url for sign in "{}$") or "/../" in f"{parts.path}/"
    if query and opens_an_address(parts.query):
        return None  # it would stand in the lock, and in what is said
    if parts.scheme.lower() not in schemes or not _HOST.fullmatch(host) or bad:
        return None
    return urlunsplit((parts.scheme.lower(), host, parts.path.rstrip("/"), parts.query if query else "", ""))
