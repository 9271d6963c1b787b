"""Ignores in comments, annotations and the config: what each one hides, and what is said about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pytest
from gitops_lint.linter.fix import fix_files
from gitops_lint.linter.kubernetes.resource import Provenance, Resource, resources_in
from gitops_lint.linter.lint.config import Config, load
from gitops_lint.linter.lint.engine import Run
from gitops_lint.linter.lint.manual import marks, unmarked
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Finding, Rule, Scope, Severity
from gitops_lint.linter.lint.triage import Triaged, triage
from gitops_lint.linter.lint.triage.ignore_directives import Directive, in_annotation, in_comment
from gitops_lint.linter.repo.build_repo import build_repo
from gitops_lint.linter.repo.model import Repo
from gitops_lint.linter.repo.sources.kustomize_builds import NotAnalysed
from gitops_lint.linter.yaml.source import SourceFile, Span, Spot
from gitops_lint.rules import load as load_rules
from hypothesis import given
from hypothesis import strategies as st
from rule_pages import Case, cases
from support import CONFIG, repo_of

TODAY = date(2026, 7, 1)


def find_bad(resource: Resource) -> Iterator[Finding]:
    yield from (Finding(node, "bad") for node in resource.node.walk() if node.text == "bad")


def find_worse(resource: Resource) -> Iterator[Finding]:
    yield from (Finding(node, "worse") for node in resource.node.walk() if node.text == "worse")


def find_absent(resource: Resource) -> Iterator[Finding]:
    deadline = resource["spec"]["deadline"]
    if deadline.absent:
        yield Finding(deadline, "no deadline")


def find_repo(repo: Repo) -> Iterator[Finding]:
    yield from (Finding(Spot(file, Span(0, 0)), "whole file") for file in repo.files if "whole" in file.text)


def make(code: str, name: str, check: object, scope: Scope = Scope.RESOURCE, **rest: bool) -> Rule:
    return Rule(code, Severity.WARNING, check, f"rules.fake.{name.replace('-', '_')}", scope, **rest)  # type: ignore[arg-type]


BAD = make("GL901", "bad-value", find_bad)
WORSE = make("GL902", "worse-value", find_worse)
ABSENT = make("GL903", "no-deadline", find_absent)
WHOLE = make("GL904", "whole-file", find_repo, Scope.REPO)
CRASH = make("GL000", "internal-error", find_bad, Scope.CRASH)
OWN = tuple(rule for rule in load_rules() if rule.scope is Scope.SUPPRESSIONS)
RULES = (CRASH, *OWN, BAD, WORSE, ABSENT, WHOLE)
DEFAULT = (*OWN, BAD, WORSE)


@dataclass(frozen=True)
class Outcome:
    first: Triaged
    second: Triaged

    @property
    def kept(self) -> list[Reported]:
        return sorted([*self.first.kept, *self.second.kept], key=lambda item: item.sort_key)

    def lines(self, name: str) -> list[int]:
        return [item.start.line for item in self.kept if item.rule.name == name]

    def message(self, name: str) -> str:
        (found,) = [item.finding.message for item in self.kept if item.rule.name == name]
        return found

    def all(self) -> list[tuple[int, str]]:
        return [(item.start.line, item.rule.name) for item in self.kept]


def run(
    files: str | Mapping[str, str],
    config: Config = Config(),
    rules: tuple[Rule, ...] = DEFAULT,
    known: tuple[Rule, ...] = RULES,
    *,
    whole: bool = True,
    repo: Repo | None = None,
) -> Outcome:
    texts = {"manifest.yaml": files} if isinstance(files, str) else files
    repo = repo or repo_of(texts)
    checked = Run(repo)
    checked.check(rules)
    first = triage(checked.reported, repo, config, known, rules, TODAY, whole=whole)
    own = Run(repo)
    own.check_one(rules, Scope.SUPPRESSIONS, first.suppressions, repo.files[0])
    assert not checked.crashes + own.crashes, (checked.crashes + own.crashes)[0].trace
    return Outcome(first, triage(own.reported, repo, config, known, rules, TODAY, whole=whole))


def config_of(tmp_path: Path, text: str) -> Config:
    (tmp_path / ".git").mkdir(exist_ok=True)
    (tmp_path / CONFIG).write_text(text, encoding="utf-8")
    return load(tmp_path).config


HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


# -- what a comment covers


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("a: bad # gitops-lint: ignore[bad-value] why\nb: bad\n", [5]),
        ("a: bad # gitops-lint: ignore[GL901]\nb: bad\n", [5]),
        ("a: bad # gitops-lint: ignore[gl901]\nb: bad\n", [5]),
        ("a: bad # gitops-lint:ignore [Bad-Value]\nb: bad\n", [5]),
        ("# gitops-lint: ignore[bad-value] why\na: bad\nb: bad\n", [6]),
        ("# gitops-lint: ignore[bad-value] why\n# and more words\na: bad\nb: bad\n", [7]),
        ("# a word before\n# gitops-lint: ignore[bad-value] why\na: bad\nb: bad\n", [7]),
        ("# gitops-lint: ignore[bad-value] why\n\na: bad\nb: bad\n", [7]),
        ("a: ok\n# gitops-lint: ignore[bad-value]\nb:\n  c: {d: bad}\n  e: [bad]\nf: bad\n", [9]),
        ("a: ok\nb: # gitops-lint: ignore[bad-value]\n  c: bad\nf: bad\n", [7]),
        ("a:\n- b: ok\n  c: bad\n# gitops-lint: ignore[bad-value]\n- b: ok\n  c: bad\n- c: bad\n", [6, 10]),
        ("a:\n- b: ok # gitops-lint: ignore[bad-value]\n  c: bad\n- c: bad\n", [7]),
        ("a:\n- b: ok\n  c: bad # gitops-lint: ignore[bad-value]\n- c: bad\n", [7]),
        ("a:\n  # gitops-lint: ignore[bad-value] the first item, not the list\n  - bad\n  - bad\n", [7]),
        ("a:\n- # gitops-lint: ignore[bad-value]\n  b: bad\n- b: bad\n", [7]),
        ("a: {b: bad, c: [bad]} # gitops-lint: ignore[bad-value]\nd: bad\n", [5]),
        ("a: {b: bad, # gitops-lint: ignore[bad-value]\n  c: bad}\n", []),
        ("a: {b: ok,\n  c: bad, # gitops-lint: ignore[bad-value]\n  d: bad}\n", [6]),
        ("# gitops-lint: ignore[bad-value]\na: {b: bad,\n  c: bad}\nd: bad\n", [7]),
        ('# gitops-lint: ignore[bad-value]\n"a": bad\nb: bad\n', [6]),
        ("? a # gitops-lint: ignore[bad-value]\n: bad\nb: bad\n", [6]),
        ("a:\n  bad # gitops-lint: ignore[bad-value]\nb: bad\n", [6]),
        ("a: &x {b: bad} # gitops-lint: ignore[bad-value]\nc: *x\nd: bad\n", [6]),
        ("a: &x {b: ok}\nc: *x\n# gitops-lint: ignore[bad-value]\nd: {<<: *x, e: bad}\nf: bad\n", [8]),
        ("# gitops-lint: ignore[bad-value, worse-value]\na: bad\nb: bad\n", [6]),
    ],
)
def test_a_comment_covers_the_node_that_begins_on_its_line(body: str, left: list[int]) -> None:
    assert run(HEAD + body).lines("bad-value") == left


def test_windows_line_ends() -> None:
    text = HEAD + "# gitops-lint: ignore[bad-value] why\na: bad\nb: bad # gitops-lint: ignore[GL901]\nc: bad\n"
    outcome = run(text.replace("\n", "\r\n"))
    assert outcome.all() == [(7, "bad-value")]
    assert [hidden.by.directive.reason for hidden in outcome.first.suppressed if hidden.by] == ["why", ""]


def test_several_rules_in_one_ignore_and_several_ignores_in_one_comment() -> None:
    one = "a: [bad, worse] # gitops-lint: ignore[bad-value, GL902] why\n"
    two = "a: [bad, worse] # gitops-lint: ignore[bad-value] why # gitops-lint: ignore[GL902] too\n"
    for body in (one, two):
        assert run(HEAD + body).all() == []


def test_the_other_rule_is_not_hidden() -> None:
    assert run(HEAD + "a: [bad, worse] # gitops-lint: ignore[bad-value]\n").all() == [(4, "worse-value")]


def test_the_directive_in_a_text_is_text() -> None:
    block = "a: |\n  x # gitops-lint: ignore[bad-value]\n  # gitops-lint: nonsense\n"
    body = block + 'b: bad\nc: "# gitops-lint: ignore[x"\n'
    assert run(HEAD + body).all() == [(7, "bad-value")]


def test_a_comment_after_a_block_of_text() -> None:
    assert run(HEAD + "a: |\n  text\n# gitops-lint: ignore[bad-value]\nb: bad\n").all() == []


def test_prose_about_the_tool_is_no_directive() -> None:
    prose = ("gitops-lint complains here", "see gitops-lint: it knows", "gitops-lint.io/ignore: x", "my-gitops-lint: a")
    assert run(HEAD + "".join(f"# {line}\n" for line in prose) + "a: ok\n").all() == []


def test_a_file_without_keys() -> None:
    assert run({"a.yaml": "# gitops-lint: ignore[bad-value]\n", "b.yaml": HEAD}).lines("unknown-ignore") == [1]


# -- findings at what is not there


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("kind: Job\napiVersion: v1\nspec: # gitops-lint: ignore[no-deadline]\n  x: 1\n", []),
        ("kind: Job\napiVersion: v1\n# gitops-lint: ignore[no-deadline]\nspec:\n  x: 1\n", []),
        ("kind: Job\napiVersion: v1\nspec:\n  x: 1 # gitops-lint: ignore[no-deadline]\n", [3]),
        ("kind: Job # gitops-lint: ignore[no-deadline]\napiVersion: v1\n", []),
        ("kind: Job\napiVersion: v1 # gitops-lint: ignore[no-deadline]\n", [1]),
        ("# gitops-lint: ignore[no-deadline]\nkind: Job\napiVersion: v1\n", []),
    ],
)
def test_an_absent_value_is_ignored_where_it_is_reported(text: str, left: list[int]) -> None:
    assert run(text, rules=(ABSENT,)).lines("no-deadline") == left


# -- documents and files

TWO = """\
# one
---
# two
apiVersion: v1
kind: A
a: bad
--- # three
# four
apiVersion: v1
kind: B
a: bad
# five
"""


@pytest.mark.parametrize(
    ("mark", "left"),
    [
        ("# one", [(11, "bad-value")]),
        ("# two", [(11, "bad-value")]),
        ("# three", [(6, "bad-value")]),
        ("# four", [(6, "bad-value")]),
        ("# five", [(6, "bad-value"), (11, "bad-value"), (12, "unknown-ignore")]),
    ],
)
def test_before_the_first_key_it_covers_the_document(mark: str, left: list[tuple[int, str]]) -> None:
    assert run(TWO.replace(mark, "# gitops-lint: ignore[bad-value]")).all() == left


def test_above_a_separator_it_covers_nothing() -> None:
    text = "apiVersion: v1\nkind: A\na: ok\n# gitops-lint: ignore[bad-value]\n---\napiVersion: v1\nkind: B\na: bad\n"
    outcome = run(text)
    assert outcome.all() == [(4, "unknown-ignore"), (8, "bad-value")]
    assert "no key or item of its document comes after it" in outcome.message("unknown-ignore")


@pytest.mark.parametrize("mark", ["# one", "# two"])
def test_ignore_file_covers_all_documents(mark: str) -> None:
    assert run(TWO.replace(mark, "# gitops-lint: ignore-file[bad-value] why")).all() == []


@pytest.mark.parametrize(("mark", "line"), [("# three", 7), ("# four", 8), ("# five", 12)])
def test_ignore_file_belongs_to_the_head_of_the_file(mark: str, line: int) -> None:
    outcome = run(TWO.replace(mark, "# gitops-lint: ignore-file[bad-value]"))
    assert outcome.all() == [*sorted([(6, "bad-value"), (11, "bad-value"), (line, "unknown-ignore")])]


def test_a_finding_about_the_whole_file() -> None:
    assert run("# gitops-lint: ignore-file[whole-file]\n" + HEAD, rules=(WHOLE,)).all() == []
    assert run(HEAD + "whole: 1 # gitops-lint: ignore[whole-file]\n", rules=(WHOLE,)).all() == [(1, "whole-file")]


def test_a_list_and_its_items() -> None:
    text = (
        "# {}\napiVersion: v1\nkind: List\nitems:\n"
        "# one\n- apiVersion: v1\n  kind: A\n  a: bad\n- apiVersion: v1 # two\n  kind: B\n  a: bad\n"
    )
    ignore = "# gitops-lint: ignore[bad-value]"
    assert run(text.replace("# one", ignore)).all() == [(11, "bad-value")]
    assert run(text.replace("# two", ignore)).all() == [(8, "bad-value")]
    assert run(text.replace("# {}", ignore)).all() == []


# -- annotations

JSON = """{"apiVersion": "v1", "kind": "A", "metadata": {"name": "a", "annotations": {
"gitops-lint.io/ignore": "%s"}},
"a": "bad", "b": "worse"}
"""


@pytest.mark.parametrize(
    ("value", "left"),
    [
        ("bad-value: reason", [(3, "worse-value")]),
        ("GL901", [(3, "worse-value")]),
        ("bad-value: reason; worse-value: another", []),
        ("bad-value, worse-value: reason", []),
        ("bad-value\\nGL902 until=2026-12-31: reason", []),
        ("bad-value until=2026-12-31; worse-value: until=2026-07-01 last day", []),
        ("bad-value until=2026-06-30: reason; GL902", [(2, "expired-ignore"), (3, "bad-value")]),
        ("", [(2, "unknown-ignore"), (3, "bad-value"), (3, "worse-value")]),
        (" ; ", [(2, "unknown-ignore"), (3, "bad-value"), (3, "worse-value")]),
        ("bad-vlaue: x; GL902", [(2, "unknown-ignore"), (3, "bad-value")]),
        ("bad-value: slow; see the wiki; GL902", [(2, "unknown-ignore")]),
    ],
)
def test_an_annotation_covers_its_object_in_json_too(value: str, left: list[tuple[int, str]]) -> None:
    assert run({"a.json": JSON % value}).all() == left


def test_an_annotation_that_is_no_text_is_told() -> None:
    text = "apiVersion: v1\nkind: A\nmetadata:\n  annotations:\n    gitops-lint.io/ignore: true\na: bad\n"
    assert run(text).all() == [(5, "unknown-ignore"), (6, "bad-value")]


def test_an_annotation_covers_no_other_object() -> None:
    one = "apiVersion: v1\nkind: A\nmetadata: {annotations: {gitops-lint.io/ignore: bad-value}}\na: bad\n"
    assert run(one + "---\n" + one.replace("gitops-lint.io/ignore", "x")).all() == [(9, "bad-value")]


@pytest.mark.parametrize("path", ["template", "jobTemplate", "jobTemplate.spec.template"])
def test_an_annotation_on_the_pod_template_is_told(path: str) -> None:
    inner = "{metadata: {annotations: {gitops-lint.io/ignore: bad-value}}, spec: {containers: [], template: {}}}"
    for key in reversed(path.split(".")[1:]):
        inner = f"{{{key}: {inner}}}"
    outcome = run(f"apiVersion: v1\nkind: Thing\nspec:\n  {path.split('.')[0]}: {inner}\na: bad\n")
    assert outcome.all() == [(4, "unknown-ignore"), (5, "bad-value")]
    assert "metadata of the Thing itself" in outcome.message("unknown-ignore")


def test_an_annotation_that_something_else_hands_on_is_not_told() -> None:
    text = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nspec:\n  template:\n    metadata:\n"
    text += "      annotations: {gitops-lint.io/ignore: bad-value}\n    spec: {project: x}\n"
    assert run(text).all() == []


# -- config


def test_per_file_ignores(tmp_path: Path) -> None:
    config = config_of(tmp_path, "per-file-ignores: {vendor: [GL901], '*.gen.yaml': [worse-value]}")
    text = HEAD + "a: [bad, worse]\n"
    files = {"vendor/a.yaml": text, "vendor/b.gen.yaml": text, "x/c.yaml": text}
    outcome = run(files, config)
    assert [(item.file.path, item.rule.name) for item in outcome.kept] == [
        ("vendor/a.yaml", "worse-value"),
        ("x/c.yaml", "bad-value"),
        ("x/c.yaml", "worse-value"),
    ]
    assert {hidden.by for hidden in outcome.first.suppressed} == {None}


@pytest.mark.parametrize(
    ("conditions", "hides"),
    [
        ("path: apps", True),
        ("path: other", False),
        ("kind: ConfigMap", True),
        ("kind: Config*", True),
        ("kind: Secret", False),
        ("name: web-?", True),
        ("name: web", False),
        ("namespace: prod", True),
        ("namespace: dev", False),
        ("path: 'apps/*.yaml', kind: ConfigMap, namespace: prod, name: web-1, reason: known", True),
        ("path: 'apps/*.yaml', kind: ConfigMap, namespace: prod, name: web-2", False),
        ("until: 2026-07-01", True),
        ("until: 2026-06-30", False),
        ("reason: everywhere", True),
    ],
)
def test_entries_of_the_config(tmp_path: Path, conditions: str, hides: bool) -> None:
    config = config_of(tmp_path, f"ignores: [{{rules: [GL90], {conditions}}}]")
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web-1, namespace: prod}\na: bad\n"
    outcome = run({"apps/a.yaml": text}, config)
    assert (outcome.lines("bad-value") == []) is hides


def test_an_entry_about_objects_does_not_reach_a_finding_about_a_file(tmp_path: Path) -> None:
    config = config_of(tmp_path, "ignores: [{rules: [whole-file], kind: '*'}]")
    assert run(HEAD + "whole: 1\n", config, (WHOLE,)).lines("whole-file") == [1]
    config = config_of(tmp_path, "ignores: [{rules: [whole-file], path: '*.yaml'}]")
    assert run(HEAD + "whole: 1\n", config, (WHOLE,)).lines("whole-file") == []


def test_an_internal_error_is_never_hidden_nor_graded(tmp_path: Path) -> None:
    config = config_of(
        tmp_path,
        "severity: {ALL: note}\nper-file-ignores: {'*': [ALL]}\nignores: [{rules: [ALL], path: '*'}]",
    )
    text = "# gitops-lint: ignore-file[internal-error]\n" + HEAD
    repo = repo_of({"a.yaml": text})
    finding = Reported(CRASH, Finding(Spot(repo.files[0], Span(0, 0)), "x"), Severity.ERROR, None)
    triaged = triage([finding], repo, config, RULES, RULES, TODAY)
    assert triaged.kept == (finding,)
    (comment,) = [item for item in triaged.suppressions.items if item.problems]
    assert comment.problems == ("internal-error cannot be ignored",)


# -- unused


def test_what_hides_nothing_is_told() -> None:
    outcome = run(HEAD + "a: ok # gitops-lint: ignore[bad-value]\n")
    assert outcome.lines("unused-ignore") == [4]
    assert "bad-value" in outcome.message("unused-ignore")


def test_only_the_rule_that_hides_nothing_is_named() -> None:
    message = run(HEAD + "a: bad # gitops-lint: ignore[bad-value, worse-value]\n").message("unused-ignore")
    assert "worse-value" in message
    assert "bad-value" not in message


def test_a_rule_that_did_not_run_is_not_unused() -> None:
    body = "a: ok # gitops-lint: ignore[bad-value]\n"
    assert run(HEAD + body, rules=(*OWN, WORSE)).all() == []
    assert run(HEAD + body, rules=(BAD, WORSE)).all() == []


def test_of_two_that_cover_a_finding_both_are_used() -> None:
    text = "# gitops-lint: ignore[bad-value]\n" + HEAD + "a: bad # gitops-lint: ignore[bad-value]\n"
    assert run(text).all() == []


def test_in_a_file_that_cannot_be_parsed_nothing_is_called_unused() -> None:
    assert run(HEAD + "a: ok # gitops-lint: ignore[bad-value]\n---\na: [\n").all() == []


def test_in_a_part_of_the_repository_only_rules_about_one_object_have_unused_ignores() -> None:
    body = HEAD + "a: ok # gitops-lint: ignore[bad-value, whole-file]\n"
    rules = (*DEFAULT, WHOLE)
    assert "whole-file" not in run(body, rules=rules, whole=False).message("unused-ignore")
    assert "whole-file" in run(body, rules=rules, whole=True).message("unused-ignore")


@pytest.mark.parametrize("place", ["comment", "annotation", "config"])
def test_on_a_patched_object_only_literal_rules_have_unused_ignores(tmp_path: Path, place: str) -> None:
    annotated = "{name: a, annotations: {gitops-lint.io/ignore: 'bad-value,worse-value'}}"
    text = {
        "comment": HEAD + "a: ok # gitops-lint: ignore[bad-value, worse-value]\n",
        "annotation": HEAD.replace("{name: a}", annotated),
        "config": HEAD,
    }[place]
    entry = "ignores: [{rules: [bad-value, worse-value], kind: ConfigMap}]" if place == "config" else ""
    config = config_of(tmp_path, entry)
    rules = (*OWN, BAD, replace(WORSE, literal=True))
    repo = repo_of({"a.yaml": text})
    assert "of bad-value and worse-value" in run("", config, rules, rules, repo=repo).message("unused-ignore")
    one = resources_in(repo.resources[0].node, provenance=Provenance(unsure=True))[0]
    repo = replace(repo, resources=(one,), apps=(), owners={id(one.node.raw): one})
    assert "of worse-value" in run("", config, rules, rules, repo=repo).message("unused-ignore")


def test_an_entry_of_the_config_is_unused_only_in_a_whole_run(tmp_path: Path) -> None:
    config = config_of(tmp_path, "fail-on: note\nignores:\n- rules: [GL901]\n  path: apps\n- rules: [GL902]\n")
    files = {"apps/a.yaml": HEAD + "a: bad\n"}
    outcome = run(files, config)
    assert [(item.file.path, item.start.line, item.rule.name) for item in outcome.kept] == [
        (CONFIG, 5, "unused-ignore")
    ]
    assert run(files, config, whole=False).all() == []


def test_an_entry_with_a_prefix_is_unused_only_when_all_of_its_rules_ran(tmp_path: Path) -> None:
    config = config_of(tmp_path, "ignores: [{rules: [GL90], path: x}]")
    assert run(HEAD, config).all() == []
    assert run(HEAD, config, (*DEFAULT, ABSENT, WHOLE)).lines("unused-ignore") == [1]


def test_an_entry_is_not_unused_where_something_was_not_read(tmp_path: Path) -> None:
    chart = config_of(tmp_path, "ignores: [{rules: [GL901], path: chart}]")
    repo = replace(repo_of({"a.yaml": HEAD}), not_analysed=(NotAnalysed("chart/templates/x.yaml", "why"),))
    assert run("", chart, repo=repo).all() == []
    apps = config_of(tmp_path, "ignores: [{rules: [GL901], path: apps}]")
    assert run("", apps, repo=repo).lines("unused-ignore") == [1]
    broken = {"a.yaml": HEAD, "chart/b.yaml": "a: ["}
    assert run(broken, chart).all() == []


def test_per_file_ignores_are_never_unused(tmp_path: Path) -> None:
    assert run(HEAD, config_of(tmp_path, "per-file-ignores: {'*': [GL901]}")).all() == []


# -- the rules about ignores are ignored, too


def test_no_ignore_answers_for_itself() -> None:
    body = "a: ok # gitops-lint: ignore[bad-value, unused-ignore]\n"
    assert run(HEAD + body).all() == [(4, "unused-ignore")]
    annotated = "metadata: {annotations: {gitops-lint.io/ignore: 'bad-value, unused-ignore'}}\n"
    assert run(f"apiVersion: v1\nkind: A\n{annotated}").all() == [(3, "unused-ignore")]


def test_another_ignore_does(tmp_path: Path) -> None:
    body = "a: ok # gitops-lint: ignore[bad-value]\nb: ok # gitops-lint: ignore[bad-vlaue]\n"
    assert run("# gitops-lint: ignore-file[unused-ignore, GL012] why\n" + HEAD + body).all() == []
    assert run(HEAD + body, config_of(tmp_path, "per-file-ignores: {'*': [GL01]}")).all() == []


def test_ignores_of_rules_about_ignores_are_never_unused() -> None:
    assert run(HEAD + "a: ok # gitops-lint: ignore[unused-ignore]\n").all() == []


# -- problems


@pytest.mark.parametrize(
    ("comment", "problem"),
    [
        ("# gitops-lint: ignore[bad-vlaue]", "unknown rule 'bad-vlaue'; did you mean 'bad-value'?"),
        ("# gitops-lint: ignore[GL9]", "'GL9' is more than one rule"),
        ("# gitops-lint: ignore[ALL]", "'ALL' is more than one rule"),
        ("# gitops-lint: ignore[*]", "unknown rule '*'"),
        ("# gitops-lint: ignore", "it names no rule: write 'ignore[RULE] reason'"),
        ("# gitops-lint:ignore", "it names no rule"),
        ("# gitops-lint: ignore bad-value", "it names no rule"),
        ("# gitops-lint: ignore(bad-value)", "it names no rule"),
        ("# gitops-lint: ignore[]", "it names no rule"),
        ("# gitops-lint: ignore[ , ]", "it names no rule"),
        ("# gitops-lint: ignore[until=2026-12-31]", "it names no rule"),
        ("# gitops-lint: ignore[bad-value reason", "its bracket is not closed"),
        ("# gitops-lint: ignroe[bad-value]", "'ignroe' is not a directive; did you mean 'ignore'?"),
        ("# gitops-lint: disable[bad-value]", "'disable' is not a directive; write"),
        ("# gitops-lint:", "it says nothing; write"),
        ("# gitops-lint ignore[bad-value]", "a colon is missing"),
        ("# gitops-lint: ignore[bad-value] until=2026-02-30", "'2026-02-30' is not a date"),
        ("# gitops-lint: ignore[bad-value] until=soon", "'soon' is not a date"),
        ("# gitops-lint: ignore[bad-value until=20261231]", "'20261231' is not a date"),
        ("# gitops-lint: ignore[bad-value] until 2026-12-31", "its end is not written as until="),
        ("# gitops-lint: ignore[bad-value until=2026-12-31] until=2026-12-30", "it has two dates"),
        (f"# gitops-lint: ignore[bad-value {' x' * 100}]", "it names more than 100 rules"),
    ],
)
def test_what_cannot_be_understood_is_told_and_hides_nothing(comment: str, problem: str) -> None:
    outcome = run(HEAD + f"a: bad {comment}\n")
    assert outcome.all() == [(4, "bad-value"), (4, "unknown-ignore")]
    assert problem in outcome.message("unknown-ignore")


def test_an_unknown_rule_beside_a_known_one_does_not_stop_it() -> None:
    assert run(HEAD + "a: bad # gitops-lint: ignore[bad-value, nonsense]\n").all() == [(4, "unknown-ignore")]


def test_problems_of_one_line_are_one_finding() -> None:
    outcome = run(HEAD + "a: ok # gitops-lint: ignore[one, two] # gitops-lint: x\n")
    assert outcome.lines("unknown-ignore") == [4]
    assert outcome.message("unknown-ignore").count("unknown rule") == 2
    many = run(HEAD + f"a: ok # gitops-lint: ignore[{', '.join(f'x{n}' for n in range(90))}]\n")
    assert many.message("unknown-ignore").endswith("; and 87 more")


@pytest.mark.parametrize(
    ("comment", "left"),
    [
        ("ignore[bad-value] until=2026-07-01 last day", []),
        ("ignore[bad-value until=2026-07-01] last day", []),
        ("ignore[bad-value] until=2026-06-30 gone", ["bad-value", "expired-ignore"]),
        ("ignore[bad-value, until=2026-06-30] gone", ["bad-value", "expired-ignore"]),
    ],
)
def test_the_last_day_counts(comment: str, left: list[str]) -> None:
    outcome = run(HEAD + f"a: bad # gitops-lint: {comment}\n")
    assert [name for _, name in outcome.all()] == left


def test_an_expired_ignore_is_not_called_unused() -> None:
    outcome = run(HEAD + "a: ok # gitops-lint: ignore[bad-value] until=2020-01-01\n")
    assert outcome.all() == [(4, "expired-ignore")]
    assert "remove it" in outcome.message("expired-ignore")


def test_an_expired_entry_of_the_config(tmp_path: Path) -> None:
    config = config_of(tmp_path, "ignores:\n- {rules: [GL901], until: 2020-01-01}\n")
    assert run(HEAD + "a: bad\n", config).all() == [(2, "expired-ignore"), (4, "bad-value")]


def test_a_file_full_of_ignores_is_read_so_far_and_no_further() -> None:
    text = "# gitops-lint: ignore[nonsens]\n" * 3_000 + HEAD + "a: bad\n"
    outcome = run(text)
    assert outcome.lines("unknown-ignore") == list(range(1, 1_002))
    assert "they are not read" in outcome.kept[1_000].finding.message


# -- the grammar alone


def test_reasons_and_dates() -> None:
    (directive,) = in_comment("# gitops-lint: ignore[a,b] until=2026-12-31 - why not # other")
    assert directive[:3] == (("a", "b"), date(2026, 12, 31), "why not")
    (directive,) = in_comment("#gitops-lint: ignore-file[a]: why")
    assert directive == Directive(("a",), None, "why", True, "", "ignore-file[a]: why")
    items = in_annotation("a b: x\nc\n\n; d,e until=2026-01-01")
    assert [item.words for item in items] == [("a", "b"), ("c",), ("d", "e")]


@given(st.text(alphabet=st.sampled_from("#:[]=,;- \n\tuntil2026gos"), max_size=40))
def test_nothing_written_after_the_mark_throws(text: str) -> None:
    for comment in (f"# gitops-lint{text}", f"# gitops-lint: ignore[{text}"):
        assert all(directive.problem or directive.words for directive in in_comment(comment))
    assert all(directive.problem or directive.words for directive in in_annotation(text))


IGNORES = ["# gitops-lint: ignore[GL901] x", "  # gitops-lint: ignore-file[GL901]", "a: bad # gitops-lint: ignore[x]"]
YAML = ["a: bad", "b:", "- bad", "- c: bad", "  d: bad", "---", "e: |", "  x", "f: {g: bad,", "  h: 1}", "", "-", "? i"]
LINES = st.sampled_from(IGNORES + YAML)


@given(st.lists(LINES, max_size=12))
def test_no_arrangement_of_lines_throws(lines: list[str]) -> None:
    text = HEAD + "\n".join(lines)
    for item in run(text).kept:
        assert 1 <= item.start.line <= text.count("\n") + 1


# -- the fix


def fixed(text: str) -> str:
    (change,) = fix_files([item for item in run(text).kept if item.rule.name == "unused-ignore"], unsafe=False)
    return change.after


def test_an_unused_annotation_is_removed_with_the_mapping_that_held_it_alone() -> None:
    annotations = "  annotations:\n    gitops-lint.io/ignore: bad-value\n"
    text = f"apiVersion: v1\nkind: A\nmetadata:\n  name: a\n{annotations}a: ok\n"
    assert fixed(text) == text.replace(annotations, "")


def test_other_annotations_stay() -> None:
    text = "apiVersion: v1\nkind: A\nmetadata:\n  annotations:\n    x: y\n    gitops-lint.io/ignore: bad-value\na: ok\n"
    assert fixed(text) == "apiVersion: v1\nkind: A\nmetadata:\n  annotations:\n    x: y\na: ok\n"


def test_what_is_used_stays_as_it_was() -> None:
    text = (
        "apiVersion: v1\nkind: A\nmetadata:\n  annotations:\n"
        '    gitops-lint.io/ignore: "bad-value: so it is; worse-value: no"\na: bad\n'
    )
    assert fixed(text) == text.replace('"bad-value: so it is; worse-value: no"', '"bad-value: so it is"')


def test_one_of_two_rules_goes() -> None:
    text = (
        "apiVersion: v1\nkind: A\nmetadata:\n  annotations:\n"
        '    gitops-lint.io/ignore: "bad-value, GL902 until=2026-12-31: so it is"\na: bad\n'
    )
    assert fixed(text) == text.replace("bad-value, GL902 until", "bad-value until")


def test_a_comment_has_no_fix() -> None:
    outcome = run(HEAD + "a: ok # gitops-lint: ignore[bad-value]\n")
    assert [item.finding.fixes for item in outcome.kept] == [()]


# -- the pages and the manuals of the rules about ignores

PAGES = [case for case in cases() if case.rule in {rule.name for rule in OWN}]


def run_page(rule: str, files: Mapping[str, str], tmp_path: Path) -> list[Reported]:
    """With all rules, since an ignore is about another rule; only the findings of the page's own rule count."""
    config = config_of(tmp_path, files.get(CONFIG, ""))
    rules = load_rules()
    repo = build_repo([SourceFile(path, text) for path, text in sorted(files.items()) if path != CONFIG])
    kept = run("", config, tuple(r for r in rules if r.scope is not Scope.CRASH), rules, repo=repo).kept
    return [item for item in kept if item.rule.name == rule]


@pytest.mark.parametrize("case", PAGES, ids=str)
def test_page(case: Case, tmp_path: Path) -> None:
    texts = {path: unmarked(body) for path, body in case.files.items()}
    found = run_page(case.rule, texts, tmp_path)
    want = {(path, line): severity for path, body in case.files.items() for line, severity in marks(body).items()}
    assert {(item.file.path, item.start.line) for item in found} == set(want), [i.finding.message for i in found]
    for item in found:
        assert want[item.file.path, item.start.line] in (None, str(item.severity))
    if case.fixed:
        after = {fix.file.path: fix.after for fix in fix_files(found, unsafe=True)}
        assert {path: after.get(path, texts[path]) for path in case.fixed} == case.fixed


@pytest.mark.parametrize("rule", OWN, ids=lambda rule: rule.name)
def test_manual(rule: Rule, tmp_path: Path) -> None:
    bad = run_page(rule.name, {"manifest.yaml": unmarked(rule.manual.bad)}, tmp_path)
    assert [item.start.line for item in bad] == list(marks(rule.manual.bad))
    assert not run_page(rule.name, {"manifest.yaml": rule.manual.good}, tmp_path)
