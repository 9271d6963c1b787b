"""Two revisions, object by object: who is who, what is renamed, and where a removal shows."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from change_samples import application, config_map, told, words
from gitops_lint.linter.change import FileStatus, Likeness
from support import change_of


def line_of_removal(before: Mapping[str, str], after: Mapping[str, str], name: str) -> tuple[str, str]:
    change = change_of(before, after)
    gone = next(one for one in change.objects if one.is_removed and one.resource.name == name)
    place = change.place_of_removal(gone)
    return place.file.path, place.file.line_text(place.file.position(place.span.start).line)


def test_what_stays_as_it_is_is_no_change() -> None:
    files = {"app.yaml": application("shop", "deploy"), "deploy/a.yaml": config_map("a")}
    change = change_of(files, {**files, "deploy/b.yaml": config_map("b")})
    assert told(change) == ["added ConfigMap/b"]
    assert [(one.is_kept, one.is_rewritten) for one in change.apps] == [(True, False)]


def test_which_applications_a_change_does_something_to() -> None:
    before = {
        f"{name}.yaml": application(name, name) for name in ("same", "filled", "emptied", "rewritten", "gone", "moved")
    }
    before |= {
        f"{name}/a.yaml": config_map(name) for name in ("same", "filled", "emptied", "rewritten", "gone", "moved")
    }
    after = {
        **before,
        "filled/b.yaml": config_map("b"),
        "rewritten.yaml": application("rewritten", "rewritten", project="x"),
    }
    after |= {
        "new.yaml": application("new", "new"),
        "new/a.yaml": config_map("new"),
        "moved/z.yaml": config_map("moved"),
    }
    after["emptied/a.yaml"] = "# nothing left\n"
    after = {path: text for path, text in after.items() if path not in ("gone.yaml", "moved/a.yaml")}
    after["same/a.yaml"] = "# a comment\n" + before["same/a.yaml"]
    found = sorted(one.app.name for one in change_of(before, after).changed_apps)
    assert found == ["emptied", "filled", "gone", "new", "rewritten"]


def test_added_removed_and_rewritten() -> None:
    before = {"a.yaml": config_map("a") + "---\n" + config_map("b") + "---\n" + config_map("c")}
    after = {
        "a.yaml": config_map("a", data="x: y") + "---\n" + config_map("c") + "---\n" + config_map("d", data="q: r")
    }
    assert told(change_of(before, after)) == ["kept rewritten ConfigMap/a", "removed ConfigMap/b", "added ConfigMap/d"]


def test_another_way_to_write_the_same_is_no_change() -> None:
    assert told(change_of({"a.yaml": config_map("a")}, {"a.yaml": "# why\n" + config_map('"a"')})) == []


def test_an_object_moves_to_another_file_and_to_another_application() -> None:
    apps = {"one.yaml": application("one", "one"), "two.yaml": application("two", "two")}
    both = {**apps, "one/x.yaml": config_map("x"), "two/y.yaml": config_map("y")}
    change = change_of({**both, "one/a.yaml": config_map("a")}, {**both, "two/a.yaml": config_map("a")})
    assert told(change) == ["kept app file ConfigMap/a"]
    assert [(one.before_app.name, one.after_app.name) for one in change.objects] == [("one", "two")]  # type: ignore[union-attr]


def test_another_namespace_of_the_destination_makes_other_objects() -> None:
    before = {"app.yaml": application("shop", "deploy"), "deploy/a.yaml": config_map("a")}
    after = {**before, "app.yaml": application("shop", "deploy", namespace="store")}
    change = change_of(before, after)
    assert sorted(told(change)) == [
        "added ConfigMap/a",
        "kept rewritten Application/shop",
        "removed ConfigMap/a",
    ]
    assert [one.destination_changed for one in change.apps] == [True]
    assert [one.why for one in change.renamings] == [Likeness.NAMESPACE]


def test_an_object_that_leaves_one_of_two_applications_is_still_in_the_other() -> None:
    apps = {"one.yaml": application("one", "one"), "two.yaml": application("two", "two")}
    both = {**apps, "one/x.yaml": config_map("x"), "two/a.yaml": config_map("a")}
    change = change_of({**both, "one/a.yaml": config_map("a")}, both)
    (gone,) = change.objects
    assert words(gone) == "removed ConfigMap/a"
    assert [app.name for app in change.still_in(gone)] == ["two"]


def test_a_new_application_for_a_folder_takes_over_its_objects() -> None:
    before = {"deploy/a.yaml": config_map("a")}
    change = change_of(before, {**before, "app.yaml": application("shop", "deploy")})
    assert told(change) == ["added Application/shop", "kept app ConfigMap/a"]


def test_a_renamed_application() -> None:
    deploy = {"deploy/a.yaml": config_map("a")}
    change = change_of(
        {"app.yaml": application("shop", "deploy"), **deploy}, {"app.yaml": application("store", "deploy"), **deploy}
    )
    (app,) = change.apps
    assert app.is_renamed
    assert not app.path_changed
    assert [(one.removed.resource.name, one.added.resource.name) for one in change.renamings] == [("shop", "store")]


def test_path_and_project_of_an_application() -> None:
    before = {"app.yaml": application("shop", "one"), "one/a.yaml": config_map("a"), "two/a.yaml": config_map("a")}
    change = change_of(before, {**before, "app.yaml": application("shop", "two", project="platform")})
    assert [(one.path_changed, one.policy_changed) for one in change.apps] == [(True, False)]


def test_applications_of_a_set_count() -> None:
    def files(*folders: str) -> dict[str, str]:
        template = application("'{{.path.basename}}'", "'{{.path.path}}'").partition("spec:\n")[2]
        inner = "".join(f"    {line}\n" for line in template.splitlines())
        made = (
            "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata:\n  name: all\nspec:\n  goTemplate: true\n"
            "  generators:\n  - git:\n      repoURL: https://git.example.com/shop.git\n      directories:\n"
            "      - path: apps/*\n  template:\n    metadata:\n      name: '{{.path.basename}}'\n    spec:\n"
            + "".join(f"  {line}\n" for line in inner.splitlines())
        )
        return {"set.yaml": made, **{f"apps/{one}/a.yaml": config_map(one) for one in folders}}

    change = change_of(files("one", "two"), files("one"))
    assert sorted((one.app.name, one.is_removed) for one in change.apps) == [("one", False), ("two", True)]
    (gone,) = change.objects
    place = change.place_of_removal(gone)
    assert (place.file.path, place.file.line_text(place.file.position(place.span.start).line)) == (
        "set.yaml",
        "  generators:",
    )


# -- renamed objects


def kustomization(*lines: str) -> str:
    return "resources:\n  - a.yaml\n" + "".join(f"{line}\n" for line in lines)


RENAMED = {
    "another hash": (
        {"kustomization.yaml": "configMapGenerator:\n  - name: settings\n    literals: [a=1]\n"},
        {"kustomization.yaml": "configMapGenerator:\n  - name: settings\n    literals: [a=2, b=3]\n"},
        Likeness.GENERATED,
    ),
    "another prefix": (
        {"a.yaml": config_map("a"), "kustomization.yaml": kustomization("namePrefix: dev-")},
        {"a.yaml": config_map("a"), "kustomization.yaml": kustomization("namePrefix: test-")},
        Likeness.AFFIX,
    ),
    "another namespace": (
        {"a.yaml": config_map("a"), "kustomization.yaml": kustomization("namespace: one")},
        {"a.yaml": config_map("a"), "kustomization.yaml": kustomization("namespace: two")},
        Likeness.NAMESPACE,
    ),
    "the same document": (
        {"a.yaml": config_map("a", data="some: thing")},
        {"a.yaml": config_map("b", data="quite: other")},
        Likeness.POSITION,
    ),
    "the same content": ({"a.yaml": config_map("a")}, {"b.yaml": config_map("b")}, Likeness.CONTENT),
}


@pytest.mark.parametrize("case", RENAMED.values(), ids=RENAMED)
def test_renamed_objects(case: tuple[dict[str, str], dict[str, str], Likeness]) -> None:
    before, after, why = case
    change = change_of(before, after)
    assert [one.why for one in change.renamings] == [why]
    assert sorted(words(one).split()[0] for one in change.objects) == ["added", "removed"]


def test_unlike_objects_are_not_renamed() -> None:
    before = {"a.yaml": config_map("a", data="some: thing")}
    assert change_of(before, {"b.yaml": config_map("b", data="quite: other")}).renamings == ()


# -- places


def test_a_removed_document_shows_beside_the_gap() -> None:
    before = {"a.yaml": config_map("a") + "---\n" + config_map("b") + "---\n" + config_map("c")}
    after = {"a.yaml": config_map("a") + "---\n" + config_map("c")}
    path, line = line_of_removal(before, after, "b")
    assert path == "a.yaml"
    assert line.strip() in ("apiVersion: v1", "name: c")


def test_a_removed_file_shows_in_the_kustomization_that_named_it() -> None:
    before = {
        "a.yaml": config_map("a"),
        "b.yaml": config_map("b"),
        "kustomization.yaml": "resources:\n  - b.yaml\n  - a.yaml\nnamePrefix: x-\n",
    }
    after = {"a.yaml": config_map("a"), "kustomization.yaml": "resources:\n  - a.yaml\nnamePrefix: x-\n"}
    assert line_of_removal(before, after, "x-b") == ("kustomization.yaml", "  - a.yaml")


def test_an_entry_that_is_gone_while_the_file_stays() -> None:
    both = {"a.yaml": config_map("a"), "b.yaml": config_map("b")}
    before = {**both, "kustomization.yaml": "resources:\n  - a.yaml\n  - b.yaml\n"}
    after = {**both, "kustomization.yaml": "resources:\n  - a.yaml\n"}
    assert line_of_removal(before, after, "b") == ("kustomization.yaml", "  - a.yaml")


def test_a_removed_file_of_a_folder_shows_at_the_path_of_its_application() -> None:
    both = {"app.yaml": application("shop", "deploy"), "deploy/a.yaml": config_map("a")}
    assert line_of_removal({**both, "deploy/b.yaml": config_map("b")}, both, "b") == ("app.yaml", "    path: deploy")


def test_an_application_that_is_gone_with_its_file() -> None:
    other = {"x.yaml": config_map("x")}
    before = {**other, "app.yaml": application("shop", "deploy"), "deploy/a.yaml": config_map("a")}
    assert line_of_removal(before, {**other, "deploy/a.yaml": config_map("a")}, "shop")[0] == "x.yaml"


def test_a_renamed_file_keeps_its_lines() -> None:
    before = {"old.yaml": config_map("a") + "---\n" + config_map("b")}
    after = {"new.yaml": config_map("a") + "# the end\n"}
    change = change_of(before, after)
    assert [(one.before, one.after, one.status) for one in change.changed_files] == [
        ("old.yaml", "new.yaml", FileStatus.RENAMED)
    ]
    assert change.changed_lines("new.yaml") == {7}
    assert line_of_removal(before, after, "b") == ("new.yaml", "# the end")


def test_changed_lines() -> None:
    change = change_of(
        {"a.yaml": "a: 1\nb: 2\nc: 3\n", "gone.yaml": "x: 1\n"},
        {"a.yaml": "a: 1\nb: 20\nc: 3\nd: 4\n", "new.yaml": "y: 2\nz: 3\n"},
    )
    assert change.changed_lines("a.yaml") == {2, 4}
    assert change.changed_lines("new.yaml") == {1, 2, 3}
    assert change.changed_lines("gone.yaml") == frozenset()
    assert change.is_changed("a.yaml")
    assert not change.is_changed("gone.yaml")


def test_what_an_object_loses_at_its_end_shows_on_its_own_lines() -> None:
    old = {"a.yaml": "a: 1\nb: 2\n---\nc: 3\n---\nd: 4\n"}
    shorter = change_of(old, {"a.yaml": "a: 1\n---\nc: 3\n---\nd: 4\n"}).place_of_line("a.yaml", 2)
    assert shorter is not None
    assert shorter.file.line_text(shorter.file.position(shorter.span.start).line) == "a: 1"
    gone = change_of(old, {"a.yaml": "a: 1\nb: 2\n---\nd: 4\n"}).place_of_line("a.yaml", 4)
    assert gone is not None
    assert gone.file.line_text(gone.file.position(gone.span.start).line) == "d: 4", (
        "all of one is gone: what comes next"
    )


# -- what is not known


def test_a_file_that_does_not_parse_removes_nothing_and_adds_nothing() -> None:
    good, bad = {"a.yaml": config_map("a")}, {"a.yaml": "kind: [\n"}
    assert told(change_of(good, bad)) == []
    assert told(change_of(bad, good)) == []


def test_a_build_that_fails_removes_nothing_and_adds_nothing() -> None:
    files = {"a.yaml": config_map("a"), "b.yaml": config_map("b")}
    good = {**files, "kustomization.yaml": "resources:\n  - a.yaml\n  - b.yaml\nnamePrefix: x-\n"}
    bad = {**files, "kustomization.yaml": "resources:\n  - a.yaml\n  - c.yaml\nnamePrefix: x-\n"}
    assert told(change_of(good, bad)) == []
    assert told(change_of(bad, good)) == []
