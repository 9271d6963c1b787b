"""The baseline as values: what a finding is known by, which entry answers for it, which entries are stale."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import jsonschema
import pytest
from gitops_lint.linter.facts.tables import table
from gitops_lint.linter.lint.baseline import (
    Baseline,
    BaselineError,
    Entry,
    Matched,
    Seen,
    entries_of,
    entry_of,
    match,
    parse,
    to_text,
    without,
)
from gitops_lint.linter.lint.manual import marks, unmarked
from gitops_lint.linter.lint.result import Reported
from gitops_lint.linter.lint.rule import Finding, Scope
from gitops_lint.linter.yaml.source import Node, SourceFile, Span, Spot
from gitops_lint.rules import load
from hypothesis import given
from hypothesis import strategies as st
from report_samples import RULE, make_rule
from rule_pages import Case, cases
from support import rule_named, run_rules

NAME = ".gitops-lint-baseline.json"
OTHER = make_rule("GL103", name="other_rule")


def job(name: str = "migrate", namespace: str = "", before: str = "") -> str:
    place = f"  namespace: {namespace}\n" if namespace else ""
    containers = "spec:\n  containers:\n    - name: a\n      image: x\n    - name: b\n      image: y\n"
    return f"{before}apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: {name}\n{place}{containers}"


def at(path: str, text: str, *keys: str | int, document: int = 0) -> Node:
    return SourceFile(path, text).documents[document].root.at(*keys)


def found(place: Node | Spot, message: str = "it hangs", rule: Any = RULE) -> Reported:
    return Reported(rule, Finding(place, message), rule.severity, None)


def fingerprint(place: Node | Spot) -> str:
    return entry_of(found(place)).fingerprint


def baseline_of(*items: Reported) -> Baseline:
    return parse(SourceFile(NAME, to_text(map(entry_of, items))))


def seen(*items: Reported, **rest: Any) -> Seen:
    codes = {rule.code for rule in (RULE, OTHER)}
    return Seen(**{"files": {item.file.path: item.file for item in items}, "ran": codes, "known": codes, **rest})


def settle(items: list[Reported], baseline: Baseline, **rest: Any) -> Matched:
    return match(items, baseline, seen(*items, **rest))


def paths(items: tuple[Reported, ...]) -> list[str]:
    return [item.file.path for item in items]


# -- what a finding is known by


def test_neither_lines_nor_the_file_matter() -> None:
    here = fingerprint(at("a.yaml", job(), "spec"))
    assert here == fingerprint(at("b/c.yml", job(before="# one\n# two\n---\n"), "spec"))
    assert here == fingerprint(at("a.yaml", f"kind: X\n---\n{job()}", "spec", document=1))


@pytest.mark.parametrize(
    "other",
    [
        at("a.yaml", job("import"), "spec"),
        at("a.yaml", job(namespace="prod"), "spec"),
        at("a.yaml", job().replace("kind: Job", "kind: CronJob"), "spec"),
        at("a.yaml", job().replace("batch/v1", "example.com/v1"), "spec"),
        at("a.yaml", job(), "spec", "backoffLimit"),
        at("a.yaml", job(), "metadata"),
    ],
)
def test_the_object_and_the_place_in_it_do(other: Node) -> None:
    assert fingerprint(other) != fingerprint(at("a.yaml", job(), "spec"))


def test_the_rule_does_but_not_the_version_of_the_object_nor_the_message() -> None:
    place = at("a.yaml", job(), "spec")
    assert fingerprint(place) != entry_of(found(place, rule=OTHER)).fingerprint
    assert fingerprint(place) == fingerprint(at("a.yaml", job().replace("batch/v1", "batch/v2"), "spec"))
    assert fingerprint(place) == entry_of(found(place, "another message")).fingerprint


def test_an_item_is_known_by_its_name_or_its_text_not_by_its_number() -> None:
    one_more = job().replace("    - name: a", "    - name: first\n      image: z\n    - name: a")
    second = at("a.yaml", job(), "spec", "containers", 1, "image")
    assert fingerprint(second) == fingerprint(at("a.yaml", one_more, "spec", "containers", 2, "image"))
    assert fingerprint(second) != fingerprint(at("a.yaml", one_more, "spec", "containers", 1, "image"))
    head = "apiVersion: v1\nkind: A\nmetadata: {name: a}\n"
    assert fingerprint(at("a.yaml", f"{head}args: [x, y]\n", "args", 1)) == fingerprint(
        at("a.yaml", f"{head}args: [w, x, y]\n", "args", 2)
    )
    assert fingerprint(at("a.yaml", f"{head}rules: [{{x: 1}}, {{x: 2}}]\n", "rules", 1)) != fingerprint(
        at("a.yaml", f"{head}rules: [{{x: 1}}, {{x: 2}}]\n", "rules", 0)
    )


def test_an_object_in_a_list_is_the_same_outside_of_it() -> None:
    item = "".join(f"    {line}\n" for line in job().splitlines())
    listed = f"apiVersion: v1\nkind: List\nitems:\n  - apiVersion: v1\n    kind: Other\n  -\n{item}"
    place = at("a.yaml", listed, "items", 1, "spec")
    assert fingerprint(place) == fingerprint(at("a.yaml", job(), "spec"))
    assert entry_of(found(place)).object == "batch/Job/migrate"


def test_a_reference_to_an_object_is_none() -> None:
    text = "apiVersion: v2\nkind: HPA\nmetadata: {name: h}\nspec:\n  target: {apiVersion: v1, kind: A, name: a}\n"
    assert entry_of(found(at("a.yaml", text, "spec", "target", "name"))).object == "HPA/h"


def test_without_an_object_it_is_the_line_and_the_name_of_the_file() -> None:
    text = "resources:\n  - ../base\n  - ../gone\n"
    here = entry_of(found(at("a/kustomization.yaml", text, "resources", 1)))
    moved = entry_of(found(at("b/c/kustomization.yml", "# new\n" + text, "resources", 1)))
    assert (here.object, here.fingerprint) == ("", moved.fingerprint)
    others = [
        at("a/kustomization.yaml", text, "resources", 0),
        at("a/values.yaml", text, "resources", 1),
    ]
    assert here.fingerprint not in [fingerprint(other) for other in others]
    comment = Spot(SourceFile("a.yaml", "a: 1  # why\n"), Span(6, 11))
    assert fingerprint(comment) == fingerprint(Spot(SourceFile("b/a.yaml", "\n  a: 1  # why\n"), Span(9, 14)))


def test_an_entry_says_what_it_is_about() -> None:
    entry = entry_of(found(at("apps/a.yaml", job(namespace="prod"), "spec"), "x" * 500))
    assert replace(entry, fingerprint="") == Entry(
        path="apps/a.yaml",
        code="GL102",
        rule="hook-without-deadline",
        object="batch/Job/prod/migrate",
        pointer="/spec",
        message="x" * 157 + "...",
        fingerprint="",
    )


# -- which entry answers for which finding


def test_known_findings_are_covered_wherever_their_lines_went() -> None:
    before = [found(at("a.yaml", job(), "spec")), found(at("b.yaml", job("import"), "spec"))]
    after = [
        found(at("a.yaml", job(before="# shifted\n"), "spec")),
        found(at("b.yaml", job("import", before="\n\n"), "spec")),
    ]
    matched = settle(after, baseline_of(*before))
    assert (matched.kept, matched.covered, matched.stale.items) == ((), tuple(after), ())


def test_a_new_finding_in_an_old_file_shows() -> None:
    text = job()
    old, new = found(at("a.yaml", text, "spec")), found(at("a.yaml", text, "metadata"))
    assert settle([old, new], baseline_of(old)).kept == (new,)


def test_a_second_finding_at_the_same_place_shows() -> None:
    file = SourceFile("a.yaml", job())
    old, new = found(file.documents[0].root["spec"], "old"), found(file.documents[0].root["spec"], "new")
    assert settle([old, new], baseline_of(old)).kept == (new,)
    assert settle([new, old], baseline_of(old)).kept == (new,)
    twins = [found(file.documents[0].root["spec"]) for _ in range(3)]
    assert len(settle(twins, baseline_of(*twins[:2])).kept) == 1
    assert [entry.count for entry in baseline_of(*twins[:2]).entries] == [2]


def test_a_message_may_change() -> None:
    old = found(at("a.yaml", job(), "spec"), "since 3.3")
    assert settle([found(at("a.yaml", job(), "spec"), "since 3.4")], baseline_of(old)).kept == ()


def test_a_file_may_move_and_get_another_name() -> None:
    old = found(at("a/job.yaml", job(), "spec"))
    matched = settle([found(at("b/migrate.yaml", job(), "spec"))], baseline_of(old))
    assert (matched.kept, matched.stale.items) == ((), ())


def test_an_object_may_move_out_of_a_file_that_stays() -> None:
    old = found(at("all.yaml", f"{job()}---\n{job('import')}", "spec"))
    stays = SourceFile("all.yaml", job("import"))
    new = found(at("job.yaml", job(), "spec"))
    assert (
        match([new], baseline_of(old), seen(new)._replace(files={"all.yaml": stays, "job.yaml": new.file})).kept == ()
    )


def test_a_copy_is_not_a_move() -> None:
    old = found(at("dev/job.yaml", job(), "spec"))
    copy = found(at("prod/job.yaml", job(), "spec"))
    assert paths(settle([old, copy], baseline_of(old)).kept) == ["prod/job.yaml"]
    mended = SourceFile("dev/job.yaml", job())
    matched = match([copy], baseline_of(old), seen(copy)._replace(files={"dev/job.yaml": mended}))
    assert paths(matched.kept) == ["prod/job.yaml"], "the object is still in its old file: it did not move"
    assert len(matched.stale.items) == 1


def test_a_line_without_an_object_moves_only_with_its_file() -> None:
    text = "resources:\n  - ../gone\n"
    old = found(at("a/kustomization.yaml", text, "resources", 0))
    new = found(at("b/kustomization.yaml", text, "resources", 0))
    assert settle([new], baseline_of(old)).kept == ()
    stays = {"a/kustomization.yaml": SourceFile("a/kustomization.yaml", "resources: []\n"), new.file.path: new.file}
    assert settle([new], baseline_of(old), files=stays).kept == (new,)


def test_of_two_equal_ones_in_two_files_one_moves() -> None:
    dev, prod = (found(at(f"{name}/job.yaml", job(), "spec")) for name in ("dev", "prod"))
    moved = found(at("staging/job.yaml", job(), "spec"))
    matched = settle([moved, prod], baseline_of(dev, prod))
    assert (matched.kept, matched.stale.items) == ((), ())
    another = found(at("test/job.yaml", job(), "spec"))
    assert paths(settle([another, moved, prod], baseline_of(dev, prod)).kept) == ["test/job.yaml"]


def test_a_file_that_was_not_read_but_is_there_has_not_moved() -> None:
    old = found(at("dev/job.yaml", job(), "spec"))
    copy = found(at("prod/job.yaml", job(), "spec"))
    assert settle([copy], baseline_of(old), whole=False, exists=lambda path: True).kept == (copy,)
    assert settle([copy], baseline_of(old), whole=False, exists=lambda path: False).kept == ()


def test_what_is_said_about_the_run_is_never_known() -> None:
    for scope in (Scope.CRASH, Scope.BASELINE):
        item = found(at("a.yaml", job(), "spec"), rule=replace(RULE, scope=scope))
        assert settle([item], baseline_of(item)).kept == (item,)


# -- which entries are stale


def stale(baseline: Baseline, **rest: Any) -> list[tuple[str, int]]:
    files = {"a.yaml": SourceFile("a.yaml", job())}
    items = match([], baseline, seen(**{"files": files, **rest})).stale.items
    return [(item.entry.path, item.left) for item in items]


def test_an_entry_is_stale_only_if_its_finding_would_have_been_seen() -> None:
    baseline = baseline_of(found(at("a.yaml", job(), "spec")))
    assert stale(baseline) == [("a.yaml", 1)]
    assert stale(baseline, files={}) == [("a.yaml", 1)], "the file is gone"
    assert stale(baseline, whole=False) == []
    assert stale(baseline, ran={"GL103"}) == []
    assert stale(baseline, ran={"GL103"}, known={"GL103"}) == [("a.yaml", 1)], "the rule is gone"
    assert stale(baseline, unread={"a.yaml"}) == []
    assert stale(baseline, files={"a.yaml": SourceFile("a.yaml", "a: [")}) == []


def test_a_count_is_stale_in_part() -> None:
    file = SourceFile("a.yaml", job())
    items = [found(file.documents[0].root["spec"]) for _ in range(3)]
    (left,) = settle(items[:1], baseline_of(*items)).stale.items
    assert (left.entry.count, left.left) == (3, 2)


STALE_CASES = [case for case in cases() if case.rule == "stale-baseline-entry"]
SECRET = rule_named("secret-without-prune-protection")
STALE = rule_named("stale-baseline-entry")


@pytest.mark.parametrize("case", STALE_CASES, ids=str)
def test_case(case: Case) -> None:
    text = unmarked(case.files[NAME])
    files = {path: body for path, body in case.files.items() if path != NAME}
    (secret,) = run_rules({"a.yaml": "apiVersion: v1\nkind: Secret\nmetadata:\n  name: web\n"}, [SECRET])
    baseline = parse(SourceFile(NAME, text.replace("FINGERPRINT", entry_of(secret).fingerprint)))
    sources = {path: SourceFile(path, body) for path, body in files.items()}
    codes = {rule.code for rule in load()}
    matched = match(run_rules(files, [SECRET]), baseline, Seen(sources, ran=codes, known=codes))
    assert not matched.kept
    findings = list(STALE.check(matched.stale))
    assert [one.at.file.position(one.at.span.start).line for one in findings] == list(marks(case.files[NAME]))


def test_the_rule_says_what_to_do() -> None:
    file = SourceFile("a.yaml", job())
    items = [found(file.documents[0].root["spec"]) for _ in range(3)]
    (one,) = STALE.check(settle([], baseline_of(items[0])).stale)
    assert one.message == (
        "there is no finding of hook-without-deadline at batch/Job/migrate any more: remove the entry, "
        "which would hide the next one (--prune-baseline does it)"
    )
    (several,) = STALE.check(settle(items[:1], baseline_of(*items)).stale)
    assert "counts 3 findings of hook-without-deadline at batch/Job/migrate, and there is only 1" in several.message


# -- the text


def three() -> list[Reported]:
    return [found(at(f"{name}.yaml", job(name), "spec"), f"{name}: \"é\u202e\udc80\n'") for name in "cab"]


def test_the_text_is_sorted_ascii_and_one_line_an_entry() -> None:
    text = to_text(map(entry_of, three()))
    lines = text.splitlines()
    assert [json.loads(line.strip(" ,"))["path"] for line in lines[3:6]] == ["a.yaml", "b.yaml", "c.yaml"]
    assert (lines[:3], lines[6:]) == (["{", '  "version": 1,', '  "findings": ['], ["  ]", "}"])
    assert text.isascii()
    assert to_text([]) == '{\n  "version": 1,\n  "findings": []\n}\n'


def test_the_text_follows_the_schema() -> None:
    schema = table("baseline.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    twins = [found(at("a.yaml", job(), "spec")) for _ in range(2)]
    for items in ([], three(), twins):
        jsonschema.validate(json.loads(to_text(map(entry_of, items))), schema, jsonschema.Draft202012Validator)
    assert set(schema["$defs"]["entry"]["properties"]) == set(Entry.__dataclass_fields__)


@pytest.mark.parametrize("layout", [None, 2])
@pytest.mark.parametrize("gone", [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2), (0, 1, 2), ()])
def test_pruning_leaves_every_other_character(gone: tuple[int, ...], layout: int | None) -> None:
    items = sorted(three(), key=lambda item: item.file.path)
    text = to_text(map(entry_of, items))
    if layout:  # as a formatter would have it
        text = (
            json.dumps(json.loads(text), indent=layout, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
        )
    baseline = parse(SourceFile(NAME, text))
    left = [item for number, item in enumerate(items) if number not in gone]
    after = without(baseline, settle(left, baseline, files={}).stale.items)
    if layout is None:
        assert after == to_text(map(entry_of, left))
    kept = [entry for number, entry in enumerate(baseline.entries) if number not in gone]
    assert list(parse(SourceFile(NAME, after)).entries) == kept
    assert set(after.splitlines()) - {line.rstrip(",") for line in text.splitlines()} <= {
        *text.splitlines(),
        '  "findings": []',
    }


def test_pruning_lowers_a_count_and_nothing_else() -> None:
    file = SourceFile("a.yaml", job())
    items = [found(file.documents[0].root["spec"], 'the "count": 9') for _ in range(3)]
    baseline = baseline_of(*items)
    after = without(baseline, settle(items[:2], baseline).stale.items)
    assert after == baseline.file.text.replace('"count": 3', '"count": 2')
    assert after != baseline.file.text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", f"{NAME}:1: is not JSON: '{{' is expected"),
        ("[]", f"{NAME}:1: is not JSON: '{{' is expected"),
        ('{"version": 1,\n"findings": [\n}', f"{NAME}:3: is not JSON: Expecting value"),
        ('{"version": 1}', f"{NAME}:1: is not a baseline: it has no 'findings'"),
        ('{"findings": []}', f"{NAME}:1: is not a baseline: it has no 'version'"),
        ('{\n"version": 2, "findings": [7]}', f"{NAME}:2: is of version 2, and this gitops-lint knows version 1"),
        ('{\n"version": "1", "findings": []}', f"{NAME}:2: 'version' is 1, not '1'"),
        ('{\n"version": true, "findings": []}', f"{NAME}:2: 'version' is 1, not True"),
        ('{"version": 1,\n"version": 1, "findings": []}', f"{NAME}:2: is not JSON: a key is expected, each once"),
        ('{"version": 1, "findings": [],\n"x": 0}', f"{NAME}:2: unknown key 'x'"),
        ('{"version": 1, "findings": []}\n{}', f"{NAME}:2: is not JSON: something stands after the end"),
        ('{"version": 1, "findings": [\n{},\n{}]}', f"{NAME}:2: 'path' of an entry is missing"),
        ('{"version": 1, "findings": [\n3]}', f"{NAME}:2: an entry is an object, not 3"),
        ('{"version": 1, "findings": {}}', f"{NAME}:1: is not JSON: '[' is expected"),
        ('{"version": 1,\n<<<<<<< HEAD\n"findings": []}', f"{NAME}:2: git's marks of a merge conflict are in it"),
        ("[" * 100_000, f"{NAME}:1: is not JSON"),
        ('{"version": ' + "[" * 200_000 + "}", f"{NAME}:1: is not a baseline"),
        ('{"version": ' + "1" * 10_000 + "}", f"{NAME}:1: "),
    ],
)
def test_what_is_no_baseline_is_told_with_its_line(text: str, problem: str) -> None:
    with pytest.raises(BaselineError) as caught:
        parse(SourceFile(NAME, text))
    assert str(caught.value).startswith(problem)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"count": 0}, "'count' of an entry is a number from 1 on, not 0"),
        ({"count": True}, "'count' of an entry is a number from 1 on, not True"),
        ({"fingerprint": "xyz"}, "'fingerprint' of an entry is 32 hexadecimal digits"),
        ({"path": 7}, "'path' of an entry must be a text, not 7"),
        ({"reason": "why"}, "unknown key 'reason' in an entry"),
    ],
)
def test_an_entry_that_is_none(change: Mapping[str, object], problem: str) -> None:
    data = json.loads(to_text(map(entry_of, three())))
    data["findings"][1].update(change)
    text = json.dumps(data).replace('{"path"', '\n{"path"')
    with pytest.raises(BaselineError, match=f"{NAME}:3: {problem}"):
        parse(SourceFile(NAME, text))


# -- whatever there is

texts = st.text(max_size=5)
anywhere = st.builds(
    lambda path, name, keys, message: found(at(f"{path}.yaml", job(name or "x"), *keys), message or "m"),
    st.sampled_from(["a", "b/a", "c"]),
    st.sampled_from(["x", "y"]),
    st.sampled_from([("spec",), ("metadata", "labels"), ("spec", "containers", 1)]),
    texts,
)


@given(st.lists(anywhere, max_size=12), st.randoms())
def test_what_is_written_covers_what_was_found_in_whatever_order(items: list[Reported], random: Any) -> None:
    shuffled = random.sample(items, len(items))
    text = to_text(map(entry_of, items))
    assert text == to_text(map(entry_of, shuffled))
    baseline = parse(SourceFile(NAME, text))
    assert list(baseline.entries) == entries_of(map(entry_of, items))
    matched = settle(shuffled, baseline)
    assert (matched.kept, matched.stale.items) == ((), ())


@given(st.lists(anywhere, min_size=1, max_size=12), st.lists(anywhere, max_size=6))
def test_every_entry_answers_once(known: list[Reported], new: list[Reported]) -> None:
    matched = settle([*known, *new], baseline_of(*known))
    assert len(matched.kept) == len(new), "there are as many entries as known findings, and all of these are there"
    fewer = settle(known[1:], baseline_of(*known), files={})
    assert fewer.kept == ()
    assert sum(item.left for item in fewer.stale.items) == 1
    pruned = parse(SourceFile(NAME, without(baseline_of(*known), fewer.stale.items)))
    assert settle(known[1:], pruned).kept == ()
    assert settle(known[1:], pruned, files={}).stale.items == ()
