"""A file that cannot be read was not checked.

It is too large, may not be opened, or is a link that leads out of the
repository. Nothing in it was looked at, so no finding in it does not mean that
it is in order. Argo CD has trouble with these, too: it refuses a folder with
more than 10 MB of manifests, and a link that leaves the repository, anywhere
in it, fails every Application that uses the repository.

Fix: make the file readable, or leave it out of the run with exclude.

See: https://argo-cd.readthedocs.io/en/stable/operator-manual/server-commands/argocd-repo-server/
"""

from collections.abc import Iterator

from ...linter.api import Finding, Moment, Repo, Severity, Spot, rule


@rule("GL802", Severity.WARNING, Moment.SYNC, any_file=True)
def check(repo: Repo) -> Iterator[Finding]:
    for file in repo.files:
        for problem in file.problems:
            if problem.unreadable:
                yield Finding(Spot(file, problem.span), f"this file was not checked: {problem.message}")
