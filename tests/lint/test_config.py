"""Config files: which one counts, what it says, what is wrong with it and where."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from datetime import date
from pathlib import Path
from time import process_time

import pytest
import yaml
from gitops_lint.linter.facts.tables import table
from gitops_lint.linter.facts.versions import Version
from gitops_lint.linter.files.path_globs import glob_problem, matches
from gitops_lint.linter.lint.config import Config, ConfigError, Loaded, load
from gitops_lint.linter.lint.config.config_text import init_text, show_settings, values
from gitops_lint.linter.lint.rule import Severity
from gitops_lint.linter.report.formats import FINDINGS
from gitops_lint.rules import load as load_rules

YAML = ".gitops-lint.yaml"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    return tmp_path


def write(folder: Path, text: str, name: str = YAML) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return path


def load_text(repo: Path, text: str, name: str = YAML) -> Loaded:
    write(repo, text, name)
    return load(repo)


def error_of(repo: Path, text: str, name: str = YAML) -> str:
    with pytest.raises(ConfigError) as raised:
        load_text(repo, text, name)
    return str(raised.value)


# -- which file


@pytest.mark.parametrize("name", [YAML, ".gitops-lint.yml", "gitops-lint.toml", "pyproject.toml"])
def test_every_name_is_found(repo: Path, name: str) -> None:
    texts = {".toml": 'fail-on = "note"\n', ".yaml": "fail-on: note\n", ".yml": "fail-on: note\n"}
    text = ("[tool.gitops-lint]\n" if name == "pyproject.toml" else "") + texts[Path(name).suffix]
    loaded = load_text(repo, text, name)
    assert loaded.config.fail_on == "note"
    assert loaded.path == repo / name


def test_the_nearest_one_counts(repo: Path) -> None:
    write(repo, "fail-on: note")
    write(repo / "apps", "fail-on: error")
    (repo / "apps/web/base").mkdir(parents=True)
    assert load(repo / "apps/web/base").config.fail_on == "error"
    assert load(repo).config.fail_on == "note"


def test_a_file_starts_from_its_folder(repo: Path) -> None:
    write(repo / "apps", "fail-on: error")
    manifest = write(repo / "apps", "kind: Job", "job.yaml")
    assert load(manifest).config.fail_on == "error"


def test_the_search_ends_at_the_root_of_the_repository(tmp_path: Path) -> None:
    write(tmp_path, "fail-on: note")
    (tmp_path / "repo/.git").mkdir(parents=True)
    (tmp_path / "repo/apps").mkdir()
    assert load(tmp_path / "repo/apps") == Loaded(Config())


def test_a_worktree_has_a_file_for_its_git_folder(tmp_path: Path) -> None:
    write(tmp_path, "fail-on: note")
    write(tmp_path / "tree", "gitdir: elsewhere", ".git")
    assert load(tmp_path / "tree").path is None


def test_without_a_repository_only_the_folder_itself_is_looked_at(tmp_path: Path) -> None:
    write(tmp_path, "fail-on: note")
    (tmp_path / "apps").mkdir()
    assert load(tmp_path / "apps").path is None
    assert load(tmp_path).config.fail_on == "note"


def test_of_two_in_one_folder_the_first_counts_and_the_other_is_named(repo: Path) -> None:
    write(repo, 'fail-on = "error"', "gitops-lint.toml")
    loaded = load_text(repo, "fail-on: note")
    assert loaded.config.fail_on == "note"
    assert loaded.warnings == (".gitops-lint.yaml is used; gitops-lint.toml beside it is not",)


def test_a_pyproject_about_something_else_is_none(repo: Path) -> None:
    write(repo, "fail-on: note")
    write(repo / "tools", '[project]\nname = "x"\ndependencies = ["gitops-lint"]\n[tool.ruff', "pyproject.toml")
    assert load(repo / "tools").config.fail_on == "note"


def test_a_named_file_counts_alone_and_its_patterns_are_the_roots(repo: Path, tmp_path: Path) -> None:
    write(repo, "fail-on: note")
    elsewhere = write(tmp_path / "ci", "exclude: [apps/vendor]", "strict.yaml")
    config = load(repo, elsewhere).config
    assert config.fail_on == "warning"
    assert config.is_excluded("apps/vendor/a.yaml")


def test_a_named_file_that_is_not_there(repo: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot be read: No such file"):
        load(repo, repo / "no.yaml")


def test_a_named_pyproject_must_have_the_table(repo: Path) -> None:
    path = write(repo, "[tool.ruff]\n", "pyproject.toml")
    with pytest.raises(ConfigError, match=r"has no table \[tool\.gitops-lint\]"):
        load(repo, path)


def test_isolated_reads_nothing(repo: Path) -> None:
    write(repo, "nonsense: true")
    assert load(repo, isolated=True).config == Config()


def test_a_link_out_of_the_repository_is_not_read(repo: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = write(tmp_path_factory.mktemp("outside"), "password: 1", "secret.yaml")
    (repo / YAML).symlink_to(outside)
    with pytest.raises(ConfigError, match="leads out of the repository"):
        load(repo)


def test_patterns_count_from_the_folder_of_the_file(repo: Path) -> None:
    write(repo / "clusters", "exclude: [dev/vendor]\nper-file-ignores: {'*.gen.yaml': [GL1]}")
    (repo / "clusters/dev").mkdir()
    config = load(repo / "clusters/dev").config
    assert config.is_excluded("clusters/dev/vendor/x.yaml")
    assert not config.is_excluded("dev/vendor/x.yaml")
    assert config.file_ignores("clusters/prod/a.gen.yaml") == ("GL1",)
    assert config.file_ignores("a.gen.yaml") == ()


# -- what it says

FULL = """\
select: [GL1, secret-without-prune-protection]
extend-select: [GL4]
ignore: [GL102]
severity: {hook-without-deadline: error, GL5: note}
fail-on: never
exclude: [vendor, 'charts/**/ci']
per-file-ignores:
  clusters/dev: [GL5, ALL]
ignores:
  - rules: [GL101]
    path: apps/*
    kind: Job
    namespace: web
    name: migrate-*
    reason: slow
    until: 2030-01-31
argocd-version: "3.10"
kubernetes-version: v1.33.2
repo-urls: [git@example.com:x/y]
schema-dir: crds
output-format: concise
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_every_option_is_read(repo: Path, ending: str) -> None:
    (repo / "crds").mkdir()
    config = load_text(repo, FULL.replace("\n", ending)).config
    assert config.select == ("GL1", "secret-without-prune-protection")
    assert config.extend_select == ("GL4",)
    assert config.ignore == ("GL102",)
    assert config.severity == {"hook-without-deadline": Severity.ERROR, "GL5": Severity.NOTE}
    assert config.threshold is None
    assert config.exclude == ("vendor", "charts/**/ci")
    assert config.per_file_ignores == {"clusters/dev": ("GL5", "ALL")}
    assert config.argocd_version == Version(3, 10)
    assert config.kubernetes_version == Version(1, 33)
    assert config.repo_urls == ("git@example.com:x/y",)
    assert config.schema_dir == repo / "crds"
    assert config.output_format == "concise"
    (entry,) = config.ignores
    assert (entry.rules, entry.path, entry.kind, entry.until) == (("GL101",), "apps/*", "Job", date(2030, 1, 31))
    assert entry.at.file.position(entry.at.span.start).line == 10


def test_toml_says_the_same(repo: Path) -> None:
    (repo / "crds").mkdir()
    from_yaml = values(load_text(repo, FULL).config)
    (repo / YAML).unlink()
    toml = """
select = ["GL1", "secret-without-prune-protection"]
extend-select = ["GL4"]
ignore = ["GL102"]
fail-on = "never"
exclude = ["vendor", "charts/**/ci"]
argocd-version = "3.10"
kubernetes-version = "v1.33.2"
repo-urls = ["git@example.com:x/y"]
schema-dir = "crds"
output-format = "concise"
[severity]
hook-without-deadline = "error"
GL5 = "note"
[per-file-ignores]
"clusters/dev" = ["GL5", "ALL"]
[[ignores]]
rules = ["GL101"]
path = "apps/*"
kind = "Job"
namespace = "web"
name = "migrate-*"
reason = "slow"
until = 2030-01-31
"""
    assert values(load_text(repo, toml, "gitops-lint.toml").config) == from_yaml


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "{}", "null", "\ufeff# mark\n"])
def test_an_empty_file_is_a_config(repo: Path, text: str) -> None:
    assert load_text(repo, text).config == Config()


# -- what is wrong with it


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fail-on: error\nslect: [GL1]\n", "2: unknown option 'slect'; did you mean 'select'?"),
        ("zzz: 1", "1: unknown option 'zzz'"),
        ("select: GL1", "1: select must be a list, not 'GL1'"),
        ("select:\n  - GL1\n  - 5\n", "3: select[1] must be a text, not 5; put it in quotes"),
        ("select:\n", "1: select has no value"),
        (
            "\nfail-on: warn\n",
            "2: fail-on must be one of error, warning, note, never, not 'warn'; did you mean 'warning'?",
        ),
        ("severity:\n  GL1: high\n", "2: severity.GL1 must be one of error, warning, note, not 'high'"),
        ("argocd-version: 3.10", "1: argocd-version must be a text, not 3.1; put it in quotes"),
        ("argocd-version: latest", "1: argocd-version: 'latest' is not written like '3.3'"),
        ("ignores:\n- path: x\n", "2: ignores[0] needs 'rules'"),
        ("ignores:\n- rules: [GL1]\n  untill: x\n", "3: unknown option 'untill' in ignores[0]; did you mean 'until'?"),
        ("ignores:\n- rules: []\n", "2: ignores[0].rules must not be empty"),
        ("ignores:\n- rules: [GL1]\n  until: 2026-02-30\n", "3: '2026-02-30' is not a date"),
        ("ignores:\n- rules: [GL1]\n  until: soon\n", "3: ignores[0].until: 'soon' is not written like '2099-12-31'"),
        ("exclude:\n- a\n- ../b\n", "3: exclude[1]: '../b': a pattern cannot lead out of its folder"),
        ("exclude: ['a[b']", "1: exclude[0]: 'a[b': a '[' is not closed"),
        ("exclude: ['!a']", "1: exclude[0]: '!a': a pattern cannot be negated"),
        ("exclude: ['a\\b']", "1: exclude[0]: 'a\\\\b': patterns are written with forward slashes"),
        ("exclude: ['']", "1: exclude[0] must not be empty"),
        ("per-file-ignores:\n  /: [GL1]\n", "2: per-file-ignores./: '/': an empty pattern matches nothing"),
        ("schema-dir: ../x", "1: schema-dir '../x' leads out of the repository"),
        ("schema-dir: /etc", "1: schema-dir '/etc' leads out of the repository"),
        ("schema-dir: nowhere", "1: schema-dir 'nowhere' is no folder"),
        ("- a\n", "1: the config must be a mapping, not ['a']"),
        ("select: [GL1]\nignore: []\nselect: []\n", "1: 'select' is given twice"),
        ("a: 1\n---\nb: 1\n", "3: a config is one document; this begins another"),
        ("select: [GL1\nignore: x", "2: "),
        ("a: &a [x]\nb: *c\n", "2: "),
    ],
)
def test_errors_say_where_and_what(repo: Path, text: str, expected: str) -> None:
    assert error_of(repo, text).startswith(f"{YAML}:{expected}")


def test_the_first_of_several_is_told(repo: Path) -> None:
    assert error_of(repo, "ignore: 1\nselect: 2\n") == f"{YAML}:1: ignore must be a list, not 1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('fail-on = "note"\nslect = []\n', "2: unknown option 'slect'; did you mean 'select'?"),
        ('[severity]\nGL1 = "note"\nGL2 = "bad"\n', "3: severity.GL2 must be one of"),
        ('[[ignores]]\nrules = ["x"]\n[[ignores]]\nrules = ["x"]\nuntil = 1\n', "5: ignores[1].until must be a text"),
        ("[[ignores]]\nrules = ['x']\n\n[[ignores]]\n", "4: ignores[1] needs 'rules'"),
        ('ignores = [{rules = ["x"]}, {}]', "1: ignores[1] needs 'rules'"),
        ("select = [\n", "1: not TOML"),
        ("a = 1\nselect = = 2\n", "2: not TOML"),
        ("a = " + "[" * 100_000, "1: "),
    ],
)
def test_errors_in_toml(repo: Path, text: str, expected: str) -> None:
    assert error_of(repo, text, "gitops-lint.toml").startswith(f"gitops-lint.toml:{expected}")


def test_in_a_pyproject_the_line_is_in_our_table(repo: Path) -> None:
    text = '[tool.ruff]\nselect = ["E"]\n[tool.gitops-lint]\nselect = "GL1"\n'
    assert error_of(repo, text, "pyproject.toml").startswith("pyproject.toml:4: select must be a list")


def test_bytes_that_are_no_text(repo: Path) -> None:
    (repo / YAML).write_bytes(b"select: [\xff]")
    with pytest.raises(ConfigError, match=r":1: is not UTF-8"):
        load(repo)


def test_a_huge_file(repo: Path) -> None:
    assert "is larger than" in error_of(repo, "#" * 1_000_001)


def test_an_alias_bomb(repo: Path) -> None:
    lines = ["a0: &a0 [x]"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 6)]
    assert "grows beyond measure through its aliases" in error_of(repo, "\n".join(lines))


def test_more_values_than_a_config_has(repo: Path) -> None:
    """Few aliases, so that the document itself is in order."""
    lines = ["a: &a [" + "x, " * 30_000 + "x]", "b: *a"]
    assert "more than 50,000 values, aliases followed" in error_of(repo, "\n".join(lines))


def test_a_long_value_is_not_repeated_whole(repo: Path) -> None:
    assert len(error_of(repo, f"fail-on: {'x' * 100_000}")) < 300


# -- rules

KNOWN = load_rules()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("select: [GL1]\nignore: [GL1, nonsense]\n", 2),
        ("severity:\n  GL1: note\n  nonsense: note\n", 3),
        ("per-file-ignores:\n  a: [GL1]\n  b:\n  - GL1\n  - nonsense\n", 5),
        ("ignores:\n- rules: [GL1]\n- rules:\n  - nonsense\n", 4),
    ],
)
def test_unknown_rules_have_a_line(repo: Path, text: str, line: int) -> None:
    loaded = load_text(repo, text)
    with pytest.raises(ConfigError) as raised:
        loaded.check_rules(KNOWN)
    assert str(raised.value) == f"{YAML}:{line}: unknown rule 'nonsense'"


def test_known_rules_pass(repo: Path) -> None:
    load_text(repo, "select: [ALL, GL0, internal-error, gl000]").check_rules(KNOWN)
    Loaded(Config()).check_rules(KNOWN)


# -- the command line


def test_the_command_line_wins_and_the_origin_is_kept(repo: Path) -> None:
    (repo / "crds").mkdir()
    config = load_text(repo, FULL).config.override(
        select=["GL2"], ignore=["GL201"], fail_on="error", argocd_version=Version(3, 4), output_format="json"
    )
    assert config.select == ("GL2",)
    assert config.extend_select == ()
    assert config.ignore == ("GL102", "GL201")
    assert config.threshold is Severity.ERROR
    assert str(config.versions.argocd) == "3.4"
    assert config.origins["select"] == "--select"
    assert config.origins["exclude"] == f"{YAML}:6"


def test_extend_select_adds_to_the_file() -> None:
    config = Config(select=("GL1",), extend_select=("GL2",)).override(extend_select=["GL3"])
    assert (config.select, config.extend_select) == (("GL1",), ("GL2", "GL3"))


def test_nothing_given_changes_nothing() -> None:
    assert Config(ignore=("GL1",)).override() == Config(ignore=("GL1",))


def test_a_rule_ignored_in_the_file_runs_when_the_command_line_names_it() -> None:
    config = Config(ignore=("internal-error", "unused-ignore")).override(select=["GL011"])
    assert [rule.code for rule in config.rules_to_run(KNOWN)] == ["GL000", "GL011"]
    both = Config().override(select=["GL011"], ignore=["GL011"])
    assert [rule.code for rule in both.rules_to_run(KNOWN)] == ["GL000"]


# -- for people


def test_show_settings_is_a_config_again(repo: Path) -> None:
    (repo / "crds").mkdir()
    shown = show_settings(load_text(repo, FULL).config.override(fail_on="note"))
    assert "fail-on: note  # --fail-on\n" in shown
    assert f"select: [GL1, secret-without-prune-protection]  # {YAML}:1\n" in shown
    (repo / "again").mkdir()
    config = load_text(repo, shown.replace(str(repo / "crds"), "crds")).config
    assert config.fail_on == "note"
    assert config.per_file_ignores == {"clusters/dev": ("GL5", "ALL")}


def test_show_settings_of_nothing() -> None:
    shown = show_settings(Config())
    assert "# select: not set\n" in shown
    assert "fail-on: warning  # default\n" in shown


def test_show_settings_escapes_what_a_terminal_would_obey() -> None:
    assert "\x1b" not in show_settings(Config(exclude=("\x1b[2J",)))


def test_a_new_file_is_all_comments(repo: Path) -> None:
    assert load_text(repo, init_text()).config == Config()


def uncommented(text: str) -> str:
    """Prose has one space after its mark, options none and what is under them two."""
    return re.sub(r"^#(?! \S)", "", text, flags=re.MULTILINE)


def test_a_new_file_is_valid_when_uncommented_and_has_every_option(repo: Path) -> None:
    (repo / "crds").mkdir()
    (repo / "vendor/charts").mkdir(parents=True)
    text = uncommented(init_text())
    loaded = load_text(repo, text)
    assert set(yaml.safe_load(text)) == set(table("config.schema.json")["properties"])
    assert "unset" not in {loaded.config.origins.get(option, "unset") for option in values(Config())}


def test_each_option_can_be_uncommented_alone(repo: Path) -> None:
    (repo / "crds").mkdir()
    (repo / "vendor/charts").mkdir(parents=True)
    for block in init_text().split("\n\n")[1:]:
        (option,) = load_text(repo, uncommented(block)).config.origins
        assert f"#{option}:" in block


# -- the schema


def test_the_schema_is_one_and_its_examples_hold() -> None:
    from jsonschema import Draft202012Validator

    schema = table("config.schema.json")
    Draft202012Validator.check_schema(schema)
    for option, part in schema["properties"].items():
        assert part["description"].endswith("."), option
        for example in part["examples"]:
            Draft202012Validator(schema).validate({option: example})


def test_the_schema_the_settings_and_the_reports_agree() -> None:
    schema = table("config.schema.json")["properties"]
    assert set(values(Config())) == set(schema)
    assert schema["output-format"]["enum"] == list(FINDINGS)
    assert {option: part["default"] for option, part in schema.items() if "default" in part} == {
        "fail-on": Config.fail_on,
        "output-format": Config.output_format,
        "required-reason": Config.required_reason,
    }


def test_the_schema_knows_every_option_of_a_rule() -> None:
    schema = table("config.schema.json")["properties"]["options"]["properties"]
    written = {name: set(part["properties"]) for name, part in schema.items()}
    ours = {
        rule.name: {one.name.replace("_", "-") for one in fields(rule.options)} for rule in load_rules() if rule.options
    }
    assert written == ours


def test_the_schema_reads_as_people_wrote_it() -> None:
    path = Path(__file__).parents[2] / "schemas/config.schema.json"
    assert json.loads(path.read_text("utf-8"))["$schema"] == "https://json-schema.org/draft/2020-12/schema"


# -- patterns


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("vendor", "vendor/a.yaml", True),
        ("vendor", "apps/vendor/x/a.yaml", True),
        ("vendor", "vendored/a.yaml", False),
        ("vendor/", "apps/vendor/a.yaml", True),
        ("*.yaml", "a/b/c.yaml", True),
        ("*.yaml", "a.yml", False),
        ("apps/*", "apps/a.yaml", True),
        ("apps/*", "apps/web/a.yaml", True),
        ("apps/*.yaml", "apps/web/a.yaml", False),
        ("apps/web", "apps/web/base/a.yaml", True),
        ("apps/web", "x/apps/web/a.yaml", False),
        ("/apps", "apps/a.yaml", True),
        ("/apps", "x/apps/a.yaml", False),
        ("./apps", "x/apps/a.yaml", True),
        ("**/ci", "ci/a.yaml", True),
        ("**/ci", "charts/a/ci/b/c.yaml", True),
        ("charts/**/ci", "charts/ci/a.yaml", True),
        ("charts/**", "charts/x", True),
        ("charts/**", "chart/x", False),
        ("**", "a/b", True),
        ("a?.yaml", "ab.yaml", True),
        ("[ab].yaml", "b.yaml", True),
        ("[!ab].yaml", "b.yaml", False),
        ("A.yaml", "a.yaml", False),
    ],
)
def test_patterns(pattern: str, path: str, expected: bool) -> None:
    assert not glob_problem(pattern)
    assert matches(pattern, path) is expected


def test_a_hostile_pattern_takes_no_time() -> None:
    assert not matches("*a" * 60 + "b", "a" * 2_000)
    assert not matches("/".join(["**", "a"] * 200) + "/b", "/".join(["a"] * 500))


# -- as a stranger would write it


def test_a_version_of_thousands_of_digits_is_none(repo: Path) -> None:
    assert "is not written like" in error_of(repo, f"argocd-version: '{'9' * 5_000}.1'\n")


def test_a_host_that_is_none_is_told(repo: Path) -> None:
    assert "fetch.hosts[1]: 'a b' is not written like 'charts.example.com'" in error_of(
        repo, "fetch: {hosts: [example.com, a b]}\n"
    )


def test_every_pattern_of_the_schema_has_an_example() -> None:
    def lacking(value: object) -> list[object]:
        if isinstance(value, list):
            return [found for one in value for found in lacking(one)]
        if not isinstance(value, dict):
            return []
        own = [value] if isinstance(value.get("pattern"), str) and not value.get("examples") else []
        return [*own, *(found for one in value.values() for found in lacking(one))]

    assert lacking(table("config.schema.json")) == []


def test_any_number_of_unknown_keys_takes_no_time(repo: Path) -> None:
    start = process_time()
    assert "unknown option 'a0'" in error_of(repo, "".join(f"a{i} = 1\n" for i in range(60_000)), "gitops-lint.toml")
    assert process_time() - start < 5
