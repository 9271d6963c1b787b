"""Files that were not read, which no page of cases can show."""

from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.lint.rule import Severity
from gitops_lint.linter.repo.build_repo import build_repo
from gitops_lint.linter.yaml.source import Problem, SourceFile, Span
from support import rule_named


def reported(*files: SourceFile, rule: str = "unreadable-file") -> list[tuple[str, Severity, str]]:
    run = Run(build_repo(files))
    run.check([rule_named(rule)])
    return [(item.file.path, item.severity, item.finding.message) for item in run.reported]


REFUSED = SourceFile("large.yaml", "", Problem(Span(0, 0), "11 MB: files over 10 MB are not read", unreadable=True))
GARBLED = SourceFile("latin.yaml", "kind: \ufffd", Problem(Span(6, 6), "not UTF-8: the byte 0xE9 stands here"))
FINE = SourceFile("fine.yaml", "kind: ConfigMap\n")


def test_a_file_that_was_not_read_is_named_with_the_reason() -> None:
    ((path, severity, message),) = reported(FINE, REFUSED)
    assert (path, severity) == ("large.yaml", Severity.WARNING)
    assert message == "this file was not checked: 11 MB: files over 10 MB are not read"


def test_a_file_that_was_read_and_is_no_text_is_a_parse_error() -> None:
    assert not reported(GARBLED)
    ((path, severity, _),) = reported(GARBLED, REFUSED, rule="yaml-parse-error")
    assert (path, severity) == ("latin.yaml", Severity.WARNING)
