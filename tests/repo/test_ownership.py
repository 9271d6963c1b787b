"""Which Application owns what: sources, folders, tools, and everything that cannot be resolved."""

from __future__ import annotations

import gc
from time import process_time

import pytest
from gitops_lint.linter.argocd.effective_options import Diff, Effective
from gitops_lint.linter.argocd.this_repo import Asked, Belief, ThisRepo, normal_url
from gitops_lint.linter.facts.versions import Version, Versions
from gitops_lint.linter.kubernetes.annotations.hooks import COMPARE_OPTIONS, SYNC_OPTIONS
from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.repo.app import App
from gitops_lint.linter.repo.build_repo import Surroundings, build_repo
from gitops_lint.linter.repo.model import Repo
from gitops_lint.linter.yaml.source import SourceFile
from support import rule_named

HERE = "https://git.example.com/team/platform.git"


def application(name: str = "web", path: str = "web", extra: str = "", url: str = HERE) -> str:
    return (
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: {name}\n  namespace: argocd\nspec:\n"
        f"  project: default\n  source:\n    repoURL: {url}\n    path: {path}\n{extra}"
        "  destination:\n    server: https://kubernetes.default.svc\n    namespace: shop\n"
    )


def thing(name: str, kind: str = "ConfigMap") -> str:
    return f"apiVersion: v1\nkind: {kind}\nmetadata:\n  name: {name}\n"


def repo_of(files: dict[str, str], argocd: str = "", **around: object) -> Repo:
    sources = [SourceFile(path, text) for path, text in sorted(files.items())]
    versions = Versions(Version.parse(argocd) if argocd else None)
    return build_repo(sources, versions, around=Surroundings(whole=True, **around))  # type: ignore[arg-type]


def app_of(repo: Repo, name: str = "web") -> App:
    return next(app for app in repo.applications if app.name == name)


def names(app: App) -> list[str]:
    return [resource.name for resource in app.resources]


def unresolved(repo: Repo, name: str = "web") -> list[str]:
    return [reason for one in app_of(repo, name).rendered for reason in one.unresolved]


# -- variants


def varied(env: str) -> str:
    patch = f'[{{"op": "replace", "path": "/spec/source/path", "value": "web/{env}"}}]'
    return f"resources: [../../base]\npatches:\n  - patch: '{patch}'\n    target: {{kind: Application}}\n"


def test_each_overlay_may_make_another_application_of_one_file() -> None:
    files = {
        "apps/base/kustomization.yaml": "resources: [web.yaml]\n",
        "apps/base/web.yaml": application(),
        "apps/overlays/dev/kustomization.yaml": varied("dev"),
        "apps/overlays/prod/kustomization.yaml": varied("prod"),
        "apps/overlays/twin/kustomization.yaml": varied("prod"),
        "web/dev/a.yaml": thing("dev"),
        "web/prod/a.yaml": thing("prod"),
    }
    repo = repo_of(files)
    assert [(app.name, names(app)) for app in repo.applications] == [("web", ["dev"]), ("web", ["prod"])]


# -- this repository


@pytest.mark.parametrize(
    "url",
    [
        "https://git.example.com/team/platform", "https://GIT.example.com/team/platform.git/",
        "git@git.example.com:team/platform.git", "ssh://git@git.example.com/team/platform",
        "ssh://git@git.example.com:22/team/platform.git", "https://user@git.example.com/team/platform.git",
    ],
)  # fmt: skip
def test_spellings_of_one_repository(url: str) -> None:
    assert normal_url(url) == "git.example.com/team/platform"


def test_a_generator_reads_no_repository_of_another_name() -> None:
    other = "https://git.example.com/team/clusters.git"
    known = ThisRepo.decide(["https://git.example.com/team/config.git"], [], {})
    assert not known.gives_sets(other)
    assert known.gives_sets("https://mirror.example.com/copies/config")
    assert ThisRepo.decide(["/srv/checkouts/one"], [], {}).gives_sets(other)  # a path has no name of its own
    assert ThisRepo.decide([], [], {}).gives_sets(other)


def test_how_a_repository_is_known_to_be_this_one() -> None:
    other = "https://git.example.com/other"
    two = {HERE: Asked(), other: Asked()}
    assert ThisRepo.decide([HERE], [], two).belief(HERE, False) is Belief.CERTAIN
    assert ThisRepo.decide([], [HERE], two).belief(HERE, False) is Belief.CERTAIN
    assert ThisRepo.decide([], [], {HERE: Asked()}).belief(HERE, False) is Belief.ONLY_ONE
    assert ThisRepo.decide([], [], two).belief(HERE, True) is Belief.BY_PATH
    assert ThisRepo.decide([], [], two).belief(HERE, False) is Belief.NO
    assert ThisRepo.decide([HERE], [], two).belief(other, False) is Belief.NO
    inside = "http://gitea-http.gitea.svc:3000/team/platform.git"
    assert ThisRepo.decide([HERE], [], {HERE: Asked(), inside: Asked()}).belief(inside, True) is Belief.BY_PATH
    assert ThisRepo.decide([HERE], [], {HERE: Asked(), inside: Asked()}).belief(inside, False) is Belief.NO


def test_an_address_is_this_repository_when_its_paths_are_here() -> None:
    other = "https://git.example.com/other"
    found, lost = {HERE: Asked(3, 1), other: Asked(0, 2)}, {HERE: Asked(1, 0), other: Asked(2, 1)}
    assert ThisRepo.decide([], [], found).belief(HERE, False) is Belief.BY_PATH
    assert ThisRepo.decide([], [], found).belief(other, False) is Belief.NO
    assert ThisRepo.decide([HERE], [], lost).belief(other, True) is Belief.NO  # HERE is known, and one path is missing
    assert ThisRepo.decide([HERE], [], {HERE: Asked(1), other: Asked(2)}).belief(other, True) is Belief.BY_PATH
    assert ThisRepo.decide([HERE], [], {HERE: Asked(1), other: Asked(1)}).belief(other, True) is Belief.NO
    ssh = "git@git.example.com:team/platform.git"
    assert ThisRepo.decide([], [], {HERE: Asked(1), ssh: Asked(0, 2), other: Asked()}).belief(HERE, False) is Belief.NO
    assert ThisRepo.decide([], [], found).lends(HERE)
    assert not ThisRepo.decide([], [], found).lends(other)


def test_repositories_of_one_house_are_laid_out_alike() -> None:
    """What has another name than the one that most Applications use, and a few of its paths, is another one."""
    fork, other = HERE.replace("team", "fork"), HERE.replace("platform", "tenants")
    for remotes in ([], [HERE]):
        found = ThisRepo.decide(remotes, [], {HERE: Asked(20, 1), fork: Asked(3), other: Asked(3)})
        beliefs = [found.belief(url, True) for url in (HERE, fork, other)]
        assert beliefs == [Belief.CERTAIN if remotes else Belief.BY_PATH, Belief.BY_PATH, Belief.NO]
        many = ThisRepo.decide(remotes, [], {HERE: Asked(20), other: Asked(9)})
        assert many.belief(other, True) is Belief.BY_PATH
    few = ThisRepo.decide([], [], {HERE: Asked(5), other: Asked(3)})
    assert few.belief(other, True) is Belief.BY_PATH


def test_a_source_whose_address_is_filled_in_later_is_read_here_if_its_path_is_here() -> None:
    asked = application().replace(HERE, "<GITOPS_REPO_URL>")
    assert names(app_of(repo_of({"web.yaml": asked, "web/a.yaml": thing("a")}))) == ["a"]


# -- who owns what


def test_an_application_owns_its_folder_and_the_rest_stays_a_unit() -> None:
    repo = repo_of({"apps/web.yaml": application(), "web/a.yaml": thing("a"), "other/b.yaml": thing("b")})
    assert names(app_of(repo)) == ["a"]
    assert {app.name: names(app) for app in repo.apps if not app.application} == {"apps": ["web"], "other": ["b"]}
    assert app_of(repo).is_complete


def test_its_options_reach_the_app() -> None:
    policy = "  syncPolicy:\n    automated: {prune: true}\n    syncOptions: [ServerSideApply=true]\n"
    repo = repo_of({"web.yaml": application() + policy, "web/a.yaml": thing("a")})
    app = app_of(repo)
    assert (app.prunes, app.namespace) == (True, "shop")
    assert app.options_for(app.resources[0]).server_side_apply


def test_switched_off_automation_does_not_prune() -> None:
    policy = "  syncPolicy:\n    automated: {prune: true, enabled: false}\n"
    repo = repo_of({"web.yaml": application() + policy, "web/a.yaml": thing("a")})
    assert app_of(repo).prunes is False


def test_an_app_of_apps_holds_applications() -> None:
    repo = repo_of({"root.yaml": application("root", "apps"), "apps/web.yaml": application(), "web/a.yaml": thing("a")})
    assert names(app_of(repo, "root")) == ["web"]
    assert names(app_of(repo)) == ["a"]


def test_a_circle_of_applications_is_no_trouble() -> None:
    from gitops_lint.linter.plan.app_tree import as_text

    repo = repo_of({"a/one.yaml": application("one", "b"), "b/two.yaml": application("two", "a")})
    assert "one" in as_text(repo)
    assert "(shown above)" in as_text(repo)


def test_several_sources_and_references() -> None:
    text = application().replace(
        f"  source:\n    repoURL: {HERE}\n    path: web\n",
        f"  sources:\n    - repoURL: {HERE}\n      path: web\n    - repoURL: {HERE}\n      ref: values\n"
        "    - repoURL: https://charts.example.com\n      chart: redis\n      targetRevision: 1.2.3\n",
    )
    repo = repo_of({"app.yaml": text, "web/a.yaml": thing("a")})
    assert names(app_of(repo)) == ["a"]
    assert unresolved(repo) == ["chart redis comes from https://charts.example.com: `gitops-lint fetch` brings it"]


def test_sources_win_over_source_and_a_hydrator_over_both() -> None:
    both = application() + f"  sources:\n    - repoURL: {HERE}\n      path: other\n"
    repo = repo_of({"app.yaml": both, "web/a.yaml": thing("a"), "other/b.yaml": thing("b")})
    assert names(app_of(repo)) == ["b"]
    hydrator = f"  sourceHydrator:\n    drySource: {{repoURL: '{HERE}', path: dry, targetRevision: main}}\n"
    repo = repo_of({"app.yaml": both + hydrator, "web/a.yaml": thing("a"), "dry/c.yaml": thing("c")})
    assert names(app_of(repo)) == ["c"]


def test_a_repository_within_the_repository() -> None:
    repo = repo_of({"x/apps/web.yaml": application(), "x/web/a.yaml": thing("a")}, base="x")
    assert names(app_of(repo)) == ["a"]


def test_objects_of_one_base_belong_to_every_overlay() -> None:
    repo = repo_of(
        {
            "apps.yaml": application("dev", "dev") + "---\n" + application("prod", "prod"),
            "base/kustomization.yaml": "resources: [a.yaml]\n",
            "base/a.yaml": thing("a"),
            "dev/kustomization.yaml": "resources: [../base]\n",
            "prod/kustomization.yaml": "resources: [../base]\n",
        }
    )
    assert names(app_of(repo, "dev")) == names(app_of(repo, "prod")) == ["a"]
    assert [app.name for app in repo.apps if not app.application] == ["."]


# -- what cannot be resolved


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (application(path="gone"), "gone does not exist"),
        (application(path="../elsewhere"), "path '../elsewhere' leads out of the repository"),
        (application(path="clusters/<NAME>/web"), "clusters/<NAME>/web is a placeholder"),
        (application().replace("    path: web\n", ""), "the source has neither path nor chart"),
        (application().replace("    path: web\n", "    path: web\n    plugin: {}\n"), "a config management plugin"),
        (application().replace("    path: web\n", "    path: web\n    helm: {releaseName: a}\n    kustomize: {namePrefix: b-}\n"), "the tool is not"),
    ],
)  # fmt: skip
def test_reasons(text: str, reason: str) -> None:
    repo = repo_of({"app.yaml": text, "web/a.yaml": thing("a")})
    assert unresolved(repo)[0].startswith(reason)
    assert not app_of(repo).is_complete


def test_options_of_jsonnet_count_where_there_is_some() -> None:
    options = "    path: web\n    directory: {jsonnet: {tlas: [{name: a, value: b}]}}\n"
    text = application().replace("    path: web\n", options)
    files = {"app.yaml": text, "web/a.yaml": thing("a")}
    assert not unresolved(repo_of(files))
    assert unresolved(repo_of(files, jsonnet=["web/b.jsonnet"])) == ["Jsonnet is not evaluated: web/b.jsonnet"]


def test_another_repository_is_named() -> None:
    other = application("other", url="https://git.example.com/other.git")
    repo = repo_of({"app.yaml": application() + "---\n" + other, "web/a.yaml": thing("a")}, remotes=[HERE])
    assert unresolved(repo, "other") == [
        "https://git.example.com/other.git is another repository: `gitops-lint fetch` brings it"
    ]


def test_the_root_of_some_repository_is_no_sign_of_this_one() -> None:
    two = application(path=".") + "---\n" + application("other", ".", url="https://git.example.com/other.git")
    repo = repo_of({"apps/two.yaml": two, "web/a.yaml": thing("a")})
    assert unresolved(repo)[0].endswith("is another repository: `gitops-lint fetch` brings it")
    assert unresolved(repo, "other")[0].endswith("is another repository: `gitops-lint fetch` brings it")


ADDS = "kustomize: {commonAnnotations: {team: shop}}"


def under_a_root(*roots: str) -> Repo:
    """A kustomization with an Application and a set, built by Applications that say how."""
    parents = "---\n".join(
        f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: root{number}}}\n"
        f"spec: {{project: default, source: {{repoURL: '{HERE}', path: apps, {options}}}, destination: {{name: a}}}}\n"
        for number, options in enumerate(roots)
    )
    made = f"""
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: all}}
spec:
  generators: [{{list: {{elements: [{{name: one}}]}}}}]
  template:
    metadata: {{name: "{{{{name}}}}"}}
    spec: {{project: default, source: {{repoURL: '{HERE}', path: web}}, destination: {{name: a}}}}
"""
    return repo_of(
        {
            "root.yaml": parents,
            "apps/kustomization.yaml": "resources: [set.yaml, app.yaml]\n",
            "apps/set.yaml": made,
            "apps/app.yaml": application(),
            "web/a.yaml": thing("a"),
        }
    )


@pytest.mark.parametrize(("roots", "times"), [([""], 1), ([ADDS], 1), (["", ADDS], 2), ([ADDS, ADDS], 1)])
def test_what_an_application_adds_to_a_kustomization_makes_no_second_one_of_its_applications(
    roots: list[str], times: int
) -> None:
    repo = under_a_root(*roots)
    assert [one.resource.name for one in repo.argocd.sets] == ["all"] * times
    names = sorted(app.name for app in repo.applications)
    assert names == sorted(["web", "one"] * times + [f"root{number}" for number in range(len(roots))])


def test_what_was_not_read_is_not_called_missing() -> None:
    sources = [SourceFile("apps/app.yaml", application(path="gone"))]
    (app,) = build_repo(sources, around=Surroundings(whole=False)).applications
    assert not app.rendered[0].missing
    assert app.rendered[0].unresolved == ("gone was not read",)


def test_a_set_that_a_patch_may_change_which_nobody_has_read_is_not_silent() -> None:
    made = """
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all}
spec:
  generators: [{list: {elements: [{name: one}, {name: two}]}}]
  template:
    metadata: {name: "{{name}}"}
    spec: {project: default, source: {repoURL: https://git.example.com/here.git, path: web}, destination: {name: a}}
"""
    remote = "patchesStrategicMerge: [https://example.com/patch.yaml]\n"
    files = {"kustomization.yaml": f"resources: [set.yaml]\n{remote}", "set.yaml": made, "web/a.yaml": thing("a")}
    repo = repo_of(files)
    assert [one.resource.name for one in repo.argocd.sets] == ["all"]
    assert [app.name for app in repo.applications] == ["one", "two"]
    assert all("in a way that is not known" in unresolved(repo, name)[0] for name in ("one", "two"))


def test_an_application_that_a_plugin_changes_owns_nothing() -> None:
    repo = repo_of(
        {
            "kustomization.yaml": "resources: [app.yaml]\ntransformers: [plugin.yaml]\n",
            "plugin.yaml": "apiVersion: example.com/v1\nkind: Magic\nmetadata: {name: magic}\n",
            "app.yaml": application(),
            "web/a.yaml": thing("a"),
        }
    )
    assert names(app_of(repo)) == []
    assert "in a way that is not known" in unresolved(repo)[0]


def test_an_application_is_what_its_overlay_makes_of_it() -> None:
    repo = repo_of(
        {
            "base/kustomization.yaml": "resources: [app.yaml]\n",
            "base/app.yaml": application(path="gone"),
            "prod/kustomization.yaml": (
                "resources: [../base]\nnameSuffix: -prod\npatches:\n  - target: {kind: Application}\n"
                "    patch: |-\n      - {op: replace, path: /spec/source/path, value: web}\n"
            ),
            "web/a.yaml": thing("a"),
        }
    )
    assert [app.name for app in repo.applications] == ["web-prod"]
    assert names(app_of(repo, "web-prod")) == ["a"]


def test_what_an_application_adds_to_its_kustomization() -> None:
    options = (
        "    kustomize:\n      namePrefix: x-\n      namespace: shop\n      commonAnnotations: {team: a}\n"
        "      patches:\n        - target: {kind: ConfigMap}\n          patch: |-\n"
        "            - {op: add, path: /data, value: {k: v}}\n"
    )
    repo = repo_of(
        {
            "app.yaml": application().replace("    path: web\n", f"    path: web\n{options}"),
            "web/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: y-\n",
            "web/a.yaml": thing("a"),
        }
    )
    (made,) = app_of(repo).resources
    assert (made.name, made.namespace, made.annotation("team").text) == ("x-a", "shop", "a")
    assert made["data"]["k"].file.path == "app.yaml"
    assert made.metadata["namespace"].file.path == "app.yaml"


def test_odd_applications_do_no_harm() -> None:
    for spec in ("", "spec: 5\n", "spec: {source: [], sources: 3, destination: x, syncPolicy: []}\n"):
        text = f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: web}}\n{spec}"
        assert names(app_of(repo_of({"app.yaml": text}))) == []


# -- plain folders, as Argo CD reads them


def folder(files: dict[str, str], options: str = "", argocd: str = "") -> App:
    extra = f"    directory: {options}\n" if options else ""
    everything = {"app.yaml": application(extra=extra), **{f"web/{path}": text for path, text in files.items()}}
    return app_of(repo_of(everything, argocd))


TREE = {"a.yaml": thing("a"), "b.yml": thing("b"), "sub/c.yaml": thing("c"), ".hidden/d.yaml": thing("d")}


def test_a_folder_is_read_without_its_folders_unless_told() -> None:
    assert names(folder(TREE)) == ["a", "b"]
    assert sorted(names(folder(TREE, "{recurse: true}"))) == ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ("{recurse: true, include: '*.yml'}", ["b"]),
        ("{recurse: true, include: 'sub/*'}", ["c"]),
        ("{recurse: true, exclude: '*.yaml'}", ["b"]),
        ("{recurse: true, include: '{a.yaml,sub/*}'}", ["a", "c"]),
        ("{recurse: true, include: '*', exclude: '*/*'}", ["a", "b"]),
        ("{include: '[ab].*'}", ["a", "b"]),
        ("{include: '[!a].*'}", ["b"]),
    ],
)
def test_include_and_exclude(options: str, found: list[str]) -> None:
    assert sorted(names(folder(TREE, options))) == found


def test_files_come_in_the_order_of_a_walk() -> None:
    files = {"a-b.yaml": thing("second"), "a/x.yaml": thing("first"), "b.yaml": thing("third")}
    assert names(folder(files, "{recurse: true}")) == ["first", "second", "third"]


def test_files_that_are_no_manifests_are_passed_over() -> None:
    app = folder({"a.yaml": thing("a"), "values.yaml": "replicas: 2\n", "empty.yaml": "# nothing\n---\n"})
    assert names(app) == ["a"]
    assert app.is_complete


def test_the_skip_marker_counts_since_3_1() -> None:
    files = {"a.yaml": thing("a"), "b.yaml": "# +argocd:skip-file-rendering\n" + thing("b")}
    assert names(folder(files)) == ["a"]
    assert names(folder(files, argocd="3.0")) == ["a", "b"]


@pytest.mark.parametrize(
    "broken",
    [
        thing("a") + "---\nno: kind\n",
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n bad: 1\n",
        thing("a") + "---\n: [\n",
    ],
)
def test_what_fails_the_whole_application(broken: str) -> None:
    app = folder({"a.yaml": broken, "b.yaml": thing("b")})
    assert [failure.path for failure in app.rendered[0].failures] == ["web/a.yaml"]
    assert not app.is_complete


def test_json_that_is_no_manifest_fails_it_too() -> None:
    others = [SourceFile("web/package.json", "{}"), SourceFile("web/sub/x.json", "{}")]
    repo = repo_of({"app.yaml": application(), "web/a.yaml": thing("a")}, others=others)
    assert [failure.path for failure in app_of(repo).rendered[0].failures] == ["web/package.json"]


def test_a_folder_that_was_passed_over_is_not_called_missing() -> None:
    repo = repo_of({"app.yaml": application(path="vendor/web")}, passed_over=["vendor"])
    assert unresolved(repo) == ["vendor/web was not read"]
    assert not app_of(repo).rendered[0].missing


def test_a_broken_file_that_is_no_manifest_is_silently_ignored() -> None:
    assert folder({"a.yaml": "x: [\n", "b.yaml": thing("b")}).is_complete


def test_the_tool_is_found_by_the_files_or_named() -> None:
    kustomized = {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": thing("a"), "b.yaml": thing("b")}
    assert app_tool(folder(kustomized)) == ("kustomize", ["a"])
    assert app_tool(folder(kustomized, "{recurse: false}")) == ("kustomize", ["a"])  # Argo CD drops a block of zeros
    assert app_tool(folder(kustomized, "{recurse: true}")) == ("directory", ["a", "b"])
    chart = {"Chart.yaml": "name: x\n", "templates/a.yaml": thing("a"), "crds/b.yaml": thing("b"), "c.yaml": thing("c")}
    assert app_tool(folder(chart)) == ("helm", ["b", "a"])
    assert app_tool(folder({**chart, "kustomization.yml": "resources: [c.yaml]\n"})) == ("kustomize", ["c"])


def app_tool(app: App) -> tuple[str, list[str]]:
    return app.rendered[0].tool, names(app)


# -- ApplicationSets


SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: all, namespace: argocd}
spec:
  goTemplate: true
  generators:
    - git:
        repoURL: https://git.example.com/team/platform.git
        directories: [{path: apps/*}]
  template:
    metadata: {name: "{{ .path.basename }}"}
    spec:
      project: default
      source: {repoURL: https://git.example.com/team/platform.git, path: "{{ .path.path }}"}
      destination: {server: https://kubernetes.default.svc, namespace: "{{ .path.basename }}"}
      syncPolicy:
        automated: {prune: true}
"""


def test_a_set_makes_applications_of_the_working_tree() -> None:
    repo = repo_of({"set.yaml": SET, "apps/web/a.yaml": thing("a"), "apps/db/b.yaml": thing("b")})
    assert {app.name: names(app) for app in repo.applications} == {"db": ["b"], "web": ["a"]}
    web = app_of(repo)
    assert web.prunes
    assert web.application
    place = web.application.place("/spec/destination/namespace")
    assert place.file.path == "set.yaml"
    assert place.file.position(place.span.start).line == 15


CLUSTERS = SET.replace(SET[SET.index("    - git") : SET.index("  template")], "    - clusters: {}\n")


def test_the_config_can_say_what_a_cluster_would() -> None:
    text = CLUSTERS.replace(".path.basename", ".name").replace(".path.path", ".name")
    repo = repo_of({"set.yaml": text, "prod/a.yaml": thing("a")}, supplied={"all": [{"name": "prod"}]})
    assert {app.name: names(app) for app in repo.applications} == {"prod": ["a"]}


def test_a_set_that_needs_a_cluster_is_named() -> None:
    repo = repo_of(
        {"set.yaml": SET.replace(SET[SET.index("    - git") : SET.index("  template")], "    - clusters: {}\n")}
    )
    assert not repo.applications
    assert repo.argocd.sets[0].expansion.unresolved


# -- files that change a source


def test_a_file_in_the_folder_changes_the_source() -> None:
    kustomized = {"kustomization.yaml": "resources: [a.yaml]\n", "a.yaml": thing("a"), "b.yaml": thing("b")}
    override = {".argocd-source.yaml": "path: other\ndirectory: {exclude: a.yaml}\n"}
    assert app_tool(folder({**kustomized, **override})) == ("directory", ["b"])
    own = {".argocd-source-web.yaml": "directory: null\n"}
    assert app_tool(folder({**kustomized, **override, **own})) == ("kustomize", ["a"])
    others = {".argocd-source-other.yaml": "directory: {}\n"}
    assert app_tool(folder({**kustomized, **others})) == ("kustomize", ["a"])


# -- options that count for one object


def effective(options: str, annotation: str = "", argocd: str = "", compare: str = "", params: str = "") -> Effective:
    text = application() + f"  syncPolicy: {{syncOptions: [{options}]}}\n"
    if compare:
        text = text.replace(
            "  namespace: argocd\n", f"  namespace: argocd\n  annotations: {{{COMPARE_OPTIONS}: {compare}}}\n", 1
        )
    item = thing("a") + (f"  annotations: {{{SYNC_OPTIONS}: '{annotation}'}}\n" if annotation else "")
    settings = f"kind: ConfigMap\nmetadata: {{name: argocd-cmd-params-cm}}\ndata: {{{params}}}\n"
    app = app_of(repo_of({"app.yaml": text, "web/a.yaml": item, "argocd/params.yaml": settings}, argocd))
    return app.options_for(app.resources[0])


def test_server_side_apply() -> None:
    assert effective("").diff is Diff.THREE_WAY
    assert effective("ServerSideApply=true").server_side_apply
    assert effective("ServerSideApply=true").diff is Diff.STRUCTURED_MERGE
    opted_out = effective("ServerSideApply=true", "ServerSideApply=false")
    assert not opted_out.server_side_apply
    assert opted_out.diff is Diff.STRUCTURED_MERGE
    assert effective("ServerSideApply=true", compare="ServerSideDiff=true").diff is Diff.SERVER_SIDE
    assert not effective("ServerSideApply=true", "Replace=true").server_side_apply
    assert effective("'ServerSideApply=true,Replace=true'").diff is Diff.THREE_WAY


def test_guards_against_pruning() -> None:
    assert effective("").prune == "true"
    assert effective("", "Prune=false").prune == "false"
    assert effective("", "Prune=False").prune == "true"
    assert effective("Prune=false").prune == "false"
    assert effective("Prune=false", argocd="3.3").prune == "true"
    assert effective("Prune=false", "Prune=true").prune == "true"
    assert effective("Delete=confirm").delete == "confirm"


def test_what_counts_at_one_level_only() -> None:
    assert not effective("Force=true").force
    assert effective("", "Force=true").force
    assert effective("SkipDryRunOnMissingResource=true").skip_dry_run
    assert not effective("SkipDryRunOnMissingResource=true", argocd="3.0").skip_dry_run


def test_the_controller_decides_how_to_compare_where_the_application_does_not() -> None:
    everywhere = 'controller.diff.server.side: "true"'
    assert effective("", params=everywhere).diff is Diff.SERVER_SIDE
    assert effective("ServerSideApply=true", params=everywhere).merges is False
    assert effective("", compare="ServerSideDiff=false", params=everywhere).diff is Diff.THREE_WAY
    assert effective("", compare="ServerSideDiff=true").asks_server
    both = "'ServerSideDiff=true,ServerSideDiff=false'"
    assert not effective("", compare=both).asks_server


# -- many of them


def many(count: int, path: str) -> dict[str, str]:
    extra = "    directory: {recurse: true}\n"
    return {f"apps/{i}.yaml": application(f"a-{i}", path, extra) for i in range(count)}


def shared_objects(repo: Repo) -> int:
    run = Run(repo)
    run.check([rule_named("resource-in-two-applications")])
    return len(run.reported)


def test_four_times_the_applications_of_a_folder_take_four_times_as_long() -> None:
    def seconds(count: int) -> float:
        begun = process_time()
        repo = repo_of(many(count, "web") | {f"web/{i}.yaml": thing(f"c-{i}") for i in range(40)})
        assert shared_objects(repo) == count - 1
        return process_time() - begun

    gc.collect()
    gc.disable()  # what it takes depends on what other tests have left behind
    try:
        seconds(10)  # what is read once and kept
        assert min(seconds(160) for _ in range(3)) < 8 * min(seconds(40) for _ in range(3))
    finally:
        gc.enable()


def test_who_brings_whom_is_looked_up_once_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Applications that hold each other: for each to go through all of all others would be 64,000 steps."""
    asked: list[object] = []
    apps_with = Repo.apps_with
    monkeypatch.setattr(Repo, "apps_with", lambda *words: asked.append(words) or apps_with(*words))
    assert shared_objects(repo_of(many(40, "."))) == 39
    assert len(asked) < 10 * 40


# -- what rules may judge


def test_an_application_is_certain_where_its_text_says_all_of_it() -> None:
    lost = 'resources: [web.yaml]\npatches:\n  - patch: \'[{"op": "remove", "path": "/spec/nothing"}]\'\n'
    files = {"web/one.yaml": thing("one"), "apps/web.yaml": application(), "loose/two.yaml": thing("two")}
    sound = repo_of({**files, "apps/kustomization.yaml": "resources: [web.yaml]\n"})
    app = app_of(sound)
    assert app.certain_application is app.application is not None
    assert [one.certain_application for one in sound.apps if one.application is None] == [None] * 2
    broken = app_of(repo_of({**files, "apps/kustomization.yaml": f"{lost}    target: {{kind: Application}}\n"}))
    assert broken.application is not None
    assert broken.certain_application is None
