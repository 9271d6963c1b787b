"""Rules that a package of a user's brings through the entry point `gitops_lint.rules`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import need_package_index
from command_line import JOB, run

PAGE = (Path(__file__).parents[2] / "docs" / "own-rules.md").read_text("utf-8")
"""What it shows is what is tried out."""
RULE, FACE = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
(PROJECT,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.M | re.S)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Built by setuptools and installed by pip, as a user would."""
    need_package_index()
    source, target = tmp_path_factory.mktemp("shop"), tmp_path_factory.mktemp("site")
    (source / "pyproject.toml").write_text(PROJECT)
    hooks = source / "shop_rules" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "__init__.py").touch()
    (hooks.parent / "__init__.py").write_text(FACE)
    (hooks / "job_without_owner.py").write_text(RULE)
    words = ["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", str(target), str(source)]
    subprocess.run([sys.executable, "-m", "pip", *words], check=True)
    return str(target)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    (tmp_path / "job.yaml").write_text(JOB)
    return tmp_path


def test_a_rule_of_a_package_finds_and_is_chosen_like_ours(repository: Path, installed: str) -> None:
    done = run("--output-format", "concise", cwd=repository, PYTHONPATH=installed)
    line = "job.yaml:4:9: error SHOP001 job-without-owner: Job 'migrate' has no owner."
    assert [found for found in done.stdout.splitlines() if found.startswith(line)]
    assert " GL102 " in done.stdout
    for words, codes in (
        (("--select", "SHOP"), {"SHOP001"}),
        (("--select", "SHOP0"), {"SHOP001"}),
        (("--select", "job-without-owner"), {"SHOP001"}),
        (("--select", "GL102"), {"GL102"}),
        (("--select", "SHOP,GL102", "--ignore", "SHOP001"), {"GL102"}),
        (("--select", "SHOP,GL102", "--ignore", "job-without-owner"), {"GL102"}),
    ):
        chosen = run("--output-format", "json", *words, cwd=repository, PYTHONPATH=installed)
        assert {cause["code"] for cause in json.loads(chosen.stdout)["causes"]} == codes, words


def test_letters_are_never_a_part_of_others(repository: Path, installed: str) -> None:
    done = run("--select", "SH", cwd=repository, PYTHONPATH=installed)
    assert (done.returncode, done.stderr) == (2, "error: unknown rule 'SH'\n")


def test_its_findings_are_ignored_like_ours(repository: Path, installed: str) -> None:
    for word in ("SHOP001", "job-without-owner"):
        comment = f"# gitops-lint: ignore[{word}] nobody has to\n"
        (repository / "job.yaml").write_text(JOB.replace("  name:", f"  {comment}  name:"))
        done = run("--select", "SHOP", "--output-format", "json", cwd=repository, PYTHONPATH=installed)
        assert json.loads(done.stdout)["summary"]["suppressed"] == 1
    (repository / "job.yaml").write_text(JOB)
    (repository / ".gitops-lint.yaml").write_text("per-file-ignores: {'*.yaml': [SHOP]}\n")
    done = run("--select", "SHOP", "--output-format", "json", cwd=repository, PYTHONPATH=installed)
    assert json.loads(done.stdout)["causes"] == []


def test_sarif_carries_it_with_its_own_page(repository: Path, installed: str) -> None:
    done = run("--select", "SHOP", "--output-format", "sarif", cwd=repository, PYTHONPATH=installed)
    (sarif,) = json.loads(done.stdout)["runs"]
    (rule,) = [rule for rule in sarif["tool"]["driver"]["rules"] if rule["id"] == "SHOP001"]
    assert rule["name"] == "job-without-owner"
    assert rule["helpUri"] == "https://example.com/labels", "our manual has no page of it"
    assert "hooks" in rule["properties"]["tags"]
    (result,) = sarif["results"]
    assert (result["ruleId"], result["level"]) == ("SHOP001", "error")


def test_its_manual_is_printed(repository: Path, installed: str) -> None:
    for name in ("SHOP001", "job-without-owner"):
        page = run("rule", name, cwd=repository, PYTHONPATH=installed).stdout
        assert page.startswith("# job-without-owner (SHOP001)\n\nA Job has no owner: nobody is called when it fails.\n")
        assert "## What to do\n\nGive the Job a label `team`." in page
    every = json.loads(run("rule", "--all", "--output-format", "json", cwd=repository, PYTHONPATH=installed).stdout)
    assert "job-without-owner" in [rule["name"] for rule in every]


# -- packages that are broken


def package(folder: Path, text: str, *, face: str = "", value: str = "bad_rules") -> str:
    """As pip leaves it."""
    (folder / "bad_rules").mkdir(parents=True)
    (folder / "bad_rules" / "__init__.py").write_text(face)
    (folder / "bad_rules" / "broken_rule.py").write_text(text)
    info = folder / "bad_rules-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bad-rules\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[gitops_lint.rules]\nbad = {value}\n")
    return str(folder)


BROKEN = {
    "an import that fails": (RULE.replace("from collections.abc", "import nobody_has_this\nfrom collections.abc"), "bad_rules.broken_rule cannot be imported: ModuleNotFoundError: No module named 'nobody_has_this'"),
    "no Python": ("def (:\n", "bad_rules.broken_rule cannot be imported: SyntaxError: invalid syntax"),
    "a rule that cannot be declared": (RULE.replace("resource: Resource", "resource: int"), "bad_rules.broken_rule cannot be imported: ValueError: 'int' is not a valid Scope"),
    "no rule": ("def check(resource): ...\n", "bad_rules.broken_rule has no rule called check"),
    "a code without digits": (RULE.replace("SHOP001", "SHOP"), "bad_rules.broken_rule has the code 'SHOP'; three digits behind letters of your own, as SHOP001"),
    "a code of ours": (RULE.replace("SHOP001", "GL102"), "bad_rules.broken_rule has the code 'GL102'; three digits behind letters of your own, as SHOP001"),
    "no manual": (RULE.replace("Fix:", "Cure:"), "bad_rules.broken_rule has no manual: a docstring with a summary and a part `Fix:`"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_package_is_named_in_one_sentence(repository: Path, tmp_path_factory, name: str) -> None:  # type: ignore[no-untyped-def]
    text, reason = BROKEN[name]
    done = run("check", ".", cwd=repository, PYTHONPATH=package(tmp_path_factory.mktemp("site"), text))
    start = f"error: rules of bad-rules (entry point bad = bad_rules): {reason}"
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(start), done.stderr
    assert done.stderr.endswith("mend the package, or uninstall it\n")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["check", "plan", "apps", "rule --all", "init", "fetch", "check --show-settings"])
def test_every_command_says_so(repository: Path, tmp_path_factory, command: str) -> None:  # type: ignore[no-untyped-def]
    done = run(*command.split(), cwd=repository, PYTHONPATH=package(tmp_path_factory.mktemp("site"), ""))
    assert done.returncode == 2
    assert done.stderr.startswith("error: rules of bad-rules "), done.stderr
    assert "Traceback" not in done.stderr
    assert not (repository / ".gitops-lint.yaml").exists()


def test_what_needs_no_rules_works_beside_a_broken_package(repository: Path, tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    site = package(tmp_path_factory.mktemp("site"), "")
    assert run("--version", cwd=repository, PYTHONPATH=site).returncode == 0
    assert run("check", "--help", cwd=repository, PYTHONPATH=site).returncode == 0


def test_a_package_for_another_version_of_the_api(repository: Path, tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    site = package(tmp_path_factory.mktemp("site"), RULE, face="GITOPS_LINT_API = 99\n")
    done = run("check", ".", cwd=repository, PYTHONPATH=site)
    assert (done.returncode, "written for version 99 of gitops_lint.linter.api" in done.stderr) == (2, True)
    site = package(tmp_path_factory.mktemp("site"), RULE, face=FACE)
    done = run("check", ".", "--select", "SHOP", "--output-format", "concise", cwd=repository, PYTHONPATH=site)
    assert (done.returncode, " SHOP001 " in done.stdout) == (1, True)


def test_an_entry_that_names_no_package(repository: Path, tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    for value, reason in (
        ("bad_rules.broken_rule", "bad_rules.broken_rule is no package, and a rule is a module of one"),
        ("nowhere", "nowhere cannot be imported: ModuleNotFoundError"),
    ):
        site = package(tmp_path_factory.mktemp("site"), RULE, value=value)
        done = run("check", ".", cwd=repository, PYTHONPATH=site)
        assert (done.returncode, reason in done.stderr) == (2, True), done.stderr


def test_two_rules_with_one_code(repository: Path, installed: str, tmp_path_factory) -> None:  # type: ignore[no-untyped-def]
    site = package(tmp_path_factory.mktemp("site"), RULE)
    done = run("check", ".", cwd=repository, PYTHONPATH=f"{site}:{installed}")
    assert done.returncode == 2
    assert "have the same code, SHOP001; one of them has to go" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_page_names_the_whole_api() -> None:
    from gitops_lint.linter import api

    table = PAGE.partition("| name | for |")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"`(\w+)`", table)) == sorted(api.__all__)
