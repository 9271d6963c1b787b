"""Is it applied at all: what an Application reads, what none does, and where nobody can tell."""

from __future__ import annotations

import json

import pytest
import yaml
from gitops_lint.linter.repo.build_repo import Surroundings, _owners, build_repo
from gitops_lint.linter.repo.model import Repo
from gitops_lint.linter.repo.unread import Unread
from gitops_lint.linter.yaml.source import SourceFile
from support import rule_named, run_rules

HERE = "https://git.example.com/team/platform.git"
KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [{}]\n"


def application(name: str = "web", path: str = "apps/web", extra: str = "") -> str:
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}, namespace: argocd}}\nspec:\n"
        f"  source: {{repoURL: '{HERE}', path: {path}}}\n{extra}"
        "  destination: {server: 'https://kubernetes.default.svc', namespace: shop}\n"
    )


def thing(name: str = "a") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\n"


def secret(value: str = "Hq7-wZ3n_Rb58tYc") -> str:
    return f"apiVersion: v1\nkind: Secret\nmetadata: {{name: a}}\nstringData: {{password: {value}}}\n"


THREE = {
    **{f"argocd/{name}.yaml": application(name, f"apps/{name}") for name in ("web", "db", "mail")},
    **{f"apps/{name}/a.yaml": thing(name) for name in ("web", "db", "mail")},
}


def repo_of(files: dict[str, str]) -> Repo:
    templates = [SourceFile(path, text) for path, text in sorted(files.items()) if "/templates/" in path]
    sources = [SourceFile(path, text) for path, text in sorted(files.items()) if "/templates/" not in path]
    return build_repo(sources, around=Surroundings(whole=True, templates=templates, repo_urls=[HERE]))


def unread(files: dict[str, str]) -> dict[str, str]:
    return {path: reason.name for path, reason in sorted(repo_of(files).reach.unread.items())}


# -- what nothing reads


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"apps/old/a.yaml": thing()}, {"apps/old/a.yaml": "UNUSED"}),
        ({"apps/old/kustomization.yaml": KUSTOMIZATION.format("a.yaml"), "apps/old/a.yaml": thing()},
         {"apps/old/a.yaml": "UNUSED", "apps/old/kustomization.yaml": "UNUSED"}),
        ({"tests/data/a.yaml": thing()}, {"tests/data/a.yaml": "SAMPLE"}),
        ({"apps/policies/.chainsaw-test/a.yaml": thing()}, {"apps/policies/.chainsaw-test/a.yaml": "SAMPLE"}),
        ({"lib/secret.example.yaml": thing()}, {"lib/secret.example.yaml": "SAMPLE"}),
        ({"lib/patches/a.yaml": thing()}, {"lib/patches/a.yaml": "PATCH"}),
        ({"backstage/a.yaml": thing("'${{ values.name }}'")}, {"backstage/a.yaml": "SKELETON"}),
        ({"envsubst/a.yaml": thing("'web-${ENV}'")}, {"envsubst/a.yaml": "SKELETON"}),
        ({"jinja/a.yaml": "{% if a %}\n" + thing() + "{% endif %}\n"}, {"jinja/a.yaml": "SKELETON"}),
        ({"chart/Chart.yaml": "name: c\nversion: 1.0.0\n", "chart/files/crd.yaml": thing(), "chart/ci/a-values.yaml": "a: 1\n"},
         {"chart/ci/a-values.yaml": "CHART_DATA", "chart/files/crd.yaml": "CHART_DATA"}),
        # A template of something else, which a chart carries.
        ({"apps/c/Chart.yaml": "name: c\nversion: 1.0.0\n", "argocd/c.yaml": application("c", "apps/c"),
          "apps/c/compositions/a.yaml": "{{ $x := .observed }}\n{{ $y := 1 }}\n" + thing()},
         {"apps/c/compositions/a.yaml": "CHART_DATA"}),
        # To be copied, and the copy is here.
        ({"boot/web-template.yaml": application("web", "apps/gone"), "boot/web.yaml": application("web", "apps/web"),
          "boot/db-template.yaml": application("db", "apps/db")},
         {"boot/web-template.yaml": "SAMPLE"}),
        # The kustomization beside it names others.
        ({"argocd/kustomization.yaml": KUSTOMIZATION.format("web.yaml, db.yaml"), "apps/mail/a.yaml": thing("mail")},
         {"apps/mail/a.yaml": "UNUSED", "argocd/mail.yaml": "LEFT_OUT"}),
        # A comment says that it is left out on purpose, wherever it lies.
        ({"boot/kustomization.yaml": KUSTOMIZATION.format("root.yaml") + "#- parts/old.yaml\n# - parts/a.yaml\n",
          "boot/root.yaml": application("root", "argocd"), "boot/parts/old.yaml": application("old", "apps/gone"), "boot/parts/a.yaml": thing()},
         {"boot/parts/a.yaml": "COMMENTED_OUT", "boot/parts/old.yaml": "COMMENTED_OUT"}),
        # The folder says that it is out of use, and nobody reads it.
        ({"argocd/_disabled_/old.yaml": application("old", "apps/old"), "apps/old/a.yaml": thing()},
         {"apps/old/a.yaml": "UNUSED", "argocd/_disabled_/old.yaml": "SAMPLE"}),
        # Whoever renders the chart has nothing of what lies beside its Chart.yaml.
        ({"argocd/c.yaml": application("c", "apps/c"), "apps/c/Chart.yaml": "name: c\nversion: 1.0.0\n", "apps/c/extra.yaml": thing()},
         {"apps/c/extra.yaml": "CHART_DATA"}),
        # An Application beside a kustomization that another one builds, without it.
        ({"apps/web/kustomization.yaml": KUSTOMIZATION.format("a.yaml"), "apps/web/own.yaml": application("own", "apps/db")},
         {"apps/web/own.yaml": "LEFT_OUT"}),
        # Another one builds it by way of an overlay.
        ({"apps/web/kustomization.yaml": KUSTOMIZATION.format("base"), "apps/web/base/kustomization.yaml": KUSTOMIZATION.format("../a.yaml"),
          "apps/web/base/own.yaml": application("own", "apps/db")},
         {"apps/web/base/own.yaml": "LEFT_OUT"}),
        # Its neighbour in an archive does not name it, and tells nothing; the archive does.
        ({"archive/kustomization.yaml": KUSTOMIZATION.format("a.yaml"), "archive/a.yaml": thing("b"), "archive/own.yaml": application("own", "apps/gone")},
         {"archive/a.yaml": "SAMPLE", "archive/kustomization.yaml": "SAMPLE", "archive/own.yaml": "SAMPLE"}),
        ({"k8s-samples/own.yaml": application("own", "apps/gone")}, {"k8s-samples/own.yaml": "SAMPLE"}),
        # A kustomization takes its neighbours one by one.
        ({"boot/kustomization.yaml": KUSTOMIZATION.format("apps/root.yaml"), "boot/apps/root.yaml": application("root", "argocd"),
          "boot/apps/old.yaml": application("old", "apps/gone")},
         {"boot/apps/old.yaml": "PASSED_OVER"}),
        # The Application of Applications includes others only.
        ({"root.yaml": application("root", "argocd, directory: {recurse: true, include: '*.yaml'}"), "argocd/new/old.yml": application("old", "apps/gone")},
         {"argocd/new/old.yml": "EXCLUDED"}),
        # An Application that is commented out reads it, or another overlay of it, and no other one does.
        ({"boot/kustomization.yaml": KUSTOMIZATION.format("root.yaml") + "#- old.yaml\n", "boot/root.yaml": application("root", "argocd"),
          "boot/old.yaml": application("old", "sets/dev"), "sets/base/kustomization.yaml": KUSTOMIZATION.format("a.yaml"),
          "sets/base/a.yaml": application("a", "apps/gone"),
          **{f"sets/{one}/kustomization.yaml": KUSTOMIZATION.format("../base") for one in ("dev", "prod")}},
         {"boot/old.yaml": "COMMENTED_OUT", "sets/base/a.yaml": "UNUSED",
          **{f"sets/{one}/kustomization.yaml": "UNUSED" for one in ("base", "dev", "prod")}}),
        # What was rendered of it is read.
        ({"root.yaml": application("root", "argocd"), "parts/kustomization.yaml": KUSTOMIZATION.format("web.yaml"),
          "parts/web.yaml": application("web", "apps/web")},
         {"parts/kustomization.yaml": "UNUSED", "parts/web.yaml": "UNUSED"}),
        # The Application of Applications excludes it.
        ({"root.yaml": application("root", "argocd, directory: {exclude: 'archived/*'}"), "argocd/archived/old.yaml": application("old", "apps/gone")},
         {"argocd/archived/old.yaml": "EXCLUDED"}),
    ],
)  # fmt: skip
def test_out_of_judgement_where_applications_are_known(files: dict[str, str], expected: dict[str, str]) -> None:
    found = unread({**THREE, **files})
    assert {path: reason for path, reason in found.items() if not path.startswith("chart/Chart")} == expected


# -- what something reads, or may


@pytest.mark.parametrize(
    "files",
    [
        # An Application names the folder, whatever it is called.
        {"argocd/t.yaml": application("t", "examples/test"), "examples/test/a.yaml": thing()},
        # So does a kustomization that an Application builds.
        {"apps/web/kustomization.yaml": KUSTOMIZATION.format("a.yaml, ../../tests/base"), "tests/base/a.yaml": thing("b"),
         "tests/base/kustomization.yaml": KUSTOMIZATION.format("a.yaml")},
        # An environment, with its base elsewhere.
        {"shop/base/kustomization.yaml": KUSTOMIZATION.format("a.yaml"), "shop/base/a.yaml": thing(),
         "shop/overlays/test/kustomization.yaml": KUSTOMIZATION.format("../../base"), "argocd/t.yaml": application("t", "shop/overlays/test")},
        # A kustomization names what lies in the folder of a chart.
        {"argocd/c.yaml": application("c", "apps/c, helm: {releaseName: c}"), "apps/c/Chart.yaml": "name: c\nversion: 1.0.0\n",
         "apps/c/kustomization.yaml": KUSTOMIZATION.format("app.yaml"), "apps/c/app.yaml": application("d", "apps/db")},
        # An Application beside the kustomization that it builds, or beside the chart that it renders, is applied by hand.
        {"apps/own/kustomization.yaml": KUSTOMIZATION.format("a.yaml"), "apps/own/a.yaml": thing(), "apps/own/app.yaml": application("own", "apps/own")},
        {"apps/c/Chart.yaml": "name: c\nversion: 1.0.0\n", "apps/c/app.yaml": application("c", "apps/c")},
        # A folder called disabled that an Application reads.
        {"argocd/d.yaml": application("d", "apps/disabled"), "apps/disabled/a.yaml": thing()},
        # A plugin of a kustomization names it.
        {"apps/web/kustomization.yaml": KUSTOMIZATION.format("a.yaml") + "generators: [ksops.yaml]\n",
         "apps/web/ksops.yaml": "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: a}\nfiles: [./s.enc.yaml]\n",
         "apps/web/s.enc.yaml": secret("ENC[x]")},
        # One Application excludes it, another one reads it; and the one that excludes itself is applied by hand.
        {"argocd/root.yaml": application("root", "argocd, directory: {exclude: '{root.yaml,late/*}'}"),
         "argocd/later.yaml": application("later", "argocd/late"), "argocd/late/old.yaml": application("old", "apps/web")},
        # Each of two Applications includes what the other one leaves; one that brings others is applied by hand.
        {"one.yaml": application("one", "argocd, directory: {recurse: true, include: '{w,d}*.yaml'}"),
         "two.yaml": application("two", "argocd, directory: {recurse: true, include: 'm*.yaml'}"), "argocd/root.yaml": application("root", "argocd")},
        {"boot/kustomization.yaml": KUSTOMIZATION.format("apps/a.yaml"), "boot/apps/a.yaml": application("a", "apps/web"),
         "boot/apps/root.yaml": application("root", "argocd")},
        # Another one of that name is no copy.
        {"root.yaml": application("root", "argocd"), "parts/web.yaml": application("web", "apps/db")},
        # What excludes it brings no Applications: they are somebody else's.
        {"apps/web/own.yaml": application("own", "apps/db"), "argocd/web.yaml": application("web", "apps/web, directory: {exclude: own.yaml}")},
        # The first Application, written as JSON.
        {"apps/boot/root.json": json.dumps(yaml.safe_load(application("root", "argocd")))},
        # Applied by hand: the first Application, and the kustomization that brings Argo CD.
        {"apps/web/kustomization.yaml": KUSTOMIZATION.format("a.yaml"), "apps/web/root.yaml": application("root", "argocd")},
        {"apps/boot/kustomization.yaml": KUSTOMIZATION.format("a.yaml, app.yaml"), "apps/boot/a.yaml": thing(),
         "apps/boot/app.yaml": application("boot", "argocd")},
    ],
)  # fmt: skip
def test_nothing_that_is_read_is_out_of_judgement(files: dict[str, str]) -> None:
    assert unread({**THREE, **files}) == {}


def test_where_the_only_application_of_applications_is_commented_out_somebody_applies_it_by_hand() -> None:
    boot = {
        "boot/kustomization.yaml": KUSTOMIZATION.format("a.yaml") + "#- root.yaml\n",
        "boot/a.yaml": thing("b"),
        "boot/root.yaml": application("root", "sets"),
        "sets/new.yaml": application("new", "apps/web"),
    }
    assert "sets/new.yaml" not in unread({**THREE, **boot})
    assert "sets/new.yaml" in unread({**THREE, **boot, "root.yaml": application("other", "argocd")})


SET = """apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: all, namespace: argocd}}
spec:
  generators: [{{clusters: {{values: {{root: apps/old}}}}}}]
  template:
    metadata: {{name: "old-{{{{name}}}}"}}
    spec:
      source: {{repoURL: "https://git.example.com/team/platform.git", path: "{}"}}
      syncPolicy: {{automated: {{prune: true}}, syncOptions: [ServerSideApply=true]}}
"""


@pytest.mark.parametrize(
    ("path", "is_out"),
    [
        ("apps/old", False), ("apps/{{name}}", False), ("{{path}}", False), ("{{values.root}}/{{metadata.labels.env}}", True),
        ("{{values.root}}", False), ("other/{{name}}", True),
    ],
)  # fmt: skip
def test_what_a_set_that_is_not_expanded_may_read_stays(path: str, is_out: bool) -> None:
    files = {**THREE, "apps/old/a.yaml": thing(), "argocd/set.yaml": SET.format(path)}
    assert ("apps/old/a.yaml" in unread(files)) is is_out


CLUSTER = """apiVersion: v1
kind: Secret
metadata: {name: dev, namespace: argocd, labels: {argocd.argoproj.io/secret-type: cluster}}
stringData: {name: dev, server: "https://dev.example.com"}
"""


def test_one_cluster_in_git_is_not_all_that_a_set_goes_over() -> None:
    files = {**THREE, "apps/dev/a.yaml": thing("b"), "apps/prod/a.yaml": thing("c"), "other/a.yaml": thing("d")}
    out = unread({**files, "argocd/set.yaml": SET.format("apps/{{name}}"), "argocd/dev.yaml": CLUSTER})
    assert set(out) == {"other/a.yaml"}


def test_the_set_says_with_which_options_such_a_folder_is_synced() -> None:
    repo = repo_of({**THREE, "apps/old/a.yaml": thing("old"), "argocd/set.yaml": SET.format("apps/{{name}}")})
    (old,) = [app for app in repo.apps if app.name == "apps/old"]
    assert old.application is None
    assert old.prunes
    assert old.options_for(old.resources[0]).server_side_apply


def test_a_set_that_may_read_anything_says_no_options() -> None:
    repo = repo_of({**THREE, "apps/old/a.yaml": thing("old"), "argocd/set.yaml": SET.format("{{values.other}}")})
    (old,) = [app for app in repo.apps if app.name == "apps/old"]
    assert old.template is None


@pytest.mark.parametrize(
    ("generator", "is_meant"),
    [
        ("directories: [{path: 'apps/*'}]", True),
        ("directories: [{path: 'infra/*'}]", False),
        ("directories: [{path: 'apps/**'}]", True),
        ("files: [{path: 'apps/*/a.yaml'}]", True),
        ("files: [{path: 'clusters/{{name}}/config.json'}]", False),
    ],
)
def test_the_folders_of_a_git_generator_are_those_of_the_set(generator: str, is_meant: bool) -> None:
    both = f"[{{matrix: {{generators: [{{git: {{{generator}}}}}, {{scmProvider: {{}}}}]}}}}]"
    sets = SET.format("{{path}}").replace("[{clusters: {values: {root: apps/old}}}]", both)
    paths = repo_of({"apps/old/a.yaml": thing("old"), "argocd/set.yaml": sets}).reach.open_paths
    assert any(path.covers("apps/old") for path in paths) is is_meant


FLUX_CLUSTER = """apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: all, namespace: flux-system}
spec: {path: ./cluster, prune: true}
"""


def test_what_flux_applies_is_not_argo_cds() -> None:
    repo = repo_of(
        {
            "flux/all.yaml": FLUX_CLUSTER,
            "cluster/kustomization.yaml": KUSTOMIZATION.format("app.yaml, ../base"),
            "cluster/app.yaml": application("web", "apps/web"),
            "apps/web/a.yaml": thing(),
            "base/kustomization.yaml": KUSTOMIZATION.format("a.yaml"),
            "base/a.yaml": thing("b"),
            "docs/a.yaml": thing("c"),
        }
    )
    assert {"base/a.yaml", "cluster/app.yaml"} <= repo.reach.by_flux
    assert "apps/web/a.yaml" not in repo.reach.by_flux
    assert repo.reach.unread == {"docs/a.yaml": Unread.SAMPLE}
    (web,) = repo.applications
    assert web.application is not None
    assert not repo.managers(web.application.resource)


def test_what_flux_takes_from_an_artefact_is_sought_by_the_end_of_its_path() -> None:
    names = ("web", "db")
    packed = FLUX_CLUSTER.replace("path: ./cluster", "path: ./apps/NAME, sourceRef: {kind: OCIRepository, name: all}")
    repo = repo_of(
        {
            **{f"flux/{one}.yaml": packed.replace("NAME", one) for one in names},
            **{f"kubernetes/apps/{one}/a.yaml": thing(one) for one in names},
            "kubernetes/kustomization.yaml": KUSTOMIZATION.format("gone.yaml"),
        }
    )
    assert set(repo.reach.by_flux) == {f"kubernetes/apps/{one}/a.yaml" for one in names}
    assert repo.reach.unread == {"kubernetes/kustomization.yaml": Unread.UNUSED}


def test_an_archive_that_nobody_reads_is_out_of_use() -> None:
    shop = {"apps/shop.yaml": application("shop", "shop"), "shop/a.yaml": thing()}
    old = {"archive/apps/old.yaml": application("old", "archive/old"), "archive/old/a.yaml": thing("b")}
    assert set(unread({**shop, **old})) == set(old)
    read = {"root.yaml": application("root", "archive/apps")}
    assert unread({**shop, **old, **read}) == {}


def test_samples_beside_a_set_are_samples() -> None:
    files = {"argocd/set.yaml": SET.format("clusters/{{name}}"), "docs/app.yaml": application("web", "docs/web")}
    repo = repo_of({**files, "docs/web/a.yaml": thing()})
    assert {path: why.name for path, why in repo.reach.unread.items()} == {
        "docs/app.yaml": "SAMPLE",
        "docs/web/a.yaml": "SAMPLE",
    }


def test_a_chart_of_applications_that_was_not_rendered_may_bring_others() -> None:
    chart = {
        "root/Chart.yaml": "name: root\nversion: 1.0.0\n",
        "root/templates/a.yaml": application("'{{ .Values.name }}'", "'{{ .Values.path }}'"),
    }
    assert unread({**THREE, **chart, "apps/old/a.yaml": thing()}) == {}


def test_a_chart_that_an_application_takes_from_a_registry_may_be_built_from_here() -> None:
    asked = application("c").replace("path: apps/web", "chart: shop, targetRevision: 1.2.0")
    charts = {
        "apps/shop/Chart.yaml": "name: shop\nversion: 1.3.0\n",
        "apps/shop/templates/a.yaml": thing("'{{ .Release.Name }}'"),
    }
    assert unread({**THREE, "argocd/c.yaml": asked, **charts}) == {}
    old = {
        path.replace("apps/shop", "apps/shop-1.2.0"): text.replace("1.3.0", "1.2.0") for path, text in charts.items()
    }
    assert set(unread({**THREE, "argocd/c.yaml": asked, **charts, **old})) == set(charts)


# -- where it is not sure


ONE = {"app.yaml": application(), "apps/web/a.yaml": thing(), "old/a.yaml": thing()}


def test_an_environment_is_no_test_where_others_lie_beside_it() -> None:
    repo = repo_of({"envs/test/a.yaml": thing(), "envs/prod/a.yaml": thing()})
    assert (repo.reach.unread, repo.reach.doubtful) == ({}, {})


def test_where_applications_read_the_smaller_part_there_are_others() -> None:
    more = {f"more/{name}/a.yaml": thing(name) for name in ("a", "b")}
    assert unread({**ONE, "more/a/a.yaml": thing()}) == {}
    assert set(unread({**THREE, **more})) == set(more)


def test_one_application_is_enough_where_nothing_else_may_read_the_file() -> None:
    assert unread(ONE) == {"old/a.yaml": "UNUSED"}


@pytest.mark.parametrize(
    "other",
    [
        # Another repository, synced to where Applications live: it may bring one that reads the folder.
        application("root", "clusters").replace(HERE, "https://git.example.com/other.git").replace("namespace: shop", "namespace: argocd"),
        # The same path under another address, which may be a mirror of this repository.
        application("mirror", "old").replace(HERE, "https://mirror.example.com/platform.git"),
        # An address that only another tool understands.
        application("local", ".").replace(HERE, "cnoe://manifests"),
    ],
)  # fmt: skip
def test_what_an_application_of_unknown_source_may_read_stays(other: str) -> None:
    third = application("third", "x").replace(HERE, "https://git.example.com/third.git")
    assert unread({**ONE, "third.yaml": third}) == {"old/a.yaml": "UNUSED"}
    assert unread({**ONE, "third.yaml": third, "other.yaml": other}) == {}


def test_what_somebody_asks_for_is_judged_one_step_lower() -> None:
    repo = repo_of({**THREE, "old/a.yaml": thing(), "tests/a.yaml": thing(), "lib/patches/a.yaml": thing()})
    by_name = repo.reach.judging(lambda path: True)
    assert (by_name.asked_for, by_name.doubtful) == ({"old/a.yaml"}, {"old/a.yaml": Unread.UNUSED})
    everything = repo.reach.judging(lambda path: False, everything=True)
    assert everything.asked_for == {"old/a.yaml", "tests/a.yaml"}
    assert everything.unread == {"lib/patches/a.yaml": Unread.PATCH}, "no object that anything can be said of"
    assert everything.by_reason(lambda path: True) == repo.reach.by_reason(lambda path: True)
    assert repo.reach.by_reason(lambda path: path.startswith("tests/")) == {Unread.SAMPLE.value: ("tests/a.yaml",)}
    assert repo.reach.judging(lambda path: False) is repo.reach


def test_applications_among_the_data_of_tests_make_nothing_real() -> None:
    """As in the source of Argo CD; where samples are all there is, they are judged."""
    files = {"a.yaml": application("a", "."), "b.yaml": thing()}
    in_tests = repo_of({f"util/testdata/{path}": text for path, text in files.items()} | {"deploy/a.yaml": thing()})
    assert in_tests.reach.doubtful.keys() == {"util/testdata/a.yaml", "util/testdata/b.yaml"}
    samples = repo_of({f"examples/{path}": text for path, text in files.items()})
    assert not samples.reach.doubtful


def test_without_an_application_names_lower_and_nothing_is_left_out() -> None:
    repo = repo_of({"deploy/a.yaml": thing(), "samples/a.yaml": thing()})
    assert (repo.reach.unread, repo.reach.doubtful) == ({}, {"samples/a.yaml": Unread.SAMPLE})


def test_a_copy_of_an_application_out_of_a_cluster_is_none() -> None:
    copy = application("web").replace("namespace: argocd", "uid: 21e0b446, namespace: argocd") + "status: {sync: {}}\n"
    repo = repo_of({**THREE, "runs/before.yaml": copy})
    assert repo.reach.unread == {"runs/before.yaml": Unread.EXPORT}
    assert [app.name for app in repo.applications] == ["db", "mail", "web"]
    assert set(unread({**THREE, "argocd/other.yaml": application("web") + "status: {sync: {}}\n"})) == set()


def test_a_sample_beside_applications_that_read_elsewhere_is_one() -> None:
    elsewhere = application("real").replace(HERE, "https://git.example.com/other.git")
    repo = repo_of({"argocd/real.yaml": elsewhere, "argocd/example.yaml": application("example", "gone")})
    assert [app.name for app in repo.applications] == ["real"]


def test_a_repository_of_samples_is_judged() -> None:
    repo = repo_of({"examples/app.yaml": application("web", "examples/web"), "examples/web/a.yaml": thing()})
    assert (repo.reach.unread, repo.reach.doubtful) == ({}, {})
    assert [app.name for app in repo.applications] == ["web"]


# -- what rules see of it


def test_an_application_in_test_data_owns_nothing() -> None:
    files = {**THREE, "tests/app.yaml": application("fake", "apps/fake"), "apps/fake/a.yaml": thing()}
    assert "fake" not in [app.name for app in repo_of(files).applications]


def test_an_overlay_that_nobody_deploys_says_nothing_of_objects_that_applications_deploy() -> None:
    files = {
        "app.yaml": application("web", "overlays/prod"),
        "base/kustomization.yaml": KUSTOMIZATION.format("a.yaml"),
        "base/a.yaml": thing(),
        "overlays/prod/kustomization.yaml": KUSTOMIZATION.format("../../base"),
        "overlays/sandbox/kustomization.yaml": KUSTOMIZATION.format("../../base") + "namePrefix: sandbox-\n",
    }
    assert [app.name for app in repo_of(files).apps] == ["web", "."]


@pytest.mark.parametrize("unit", ["aaa", "zzz"])
def test_an_object_is_the_applications_whatever_else_builds_it(unit: str) -> None:
    """Whichever of the two was built last, as in the other revision of a change, where only one is built anew."""
    built = {"apps/web/kustomization.yaml": KUSTOMIZATION.format("a.yaml")}
    repo = repo_of(
        {**THREE, **built, f"{unit}/kustomization.yaml": KUSTOMIZATION.format("../apps/web, ../apps/db/a.yaml")}
    )
    (web,) = [app for app in repo.applications if app.name == "web"]
    for turned in (repo.resources, repo.resources[::-1]):
        owner = _owners(turned, repo.applications)[id(web.resources[0].node.raw)]
        assert owner is web.resources[0]


def test_findings_in_unread_files_are_dropped_and_doubtful_ones_are_lower() -> None:
    broken = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"
    rule = rule_named("removed-api-version")
    places = {"apps/web/b.yaml": broken, "apps/old/a.yaml": broken, "tests/a.yaml": broken}
    assert [item.file.path for item in run_rules({**THREE, **places}, [rule])] == ["apps/web/b.yaml"]
    for folder in ("samples", "testdata", "scenarios/refused"):  # wrong on purpose, maybe
        (item,) = run_rules({f"{folder}/a.yaml": broken}, [rule])
        assert str(item.severity) == "note"


@pytest.mark.parametrize(("more", "severity"), [(0, "note"), (9, "warning")])
def test_what_none_is_seen_to_read_is_a_note_where_applications_read_most_that_is_here(
    more: int, severity: str
) -> None:
    """Another repository brings Applications, which may read the folder; if it has much, they do."""
    broken = "apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\nmetadata: {name: a}\n"
    root = application("root", "clusters").replace(HERE, "https://git.example.com/other.git")
    files = {
        **THREE,
        "root.yaml": root.replace("namespace: shop", "namespace: argocd"),
        **{f"else/{number}/a.yaml": thing(f"b{number}") for number in range(more)},
        "else/a.yaml": broken,
    }
    (item,) = run_rules(files, [rule_named("removed-api-version")])
    assert str(item.severity) == severity


def test_a_credential_in_git_is_one_whoever_reads_it_but_not_in_samples() -> None:
    rule = rule_named("secret-plaintext")
    assert run_rules({**THREE, "apps/old/s.yaml": secret()}, [rule])
    for path in ("tests/secret.yaml", "a/examples/b/secret.yaml", "deploy/secret.example.yaml"):
        assert not run_rules({path: secret()}, [rule]), path
    for path in ("deploy/secret.yaml", "testing-grounds/secret.yaml", "latest/secret.yaml"):
        assert run_rules({path: secret()}, [rule]), path


def test_applications_that_lead_nowhere_are_buried_where_each_has_a_folder_of_its_own() -> None:
    """As in `unused/*/application.yaml`, beside `apps/*/application.yaml` that the root reads."""
    files = {
        "root.yaml": application("root", "apps", "  syncPolicy: {automated: {}}\n").replace(
            "path: apps}", "path: apps, directory: {recurse: true}}"
        ),
        **{f"apps/{name}/application.yaml": application(name, f"charts/{name}") for name in ("web", "db")},
        **{f"charts/{name}/a.yaml": thing(name) for name in ("web", "db")},
        **{f"unused/{name}/application.yaml": application(name, f"charts/{name}") for name in ("ftp", "irc")},
    }
    assert unread(files) == {f"unused/{name}/application.yaml": "UNUSED" for name in ("ftp", "irc")}
    one_alone = {path: text for path, text in files.items() if "irc" not in path}
    assert unread(one_alone) == {}


# -- Flux


FLUX = "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: a}\nspec: {path: ./apps}\n"


FLUX_TWO = {
    f"flux/{name}.yaml": FLUX.replace("name: a", f"name: {name}").replace("./apps", f"./apps/{name}")
    for name in ("web", "db", "mail")
}


def test_what_flux_names_nowhere_is_unread_where_it_names_its_neighbours() -> None:
    files = {
        **FLUX_TWO,
        **{f"apps/{name}/kustomization.yaml": KUSTOMIZATION.format("a.yaml") for name in ("web", "db", "mail", "old")},
        **{f"apps/{name}/a.yaml": thing(name) for name in ("web", "db", "mail", "old")},
    }
    assert unread(files) == {"apps/old/a.yaml": "UNUSED", "apps/old/kustomization.yaml": "UNUSED"}
    one = {path: text for path, text in files.items() if path not in ("flux/db.yaml", "flux/mail.yaml")}
    assert unread(one) == {}, "one folder that is named tells nothing of the others"


def test_what_lies_far_from_all_that_flux_names_is_doubtful() -> None:
    files = {**FLUX_TWO, "apps/web/a.yaml": thing(), **{f"other/{n}/a.yaml": thing(f"b{n}") for n in range(9)}}
    reach = repo_of(files).reach
    assert not reach.unread
    assert {"other/0/a.yaml", "other/8/a.yaml"} <= reach.doubtful.keys()


def test_a_flux_repository_is_one_as_long_as_nothing_speaks_of_argo_cd() -> None:
    assert repo_of({"a.yaml": FLUX, "b.yaml": thing()}).is_flux_only
    assert not repo_of({"a.yaml": FLUX, "b.yaml": application()}).is_flux_only
    assert not repo_of({"b.yaml": thing()}).is_flux_only


@pytest.mark.parametrize(
    ("name", "needs"),
    [("removed-api-version", False), ("kustomize-path-missing", False), ("secret-plaintext", False),
     ("hook-without-deadline", True), ("secret-without-prune-protection", True), ("argocd-annotation-wrong-place", True)],
)  # fmt: skip
def test_which_rules_speak_of_argo_cd(name: str, needs: bool) -> None:
    assert rule_named(name).needs_argocd is needs
