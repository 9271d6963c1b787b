"""How tests run rules: on texts, without a disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gitops_lint.linter.change import Change
from gitops_lint.linter.engine import Run
from gitops_lint.linter.model import Repo, Surroundings, build_repo
from gitops_lint.linter.result import Reported
from gitops_lint.linter.rule import Rule
from gitops_lint.linter.source import Node, SourceFile
from gitops_lint.linter.versions import Version, Versions
from gitops_lint.rules import load

CONFIG = ".gitops-lint.yaml"


def rule_named(name: str) -> Rule:
    return next(rule for rule in load() if rule.name == name)


def repo_of(files: Mapping[str, str], known: Mapping[str, SourceFile] | None = None) -> Repo:
    """The texts are the whole repository; a repoURL that is the only one used counts as its own.

    `known` are files of another revision: what has the same text is the same file.
    """
    config = SourceFile(CONFIG, files.get(CONFIG) or "{}").documents[0].root
    texts = {path: text for path, text in sorted(files.items()) if path != CONFIG}
    charts = {path.removesuffix("Chart.yaml") for path in texts if path.endswith("Chart.yaml")}
    sources = [_file(path, text, known or {}) for path, text in texts.items()]
    templates = [
        file
        for file in sources
        if "{{" in file.text and any(file.path.startswith(f"{one}templates/") for one in charts)
    ]
    sources = [file for file in sources if file not in templates]
    urls = [url.text for url in config["repo-urls"]]
    return build_repo(sources, _versions(config), around=Surroundings(templates=templates, repo_urls=urls, whole=True))


def _versions(root: Node) -> Versions:
    argocd, kubernetes = root["argocd-version"].text, root["kubernetes-version"].text
    return Versions(
        Version.parse(argocd) if argocd else None,
        Version.parse(kubernetes) if kubernetes else None,
    )


def _file(path: str, text: str, known: Mapping[str, SourceFile]) -> SourceFile:
    held = known.get(path)
    return held if held is not None and held.text == text else SourceFile(path, text)


def change_of(before: Mapping[str, str], after: Mapping[str, str]) -> Change:
    """Two revisions, each a whole repository."""
    head = repo_of(after)
    return Change(repo_of(before, {file.path: file for file in head.files}), head)


def run_rules(
    files: Mapping[str, str], rules: Iterable[Rule], before: Mapping[str, str] | None = None
) -> list[Reported]:
    """With what was before, rules about the change run, too."""
    change = change_of(before, files) if before is not None else None
    run = Run(change.head if change else repo_of(files), change)
    run.check(list(rules))
    assert not run.crashes, run.crashes[0].trace
    return sorted(run.reported, key=lambda item: item.sort_key)
