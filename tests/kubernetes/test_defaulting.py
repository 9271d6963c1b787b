"""What the API server stores, and what Argo CD's structured-merge diff shows of it.

`data/crd-defaulting-cases.json` has one schema with every construct, 34 objects,
and the answers of a real API server and a real Argo CD to each of them, measured
in the lab (docs/lab.md). What is written down here beside it says why: STORED
from the API server's algorithm, SHOWN by the construct.
"""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from gitops_lint.linter.kubernetes.defaulting import Schema, fill, store
from gitops_lint.linter.kubernetes.merge_diff import Shown, shown
from hypothesis import given
from hypothesis import strategies as st

DATA = json.loads((Path(__file__).parents[1] / "data" / "crd-defaulting-cases.json").read_text("utf-8"))
SCHEMA: Schema = DATA["schema"]
CASES = {case["name"]: case for case in DATA["cases"]}
VERDICTS = ("Synced", "OutOfSync")

DEFAULTS: dict[str, Any] = {
    "a": "A",
    "n": "N",
    "num": 3,
    "flt": 1.5,
    "b": False,
    "zero": 0,
    "empty": "",
    "ios": 8080,
    "objd": {"x": "X", "y": {"z": "Z"}},
    "objp": {"q": "given", "x": "X"},
    "objn": {"x": "fromparent"},
    "listd": [{"k": "1", "d": "D"}],
    "mapdef": {"k": "v"},
    "req": "R",
}
"""What `spec: {}` becomes: no entry for nodef, nulldef, obj and all the others without a default."""

STORED: dict[str, dict[str, Any]] = {
    "empty object": {},
    "spec null": {},
    "spec empty": {"spec": DEFAULTS},
    "nulls": {"spec": {**DEFAULTS, "n": None, "nulldef": None, "nullparent": None, "free": {"x": None}}},
    "zero values kept": {
        "spec": {
            **DEFAULTS,
            "a": "",
            "num": 0,
            "b": False,
            "zero": 0,
            "empty": "",
            "objd": {"x": "X", "y": {"z": "Z"}},
            "listd": [],
            "mapdef": {},
        }
    },
    "obj empty": {"spec": {**DEFAULTS, "obj": {"x": "X"}}},
    "obj.y empty": {"spec": {**DEFAULTS, "obj": {"x": "X", "y": {"z": "Z"}}}},
    "objd.w": {"spec": {**DEFAULTS, "objd": {"x": "X", "y": {"z": "Z"}, "w": {"v": "V"}}}},
    "objp {}": {"spec": {**DEFAULTS, "objp": {"x": "X"}}},
    "objn {}": {"spec": {**DEFAULTS, "objn": {"x": "X"}}},
    "lists": {
        "spec": {
            **DEFAULTS,
            "list": [{"d": "D"}, {"d": "x"}],
            "listatomic": [{"d": "D"}],
            "listmap": [{"k": "1", "d": "D"}, {"k": "2", "d": "D", "o": {"e": "E"}}],
            "listmapkd": [{"k": "1", "p": "TCP", "d": "D"}, {"k": "1", "p": "UDP", "d": "D"}],
            "listset": ["a"],
            "listd": [{"k": "9", "d": "D"}],
        }
    },
    "list null items": {"spec": {**DEFAULTS, "listscalar": ["a", "I"]}},
    "list null obj item with default": {"spec": {**DEFAULTS, "listobjdef": [{"z": 1, "d": "D"}, {"d": "D"}]}},
    "map": {
        "spec": {
            **DEFAULTS,
            "map": {"x": {"d": "D"}, "y": {"d": "q", "o": {"e": "E"}}},
            "mapscalar": {"a": "b", "n": "M"},
        }
    },
    "map null value": {"spec": {**DEFAULTS, "map": {}}},
    "atomicmap": {"spec": {**DEFAULTS, "atomicmap": {"key": "x", "name": "", "d": "D"}}},
    "unknown fields": {"spec": {**DEFAULTS, "obj": {"x": "X"}, "list": [{"d": "D"}], "map": {"x": {"d": "D"}}}},
    "preserve": {
        "spec": {
            **DEFAULTS,
            "pres": {"u": {"v": None}, "known": {"d": "D"}},
            "free": {"a": {"b": [None, {"c": None}]}},
        }
    },
    "nullparent": {"spec": {**DEFAULTS, "nullparent": {"d": "D"}}},
    "embedded": {
        "spec": {
            **DEFAULTS,
            "emb": {
                "apiVersion": "v1",
                "kind": "X",
                "metadata": {"name": "n"},
                "spec": {"d": "D"},
                "extra": {"a": 1},
            },
        }
    },
    "ios str": {"spec": {**DEFAULTS, "ios": "http"}},
    "obj+list+map empty": {"spec": {**DEFAULTS, "obj": {"x": "X"}, "list": [], "map": {}}},
    "listmapkd key given": {"spec": {**DEFAULTS, "listmapkd": [{"k": "1", "p": "TCP", "d": "D"}]}},
    "listmapkd key left out": {"spec": {**DEFAULTS, "listmapkd": [{"k": "1", "p": "TCP", "d": "D"}]}},
    "nullparent list": {"spec": {**DEFAULTS, "nullparent": {"d": "D", "l": [{"k": "1", "d": "D"}]}}},
    "pres known": {"spec": {**DEFAULTS, "pres": {"known": {"d": "D"}}}},
    "null defaulted": {"spec": DEFAULTS},
    "null without default": {"spec": DEFAULTS},
    "listatomic": {"spec": {**DEFAULTS, "listatomic": [{"k": "1", "d": "D"}]}},
    "listmap": {"spec": {**DEFAULTS, "listmap": [{"k": "1", "d": "D"}]}},
    "status": {"spec": DEFAULTS},
}

# Shown by the diff, beside the fields that are not named here and are not shown.
SHOWN: dict[str, dict[str, Shown]] = {
    "nulls": {f"spec.{name}": Shown.NULL for name in ("a", "num", "objd")},
    "lists": {
        "spec.list.0.d": Shown.REPLACED,
        "spec.listatomic.0.d": Shown.REPLACED,
        "spec.listmapkd.0.p": Shown.KEY,
        "spec.listmapkd.0.d": Shown.WITH_KEY,
        "spec.listd.0.d": Shown.REPLACED,
    },
    "list null items": {"spec.listscalar.1": Shown.REPLACED},
    "list null obj item with default": {"spec.listobjdef.0": Shown.REPLACED, "spec.listobjdef.1.d": Shown.REPLACED},
    "map": {"spec.mapscalar.n": Shown.NULL},
    "atomicmap": {"spec.atomicmap.name": Shown.REPLACED, "spec.atomicmap.d": Shown.REPLACED},
    "unknown fields": {"spec.list.0.d": Shown.REPLACED},
    "listmapkd key left out": {"spec.listmapkd.0.p": Shown.KEY, "spec.listmapkd.0.d": Shown.WITH_KEY},
    "nullparent list": {"spec.nullparent.l.0.d": Shown.REPLACED},
    "null defaulted": {"spec.a": Shown.NULL},
    "listatomic": {"spec.listatomic.0.d": Shown.REPLACED},
}

REFUSED = ["list null obj item", "wrong type a", "obj is string"]
"""Types are judged after defaulting; nothing may be filled into a value of the wrong type."""


def test_every_object_of_the_data_is_used() -> None:
    assert set(STORED) | set(REFUSED) == set(CASES)


@pytest.mark.parametrize("name", STORED)
def test_the_stored_object(name: str) -> None:
    assert store(CASES[name]["given"], SCHEMA).value == STORED[name]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "stored" in case])
def test_the_servers_own_answer(name: str) -> None:
    case = CASES[name]
    assert store(case["given"], SCHEMA).value == case["stored"]


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.get("serverSideApply") in VERDICTS])
def test_argo_cds_own_answer_with_server_side_apply(name: str) -> None:
    """Synced, or OutOfSync by exactly the fields that we say are shown."""
    case = CASES[name]
    stored = store(case["given"], SCHEMA)
    ours = {dotted(path) for path in stored.filled if shown(case["given"], SCHEMA, path)}
    ours |= {dotted(path) for path in stored.unknown}
    differs = {re.sub(r"\[(\d+)\]", r".\1", line.partition(": ")[0]) for line in case.get("serverSideApplyDiffers", [])}
    assert ours == differs
    assert case["serverSideApply"] == ("OutOfSync" if ours else "Synced")


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.get("serverSideDiff") in VERDICTS])
def test_the_server_side_diff_shows_no_default(name: str) -> None:
    assert CASES[name]["serverSideDiff"] == "Synced"


@pytest.mark.parametrize("name", CASES)
def test_the_fields_that_strict_decoding_refuses(name: str) -> None:
    case = CASES[name]
    refused = set(re.findall(r'unknown field "([^"]+)"', case["strict"]))
    unknown = {dotted(path) for path in store(case["given"], SCHEMA).unknown}
    assert unknown == {re.sub(r"\[(\d+)\]", r".\1", field) for field in refused}


@pytest.mark.parametrize("name", REFUSED)
def test_nothing_is_filled_into_a_value_of_the_wrong_type(name: str) -> None:
    assert "must be of type" in CASES[name]["strict"]
    given_ = CASES[name]["given"]["spec"]
    assert store(CASES[name]["given"], SCHEMA).value == {"spec": {**DEFAULTS, **given_}}


@pytest.mark.parametrize("name", STORED)
def test_what_the_diff_shows(name: str) -> None:
    git = CASES[name]["given"]
    found = {dotted(path): verdict for path in store(git, SCHEMA).filled if (verdict := shown(git, SCHEMA, path))}
    assert found == SHOWN.get(name, {})


def dotted(path: tuple[str | int, ...]) -> str:
    return ".".join(str(step) for step in path)


# -- beyond the data


def of(**properties: Any) -> Schema:
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}


def verdict(schema: Schema, git: Any, *path: str | int) -> Shown | None:
    assert path in store(git, schema).filled
    return shown(git, schema, path)


def test_a_default_is_pruned_itself() -> None:
    schema = of(o={"type": "object", "properties": {"known": {"type": "string"}}, "default": {"known": "1", "un": 1}})
    assert store({"spec": {}}, schema).value == {"spec": {"o": {"known": "1"}}}


def test_additional_properties_true_keeps_scalars_and_empties_objects() -> None:
    schema = of(m={"type": "object", "additionalProperties": True})
    assert store({"spec": {"m": {"a": 1, "b": {"c": 2}}}}, schema).value == {"spec": {"m": {"a": 1, "b": {}}}}


def test_items_of_a_list_that_keeps_unknown_fields_keep_them() -> None:
    items = {"type": "object", "properties": {"d": {"type": "string", "default": "D"}}}
    schema = of(l={"type": "array", "items": items, "x-kubernetes-preserve-unknown-fields": True})
    assert store({"spec": {"l": [{"u": 1}]}}, schema).value == {"spec": {"l": [{"u": 1, "d": "D"}]}}


def test_what_no_schema_describes_in_a_list_that_keeps_unknown_fields_is_kept_whole() -> None:
    schema = of(l={"x-kubernetes-preserve-unknown-fields": True})
    git = {"spec": {"l": [{"name": "v", "deep": [{"er": 1}]}, [{"u": 1}]]}}
    stored = store(git, schema)
    assert stored.value == git
    assert not stored.unknown


def test_metadata_is_the_servers_own_business() -> None:
    schema: Schema = {"type": "object", "properties": {"metadata": {"type": "object", "properties": {}}}}
    given_ = {"apiVersion": "x.io/v1", "kind": "X", "metadata": {"name": "n", "labels": {"a": "b"}}}
    assert store(given_, schema).value == given_


def test_a_partial_schema_removes_nothing() -> None:
    git = {"spec": {"other": {"deep": [1]}, "l": [{"x": 1}]}}
    schema = of(l={"items": {"properties": {"d": {"default": "D"}}}})
    stored = fill(git, schema)
    assert stored.value == {"spec": {"other": {"deep": [1]}, "l": [{"x": 1, "d": "D"}]}}
    assert stored.filled == (("spec", "l", 0, "d"),)


def test_a_list_item_without_any_key_cannot_be_compared() -> None:
    items = {"type": "object", "properties": {"arch": {"default": "any"}, "d": {"default": "D"}}}
    keys = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["arch"]}
    schema = of(l={"type": "array", "items": items, **keys})
    git = {"spec": {"l": [{}]}}
    assert verdict(schema, git, "spec", "l", 0, "arch") is Shown.ALL_KEYS
    assert verdict(schema, git, "spec", "l", 0, "d") is Shown.WITH_KEY


def test_lists_below_a_map_value_keep_their_type() -> None:
    items = {"type": "object", "properties": {"k": {}, "d": {"default": "D"}}, "required": ["k"]}
    keyed = {"type": "array", "items": items, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]}
    schema = of(m={"type": "object", "additionalProperties": {"type": "object", "properties": {"l": keyed}}})
    assert verdict(schema, {"spec": {"m": {"x": {"l": [{"k": 1}]}}}}, "spec", "m", "x", "l", 0, "d") is None


def test_an_atomic_map_counts_for_everything_below_it_but_not_below_a_nullable_one() -> None:
    inner = {"type": "object", "properties": {"o": {"type": "object", "properties": {"d": {"default": "D"}}}}}
    atomic = {**inner, "x-kubernetes-map-type": "atomic"}
    git = {"spec": {"m": {"o": {}}}}
    assert verdict(of(m=atomic), git, "spec", "m", "o", "d") is Shown.REPLACED
    assert verdict(of(m={**atomic, "nullable": True}), git, "spec", "m", "o", "d") is None


def test_embedded_resources_are_left_alone() -> None:
    pods = {"type": "array", "items": {"type": "object", "properties": {"d": {"default": "D"}}}}
    embedded = {"type": "object", "properties": {"l": pods}, "x-kubernetes-embedded-resource": True}
    assert verdict(of(e=embedded), {"spec": {"e": {"l": [{}]}}}, "spec", "e", "l", 0, "d") is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "x", "TCP"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["k", "d", "o", "p", "x", "y", "z", "e", "known", "zzz"]), inner, max_size=4)
    ),
    max_leaves=12,
)
SPECS = st.dictionaries(st.sampled_from(sorted(SCHEMA["properties"]["spec"]["properties"])), VALUES, max_size=6)


@given(SPECS)
def test_storing_is_idempotent_and_changes_nothing_that_was_passed_in(spec: dict[str, Any]) -> None:
    git = {"spec": spec}
    before = copy.deepcopy(git)
    stored = store(git, SCHEMA)
    assert git == before
    again = store(stored.value, SCHEMA)
    assert (again.value, again.filled, again.unknown) == (stored.value, (), ())
    for path in stored.filled:
        shown(git, SCHEMA, path)


@given(st.recursive(VALUES, lambda inner: st.dictionaries(st.sampled_from(
    ["properties", "items", "additionalProperties", "default", "nullable", "x-kubernetes-list-type",
     "x-kubernetes-list-map-keys", "x-kubernetes-map-type", "x-kubernetes-preserve-unknown-fields",
     "x-kubernetes-embedded-resource", "k"]), inner, max_size=4)), VALUES)  # fmt: skip
def test_a_schema_of_any_shape_is_survived(schema: Any, value: Any) -> None:
    if isinstance(schema, dict):
        stored = store(value, schema)
        for path in stored.filled:
            shown(value, schema, path)
