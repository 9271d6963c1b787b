"""--diff-base and --staged on real git repositories."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from change_samples import application, config_map, told
from git_repository import ENVIRONMENT, Checkout, existing
from gitops_lint.linter.change import Change, FileStatus
from gitops_lint.linter.lint.config import Config
from gitops_lint.linter.lint.run import Linted
from gitops_lint.linter.lint.session import Session
from gitops_lint.rules import load
from support import change_of

COMMAND = Path(sys.executable).with_name("gitops-lint")
ROOT_ONLY = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")


def linted(root: Path, base: str = "HEAD~1", *, staged: bool = False, paths: tuple[Path, ...] = ()) -> Linted:
    session = Session(Config(), load(), date(2024, 1, 1), diff_base=base, staged=staged)
    return session.lint(session.find(paths or (root,)))


def compared(root: Path, base: str = "HEAD~1", *, staged: bool = False) -> Change:
    change = linted(root, base, staged=staged).change
    assert change is not None
    return change


def run(root: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [str(COMMAND), "--output-format", "concise", "--isolated", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, env={**ENVIRONMENT, **env}, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """Two commits: an Application with two objects, of which the second commit changes one."""
    made = Checkout(tmp_path / "repo")
    made.commit(
        {
            "app.yaml": application("shop", "deploy"),
            "deploy/a.yaml": config_map("a"),
            "deploy/b.yaml": config_map("b"),
        }
    )
    made.commit({"deploy/b.yaml": config_map("b", data="a: c")})
    return made


# -- the base


def test_the_base_is_read_from_git_and_what_is_unchanged_is_shared(checkout: Checkout) -> None:
    change = compared(checkout.root)
    assert told(change) == ["kept rewritten ConfigMap/b"]
    same = [path for path, file in change.base_files.items() if change.head_files[path] is file]
    assert same == ["app.yaml", "deploy/a.yaml"]
    ours = {id(resource) for resource in change.head.resources}
    assert [r.name for r in change.base.resources if id(r) not in ours] == ["b"]
    assert [(one.after, one.status) for one in change.changed_files] == [("deploy/b.yaml", FileStatus.MODIFIED)]


def test_nothing_is_touched(checkout: Checkout) -> None:
    checkout.write({"deploy/a.yaml": config_map("a", data="x: y")})
    before = {path: path.stat().st_mtime_ns for path in checkout.root.rglob("*")}
    compared(checkout.root)
    compared(checkout.root, "HEAD", staged=True)
    assert {path: path.stat().st_mtime_ns for path in checkout.root.rglob("*")} == before


def test_the_working_tree_counts_untracked_files_too(checkout: Checkout) -> None:
    checkout.write({"deploy/new.yaml": config_map("new"), "deploy/a.yaml": None})
    assert told(compared(checkout.root, "HEAD")) == ["removed ConfigMap/a", "added ConfigMap/new"]


def test_the_index_counts_not_the_working_tree(checkout: Checkout) -> None:
    checkout.write({"deploy/a.yaml": config_map("a", data="staged: yes")})
    checkout.git("add", "deploy/a.yaml")
    checkout.write(
        {
            "deploy/a.yaml": config_map("a", data="not: staged"),
            "deploy/b.yaml": "kind: [broken",
            "deploy/c.yaml": config_map("c"),
        }
    )
    change = compared(checkout.root, "HEAD", staged=True)
    assert told(change) == ["kept rewritten ConfigMap/a"]
    (one,) = change.objects
    assert one.after is not None
    assert one.after["data"].value == {"staged": True}


def test_a_removal_that_is_only_staged(checkout: Checkout) -> None:
    checkout.git("rm", "-q", "--cached", "deploy/a.yaml")
    assert told(compared(checkout.root, "HEAD", staged=True)) == ["removed ConfigMap/a"]
    assert told(compared(checkout.root, "HEAD")) == []


def test_the_first_commit_has_nothing_before_it(tmp_path: Path) -> None:
    made = Checkout(tmp_path)
    made.write({"a.yaml": config_map("a")})
    made.git("add", "-A")
    assert told(compared(tmp_path, "HEAD", staged=True)) == ["added ConfigMap/a"]


def test_the_index_of_a_commit_in_progress(checkout: Checkout, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git commit FILE` gives its hooks an index of its own."""
    index = checkout.root / ".git" / "next-index"
    index.write_bytes((checkout.root / ".git" / "index").read_bytes())
    checkout.write({"deploy/c.yaml": config_map("c")})
    checkout.git("add", "-A")
    assert told(compared(checkout.root, "HEAD", staged=True)) == ["added ConfigMap/c"]
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index")
    monkeypatch.chdir(checkout.root)
    assert told(compared(checkout.root, "HEAD", staged=True)) == []


# -- revisions


def test_merge_commits(checkout: Checkout) -> None:
    checkout.git("checkout", "-q", "-b", "feature", "HEAD~1")
    checkout.commit({"deploy/feature.yaml": config_map("feature")})
    checkout.git("checkout", "-q", "main")
    checkout.commit({"deploy/main.yaml": config_map("main")})
    checkout.git("merge", "-q", "--no-edit", "feature")
    assert told(compared(checkout.root, "HEAD^1")) == ["added ConfigMap/feature"]
    assert told(compared(checkout.root, "HEAD^2")) == ["kept rewritten ConfigMap/b", "added ConfigMap/main"]


def test_three_dots_are_where_the_branch_began(checkout: Checkout) -> None:
    checkout.git("checkout", "-q", "-b", "feature")
    checkout.commit({"deploy/feature.yaml": config_map("feature")})
    checkout.git("checkout", "-q", "main")
    checkout.commit({"deploy/main.yaml": config_map("main")})
    checkout.git("checkout", "-q", "feature")
    assert told(compared(checkout.root, "main...")) == ["added ConfigMap/feature"]
    assert told(compared(checkout.root, "main")) == ["added ConfigMap/feature", "removed ConfigMap/main"]


def test_every_step_of_a_history(tmp_path: Path) -> None:
    """From git the same is found as from the texts themselves."""
    history: list[dict[str, str]] = [
        {"app.yaml": application("shop", "deploy"), "deploy/a.yaml": config_map("a")},
        {
            "app.yaml": application("shop", "deploy"),
            "deploy/a.yaml": config_map("a"),
            "deploy/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: x-\n",
        },
        {
            "app.yaml": application("shop", "overlay"),
            "deploy/a.yaml": config_map("a"),
            "deploy/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: x-\n",
            "overlay/kustomization.yaml": "resources: [../deploy]\nnamespace: other\n",
        },
        {"app.yaml": application("shop", "deploy"), "deploy/b.yaml": config_map("b")},
        {"other.yaml": application("store", "deploy"), "deploy/b.yaml": config_map("b", data="x: y")},
    ]
    made = Checkout(tmp_path)
    commits = []
    for files in history:
        for path in tmp_path.rglob("*.yaml"):
            path.unlink()
        commits.append(made.commit(files))
    for before, (name, files) in zip(commits, list(zip(commits, history, strict=True))[1:], strict=False):
        made.git("checkout", "-q", name)
        expected = change_of(history[commits.index(before)], files)
        found = compared(tmp_path, before)
        assert told(found) == told(expected)
        assert [(one.removed.resource.name, one.added.resource.name) for one in found.renamings] == [
            (one.removed.resource.name, one.added.resource.name) for one in expected.renamings
        ]
        assert found.changed_files == expected.changed_files
        for one in found.objects:
            if one.is_removed:
                place = found.place_of_removal(one)
                assert place.file is found.head_files[place.file.path]


# -- unusual trees


def test_a_mode_alone_changes_no_object(checkout: Checkout) -> None:
    (checkout.root / "deploy/a.yaml").chmod(0o755)
    checkout.commit()
    change = compared(checkout.root)
    assert told(change) == []
    assert [(one.after, one.status) for one in change.changed_files] == [("deploy/a.yaml", FileStatus.MODE)]
    assert not change.is_changed("deploy/a.yaml")


def test_a_folder_that_is_deleted(checkout: Checkout) -> None:
    checkout.git("rm", "-q", "-r", "deploy")
    checkout.commit()
    change = compared(checkout.root)
    assert told(change) == ["removed ConfigMap/a", "removed ConfigMap/b"]
    places = {change.place_of_removal(one).file.path for one in change.objects}
    assert places == {"app.yaml"}
    assert [one.missing for app in change.head.applications for one in app.rendered] == [True]


def test_a_kustomization_and_its_folder_are_renamed(tmp_path: Path) -> None:
    made = Checkout(tmp_path)
    made.commit(
        {
            "app.yaml": application("shop", "old"),
            "old/kustomization.yaml": "resources: [a.yaml]\nnamePrefix: x-\n",
            "old/a.yaml": config_map("a"),
        }
    )
    made.git("mv", "old/kustomization.yaml", "old/kustomization.yml")
    made.commit()
    change = compared(tmp_path)
    assert told(change) == []
    assert [(one.before, one.after) for one in change.changed_files] == [
        ("old/kustomization.yaml", "old/kustomization.yml")
    ]
    made.git("mv", "old", "new")
    made.commit({"app.yaml": application("shop", "new")})
    change = compared(tmp_path)
    assert told(change) == ["kept rewritten Application/shop", "kept file ConfigMap/x-a"]
    assert [one.path_changed for one in change.apps] == [True]


def test_names_that_are_no_utf8(tmp_path: Path) -> None:
    made = Checkout(tmp_path)
    odd = os.fsdecode(b"deploy/caf\xe9.yaml")
    try:
        made.commit({odd: config_map("a"), "app.yaml": application("shop", "deploy")})
    except OSError as error:
        pytest.skip(f"the file system refuses the name: {error}")
    made.commit({odd: config_map("a", data="x: y")})
    change = compared(tmp_path)
    assert told(change) == ["kept rewritten ConfigMap/a"]
    assert [one.after for one in change.changed_files] == [odd]
    assert run(tmp_path, "--diff-base", "HEAD~1", "--select", "ALL").returncode in (0, 1)


def test_a_base_that_does_not_parse_is_told(checkout: Checkout) -> None:
    checkout.commit({"deploy/a.yaml": "kind: [\n"})
    checkout.commit({"deploy/a.yaml": config_map("a"), "deploy/b.yaml": config_map("b", data="q: r")})
    result = linted(checkout.root)
    assert result.change is not None
    assert told(result.change) == ["kept rewritten ConfigMap/b"]
    (note,) = result.notes
    assert note.startswith("one file cannot be read as HEAD~1 has it, and the rest is compared: deploy/a.yaml:")


def test_a_base_that_does_not_build_is_told(tmp_path: Path) -> None:
    made = Checkout(tmp_path)
    made.commit({"kustomization.yaml": "resources: [a.yaml, b.yaml]\nnamePrefix: x-\n", "a.yaml": config_map("a")})
    made.commit({"b.yaml": config_map("b")})
    result = linted(tmp_path)
    assert result.change is not None
    assert told(result.change) == []
    (note,) = result.notes
    assert note.startswith("the build of . fails as HEAD~1 has it, so its objects are not compared: ")


def test_links_are_followed_as_git_has_them(tmp_path: Path) -> None:
    made = Checkout(tmp_path / "repo")
    (tmp_path / "outside.yaml").write_text(config_map("outside"))
    made.write(
        {"real/a.yaml": config_map("a"), "app.yaml": application("shop", "deploy"), "deploy/c.yaml": config_map("c")}
    )
    (made.root / "deploy/a.yaml").symlink_to("../real/a.yaml")
    (made.root / "deploy/folder").symlink_to("../real")
    (made.root / "deploy/out.yaml").symlink_to("../../outside.yaml")
    (made.root / "deploy/nothing.yaml").symlink_to("nowhere.yaml")
    made.commit()
    made.commit({"real/a.yaml": config_map("a", data="x: y")})
    change = compared(made.root)
    assert told(change) == ["kept rewritten ConfigMap/a", "kept rewritten ConfigMap/a"]  # by the link, and by itself
    assert [one.after.file.path for one in change.objects if one.after] == ["deploy/a.yaml", "real/a.yaml"]
    assert (
        change.base_files["deploy/out.yaml"].problems[0].message == "a link that leads out of the repository: not read"
    )
    (made.root / "deploy/a.yaml").unlink()
    made.commit({"deploy/a.yaml": config_map("a", data="x: y")})
    assert told(compared(made.root)) == []


@pytest.fixture
def with_submodule(tmp_path: Path) -> Checkout:
    library = Checkout(tmp_path / "library")
    library.commit({"a.yaml": config_map("a")})
    made = Checkout(tmp_path / "repo")
    made.write({"app.yaml": application("shop", "lib"), "x.yaml": config_map("x")})
    made.git("submodule", "--quiet", "add", str(library.root), "lib")
    made.commit()
    return made


def test_a_submodule_is_taken_as_the_head_has_it(with_submodule: Checkout) -> None:
    with_submodule.commit({"x.yaml": config_map("x", data="x: y")})
    result = linted(with_submodule.root)
    assert result.change is not None
    assert told(result.change) == ["kept rewritten ConfigMap/x"]
    assert sorted(r.name for r in result.change.base.resources) == ["a", "shop", "x"]
    assert result.notes == ()


def test_a_submodule_at_another_commit_is_named(with_submodule: Checkout) -> None:
    inside = existing(with_submodule.root / "lib")
    inside.commit({"a.yaml": config_map("a", data="x: y"), "b.yaml": config_map("b")})
    with_submodule.commit()
    result = linted(with_submodule.root)
    assert result.change is not None
    assert told(result.change) == []
    assert result.notes == ("the submodule lib is at another commit now; what is in it is not compared",)
    assert told(compared(inside.root)) == ["kept rewritten ConfigMap/a", "added ConfigMap/b"]


def test_a_submodule_that_is_removed_is_named(with_submodule: Checkout) -> None:
    with_submodule.git("rm", "-q", "lib")
    with_submodule.commit()
    result = linted(with_submodule.root)
    assert result.change is not None
    assert told(result.change) == []
    assert result.notes == ("the submodule lib is removed; what it held is not known here",)


def test_what_git_tracks_is_not_ignored(checkout: Checkout) -> None:
    checkout.commit({".gitignore": "deploy/\n*.tmp.yaml\n", "untracked.tmp.yaml": config_map("no")})
    assert told(compared(checkout.root)) == []
    assert sorted(r.name for r in compared(checkout.root).head.resources) == ["a", "b", "shop"]
    checkout.git("rm", "-q", "--cached", "deploy/a.yaml")
    assert told(compared(checkout.root, "HEAD")) == ["removed ConfigMap/a"]


def test_a_sparse_checkout_removes_nothing(checkout: Checkout) -> None:
    checkout.git("sparse-checkout", "set", "--no-cone", "/*", "!/deploy/a.yaml")
    assert not (checkout.root / "deploy/a.yaml").exists()
    result = linted(checkout.root)
    assert result.change is not None
    assert told(result.change) == ["kept rewritten ConfigMap/b"]
    assert result.notes == ("a sparse checkout leaves out files, which are not compared: deploy/a.yaml",)


def test_ends_of_lines_that_git_changes_are_no_difference(checkout: Checkout) -> None:
    for path in checkout.root.rglob("*.yaml"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    change = compared(checkout.root, "HEAD")
    assert told(change) == []
    assert change.changed_files == ()


def test_what_git_lfs_keeps_elsewhere(checkout: Checkout) -> None:
    import hashlib

    text = config_map("a", data="large: yes")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 1\n"
    checkout.commit({"deploy/a.yaml": pointer.format(hashlib.sha256(text.encode()).hexdigest())})
    checkout.write({"deploy/a.yaml": text})
    assert told(compared(checkout.root, "HEAD")) == []
    checkout.write({"deploy/a.yaml": config_map("a", data="larger: yes")})
    result = linted(checkout.root, "HEAD")
    assert result.change is not None
    assert told(result.change) == []
    assert "deploy/a.yaml (kept by Git LFS" in result.notes[0]


def test_fixes_follow_the_comparison(checkout: Checkout) -> None:
    old, new = (f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: {name}\n" for name in ("old", "new"))
    checkout.commit({"old.yaml": old})
    checkout.write({"new.yaml": new})
    run(checkout.root, "--select", "GL501", "--diff-base", "HEAD", "--new-only", "--fix", "--unsafe-fixes")
    assert (checkout.root / "old.yaml").read_text() == old
    assert "Prune=false" in (checkout.root / "new.yaml").read_text()


def test_a_repository_of_longer_names(tmp_path: Path) -> None:
    made = Checkout(tmp_path, algorithm="sha256")
    made.commit({"a.yaml": config_map("a"), "b.yaml": config_map("b")})
    made.commit({"b.yaml": config_map("b", data="x: y")})
    change = compared(tmp_path)
    assert told(change) == ["kept rewritten ConfigMap/b"]
    assert change.base_files["a.yaml"] is change.head_files["a.yaml"]


def test_a_worktree_and_a_folder_of_it(checkout: Checkout, tmp_path: Path) -> None:
    checkout.git("worktree", "add", "-q", str(tmp_path / "other"))
    other = existing(tmp_path / "other")
    other.commit({"deploy/c.yaml": config_map("c"), "elsewhere/d.yaml": config_map("d")})
    assert told(compared(other.root)) == ["added ConfigMap/c", "added ConfigMap/d"]
    change = linted(other.root, paths=(other.root / "deploy",)).change
    assert change is not None
    assert told(change) == [
        "added ConfigMap/c",
        "added ConfigMap/d",
    ]  # a path chooses what is reported, not what is known
    assert sorted(change.base_files) == ["app.yaml", "deploy/a.yaml", "deploy/b.yaml"]


# -- builds


@pytest.fixture
def overlays(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    files: dict[str, str | None] = {
        "base/kustomization.yaml": "resources: [a.yaml]\n",
        "base/a.yaml": config_map("a"),
        "shared/values.properties": "x=1\n",
    }
    for name in ("one", "two"):
        files[f"{name}/kustomization.yaml"] = f"resources: [../base]\nnamePrefix: {name}-\n"
    files["three/kustomization.yaml"] = "configMapGenerator:\n- name: gen\n  files: [values.properties]\n"
    files["three/values.properties"] = "x=1\n"
    made.commit(files)
    return made


def test_builds_of_unchanged_files_are_shared(overlays: Checkout) -> None:
    overlays.commit({"one/kustomization.yaml": "resources: [../base]\nnamePrefix: first-\n"})
    change = compared(overlays.root)
    shared = {id(build) for build in change.head.kustomize.builds}
    assert {build.folder: id(build) in shared for build in change.base.kustomize.builds} == {
        "one": False,
        "two": True,
        "three": True,
    }
    assert told(change) == ["added ConfigMap/first-a", "removed ConfigMap/one-a"]


def test_a_base_that_changes_is_built_anew_for_all(overlays: Checkout) -> None:
    overlays.commit({"base/a.yaml": config_map("a", data="x: y")})
    change = compared(overlays.root)
    assert told(change) == ["kept rewritten ConfigMap/one-a", "kept rewritten ConfigMap/two-a"]


@pytest.mark.parametrize("staged", [False, True])
def test_what_a_generator_reads_is_an_input_of_the_build(overlays: Checkout, staged: bool) -> None:
    overlays.write({"three/values.properties": "x=2\n"})
    change = compared(overlays.root, "HEAD")
    assert sorted(told(change))[0].startswith("added ConfigMap/gen-")
    assert len(change.renamings) == 1
    if staged:
        assert told(compared(overlays.root, "HEAD", staged=True)) == []
        overlays.git("add", "-A")
        assert len(compared(overlays.root, "HEAD", staged=True).renamings) == 1


# -- what is refused


def test_a_shallow_clone_says_how_to_fetch(checkout: Checkout, tmp_path: Path) -> None:
    first = checkout.git("rev-parse", "HEAD~1")
    checkout.git("clone", "-q", "--depth=1", f"file://{checkout.root}", str(tmp_path / "clone"))
    clone = existing(tmp_path / "clone")
    done = run(clone.root, "--diff-base", first)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: {first} is not in this clone, which is shallow (not all history is there). Fetch it:"
        f" `git fetch --depth=1 origin {first}`, or with actions/checkout: `fetch-depth: 0`\n"
    )
    assert "`git fetch --deepen=1`" in run(clone.root, "--diff-base", "HEAD^").stderr
    assert (
        "`git fetch --depth=1 origin release:refs/remotes/origin/release`"
        in run(clone.root, "--diff-base", "origin/release").stderr
    )
    checkout.git("branch", "old", "HEAD~1")
    clone.git("fetch", "-q", "--depth=1", "origin", "old:refs/remotes/origin/old")
    done = run(clone.root, "--diff-base", "origin/old...")
    assert (done.returncode, "`git fetch --unshallow`" in done.stderr) == (2, True)
    assert run(clone.root, "--diff-base", "origin/old", "--select", "GL9").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--diff-base", "nothing"], "nothing: git knows no such revision here"),
        (["--diff-base=--exec=x"], "names no revision"),
        (["--diff-base", "HEAD..main"], "names no revision"),
        (["--new-only"], "--new-only needs the revision to compare with"),
        (["--staged", "--fix"], "use one of them"),
        (["--staged", "--kustomize-binary", "kubectl"], "builds what is on the disk"),
        (["-", "--diff-base", "HEAD"], "standard input is no part of a revision"),
    ],
)
def test_what_cannot_be_compared(checkout: Checkout, arguments: list[str], message: str) -> None:
    done = run(checkout.root, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_no_repository_and_no_git(checkout: Checkout, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.yaml").write_text(config_map("a"))
    done = run(tmp_path / "plain", "--diff-base", "HEAD")
    assert (done.returncode, "is in no git repository" in done.stderr) == (2, True)
    done = run(checkout.root, "--diff-base", "HEAD", PATH=f".:{tmp_path}")
    assert (done.returncode, "there is no git on the PATH" in done.stderr) == (2, True)


@ROOT_ONLY
def test_a_repository_of_another_user(checkout: Checkout) -> None:
    for path in (checkout.root, checkout.root / ".git"):
        os.chown(path, 12345, 12345)
    done = run(checkout.root, "--diff-base", "HEAD")
    assert done.returncode == 2
    assert f"`git config --global --add safe.directory {checkout.root}`" in done.stderr


def test_a_merge_that_is_not_finished(checkout: Checkout) -> None:
    checkout.git("checkout", "-q", "-b", "feature", "HEAD~1")
    checkout.commit({"deploy/b.yaml": config_map("b", data="a: d")})
    subprocess.run(["git", "merge", "-q", "main"], cwd=checkout.root, env=ENVIRONMENT, capture_output=True, check=False)
    done = run(checkout.root, "--diff-base", "HEAD", "--staged")
    assert (done.returncode, "a merge that is not finished: deploy/b.yaml" in done.stderr) == (2, True)


def test_objects_that_a_partial_clone_leaves_out(checkout: Checkout, tmp_path: Path) -> None:
    checkout.git("config", "uploadpack.allowFilter", "true")
    checkout.git("clone", "-q", "--filter=blob:none", f"file://{checkout.root}", str(tmp_path / "clone"))
    done = run(tmp_path / "clone", "--diff-base", "HEAD~1")
    assert (done.returncode, "a clone that leaves objects out" in done.stderr) == (2, True)


def test_one_object_that_git_lacks_is_one_file_that_is_not_read(checkout: Checkout) -> None:
    checkout.commit({"deploy/lost.yaml": config_map("lost"), "deploy/kept.yaml": config_map("kept")})
    checkout.commit({"deploy/lost.yaml": config_map("lost", data="x: y"), "deploy/new.yaml": "kind: [\n"})
    lost = checkout.git("rev-parse", "HEAD~1:deploy/lost.yaml").strip()
    (checkout.root / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    result = linted(checkout.root)
    assert result.change is not None
    assert list(result.notes) == [
        "one file cannot be read as HEAD~1 has it, and the rest is compared: deploy/lost.yaml"
        " (git lacks the object that holds it: not read)"
    ]


def test_nothing_that_the_configuration_names_is_started(checkout: Checkout, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    trap.chmod(0o755)
    for key in (
        "core.fsmonitor",
        "core.pager",
        "diff.external",
        "diff.x.textconv",
        "filter.x.clean",
        "filter.x.smudge",
    ):
        checkout.git("config", key, str(trap))
    (checkout.root / ".gitattributes").write_text("*.yaml filter=x diff=x\n")
    checkout.write({"deploy/a.yaml": config_map("a", data="x: y")})
    assert told(compared(checkout.root, "HEAD")) == ["kept rewritten ConfigMap/a"]
    compared(checkout.root, "HEAD", staged=True)
    assert not (tmp_path / "sprung").exists()


# -- only what is new

JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: {name}
  annotations:
    argocd.argoproj.io/hook: PreSync
    argocd.argoproj.io/hook-delete-policy: BeforeHookCreation
spec:
  template: {{}}
"""


def new(root: Path, *arguments: str) -> list[str]:
    done = run(root, "--diff-base", "HEAD", "--new-only", "--exit-zero", "--select", "GL102,GL501,GL505", *arguments)
    assert done.returncode == 0, done.stderr
    found = [line.split() for line in done.stdout.splitlines() if " GL" in line]
    return [f"{code} {place.rsplit(':', 2)[0]}" for place, _, code, *_ in found]


def test_only_new_findings(tmp_path: Path) -> None:
    made = Checkout(tmp_path)
    made.commit({"job.yaml": JOB.format(name="a"), "other.yaml": JOB.format(name="other")})
    assert new(tmp_path) == []
    made.write({"job.yaml": "# moved\n\n" + JOB.format(name="a")})
    assert new(tmp_path) == []
    made.write({"job.yaml": JOB.format(name="a") + "---\n" + JOB.format(name="b")})
    assert new(tmp_path) == ["GL102 job.yaml:16"]
    made.write({"job.yaml": None, "renamed.yaml": JOB.format(name="a")})
    assert new(tmp_path) == []
    done = run(tmp_path, "--diff-base", "HEAD", "--new-only", "--select", "GL102")
    assert (done.returncode, done.stderr) == (0, "note: 2 findings are not shown: HEAD has them, too\n")


def test_a_finding_that_is_no_longer_ignored_is_new(tmp_path: Path) -> None:
    made = Checkout(tmp_path)
    made.commit({"job.yaml": "# gitops-lint: ignore[hook-without-deadline] short\n" + JOB.format(name="a")})
    made.write({"job.yaml": JOB.format(name="a")})
    assert new(tmp_path) == ["GL102 job.yaml:6"]


def test_a_second_finding_in_an_old_overlay_is_new(tmp_path: Path) -> None:
    made = Checkout(tmp_path)
    made.commit(
        {
            "base/kustomization.yaml": "resources: [job.yaml]\n",
            "base/job.yaml": JOB.format(name="a"),
            "one/kustomization.yaml": "resources: [../base]\nnamePrefix: one-\n",
        }
    )
    made.write({"two/kustomization.yaml": "resources: [../base]\nnamePrefix: two-\n"})
    assert new(tmp_path) == []
    made.write(
        {
            "two/kustomization.yaml": "resources: [../base, more.yaml]\nnamePrefix: two-\n",
            "two/more.yaml": JOB.format(name="more"),
        }
    )
    assert new(tmp_path) == ["GL102 two/more.yaml:6"]


OPERATOR = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: traefik, namespace: argocd}
spec:
  project: default
  source: {repoURL: https://traefik.github.io/charts, chart: traefik, targetRevision: 30.0.0}
  destination: {server: https://kubernetes.default.svc, namespace: traefik}
"""


def route(name: str) -> str:
    return f"apiVersion: traefik.io/v1alpha1\nkind: IngressRoute\nmetadata:\n  name: {name}\n"


def test_what_only_an_install_suffers_from_is_new_where_the_change_brings_it(tmp_path: Path) -> None:
    made = Checkout(tmp_path)
    apps = {"apps/operator.yaml": OPERATOR, "apps/shop.yaml": application("shop", "deploy")}
    made.commit({**apps, "deploy/a.yaml": route("a")})
    made.write({"deploy/b.yaml": config_map("b")})  # it is held back by the route, which is as it was
    assert new(tmp_path, "--select", "GL304") == []
    made.write({"deploy/c.yaml": route("c")})
    assert new(tmp_path, "--select", "GL304") == ["GL304 deploy/c.yaml:2"]
    made.commit({})
    made.write({"deploy/d.yaml": route("d")})  # one more of those that the Application has
    assert new(tmp_path, "--select", "GL304") == []


def test_the_change_rules_run_only_with_a_base(checkout: Checkout) -> None:
    text = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  selector:\n    matchLabels:\n      app: {}\n"
    checkout.commit({"deploy/web.yaml": text.format("web")})
    checkout.write({"deploy/web.yaml": text.format("shop")})
    assert "GL901" not in run(checkout.root, "--select", "GL901").stdout
    done = run(checkout.root, "--select", "GL901", "--diff-base", "HEAD")
    assert done.returncode == 1
    assert done.stdout.startswith("deploy/web.yaml:8:12: error GL901 selector-changed: ")


def test_nothing_new_is_not_called_all_well(checkout: Checkout) -> None:
    """What both revisions have is not shown, and is there all the same."""
    checkout.commit({"deploy/secret.yaml": "apiVersion: v1\nkind: Secret\nmetadata: {name: old}\n"})
    checkout.commit({"notes.txt": "nothing of ours\n"})
    done = run(checkout.root, "--diff-base", "HEAD~1", "--new-only")
    assert "Found nothing new in " in done.stdout
    assert "All checks passed" not in done.stdout
