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


def addresses_that_are_none(root: Path) -> None:
    for number, url in enumerate(
        ("ssh://[x/y", "https://[x/y", "git@[::1:x", "https://a:b:c/x", "https://\u2100/x", "[", "@:")
    ):
        text = application(number, "good").replace(OWN, f"'{url}'")
        put(root, f"a{number}/app.yaml", f"{text}---\n{text.replace('path: good', 'chart: x')}")
        lists = f"['{url}', '{url}/x.yaml', 'git::{url}']"
        put(root, f"k{number}/kustomization.yaml", f"resources: {lists}\nbases: {lists}\ncomponents: {lists}\n")
        put(root, f"c{number}/Chart.yaml", f"apiVersion: v2\nname: c\nversion: 1.0.0\ndependencies: [{{name: d, version: 1.0.0, repository: '{url}'}}]\n")  # fmt: skip


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


# -- much of what is allowed: `size` is what a test takes, and `scripts/hostile.py` takes ten or a thousand times that

WAVE = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {0}\n  annotations: {{argocd.argoproj.io/sync-wave: one}}\n"
OWN = "https://git.example.com/x.git"
CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: foos.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{kind: Foo, plural: foos}}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
{0}
"""
FOO = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {{name: f}}\nspec: {{{0}}}\n"
SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: s, namespace: argocd}}
spec:
  generators:
  - {0}
  template:
    metadata: {{name: 'x-{1}'}}
    spec:
      project: default
      source: {{repoURL: https://git.example.com/x.git, path: p, targetRevision: HEAD}}
      destination: {{server: https://kubernetes.default.svc, namespace: a}}
"""


def application(number: int, path: str, more: str = "") -> str:
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: a{number}, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: {OWN}, path: {path}, targetRevision: HEAD{more}}}
  destination: {{server: https://kubernetes.default.svc, namespace: a}}
"""


def own(root: Path) -> None:
    put(root, ".gitops-lint.yaml", f"repo-urls: [{OWN}]\n")


def applications(root: Path, size: int = 400) -> None:
    put(root, "apps.yaml", "---\n".join((*(application(i, "shared") for i in range(size)), application(size, "good"))))
    put(root, "shared/o.yaml", "---\n".join((config_maps(9), WAVE.format("w"))))
    own(root)


def applications_of_all(root: Path, size: int = 60) -> None:
    for i in range(size):
        put(root, f"apps/a{i}.yaml", application(i, ".", ", directory: {recurse: true}"))
    own(root)


def documents(root: Path, size: int = 50_000) -> None:
    put(root, "x.yaml", "a: 1\n---\n" * size)


def objects(root: Path, size: int = 3_000) -> None:
    for part in range(0, size, 50_000):
        put(root, f"x{part}.yaml", config_maps(min(size - part, 50_000)))


def many_files(root: Path, size: int = 2_000) -> None:
    for i in range(size):
        put(root, f"d{i % 100}/f{i}.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{i}}}\n")


def large_file(root: Path, size: int = 200) -> None:
    with (root / "x.yaml").open("wb") as file:
        file.truncate(size * 1024**2)


def large_files(root: Path, size: int = 24) -> None:
    """Each of them small enough."""
    for i in range(size):
        put(
            root,
            f"x{i:03}.yaml",
            f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{i}}}\ndata: {{x: {'x' * 9_000_000}}}\n",
        )


def large_matrix(root: Path, size: int = 10_000) -> None:
    one, other = (f"list: {{elements: [{','.join(f'{{{key}: x{i}}}' for i in range(size))}]}}" for key in "ab")
    put(root, "set.yaml", SET.format(f"matrix: {{generators: [{{{one}}}, {{{other}}}]}}", "{{a}}-{{b}}"))


def bases(root: Path, size: int = 18) -> None:
    for i in range(size):
        for name in "ab":
            inner = f"[../k{i - 1}a, ../k{i - 1}b]" if i else "[x.yaml]"
            put(root, f"k{i}{name}/kustomization.yaml", f"namePrefix: {name}-\nresources: {inner}\n")
    for name in "ab":
        put(root, f"k0{name}/x.yaml", config_maps(1))


def patterns(root: Path, size: int = 4_000) -> None:
    """Regular expressions that take twice as long for every letter, wherever somebody may write one."""
    evil, text = "^(a+)+$", "a" * size + "!"
    targets = "".join(f'- target: {{kind: ConfigMap, name: "(a+)+{"b?" * i}$"}}\n  patch: "[]"\n' for i in range(1, 20))
    put(root, "k/kustomization.yaml", f"resources: [x.yaml]\npatches:\n{targets}")
    put(root, "k/x.yaml", f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {'a' * 250}}}\n")
    put(root, "crd.yaml", CRD.format(f'              a: {{type: string, pattern: "{evil}"}}'))
    put(root, "foo.yaml", FOO.format(f'a: "{text}"'))
    put(root, "chart/Chart.yaml", "apiVersion: v2\nname: c\nversion: 1.0.0\n")
    put(root, "chart/values.yaml", f'a: "{text}"\n')
    put(root, "chart/values.schema.json", f'{{"properties": {{"a": {{"type": "string", "pattern": "{evil}"}}}}}}')
    put(root, "chart/templates/x.yaml", WAVE.format("w"))


def path_patterns(root: Path, size: int = 60) -> None:
    stars, folders = "*a" * size + "b", "**/" * size + "b"
    put(root, "set.yaml", SET.format(
        f"git: {{repoURL: {OWN}, revision: HEAD, directories: [{{path: '{stars}'}}, {{path: '{folders}'}}]}}", "{{path.basename}}"
    ))  # fmt: skip
    put(root, f"{'a' * 200}/x.yaml", WAVE.format("one"))
    put(root, f"{'/'.join('a' * 40)}/x.yaml", WAVE.format("two"))
    put(root, ".gitignore", f"{stars}\n{folders}\n")
    put(root, ".gitops-lint.yaml", f"exclude: ['{stars}', '{'**/a' * size}']\nrepo-urls: [{OWN}]\n")
    put(
        root,
        "p.yaml",
        f"apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {{name: p, namespace: argocd}}\nspec:\n  sourceRepos: ['{stars}']\n  destinations: [{{server: '{stars}', namespace: '*'}}]\n",
    )


def schema(root: Path, size: int = 6_000) -> None:
    put(
        root,
        "crd.yaml",
        CRD.format("".join(f"              f{i}: {{type: string, default: {'d' * 50}}}\n" for i in range(size))),
    )
    put(root, "foo.yaml", FOO.format("f1: 1"))


def folded_schema(root: Path, size: int = 30) -> None:
    """Thirty lines that stand for a thousand million fields."""
    lines = "".join(
        f"              f{i}: &f{i} {{type: object, properties: {{a: *f{i - 1}, b: *f{i - 1}}}}}\n"
        for i in range(1, size)
    )
    put(root, "crd.yaml", CRD.format("              f0: &f0 {type: string}\n" + lines))
    put(root, "foo.yaml", FOO.format("f1: 1"))


def slow_charts(root: Path, size: int = 6) -> None:
    for i in range(size):
        put(root, f"chart{i}/Chart.yaml", f"apiVersion: v2\nname: c{i}\nversion: 1.0.0\n")
        loops = '{{- range until 100000 }}{{- range until 100000 }}{{ $x := sha256sum "a" }}{{- end }}{{- end }}'
        put(root, f"chart{i}/templates/x.yaml", WAVE.format("w") + loops)


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
    "addresses-that-are-none": Hostile(addresses_that_are_none),
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
        files(
            x="\n---\n".join(
                [
                    "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
                    + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 6))
                ]
                * 20
            )
        ),
        "grows beyond measure",
    ),
    "matrix": Hostile(
        files(
            set=matrix(), folder__x=config_maps(5), app=application(0, "good").replace(OWN, "https://example.com/r.git")
        )
    ),
    "generators": Hostile(
        files(
            kustomization="configMapGenerator:\n"
            + "".join(f"- {{name: c{i}, literals: [a=b]}}\n" for i in range(1_000))
        )
    ),
    "prefix": Hostile(
        files(kustomization=f"namePrefix: {'p' * 5_000_000}\nresources: [r.yaml]\n", r=config_maps(500)),
        "goes into others",
        complete=False,
    ),
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
    "applications": Hostile(applications, "GL203"),
    "applications-of-all": Hostile(applications_of_all),
    "documents": Hostile(documents),
    "objects": Hostile(objects),
    "files": Hostile(many_files),
    "large-file": Hostile(large_file, "200 MB: files over 10 MB are not read"),
    "large-files": Hostile(large_files, "more files than a run reads", complete=False),
    "large-matrix": Hostile(large_matrix, "gives more than 2,000 sets of parameters"),
    "bases": Hostile(bases, "a build of more than 20,000 objects"),
    "patterns": Hostile(patterns),
    "path-patterns": Hostile(path_patterns, "GL203"),
    "schema": Hostile(schema),
    "folded-schema": Hostile(folded_schema, "grows beyond measure"),
}
FULL_SIZE = {
    "applications": 10_000,
    "applications-of-all": 1_000,
    "documents": 1_000_000,
    "objects": 1_000_000,
    "files": 50_000,
    "bases": 25,
    "schema": 60_000,
    "large-files": 100,
}
"""As strangers may send them, and as `scripts/hostile.py` tries them."""  # fmt: skip
CONFIGS = {
    "yaml": lambda root: put(root, ".gitops-lint.yaml", "? " * 30_000 + "x\n"),
    "dotted": toml("a" + ".a" * 100_000 + "=1\n"),
    "tables": toml("x=" + "{a=" * 400 + "1" + "}" * 400 + "\n"),
    "lists": toml("x=" + "[" * 5_000),
}
