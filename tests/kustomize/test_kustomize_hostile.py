"""Kustomizations that somebody wrote to hurt: bounded time, bounded memory, a clear word, nothing read outside."""

from __future__ import annotations

import pytest
from gitops_lint.linter.kustomize.builder import MAX_DEPTH, Build, Builder
from gitops_lint.linter.yaml.source import SourceFile

THING = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n"


class Texts:
    """A repository of texts that notes what is asked for."""

    def __init__(self, texts: dict[str, str]) -> None:
        self._files = {path: SourceFile(path, text) for path, text in texts.items()}
        self.asked: list[str] = []

    def source(self, path: str) -> SourceFile | None:
        self.asked.append(path)
        return self._files.get(path)

    def real(self, path: str) -> str:
        return path

    def data(self, path: str) -> bytes | None:
        self.asked.append(path)
        file = self._files.get(path)
        return None if file is None else file.text.encode()

    def is_folder(self, path: str) -> bool:
        self.asked.append(path)
        return any(known.startswith(f"{path}/") for known in self._files)


def build(texts: dict[str, str], folder: str) -> Build:
    return Builder(Texts(texts)).build(folder)


def reasons(one: Build) -> list[str]:
    return [left_out.reason for left_out in one.not_built]


def test_a_long_chain_of_bases_ends() -> None:
    texts = {"0/kustomization.yaml": "resources: [a.yaml]\n", "0/a.yaml": THING}
    texts |= {f"{level}/kustomization.yaml": f"resources: [../{level - 1}]\n" for level in range(1, 400)}
    assert reasons(build(texts, "399")) == [f"bases nested more than {MAX_DEPTH} deep"]
    assert not build(texts, "40").not_built


def test_bases_that_double_at_every_level_end() -> None:
    texts = {"0/kustomization.yaml": "resources: [a.yaml]\n", "0/a.yaml": THING}
    for level in range(1, 20):
        for side in "ab":
            texts[f"{level}{side}/kustomization.yaml"] = f"resources: [../{level - 1}]\nnamePrefix: {side}-\n"
        texts[f"{level}/kustomization.yaml"] = f"resources: [../{level}a, ../{level}b]\n"
    assert len(build(texts, "8").objects) == 2**8
    (reason,) = set(reasons(build(texts, "19")))
    assert reason == "a build of more than 20,000 objects"


def test_a_patch_that_copies_what_it_copied_ends() -> None:
    operations = "".join(f"      - {{op: copy, from: /data, path: /data/x{number}}}\n" for number in range(60))
    patch = f"patches:\n  - target: {{kind: ConfigMap}}\n    patch: |-\n{operations}"
    made = build({"kustomization.yaml": f"resources: [a.yaml]\n{patch}", "a.yaml": THING}, ".")
    assert reasons(made) == ["a build that grows beyond measure"]
    assert made.objects == ()


def test_replacements_that_replace_what_they_made_end() -> None:
    entry = (
        "  - source: {{kind: ConfigMap, fieldPath: data}}\n    targets:\n      - select: {{kind: ConfigMap}}\n"
        "        fieldPaths: [data.y{0}]\n        options: {{create: true}}\n"
    )
    text = "resources: [a.yaml]\nreplacements:\n" + "".join(entry.format(number) for number in range(60))
    assert reasons(build({"kustomization.yaml": text, "a.yaml": THING}, ".")) == ["a build that grows beyond measure"]


@pytest.mark.parametrize(
    "entry",
    [
        "/etc/passwd",
        "../../../etc",
        "../../outside",
        "https://example.com/a.yaml",
        "git@example.com:a/b",
        "a/../../../x",
    ],
)
@pytest.mark.parametrize(
    "field",
    [
        "resources: ['{0}']",
        "components: ['{0}']",
        "patches: [{{path: '{0}'}}]",
        "patchesStrategicMerge: ['{0}']",
        "configMapGenerator: [{{name: a, files: ['{0}']}}]",
        "secretGenerator: [{{name: a, envs: ['{0}']}}]",
        "configurations: ['{0}']",
        "crds: ['{0}']",
        "transformers: ['{0}']",
        "generators: ['{0}']",
        "replacements: [{{path: '{0}'}}]",
        "openapi: {{path: '{0}'}}",
    ],
)
def test_nothing_outside_the_repository_is_asked_for(field: str, entry: str) -> None:
    files = Texts({"base/kustomization.yaml": field.format(entry) + "\n"})
    made = Builder(files).build("base")
    assert made.errors or made.not_built
    assert not [path for path in files.asked if path.startswith(("/", ".."))], files.asked
