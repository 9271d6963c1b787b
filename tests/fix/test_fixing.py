"""What is written was tried out before: a fix that does harm, or no good, is not made, and the others are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from pathlib import Path

import pytest
from git_repository import Checkout
from gitops_lint.linter.fix.fix_plan import Fixed, _Planner, fix_in_place, plan_fixes
from gitops_lint.linter.kubernetes.resource import Resource
from gitops_lint.linter.lint.config import Config
from gitops_lint.linter.lint.rule import Finding, Fix, Rule, Scope, Severity
from gitops_lint.linter.lint.session import Session
from gitops_lint.rules import load


def config_map(name: str, **data: str) -> str:
    values = "".join(f'  {key}: "{value}"\n' for key, value in data.items())
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n{values}"


def made_up(code: str, check: Callable[[Resource], Iterator[Finding]], severity: Severity = Severity.WARNING) -> Rule:
    return Rule(code, severity, check, f"rules.tests.made_up_{code.lower()}", Scope.RESOURCE, literal=True)


def sets(key: str, wrong: str, right: str, *, at: str = "") -> Callable[[Resource], Iterator[Finding]]:
    """A rule that wants another value in a ConfigMap, at the key or at another one."""

    def check(resource: Resource) -> Iterator[Finding]:
        node = resource["data"][key]
        if node.text == wrong:
            fix = Fix("write it", resource["data"][at or key].set(right), safe=True)
            yield Finding(node, f"{resource} has {key} {wrong}", (fix,))

    return check


def refuses(key: str, value: str) -> Callable[[Resource], Iterator[Finding]]:
    def check(resource: Resource) -> Iterator[Finding]:
        if resource["data"][key].text == value:
            yield Finding(resource["data"][key], f"{resource} must not have {key} {value}")

    return check


def put(root: Path, files: Mapping[str, str]) -> None:
    (root / ".git").mkdir(exist_ok=True)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())


def session(*rules: Rule) -> Session:
    return Session(Config(), rules or load(), date(2024, 1, 1))


def fixed(root: Path, *rules: Rule, unsafe: bool = False) -> Fixed:
    """What `--fix` does, once it is sure that `--diff` shows just that, and that a second run has nothing to do."""
    run = session(*rules)
    found = run.find([root])
    shown = plan_fixes(run, found, run.lint(found), unsafe=unsafe)
    done = fix_in_place(run, [root], unsafe=unsafe)
    after = {change.file.path: change.after for change in shown.changes}
    assert after == {change.file.path: change.after for change in done.changes}
    assert after == {path: (root / path).read_bytes().decode() for path in after}
    assert not fix_in_place(run, [root], unsafe=unsafe).changes
    return done


def test_a_fix_that_does_not_help_is_not_made(tmp_path: Path) -> None:
    put(tmp_path, {"a.yaml": config_map("a", x="1", why="1"), "b.yaml": config_map("b", why="1")})
    done = fixed(tmp_path, made_up("GL991", sets("x", "1", "2", at="z")), made_up("GL992", sets("why", "1", "2")))
    assert (tmp_path / "a.yaml").read_text() == config_map("a", x="1", why="2")
    assert (tmp_path / "b.yaml").read_text() == config_map("b", why="2")
    assert [line for line in done.not_written if "GL991" in line and "would still be there" in line]


@pytest.mark.parametrize("severity", [Severity.ERROR, Severity.WARNING])
def test_a_fix_that_brings_another_fault_is_not_made_and_the_others_are(tmp_path: Path, severity: Severity) -> None:
    texts = {f"{name}.yaml": config_map(name, x="1", why="1") for name in "abcde"}
    put(tmp_path, texts | {"f.yaml": config_map("f", x="0")})
    rules = [
        made_up("GL991", sets("x", "1", "2")),
        made_up("GL992", sets("why", "1", "2")),
        made_up("GL993", sets("x", "0", "3")),
        made_up("GL994", refuses("x", "2"), severity),
    ]
    done = fixed(tmp_path, *rules)
    for name in "abcde":
        assert (tmp_path / f"{name}.yaml").read_text() == config_map(name, x="1", why="2")
    assert (tmp_path / "f.yaml").read_text() == config_map("f", x="3")
    assert len([line for line in done.not_written if f"a new {severity}, GL994" in line]) == 5


def test_a_hundred_that_do_harm_are_told_from_the_others_in_a_few_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each look is a whole run, and once all are used up a second run would go on where this one gave up."""
    put(tmp_path, {f"{i}.yaml": config_map(f"a-{i}", x="1", why="1") for i in range(100)})
    rules = [
        made_up("GL991", sets("x", "1", "2")),
        made_up("GL992", sets("why", "1", "2")),
        made_up("GL994", refuses("x", "2"), Severity.ERROR),
    ]
    looks: list[object] = []
    look = _Planner._look
    monkeypatch.setattr(_Planner, "_look", lambda *words: looks.append(words) or look(*words))
    run = session(*rules)
    found = run.find([tmp_path])
    plan = plan_fixes(run, found, run.lint(found), unsafe=False)
    assert len(plan.changes) == len(plan.held) == 100
    assert len(looks) < 15


def test_rules_that_nobody_asked_for_look_at_the_result_as_well(tmp_path: Path) -> None:
    text = (
        "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\nspec:\n  template:\n    spec:\n"
        "      restartPolicy: Never\n      containers:\n        - name: a\n          image: a\n"
    )

    def check(resource: Resource) -> Iterator[Finding]:
        policy = resource["spec"]["template"]["spec"]["restartPolicy"]
        if policy.present:
            yield Finding(policy, "it is not wanted", (Fix("take it out", policy.remove(), safe=True),))

    put(tmp_path, {"a.yaml": text})
    done = fixed(tmp_path, made_up("GL991", check))
    assert (tmp_path / "a.yaml").read_text() == text
    assert [line for line in done.not_written if "job-restart-policy-missing" in line]


def test_what_comes_up_through_a_fix_is_fixed_with_it_and_told(tmp_path: Path) -> None:
    put(tmp_path, {"a.yaml": config_map("a", x="1")})
    done = fixed(tmp_path, made_up("GL991", sets("x", "1", "2")), made_up("GL992", sets("x", "2", "3")))
    assert (tmp_path / "a.yaml").read_text() == config_map("a", x="3")
    assert (done.count, done.followed) == (2, 1)


def test_two_fixes_of_one_place_are_made_one_after_the_other(tmp_path: Path) -> None:
    def adds(option: str) -> Callable[[Resource], Iterator[Finding]]:
        def check(resource: Resource) -> Iterator[Finding]:
            node = resource["data"]["options"]
            if option not in node.text:
                yield Finding(node, f"no {option}", (Fix("add it", node.set(f"{node.text},{option}"), safe=True),))

        return check

    put(tmp_path, {"a.yaml": config_map("a", options="x")})
    done = fixed(tmp_path, made_up("GL991", adds("one")), made_up("GL992", adds("two")))
    assert (tmp_path / "a.yaml").read_text() == config_map("a", options="x,one,two")
    assert done.count == 2


# -- what is built

BUILT = {
    "base/kustomization.yaml": "resources:\n  - a.yaml\n  - b.yaml\n",
    "base/a.yaml": config_map("a", x="1"),
    "base/b.yaml": config_map("b", why="9"),
    "one/kustomization.yaml": "namePrefix: one-\nresources:\n  - ../base\n",
    "two/kustomization.yaml": "namePrefix: two-\nresources:\n  - ../base\n",
}
COPIES = """\
replacements:
  - source: {kind: ConfigMap, name: a, fieldPath: data.x}
    targets:
      - select: {kind: ConfigMap, name: b}
        fieldPaths: [data.why]
"""


def test_a_line_that_feeds_several_builds_is_changed_if_nothing_else_differs_in_them(tmp_path: Path) -> None:
    put(tmp_path, BUILT)
    fixed(tmp_path, made_up("GL991", sets("x", "1", "2")))
    assert (tmp_path / "base/a.yaml").read_text() == config_map("a", x="2")


def test_it_is_not_if_another_field_of_one_of_them_changes_too(tmp_path: Path) -> None:
    put(tmp_path, BUILT | {"two/kustomization.yaml": BUILT["two/kustomization.yaml"] + COPIES})
    done = fixed(tmp_path, made_up("GL991", sets("x", "1", "2")))
    assert (tmp_path / "base/a.yaml").read_text() == config_map("a", x="1")
    assert [line for line in done.not_written if "it would change data.why of ConfigMap" in line]


# -- files that are left alone


def test_what_cannot_be_written_is_neither_shown_nor_done(tmp_path: Path) -> None:
    put(tmp_path, {f"{name}.yaml": config_map(name, x="1") for name in ("hard", "locked", "open")})
    os.link(tmp_path / "hard.yaml", tmp_path / "other.txt")
    (tmp_path / "locked.yaml").chmod(0o444)
    (tmp_path / "soft.yaml").symlink_to("open.yaml")
    done = fixed(tmp_path, made_up("GL991", sets("x", "1", "2")))
    assert [change.file.path for change in done.changes] == ["open.yaml"]
    assert (tmp_path / "soft.yaml").is_symlink()
    reasons = "\n".join(done.not_written)
    assert "hard.yaml: has other hard links" in reasons
    assert "locked.yaml: is" in reasons
    assert "soft.yaml: is a link" in reasons


def test_the_look_at_the_result_sees_no_more_than_the_first_one(tmp_path: Path) -> None:
    """What git ignores is not there for either; if it were, a fix would seem to bring its objects."""
    checkout = Checkout(tmp_path)
    build = "resources: [a.yaml, secret.yaml]\n"
    checkout.commit({"kustomization.yaml": build, "a.yaml": config_map("a", x="1"), ".gitignore": "secret.yaml\n"})
    checkout.write({"secret.yaml": config_map("secret", x="1")})
    done = fixed(tmp_path, made_up("GL991", sets("x", "1", "2")))
    assert [change.file.path for change in done.changes] == ["a.yaml"]


def test_a_file_that_the_run_is_not_about_is_not_fixed(tmp_path: Path) -> None:
    build = "resources: [../base, b.yaml]\n"
    put(tmp_path, {"base/kustomization.yaml": "resources: [a.yaml]\n", "base/a.yaml": config_map("a", x="1")})
    put(tmp_path, {"top/kustomization.yaml": build, "top/b.yaml": config_map("b", x="1")})
    run = session(made_up("GL991", sets("x", "1", "2")))
    done = fix_in_place(run, [tmp_path / "top"], unsafe=False)
    assert [change.file.path for change in done.changes] == ["top/b.yaml"]
