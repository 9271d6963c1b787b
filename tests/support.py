"""How tests run rules: on texts, without a disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gitops_lint.linter.engine import Run
from gitops_lint.linter.model import Repo, build_repo
from gitops_lint.linter.result import Reported
from gitops_lint.linter.rule import Rule
from gitops_lint.linter.source import SourceFile
from gitops_lint.linter.versions import Version, Versions
from gitops_lint.rules import load

CONFIG = ".gitops-lint.yaml"


def rule_named(name: str) -> Rule:
    return next(rule for rule in load() if rule.name == name)


def repo_of(files: Mapping[str, str]) -> Repo:
    sources = [SourceFile(path, text) for path, text in sorted(files.items()) if path != CONFIG]
    return build_repo(sources, _versions(files.get(CONFIG, "")))


def _versions(config: str) -> Versions:
    root = SourceFile(CONFIG, config or "{}").documents[0].root
    argocd, kubernetes = root["argocd-version"].text, root["kubernetes-version"].text
    return Versions(
        Version.parse(argocd) if argocd else None,
        Version.parse(kubernetes) if kubernetes else None,
    )


def run_rules(files: Mapping[str, str], rules: Iterable[Rule]) -> list[Reported]:
    run = Run(repo_of(files))
    run.check(list(rules))
    assert not run.crashes, run.crashes[0].trace
    return sorted(run.reported, key=lambda item: item.sort_key)
