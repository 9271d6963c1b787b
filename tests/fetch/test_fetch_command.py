"""`gitops-lint fetch` against real servers on this machine, and the other commands with what it brought."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import run
from git_repository import Checkout
from loopback import PASSWORD, USER, Handler, helm, indexed, packaged, registry, serving, written
from real_tools import helm3

OLD = {".gitops-lint.yaml": 'argocd-version: "2.14"\n'}
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  ttlSecondsAfterFinished: 0
  template: {spec: {restartPolicy: Never, containers: [{name: a, image: "{{ .Values.image }}"}]}}
"""
CONFIG = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: b}\n"
KUSTOMIZATION = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"


def application(name: str, source: str) -> str:
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {name}, namespace: argocd}}
spec:
  project: default
  destination: {{server: https://kubernetes.default.svc, namespace: {name}}}
{source}"""


def chart_of(url: str, name: str = "shop", version: str = "1.0.0", more: str = "") -> str:
    return f"  source:\n    repoURL: {url}\n    chart: {name}\n    targetRevision: {version}\n{more}"


@pytest.fixture(scope="module")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("charts")
    packaged(folder, "shop", "1.0.0", {"templates/job.yaml": JOB, "values.yaml": "image: one\n"})
    packaged(folder, "shop", "1.1.0", {"templates/job.yaml": JOB, "values.yaml": "image: two\n"})
    indexed(folder)
    return folder


@pytest.fixture(scope="module")
def repositories(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("git")
    other = Checkout(folder / "team" / "other")
    written(
        other.root,
        {
            "base/kustomization.yaml": f"{KUSTOMIZATION}resources: [config.yaml, ../shared]\n",
            "base/config.yaml": CONFIG,
            "shared/kustomization.yaml": f"{KUSTOMIZATION}resources: [config.yaml]\n",
            "shared/config.yaml": CONFIG.replace("settings", "shared"),
            "out/kustomization.yaml": f"{KUSTOMIZATION}resources: [../../secret]\n",
            "env/prod.yaml": "image: of-the-other-repository\n",
            "plain/config.yaml": CONFIG.replace("settings", "plain"),
        },
    )
    other.git("add", ".")
    other.git("commit", "-qm", "one")
    other.git("tag", "v1")
    return folder


def fetch(root: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    return run("fetch", "--helm", str(helm3()), "--store", str(root.parent / "store"), *words, cwd=root, **env)


def look(root: Path, command: str, *words: str) -> subprocess.CompletedProcess[str]:
    return run(command, "--helm", str(helm3()), "--store", str(root.parent / "store"), *words, cwd=root)


def lock_of(root: Path) -> list[dict[str, str]]:
    entries: list[dict[str, str]] = json.loads((root / "gitops-lint.lock").read_text())["entries"]
    return entries


def objects(root: Path, *words: str) -> dict[str, Any]:
    """By kind and name."""
    done = look(root, "render", "--output-format", "json", *words)
    found = [one["object"] for one in json.loads(done.stdout)]
    return {f"{one['kind']}/{one['metadata']['name']}": one for one in found}


def report(root: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(look(root, "check", "--output-format", "json").stdout)
    return found


def place_of(finding: Mapping[str, Any]) -> tuple[str, int]:
    return finding["path"], finding["range"]["start"]["line"]


def image_of(job: Any) -> str:
    return str(job["spec"]["template"]["spec"]["containers"][0]["image"])


def test_a_chart_of_a_helm_repository_is_seen_whole(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as server:
        values = "    helm: {valuesObject: {image: mine}}\n"
        root = written(tmp_path / "repo", {"app.yaml": application("shop", chart_of(server.url, more=values))})
        before = look(root, "check")
        assert "1 Application (none seen whole; 1 needs `gitops-lint fetch`)" in before.stdout
        done = fetch(root, "--allow-host", server.host)
        assert done.returncode == 0, done.stderr
    assert [(one["asked"], one["got"]) for one in lock_of(root)] == [("1.0.0", "1.0.0")]
    assert image_of(objects(root, "--app", "shop")["Job/shop-migrate"]) == "mine"
    after = look(root, "check")
    assert "1 Application (all seen whole)" in after.stdout


def test_a_finding_in_a_chart_stands_where_the_chart_is_named(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as server:
        root = written(tmp_path / "repo", {"app.yaml": application("shop", chart_of(server.url)), **OLD})
        assert fetch(root, "--allow-host", server.host).returncode == 0
    found = {one["name"]: one for one in report(root)["findings"]}
    ttl = found["hook-low-ttl"]
    assert place_of(ttl) == ("app.yaml", 10)  # targetRevision
    related = [one["path"] for one in ttl["related"]]
    assert any(path.endswith("/shop/templates/job.yaml") for path in related)
    assert not any(".git" in path for path in related)
    assert "hook-without-deadline" not in found  # the business of whoever writes the chart
    assert ".git/fetched" not in look(root, "check").stdout


CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: backups.shop.example.com}
spec:
  group: shop.example.com
  names: {kind: Backup, plural: backups}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {days: {type: integer}}}}}}
"""


def test_what_only_the_author_of_a_chart_can_change_is_not_told(tmp_path: Path) -> None:
    """Its Secret has no annotation; what its definition says of an object here is told, in words that can be read."""
    folder = tmp_path / "charts"
    folder.mkdir()
    secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: login}\nstringData: {}\n"
    packaged(folder, "shop", "1.0.0", {"templates/secret.yaml": secret, "crds/crd.yaml": CRD})
    indexed(folder)
    prunes = "  syncPolicy: {automated: {prune: true}}\n"
    backup = "apiVersion: shop.example.com/v1\nkind: Backup\nmetadata: {name: a, namespace: shop}\nspec: {days: many}\n"
    with serving(folder) as server:
        files = {"app.yaml": application("shop", chart_of(server.url, more=prunes)), "backup.yaml": backup}
        root = written(tmp_path / "repo", files)
        assert fetch(root, "--allow-host", server.host).returncode == 0
    found = {one["name"]: one for one in report(root)["findings"]}
    assert "secret-without-prune-protection" not in found
    assert "The CRD in shop-1.0.0." in found["cr-schema-violation"]["message"]
    assert ".git/fetched" not in look(root, "check", "--min-severity", "note").stdout


def test_the_dependency_of_a_chart_is_there(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as server:
        chart = f"apiVersion: v2\nname: mine\nversion: 0.1.0\ndependencies:\n- {{name: shop, version: ^1.0.0, repository: '{server.url}'}}\n"
        root = written(
            tmp_path / "repo", {"mine/Chart.yaml": chart, "mine/values.yaml": "shop: {image: given}\n", **OLD}
        )
        assert fetch(root, "--allow-host", server.host).returncode == 0
    assert [(one["asked"], one["got"]) for one in lock_of(root)] == [("^1.0.0", "1.1.0")]
    assert image_of(objects(root)["Job/release-name-migrate"]) == "given"
    (ttl,) = (one for one in report(root)["findings"] if one["name"] == "hook-low-ttl")
    assert place_of(ttl) == ("mine/Chart.yaml", 5)


def test_a_chart_that_a_kustomization_asks_for(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as server:
        entry = f"helmCharts:\n- name: shop\n  repo: {server.url}\n  version: 1.1.0\n  releaseName: r\n"
        root = written(tmp_path / "repo", {"kustomization.yaml": f"{KUSTOMIZATION}namePrefix: pre-\n{entry}"})
        assert fetch(root, "--allow-host", server.host).returncode == 0
    assert image_of(objects(root)["Job/pre-r-migrate"]) == "two"


def test_a_base_and_a_file_from_elsewhere(tmp_path: Path, repositories: Path) -> None:
    files = written(tmp_path / "files", {"crd.yaml": CONFIG.replace("settings", "by-address")})
    with serving(repositories, git=True) as git, serving(files) as web:
        entries = f"resources:\n- {git.url}/team/other/.git//base?ref=v1\n- {web.url}/crd.yaml\n"
        root = written(tmp_path / "repo", {"kustomization.yaml": f"{KUSTOMIZATION}namePrefix: my-\n{entries}"})
        done = fetch(root, "--allow-host", git.host, "--allow-host", web.host)
        assert done.returncode == 0, done.stderr
    assert set(objects(root)) == {"ConfigMap/my-settings", "ConfigMap/my-shared", "ConfigMap/my-by-address"}
    assert {one["kind"] for one in lock_of(root)} == {"git", "file"}


def test_a_base_from_elsewhere_does_not_lead_into_this_repository(tmp_path: Path, repositories: Path) -> None:
    with serving(repositories, git=True) as git:
        entry = f"resources: ['{git.url}/team/other/.git//out?ref=v1']\n"
        secret = {
            "secret/kustomization.yaml": f"{KUSTOMIZATION}resources: [config.yaml]\n",
            "secret/config.yaml": CONFIG,
        }
        root = written(tmp_path / "repo", {"app/kustomization.yaml": f"{KUSTOMIZATION}{entry}", **secret})
        assert fetch(root, "--allow-host", git.host).returncode == 0
    assert not objects(root, "app")


def test_another_repository_and_values_out_of_it(tmp_path: Path, charts: Path, repositories: Path) -> None:
    with serving(charts) as server, serving(repositories, git=True) as git:
        url = f"{git.url}/team/other/.git"
        sources = (
            f"  sources:\n  - repoURL: {server.url}\n    chart: shop\n    targetRevision: 1.0.0\n"
            f"    helm: {{valueFiles: [$other/env/prod.yaml]}}\n  - {{repoURL: '{url}', targetRevision: v1, ref: other}}\n"
        )
        plain = f"  source: {{repoURL: '{url}', targetRevision: v1, path: plain}}\n"
        built = f"  source: {{repoURL: '{url}', targetRevision: v1, path: base}}\n"
        own = "  source: {repoURL: 'https://git.example.com/this.git', path: here}\n"
        apps = {"shop": sources, "plain": plain, "built": built, "own": own}
        texts = {f"{name}.yaml": application(name, text) for name, text in apps.items()}
        root = written(tmp_path / "repo", {**texts, "here/a.yaml": CONFIG, "plain/only-here.yaml": CONFIG})
        done = fetch(root, "--allow-host", server.host, "--allow-host", git.host)
        assert done.returncode == 0, done.stderr
    assert image_of(objects(root, "--app", "shop")["Job/shop-migrate"]) == "of-the-other-repository"
    assert set(objects(root, "--app", "built")) == {"ConfigMap/settings", "ConfigMap/shared"}
    assert "4 Applications (all seen whole)" in look(root, "check").stdout


def test_a_checkout_beside_stands_for_a_repository(tmp_path: Path, repositories: Path) -> None:
    url = "https://git.example.com/team/other.git"
    text = application("plain", f"  source: {{repoURL: '{url}', targetRevision: v1, path: plain}}\n")
    second = application("two", "  source: {repoURL: 'https://git.example.com/this.git', path: here}\n")
    root = written(tmp_path / "repo", {"app.yaml": text, "two.yaml": second, "here/a.yaml": CONFIG})
    beside = ("--repo", f"{url}={repositories / 'team' / 'other'}")
    assert set(objects(root, "--app", "plain", *beside)) == {"ConfigMap/plain"}
    assert not objects(root, "--app", "plain")


def test_a_chart_of_a_registry(tmp_path: Path, charts: Path) -> None:
    (tmp_path / "registry").mkdir()
    with registry(tmp_path / "registry") as host:
        helm("push", str(charts / "shop-1.0.0.tgz"), f"oci://{host}/team", "--plain-http", cwd=charts)
        apps = {
            "plain.yaml": application("plain", chart_of(f"{host}/team")),
            "artifact.yaml": application(
                "artifact", f"  source: {{repoURL: 'oci://{host}/team/shop', targetRevision: 1.0.0, path: .}}\n"
            ),
        }
        root = written(tmp_path / "repo", apps)
        done = fetch(root, "--allow-host", host)
        assert done.returncode == 0, done.stderr
    assert set(objects(root, "--app", "plain")) == {"Job/plain-migrate"}
    assert set(objects(root, "--app", "artifact")) == {"Job/artifact-migrate"}


# -- who is asked


def test_nobody_is_asked_who_is_not_allowed(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as server:
        root = written(tmp_path / "repo", {"app.yaml": application("shop", chart_of(server.url))})
        done = fetch(root)
        assert done.returncode == 1
        assert f"gitops-lint fetch --allow-host {server.host}" in done.stderr
        assert server.asked == []


def test_a_redirect_leads_nowhere_else(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as inside:

        def away(handler: Handler) -> bool:
            handler.reply(302, b"", {"Location": f"{inside.url}{handler.path}"})
            return True

        with serving(tmp_path, answer=away) as outside:
            texts = {
                "app.yaml": application("shop", chart_of(outside.url)),
                "kustomization.yaml": f"{KUSTOMIZATION}resources: [app.yaml, '{outside.url}/x.yaml', '{outside.url}/a/b.git?ref=v1']\n",
            }
            root = written(tmp_path / "repo", texts)
            done = fetch(root, "--allow-host", outside.host)
        assert done.returncode == 1
        assert len(outside.asked) >= 3
        assert inside.asked == []


def test_credentials_are_those_of_helm_and_git_and_are_not_told(
    tmp_path: Path, charts: Path, repositories: Path
) -> None:
    with serving(charts, password=True) as server, serving(repositories, git=True, password=True) as git:
        url = f"{git.url}/team/other/.git"
        texts = {
            "app.yaml": application("shop", chart_of(server.url)),
            "plain.yaml": application("plain", f"  source: {{repoURL: '{url}', targetRevision: v1, path: plain}}\n"),
        }
        root = written(tmp_path / "repo", texts)
        hosts = ("--allow-host", server.host, "--allow-host", git.host)
        assert fetch(root, *hosts).returncode == 1
        home = tmp_path / "home"
        known = f"repositories:\n- {{name: mine, url: '{server.url}', username: {USER}, password: {PASSWORD}}}\n"
        stored = f"http://{USER}:{PASSWORD}@{git.host}\n"
        written(home, {".config/helm/repositories.yaml": known, ".git-credentials": stored})
        written(home, {".gitconfig": "[credential]\n\thelper = store\n"})
        done = fetch(root, *hosts, HOME=str(home))
        assert done.returncode == 0, done.stderr
    kept = (root / "gitops-lint.lock").read_text() + done.stdout + done.stderr
    assert PASSWORD not in kept
    assert USER not in kept


def test_a_password_in_an_address_goes_nowhere(tmp_path: Path) -> None:
    url = f"https://{USER}:{PASSWORD}@charts.example.com"
    root = written(tmp_path / "repo", {"app.yaml": application("shop", chart_of(url))})
    done = fetch(root)
    assert "charts.example.com" in done.stderr
    assert PASSWORD not in done.stderr


def test_an_address_with_a_token_in_it_is_not_asked_for(tmp_path: Path) -> None:
    """The lock and the words of `fetch` would tell the token; what a query asks for else is asked for."""
    written(tmp_path / "files", {"a.yaml": "a: 1\n", "base.yaml": CONFIG})
    token = "mArKeR01x7Kq9Zt2Wv5"
    with serving(tmp_path / "files") as server:
        values = [f"{server.url}/a.yaml?private_token={token}", f"{server.url}/a.yaml?ref_type=heads"]
        source = f"path: c, helm: {{valueFiles: {json.dumps(values)}}}"
        helm = f"  source: {{repoURL: https://git.example.com/own.git, {source}}}\n"
        texts = {
            "app.yaml": application("shop", helm),
            "c/Chart.yaml": "apiVersion: v2\nname: c\nversion: 1.0.0\n",
            "kustomization.yaml": f"{KUSTOMIZATION}resources: ['{server.url}/base.yaml?sig={token}']\n",
        }
        root = written(tmp_path / "repo", texts)
        done = fetch(root, "--allow-host", server.host)
        assert server.asked == ["/a.yaml?ref_type=heads"]
    checked = look(root, "check", "--select", "ALL", "--min-severity", "note")
    told = (root / "gitops-lint.lock").read_text() + done.stdout + done.stderr + checked.stdout + checked.stderr
    assert "nothing can be fetched from such an address" in checked.stdout
    assert token not in told


# -- the lock


def test_what_comes_must_be_what_the_lock_has(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as server:
        root = written(tmp_path / "repo", {"app.yaml": application("shop", chart_of(server.url))})
        assert fetch(root, "--allow-host", server.host).returncode == 0
        lock = root / "gitops-lint.lock"
        digest = lock_of(root)[0]["digest"]
        lock.write_text(lock.read_text().replace(digest, "sha256:" + "0" * 64))
        done = fetch(root, "--locked")
        assert done.returncode == 1
        assert "what came is not what the lock has" in done.stderr
    (unseen,) = (one for one in report(root)["notAnalysed"] if "chart" in one["reason"])
    assert "(the lock names it, and the store lacks it): `gitops-lint fetch` brings it" in unseen["reason"]


def test_what_lies_in_the_store_is_held_against_its_digest(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as server:
        root = written(tmp_path / "repo", {"app.yaml": application("shop", chart_of(server.url))})
        assert fetch(root, "--allow-host", server.host).returncode == 0
        (blob,) = (path for path in (tmp_path / "store").rglob("*") if path.is_file())
        blob.write_bytes(b"something else")
        assert not objects(root, "--app", "shop")
        assert fetch(root, "--locked").returncode == 0
    assert objects(root, "--app", "shop")


def test_locked_takes_nothing_else_and_update_takes_what_is_new(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as server:
        one = application("one", chart_of(server.url, version="1.0.0"))
        root = written(tmp_path / "repo", {"one.yaml": one})
        assert fetch(root, "--allow-host", server.host).returncode == 0
        written(root, {"two.yaml": application("two", chart_of(server.url, version='">=1.0.0"'))})
        text = (root / "gitops-lint.lock").read_text()
        assert fetch(root, "--locked").returncode == 0
        assert (root / "gitops-lint.lock").read_text() == text
        assert fetch(root).returncode == 0  # the host is in the lock
        assert {one["got"] for one in lock_of(root)} == {"1.0.0", "1.1.0"}
        changed = (root / "gitops-lint.lock").read_text().replace('"got": "1.1.0"', '"got": "1.0.0"')
        changed = changed.replace(lock_of(root)[1]["digest"], lock_of(root)[0]["digest"])
        (root / "gitops-lint.lock").write_text(changed)
        assert fetch(root).returncode == 0
        assert {one["got"] for one in lock_of(root)} == {"1.0.0"}
        assert fetch(root, "--update").returncode == 0
        assert {one["got"] for one in lock_of(root)} == {"1.0.0", "1.1.0"}


def test_a_store_is_carried_into_a_closed_network(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as server:
        root = written(tmp_path / "repo", {"app.yaml": application("shop", chart_of(server.url))})
        assert fetch(root, "--allow-host", server.host).returncode == 0
    carried = tmp_path / "carried"
    (tmp_path / "store").rename(carried)
    assert not objects(root, "--app", "shop")
    done = fetch(root, "--offline-dir", str(carried))
    assert done.returncode == 0, done.stderr
    assert objects(root, "--app", "shop")


def test_the_base_says_whom_to_ask(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as server, serving(charts) as stranger:
        checkout = Checkout(tmp_path / "repo")
        root = written(checkout.root, {"app.yaml": application("shop", chart_of(server.url))})
        assert fetch(root, "--allow-host", server.host).returncode == 0
        checkout.git("add", ".")
        checkout.git("commit", "-qm", "one")
        asked = len(stranger.asked)
        written(
            root,
            {
                "evil.yaml": application("evil", chart_of(stranger.url)),
                ".gitops-lint.yaml": f"fetch: {{hosts: ['{stranger.host}']}}\n",
            },
        )
        done = fetch(root, "--diff-base", "HEAD")
        assert done.returncode == 1
        assert "not among the allowed hosts" in done.stderr
        lock = root / "gitops-lint.lock"
        lock.write_text(lock.read_text().replace(server.host, stranger.host))
        (tmp_path / "store").rename(tmp_path / "away")
        assert fetch(root, "--diff-base", "HEAD", "--locked", "--lock-from", "base").returncode == 0
        assert len(stranger.asked) == asked


def test_a_lock_that_is_none_is_said(tmp_path: Path) -> None:
    root = written(tmp_path / "repo", {"a.yaml": CONFIG, "gitops-lint.lock": "{"})
    for command in ("check", "apps", "plan", "fetch"):
        done = run(command, cwd=root)
        assert done.returncode == 2
        assert "gitops-lint.lock" in done.stderr


def test_a_server_that_is_gone_is_said(tmp_path: Path, charts: Path) -> None:
    with serving(charts) as server:
        root = written(tmp_path / "repo", {"app.yaml": application("shop", chart_of(server.url))})
    done = fetch(root, "--allow-host", server.host)
    assert done.returncode == 1
    assert f"not fetched: shop 1.0.0 from {server.url}" in done.stderr
    assert lock_of(root) == []


OWN = {
    "own.yaml": application("own", "  source: {repoURL: 'https://git.example.com/this.git', path: here}\n"),
    "here/a.yaml": CONFIG,
}


def test_a_value_file_at_an_address(tmp_path: Path, charts: Path) -> None:
    with (
        serving(written(tmp_path / "web", {"prod.yaml": "image: from-an-address\n"})) as web,
        serving(charts) as server,
    ):
        values = f"    helm: {{valueFiles: ['{web.url}/prod.yaml']}}\n"
        root = written(tmp_path / "repo", {"app.yaml": application("shop", chart_of(server.url, more=values))})
        assert fetch(root, "--allow-host", server.host, "--allow-host", web.host).returncode == 0
    assert sorted(one["kind"] for one in lock_of(root)) == ["chart", "file"]
    assert image_of(objects(root, "--app", "shop")["Job/shop-migrate"]) == "from-an-address"
    assert "1 Application (all seen whole)" in look(root, "check").stdout


def test_a_value_file_at_an_address_that_nobody_has_brought_is_said(tmp_path: Path) -> None:
    chart = {"shop/Chart.yaml": "apiVersion: v2\nname: shop\nversion: 0.1.0\n", "shop/templates/job.yaml": JOB}
    source = (
        "  source:\n    repoURL: https://example.com/this\n    path: shop\n"
        "    helm: {valueFiles: ['https://values.example.com/prod.yaml']}\n"
    )
    root = written(tmp_path / "repo", {"app.yaml": application("shop", source), **chart})
    assert "1 needs `gitops-lint fetch`" in look(root, "check").stdout


def test_a_range_of_versions_is_the_highest_tag_in_it(tmp_path: Path) -> None:
    other = Checkout(tmp_path / "git" / "team" / "tagged")
    for tag in ("v1.0.0", "v1.10.0", "v1.9.0", "v2.0.0"):
        written(other.root, {"plain/config.yaml": CONFIG.replace("settings", f"of-{tag.replace('.', '-')}")})
        other.git("add", ".")
        other.git("commit", "-qm", tag)
        other.git("tag", "-am", tag, tag)
    with serving(tmp_path / "git", git=True) as server:
        source = f"  source: {{repoURL: '{server.url}/team/tagged/.git', path: plain, targetRevision: 1.x}}\n"
        root = written(tmp_path / "repo", {"app.yaml": application("shop", source), **OWN})
        done = fetch(root, "--allow-host", server.host)
        assert done.returncode == 0, done.stderr
    assert list(objects(root, "--app", "shop")) == ["ConfigMap/of-v1-10-0"]


def test_a_range_that_no_tag_is_in_is_said(tmp_path: Path, repositories: Path) -> None:
    with serving(repositories, git=True) as server:
        source = f"  source: {{repoURL: '{server.url}/team/other/.git', path: plain, targetRevision: '>=7'}}\n"
        root = written(tmp_path / "repo", {"app.yaml": application("shop", source), **OWN})
        done = fetch(root, "--allow-host", server.host)
    assert done.returncode
    assert "no tag is in the range >=7" in done.stderr


SET = """\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: all, namespace: argocd}}
spec:
  goTemplate: true
  generators:
  - git: {{repoURL: '{url}', revision: v1, {what}}}
  template:
    metadata: {{name: '{name}'}}
    spec:
      project: default
      destination: {{server: https://kubernetes.default.svc, namespace: shop}}
      source: {{repoURL: '{url}', targetRevision: v1, path: '{path}'}}
"""


@pytest.mark.parametrize(
    ("what", "name", "path", "made"),
    [
        ("directories: [{path: '*'}, {path: out, exclude: true}]", "{{.path.basename}}", "{{.path.path}}",
         ["base", "env", "plain", "shared"]),
        ("files: [{path: env/*.yaml}]", "{{.image}}", "plain", ["of-the-other-repository"]),
    ],
)  # fmt: skip
def test_a_set_over_another_repository(
    tmp_path: Path, repositories: Path, what: str, name: str, path: str, made: list[str]
) -> None:
    with serving(repositories, git=True) as server:
        text = SET.format(url=f"{server.url}/team/other/.git", what=what, name=name, path=path)
        root = written(tmp_path / "repo", {"set.yaml": text, **OWN})
        before = json.loads(look(root, "apps", "--output-format", "json").stdout)
        assert before["applicationSets"][0]["seen"] != "expanded"
        assert "`gitops-lint fetch` brings it" in str(before["applicationSets"][0]["unresolved"])
        done = fetch(root, "--allow-host", server.host)
        assert done.returncode == 0, done.stderr
    after = json.loads(look(root, "apps", "--output-format", "json").stdout)
    assert after["applicationSets"][0]["seen"] == "expanded"
    assert [one["name"] for one in after["applications"] if one["name"] != "own"] == made
    whole = {one["name"] for one in after["applications"] if one["seen"] == "whole"}
    assert whole == {*made, "own"}


def test_a_set_over_a_checkout_beside(tmp_path: Path, repositories: Path) -> None:
    url = "https://git.example.com/team/other"
    text = SET.format(url=url, what="directories: [{path: pl*}]", name="{{.path.basename}}", path="{{.path.path}}")
    root = written(tmp_path / "repo", {"set.yaml": text, **OWN})
    done = look(root, "apps", "--output-format", "json", "--repo", f"{url}={repositories / 'team' / 'other'}")
    assert [(one["name"], one["seen"]) for one in json.loads(done.stdout)["applications"]] == [
        ("own", "whole"),
        ("plain", "whole"),
    ]
