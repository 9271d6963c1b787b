"""Bringing one thing: a chart by `helm pull`, a git repository by `git fetch`, a file by a plain request.

Helm and git run behind the guard, with nothing of the repository as a word of
theirs that is not checked, and with the credentials that the user has given to
them: in Helm's, git's and docker's own files, which are never read here.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from ..dialects.semver_ranges import is_range, newest
from ..facts import limits
from ..facts.regexes import regex
from ..programs.outcomes import Failed
from ..programs.processes import Ended, Limits, Processes, environment, guarded, on_path
from ..yaml.source import SourceFile
from .guard import Guard
from .packed import BadArchive, packed, unpacked
from .permission import is_this_machine, target_of
from .wanted import CHART, GIT, OCI, Wanted

_OUTPUT: Final = 4 * 1024**2
_TAGS: Final = "refs/tags/"
_NO_MEMORY: Final = regex(r"(?i)out of memory|cannot allocate memory")
_KEPT: Final = frozenset(
    "HOME USERPROFILE SYSTEMROOT XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR SSL_CERT_FILE SSL_CERT_DIR DOCKER_CONFIG"
    " HELM_CONFIG_HOME HELM_REGISTRY_CONFIG HELM_REPOSITORY_CONFIG GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM"
    " GIT_CONFIG_NOSYSTEM GIT_CONFIG_COUNT GIT_SSL_CAINFO APPDATA".split()
)
_PROXIES: Final = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy")
_KEPT_LISTS: Final = ("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_")
_VERSION: Final = regex(r"-(?P<version>v?\d+\.\d+\.\d+[\w.+-]*)\.tgz")
_SECRETS: Final = regex(r"(?i)//[^/@\s]+@|(?:basic|bearer|token)[ =:]+\S+")
_GIT: Final = (
    "--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
    "-c", "protocol.https.allow=always", "-c", "protocol.http.allow=always", "-c", "fetch.fsckObjects=true",
    "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "submodule.recurse=false", "-c", "core.askPass=",
    "-c", "http.maxRequests=1", "-c", "credential.interactive=false",
)  # fmt: skip
_AS_IT_IS: Final = "* -export-ignore -export-subst -text -eol -filter -ident -working-tree-encoding\n"
"""Every file as git keeps it, whatever the repository says about archives."""


class NotFetched(Exception):
    """Why something was not brought."""


class Got(NamedTuple):
    version: str
    data: bytes


class Getter:
    def __init__(self, guard: Guard, helm: str | None) -> None:
        """`helm` is the program; None where there is none."""
        self._guard = guard
        self._helm = helm
        self._processes = Processes()

    def get(self, wanted: Wanted, version: str = "") -> Got:
        """`version` is the one to take, whatever else the wish would allow. Raises NotFetched."""
        self._guard.begin()
        with tempfile.TemporaryDirectory(prefix="gitops-lint-") as scratch:
            if wanted.kind == CHART:
                return self._chart(wanted, version or wanted.version, scratch)
            if wanted.kind == GIT:
                return self._repository(wanted, version or wanted.version, scratch)
            return Got("", self._file(wanted.url))

    # -- charts

    def _chart(self, wanted: Wanted, version: str, scratch: str) -> Got:
        if self._helm is None:
            raise NotFetched("charts are fetched by Helm, and there is none (--helm)")
        place = os.path.join(scratch, "chart")
        os.makedirs(place)
        words = ["pull", "--destination", place]
        words += ["--version", version] if version else []
        url = urlsplit(wanted.url)
        if url.scheme == OCI:
            is_local = is_this_machine(target_of(url.netloc).host)
            words += [f"{wanted.url}/{wanted.name}", *(["--plain-http"] if is_local else [])]
        elif known := self._known_repository(wanted.url):
            self._run_helm(["repo", "update", known], scratch)
            words.append(f"{known}/{wanted.name}")
        else:
            words += [wanted.name, "--repo", wanted.url]
        self._run_helm(words, scratch)
        found = sorted(Path(place).glob("*.tgz"))
        if len(found) != 1:
            raise NotFetched("helm pull brought no chart")
        data = found[0].read_bytes()
        return Got(_chart_version(data, found[0].name), data)

    def _run_helm(self, words: Sequence[str], scratch: str) -> None:
        assert self._helm is not None
        cache = os.path.join(scratch, "cache")
        more = {"HELM_CACHE_HOME": cache, "HELM_REPOSITORY_CACHE": cache, "HELM_PLUGINS": os.path.join(scratch, "none")}
        self._run((self._helm, *words), scratch, more)

    def _known_repository(self, url: str) -> str:
        """What the user's Helm calls a repository: by that name it uses the credentials that it keeps for it."""
        config = os.environ.get("HELM_REPOSITORY_CONFIG", "")
        if not config:
            home = os.environ.get("HELM_CONFIG_HOME") or os.path.join(
                os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config"), "helm"
            )
            config = os.path.join(home, "repositories.yaml")
        try:
            file = SourceFile(config, Path(config).read_text("utf-8"))
        except (OSError, UnicodeDecodeError):
            return ""
        entries = file.documents[0].root["repositories"] if file.documents else ()
        same = (one["name"].text for one in entries if one["url"].text.rstrip("/") == url)
        return next((name for name in same if re.fullmatch(r"[\w][\w.-]*", name)), "")

    # -- git

    def _repository(self, wanted: Wanted, revision: str, scratch: str) -> Got:
        git = on_path("git")
        if git is None:
            raise NotFetched("repositories are fetched by git, and there is none on the PATH")
        folder = os.path.join(scratch, "git")
        self._run((git, *_GIT, "init", "--quiet", "--bare", folder), scratch)
        os.makedirs(os.path.join(folder, "info"), exist_ok=True)
        Path(folder, "info", "attributes").write_text(_AS_IT_IS, "utf-8")
        at = (git, *_GIT, "--git-dir", folder)
        depth = ("--depth", "1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
        if is_range(revision):
            revision = self._newest_tag(at, wanted.url, revision, scratch)
        refs = f"+{revision}:refs/gitops-lint/got"
        self._run((*at, "fetch", "--quiet", *depth, wanted.url, refs), scratch)
        commit = self._run((*at, "rev-parse", "refs/gitops-lint/got^{commit}"), scratch).decode("ascii").strip()
        self._run((*at, "archive", "--format=tar", f"--output={scratch}/all.tar", commit), scratch)
        archive = Path(scratch, "all.tar")
        if archive.stat().st_size > limits.FETCHED_BYTES:
            raise NotFetched(f"has more than {limits.FETCHED_BYTES // 1024**2} MB")
        try:
            return Got(commit, packed(unpacked(archive.read_bytes())))
        except BadArchive as error:
            raise NotFetched(str(error)) from None

    def _newest_tag(self, git: Sequence[str], url: str, wanted: str, scratch: str) -> str:
        """As Argo CD does: of a range the highest tag that satisfies it."""
        listed = self._run((*git, "ls-remote", "--quiet", "--tags", "--refs", url), scratch).decode("utf-8", "replace")
        tags = [ref.removeprefix(_TAGS) for line in listed.splitlines() if (ref := line.partition("\t")[2])]
        found = newest(tags, wanted)
        if found is None:
            raise NotFetched(f"no tag is in the range {wanted}")
        return f"{_TAGS}{found}"

    # -- files

    def _file(self, url: str) -> bytes:
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError
        from urllib.request import HTTPSHandler, ProxyHandler, Request, build_opener

        proxies = dict.fromkeys(("http", "https"), self._guard.proxy)
        opener = build_opener(ProxyHandler(proxies), HTTPSHandler())
        try:
            with opener.open(Request(url, headers={"User-Agent": "gitops-lint"}), timeout=60) as answer:
                data: bytes = answer.read(limits.FETCHED_FILE_BYTES + 1)
                length = answer.headers.get("Content-Length", "")
        except (URLError, HTTPException, OSError, ValueError) as error:
            if isinstance(error, HTTPError):
                error.close()  # it is an answer, and holds its connection open
            raise NotFetched(self._said(str(getattr(error, "reason", error)))) from None
        is_cut = length.isdigit() and len(data) < min(int(length), limits.FETCHED_FILE_BYTES)
        if self._guard.problems or is_cut:
            raise NotFetched(self._said("the answer ends before its end"))
        if len(data) > limits.FETCHED_FILE_BYTES:
            raise NotFetched(f"has more than {limits.FETCHED_FILE_BYTES // 1024**2} MB")
        return data

    # -- running

    def _run(self, command: Sequence[str], scratch: str, more: Mapping[str, str] | None = None) -> bytes:
        proxies = dict.fromkeys(_PROXIES, self._guard.proxy)
        own = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "TMPDIR": scratch, "NO_PROXY": ""}
        seen = environment(_KEPT, _KEPT_LISTS, **proxies, **own, **(more or {}))
        name = os.path.basename(command[0])
        addresses = limits.GIT_ADDRESSES if command[0] != self._helm else limits.HELM_ADDRESSES
        walls = {"FSIZE": limits.FETCHED_BYTES, "CORE": 0, "AS": addresses}
        walled = guarded(command, self._guard.hatch, self._guard.doors, **walls)
        ended = self._processes.run(walled, scratch, seen, Limits(limits.FETCH_SECONDS, _OUTPUT))
        if isinstance(ended, Failed):
            raise NotFetched(self._said(f"{name} {ended.reason}"))
        if ended.code and _NO_MEMORY.search(ended.complained):
            raise NotFetched(self._said(f"{name} needs more memory than it may have for what came"))
        if ended.code:
            raise NotFetched(self._said(f"{name} says: {_last_words(ended)}"))
        return ended.printed

    def _said(self, words: str) -> str:
        """What the guard knows counts more: the programs only see that nothing came."""
        said = "; ".join(dict.fromkeys(self._guard.problems)) or words
        return _SECRETS.sub("…", said)[:500]


def _last_words(ended: Ended) -> str:
    lines = [line.strip() for line in ended.complained.splitlines() if line.strip()]
    return (lines[-1] if lines else f"exit code {ended.code}").removeprefix("Error: ").removeprefix("fatal: ")


def _chart_version(data: bytes, name: str) -> str:
    """As its Chart.yaml has it. Raises NotFetched for what is no chart."""
    try:
        files = unpacked(data)
    except BadArchive as error:
        raise NotFetched(f"the chart {error}") from None
    tops = [path for path in files if path.count("/") == 1 and path.endswith("/Chart.yaml")]
    if len(tops) != 1:
        raise NotFetched("what helm pull brought is no chart")
    file = SourceFile(tops[0], files[tops[0]].decode("utf-8", "replace"))
    version = file.documents[0].root["version"].text if file.documents else ""
    found = _VERSION.search(name)
    return version or (found["version"] if found else "")
