"""A merge conflict that was committed: both versions, and the marks around them, are shipped.

Git puts its marks at the beginning of a line, where mostly they make a file unreadable;
that is yaml-parse-error's to tell. Within a block of text that is itself indented (a
script, a configuration in a ConfigMap, inline values of a chart) the file still parses.
Then Argo CD syncs it without a word, and whoever reads the text finds both versions and
three lines that mean nothing to it.

Only the whole of a conflict counts: <<<<<<<, =======, >>>>>>>, in this order, each at
the beginning of its line but for blanks. Folders of documentation are left out.

Fix: decide for one of the two versions and take the marks out.

See: argo-cd#1817, https://git-scm.com/docs/git-merge#_how_conflicts_are_presented

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      app.properties: |
        greeting=hello
        <<<<<<< HEAD  # <- here
        color=green
        =======
        color=blue
        >>>>>>> feature
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      app.properties: |
        greeting=hello
        color=blue
"""

import re
from collections.abc import Iterator
from typing import Final

from ...linter.api import Finding, Moment, Repo, Severity, SourceFile, Span, Spot, regex, rule

# Neither half reaches over the next conflict: a file full of half ones is gone through once.
HALF: Final = r"(?:(?![ \t]*<{7})[^\n]*\n)*?"
CONFLICT: Final = regex(
    rf"^[ \t]*(?P<mark><{{7}})(?: [^\n]*)?\n{HALF}[ \t]*={{7}}\r?\n{HALF}[ \t]*>{{7}}(?: |\r?$)", re.MULTILINE
)
DOCUMENTATION: Final = frozenset(("doc", "docs", "documentation"))


@rule("GL021", Severity.ERROR, Moment.SYNC, literal=True, any_file=True)
def check(repo: Repo) -> Iterator[Finding]:
    for file in repo.files:
        if "<<<<<<<" in file.text and DOCUMENTATION.isdisjoint(file.path.split("/")):
            for conflict in CONFLICT.finditer(file.text):
                mark = Span(*conflict.span("mark"))
                if not _stops_parsing(file, mark):
                    yield Finding(
                        Spot(file, mark),
                        headline="a merge conflict was committed here",
                        happens="The file still parses, so both versions and the marks between them reach the cluster.",
                        do="Keep one of the versions, and take the marks out.",
                    )


def _stops_parsing(file: SourceFile, mark: Span) -> bool:
    """Whether the text breaks after this mark and before the next one: then it is told as what broke it."""
    after = file.text.find("<<<<<<<", mark.end)
    end = after if after >= 0 else len(file.text)
    return any(not one.unreadable and mark.start <= one.span.start <= end for one in file.problems)
