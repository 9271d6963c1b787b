"""Generated ConfigMaps and Secrets; every hash and every value below is what Kustomize 5.7.1 printed."""

from __future__ import annotations

import json
from typing import Any

import pytest
from gitops_lint.linter.kustomize.content_hash import add_hashes, go_json, hash_suffix
from gitops_lint.linter.kustomize.generators import absorb, by_any_name, generate
from gitops_lint.linter.kustomize.kustomize_errors import BuildError, Cause, NotBuilt
from gitops_lint.linter.kustomize.objects import Object
from gitops_lint.linter.kustomize.trees import at, member, pair, value
from gitops_lint.linter.yaml.source import Document, Node, SourceFile

Files = dict[str, bytes]


def document(text: str) -> Document:
    return SourceFile("kustomization.yaml", text).documents[0]


def loader(files: Files) -> Any:
    def load(where: Node, path: str) -> bytes:
        if path not in files:
            raise BuildError(Cause.MISSING_FILE, where, path)
        return files[path]

    return load


def run(kustomization: str, files: Files | None = None, objects: tuple[Object, ...] = ()) -> list[Object]:
    """Everything the generators of a kustomization make, without hashes."""
    made = list(objects)
    root = document(kustomization).root
    for field, kind in (("configMapGenerator", "ConfigMap"), ("secretGenerator", "Secret")):
        for entry in root[field]:
            one = generate(entry, kind, root["generatorOptions"], loader(files or {}), root.document)
            made = absorb(made, by_any_name(made), one, entry)
    return made


def one(kustomization: str, files: Files | None = None) -> Object:
    (made,) = run(kustomization, files)
    return made


def config_map(entry: str, files: Files | None = None) -> Object:
    return one(f"configMapGenerator: [{{name: a, {entry}}}]", files)


def resource(text: str) -> Object:
    whole = document(text)
    return Object(whole.raw, whole)  # type: ignore[arg-type]


def data(made: Object) -> Any:
    return value(member(made.root, "data"))


def refusal(kustomization: str, files: Files | None = None, objects: tuple[Object, ...] = ()) -> BuildError:
    with pytest.raises(BuildError) as caught:
        run(kustomization, files, objects)
    return caught.value


# -- keys and values


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("'x'", "x"), ('"y"', "y"), ("''", ""), ("'", "'"), ("'x\"", "'x\""), ("\"'z'\"", "'z'"), (" h", " h"), ("", ""), ("a=b", "a=b"),
    ],
)  # fmt: skip
def test_a_literal_loses_one_pair_of_quotes(written: str, read: str) -> None:
    assert data(config_map(f"literals: [{json.dumps('k=' + written)}]")) == {"k": read}


@pytest.mark.parametrize("literal", ["x", "=x", "''", "null"])
def test_a_literal_must_have_a_key_and_an_equals_sign(literal: str) -> None:
    error = refusal(f"configMapGenerator: [{{name: a, literals: [{literal}]}}]")
    assert error.cause is Cause.BAD_GENERATOR
    assert error.at.pointer == "/configMapGenerator/0/literals/0"


def test_an_env_file_is_taken_line_by_line_as_it_stands() -> None:
    lines = "\ufeffA=1\n# c\n\n  B=2  \nC\nD='x y'\n E F = q \nG=a=b\n=5\nH=#z\n\u3000I=1\r\nexport J=1"
    made = config_map("envs: [e]", {"e": lines.encode()})
    assert data(made) == {
        "A": "1", "B": "2  ", "C": "", "D": "'x y'", "E F ": " q ", "G": "a=b", "H": "#z", "I": "1", "export J": "1",
    }  # fmt: skip


def test_an_env_file_ends_without_a_word_at_a_line_that_is_too_long() -> None:
    def read(length: int) -> list[str]:
        content = b"Z=1\nA=" + b"x" * (length - 2) + b"\nB=2\n"
        return sorted(data(config_map("envs: [e]", {"e": content})))

    assert read(65535) == ["A", "B", "Z"]
    assert read(65536) == ["Z"]


def test_an_env_file_must_be_utf8() -> None:
    assert refusal("configMapGenerator: [{name: a, envs: [e]}]", {"e": b"A=\xff"}).cause is Cause.BAD_GENERATOR


def test_the_old_env_comes_after_envs() -> None:
    made = one(
        "secretGenerator: [{name: a, type: x/y, envs: [e], env: f, files: [g, h=g]}]",
        {"e": b"A=1\n", "f": b"B=2\n", "g": b"g\n"},
    )
    assert value(made.root) == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "a"},
        "type": "x/y",
        "data": {"A": "MQ==", "B": "Mg==", "g": "Zwo=", "h": "Zwo="},
    }
    assert hash_suffix(made) == "g6kdgk2cbb"


def test_a_file_is_called_like_its_last_part_or_as_the_key_says() -> None:
    made = config_map("files: [./d/f, k=f, d/]", {"./d/f": b"1", "f": b"2", "d/": b"3"})
    assert data(made) == {"f": "1", "k": "2", "d": "3"}


@pytest.mark.parametrize("entry", ["=f", "k=", "k=a=b"])
def test_a_file_has_at_most_one_equals_sign_with_something_on_both_sides(entry: str) -> None:
    error = refusal(f"configMapGenerator: [{{name: a, files: [{entry}]}}]", {"f": b"", "a=b": b""})
    assert error.cause is Cause.BAD_GENERATOR


def test_a_key_may_come_only_once_from_wherever_it_comes() -> None:
    error = refusal("configMapGenerator: [{name: a, envs: [e], literals: [B=1, A=2]}]", {"e": b"A=1\n"})
    assert error.cause is Cause.BAD_GENERATOR
    assert error.at.pointer == "/configMapGenerator/0/literals/1"


@pytest.mark.parametrize(
    "key", ["1", "1.5", "true", "null", "~", "0x1", "012", "2024-01-01", "<<", ".inf", "1_000", "1e3"]
)
def test_kustomize_fails_on_keys_that_look_like_other_types(key: str) -> None:
    error = refusal(f"configMapGenerator: [{{name: a, literals: ['{key}=v']}}]")
    assert error.cause is Cause.BAD_GENERATOR


@pytest.mark.parametrize("key", ["on", "y", "No", "1:30", "_1", "0x", "a b/ü", ".", "-"])
def test_any_other_key_will_do(key: str) -> None:
    assert data(config_map(f"literals: ['{key}=v']")) == {key: "v"}


# -- text and bytes


@pytest.mark.parametrize(
    ("content", "suffix"),
    [
        ("a  \nb\t\nc", "5bfg6b8m84"), ("a\r\nb\r\n", "767mtmc97h"), ("a\rb", "25d4b28c4g"), ("\ufeffabc\n", "b8fb57486t"),
        ("a\x01b\x00\n", "h675824tgt"), ("a\u0085b\u2028c\n", "d6cbc2276k"), ("a\u2028b", "bfd7m6t8gf"), ("x", "266k6k9f84"),
    ],
)  # fmt: skip
def test_a_text_file_is_taken_byte_by_byte(content: str, suffix: str) -> None:
    key = "d" if suffix == "266k6k9f84" else "f"
    made = config_map(f"files: [{key}]", {key: content.encode()})
    assert data(made) == {key: content}
    assert hash_suffix(made) == suffix


def test_bytes_go_into_binary_data_in_lines() -> None:
    made = config_map("files: [f]", {"f": b"\xff\xfe" * 80})
    code = value(at(made.root, "binaryData", "f"))
    assert [len(line) for line in code.split("\n")] == [70, 70, 70, 6, 0]
    assert member(made.root, "data") is None


@pytest.mark.parametrize(("length", "code_length"), [(51, 68), (52, 72 + 2)])
def test_a_long_value_of_a_secret_is_broken_into_lines(length: int, code_length: int) -> None:
    made = one(f"secretGenerator: [{{name: a, literals: [k={'x' * length}]}}]")
    assert len(data(made)["k"]) == code_length


@pytest.mark.parametrize("content", ["a\x7fb", "\x80", "x\uffff", "\tx\n", "\t\n"])
def test_some_texts_kustomize_cannot_print(content: str) -> None:
    error = refusal("configMapGenerator: [{name: a, files: [f]}]", {"f": content.encode()})
    assert error.cause is Cause.BAD_GENERATOR
    assert data(one("secretGenerator: [{name: a, files: [f]}]", {"f": content.encode()}))


@pytest.mark.parametrize("content", ["\tx", "\tx \n", "\t\r\n", "a\n\tb\n", "\n\tx"])
def test_a_tab_in_other_places_is_fine(content: str) -> None:
    assert data(config_map("files: [f]", {"f": content.encode()})) == {"f": content}


# -- names, options, places


@pytest.mark.parametrize("field", ["configMapGenerator", "secretGenerator"])
def test_a_generator_must_have_a_name(field: str) -> None:
    assert refusal(f"{field}: [{{name: null, literals: [a=b]}}]").cause is Cause.BAD_GENERATOR


def test_a_secret_without_keys_has_data_and_a_config_map_has_none() -> None:
    empty, secret = run("configMapGenerator: [{name: a}]\nsecretGenerator: [{name: a}]")
    assert (member(empty.root, "data"), hash_suffix(empty)) == (None, "6ct58987ht")
    assert (data(secret), hash_suffix(secret)) == ({}, "46f8b28mk5")


def test_options_of_the_entry_win_except_for_switches() -> None:
    made = one(
        "configMapGenerator: [{name: a, namespace: ns, literals: [k=v], options:"
        " {immutable: false, disableNameSuffixHash: false, labels: {a: local, c: null}, annotations: {x: own}}}]\n"
        "generatorOptions: {immutable: true, disableNameSuffixHash: true, labels: {a: all, b: all}}"
    )
    assert value(made.root) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": "a",
            "namespace": "ns",
            "labels": {"a": "local", "b": "all", "c": ""},
            "annotations": {"x": "own"},
        },
        "data": {"k": "v"},
        "immutable": True,
    }
    assert not made.needs_hash


@pytest.mark.parametrize(("written", "understood"), [("", "create"), ("bogus", "create"), ("merge", "merge")])
def test_an_unknown_behavior_is_create(written: str, understood: str) -> None:
    entry = document(f"{{name: a, behavior: '{written}'}}").root
    made = generate(entry, "ConfigMap", entry["options"], loader({}), entry.document)
    assert made.behavior == understood


def test_every_field_leads_to_what_it_was_made_of() -> None:
    text = "configMapGenerator:\n- name: cfg\n  literals:\n  - a=1\n  files:\n  - f\n  options:\n    labels: {l: v}\n"
    made = one(text, {"f": b"x\n"})

    def start(*keys: str) -> str:
        raw = at(made.root, *keys)
        assert raw is not None
        return text[raw.start_mark.index :].split("\n")[0]

    assert start("metadata", "name") == "cfg"
    assert start("data", "a") == "a=1"
    assert start("data", "f") == "f"
    assert start("metadata", "labels", "l") == "v}"
    key = pair(at(made.root, "data"), "a")
    assert key is not None
    assert text[key[0].start_mark.index :].startswith("a=1")


# -- the hash


def test_the_hash_depends_on_data_and_type_but_not_on_the_name() -> None:
    assert hash_suffix(one("configMapGenerator: [{name: a, literals: [x=1]}]")) == "hmg6f82fh6"
    assert hash_suffix(one("configMapGenerator: [{name: b, literals: [x=1]}]")) == "hmg6f82fh6"
    assert hash_suffix(one("secretGenerator: [{name: a, literals: [k=v]}]")) == "ftgtgc4t9f"


@pytest.mark.parametrize(
    ("rest", "suffix"),
    [
        ("data: {'y': 1.5, z: 100000000000000000000, t: true, 'n': null}", "9g9429kfkc"),
        ("data: {k: v, 'y': 1.50, z: 100000000000000000000, t: true, 'n': 5, o: 012, e: 1e3}", "f985g6g62d"),
        ("data: [1]", "dk855m5d49"),
        ("data: abc", "c6597bhf7m"),
        ("data: {k: v}\nbinaryData: {}", "ckd2g2f68c"),
        ("data: {k: v}\nbinaryData: [1]", "7bt686f7gh"),
        ("data: {k: v}\nbinaryData: x", "bdg947hgcc"),
    ],
)
def test_the_hash_of_data_that_a_patch_has_changed(rest: str, suffix: str) -> None:
    assert hash_suffix(resource(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\n{rest}\n")) == suffix


def test_a_config_map_that_became_a_secret_has_the_hash_of_one() -> None:
    assert hash_suffix(resource("{apiVersion: v1, kind: Secret, metadata: {name: a}, data: {k: v}}")) == "879gkm95md"


def test_the_hash_of_another_kind_is_not_built() -> None:
    with pytest.raises(NotBuilt):
        hash_suffix(resource("{apiVersion: v1, kind: Foo, metadata: {name: a}, data: {k: v}}"))


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (5, "5"), (1.5, "1.5"), (-0.0, "-0"), (1e20, "100000000000000000000"), (1e21, "1e+21"), (1e-6, "0.000001"), (1e-7, "1e-7"),
        (1.25e-10, "1.25e-10"), (2**53 + 1, "9007199254740992"),
    ],
)  # fmt: skip
def test_numbers_as_go_writes_them(number: float, written: str) -> None:
    assert go_json(number) == written


def test_texts_as_go_writes_them() -> None:
    assert go_json({"b": "<&>\u2028", "a": ["é\b\x1f", None, False]}) == (
        '{"a":["é\\b\\u001f",null,false],"b":"\\u003c\\u0026\\u003e\\u2028"}'
    )


def test_a_hash_is_a_change_of_the_name() -> None:
    made, plain = run(
        "configMapGenerator: [{name: a, literals: [x=1]}, {name: b, options: {disableNameSuffixHash: true}}]"
    )
    before = made.id
    add_hashes([made, plain])
    assert (made.name, plain.name) == ("a-hmg6f82fh6", "b")
    assert made.original_id.equals(before)
    assert made.id.name == "a-hmg6f82fh6"


# -- what is there already

PLAIN = """
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  labels: {x: old, v: 5}
  annotations: {b: 'true', keep: k}
  finalizers: [f]
immutable: true
data: {k: v, num: 5, nul: null, t: true, multi: "a\\nb"}
binaryData: {bin: AAAA}
"""


def test_a_merge_keeps_data_labels_and_annotations_and_nothing_else() -> None:
    entry = "{name: a, behavior: merge, literals: [k=w, z=1], options: {labels: {x: new}, annotations: {b: c}}}"
    old = resource(PLAIN)
    (merged,) = run(f"configMapGenerator: [{entry}]", objects=(old,))
    assert value(merged.root) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a", "labels": {"x": "new", "v": "5"}, "annotations": {"b": "c", "keep": "k"}},
        "data": {"k": "w", "z": "1", "multi": "a\nb", "nul": "", "num": "5", "t": "true"},
        "binaryData": {"bin": "AAAA"},
    }
    assert not merged.needs_hash, "a plain resource never gets a hash"
    assert [step.at.pointer for step in merged.steps] == ["/configMapGenerator/0"]


def test_a_replacement_keeps_labels_and_annotations_only() -> None:
    (replaced,) = run("configMapGenerator: [{name: a, behavior: replace, literals: [k=w]}]", objects=(resource(PLAIN),))
    assert value(replaced.root) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a", "labels": {"x": "old", "v": "5"}, "annotations": {"b": "true", "keep": "k"}},
        "data": {"k": "w"},
    }


@pytest.mark.parametrize(
    ("base", "overlay", "suffix"),
    [("", "", "-4tm98274mf"), ("", "disableNameSuffixHash: true", ""), ("disableNameSuffixHash: true", "", "")],
)
def test_a_merged_object_has_a_hash_if_both_want_one(base: str, overlay: str, suffix: str) -> None:
    first = run(f"configMapGenerator: [{{name: a, literals: [k=v, o=1], options: {{{base}}}}}]")
    second = run(
        f"configMapGenerator: [{{name: a, behavior: merge, literals: [k=w, z=1], options: {{{overlay}}}}}]",
        objects=tuple(first),
    )
    add_hashes(second)
    assert [made.name for made in second] == [f"a{suffix}"]


def test_a_merged_secret_has_the_type_of_the_new_one() -> None:
    first = run("secretGenerator: [{name: a, type: foo/bar, literals: [k=v, o=1]}]")
    (merged,) = run("secretGenerator: [{name: a, behavior: merge, literals: [k=w, z=1]}]", objects=tuple(first))
    assert value(member(merged.root, "type")) == "Opaque"
    assert hash_suffix(merged) == "h5tg2fb8g5"


def test_a_merge_finds_an_object_by_every_name_it_had() -> None:
    (old,) = run("configMapGenerator: [{name: a, literals: [k=v]}]")
    old.remember_id()
    renamed = resource("{apiVersion: v1, kind: ConfigMap, metadata: {name: p-a, namespace: foo}, data: {k: v}}")
    renamed.previous, renamed.prefixes = old.previous, ("p-",)
    (merged,) = run("configMapGenerator: [{name: a, behavior: merge, literals: [z=1]}]", objects=(renamed,))
    assert (merged.name, merged.namespace, merged.prefixes) == ("p-a", "foo", ("p-",))
    assert data(merged) == {"k": "v", "z": "1"}


def test_no_namespace_is_the_default_namespace() -> None:
    old = resource("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
    (merged,) = run("configMapGenerator: [{name: a, namespace: default, behavior: merge}]", objects=(old,))
    assert merged.namespace == ""
    assert len(run("configMapGenerator: [{name: a, namespace: foo}]", objects=(old,))) == 2


@pytest.mark.parametrize("behavior", ["create", "bogus"])
def test_what_is_there_already_cannot_be_created(behavior: str) -> None:
    error = refusal(f"configMapGenerator: [{{name: a, behavior: {behavior}}}]", objects=(resource(PLAIN),))
    assert error.cause is Cause.DUPLICATE_ID
    assert error.at.pointer == "/configMapGenerator/0/name"


@pytest.mark.parametrize("behavior", ["merge", "replace"])
def test_what_is_not_there_cannot_be_changed(behavior: str) -> None:
    other_kind = resource("{apiVersion: v1, kind: Secret, metadata: {name: a}}")
    error = refusal(f"configMapGenerator: [{{name: a, behavior: {behavior}}}]", objects=(other_kind,))
    assert error.cause is Cause.BAD_GENERATOR
    assert error.at.pointer == "/configMapGenerator/0/behavior"


def test_two_objects_that_once_had_the_name_are_one_too_many() -> None:
    def renamed(name: str) -> Object:
        was = resource("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}")
        was.remember_id()
        now = resource(f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}}}}}")
        now.previous = was.previous
        return now

    for behavior in ("merge", "create"):
        error = refusal(
            f"configMapGenerator: [{{name: a, behavior: {behavior}}}]", objects=(renamed("p-a"), renamed("q-a"))
        )
        assert error.cause is Cause.BAD_GENERATOR
