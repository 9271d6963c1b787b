"""What a stranger writes into names, paths and values does nothing where it is shown, and stays on its line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

COMMAND = Path(sys.executable).with_name("gitops-lint")
BIDI = "\u202e"
EVIL = f"\x1b[31m\x07\x9b2J{BIDI}\u2028\n::error::obeyed\n##[error]obeyed\r<img src=x onerror=alert(1)>`|**bold**[a](javascript:b)"
"""Everything at once: escape sequences, a bell, C1, bidi, line breaks, commands of the runner, HTML, Markdown."""
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
INJECTED = "x\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: injected}\n"


def quoted(text: str) -> str:
    return json.dumps(text)


def application(name: str, path: str = "sub") -> str:
    return f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: {quoted(name)}, namespace: argocd}}
spec:
  project: {quoted(EVIL)}
  source: {{repoURL: https://git.example.com/x.git, path: {quoted(path)}, targetRevision: {quoted(EVIL)}}}
  destination: {{server: https://kubernetes.default.svc, namespace: {quoted(EVIL)}}}
  syncPolicy: {{automated: {{prune: false}}, syncOptions: [{quoted(EVIL)}]}}
"""


JOB = f"""\
apiVersion: batch/v1
kind: Job
metadata:
  name: {quoted(EVIL)}
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/sync-wave: {quoted(EVIL)}
    {quoted(EVIL)}: "1"
spec:
  {quoted(EVIL)}: 1
  # {BIDI}
  template:
    spec: {{restartPolicy: Never, containers: [{{name: {quoted(EVIL)}, image: {quoted(EVIL)}}}]}}
"""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    files = {
        "app.yaml": application(EVIL),
        "injected.yaml": application(INJECTED),
        "sub/job.yaml": JOB,
        f"a\n::error::obeyed{BIDI}\x1b.yaml": JOB,
        "::error::obeyed.yaml": "a: [\n",
        "##[error]obeyed.yaml": JOB.replace("PreSync", "PostSync"),
        "<img src=x onerror=alert(1)>`|**.yaml": "a: [\n",
        "kust/kustomization.yaml": f"resources: [{quoted(EVIL)}, {quoted('https://' + EVIL)}]\nnamePrefix: {quoted(EVIL)}\n",
        "chart/Chart.yaml": f"apiVersion: v2\nname: {quoted(EVIL)}\nversion: {quoted(EVIL)}\n",
        "chart/templates/a.yaml": f"{{{{ fail {quoted(EVIL)} }}}}",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (root / ".git").mkdir()
    return root


def run(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run([COMMAND, *words], cwd=root, capture_output=True, text=True, encoding="utf-8")
    assert "Traceback" not in done.stderr, done.stderr
    return done


def demand_harmless(text: str) -> None:
    """As a terminal and the runner read it: the runner trims a line before it looks for `::`, and finds `##[` anywhere."""
    assert not UNSEEN.search(text), UNSEEN.findall(text)[:5]
    for line in text.split("\n"):
        assert not line.lstrip().startswith("::error::"), line
        assert "##[" not in line, line


TEXT = [
    ("check", "--output-format", "full"),
    ("check", "--output-format", "concise"),
    ("check", "--diff", "--unsafe-fixes"),
    ("check", "--show-files"),
    ("check", "--show-settings"),
    ("check", "--statistics"),
    ("check", "--baseline", EVIL),
    ("check", "--config", "x" + EVIL),
    *(("check", "--output-format", name) for name in ("grouped", "gitlab", "junit", "rdjson", "html")),
    ("plan",),
    ("plan", "--output-format", "mermaid"),
    ("plan", "--output-format", "html"),
    ("apps",),
    ("apps", "--output-format", "tree"),
    ("apps", "--output-format", "markdown"),
    ("render",),
    ("render", "kust"),
    ("render", "chart"),
]


@pytest.mark.parametrize("words", TEXT, ids=lambda words: " ".join(words)[:30])
def test_a_terminal_shows_and_does_nothing(repo: Path, words: tuple[str, ...]) -> None:
    done = run(repo, *words)
    demand_harmless(done.stdout)
    demand_harmless(done.stderr)


def test_a_config_cannot_speak_through_its_error(repo: Path) -> None:
    for text in (f"baseline: {quoted(EVIL)}\n", f"ignore: [{quoted(EVIL)}]\n", f"{quoted(EVIL)}: 1\n"):
        (repo / ".gitops-lint.yaml").write_text(text)
        done = run(repo, "check")
        assert done.returncode == 2
        demand_harmless(done.stderr)


@pytest.mark.parametrize(
    "words",
    [
        ("check", "--output-format", "json"),
        ("check", "--output-format", "sarif"),
        ("plan", "--output-format", "json"),
        ("apps", "--output-format", "json"),
        ("render", "--output-format", "json"),
    ],
    ids=" ".join,
)
def test_json_is_ascii_and_says_what_is_there(repo: Path, words: tuple[str, ...]) -> None:
    printed = run(repo, *words).stdout
    json.loads(printed)
    demand_harmless(printed)


def test_the_runner_obeys_only_our_own_commands(repo: Path) -> None:
    printed = run(repo, "check", "--output-format", "github").stdout
    lines = printed.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("::"))
    for line in lines[:first]:  # what was read, and what for, in words of ours
        assert re.match("(Read|Judged|Found) ", line), line
        assert not UNSEEN.search(line)
        assert "::" not in line
        assert "##[" not in line
    for line in lines[first:]:
        command = re.fullmatch(r"::(error|warning|notice) (?P<properties>[^:]*)::(?P<message>.*)", line)
        assert command, line
        assert not UNSEEN.search(line)
        assert all("=" in one for one in command["properties"].split(","))


def test_markdown_has_no_markup_but_ours(repo: Path) -> None:
    for words in (("check", "--output-format", "markdown"),):
        printed = run(repo, *words).stdout
        demand_harmless(printed)
        assert "<img" not in printed
        assert "**bold**" not in printed
        assert "](javascript" not in printed


def test_render_prints_only_objects_that_are_there(repo: Path) -> None:
    printed = run(repo, "render").stdout
    objects = [one for one in yaml.safe_load_all(printed) if one]
    assert {one["kind"] for one in objects} == {"Job", "Application"}
    names = {one["metadata"]["name"] for one in objects}
    assert EVIL in names  # escaped, and yet the same
    assert INJECTED in names


def test_the_page_has_no_element_of_a_stranger(repo: Path) -> None:
    from html.parser import HTMLParser

    class Elements(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.found: set[str] = set()

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.found |= {tag, *(f"@{name}" for name, _ in attrs)}

    printed = run(repo, "plan", "--output-format", "html").stdout
    page = Elements()
    page.feed(printed)
    assert "img" not in page.found
    assert not [one for one in page.found if one.startswith("@on")]
    assert not UNSEEN.search(printed)


# -- long names


def test_long_names_are_cut(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB.replace(quoted(EVIL), "n" * 100_000))
    for style in ("concise", "full", "github", "markdown"):
        assert len(run(tmp_path, "check", "--output-format", style).stdout) < 30_000, style


# -- files that are written


def test_nothing_is_written_through_a_link_of_the_repository(repo: Path, tmp_path: Path) -> None:
    victim = tmp_path / "bashrc"
    victim.write_text("mine\n")
    (tmp_path / "home").mkdir()
    os.symlink(victim, repo / "results.sarif")
    os.symlink(tmp_path / "home", repo / "out")
    commands = [
        ("check", "--output-format", "sarif", "-o", "results.sarif"),
        ("check", "--output-format", "sarif", "-o", "out/x.sarif"),
        ("check", "--write-baseline=results.sarif"),
        ("check", "--write-baseline=out/x.json"),
        ("plan", "-o", "results.sarif"),
        ("render", "-o", "results.sarif"),
        ("render", "sub", "-o", "results.sarif"),
    ]
    for words in commands:
        done = run(repo, *words)
        assert done.returncode == 2, words
        assert "link" in done.stderr, words
    os.symlink(victim, repo / ".gitops-lint.yaml")
    assert run(repo, "init", "--force").returncode == 2
    assert victim.read_text() == "mine\n"
    assert not list((tmp_path / "home").iterdir())


def test_a_report_goes_where_it_is_wanted(repo: Path, tmp_path: Path) -> None:
    os.symlink(tmp_path, tmp_path / "alias")
    for file in (tmp_path / "x.json", tmp_path / "alias/y.json", repo / "z.json"):
        run(repo, "check", "--output-format", "json", "-o", str(file))
        json.loads(file.read_text())
    assert run(repo, "check", "--output-format", "json", "-o", "/dev/stdout").stdout.startswith("{")
    done = run(repo, "check", "--output-format", "json", "-o", "x" * 300)
    assert done.returncode == 2
    assert "File name too long" in done.stderr
