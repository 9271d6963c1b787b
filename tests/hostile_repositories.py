"""Repositories that want to end a run, or to hold it: made when they are needed, none of them stored.

Each is a function that fills a folder, with what a run has to say of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

GOOD = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: good\n"


class Hostile(NamedTuple):
    make: Callable[[Path], None]
    says: str = ""
    """What is in the report of `check`, in one of its lines."""
    complete: bool = True
    """False when a limit of ours is met, so that the exit code is 2."""


def put(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def files(**texts: str) -> Callable[[Path], None]:
    """By their names, two underscores for a slash; all are YAML."""

    def make(root: Path) -> None:
        for name, text in texts.items():
            put(root, name.replace("__", "/") + ".yaml", text)

    return make


def config_maps(count: int) -> str:
    return "---\n".join(f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c-{i}\n" for i in range(count))


def many_fields() -> str:
    fields = "".join(f"  f{i}: 1\n" for i in range(5_000))
    return f"apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: x}}\nspec:\n{fields}"


def names_that_are_none(root: Path) -> None:
    fields = ("resources: [X]", "bases: [X]", "patches: [{path: X}]", "patchesStrategicMerge: [X]", "components: [X]",
              "configurations: [X]", "crds: [X]", "generators: [X]", "transformers: [X]", "replacements: [{path: X}]",
              "openapi: {path: X}", "configMapGenerator: [{name: a, files: [X]}]",
              "patchesJson6902: [{path: X, target: {version: v1, kind: A, name: b}}]")  # fmt: skip
    for field in fields:
        for number, name in enumerate(('"a\\0b"', '"a\\0/b"', '"a\\ud800b"')):
            put(root, f"{field.partition(':')[0]}{number}/kustomization.yaml", field.replace("X", name) + "\n")


def deep_folders(root: Path) -> None:
    here = os.getcwd()
    os.chdir(root)
    try:
        for _ in range(1_500):
            os.mkdir("a")
            os.chdir("a")
        Path("deep.yaml").write_text(GOOD)
    finally:
        os.chdir(here)


def components(root: Path) -> None:
    kind = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
    for i in range(30):
        inner = f"components: [../c{i - 1}, ../c{i - 1}]\n" if i else "labels: [{pairs: {a: b}}]\n"
        put(root, f"c{i}/kustomization.yaml", kind + inner)
    put(root, "top/kustomization.yaml", "resources: [good.yaml]\ncomponents: [../c29]\n")
    put(root, "top/good.yaml", GOOD)


def schema_folder(root: Path) -> None:
    put(root, ".gitops-lint.yaml", "schema-dir: schemas\n")
    put(root, "a.yaml", "apiVersion: x.y/v1\nkind: Foo\nmetadata: {name: a}\n")
    (root / "schemas/x.y").mkdir(parents=True)
    (root / "schemas/x.y/foo_v1.json").symlink_to("/dev/zero")


def matrix() -> str:
    lists = [",".join(f"{{{key}: x{i}}}" for i in range(8)) for key in "abc"]
    return """apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: m, namespace: argocd}}
spec:
  generators:
  - matrix:
      generators:
      - list: {{elements: [{}]}}
      - matrix:
          generators:
          - list: {{elements: [{}]}}
          - list: {{elements: [{}]}}
  template:
    metadata: {{name: 'a-{{{{a}}}}-{{{{b}}}}-{{{{c}}}}'}}
    spec:
      project: default
      source: {{repoURL: https://example.com/r.git, path: folder, targetRevision: HEAD}}
      destination: {{server: https://kubernetes.default.svc, namespace: x}}
""".format(*lists)


def toml(text: str) -> Callable[[Path], None]:
    return lambda root: put(root, "gitops-lint.toml", text)


DEEP = "nested more than 250 levels deep"
TOO_MANY = "values in one file are not read"
CRASHERS = {
    "question-marks": Hostile(files(x="? " * 30_000 + "x"), DEEP),
    "dashes": Hostile(files(x="-  " * 25_000 + "x"), DEEP),
    "brackets": Hostile(files(x="[" * 100_000), DEEP),
    "indented": Hostile(files(x="".join(" " * i + "a:\n" for i in range(1_200))), DEEP),
    "deep-by-aliases": Hostile(files(x="".join(f"a{i}: &a{i} [{f'*a{i - 1}' if i else 1}]\n" for i in range(400))), DEEP),
    "complex-keys": Hostile(files(x=f"{GOOD}data:\n  ? [a]\n  : b\n"), "invalid map key: a list"),
    "null-keys": Hostile(files(x=f"{GOOD}data:\n  ~: b\n"), "invalid map key: null"),
    "names-that-are-none": Hostile(names_that_are_none),
    "deep-folders": Hostile(deep_folders, "a/a/a/a"),
    "parentheses": Hostile(
        files(kustomization=f"resources: [r.yaml]\npatches: [{{target: {{name: '{'(' * 900}'}}, patch: '[]'}}]\n", r=GOOD),
        "a regular expression that is nested too deeply",
    ),
    "more-parentheses": Hostile(
        files(kustomization=f"resources: [r.yaml]\npatches: [{{target: {{name: '{'(' * 30_000}'}}, patch: '[]'}}]\n", r=GOOD),
        "a regular expression that is too large",
    ),
    "deep-objects": Hostile(
        files(kustomization="resources: [r.yaml]\n", r=f"{config_maps(1)}data:\n{''.join(' ' * i + 'a:' + chr(10) for i in range(1, 240))}")
    ),
}  # fmt: skip
SLOW = {
    "broken-documents": Hostile(files(x="---\na: [\n" * 10_000), "the rest of the file is not read"),
    "unknown-fields": Hostile(files(x=many_fields()), "more unknown fields from here on"),
    "at-signs": Hostile(files(kustomization=f'resources: ["{"@" * 60_000}"]\n')),
    "components": Hostile(components, "components in one build", complete=False),
    "aliases": Hostile(
        files(x="\n---\n".join(["a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 6))] * 20)),
        "grows beyond measure",
    ),
    "matrix": Hostile(files(set=matrix(), folder__x=config_maps(5))),
    "generators": Hostile(files(kustomization="configMapGenerator:\n" + "".join(f"- {{name: c{i}, literals: [a=b]}}\n" for i in range(1_000)))),
    "prefix": Hostile(files(kustomization=f"namePrefix: {'p' * 5_000_000}\nresources: [r.yaml]\n", r=config_maps(500)), "goes into others", complete=False),
    "replacement": Hostile(
        files(
            kustomization="resources: [r.yaml, s.yaml]\nreplacements:\n- source: {kind: Secret, name: good, fieldPath: stringData.x}\n"
            "  targets: [{select: {kind: ConfigMap}, fieldPaths: [metadata.name], options: {delimiter: '-', index: 1}}]\n",
            r=config_maps(500),
            s=f"{GOOD}stringData:\n  x: {'s' * 5_000_000}\n",
        ),
        "goes into others",
        complete=False,
    ),
    "schema-folder": Hostile(schema_folder),
    "flow-list": Hostile(files(x="[" + "a," * 1_300_000 + "]"), TOO_MANY),
}  # fmt: skip
CONFIGS = {
    "yaml": lambda root: put(root, ".gitops-lint.yaml", "? " * 30_000 + "x\n"),
    "dotted": toml("a" + ".a" * 100_000 + "=1\n"),
    "tables": toml("x=" + "{a=" * 400 + "1" + "}" * 400 + "\n"),
    "lists": toml("x=" + "[" * 5_000),
}
