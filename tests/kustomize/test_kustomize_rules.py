"""What the pages of the rules about Kustomize cannot say: messages, second places, files on a disk, the real tool."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from gitops_lint.linter.argocd.argocd_settings import read_settings
from gitops_lint.linter.cli.rendered_objects import render_kustomization
from gitops_lint.linter.files.discover import discover
from gitops_lint.linter.fix import fix_files
from gitops_lint.linter.lint.config import Config
from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.lint.load_revisions import read_repo
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Severity
from gitops_lint.linter.yaml.source import SourceFile
from hypothesis import HealthCheck, given, note, settings
from kustomize_yardstick import run_real
from made_up_overlays import repositories
from real_tools import kubectl
from support import repo_of, rule_named, run_rules

POD = (
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: shop\nspec:\n  containers:\n    - name: shop\n      image: shop:1\n"
)
DEPRECATED = rule_named("kustomize-deprecated-field")


def found(name: str, files: Mapping[str, str]) -> list[Reported]:
    return run_rules(files, [rule_named(name)])


def message(name: str, files: Mapping[str, str]) -> str:
    (one,) = found(name, files)
    return one.finding.message


def application(name: str, path: str) -> str:
    source = f"{{repoURL: 'https://git.example.com/shop.git', path: {path}}}"
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\nspec: {{source: {source}}}\n"
    )


# -- what messages say


@pytest.mark.parametrize(
    ("entry", "hint"),
    [
        ("servce.yaml", "servce.yaml does not exist (there is a/service.yaml). The build of a fails."),
        ("../bse", "../bse does not exist (there is base). The build of a fails."),
        ("config.yaml", "config.yaml does not exist (there is base/deep/config.yaml). The build of a fails."),
        ("../base", "../base is a folder without a kustomization file of its own (there is one in base/deep). The"),
        ("nothing.yaml", "nothing.yaml does not exist. The build of a fails."),
    ],
)
def test_a_path_that_is_missing_has_a_hint(entry: str, hint: str) -> None:
    files = {
        "a/kustomization.yaml": f"resources:\n- {entry}\n",
        "a/service.yaml": POD,
        "base/deep/kustomization.yaml": "resources:\n- config.yaml\n",
        "base/deep/config.yaml": POD,
    }
    assert message("kustomize-path-missing", files).startswith(hint)


def test_the_applications_that_a_fault_stops_are_named() -> None:
    apps = "---\n".join(application(name, name) for name in ("dev", "test", "prod"))
    overlays = {f"{name}/kustomization.yaml": "resources:\n- ../base\n" for name in ("dev", "test", "prod")}
    files = {"apps.yaml": apps, **overlays, "base/kustomization.yaml": "resources:\n- pod.yaml\n"}
    assert message("kustomize-path-missing", files) == (
        "pod.yaml does not exist. Argo CD cannot generate the manifests of Application 'dev' (and of 2 more)."
        " Correct the path, or bring the file back."
    )


def test_an_unknown_field_has_a_hint() -> None:
    files = {"kustomization.yaml": "resource:\n- pod.yaml\n", "pod.yaml": POD}
    assert "no field 'resource' here ('resources' was probably meant)" in message("kustomize-build-fails", files)
    files = {"kustomization.yaml": "resources:\n- pod.yaml\nimages:\n- name: a\n  newTagg: b\n", "pod.yaml": POD}
    assert "'newTag' was probably meant" in message("kustomize-build-fails", files)


def test_both_places_of_a_repeated_object_are_told() -> None:
    files = {"kustomization.yaml": "resources:\n- a.yaml\n- b.yaml\n", "a.yaml": "\n\n" + POD, "b.yaml": POD}
    (one,) = found("kustomize-duplicate-resource", files)
    (related,) = one.finding.related
    assert (related.at.file.path, related.at.file.position(related.at.span.start).line) == ("a.yaml", 3)
    assert "a.yaml:3" in one.finding.message


def test_a_patch_that_fits_nothing_has_a_hint() -> None:
    patch = "patches:\n- target: {kind: Pod, name: shopp}\n  patch: '[]'\n"
    files = {"kustomization.yaml": "resources:\n- pod.yaml\n" + patch, "pod.yaml": POD}
    assert "(there is Pod 'shop')" in message("kustomize-patch-no-match", files)


def test_an_unused_image_has_a_hint() -> None:
    pod = POD.replace("shop:1", "example.com:5000/team/shop:1")
    files = {"kustomization.yaml": "resources:\n- pod.yaml\nimages:\n- {name: shop, newTag: b}\n", "pod.yaml": pod}
    assert message("kustomize-image-override-unused", files) == (
        "no container has the image 'shop'. The entry has no effect (newTag b), and the sync looks fine."
        " Write 'example.com:5000/team/shop', which is there, or remove the entry."
    )


def test_an_image_of_an_application_leads_back_to_the_application() -> None:
    app = application("shop", "deploy").replace("path: deploy", "path: deploy, kustomize: {images: ['shop:2']}")
    repo = repo_of({"apps.yaml": app, "deploy/kustomization.yaml": "resources:\n- pod.yaml\n", "deploy/pod.yaml": POD})
    (pod,) = (
        one for one in repo.resources if one.kind == "Pod" and one["spec"]["containers"][0]["image"].text == "shop:2"
    )
    origin = pod["spec"]["containers"][0]["image"].origin
    assert origin.file.path == "apps.yaml"
    assert origin.file.text[slice(*origin.span)] == "'shop:2'"


# -- Argo CD's build options


@pytest.mark.parametrize(
    ("text", "helm", "any_file"),
    [
        ("data:\n  kustomize.buildOptions: --enable-helm\n", True, False),
        ("data:\n  kustomize.buildOptions.v5.4.0: --load-restrictor LoadRestrictionsNone\n", False, True),
        ("spec:\n  kustomizeBuildOptions: '--load_restrictor=none --enable-helm'\n", True, True),
        ("values: |\n  configs:\n    cm:\n      kustomize.buildOptions: --enable-helm\n", True, False),
        (
            "data:\n  kustomize.buildOptions: >-\n    --enable-helm\n    --load-restrictor LoadRestrictionsNone\n",
            True,
            True,
        ),
        ("literals:\n- kustomize.buildOptions=--enable-helm\n", True, False),
        ("- op: add\n  path: /data/kustomize.buildOptions\n  value: --enable-helm\n", True, False),
        ("data:\n  kustomize.buildOptions: --enable-helm=false\n", False, False),
        ("data:\n  kustomize.buildOptions: ''\n", False, False),
    ],
)
def test_build_options_are_found_wherever_they_are(text: str, helm: bool, any_file: bool) -> None:
    options = read_settings([SourceFile("a.yaml", text)]).build_options
    assert options.shown_at is not None
    assert (options.enables_helm, options.reads_any_file) == (helm, any_file)


def test_build_options_in_comments_are_none() -> None:
    options = read_settings([SourceFile("a.yaml", "data:\n  # kustomize.buildOptions: --enable-helm\n")]).build_options
    assert options.shown_at is None
    assert not options.enables_helm


def test_without_the_restriction_files_of_other_folders_are_built(tmp_path: Path) -> None:
    files = {
        "argocd-cm.yaml": "data:\n  kustomize.buildOptions: --load-restrictor LoadRestrictionsNone\n",
        "overlay/kustomization.yaml": "namePrefix: a-\nresources:\n- ../pod.yaml\n",
        "pod.yaml": POD,
    }
    assert "a-shop" in {one.name for one in repo_of(files).resources}
    put(tmp_path, {**files, ".git/config": ""})
    assert render_kustomization(tmp_path / "overlay").refused  # as kustomize build without flags


def test_without_the_restriction_nothing_outside_the_repository_is_read() -> None:
    cm = "data:\n  kustomize.buildOptions: --load-restrictor LoadRestrictionsNone\n"
    repo = repo_of({"cm.yaml": cm, "kustomization.yaml": "resources:\n- a\npatches:\n- path: ../../etc/passwd\n"})
    assert any(item.reason == "a file outside the repository: not read" for item in repo.not_analysed)


# -- on the disk


def put(root: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(exist_ok=True, parents=True)
        (root / path).write_text(text, "utf-8")


def test_below_an_empty_folder_a_submodule_may_bring_the_file(tmp_path: Path) -> None:
    put(tmp_path, {".git/config": "", "kustomization.yaml": "resources:\n- vendor/base\n- vendor\n- other/base\n"})
    (tmp_path / "vendor").mkdir()
    put(tmp_path, {"other/readme.txt": "not empty"})
    run = Run(read_repo(discover([tmp_path]), Config()))
    run.check([rule_named("kustomize-path-missing")])
    grades = {one.start.line: one.severity for one in run.reported}
    assert grades == {2: Severity.NOTE, 3: Severity.NOTE, 4: Severity.WARNING}


def test_below_an_empty_folder_a_submodule_may_bring_what_an_application_reads(tmp_path: Path) -> None:
    application = (
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: shop}\nspec:\n"
        "  source: {repoURL: https://git.example.com/shop, path: vendor/shop}\n"
    )
    put(tmp_path, {".git/config": '[remote "origin"]\n\turl = https://git.example.com/shop\n', "app.yaml": application})
    (tmp_path / "vendor").mkdir()
    run = Run(read_repo(discover([tmp_path]), Config()))
    run.check([rule_named("application-path-missing")])
    (one,) = run.reported
    assert one.severity is Severity.NOTE
    assert "unless a submodule that is not checked out here brings it" in one.finding.message


def test_a_file_of_any_name_counts_as_there(tmp_path: Path) -> None:
    generator = "configMapGenerator:\n- name: a\n  files:\n  - run.sh\n  envs:\n  - .env\n"
    put(tmp_path, {".git/config": "", "kustomization.yaml": generator, "run.sh": "true\n", ".env": "A=b\n"})
    run = Run(read_repo(discover([tmp_path]), Config()))
    run.check([rule_named("kustomize-path-missing")])
    assert not run.reported


# -- fixes that change nothing


def test_the_fixes_are_safe() -> None:
    files = {
        "kustomization.yaml": "bases:\n- base\ncommonLabels: {a: b}\n",
        "base/kustomization.yaml": "namePrefix: a-\n",
    }
    assert all(one.has_safe_fix for one in run_rules(files, [DEPRECATED]))


def reason(kustomization: str, files: Mapping[str, str]) -> str:
    (one,) = run_rules({"kustomization.yaml": kustomization, **files}, [DEPRECATED])
    assert not one.finding.fixes
    return one.finding.related[0].message


TARGET = "target: {version: v1, kind: Pod, name: shop}"
LABELS_ELSEWHERE = "labels:\n- path: spec/extra/labels\n  create: true\n"
NEW_STYLE_DIFFERS = {
    "operations that see the namespace": (
        "resources:\n- pod.yaml\nnamespace: one\n"
        f'patchesJson6902:\n- {TARGET}\n  patch: \'[{{"op": "test", "path": "/metadata/namespace", "value": "one"}}]\'\n',
        "Kustomize would refuse it: test /metadata/namespace",
    ),
    "a null among the annotations of a patch": (
        "resources:\n- service.yaml\npatchesStrategicMerge:\n"
        "- |-\n  apiVersion: v1\n  kind: Service\n  metadata:\n    name: shop\n    annotations: {a: null, b: c}\n",
        "Service.v1.[noGrp]/shop.[noNs] would come out otherwise",
    ),
    "a configuration that sends labels elsewhere": (
        "resources:\n- pod.yaml\ncommonLabels: {a: b}\nconfigurations:\n- config.yaml\n",
        "Pod.v1.[noGrp]/shop.[noNs] would come out otherwise",
    ),
}


@pytest.mark.parametrize("name", NEW_STYLE_DIFFERS)
def test_there_is_no_fix_where_something_would_change(name: str) -> None:
    text, expected = NEW_STYLE_DIFFERS[name]
    assert reason(text, {**FILES, "config.yaml": LABELS_ELSEWHERE}).startswith(f"no fix is offered: {expected}")


def test_there_is_no_fix_where_nobody_knows() -> None:
    remote = "resources:\n- https://example.com/install.yaml\ncommonLabels: {a: b}\n"
    assert "not all of its objects are known" in reason(remote, {})


def fixed_all(files: Mapping[str, str]) -> dict[str, str]:
    """As often as there is something to fix."""
    now = dict(files)
    for _ in range(5):
        changed = {one.file.path: one.after for one in fix_files(run_rules(now, [DEPRECATED]), unsafe=False)}
        if changed.items() <= now.items():
            return now
        now |= changed
    raise AssertionError("it never ends")


OLD_STYLE = {
    "merge patches before patches": (
        "patchesStrategicMerge:\n- one.yaml\npatches:\n- path: two.yaml\nresources:\n- pod.yaml\n"
    ),
    "several objects in one patch": "patchesStrategicMerge:\n- both.yaml\nresources:\n- pod.yaml\n- service.yaml\n",
    "a patch that deletes": "patchesStrategicMerge:\n- delete.yaml\nresources:\n- pod.yaml\n- service.yaml\n",
    "operations by the old name": (
        "namePrefix: a-\npatchesJson6902:\n- target: {version: v1, kind: Pod, name: shop}\n"
        "  path: operations.yaml\nresources:\n- pod.yaml\n"
    ),
    "labels beside common labels": (
        "commonLabels: {app: shop, b: c}\nlabels:\n- pairs: {b: d}\n  includeTemplates: true\nresources:\n- service.yaml\n"
    ),
    "images of two fields": (
        "images:\n- {name: shop, newName: other}\nimageTags:\n- {name: other, newTag: '2'}\nresources:\n- pod.yaml\n"
    ),
    "all at once": (
        "bases:\n- base\nresources:\n- service.yaml\ncommonLabels: {app: shop}\nnameSuffix: -z\n"
        "patchesStrategicMerge:\n- one.yaml\n- |-\n  apiVersion: v1\n  kind: Service\n  metadata:\n    name: shop\n"
        "    annotations: {b: c}\n"
        "patchesJson6902:\n- target: {version: v1, kind: Pod, name: shop}\n  path: operations.yaml\n"
    ),
}
FILES = {
    "pod.yaml": POD,
    "base/kustomization.yaml": "resources:\n- pod.yaml\n",
    "base/pod.yaml": POD,
    "service.yaml": (
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: shop\n  annotations: {a: x}\nspec:\n  selector: {app: x}\n"
    ),
    "one.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: shop\nspec:\n  nodeName: one\n  hostPID: true\n",
    "two.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: shop\nspec:\n  nodeName: two\n",
    "both.yaml": (
        "apiVersion: v1\nkind: Pod\nmetadata:\n  name: shop\nspec:\n  nodeName: both\n---\n"
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: shop\nspec:\n  clusterIP: None\n"
    ),
    "delete.yaml": "$patch: delete\napiVersion: v1\nkind: Service\nmetadata:\n  name: shop\n",
    "operations.yaml": "- op: add\n  path: /spec/nodeName\n  value: three\n",
}


@pytest.mark.parametrize("name", OLD_STYLE)
def test_the_real_kustomize_prints_the_same_after_the_fix(name: str, tmp_path: Path) -> None:
    real = kubectl()
    files = {**FILES, "kustomization.yaml": OLD_STYLE[name]}
    after = fixed_all(files)
    assert not run_rules(after, [DEPRECATED]), "something is left"
    put(tmp_path / "before", files)
    put(tmp_path / "after", after)
    old, new = run_real(real, tmp_path / "before"), run_real(real, tmp_path / "after")
    assert old.returncode == 0, old.stderr
    assert "deprecated" in old.stderr
    assert "deprecated" not in new.stderr
    assert new.stdout == old.stdout


@settings(max_examples=20, derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(files=repositories())
def test_whatever_is_built_stays_the_same(files: dict[str, str]) -> None:
    real = kubectl()
    after = fixed_all(files)
    with tempfile.TemporaryDirectory() as scratch:
        before, then = Path(scratch, "before"), Path(scratch, "after")
        put(before, files)
        put(then, after)
        for path in (path for path in files if after[path] != files[path] and "Component" not in files[path]):
            note(f"{path}:\n{files[path]}\nbecomes\n{after[path]}")
            for folder in {Path(path).parent, Path("overlay")}:
                old, new = run_real(real, before / folder), run_real(real, then / folder)
                assert (new.returncode, new.stdout) == (old.returncode, old.stdout), _errors(old, new)


def _errors(*builds: subprocess.CompletedProcess[str]) -> str:
    return "\n".join(one.stderr for one in builds)
