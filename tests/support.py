"""How tests run rules: on texts, without a disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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


def repo_of(files: Mapping[str, str]) -> Repo:
    """The texts are the whole repository; a repoURL that is the only one used counts as its own."""
    config = SourceFile(CONFIG, files.get(CONFIG) or "{}").documents[0].root
    texts = {path: text for path, text in sorted(files.items()) if path != CONFIG}
    charts = {path.removesuffix("Chart.yaml") for path in texts if path.endswith("Chart.yaml")}
    files = [SourceFile(path, text) for path, text in texts.items()]
    templates = [
        file for file in files if "{{" in file.text and any(file.path.startswith(f"{one}templates/") for one in charts)
    ]
    sources = [file for file in files if file not in templates]
    urls = [url.text for url in config["repo-urls"]]
    return build_repo(sources, _versions(config), around=Surroundings(templates=templates, repo_urls=urls, whole=True))


def _versions(root: Node) -> Versions:
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
