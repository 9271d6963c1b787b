"""What holds for every fix, whatever the file: on made-up documents, and on real ones when there are any."""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.fix import edit
from gitops_lint.linter.fix.edits import apply_edits
from gitops_lint.linter.fix.fragment import is_plain
from gitops_lint.linter.fix.judge import patched, same
from gitops_lint.linter.fix.pieces import Refused
from gitops_lint.linter.fix.text_difference import minimal_edits
from gitops_lint.linter.yaml.json_pointer import steps
from gitops_lint.linter.yaml.source import Document, Node, Patch, SourceFile
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

# -- made-up documents: a value, and one of the many ways to write it

WORDS = ["a", "b", "yes", "n", "0644", "1", "null", "x: y", "a #b", "- c", "", " ", "ключ", "{d}", "e, f", "it's", '"']
keys = st.sampled_from(["a", "b", "c", "on", "1", "k/l", "m n", "ü", "~t", "x:y", "#z", "a.b"])
scalars = st.one_of(
    st.sampled_from(WORDS), st.booleans(), st.none(), st.integers(-9, 10**6), st.sampled_from(["l1\nl2", "l1\n\nl2\n"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)
documents = st.dictionaries(keys, values, min_size=1, max_size=4)


class Writer:
    """Writes a value with whatever style, comments and blank lines the dice give."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.step = self.dice.choice([2, 2, 4])
        self.dash = self.dice.choice([0, 2])
        self.comments = self.dice.random() < 0.7
        self.count = 0

    def text(self, value: dict[str, Any]) -> str:
        lines = self.block(value) if self.dice.random() < 0.9 else self.spread(value, "")
        text = "\n".join(lines)
        text = self.dice.choice(["", "---\n", "# head\n--- # start\n"]) + text
        text += self.dice.choice(["\n", "\n", "", "\n\n# end\n"])
        return text.replace("\n", "\r\n") if self.dice.random() < 0.15 else text

    def comment(self, chance: float = 0.2) -> str:
        if not self.comments or self.dice.random() > chance:
            return ""
        self.count += 1
        return f"# c{self.count}: 'x"

    def behind(self) -> str:
        comment = self.comment()
        return self.dice.choice([" ", "  "]) + comment if comment else ""

    def between(self, depth: int = 0) -> list[str]:
        lines = [""] if self.dice.random() < 0.1 else []
        comment = self.comment()
        return [*lines, " " * depth + comment] if comment else lines

    def scalar(self, value: Any, *, flow: bool = False) -> str:
        if not isinstance(value, str):
            return "~" if value is None and self.dice.random() < 0.3 and not flow else json.dumps(value)
        if is_plain(value, flow=flow) and self.dice.random() < 0.6:
            return value
        if "\n" not in value and self.dice.random() < 0.5:
            return "'" + value.replace("'", "''") + "'"
        return json.dumps(value, ensure_ascii=False)

    def flow(self, value: Any) -> str:
        pad = self.dice.choice(["", " "])
        if isinstance(value, dict):
            inner = ", ".join(f"{self.scalar(key, flow=True)}: {self.flow(item)}" for key, item in value.items())
            return "{" + pad + inner + pad + "}" if value else "{}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.flow, value)) + self.dice.choice(["", ","]) + "]" if value else "[]"
        return self.scalar(value, flow=True)

    def spread(self, value: Any, margin: str) -> list[str]:
        """In brackets, an entry a line."""
        if not isinstance(value, dict | list) or not value:
            return [self.flow(value)]
        inner = margin + "  "
        pairs = value.items() if isinstance(value, dict) else [(None, item) for item in value]
        lines = ["{" if isinstance(value, dict) else "["]
        for index, (key, item) in enumerate(pairs):
            head = "" if key is None else self.scalar(key, flow=True) + ": "
            first, *rest = self.spread(item, inner)
            comma = "," if index < len(value) - 1 or self.dice.random() < 0.3 else ""
            entry = [inner + head + first, *rest]
            lines += [*self.between(len(inner)), *entry[:-1], entry[-1] + comma + self.behind()]
        return [*lines, margin + ("}" if isinstance(value, dict) else "]")]

    def block(self, value: dict[str, Any] | list[Any]) -> list[str]:
        lines: list[str] = []
        pairs = value.items() if isinstance(value, dict) else [(None, item) for item in value]
        for key, item in pairs:
            lines += self.between()
            head = "-" if key is None else self.scalar(key) + ":"
            lines += self.entry(head, item, is_item=key is None)
        return lines

    def entry(self, head: str, value: Any, *, is_item: bool) -> list[str]:
        if isinstance(value, dict | list) and value and self.dice.random() < 0.8:
            depth = 2 if is_item else self.dash if isinstance(value, list) else self.step
            lines = [" " * depth + line if line else line for line in self.block(value)]
            if is_item and not lines[0].lstrip().startswith("#") and lines[0] and self.dice.random() < 0.8:
                return [head + " " + lines[0].lstrip(), *lines[1:]]
            return [head + self.behind(), *lines]
        if isinstance(value, str) and "\n" in value and self.dice.random() < 0.7:
            sign = "|" if value.endswith("\n") else "|-"
            body = [" " * 2 + line if line else line for line in value.removesuffix("\n").split("\n")]
            return [f"{head} {sign}{self.behind()}", *body]
        if value is None and self.dice.random() < 0.4:
            return [head + self.behind()]
        text = self.flow(value) if isinstance(value, dict | list) else self.scalar(value)
        return [f"{head} {text}{self.behind()}"]


def written(value: dict[str, Any], seed: int) -> Document:
    file = SourceFile("made-up.yaml", Writer(seed).text(value))
    assume(not file.problems and len(file.documents) == 1)
    assume(same(file.documents[0].root.value, value))  # a last line break may be missing
    return file.documents[0]


def places(node: Node) -> list[Node]:
    return [below for below in node.walk() if below.parent]


def operations(document: Document, choice: int, value: Any) -> Iterator[dict[str, Any]]:
    """One operation of each kind, at places that the choice picks."""
    dice = random.Random(choice)
    inside = places(document.root)
    target = dice.choice(inside)
    yield {"op": "remove", "path": target.pointer}
    yield {"op": "replace", "path": dice.choice(inside).pointer, "value": value}
    maps = [node for node in (document.root, *inside) if node.is_mapping]
    if maps:
        yield dice.choice(maps)["new"].set(value).operations[0]
    yield dice.choice(inside)["new"]["deep"].set(value).operations[0]
    lists = [node for node in inside if node.is_sequence]
    if lists:
        yield {"op": "add", "path": f"{dice.choice(lists).pointer}/-", "value": value}
        chosen = dice.choice(lists)
        yield {"op": "add", "path": f"{chosen.pointer}/{dice.randint(0, len(chosen.value))}", "value": value}


# -- what holds


def check_meaning(document: Document, operation: dict[str, Any], after: str) -> None:
    before, new = document.file, SourceFile(document.file.path, after)
    assert len(new.documents) == len(before.documents)
    assert len(new.problems) == len(before.problems)
    for old, now in zip(before.documents, new.documents, strict=True):
        expected = patched(old.root.value, [operation]) if old.index == document.index else old.root.value
        assert same(now.root.value, expected)
    assert comments(new) == comments(before)
    assert after.count("\r\n") == after.count("\n") or "\r\n" not in before.text or mixed(before.text)
    assert apply_edits(before.text, list(minimal_edits(before.text, after))) == after


def check(document: Document, operation: dict[str, Any], after: str) -> None:
    check_meaning(document, operation, after)
    text = document.file.text
    if re.search(r"[\s,\[]\*\w", text):
        return  # an alias has the place of its anchor, so the lines are not known
    touched = lines_of(document, operation)
    others = [line for number, line in enumerate(text.split("\n")) if number not in touched]
    remaining = iter(after.split("\n"))
    assert all(line.rstrip("\r") in (now.rstrip("\r") for now in remaining) for line in others), touched


def comments(file: SourceFile) -> list[str]:
    return [comment.text.rstrip() for comment in file.comments]


def mixed(text: str) -> bool:
    return text.count("\r\n") != text.count("\n")


def lines_of(document: Document, operation: dict[str, Any]) -> set[int]:
    """The lines that an operation may touch: those of its target; the last line before it and the first one
    after it, for a comma or a dash; the key of its collection, where an empty one is written."""
    *above, last = steps(operation["path"])
    node = document.root
    for part in above:
        node = node[int(part)] if node.is_sequence else node[part]
    inside = sorted([*node, *(child for _, child in node.items())], key=start_of)
    lines = line_numbers(document, start_of(node), node.key_span.end)
    if len(inside) < 2:
        lines |= line_numbers(document, start_of(node), end_of(node))
    names = [str(child.key) for child in inside]
    before = after = names.index(last) if last in names else len(inside)
    if before < len(inside) and (operation["op"] != "add" or node.is_mapping):
        target = inside[before]
        lines |= line_numbers(document, start_of(target), end_of(target))
        after = before + 1
        if after < len(inside) and not starts_line(target):
            lines |= line_numbers(document, start_of(target), start_of(inside[after]))  # the next one moves up
    if before:
        end = end_of(inside[before - 1])
        lines |= line_numbers(document, end, end)
    if after < len(inside):
        start = start_of(inside[after])
        lines |= line_numbers(document, start, start)
    return lines


def start_of(node: Node) -> int:
    """The key; for an item its dash, which may stand lines above it."""
    if node.key_raw or not node.parent or not node.raw:
        return node.key_span.start
    start = node.raw.start_mark.index
    dash = re.search(r"-(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*$", node.file.text[:start])
    return dash.start() if dash else start


def starts_line(node: Node) -> bool:
    return not node.file.text[: start_of(node)].rpartition("\n")[2].strip()


def end_of(node: Node) -> int:
    """Where the value ends; a block ends for libyaml only where the next thing begins."""
    inside = [*node, *(child for _, child in node.items())]
    if inside and node.raw and not node.raw.flow_style:
        return max(map(end_of, inside))
    end = node.raw.end_mark.index if node.raw else 0
    written = node.file.text[:end].rstrip() if getattr(node.raw, "style", "") in ("|", ">") else node.file.text[:end]
    return max(len(written), node.key_span.end)


def line_numbers(document: Document, start: int, end: int) -> set[int]:
    text = document.file.text
    return set(range(text.count("\n", 0, start), text.count("\n", 0, end) + 1))


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(value=documents, seed=st.integers(0, 2**32), choice=st.integers(0, 2**32), new=values)
def test_a_fix_is_its_patch_and_nothing_else(value: dict[str, Any], seed: int, choice: int, new: Any) -> None:
    document = written(value, seed)
    for operation in operations(document, choice, new):
        try:
            after = edit(document, [operation])
        except Refused:
            assert not is_simple(document), f"{operation} refused in {document.file.text!r}"
            continue
        check(document, operation, after)
        again = SourceFile("made-up.yaml", after).documents[0]
        if operation["op"] != "remove" and not operation["path"].split("/")[-1].replace("-", "0").isdecimal():
            same_again = {**operation, "op": "replace"}
            assert edit(again, [same_again]) == after


def is_simple(document: Document) -> bool:
    """Files in which every fix must work: no comments in brackets, no missing last line break."""
    text = document.file.text
    return "#" not in text and text.endswith("\n")


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(value=documents, seed=st.integers(0, 2**32), choice=st.integers(0, 2**32), new=values)
def test_the_operations_of_one_patch_are_done_one_after_the_other(
    value: dict[str, Any], seed: int, choice: int, new: Any
) -> None:
    document = written(value, seed)
    done: list[dict[str, Any]] = []
    expected = document.root.value
    for operation in operations(document, choice, new):
        try:
            expected = patched(expected, [operation])
        except Refused:
            continue
        done.append(operation)
    try:
        after = edit(document, done)
    except Refused:
        return
    assert same(SourceFile("made-up.yaml", after).documents[0].root.value, expected)


@settings(max_examples=150, deadline=None)
@given(value=documents, indent=st.sampled_from([None, 2, 4, "\t"]), choice=st.integers(0, 2**32), new=values)
def test_json_stays_json(value: dict[str, Any], indent: int | str | None, choice: int, new: Any) -> None:
    separators = (",", ":") if choice % 2 and indent is None else None
    text = json.dumps(value, indent=indent, separators=separators)
    document = SourceFile("made-up.json", text).documents[0]
    for operation in operations(document, choice, new):
        after = edit(document, [operation])
        assert same(json.loads(after), patched(value, [operation]))


NOISE = ": -\n#'\"[]{},|>+&*!?%.~<xy\t\r\x85\u20280"
HARD = [" &x ", " *x", "<<: *x\n", "? ", "\n---\n", "\n...\n", "!!str ", " |+\n", "  \n", "a: 1\n", ": ", ", ", "- "]


@settings(max_examples=400, deadline=None)
@given(
    value=documents,
    seed=st.integers(0, 2**32),
    choice=st.integers(0, 2**32),
    changes=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 3), st.sampled_from([*HARD, *NOISE])), max_size=4),
)
def test_whatever_the_text_a_fix_is_right_or_refused(
    value: dict[str, Any], seed: int, choice: int, changes: list[tuple[int, int, str]]
) -> None:
    text = Writer(seed).text(value)
    for at, cut, noise in changes:
        at %= len(text) + 1
        text = text[:at] + noise + text[at + cut :]
    for document in SourceFile("damaged.yaml", text).documents:
        if places(document.root):
            for operation in operations(document, choice, "new"):
                try:
                    after = edit(document, [operation])
                except Refused:
                    continue
                check_meaning(document, operation, after)


# -- real files


def tries(document: Document, dice: random.Random) -> Iterator[tuple[str, Patch]]:
    root = document.root
    inside = places(root)[:4000]
    if root.is_mapping:
        annotations = root["metadata"]["annotations"]
        yield "annotate", annotations["argocd.argoproj.io/sync-options"].set("Prune=false")
        yield "extend spec", root["spec"]["added"].set({"a": [{"b": "yes"}], "c": 3})
    yield "remove", dice.choice(inside).remove()
    leaves = [node for node in inside if not node.is_mapping and not node.is_sequence]
    if leaves:
        yield "replace", dice.choice(leaves).set(dice.choice(["new", "5", 7, True, "a: b", "x\ny\n"]))
        yield "widen", dice.choice(leaves).set({"k": "v", "l": [1]})
    lists = [node for node in inside if node.is_sequence]
    if lists:
        yield "append", dice.choice(lists).append({"name": "n", "value": "off"})
    maps = [node for node in inside if node.is_mapping]
    if maps:
        yield "add", dice.choice(maps)["added"].set("v")
        yield "narrow", dice.choice(maps).set("word")


def is_object(document: Document) -> bool:
    return bool(document.root["kind"].text and document.root["apiVersion"].text)


@pytest.mark.skipif("CORPUS" not in os.environ, reason="CORPUS names no folder with real files")
def test_real_files(capsys: pytest.CaptureFixture[str]) -> None:
    outcomes: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for path in sorted(Path(os.environ["CORPUS"]).rglob("*")):
        if path.suffix not in (".yaml", ".yml", ".json") or path.stat().st_size > 200_000:
            continue
        file = SourceFile(path.name, path.read_bytes().decode("utf-8", "replace"))
        dice = random.Random(path.name)
        for document in dice.sample(file.documents, min(len(file.documents), 3)):
            if not places(document.root):
                continue
            for name, patch in tries(document, dice):
                kind = f"{name}, {'objects' if is_object(document) else 'other files'}"
                try:
                    after = edit(document, patch.operations)
                except Refused as refusal:
                    outcomes[f"{kind}: refused"] += 1
                    reasons[str(refusal)] += 1
                else:
                    outcomes[f"{kind}: applied"] += 1
                    check(document, patch.operations[0], after)
    with capsys.disabled():
        print()
        for line, count in (*sorted(outcomes.items()), *reasons.most_common()):
            print(f"{count:7} {line}")
    refused, applied = outcomes["annotate, objects: refused"], outcomes["annotate, objects: applied"]
    assert refused <= 0.01 * applied
