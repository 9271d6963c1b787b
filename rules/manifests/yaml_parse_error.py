"""A file that is not valid YAML fails the whole Application, or is left out without a word.

Argo CD reads a folder of manifests file by file. When a document does not
parse, it looks at the rest of the file: if an earlier document of it was an
object, or the text contains apiVersion:, kind: and metadata: anywhere, the
manifests of the whole Application cannot be generated (error). Else it takes
the file for something that is not a manifest and skips it; what it was to
bring is missing, or pruned (warning). A JSON file that does not parse always
fails the Application. Kustomize and Helm refuse a broken file that they are
told to read; one beside a kustomization, which no kustomization names, is not
read at all (note), and neither is one in a folder that no Application reads, where they read
most of what is here. Values that no Application is seen to use are a warning.

Kubernetes cuts a file at the lines that begin with --- and reads one document
of each part. Directives (%YAML) and text behind --- are refused (error); what
follows a line ... up to the next --- is dropped (warning).

A file with the marks of a template where a value or a line begins ({{, {%, <%,
<#if, <A_TOKEN>), or on the broken line (${{, %{, ${NAME}, {NAME}), is probably rendered elsewhere, and one that has
+argocd:skip-file-rendering is skipped on purpose (Argo CD 3.1 and later):
these are notes. A parameter of an ApplicationSet ({{cluster}}) is no such mark: it needs quotes.

Fix: repair the YAML at the place named. Frequent causes are a tab in the
indentation, a missing quote, a value with a colon and no quotes, a line ---
that is indented and so separates nothing, a merge conflict that was committed.

See: argo-cd#17288, argo-cd#4811

Bad:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      greeting: say: hello  # <- here
Good:
    apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      greeting: "say: hello"
"""

import json
import posixpath
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from ...linter.api import Confidence, Finding, Moment, Repo, Severity, SourceFile, Span, Spot, and_more, regex, rule
from ...linter.argocd.applications import Application
from ...linter.argocd.unquoted_template import unquoted_template
from ...linter.lint.sealed_files import encryption_of
from ...linter.repo.file_roles import FileRoles, Role
from ...linter.yaml.source import Problem

READ_BY_OTHERS: Final = frozenset((Role.KUSTOMIZATION, Role.NAMED, Role.DATA, Role.VALUES))
SKIPPED_ON_PURPOSE: Final = "+argocd:skip-file-rendering"
LOOKS_LIKE_A_MANIFEST: Final = ("apiVersion:", "kind:", "metadata:")
TEMPLATE: Final = regex(r"^\s*(?:- +)?(?:[^\s#'\"]+: +)?(?:\{\{|\{%|<%|</?#[a-z]|<[A-Z][A-Z0-9_]*>)", re.MULTILINE)
FILLED_IN_LATER: Final = regex(r"\$\{\{|%\{|\$?\{[A-Z][A-Z0-9_]*\}|([%@])[A-Z][A-Z0-9_]*\1")
"""On the broken line: Backstage, Terraform, envsubst, a Makefile, sed."""
CONFLICT: Final = regex(r"^<{7}(?= |$)", re.MULTILINE)
AFTER_THE_END: Final = "did not find expected <document start>"
LONGEST_MESSAGE: Final = 75
"""Of the parser, in a headline."""
INDENTED_SEPARATOR: Final = regex(r"[ \t]+---[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*")
"""And nothing after it: a parser notices only at the next key that something is wrong."""


@rule("GL800", Severity.ERROR, Moment.SYNC, any_file=True)
def check(repo: Repo) -> Iterator[Finding]:
    roles = FileRoles(repo.files)
    built = {error.at.file.path: build.folder for build in reversed(repo.kustomize.builds) for error in build.errors}
    for file in repo.files:
        problems = [problem for problem in file.problems if not problem.unreadable]
        if problems and not _is_json(file) and encryption_of(file) is None:  # whoever has the key reads it
            for problem in dict.fromkeys(_causes(file, problems)):
                broken = repo.broken_for.get(file.path, ())
                where = built.get(file.path, "")
                role = roles.of(file.path)
                if role is Role.DATA and not (broken or where):
                    continue
                if role is Role.KUSTOMIZATION:  # which is no build as long as it cannot be read
                    where = posixpath.dirname(file.path) or "."
                    broken = broken or _syncing(where, repo)
                is_built = not where or bool(broken) or _may_be_built(where, repo)
                is_read = is_built and file.path not in repo.reach.unread and not _is_left_over(file, repo)
                yield _finding(file, problem, broken, where, is_read=is_read, role=role)
    for file in repo.files:
        if (
            file.oddities
            and _is_read_as_it_is(file)
            and not (file.path in repo.reach.unread or roles.of(file.path) in READ_BY_OTHERS)
        ):
            for one in file.oddities:
                place = Spot(file, Span(one.start, one.end))
                refused = f"Argo CD cannot generate the manifests of {_named(())}."
                yield Finding(
                    place,
                    headline="Kubernetes reads this YAML otherwise than YAML says",
                    happens=f"{one.message[0].upper()}{one.message[1:]}. {refused if one.refused else ''}".strip(),
                    do="Put only --- between documents, on a line of its own.",
                    severity=Severity.ERROR if one.refused else Severity.WARNING,
                )


def _syncing(folder: str, repo: Repo) -> tuple[Application, ...]:
    found = (app.application for app in repo.applications if any(one.path == folder for one in app.rendered))
    return tuple(filter(None, found))


def _is_left_over(file: SourceFile, repo: Repo) -> bool:
    """Whether Applications read most of what is here, and nothing in a folder around the file."""
    folder = posixpath.dirname(file.path) or "."
    if not repo.reach.tells_most or file.path in repo.reach.read or repo.reach.templates_for(folder):
        return False
    read = {one.path for app in repo.applications for one in app.rendered if one.path}
    return "." not in read and not any(f"{folder}/".startswith(f"{path}/") for path in read)


def _may_be_built(folder: str, repo: Repo) -> bool:
    """Whether somebody may sync a folder that no Application is seen to sync."""
    return not repo.applications or bool(repo.reach.templates_for(folder))


def _causes(file: SourceFile, problems: Sequence[Problem]) -> Iterator[Problem]:
    """Parsing stops somewhere after the first mark of a merge conflict, and after a separator that is none."""
    marks = [mark.span() for mark in CONFLICT.finditer(file.text)]
    for problem in problems:
        above = bisect_right(marks, (problem.span.start, len(file.text)))
        if above:
            yield Problem(Span(*marks[above - 1]), "a merge conflict was left here")
        else:
            yield _separator_before(file, problem) or unquoted_template(file) or problem


def _separator_before(file: SourceFile, problem: Problem) -> Problem | None:
    separator = file.text.rfind("---", 0, problem.span.start)
    begin, end = (file.text.rfind("\n", 0, offset) + 1 for offset in (max(separator, 0), problem.span.start))
    if INDENTED_SEPARATOR.fullmatch(file.text, begin, end):
        message = "a line --- separates documents only where it is not indented"
        return Problem(Span(separator, separator + 3), message)
    return None


def _finding(
    file: SourceFile,
    problem: Problem,
    broken: Sequence[Application],
    built: str,
    *,
    is_read: bool,
    role: Role,
) -> Finding:
    is_values = role is Role.VALUES
    severity, confidence = Severity.ERROR, Confidence.HIGH
    if SKIPPED_ON_PURPOSE in file.text:
        severity = Severity.NOTE
        effect = "Argo CD 3.1 and later skip the file, as it asks for"
    elif _looks_like_a_template(file, problem) and not (built or broken):
        severity, confidence = Severity.NOTE, Confidence.LOW
        effect = "it looks like a template that something else renders"
    elif built and not broken:
        if not is_read or _is_filled_in_later(file, problem):
            severity, confidence = Severity.NOTE, Confidence.MEDIUM
        elif _looks_like_a_template(file, problem):
            severity = Severity.WARNING
        effect = f"Kustomize refuses to build {built}{'' if is_read else ', which no Application uses'}"
    elif not is_read:
        severity, confidence = Severity.NOTE, Confidence.MEDIUM
        effect = "no kustomization or Application is seen to read the file"
    elif is_values and not broken:
        severity = Severity.WARNING
        effect = "Helm cannot render a chart with these values"
    elif role is Role.NAMED and not broken:
        severity = Severity.WARNING
        effect = "a kustomization hands it on as it is, and whoever reads it cannot"
    elif problem.message == AFTER_THE_END and _has_object_before(file, problem):
        severity = Severity.WARNING
        effect = "Argo CD applies what stands before it and drops the rest, up to the next ---, without a word"
    elif broken or _is_taken_for_a_manifest(file, problem):
        effect = f"Argo CD cannot generate the manifests of {_named(broken)}"
    else:
        severity = Severity.WARNING
        effect = "in a folder of plain manifests Argo CD leaves the file out without a word"
    return Finding(
        Spot(file, problem.span),
        headline=f"this is not valid YAML: {_short(problem.message)}",
        happens=f"{effect[0].upper()}{effect[1:]}.",
        do="Repair the YAML here."
        if role in READ_BY_OTHERS
        else "Repair the YAML here, or leave the file out with exclude.",
        severity=severity,
        confidence=confidence,
    )


def _short(message: str) -> str:
    """Without what the parser was at, where that makes it long."""
    return message if len(message) <= LONGEST_MESSAGE else message.partition(", while ")[0]


def _has_object_before(file: SourceFile, problem: Problem) -> bool:
    """Whether a whole object stands before it, with no line of --- between."""
    before = [one for one in file.documents if one.root.span.start < problem.span.start]
    return (
        bool(before)
        and before[-1].root["kind"].present
        and not any(
            line.startswith("---") for line in file.text[before[-1].root.span.end : problem.span.start].splitlines()
        )
    )


def _looks_like_a_template(file: SourceFile, problem: Problem) -> bool:
    if unquoted_template(file) is not None:
        return False
    return TEMPLATE.search(file.text) is not None or _is_filled_in_later(file, problem)


def _is_filled_in_later(file: SourceFile, problem: Problem) -> bool:
    return FILLED_IN_LATER.search(file.line_text(file.position(problem.span.start).line)) is not None


def _named(broken: Sequence[Application]) -> str:
    if not broken:
        return "an Application that reads this file"
    return f"{broken[0]}{and_more(len(broken) - 1, ' and of {} more')}"


def _is_taken_for_a_manifest(file: SourceFile, problem: Problem) -> bool:
    if file.path.endswith(".json") or all(word in file.text for word in LOOKS_LIKE_A_MANIFEST):
        return True
    return any(
        document.root["kind"].text and document.raw.start_mark.index < problem.span.start for document in file.documents
    )


def _is_json(file: SourceFile) -> bool:
    """JSON may hold escapes that YAML does not have; Argo CD reads it with a JSON parser."""
    if not file.path.endswith(".json"):
        return False
    try:
        json.loads(file.text)
    except (ValueError, RecursionError):
        return False
    return True


def _is_read_as_it_is(file: SourceFile) -> bool:
    return SKIPPED_ON_PURPOSE not in file.text and not TEMPLATE.search(file.text)
