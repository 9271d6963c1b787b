"""A remote base without a fixed revision changes what is deployed without a commit here.

A kustomization may name an address: a folder of another repository, or a file. It is
fetched anew whenever Argo CD generates the manifests. Without ?ref= the default branch
is taken, with the name of a branch that branch: what is merged over there is deployed
here, at the next time that the cache is empty, and no diff of this repository shows
it. An outage of the other side fails the Application.

A warning without a revision, with the main line (main, master, HEAD) and with names
that move by design (latest, stable, nightly …), also where latest is a folder in the address
of a file. A note for other names that look like
a branch, such as release-1.2. A tag with a full version or a commit is in order;
addresses whose revision cannot be told are left alone. An address of this very
repository is a note: the relative path does the same, and stays with the revision.
What is taken from one repository is one finding.

Fix: name a tag or, since tags can be moved, a commit: ?ref=v1.2.3. For a file of a
release use the address with the version in it. Better still, keep a copy.

See: https://argo-cd.readthedocs.io/en/stable/user-guide/best_practices/, https://github.com/kubernetes-sigs/kustomize/blob/master/examples/remoteBuild.md

Bad:
    # kustomization.yaml
    resources:
      - https://github.com/example/shop//deploy?ref=main  # <- here
      - https://raw.githubusercontent.com/example/shop/v1.2.3/crd.yaml
Good:
    # kustomization.yaml
    resources:
      - https://github.com/example/shop//deploy?ref=v1.2.3
      - https://raw.githubusercontent.com/example/shop/v1.2.3/crd.yaml
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from ...linter.api import Cause, Confidence, Finding, Moment, Node, Repo, Severity, regex, rule
from ...linter.argocd.this_repo import normal_url
from ...linter.dialects.spelling import is_placeholder
from ...linter.dialects.target_revision import follows_main_line

FILE_REVISION: Final = regex(
    r"https?://(?:"
    r"raw\.githubusercontent\.com/[^/]+/[^/]+/(?P<raw>(?:refs/(?:heads|tags)/)?[^/]+)/"
    r"|github\.com/[^/]+/[^/]+/(?:raw|blob)/(?P<view>(?:refs/(?:heads|tags)/)?[^/]+)/"
    r"|github\.com/[^/]+/[^/]+/releases/(?P<release>latest)/download/"
    r"|[^/]+/.+/-/(?:raw|blob)/(?P<gitlab>[^/]+)/"
    r"|[^/]+/(?:.+/)?(?P<folder>latest)/"
    r").+\.(?:ya?ml|json)(?:\?|$)"
)
IS_FILE: Final = regex(r"https?://[^?]+\.(?:ya?ml|json)(?:\?|$)")
REVISION: Final = regex(r"[?&](?:ref|version)=(?P<revision>[^&]+)")
MOVING: Final = frozenset("latest stable edge nightly canary develop dev next".split())


EFFECT: Final = "What is deployed changes without a commit here, and no diff of this repository shows it."
PIN: Final = "Name a tag or a commit (?ref=v1.2.3), or keep a copy."


@rule("GL720", Severity.WARNING, Moment.UPGRADE)
def check(repo: Repo) -> Iterator[Finding]:
    for kustomization in repo.kustomize.by_folder.values():
        for entry, path in kustomization.inputs():
            if not path and not is_placeholder(entry.text):
                here = posixpath.normpath(posixpath.join(kustomization.folder, entry.text))
                if here not in repo.paths.folders:
                    yield from _judged(repo, entry)


def _judged(repo: Repo, entry: Node) -> Iterator[Finding]:
    revision = _revision(entry.text)
    if revision is None:
        return
    what = "file" if IS_FILE.match(entry.text) else "base"
    home = _home(entry.text)
    branch = revision.removeprefix("refs/heads/")
    follows = follows_main_line(branch)
    is_moving = not revision or follows or branch in MOVING
    if is_moving and repo.paths.path_here(entry.text) is not None:
        yield _own(entry, what)
    elif is_moving:
        source = f"from {branch!r}, which moves" if revision else "without a revision"
        yield Finding(
            entry,
            headline=f"a {what} of {home} is taken {source}",
            happens=EFFECT,
            do=PIN,
            cause=Cause(home, f"{{count}} files and bases of {home} are taken without a fixed revision"),
        )
    elif follows is None or branch != revision:
        likely = "is a branch" if branch != revision else "looks like a branch"
        yield Finding(
            entry,
            headline=f"a {what} of {home} is taken from {branch!r}, which {likely}",
            happens="If it moves, what is deployed changes without a commit here.",
            do=PIN,
            severity=Severity.NOTE,
            confidence=Confidence.LOW,
        )


def _own(entry: Node, what: str) -> Finding:
    return Finding(
        entry,
        headline=f"this remote {what} is part of this very repository",
        happens="It is fetched from the main line whatever revision is synced, so a branch or a tag does not deploy its"
        f" own {what}.",
        do="Name it by its relative path.",
        severity=Severity.NOTE,
    )


def _home(address: str) -> str:
    """The repository that an address leads to, without what it takes from there."""
    url, _, _ = address.partition("?")
    start = url.find("://") + 3 if "://" in url else 0
    ends = (at + kept for mark, kept in (("//", 0), (".git/", 4)) if (at := url.find(mark, start)) >= 0)
    whole = normal_url(url[: min(ends, default=len(url))])
    whole = whole.replace("raw.githubusercontent.com/", "github.com/", 1)
    return "/".join(whole.split("/")[:3]) if whole.startswith("github.com/") or IS_FILE.match(address) else whole


def _revision(address: str) -> str | None:
    """Empty if there is none; None for an address that does not tell."""
    asked = REVISION.search(address)
    if asked:
        return asked["revision"]
    if not IS_FILE.match(address):
        return ""
    found = FILE_REVISION.match(address)
    return next((one for one in found.groups() if one), None) if found else None
