"""`gitops-lint plan --diff-base` on real git repositories."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from change_plans import AFTER, BEFORE, SECRETS, config_map
from git_repository import ENVIRONMENT, Checkout

COMMAND = Path(sys.executable).with_name("gitops-lint")


def run(root: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [str(COMMAND), *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, env={**ENVIRONMENT, **env}, check=False)


def planned(root: Path, *arguments: str) -> str:
    done = run(root, "plan", *arguments, PYTHONIOENCODING="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path / "repo")
    made.commit(BEFORE)
    made.commit({**AFTER, **{path: None for path in BEFORE if path not in AFTER}})
    return made


def test_what_the_last_commit_does(checkout: Checkout) -> None:
    text = planned(checkout.root, "--diff-base", "HEAD~1")
    assert "    - prune       PersistentVolumeClaim    data  deleted, and its volume" in text
    assert "spec.template.spec.containers[web].image: shop:1 → shop:2" in text
    assert text.splitlines()[-1].startswith("5 Applications and 1 folder without one: 3 to create, 4 to change")
    assert not [secret for secret in SECRETS if secret in text]


def test_the_data_say_the_same(checkout: Checkout) -> None:
    data = json.loads(planned(checkout.root, "--diff-base", "HEAD~1", "--output-format", "json"))
    assert data["base"] == "HEAD~1"
    assert data["counts"] == {
        "create": 3, "change": 4, "recreate": 0, "refused": 0, "prune": 3, "move": 1, "run": 1, "stay": 3, "skip": 0,
    }  # fmt: skip
    assert data["dataLost"] == {"PersistentVolumeClaim": 1}
    (shop,) = [app for app in data["apps"] if app["name"] == "shop"]
    assert (shop["automatic"], shop["path"], shop["line"]) == (True, "apps/shop.yaml", 4)
    assert [(one["action"], one["kind"], one["phase"], one["wave"]) for one in shop["objects"]][:2] == [
        ("run", "Job", "PreSync", 0),
        ("prune", "PersistentVolumeClaim", "Sync", -1),
    ]
    (secret,) = [one for one in shop["objects"] if one["kind"] == "Secret"]
    assert secret["fields"] == [
        {"path": "data.token", "pointer": "/data/token", "change": "changed", "hidden": True, "before": None,
         "after": None, "lines": []}
    ]  # fmt: skip


def test_the_index_is_looked_at_when_asked_for(checkout: Checkout) -> None:
    checkout.write({"quiet/b.yaml": config_map("staged")})
    checkout.git("add", "-A")
    checkout.write({"quiet/c.yaml": config_map("unstaged")})
    staged = planned(checkout.root, "--diff-base", "HEAD", "--staged")
    assert "staged" in staged
    assert "unstaged" not in staged
    assert "unstaged" in planned(checkout.root, "--diff-base", "HEAD")


def test_one_app(checkout: Checkout) -> None:
    data = json.loads(planned(checkout.root, "--diff-base", "HEAD~1", "--app", "legacy", "--output-format", "json"))
    assert [app["name"] for app in data["apps"]] == ["legacy"]
    assert planned(checkout.root, "--diff-base", "HEAD~1", "--app", "quiet") == (
        "Nothing to sync differs from HEAD~1. 1 other Application stays as it is.\n"
    )
    done = run(checkout.root, "plan", "--diff-base", "HEAD~1", "--app", "shoop")
    assert (done.returncode, done.stderr) == (2, "error: there is no app 'shoop'; did you mean 'shop'?\n")


def test_without_a_base_the_command_is_as_it_was(checkout: Checkout) -> None:
    text = planned(checkout.root, "--app", "shop", "--ignore", "GL")
    assert "step 1: wave 0" in text
    assert "take over" not in text
    done = run(checkout.root, "plan", "--output-format", "markdown")
    assert done.returncode == 2
    assert "--diff-base REV says which one" in done.stderr


@pytest.mark.parametrize("base", ["nowhere", "HEAD~9", "--upload-pack=x"])
def test_a_base_that_is_not_there(checkout: Checkout, base: str) -> None:
    ours = run(checkout.root, "plan", f"--diff-base={base}")
    check = run(checkout.root, "check", f"--diff-base={base}")
    assert (ours.returncode, ours.stdout) == (2, "")
    assert ours.stderr == check.stderr != ""


def test_the_output_goes_to_a_file(checkout: Checkout, tmp_path: Path) -> None:
    page = tmp_path / "plan.html"
    assert planned(checkout.root, "--diff-base", "HEAD~1", "--output-format", "html", "-o", str(page)) == ""
    text = page.read_text("utf-8")
    assert text.startswith("<!doctype html>")
    assert 'href="./repo/apps/shop.yaml#L4"' in text


def test_the_summary_of_a_check_has_the_table(checkout: Checkout) -> None:
    done = run(checkout.root, "check", "--diff-base", "HEAD~1", "--output-format", "markdown", "--exit-zero")
    assert done.returncode == 0
    assert "| shop | in-cluster/shop | 1 | 3 |  | 1 |  | yes |" in done.stdout
    assert "| Application | Destination |" not in run(checkout.root, "check", "--output-format", "markdown").stdout


def test_a_base_that_does_not_build_is_noted(checkout: Checkout) -> None:
    checkout.commit({"shop/kustomization.yaml": "resources: [nothing.yaml]\n"})
    checkout.commit({"shop/kustomization.yaml": "resources: [web.yaml]\n"})
    done = run(checkout.root, "plan", "--diff-base", "HEAD~1")
    assert done.returncode == 0
    assert done.stderr.startswith("note: the build of shop fails as HEAD~1 has it")
