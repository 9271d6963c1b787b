"""Templates of ApplicationSets against what Go and Sprig document."""

from __future__ import annotations

import json
import re
import time

import pytest
from gitops_lint.linter.dialects.go_regexp import Regexp
from gitops_lint.linter.dialects.go_template import fasttemplate
from gitops_lint.linter.dialects.go_template.budget import Budget
from gitops_lint.linter.dialects.go_template.encodings import read_yaml, to_yaml
from gitops_lint.linter.dialects.go_template.function_types import Type
from gitops_lint.linter.dialects.go_template.go_values import StringList, StringMap, Value, from_json, plain
from gitops_lint.linter.dialects.go_template.gotemplate import check, functions, missing_key, render
from gitops_lint.linter.dialects.go_template.template_errors import CannotEvaluate, ParseError, TemplateError
from hypothesis import given, settings
from hypothesis import strategies as st


def data() -> dict[str, Value]:
    values = from_json(
        {
            "name": "shop",
            "replicas": 3,
            "account": 123456789012,
            "ratio": 0.25,
            "on": True,
            "nothing": None,
            "tags": ["red", "blue"],
            "cluster": {"name": "prod-eu", "region": None, "labels": {"env": "prod"}},
        }
    )
    assert isinstance(values, dict)
    values["path"] = {"path": "apps/shop", "basename": "shop", "segments": StringList(["apps", "shop"])}
    values["values"] = StringMap(team="web")
    return values


WORKS = [
    # fields, printing
    ("{{ .name }}", "shop"),
    ("{{.cluster.name}}/{{ .cluster.labels.env }}", "prod-eu/prod"),
    ("{{ .replicas }} {{ .ratio }} {{ .on }}", "3 0.25 true"),
    ("{{ .account }}", "1.23456789012e+11"),
    ("{{ .tags }} {{ .cluster.labels }}", "[red blue] map[env:prod]"),
    ("{{ .nope }}|{{ .nope.deeper }}|{{ .nothing }}", "<no value>|<no value>|<no value>"),
    ("{{ .cluster }}", "map[labels:map[env:prod] name:prod-eu region:<nil>]"),
    ("{{ 1.5 }} {{ 1e6 }} {{ 0x1F }} {{ 1_000 }} {{ 'a' }} {{ true }}", "1.5 1e+06 31 1000 97 true"),
    ('{{ "a\\tb\\u00e9" }}{{ `raw\\n` }}', "a\tbéraw\\n"),
    # white space and comments
    ("a  {{- .name -}}  b", "ashopb"),
    ("a {{- /* no */ -}} b{{/* nor this */}}", "ab"),
    ("{{-3}}", "-3"),
    ("{{ if .on\n}}x{{ end }}", "x"),
    # variables and control
    ("{{ $x := .name }}{{ $x }}-{{ $.replicas }}", "shop-3"),
    ("{{ $x := 1 }}{{ if .on }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"),
    ("{{ $x := 1 }}{{ if .on }}{{ $x := 2 }}{{ end }}{{ $x }}", "1"),
    ("{{ if .nope }}a{{ else if .on }}b{{ else }}c{{ end }}", "b"),
    ("{{ with .cluster }}{{ .name }}{{ $.name }}{{ end }}{{ with .nope }}x{{ else }}y{{ end }}", "prod-eushopy"),
    ("{{ range .tags }}[{{ . }}]{{ end }}", "[red][blue]"),
    ("{{ range $i, $tag := .tags }}{{ $i }}{{ $tag }};{{ end }}", "0red;1blue;"),
    (
        "{{ range $key, $value := .cluster }}{{ $key }}={{ $value }} {{ end }}",
        "labels=map[env:prod] name=prod-eu region=<no value> ",
    ),
    ("{{ range .nope }}x{{ else }}none{{ end }}", "none"),
    (
        "{{ range until 5 }}{{ if eq . 1 }}{{ continue }}{{ end }}{{ if eq . 3 }}{{ break }}{{ end }}{{ . }}{{ end }}",
        "02",
    ),
    ('{{ define "t" }}<{{ . }}>{{ end }}{{ template "t" .name }}', "<shop>"),
    ('{{ block "t" .name }}({{ . }}){{ end }}', "(shop)"),
    # pipelines, comparison, logic
    ('{{ .name | upper | printf "%s-%s" "x" }}', "x-SHOP"),
    ("{{ (index .tags 1) | len }}", "4"),
    ('{{ eq .name "a" "shop" }} {{ ne .name "a" }} {{ lt 1 2 }} {{ ge .replicas 3.0 }}', "true true true true"),
    ('{{ eq .nope "x" }} {{ eq .nope nil }}', "false true"),
    ('{{ and .on .name }} {{ or .nope "else" }} {{ not .nope }}', "shop else true"),
    ("{{ or .on (fail `never looked at`) }}", "true"),
    (
        '{{ index .cluster.labels "env" }} {{ index .cluster "labels" "env" }} {{ index .cluster "nope" }}',
        "prod prod <no value>",
    ),
    ('{{ index .path.segments 0 }} {{ index .values "nope" }}|', "apps |"),
    ('{{ print 1 2 "x" 3 nil }} {{ println "a" 1 }}', "1 2x3 <nil> a 1\n"),
    (
        '{{ printf "%05d|%-5s|%5s|%q|%v|%t|%.2f|%x|%%" 42 "ab" "cd" "e\\"f" .tags true 3.14159 "hi" }}',
        '00042|ab   |   cd|"e\\"f"|[red blue]|true|3.14|6869|%',
    ),
    ('{{ printf "%d %s" .replicas 5 }}', "%!d(float64=3) %!s(int=5)"),
    ('{{ printf "%s" }}{{ printf "x" 1 }}', "%!s(MISSING)x%!(EXTRA int=1)"),
    ("{{ html `<a href='x'>` }} {{ urlquery `a b&c` }}", "&lt;a href=&#39;x&#39;&gt; a+b%26c"),
    # Sprig: texts
    (
        '{{ title "foo-bar baz" }} {{ untitle "Foo Bar" }} {{ trim "  x " }} {{ nospace "a b" }}',
        "Foo-Bar Baz foo bar x ab",
    ),
    ('{{ trimPrefix "v" "v1" }} {{ trimSuffix ".git" "a.git" }} {{ trimAll "-" "--a-" }}', "1 a a"),
    ('{{ replace "/" "-" "a/b/c" }} {{ contains "b" "abc" }} {{ hasPrefix "a" "abc" }}', "a-b-c true true"),
    (
        '{{ trunc 3 "abcdef" }} {{ trunc -2 "abcdef" }} {{ substr 1 3 "abcdef" }} {{ abbrev 5 "abcdefgh" }}',
        "abc ef bc ab...",
    ),
    ('{{ repeat 3 "ab" }} {{ quote "a" 1 nil }} {{ squote "a" }} {{ cat "a" 1 "b" }}', 'ababab "a" "1" \'a\' a 1 b'),
    ('{{ "a\\nb" | indent 2 }}|{{ "a" | nindent 2 }}', "  a\n  b|\n  a"),
    ('{{ (split "/" "a/b")._1 }} {{ splitList "/" "a/b" | join "," }} {{ join "-" .tags }}', "b a,b red-blue"),
    (
        '{{ kebabcase "HTTPServer" }} {{ snakecase "firstName" }} {{ camelcase "first_name" }}',
        "http-server first_name FirstName",
    ),
    ('{{ sha256sum "a" | trunc 8 }} {{ b64enc "hi" }} {{ "aGk=" | b64dec }} {{ toString 3 }}', "ca978112 aGk= hi 3"),
    # Sprig: lists and maps
    (
        "{{ first .tags }} {{ last .tags }} {{ rest .tags }} {{ initial .tags }} {{ reverse .tags }}",
        "red blue [blue] [red] [blue red]",
    ),
    (
        '{{ append .tags "x" }} {{ prepend .tags "x" }} {{ concat .tags (list 1) }}',
        "[red blue x] [x red blue] [red blue 1]",
    ),
    (
        '{{ uniq (list 1 2 1) }} {{ without .tags "red" }} {{ has "red" .tags }} {{ compact (list 0 1 "") }}',
        "[1 2] [blue] true [1]",
    ),
    (
        "{{ sortAlpha .tags }} {{ slice (list 1 2 3) 1 }} {{ until 3 }} {{ untilStep 0 6 2 }}",
        "[blue red] [2 3] [0 1 2] [0 2 4]",
    ),
    (
        '{{ $d := dict "a" 1 "b" 2 }}{{ get $d "a" }} {{ hasKey $d "c" }} {{ keys $d | sortAlpha }}',
        "1 false [a b]",
    ),
    (
        '{{ $d := dict "a" 1 }}{{ $_ := set $d "b" 2 }}{{ $d }} {{ unset $d "a" }} {{ omit $d "b" }}',
        "map[a:1 b:2] map[b:2] map[]",
    ),
    (
        '{{ merge (dict "a" 1) (dict "a" 2 "b" 3) }} {{ mergeOverwrite (dict "a" 1) (dict "a" 2) }}',
        "map[a:1 b:3] map[a:2]",
    ),
    ('{{ dig "cluster" "labels" "env" "dev" . }} {{ dig "cluster" "nope" "dev" . }}', "prod dev"),
    ('{{ pluck "a" (dict "a" 1) (dict "a" 2) (dict) }}', "[1 2]"),
    # Sprig: numbers, defaults, types
    (
        '{{ add 1 2 3 }} {{ sub 5 2 }} {{ mul 2 3 }} {{ div 7 2 }} {{ div -7 2 }} {{ add "4" .replicas }}',
        "6 3 6 3 -3 7",
    ),
    (
        "{{ max 1 5 3 }} {{ min 4 2 }} {{ floor 1.7 }} {{ ceil 1.2 }} {{ round 1.257 2 }} {{ int .replicas }}",
        "5 2 1 2 1.26 3",
    ),
    (
        '{{ default "d" .nope }} {{ "" | default "e" }} {{ .name | default "f" }} {{ coalesce nil "" "x" }}',
        "d e shop x",
    ),
    (
        '{{ ternary "a" "b" .on }} {{ empty .nope }} {{ kindOf .replicas }} {{ typeOf .values }}',
        "a true float64 map[string]string",
    ),
    (
        "{{ toJson .cluster }} {{ toRawJson `<a>` }} {{ toJson `<a>` }}",
        '{"labels":{"env":"prod"},"name":"prod-eu","region":null} "<a>" "\\u003ca\\u003e"',
    ),
    (
        '{{ (fromJson "{\\"a\\": [1, 2]}").a }} {{ (fromYaml "a: {b: c}").a.b }} {{ fromYamlArray "[x, z]" }}',
        "[1 2] c [x z]",
    ),
    ("{{ toYaml .cluster }}", "labels:\n  env: prod\nname: prod-eu\nregion: null"),
    ('{{ base "a/b.yaml" }} {{ dir "a/b.yaml" }} {{ ext "a/b.yaml" }} {{ clean "a//b/../c" }}', "b.yaml a .yaml a/c"),
    # regular expressions
    (
        '{{ regexMatch "^v[0-9]+$" "v12" }} {{ regexFind "[0-9]+" "a12b3" }} {{ regexFindAll "[0-9]" "a12" -1 }}',
        "true 12 [1 2]",
    ),
    ('{{ regexReplaceAll "([a-z]+)-([a-z]+)" "ab-cd" "${2}.$1" }} {{ regexSplit "-+" "a--b-c" -1 }}', "cd.ab [a b c]"),
    (
        '{{ regexReplaceAll "a(x*)b" "-ab-axxb-" "$1W" }} {{ regexReplaceAllLiteral "a" "banana" "$1" }}',
        "--- b$1n$1n$1",
    ),
    ('{{ regexMatch "(" "x" }} {{ regexQuoteMeta "a.b" }}', "false a\\.b"),
    # Argo CD's own
    (
        '{{ normalize "Feature/ABC_1." }} {{ slugify "Feature/ABC_1" }} {{ slugify 9 true "one-two-three" }}',
        "feature-abc-1 feature-abc-1 one-two",
    ),
    ('{{ slugify 9 false "one-two-three" }}', "one-two-t"),
]


@pytest.mark.parametrize(("text", "expected"), WORKS)
def test_a_template_gives_what_go_gives(text: str, expected: str) -> None:
    assert render(text, data()) == expected


FAILS = [
    # parsing: the words that users look up
    ("{{path}}", 'function "path" not defined'),
    ("{{ path.basename }}", 'function "path" not defined'),
    ("{{path[0]}}", "bad character U+005B '['"),
    ("{{ .my-key }}", "bad character U+002D '-'"),
    ('{{ env "HOME" }}', 'function "env" not defined'),
    ('{{ getHostByName "x" }}', 'function "getHostByName" not defined'),
    ('{{ required "x" .name }}', 'function "required" not defined'),
    ("{{ $nope }}", 'undefined variable "$nope"'),
    ("{{ if .on }}", "unexpected EOF"),
    ("{{ end }}", "unexpected {{end}}"),
    ("{{ .name", "unclosed action"),
    ("{{ (.name }}", "unclosed left paren"),
    ('{{ "abc }}', "unterminated quoted string"),
    ("{{}}", "missing value for command"),
    ("{{ .name | 3 }}", "non executable command in pipeline stage 2"),
    ("{{ break }}", "{{break}} outside {{range}}"),
    ("{{ if }}x{{ end }}", "missing value for if"),
    # execution
    ("{{ .name.first }}", "can't evaluate field first in type string"),
    ("{{ .cluster.region.x }}", "nil pointer evaluating interface {}.x"),
    ("{{ index .tags 7 }}", "error calling index: index out of range: 7"),
    ('{{ index .tags "x" }}', "cannot index slice/array with type string"),
    ("{{ eq .replicas 3 }}", "error calling eq: incompatible types for comparison"),
    ("{{ lower .replicas }}", "wrong type for value; expected string; got float64"),
    ("{{ lower .nope }}", "invalid value; expected string"),
    ("{{ lower 5 }}", "expected string; found 5"),
    ('{{ hasKey .values "team" }}', "expected map[string]interface {}; got map[string]string"),
    ("{{ trunc (sub 9 4) .name }}", "wrong type for value; expected int; got int64"),
    ("{{ lower }}", "wrong number of args for lower: want 1 got 0"),
    ("{{ .name 1 }}", "name is not a method but has arguments"),
    ("{{ nil }}", "nil is not a command"),
    ("{{ range .name }}{{ end }}", "range can't iterate over shop"),
    ('{{ template "t" }}', 'template "t" not defined'),
    ('{{ fail "stop here" }}', "error calling fail: stop here"),
    ("{{ div 1 0 }}", "integer divide by zero"),
    ("{{ substr 2 1 .name }}", "slice bounds out of range"),
    ('{{ regexFind "(" "x" }}', "error parsing regexp: missing closing )"),
    ('{{ regexFind "a**" "x" }}', "invalid nested repetition operator"),
    ('{{ regexFind "((a{1,99}){1,99}){1,99}" "a" }}', "invalid repeat count"),
    ('{{ regexFind "(?=a)" "x" }}', "invalid or unsupported Perl syntax"),
    ('{{ dig "name" "x" "y" . }}', "interface {} is string, not map[string]interface {}"),
]


@pytest.mark.parametrize(("text", "words"), FAILS)
def test_a_template_fails_in_gos_words(text: str, words: str) -> None:
    with pytest.raises(TemplateError) as error:
        render(text, data())
    assert words in str(error.value)


def test_an_error_says_where() -> None:
    with pytest.raises(TemplateError, match=re.escape('template: :2:3: executing "" at <.name.x>: can\'t evaluate')):
        render("a\n{{ .name.x }}", data())
    with pytest.raises(ParseError, match=re.escape('template: :2: function "x" not defined')):
        check("a\n{{ x }}")


UNKNOWABLE = [
    "{{ now }}",
    "{{ uuidv4 }}",
    "{{ randAlpha 5 }}",
    '{{ genCA "x" 1 }}',
    '{{ "x" | wrap 5 }}',
    "{{ tpl .name . }}",
]


@pytest.mark.parametrize("text", [*UNKNOWABLE, "{{ keys .cluster }}", "{{ range values .cluster }}x{{ end }}"])
def test_what_cannot_be_known_is_never_guessed(text: str) -> None:
    with pytest.raises(CannotEvaluate):
        render(text, data())


def test_a_missing_key_is_an_error_or_a_zero_where_the_option_says_so() -> None:
    strict = missing_key(["missingkey=error"])
    for text in ("{{ .nope }}", '{{ default "x" .nope }}', "{{ .cluster.nope }}", "{{ if .nope }}{{ end }}"):
        with pytest.raises(TemplateError, match='map has no entry for key "nope"'):
            render(text, data(), strict)
    assert render('{{ dig "nope" "x" . }}{{ index .cluster "nope" }}', data(), strict) == "x<no value>"
    zero = missing_key(["missingkey=zero"])
    assert render("{{ .nope }}|{{ .values.nope }}|", data(), zero) == "<no value>||"
    with pytest.raises(TemplateError, match=r"nil pointer evaluating interface \{\}\.x"):
        render("{{ .nope.x }}", data(), zero)


@pytest.mark.parametrize("option", ["missingkey=eror", "missingKey=error", "foo", "", "missingkey"])
def test_an_option_that_go_does_not_know_is_refused(option: str) -> None:
    with pytest.raises(TemplateError, match="option"):
        missing_key([option])


def test_parameters_are_never_changed() -> None:
    before = data()
    assert render('{{ $_ := set .cluster "x" 1 }}{{ mergeOverwrite .cluster (dict "name" "y") | len }}', before) == "4"
    assert before == data()


BOMBS = [
    "{{ range until 9999 }}{{ range until 9999 }}x{{ end }}{{ end }}",
    '{{ $s := "xxxxxxxx" }}{{ range until 60 }}{{ $s = print $s $s }}{{ end }}{{ $s }}',
    "{{ $s := list 1 }}{{ range until 90 }}{{ $s = list $s $s }}{{ end }}{{ $s }}",
    '{{ $d := dict }}{{ $_ := set $d "d" $d }}{{ toJson $d }}',
    '{{ define "t" }}{{ template "t" }}{{ end }}{{ template "t" }}',
    '{{ range until 999 }}{{ regexMatch "(a+)+$" (repeat 400 "a" | printf "%s!") }}{{ end }}',
    '{{ repeat 1000000000 "x" }}',
    "{{ until 1000000000 }}",
    '{{ printf "%999999999d" 1 }}',
    '{{ regexMatch "a{1,999}b{1,999}c{1,999}" "a" }}',
    "{{" + "(" * 9999 + "1" + ")" * 9999 + "}}",
    "{{ if 1 }}" * 9999 + "{{ end }}" * 9999,
    '{{ $a := repeat 900 "xx" }}{{ replace "x" $a $a }}',
]


@pytest.mark.parametrize("text", BOMBS, ids=lambda text: text[:40])
def test_a_bomb_is_put_out(text: str) -> None:
    start = time.process_time()
    with pytest.raises(CannotEvaluate):
        render(text, data())
    assert time.process_time() - start < 5


# -- properties

_TEXT_ARGUMENTS = [
    '""',
    '"a/b"',
    "`x`",
    ".name",
    '"%d %s"',
    '"[a-z]+(x)?"',
    '"a: [1]"',
    "(lower .name)",
    "(toJson .cluster)",
]
_ARGUMENTS = {
    Type.STRING: _TEXT_ARGUMENTS,
    Type.INT: ["0", "1", "-1", "7", "99999999", "9223372036854775807", "(len .tags)"],
    Type.FLOAT: ["0.0", "1.5", ".ratio"],
    Type.BOOL: ["true", "false", ".on"],
    Type.MAP: [".", ".cluster", "(dict)", ".nope", '(dict "a" (list 1))'],
    Type.ANY: [
        ".",
        ".name",
        ".replicas",
        ".tags",
        ".nope",
        "nil",
        "1",
        '"x"',
        ".values",
        ".path.segments",
        "(list 1 2)",
    ],
}


@st.composite
def calls(draw: st.DrawFn, depth: int = 0) -> str:
    name = draw(st.sampled_from(sorted(functions())))
    function = functions()[name]
    wanted = [*function.parameters, *([function.rest] * draw(st.integers(0, 3)) if function.rest else [])]
    words = []
    for kind in wanted:
        nested = depth < 2 and draw(st.integers(0, 3)) == 0
        words.append(f"({draw(calls(depth + 1))})" if nested else draw(st.sampled_from(_ARGUMENTS[kind])))
    if words and draw(st.booleans()):
        return f"{words[-1]} | {name} {' '.join(words[:-1])}"
    return f"{name} {' '.join(words)}"


def outcome(text: str, parameters: dict[str, Value]) -> str:
    try:
        return render(text, parameters, budget=Budget(5_000))
    except (TemplateError, CannotEvaluate) as error:
        return str(error)


@settings(deadline=None, max_examples=300)
@given(st.lists(calls(), min_size=1, max_size=3))
def test_any_call_gives_a_text_or_one_of_the_two_errors(made: list[str]) -> None:
    text = "".join(f"{{{{ {call} }}}}" for call in made)
    assert isinstance(outcome(text, data()), str)


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="{}|().$ -\"`'ab:=,/*\n\\ifendrange", max_size=40), st.text(alphabet="ab.$|( )", max_size=10))
def test_any_text_gives_a_text_or_one_of_the_two_errors(text: str, inside: str) -> None:
    assert isinstance(outcome(text, data()), str)
    assert isinstance(outcome("{{" + inside + "}}" + text, data()), str)


@given(st.text(max_size=50).filter(lambda text: "{{" not in text))
def test_what_is_no_template_stays(text: str) -> None:
    assert render(text, {}) == text
    assert fasttemplate.render(text, {}) == text


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(json_values)
def test_json_and_yaml_come_back_as_they_went(value: Value) -> None:
    wanted = from_json(value)
    assert json.loads(render("{{ toRawJson .v }}", {"v": wanted})) == value
    printable = not re.search(r"[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]", json.dumps(value, ensure_ascii=False))
    if printable:
        assert read_yaml(to_yaml(wanted)) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_printed_number_is_the_number(number: float) -> None:
    assert float(plain(number)) == number


@pytest.mark.parametrize(
    ("number", "expected"),
    [(0.0, "0"), (-0.0, "-0"), (100000.0, "100000"), (1e6, "1e+06"), (1234567.0, "1.234567e+06"), (0.0001, "0.0001"),
     (0.00001, "1e-05"), (1.5, "1.5"), (1e21, "1e+21"), (8080.0, "8080")],
)  # fmt: skip
def test_numbers_are_printed_as_go_prints_them(number: float, expected: str) -> None:
    assert plain(number) == expected


_solid = st.recursive(
    st.sampled_from(["a", "b", "-", ".", "[a-c]", "[^a]", r"\w", r"\d", r"\."]),
    lambda inner: (
        st.builds("({})".format, inner)
        | st.builds("(?:{}|{})".format, inner, inner)
        | st.builds("{}{}".format, inner, inner)
    ),
    max_leaves=5,
)
_repeated = st.builds("(?:{}){}".format, _solid, st.sampled_from(["", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}"]))
patterns = st.builds(
    lambda start, pieces, end: start + "".join(pieces) + end,
    st.sampled_from(["", "^", r"\b"]),
    st.lists(_repeated, min_size=1, max_size=4),
    st.sampled_from(["", "$", r"\b"]),
)
"""Python and Go part only where a repeated piece may itself be empty."""


@settings(deadline=None, max_examples=400)
@given(patterns, st.text(alphabet="aab-. 1", max_size=10))
def test_a_pattern_finds_what_pythons_finds(pattern: str, text: str) -> None:
    expected = re.compile(pattern.replace("$", r"\Z"), re.ASCII).search(text)
    found = Regexp(pattern).search(text, 0)
    assert (found and found[:2]) == (expected and expected.span())


# -- the plain language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{name}}-{{ path.basename }}", "shop-web"),
        ("{{unknown}} {{ .name }} {{}}", "{{unknown}} {{ .name }} {{}}"),
        ("{{replicas}}", "{{replicas}}"),
        ("{{path[0]}}", "apps"),
        ("{{ name | upper }}", "{{ name | upper }}"),
        ("a {{ only open", "a {{ only open"),
        ("{{name}}\n{{name}}", "shop\nshop"),
    ],
)
def test_only_texts_with_exactly_that_name_are_put_in(text: str, expected: str) -> None:
    parameters: dict[str, Value] = {"name": "shop", "path.basename": "web", "path[0]": "apps", "replicas": 3.0}
    assert fasttemplate.render(text, parameters) == expected


def test_a_tag_that_is_never_closed_is_an_error_once_there_is_another() -> None:
    with pytest.raises(TemplateError, match="Cannot find end tag"):
        fasttemplate.render("{{a}} {{b", {})
