"""One run over a repository: which rule sees what, what becomes of what it says, and what when it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gitops_lint.linter.change import Change
from gitops_lint.linter.lint.engine import LONG_WORD, LONGEST_MESSAGE, Run, shortened
from gitops_lint.linter.lint.looked import without_quotations
from gitops_lint.linter.lint.rule import Finding, Note, Rule, Scope, Severity
from gitops_lint.linter.repo.app import App
from gitops_lint.linter.repo.model import Repo
from gitops_lint.linter.yaml.source import SourceFile, Span, Spot
from support import change_of, repo_of

HEAD = "apiVersion: v1\nkind: {}\nmetadata:\n  name: {}\n"


def thing(name: str, kind: str = "ConfigMap", more: str = "") -> str:
    return HEAD.format(kind, name) + more


def make(check: Callable[..., Iterator[Finding]], scope: Scope = Scope.RESOURCE, **rest: object) -> Rule:
    return Rule("GL999", Severity.ERROR, check, "rules.fake.some_rule", scope, **rest)  # type: ignore[arg-type]


def by_name(subject: object) -> Iterator[Finding]:
    """Says the name of what it was given."""
    resources = [subject] if not isinstance(subject, App | Repo) else subject.resources
    for one in resources:
        yield Finding(one["kind"], one.name)  # type: ignore[index, attr-defined]


def told(files: dict[str, str], *rules: Rule) -> list[str]:
    run = Run(repo_of(files))
    run.check(rules)
    assert not run.crashes, run.crashes[0].trace
    return [item.finding.message for item in run.reported]


# -- which rule sees what


def test_a_rule_sees_the_kinds_and_annotations_that_it_asks_for_each_object_once() -> None:
    noted = "  annotations: {wanted: x}\n"
    files = {
        "a.yaml": thing("job", "Job"),
        "b.yaml": thing("noted", more=noted),
        "c.yaml": thing("both", "Job", noted),
        "d.yaml": thing("neither"),
    }
    assert told(files, make(by_name)) == ["job", "noted", "both", "neither"]
    assert told(files, make(by_name, kinds=("Job",))) == ["job", "both"]
    assert told(files, make(by_name, annotated=("wanted",))) == ["noted", "both"]
    assert told(files, make(by_name, kinds=("Job",), annotated=("wanted",))) == ["job", "both", "noted"]


def test_an_object_of_two_units_is_told_once_and_rules_on_apps_may_look_at_some_only() -> None:
    files = {"a/a.yaml": thing("a"), "b/b.yaml": thing("b")}
    assert told(files, make(by_name, Scope.APP), make(by_name, Scope.REPO)) == ["a", "b"]
    repo = repo_of(files)
    run = Run(repo, apps=repo.apps[:1])
    run.check([make(by_name, Scope.APP)])
    assert [item.finding.message for item in run.reported] == [repo.apps[0].resources[0].name]


def test_rules_on_objects_run_before_those_on_apps_on_the_repository_and_on_changes() -> None:
    files = {"a.yaml": thing("a")}
    seen: list[str] = []

    def noting(scope: Scope) -> Rule:
        def check(_: object) -> Iterator[Finding]:
            seen.append(scope.name)
            return iter(())

        return make(check, scope)

    rules = [noting(scope) for scope in (Scope.CHANGE, Scope.REPO, Scope.APP, Scope.RESOURCE, Scope.SUPPRESSIONS)]
    change = change_of({}, files)
    Run(change.head, change).check(rules)
    assert seen == ["RESOURCE", "APP", "REPO", "CHANGE"]
    seen.clear()
    Run(repo_of(files)).check(rules)
    assert seen == ["RESOURCE", "APP", "REPO"], "nothing changed that is known of"
    seen.clear()
    Run(repo_of({})).check(rules)
    assert seen == []


def test_what_a_patch_may_change_is_seen_only_by_rules_that_take_the_text_at_its_word() -> None:
    lost = "resources: [a.yaml]\npatches:\n  - patch: '[{op: remove, path: /nothing}]'\n    target: {kind: ConfigMap}\n"
    files = {"a.yaml": thing("a"), "kustomization.yaml": lost}
    assert told(files, make(by_name)) == []
    assert told(files, make(by_name, Scope.REPO)) == []
    assert told(files, make(by_name, literal=True)) == ["a"]


# -- a rule that fails


def failing(subject: object) -> Iterator[Finding]:
    raise ValueError(f"cannot use 'hunter2' of {subject!r:.10}")
    yield


def crash_of(repo: Repo, check: Callable[..., Iterator[Finding]], scope: Scope, change: Change | None = None) -> str:
    run = Run(repo, change)
    run.check([make(check, scope), make(by_name)])
    (crash,) = run.crashes
    assert [item.finding.message for item in run.reported] == ["a", "b"], "the others go on"
    assert "hunter2" not in crash.error
    assert (crash.at.file, crash.at.span) == (crash.file, Span(0, 0))
    return crash.file.path


def test_a_rule_that_fails_is_told_with_the_file_that_it_had_in_hand() -> None:
    repo = repo_of({"a.yaml": thing("a"), "b.yaml": thing("b")})

    def on_a_node(repo: Repo) -> Iterator[Finding]:
        for resource in repo.resources:
            node = resource["kind"]
            del resource
            if node.file.path == "b.yaml":
                raise ValueError("x 'hunter2'")
        yield

    def on_a_file(repo: Repo) -> Iterator[Finding]:
        file = repo.files[1]
        raise ValueError(f"'hunter2' {len(file.text)}")
        yield

    def deeper(repo: Repo) -> Iterator[Finding]:
        file = repo.files[0]
        yield from on_a_file(repo) if file else ()

    assert crash_of(repo, on_a_node, Scope.REPO) == "b.yaml"
    assert crash_of(repo, on_a_file, Scope.REPO) == "b.yaml"
    assert crash_of(repo, deeper, Scope.REPO) == "b.yaml"
    assert crash_of(repo, failing, Scope.REPO) == "a.yaml", "the first of the repository, where nothing is known"
    change = change_of({}, {"a.yaml": thing("a"), "b.yaml": thing("b")})
    assert crash_of(change.head, lambda _: on_a_file(change.head), Scope.CHANGE, change) == "b.yaml"


def test_a_rule_that_fails_on_an_object_is_told_at_it() -> None:
    run = Run(repo_of({"a.yaml": thing("a"), "b.yaml": thing("b", "Job")}))
    run.check([make(failing, kinds=("Job",))])
    assert [crash.file.path for crash in run.crashes] == ["b.yaml"]


def test_what_an_error_quotes_is_not_repeated() -> None:
    assert without_quotations(KeyError("secret")) == "KeyError: '…'"
    long = "x" * 30
    assert without_quotations(ValueError(f"bad: {long}")) == "ValueError: bad: '…'"
    assert without_quotations(ValueError("bad: short")) == "ValueError: bad: short"


# -- how long a message may be


def finding_of(message: str, *notes: str) -> Finding:
    at = Spot(SourceFile("a.yaml", "a: 1\n"), Span(0, 1))
    return Finding(at, message, related=tuple(Note(at, note) for note in notes))


def test_long_words_are_cut_in_the_middle_and_long_messages_at_their_end() -> None:
    word = "a" * 200 + "b" * 200
    cut = "a" * 200 + "b" * (LONG_WORD - 240) + "…" + "b" * 20
    assert shortened(finding_of(f"it is {word}")).message == f"it is {cut}"
    assert shortened(finding_of("it is", f"there is {word}")).related[0].message == f"there is {cut}"
    many = "word " * 1000
    assert shortened(finding_of(many)).message == f"{many[:LONGEST_MESSAGE]}…"
    for left_alone in ("a" * LONG_WORD, "word " * (LONGEST_MESSAGE // 5)):
        assert shortened(finding_of(left_alone)).message == left_alone


# -- who applies it


APP = (
    "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata:\n  name: shop\n  namespace: argocd\nspec:\n"
    "  project: default\n  source: {repoURL: https://git.example.com/x.git, path: shop, targetRevision: HEAD}\n"
    "  destination: {server: https://kubernetes.default.svc, namespace: shop}\n"
)


def graded(files: dict[str, str], rule: Rule) -> dict[str, str]:
    run = Run(repo_of(files))
    run.check([rule])
    return {item.finding.message: str(item.severity) for item in run.reported}


def test_an_error_in_what_no_application_syncs_is_milder_where_applications_are_known() -> None:
    alone = {"other/b.yaml": thing("b")}
    files = {**alone, "apps/shop.yaml": APP, "shop/a.yaml": thing("a")}
    assert graded(alone, make(by_name)) == {"b": "error"}
    found = graded(files, make(by_name))
    assert found["a"] == found["shop"] == "error"
    assert found.get("b", "unread") != "error"
    assert graded(files, make(by_name, any_file=True))["b"] == "error", "a fault of the text, whoever reads it"


def test_a_finding_names_the_unit_of_its_object() -> None:
    run = Run(repo_of({"apps/shop.yaml": APP, "shop/a.yaml": thing("a")}))
    run.check([make(by_name)])
    assert {item.finding.message: item.app for item in run.reported} == {"a": "shop", "shop": "apps"}
