"""Which objects are one sync, and of which of them nobody knows what they come to."""

from __future__ import annotations

from support import repo_of

JOB = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {0}\n"


def units(files: dict[str, str]) -> dict[str, list[str]]:
    return {app.name: sorted(r.name for r in app.resources) for app in repo_of(files).apps}


def patched(files: dict[str, str]) -> set[str]:
    return {resource.name for resource in repo_of(files).resources if resource.patched}


def test_each_folder_of_plain_manifests_is_a_unit() -> None:
    files = {
        "a.yaml": JOB.format("a"),
        "x/b.yaml": JOB.format("b"),
        "x/c.yaml": JOB.format("c"),
        "x/y/d.yaml": JOB.format("d"),
    }
    assert units(files) == {".": ["a"], "x": ["b", "c"], "x/y": ["d"]}


def test_a_kustomization_root_holds_what_it_includes() -> None:
    files = {
        "base/kustomization.yaml": "resources: [job.yaml]\n",
        "base/job.yaml": JOB.format("base"),
        "prod/kustomization.yaml": "resources:\n  - ../base\n  - extra.yaml\n",
        "prod/extra.yaml": JOB.format("extra"),
    }
    assert units(files) == {"prod": ["base", "extra"]}


def test_files_that_a_kustomization_leaves_out_are_a_unit_of_their_own() -> None:
    files = {
        "a/kustomization.yaml": "resources: [one.yaml]\n",
        "a/one.yaml": JOB.format("one"),
        "a/two.yaml": JOB.format("two"),
    }
    assert units(files) == {"a": ["one"], "a (beside what is built there)": ["two"]}


def test_patches_values_and_kustomizations_are_no_objects() -> None:
    files = {
        "kustomization.yaml": (
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [job.yaml]\n"
            "patches:\n  - path: patch.yaml\npatchesStrategicMerge: [old.yaml]\n"
        ),
        "job.yaml": JOB.format("job"),
        "patch.yaml": JOB.format("job"),
        "old.yaml": JOB.format("job"),
    }
    assert units(files) == {".": ["job"]}


def test_lists_are_flattened() -> None:
    files = {"a.yaml": "apiVersion: v1\nkind: List\nitems:\n  - {apiVersion: v1, kind: Secret, metadata: {name: a}}\n"}
    assert units(files) == {".": ["a"]}


def test_a_chart_is_a_unit_with_its_crds() -> None:
    files = {"c/Chart.yaml": "name: c\n", "c/templates/a.yaml": JOB.format("a"), "c/crds/b.yaml": JOB.format("b")}
    assert units(files) == {"c": ["a", "b"]}


def test_what_a_plugin_or_a_broken_patch_would_change_is_marked() -> None:
    base = {"kustomization.yaml": "", "a.yaml": JOB.format("a"), "b.yaml": JOB.format("b")}

    def with_more(text: str, **files: str) -> set[str]:
        return patched({**base, "kustomization.yaml": f"resources: [a.yaml, b.yaml]\n{text}", **files})

    assert with_more("") == set()
    assert with_more("patches:\n  - target: {kind: Job}\n    patch: '[]'\n") == set()
    assert with_more("patches:\n  - path: missing.yaml\n") == set()
    assert with_more("patches:\n  - patch: '{kind: Job, metadata: {name: c}}'\n") == {"a", "b"}
    plugin = "apiVersion: example.com/v1\nkind: Magic\nmetadata: {name: x}\n"
    assert with_more("transformers: [t.yaml]\n", **{"t.yaml": plugin}) == {"a", "b"}
    assert with_more("generators: [t.yaml]\n", **{"t.yaml": plugin}) == set()


def test_rules_see_what_an_overlay_makes_of_its_base() -> None:
    files = {
        "base/kustomization.yaml": "resources: [a.yaml]\n",
        "base/a.yaml": JOB.format("a"),
        "prod/kustomization.yaml": "resources: [../base]\nnamePrefix: prod-\ncomponents: [../fast]\n",
        "fast/kustomization.yaml": (
            "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n"
            "patches:\n  - target: {kind: Job}\n    patch: |-\n      - {op: add, path: /spec, value: {parallelism: 3}}\n"
        ),
    }
    assert units(files) == {"prod": ["prod-a"]}
    (job,) = repo_of(files).resources
    assert job["spec"]["parallelism"].value == 3
    assert job["spec"]["parallelism"].file.path == "fast/kustomization.yaml"
    assert job.file.path == "base/a.yaml"


def test_a_cycle_of_kustomizations_ends() -> None:
    files = {"a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../a]\n"}
    assert units(files) == {}
    (build,) = repo_of(files).kustomize.builds
    assert [error.cause.name for error in build.errors] == ["CYCLE"]


def test_remote_bases_and_charts_are_named() -> None:
    chart = "helmCharts: [{name: a, version: 1.2.3, repo: 'https://charts.example.com'}]\n"
    repo = repo_of({"kustomization.yaml": f"resources: ['https://example.com/x?ref=v1']\n{chart}"})
    assert [(item.path, item.reason.split(":")[0], item.detail) for item in repo.not_analysed] == [
        ("kustomization.yaml", "a remote base", "https://example.com/x?ref=v1"),
        ("kustomization.yaml", "helmCharts", "a 1.2.3 from https://charts.example.com"),
    ]
