"""Builds by a real Kustomize: what is started, what it may do, and where its output was written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import pytest
from gitops_lint.linter.cli.options import Options
from gitops_lint.linter.cli.session_from_options import look_at
from gitops_lint.linter.kustomize import Cause, kustomize_binary
from gitops_lint.linter.kustomize.printed import FetchedDocument, PrintedDocument
from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.repo.model import Repo
from gitops_lint.linter.yaml.source import Node
from gitops_lint.rules import load
from real_tools import helm, kubectl

COMMAND = Path(sys.executable).with_name("gitops-lint")
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: migrate
          image: registry.example.com/migrate:1
          envFrom:
            - configMapRef:
                name: settings
"""
FILES = {
    "base/kustomization.yaml": (
        "resources: [job.yaml, secret.yaml]\nconfigMapGenerator:\n  - name: settings\n    literals: [a=b]\n"
    ),
    "base/job.yaml": JOB,
    "base/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n",
    "prod/kustomization.yaml": (
        "resources: [../base]\nnamePrefix: prod-\nnamespace: shop\npatches:\n  - path: wave.yaml\n"
        "    target: {kind: Secret}\n"
    ),
    "prod/wave.yaml": (
        "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n  annotations:\n    argocd.argoproj.io/sync-wave: soon\n"
    ),
}
SECRET = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\n"
ONE_SECRET = {"kustomization.yaml": "# ours\nresources:\n  - secret.yaml\n", "secret.yaml": SECRET.format(name="db")}
REMOTE = "https://git.example.com/bases.git//db?ref=v1"


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / ".git").mkdir(exist_ok=True)
    return root


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return write(tmp_path / "repo", ONE_SECRET)


def script(path: Path, body: str) -> Path:
    """A program that knows its version, and does this for all else."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\nif [ "$1" = version ]; then echo v5.7.1; exit 0; fi\n{body}\n')
    path.chmod(0o755)
    return path


@pytest.fixture
def kustomize(tmp_path: Path) -> Path:
    return tmp_path / "bin" / "kustomize"


def prints(path: Path, text: str) -> Path:
    output = path.with_name("output.yaml")
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text)
    return script(path, f"cat {output}")


def run(*args: str, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    clean = {"PATH": "/usr/bin:/bin", "HOME": str(cwd), **env}
    return subprocess.run([str(COMMAND), *args], cwd=cwd, capture_output=True, text=True, env=clean)


def seen(root: Path, binary: Path | None = None, helm: str = "auto") -> Repo:
    return look_at(root, Options(isolated=True, kustomize_binary=str(binary) if binary else "off", helm=helm))


def checked(repo: Repo) -> list[Reported]:
    found = Run(repo)
    found.check(load())
    assert not found.crashes, found.crashes[0].trace
    return sorted(found.reported, key=lambda item: item.sort_key)


def told(findings: Iterable[Reported]) -> list[tuple[object, ...]]:
    return [
        (
            *(item.rule.code, item.severity, item.file.path, item.start, item.finding.message),
            *(note.message for note in item.finding.related),
            *(fix.title for fix in item.finding.fixes),
        )
        for item in findings
    ]


def line(node: Node) -> tuple[str, int]:
    return node.file.path, node.file.position(node.span.start).line


def unread(repo: Repo) -> list[tuple[str, str]]:
    return [(item.reason, item.detail) for item in repo.not_analysed]


# -- what is started


def test_without_the_option_nothing_is_started(repo: Path, kustomize: Path, tmp_path: Path) -> None:
    script(kustomize, f"touch {tmp_path}/started")
    script(kustomize.with_name("kubectl"), f"touch {tmp_path}/started")
    for option in ([], ["--kustomize-binary", "off"]):
        run(*option, cwd=repo, PATH=f"{kustomize.parent}:/bin")
    assert not (tmp_path / "started").exists()


def test_a_config_file_cannot_choose_a_program(repo: Path, kustomize: Path, tmp_path: Path) -> None:
    script(kustomize, f"touch {tmp_path}/started")
    (repo / ".gitops-lint.yaml").write_text(f"kustomize-binary: {kustomize}\n")
    assert run(cwd=repo).returncode == 2
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize(("name", "subcommand"), [("kustomize", "build"), ("kubectl", "kustomize"), ("k", "build")])
def test_what_it_is_started_with(repo: Path, tmp_path: Path, name: str, subcommand: str) -> None:
    program = script(tmp_path / "bin" / name, f"(echo $@; pwd; cat; env) > {tmp_path}/seen")
    secrets = {"AWS_SECRET_ACCESS_KEY": "x", "KUSTOMIZE_PLUGIN_HOME": "/x", "KUBECONFIG": "/x", "GITHUB_TOKEN": "x"}
    done = run("--kustomize-binary", str(program), cwd=repo, https_proxy="http://proxy.example.com", **secrets)
    assert done.returncode == 0, done.stderr
    arguments, folder, *environment = (tmp_path / "seen").read_text().splitlines()
    assert arguments == f"{subcommand} {repo}"
    assert folder == str(repo)
    names = {variable.partition("=")[0] for variable in environment} - {"PWD", "OLDPWD", "SHLVL", "_"}
    assert names == {"PATH", "HOME", "https_proxy", "GIT_TERMINAL_PROMPT", "LC_ALL"}


def test_a_program_of_any_name_is_told_by_its_version(tmp_path: Path) -> None:
    cluster = tmp_path / "cluster-tool"
    cluster.write_text('#!/bin/sh\n[ "$1 $2" = "version --client" ]\n')
    cluster.chmod(0o755)
    assert kustomize_binary.find_binary(str(cluster)).command == (str(cluster), "kustomize")


def test_a_word_is_looked_up_on_the_path_but_never_in_the_repository(repo: Path, kustomize: Path) -> None:
    script(repo / "kustomize", "exit 1")
    done = run("--kustomize-binary", "kustomize", cwd=repo, PATH=".:/usr/bin:/bin")
    assert (done.returncode, done.stderr) == (2, "error: --kustomize-binary: there is no kustomize on the PATH\n")
    prints(kustomize, "")
    assert run("--kustomize-binary", "kustomize", cwd=repo, PATH=f".:{kustomize.parent}:/bin").returncode == 0


def test_a_program_that_is_none_ends_the_run(repo: Path, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("hello")
    (tmp_path / "stranger").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "stranger").chmod(0o755)
    for word, reason in [
        (tmp_path / "nowhere", "no such program"),
        (text, "no such program"),
        (tmp_path, "no such program"),
        (tmp_path / "stranger", "does not tell its version as a kustomize or a kubectl would"),
    ]:
        done = run("--kustomize-binary", str(word), cwd=repo)
        assert (done.returncode, done.stderr) == (2, f"error: --kustomize-binary: {word}: {reason}\n")


def test_standard_input_is_built_in_process(repo: Path, kustomize: Path, tmp_path: Path) -> None:
    script(kustomize, f"touch {tmp_path}/started")
    command = [str(COMMAND), "-", "--stdin-filename", "kustomization.yaml", "--kustomize-binary", str(kustomize)]
    subprocess.run(command, cwd=repo, input="resources: [secret.yaml]\n", capture_output=True, text=True)
    assert not (tmp_path / "started").exists()


# -- programs that give no answer: our own build stands, and it is said


def hanging(path: Path) -> Path:
    """It hangs, and so does a child that keeps the output open."""
    return script(path, "sleep 600 &\nsleep 600")


def test_a_program_that_hangs_is_ended(repo: Path, kustomize: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kustomize_binary, "TIME_LIMIT", 0.3)
    start = time.monotonic()
    found = seen(repo, hanging(kustomize))
    assert time.monotonic() - start < 10
    assert unread(found) == [("no answer from the real Kustomize; built in-process", "took longer than 0.3 seconds")]
    assert told(checked(found)) == told(checked(seen(repo)))


def test_a_program_that_prints_without_end_is_ended(repo: Path, kustomize: Path) -> None:
    start = time.monotonic()
    found = seen(repo, script(kustomize, "head -c 100000000 /dev/zero\nsleep 600"))
    assert time.monotonic() - start < 10
    assert unread(found) == [("no answer from the real Kustomize; built in-process", "printed more than 32 MB")]
    assert told(checked(found)) == told(checked(seen(repo)))


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("echo hello", "printed something that is no list of objects"),
        ("echo '[1'", "printed something that is no list of objects"),
        ("echo 'a: b'", "printed something that is no list of objects"),
        ("printf '\\377\\376'", "printed something that is no text"),
        ("kill -9 $$", "was ended by signal 9"),
        ("echo 'panic: nil map' >&2; exit 2", "ended with exit code 2, and named no error"),
    ],
)
def test_garbage_is_no_build(repo: Path, kustomize: Path, body: str, detail: str) -> None:
    found = seen(repo, script(kustomize, body))
    assert unread(found) == [("no answer from the real Kustomize; built in-process", detail)]
    assert told(checked(found)) == told(checked(seen(repo)))
    assert not found.kustomize.builds[0].errors


# -- refusals


def test_what_only_the_program_refuses_is_an_error_at_the_top(repo: Path, kustomize: Path) -> None:
    script(
        kustomize,
        "echo '# Warning: commonLabels is deprecated' >&2\necho \"Error: in '$2/secret.yaml':\n  too bad\" >&2\nexit 1",
    )
    (build,) = seen(repo, kustomize).kustomize.builds
    (error,) = build.errors
    assert error.cause is Cause.REFUSED
    assert error.message == "kustomize refuses it: in 'secret.yaml': too bad"
    assert isinstance(error.at, Node)
    assert line(error.at) == ("kustomization.yaml", 2)
    assert [resource.name for resource in build.resources] == ["db"]


def test_what_both_refuse_is_said_by_our_own_build(repo: Path, kustomize: Path) -> None:
    (repo / "kustomization.yaml").write_text("resources:\n  - secret.yaml\n  - missing.yaml\n")
    script(kustomize, "echo 'Error: something about it' >&2; exit 1")
    (build,) = seen(repo, kustomize).kustomize.builds
    assert [(error.cause, error.message) for error in build.errors] == [
        (Cause.MISSING_FILE, "missing.yaml does not exist")
    ]


def test_what_only_our_own_build_refuses_is_no_error(repo: Path, kustomize: Path) -> None:
    (repo / "kustomization.yaml").write_text("resources: [secret.yaml]\nfieldOfTheFuture: 1\n")
    (build,) = seen(repo, prints(kustomize, SECRET.format(name="db"))).kustomize.builds
    assert not build.errors
    assert [resource.name for resource in build.resources] == ["db"]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (f"  - {REMOTE}\n", f"accumulating resources from '{REMOTE}': git fetch: could not resolve host"),
        ("generators: [secret.yaml]\n", "external plugins disabled; unable to load external plugin"),
        ("helmCharts: [{name: shop, repo: 'https://example.com'}]\n", "must specify --enable-helm"),
    ],
)
def test_what_argo_cd_may_have_and_we_have_not_is_no_error(
    repo: Path, kustomize: Path, extra: str, message: str
) -> None:
    (repo / "kustomization.yaml").write_text(f"resources:\n  - secret.yaml\n{extra}")
    found = seen(repo, script(kustomize, f'echo "Error: {message}" >&2; exit 1'))
    assert not found.kustomize.builds[0].errors
    assert ("the real Kustomize cannot build it here", message) in unread(found)
    assert len(found.not_analysed) == 2, "what is left out is still named"


def test_charts_are_rendered_by_ours_though_the_binary_refuses_them(repo: Path, kustomize: Path) -> None:
    (repo / "charts/shop/templates").mkdir(parents=True)
    (repo / "charts/shop/Chart.yaml").write_text("apiVersion: v2\nname: shop\nversion: 0.1.0\n")
    (repo / "charts/shop/values.yaml").write_text("")
    (repo / "charts/shop/templates/secret.yaml").write_text(SECRET.format(name="rendered"))
    (repo / "kustomization.yaml").write_text("resources: [secret.yaml]\nhelmCharts: [{name: shop}]\n")
    found = seen(repo, script(kustomize, "echo 'Error: must specify --enable-helm' >&2; exit 1"), str(helm()))
    (build,) = (one for one in found.kustomize.builds if one.folder == ".")
    assert not build.errors
    assert [resource.name for resource in build.resources] == ["db", "rendered"]
    assert ("the real Kustomize cannot build it here", "must specify --enable-helm") in unread(found)


def test_a_patch_that_finds_nothing_in_a_remote_base_is_an_error(repo: Path, kustomize: Path) -> None:
    (repo / "kustomization.yaml").write_text(f"resources:\n  - {REMOTE}\npatches:\n  - path: secret.yaml\n")
    script(kustomize, "echo 'Error: no matches for Id Secret.v1.[noGrp]/db.[noNs]' >&2; exit 1")
    (build,) = seen(repo, kustomize).kustomize.builds
    assert [error.cause for error in build.errors] == [Cause.REFUSED]


# -- where the output was written


def test_both_ways_find_the_same_in_the_same_lines(tmp_path: Path) -> None:
    repo = write(tmp_path, FILES)
    ours, theirs = checked(seen(repo)), checked(seen(repo, kubectl()))
    assert told(ours) == told(theirs)
    places = {(item.rule.name, item.file.path, item.start.line) for item in ours}
    assert {
        ("hook-without-deadline", "base/job.yaml", 6),
        ("sync-wave-not-integer", "prod/wave.yaml", 6),
        ("secret-without-prune-protection", "base/secret.yaml", 2),
    } <= places


def test_an_equal_object_is_the_one_that_was_built_in_process(repo: Path, kustomize: Path) -> None:
    (secret,) = seen(repo, prints(kustomize, SECRET.format(name="db"))).resources
    assert not secret.node.document.is_built


OTHER_JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    argocd.argoproj.io/hook: PostSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  template:
    spec:
      containers:
        - name: sidecar
          image: registry.example.com/sidecar:1
        - name: migrate
          image: registry.example.com/migrate:1
          envFrom:
            - configMapRef:
                name: settings
          args: [a, b]
"""
JOB_ALONE = {"kustomization.yaml": "resources: [job.yaml]\n", "job.yaml": JOB}


def test_fields_are_matched_by_key_path_and_items_by_name(tmp_path: Path, kustomize: Path) -> None:
    repo = write(tmp_path / "repo", JOB_ALONE)
    (job,) = seen(repo, prints(kustomize, OTHER_JOB)).resources
    document = job.node.document
    assert isinstance(document, PrintedDocument)
    assert job["metadata"]["annotations"]["argocd.argoproj.io/hook"].text == "PostSync"
    containers = job.node.at("spec", "template", "spec", "containers")
    expected = {
        job.node: 1,
        job.hook_annotation: 6,
        job["spec"]["activeDeadlineSeconds"]: 8,
        containers: 12,
        containers[1]: 13,
        containers[1]["image"]: 14,
        containers[1]["envFrom"][0]["configMapRef"]["name"]: 17,
        containers[1]["args"][1]: 13,
        containers[0]: 12,
        containers[0]["image"]: 12,
    }
    assert {node.pointer: line(node) for node in expected} == {
        node.pointer: ("job.yaml", number) for node, number in expected.items()
    }


def test_a_change_is_possible_only_where_the_printed_value_is_the_written_one(tmp_path: Path, kustomize: Path) -> None:
    repo = write(tmp_path / "repo", JOB_ALONE)
    (job,) = seen(repo, prints(kustomize, OTHER_JOB)).resources
    containers = job.node.at("spec", "template", "spec", "containers")
    same = containers[1]["image"]
    assert same.set("x").can_be_applied
    assert same.set("x").operations[0]["path"] == "/spec/template/spec/containers/0/image"
    assert job["spec"]["activeDeadlineSeconds"].set(1).can_be_applied
    assert not job.hook_annotation.set("x").can_be_applied
    assert not job.node.at("spec", "template", "spec", "restartPolicy").set("x").can_be_applied
    assert not containers[0]["image"].remove().can_be_applied
    assert not containers.append({}).can_be_applied
    assert not same.set("x").also(job.hook_annotation.remove()).can_be_applied


def test_items_without_names_are_the_same_only_in_lists_of_one_length(tmp_path: Path, kustomize: Path) -> None:
    route = "apiVersion: x.example.com/v1\nkind: Route\nmetadata:\n  name: a\nspec:\n  rules:\n"
    files = {"kustomization.yaml": "resources: [route.yaml]\n", "route.yaml": f"{route}    - to: [1]\n    - to: [2]\n"}
    repo = write(tmp_path / "repo", files)
    (same,) = seen(repo, prints(kustomize, f"{route}  - to: [1]\n  - to: [3]\n")).resources
    assert same["spec"]["rules"][0]["weight"].set(1).can_be_applied
    (longer,) = seen(repo, prints(kustomize, f"{route}  - to: [0]\n  - to: [1]\n  - to: [2]\n")).resources
    assert not longer["spec"]["rules"][0]["weight"].set(1).can_be_applied


def deadline(repo: Repo) -> Reported:
    return next(item for item in checked(repo) if item.rule.name == "hook-without-deadline")


def test_a_finding_says_why_its_fix_is_withheld(tmp_path: Path, kustomize: Path) -> None:
    repo = write(tmp_path / "repo", JOB_ALONE)
    offered = deadline(seen(repo, prints(kustomize, OTHER_JOB)))
    assert offered.finding.fixes
    assert offered.start.line == 6
    (repo / "job.yaml").write_text(JOB + "  activeDeadlineSeconds: 60\n")
    withheld = deadline(seen(repo, kustomize))
    assert not withheld.finding.fixes
    assert [note.message for note in withheld.finding.related] == [
        "no fix is offered: what comes out does not follow from this line alone"
    ]


# -- what only the program has


def fetched(repo: Path, kustomize: Path, kustomization: str) -> Repo:
    (repo / "kustomization.yaml").write_text(kustomization)
    return seen(repo, prints(kustomize, "---\n".join(SECRET.format(name=name) for name in ("db", "mail", "queue"))))


def test_objects_of_a_remote_base_belong_to_its_entry(repo: Path, kustomize: Path) -> None:
    found = fetched(repo, kustomize, f"# ours\nresources:\n  - secret.yaml\n  - {REMOTE}\n")
    assert not found.not_analysed
    assert [(one.name, *line(one.node)) for one in found.resources] == [
        ("db", "secret.yaml", 1),
        ("mail", "kustomization.yaml", 4),
        ("queue", "kustomization.yaml", 4),
    ]
    remote, local = (item for item in checked(found) if item.rule.name == "secret-without-prune-protection")
    assert (local.file.path, local.start.line, bool(local.finding.fixes)) == ("secret.yaml", 2, True)
    assert (remote.file.path, remote.start.line, remote.finding.fixes) == ("kustomization.yaml", 4, ())
    assert [note.message for note in remote.finding.related] == [
        "the same holds for Secret 'queue' from here",
        "no fix is offered: what comes out does not follow from this line alone",
    ]


def test_of_two_remote_bases_nobody_knows_which(repo: Path, kustomize: Path) -> None:
    found = fetched(repo, kustomize, f"# ours\nresources:\n  - secret.yaml\n  - {REMOTE}\n  - {REMOTE}2\n")
    places = {one.name: line(one.node) for one in found.resources if isinstance(one.node.document, FetchedDocument)}
    assert places == {"mail": ("kustomization.yaml", 2), "queue": ("kustomization.yaml", 2)}


def test_the_real_program_fetches_a_base(repo: Path, tmp_path: Path) -> None:
    remote = write(
        tmp_path / "remote", {"db/kustomization.yaml": "resources: [s.yaml]\n", "db/s.yaml": SECRET.format(name="mail")}
    )
    git = ["git", "-C", str(remote), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for words in (["init", "--quiet", "--initial-branch=main"], ["add", "."], ["commit", "--quiet", "--message=a"]):
        subprocess.run([*git, *words], check=True)
    entry = f"file://{remote}//db?ref=main"
    (repo / "kustomization.yaml").write_text(f"namePrefix: our-\nresources:\n  - secret.yaml\n  - {entry}\n")
    found = seen(repo, kubectl())
    assert not found.not_analysed
    assert {one.name: line(one.node) for one in found.resources} == {
        "our-db": ("secret.yaml", 1),
        "our-mail": ("kustomization.yaml", 4),
    }


# -- the commands


APPLICATION = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: shop, namespace: argocd}
spec:
  project: default
  source:
    repoURL: https://git.example.com/a.git
    path: prod
  destination: {server: https://kubernetes.default.svc, namespace: shop}
"""


def test_the_commands_take_it(tmp_path: Path) -> None:
    repo = write(tmp_path, {**FILES, "app.yaml": APPLICATION})
    binary = ["--kustomize-binary", str(kubectl())]
    for command in (["render", "prod"], ["render"], ["apps"], ["plan"], ["check", "--output-format", "json"]):
        ours, theirs = run(*command, cwd=repo), run(*command, *binary, cwd=repo)
        assert ours.returncode == theirs.returncode, theirs.stderr
        assert ours.stdout == theirs.stdout
        assert "prod" in theirs.stdout


def test_render_prints_what_the_program_printed(repo: Path, kustomize: Path) -> None:
    prints(kustomize, SECRET.format(name="db") + "  labels:\n    made-by: fake\n")
    done = run("render", "--output-format", "json", "--kustomize-binary", str(kustomize), cwd=repo)
    (one,) = json.loads(done.stdout)
    assert one["object"]["metadata"]["labels"] == {"made-by": "fake"}
    assert one["origin"] == {"path": "secret.yaml", "line": 1}


def test_what_an_application_adds_is_built_in_process(tmp_path: Path, kustomize: Path) -> None:
    application = APPLICATION.replace("path: prod", "path: prod\n    kustomize: {namePrefix: its-}")
    repo = write(tmp_path / "repo", {**FILES, "app.yaml": application})
    found = seen(repo, prints(kustomize, SECRET.format(name="printed")))
    (app,) = found.applications
    assert {resource.name for resource in app.resources} >= {"its-db", "its-migrate"}


def test_fixes_are_written_to_the_base(repo: Path, kustomize: Path) -> None:
    prints(kustomize, SECRET.format(name="db"))
    done = run("--fix", "--unsafe-fixes", "--kustomize-binary", str(kustomize), "--select", "GL501", cwd=repo)
    assert "Fixed 1 of the findings" in done.stderr
    assert "Prune=false" in (repo / "secret.yaml").read_text()


def test_many_folders_are_built_at_the_same_time(tmp_path: Path, kustomize: Path) -> None:
    names = [f"app-{number}" for number in range(8)]
    files = {f"{name}/kustomization.yaml": "resources: [secret.yaml]\n" for name in names}
    repo = write(tmp_path / "repo", files | {f"{name}/secret.yaml": SECRET.format(name="db") for name in names})
    script(kustomize, f"echo s >> {tmp_path}/log; sleep 0.3; echo e >> {tmp_path}/log; cat $2/secret.yaml")
    found = seen(repo, kustomize)
    assert len(found.resources) == len(names)
    log = (tmp_path / "log").read_text().split()
    assert log.count("s") == len(names), "each is built once"
    assert os.cpu_count() == 1 or log[:2] == ["s", "s"]
