"""How tests run rules: on texts, without a disk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gitops_lint.linter.argocd.clusters import Cluster
from gitops_lint.linter.change import Change
from gitops_lint.linter.facts.file_names import JSONNET, KUSTOMIZATIONS
from gitops_lint.linter.facts.versions import Version, Versions
from gitops_lint.linter.files.discover import EXTENSIONS
from gitops_lint.linter.files.disk import Reader, Stamp
from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Rule
from gitops_lint.linter.repo.build_repo import Surroundings, build_repo
from gitops_lint.linter.repo.model import Repo
from gitops_lint.linter.yaml.source import Node, SourceFile
from gitops_lint.rules import load

CONFIG = ".gitops-lint.yaml"


class Texts(Reader):
    """Opens texts as a Reader opens files: also those that a run does not look at by itself."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def file(self, path: str) -> SourceFile | None:
        return SourceFile(path, self._texts[path]) if path in self._texts else None

    def data(self, path: str) -> bytes | None:
        return self._texts[path].encode() if path in self._texts else None

    def below(self, folder: str) -> list[str]:
        return sorted(path for path in self._texts if folder == "." or path.startswith(f"{folder}/"))

    def stamp(self, path: str) -> Stamp | None:
        return Stamp(self._texts[path], 0) if path in self._texts else None

    def real(self, path: str) -> str:
        return path

    def is_folder(self, path: str) -> bool:
        return any(one.startswith(f"{path}/") for one in self._texts)


def rule_named(name: str) -> Rule:
    return next(rule for rule in load() if rule.name == name)


def repo_of(files: Mapping[str, str], known: Mapping[str, SourceFile] | None = None) -> Repo:
    """The texts are the whole repository; a repoURL that is the only one used counts as its own.

    `known` are files of another revision: what has the same text is the same file.
    """
    config = _config(files)
    texts = {path: text for path, text in sorted(files.items()) if path != CONFIG}
    charts = {path.removesuffix("Chart.yaml") for path in texts if path.endswith("Chart.yaml")}
    sources = [_file(path, text, known or {}) for path, text in texts.items()]
    templates = [
        file
        for file in sources
        if "{{" in file.text and any(file.path.startswith(f"{one}templates/") for one in charts)
    ]
    seen = [
        file
        for file in sources
        if file not in templates and (file.path.endswith(EXTENSIONS) or file.path.rpartition("/")[2] in KUSTOMIZATIONS)
    ]
    json = [file for file in seen if file.path.endswith(".json") and not _is_manifest(file.text)]
    around = Surroundings(
        templates=templates,
        others=json,
        jsonnet=[path for path in texts if path.endswith(JSONNET)],
        reader=Texts(texts),
        repo_urls=[url.text for url in config["repo-urls"]],
        clusters=[Cluster.configured(entry) for entry in config["clusters"].value or ()],
        plugins=config["plugins"].value or {},
        whole=True,
    )
    return build_repo([file for file in seen if file not in json], _versions(config), around=around)


def _is_manifest(text: str) -> bool:
    return '"kind"' in text and '"apiVersion"' in text


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


def _config(files: Mapping[str, str]) -> Node:
    return SourceFile(CONFIG, files.get(CONFIG) or "{}").documents[0].root


def run_rules(
    files: Mapping[str, str], rules: Iterable[Rule], before: Mapping[str, str] | None = None
) -> list[Reported]:
    """With what was before, rules about the change run, too."""
    change = change_of(before, files) if before is not None else None
    run = Run(change.head if change else repo_of(files), change)
    options = _config(files)["options"].value or {}
    run.check([rule.with_options(options[rule.name]) if rule.name in options else rule for rule in rules])
    assert not run.crashes, run.crashes[0].trace
    return sorted(run.reported, key=lambda item: item.sort_key)
