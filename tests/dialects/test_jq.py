"""jq expressions: what the real jq takes must be taken, and what leads where."""

from __future__ import annotations

import re

import pytest
from gitops_lint.linter.dialects.jq import JqError, parse
from gitops_lint.linter.dialects.jq_paths import Mark, Path, Where
from hypothesis import given, settings
from hypothesis import strategies as st

EACH = Mark.EACH

VALID = [
    ".spec.replicas",
    ".spec .replicas?",
    '.metadata.annotations."deploy.example.com/rev"',
    '.metadata.annotations["deploy.example.com/rev"]',
    ".webhooks[]?.clientConfig.caBundle",
    ".spec.[0]",
    ".spec[1:3], .spec[:-1], .spec[2:]",
    '.spec.containers[] | select(.name == "proxy")',
    '.spec.containers[] | select(.name | test("^proxy-[0-9]+$")) | .image',
    '.data | to_entries[] | select(.key | startswith("tls")) | .value',
    "..?, .a",
    ".and.if.then",
    ".a as $x | .b as [$y, {c: $z, $w}] ?// $v | .d",
    "reduce .a[] as $x (0; . + $x)",
    "foreach .a + .b as $x (0; . + $x; [$x, .])",
    "if .a then .b elif .c then .d else .e end",
    "if .a then .b end",
    "try .a catch .b",
    "label $out | .a[] | if . == 1 then break $out else . end",
    "def f(g; $x): g | .[$x]; f(.a; 1)",
    '"text with \\(.a + "and \\(.b)") in it"',
    "# only a remark\n.a",
    ".a) | del(.b",
    '{a: .b, (.c): 1, $__loc__, "d e", @base64 "f": 2, if: 3,}',
    "$ENV.HOME",
    "limit(3; .a[])",
    "-.a",
    ".a //= 1",
    "(" * 300 + ".a" + ")" * 300,
]

REFUSED = [
    ("", "ends too early"),
    ("spec.replicas", "no function spec"),
    ("/spec/replicas", "'/' is not expected"),
    ("$.spec", "has no meaning"),
    (".metadata.annotations.example.com/rev", "no function rev"),
    (".metadata.labels.my-name", "no function name"),
    (".spec.*", "is not expected"),
    (".spec.containers[name=web]", "no function name"),
    (".spec.containers[?(@.name)]", "is not expected"),
    (".spec.containers[] | select(.name == 'web')", "has no meaning"),
    ('.a | test("a\\.b")', "is no escape"),
    ('.a["b]', "does not end"),
    (".a # remark", "ends too early"),
    (".a; .b", "del with 2 arguments"),
    (".a)", "too many"),
    ("(.a", "ends too early"),
    (".a |", "ends too early"),
    (".a[] | select(.b == $c)", "is not defined"),
    ("break $x", "is not defined"),
    ("if .a then .b", "ends too early"),
    (".a and", "ends too early"),
    ("and", "is not expected"),
]


@pytest.mark.parametrize("expression", VALID)
def test_what_jq_takes_is_taken(expression: str) -> None:
    parse(expression)


@pytest.mark.parametrize(("expression", "why"), REFUSED)
def test_what_jq_refuses_is_refused(expression: str, why: str) -> None:
    with pytest.raises(JqError, match=why):
        parse(expression)


@pytest.mark.parametrize(
    ("expression", "paths"),
    [
        (".", ((),)),
        (".a.b", (("a", "b"),)),
        ('."a"["b c"]."d"', (("a", "b c", "d"),)),
        (".a[2]?.b[]", (("a", 2, "b", EACH),)),
        (".a, .b | .c", (("a", "c"), ("b", "c"))),
        ("(.a, .b).c", (("a", "c"), ("b", "c"))),
        ('.a[] | select("x" == .name) | .b', (("a", EACH, Where(("name",), "x"), "b"),)),
        ("select(.a.b == 3).c", ((Where(("a", "b"), 3.0), "c"),)),
        (".a | select(.b)", None),
        (".a[.b]", None),
        (".a // .b", None),
        (".a) | del(.b", None),
        ("..", None),
    ],
)
def test_where_an_expression_leads(expression: str, paths: tuple[Path, ...] | None) -> None:
    assert parse(expression).paths == paths


@pytest.mark.parametrize(
    "expression",
    ['.a == "b"', '"/spec"', "{a: .b}", ".a | map(.b)", '.a | test("b")', ".a | to_entries[] | .key", ".a * 2"],
)
def test_a_value_is_no_path(expression: str) -> None:
    assert parse(expression).is_no_path


@pytest.mark.parametrize(
    "expression", [".a | . == true", '.a | "b"', ".a and .b", ".a, (.b == 1)", ".a // 1", ".a + .", "first(.a)"]
)
def test_what_may_be_a_path_is_not_called_none(expression: str) -> None:
    assert not parse(expression).is_no_path


TOKENS = st.sampled_from(
    """
    . .. .a .b ."c" .[0] .[1:] .[] [ ] ( ) { } | , : ; ? // ?// = == |= and or not + - * 1 2.5 "x" "a\\(.b)" $x as def f
    reduce foreach if then else elif end try catch label break select( has("a") {$x} {a:1} @base64 true null empty
    """.split()
)
LEAVES = st.sampled_from(""". .. .a 1 "s" .["k"] .a[]? .a.b[0] true @base64 "a\\(.b)c" not .a[1:] {a:1}""".split())


def _larger(smaller: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    forms = st.sampled_from(
        [
            "{} | {}", "{}, {}", "{} == {}", "({})", "select({})", "{} // {}", "[{}]", "{{a: {}}}", "{{({}): {}}}", "{}[{}]",
            "if {} then {} else {} end", "try {} catch {}", "{} as $x | {}", "reduce {} as $x ({}; {})", "-{}", "{} |= {}",
            "foreach {} as [$x, {{a: $y}}] ({}; {})", "label $x | {}, break $x", "def f(g; $x): {}; f({}; {})", "{} and {} or {}",
        ]
    )  # fmt: skip
    return forms.flatmap(lambda form: st.tuples(*[smaller] * form.count("{}")).map(lambda parts: form.format(*parts)))


EXPRESSIONS = st.recursive(LEAVES, _larger, max_leaves=8) | st.lists(TOKENS, max_size=7).map(" ".join)
DOCUMENTS = [
    {"a": {"b": [1, {"c": True}]}, "b": True},
    {"a": [{"b": 1}, {"b": None}], "b": [{"name": "x"}]},
    {"a": True, "b": "s", "k": 1},
]


@given(EXPRESSIONS)
@settings(deadline=None, max_examples=400)
def test_against_the_real_jq(expression: str) -> None:
    jq = pytest.importorskip("jq", reason="the real jq is a package of its own: pip install jq")
    try:
        program = jq.compile(f"del({expression})")
    except ValueError:
        return
    found = parse(expression)
    for document in DOCUMENTS if found.is_no_path else ():
        try:
            left = program.input(document).all()
        except ValueError:
            continue
        assert left == [document], "called no path, and yet something is deleted"


def test_every_function_of_the_real_jq_is_known() -> None:
    jq = pytest.importorskip("jq", reason="the real jq is a package of its own: pip install jq")
    for function in jq.compile("builtins").input(None).first():
        name, _, count = function.partition("/")
        parse(f"{name}({'; '.join(['.'] * int(count))})" if int(count) else name)


def test_a_long_expression_takes_no_time_and_no_stack() -> None:
    assert parse(re.sub("x", ".a | ", "x" * 20000) + ".a").paths is None
    for hostile in ("[" * 4000, "-" * 4000 + ".a", "try " * 1000, ".a as " + "[" * 4000, "{a:" * 1300, '"\\(' * 1300):
        assert parse(hostile).paths is None
