"""ApplicationSets, expanded against small trees."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from textwrap import dedent
from typing import cast

import pytest
from gitops_lint.linter.argocd.applicationsets import Expansion, ProblemKind, expand
from gitops_lint.linter.argocd.generators.combine import names_given
from gitops_lint.linter.dialects.generator_globs import BadPattern, matches_file, matches_folder
from gitops_lint.linter.dialects.go_template.go_values import Value
from gitops_lint.linter.yaml.source import SourceFile
from hypothesis import given, settings
from hypothesis import strategies as st

URL = "https://git.example/team/config.git"
LAB = Path(__file__).parents[1] / "lab"

Map = dict[str, Value]


class Files:
    """A tree of these files."""

    def __init__(self, files: Mapping[str, str] | Iterable[str] = ()) -> None:
        self.texts = dict(files) if isinstance(files, Mapping) else dict.fromkeys(files, "")

    def directories(self) -> Iterable[str]:
        parents = (str(parent) for path in self.texts for parent in Path(path).parents)
        return sorted({parent for parent in parents if parent != "."})

    def files(self) -> Iterable[str]:
        return self.texts

    def read(self, path: str) -> str | None:
        return self.texts.get(path)


def appset(spec: str, template: str = "") -> Map:
    """An ApplicationSet with this spec; without a template of its own it has a small one."""
    text = dedent(spec)
    if "\ntemplate:" not in f"\n{text}":
        text += dedent(template or TEMPLATE)
    document = SourceFile("set.yaml", text).documents[0]
    metadata: Map = {"name": "shop", "namespace": "argocd"}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": metadata,
        "spec": document.root.value,
    }


TEMPLATE = """
    template:
      metadata: {name: "x-{{name}}"}
      spec: {project: default, source: {repoURL: https://git.example/team/config.git, path: "{{name}}"}}
"""
GO_TEMPLATE = TEMPLATE.replace("{{name}}", "{{ .name }}")


def expanded(
    spec: str,
    files: Mapping[str, str] | Iterable[str] = (),
    template: str = "",
    supplied: list[Mapping[str, Value]] | None = None,
) -> Expansion:
    given_parameters = {"shop": supplied} if supplied is not None else None
    return expand(appset(spec, template), Files(files), lambda url: url == URL, given_parameters)


def names(expansion: Expansion) -> list[str]:
    return [one.name for one in expansion.applications]


def kinds(expansion: Expansion) -> list[ProblemKind]:
    return [problem.kind for problem in expansion.problems]


def spec_of(expansion: Expansion, index: int = 0) -> Map:
    return cast(Map, expansion.applications[index].value["spec"])


# -- list


def test_a_list_gives_an_application_for_each_element() -> None:
    result = expanded("generators: [{list: {elements: [{name: a}, {name: b, values: {size: big}}]}}]")
    assert names(result) == ["x-a", "x-b"]
    assert result.applications[1].parameters == {"name": "b", "values.size": "big"}
    first = result.applications[0].value
    assert first["metadata"] == {
        "name": "x-a",
        "namespace": "argocd",
        "finalizers": ["resources-finalizer.argocd.argoproj.io"],
    }
    assert not result.problems
    assert not result.unresolved
    assert not result.fails


def test_resources_are_kept_where_the_set_says_so() -> None:
    result = expanded(
        """
        syncPolicy: {preserveResourcesOnDeletion: true}
        generators: [{list: {elements: [{name: a}]}}]
        """
    )
    assert "finalizers" not in cast(Map, result.applications[0].value["metadata"])


def test_without_go_templates_every_value_must_be_a_string() -> None:
    result = expanded("generators: [{list: {elements: [{name: a, replicas: 3}]}}]")
    assert kinds(result) == [ProblemKind.GENERATOR_ERROR]
    assert result.fails
    assert result.problems[0].pointer == "/spec/generators/0/list/elements/0/replicas"


def test_with_go_templates_elements_may_be_anything() -> None:
    result = expanded(
        """
        goTemplate: true
        generators: [{list: {elements: [{name: a, replicas: 3, tags: [x, z]}]}}]
        template:
          metadata: {name: "{{ .name }}-{{ .replicas }}", labels: {"{{ .name }}/tag": '{{ index .tags 1 }}'}}
          spec: {project: default}
        """
    )
    metadata = cast(Map, result.applications[0].value["metadata"])
    assert metadata["name"] == "a-3"
    assert metadata["labels"] == {"a/tag": "z"}


def test_elements_may_come_as_text() -> None:
    result = expanded(
        """
        goTemplate: true
        generators:
        - matrix:
            generators:
            - list: {elements: [{all: [{name: a}, {name: b}]}]}
            - list: {elementsYaml: "{{ .all | toJson }}"}
        """,
        template=GO_TEMPLATE,
    )
    assert names(result) == ["x-a", "x-b"]


def test_an_element_without_keys_leaves_the_template_as_it_is() -> None:
    result = expanded("generators: [{list: {elements: [{}]}}]")
    assert names(result) == ["x-{{name}}"]
    assert not result.problems


# -- git folders

FOLDERS = [
    "apps/a/x.yaml",
    "apps/b/deep/y.yaml",
    "apps/.hidden/z.yaml",
    "other/c/x.yaml",
    ".github/w/x.yaml",
    "root.yaml",
]


def directories(patterns: str, more: str = "") -> str:
    return f"""
        generators: [{{git: {{repoURL: {URL}, revision: HEAD, directories: {patterns}{more}}}}}]
        template:
          metadata: {{name: "{{{{path.basename}}}}"}}
          spec: {{project: default, source: {{path: "{{{{path}}}}"}}}}
        """


def test_folders_are_matched_one_level_deep_and_hidden_ones_never() -> None:
    assert names(expanded(directories("[{path: apps/*}]"), FOLDERS)) == ["a", "b"]
    assert names(expanded(directories("[{path: '*'}]"), FOLDERS)) == ["apps", "other"]
    assert names(expanded(directories("[{path: '*/*'}, {path: apps/b, exclude: true}]"), FOLDERS)) == ["a", "c"]
    assert names(expanded(directories("[{path: '*/*/*'}]"), FOLDERS)) == ["deep"]


def test_a_double_star_is_a_single_one() -> None:
    result = expanded(directories("[{path: apps/**}]"), FOLDERS)
    assert names(result) == ["a", "b"]
    assert [(one.kind, one.pointer) for one in result.problems] == [
        (ProblemKind.DOUBLE_STAR, "/spec/generators/0/git/directories/0/path")
    ]


def test_the_parameters_of_a_folder() -> None:
    text = directories("[{path: apps/*}]", ", values: {full: 'v-{{path[1]}}'}")
    result = expanded(text.replace("{{path.basename}}", "{{path.basenameNormalized}}"), ["apps/Web_1/x.yaml"])
    assert result.applications[0].parameters == {
        "path": "apps/Web_1",
        "path.basename": "Web_1",
        "path.basenameNormalized": "web-1",
        "path[0]": "apps",
        "path[1]": "Web_1",
        "values.full": "v-Web_1",
    }


def test_an_application_whose_name_is_refused_is_not_made() -> None:
    result = expanded(directories("[{path: apps/*}]"), ["apps/Web_1/x.yaml", "apps/web/x.yaml"])
    assert names(result) == ["web"]
    assert kinds(result) == [ProblemKind.INVALID_NAME]


def test_the_parameters_of_a_folder_for_go_templates() -> None:
    result = expanded(
        f"""
        goTemplate: true
        generators:
        - git:
            repoURL: {URL}
            directories: [{{path: apps/*}}]
            pathParamPrefix: app
            values: {{x: '{{{{ .app.path.basename }}}}!'}}
        template:
          metadata: {{name: '{{{{ index .app.path.segments 1 }}}}'}}
          spec: {{project: default, source: {{path: '{{{{ .app.path.path }}}}', ref: '{{{{ .values.x }}}}'}}}}
        """,
        ["apps/a/x.yaml"],
    )
    assert names(result) == ["a"]
    assert spec_of(result)["source"] == {"path": "apps/a", "ref": "a!"}


def test_a_pattern_that_matches_nothing_is_named() -> None:
    result = expanded(directories("[{path: apps/*}, {path: gone/*}]"), FOLDERS)
    assert [(one.kind, one.pointer) for one in result.problems] == [
        (ProblemKind.PATTERN_MATCHES_NOTHING, "/spec/generators/0/git/directories/1/path")
    ]


def test_a_set_that_gives_nothing_would_delete_everything() -> None:
    result = expanded(directories("[{path: gone/*}]"), FOLDERS)
    assert ProblemKind.NOTHING_GENERATED in kinds(result)
    assert not result.fails
    assert ProblemKind.NOTHING_GENERATED in kinds(expanded("generators: [{list: {elements: []}}]"))


def test_another_repository_or_revision_is_not_known() -> None:
    other = expanded(directories("[{path: apps/*}]").replace(URL, "https://git.example/else.git"), FOLDERS)
    assert "which is not this one" in other.unresolved[0].reason
    assert not other.problems
    pinned = expanded(directories("[{path: apps/*}]").replace("HEAD", "v1.2.3"), FOLDERS)
    assert pinned.unresolved[0].pointer == "/spec/generators/0/git/revision"


def test_a_git_generator_needs_folders_or_files() -> None:
    assert kinds(expanded(f"generators: [{{git: {{repoURL: {URL}}}}}]")) == [ProblemKind.GENERATOR_ERROR]


# -- git files


def files_spec(patterns: str, go: bool = False) -> str:
    return f"""
        goTemplate: {str(go).lower()}
        generators: [{{git: {{repoURL: {URL}, files: {patterns}}}}}]
        """


CONFIGS = {
    "clusters/eu/config.yaml": "name: eu\nsize: {nodes: 3, zones: [a, b]}\nid: 1234567\n",
    "clusters/us/deep/config.json": '[{"name": "us1"}, {"name": "us2"}]',
    "config.json": '{"name": "root"}',
}


def test_files_are_matched_as_git_matches_them() -> None:
    assert names(expanded(files_spec("[{path: 'clusters/*.yaml'}]"), CONFIGS)) == ["x-eu"]
    assert names(expanded(files_spec("[{path: '**/config.json'}]"), CONFIGS)) == ["x-us1", "x-us2"]
    assert names(expanded(files_spec("[{path: clusters}]"), CONFIGS)) == ["x-eu", "x-us1", "x-us2"]
    assert names(expanded(files_spec("[{path: '*.json'}, {path: clusters/*, exclude: true}]"), CONFIGS)) == ["x-root"]


def test_the_parameters_of_a_file() -> None:
    result = expanded(files_spec("[{path: clusters/eu/config.yaml}]"), CONFIGS)
    assert result.applications[0].parameters == {
        "name": "eu",
        "size.nodes": "3",
        "size.zones.0": "a",
        "size.zones.1": "b",
        "id": "1.234567e+06",
        "path": "clusters/eu",
        "path.basename": "eu",
        "path.basenameNormalized": "eu",
        "path.filename": "config.yaml",
        "path.filenameNormalized": "config.yaml",
        "path[0]": "clusters",
        "path[1]": "eu",
    }


def test_a_file_at_the_root() -> None:
    result = expanded(files_spec("[{path: config.json}]", go=True), CONFIGS, GO_TEMPLATE)
    path = cast(Map, result.applications[0].parameters["path"])
    assert (path["path"], path["basename"], path["segments"]) == (".", ".", ["."])


def test_a_number_with_an_exponent_is_noticed() -> None:
    template = GO_TEMPLATE.replace("project: default", "project: '{{ .id }}'")
    result = expanded(files_spec("[{path: clusters/eu/*}]", go=True), CONFIGS, template)
    assert spec_of(result)["project"] == "1.234567e+06"
    assert [(one.kind, one.pointer) for one in result.problems] == [
        (ProblemKind.EXPONENT, "/spec/template/spec/project")
    ]


@pytest.mark.parametrize("text", ["just text", "[1, 2]", "a: [", "3"])
def test_a_file_without_a_map_stops_the_set(text: str) -> None:
    result = expanded(files_spec("[{path: c.yaml}]"), {"c.yaml": text})
    assert kinds(result) == [ProblemKind.GENERATOR_ERROR]


def test_an_empty_file_still_counts() -> None:
    result = expanded(
        files_spec("[{path: c/x.yaml}]", go=True), {"c/x.yaml": ""}, GO_TEMPLATE.replace(".name", ".path.basename")
    )
    assert names(result) == ["x-c"]


def test_a_path_outside_is_refused_by_git() -> None:
    assert kinds(expanded(files_spec("[{path: /c.yaml}]"), CONFIGS)) == [ProblemKind.GENERATOR_ERROR]
    assert expanded(files_spec("[{path: ':(glob)**/*.json'}]"), CONFIGS).unresolved


# -- combinations


def test_a_matrix_fills_its_second_child_from_the_first() -> None:
    result = expanded(
        f"""
        goTemplate: true
        generators:
        - matrix:
            generators:
            - list: {{elements: [{{team: red}}, {{team: blue}}]}}
            - git: {{repoURL: {URL}, directories: [{{path: 'teams/{{{{ .team }}}}/*'}}]}}
        template:
          metadata: {{name: '{{{{ .team }}}}-{{{{ .path.basename }}}}'}}
          spec: {{project: default}}
        """,
        ["teams/red/a/x", "teams/red/b/x", "teams/blue/c/x", "teams/green/d/x"],
    )
    assert names(result) == ["red-a", "red-b", "blue-c"]
    assert not result.problems


def test_in_a_matrix_the_first_child_wins() -> None:
    children = (
        "[{list: {elements: [{name: a, in: {x: 1, keep: 1}}]}}, {list: {elements: [{name: b, in: {x: 2, own: 2}}]}}]"
    )
    go = expanded(f"goTemplate: true\ngenerators: [{{matrix: {{generators: {children}}}}}]", template=GO_TEMPLATE)
    assert go.applications[0].parameters == {"name": "a", "in": {"x": 1, "keep": 1, "own": 2}}
    plain = "[{list: {elements: [{name: a}]}}, {list: {elements: [{name: b}]}}]"
    result = expanded(f"generators: [{{matrix: {{generators: {plain}}}}}]")
    assert "found duplicate key name with different value, a: a ,b: b" in result.problems[0].message


@pytest.mark.parametrize(
    ("children", "words"),
    [
        ("[{list: {elements: []}}]", "found less than two generators"),
        ("[{list: {}}, {list: {}}, {list: {}}]", "found more than two generators"),
        ("[{list: {}, git: {repoURL: HERE, directories: [{path: a}]}}, {list: {}}]", "found more than one generator"),
        ("[{lists: {}}, {list: {}}]", "child generator generated no parameters"),
    ],
)
def test_a_matrix_of_the_wrong_shape_stops_the_set(children: str, words: str) -> None:
    result = expanded(f"generators: [{{matrix: {{generators: {children.replace('HERE', URL)}}}}}]")
    assert kinds(result)[0] is ProblemKind.GENERATOR_ERROR
    assert words in result.problems[0].message


def test_combinations_nest_once() -> None:
    inner = "{matrix: {generators: [{list: {elements: [{name: a}, {name: b}]}}, {list: {elements: [{size: s}]}}]}}"
    outer = f"{{matrix: {{generators: [{inner}, {{list: {{elements: [{{zone: z}}]}}}}]}}}}"
    assert names(expanded(f"generators: [{outer}]")) == ["x-a", "x-b"]
    deepest = f"{{matrix: {{generators: [{outer}, {{list: {{elements: [{{more: m}}]}}}}]}}}}"
    assert kinds(expanded(f"generators: [{deepest}]")) == [ProblemKind.GENERATOR_ERROR]


MERGED = """
goTemplate: {go}
generators:
- merge:
    mergeKeys: {keys}
    generators:
    - list: {{elements: [{{name: a, size: small}}, {{name: b, size: small}}]}}
    - list: {{elements: [{{name: b, size: big}}, {{name: c, size: big}}]}}
"""


@pytest.mark.parametrize("go", ["true", "false"])
def test_a_merge_overrides_by_its_keys(go: str) -> None:
    result = expanded(MERGED.format(go=go, keys="[name]"), template=GO_TEMPLATE if go == "true" else "")
    assert [one.parameters for one in result.applications] == [
        {"name": "a", "size": "small"},
        {"name": "b", "size": "big"},
    ]


def test_a_merge_needs_keys_that_tell_its_sets_apart() -> None:
    assert "no merge keys" in expanded(MERGED.format(go="false", keys="[]")).problems[0].message
    assert "not unique" in expanded(MERGED.format(go="false", keys="[size]")).problems[0].message
    assert "not unique" in expanded(MERGED.format(go="true", keys="[nope]"), template=GO_TEMPLATE).problems[0].message
    alone = expanded("generators: [{merge: {mergeKeys: [name], generators: [{list: {elements: []}}]}}]")
    assert "found less than two generators, Merge" in alone.problems[0].message


# -- selectors


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("{matchLabels: {name: b}}", ["x-b"]),
        ("{matchExpressions: [{key: name, operator: NotIn, values: [a]}]}", ["x-b", "x-c"]),
        ("{matchExpressions: [{key: env, operator: Exists}]}", ["x-c"]),
        ("{matchExpressions: [{key: env, operator: DoesNotExist}]}", ["x-a", "x-b"]),
        ("{}", ["x-a", "x-b", "x-c"]),
        ("{matchLabels: {name: b, env: prod}}", []),
    ],
)
def test_a_selector_keeps_the_sets_that_match(selector: str, expected: list[str]) -> None:
    elements = "[{name: a}, {name: b}, {name: c, env: dev}]"
    assert names(expanded(f"generators: [{{list: {{elements: {elements}}}, selector: {selector}}}]")) == expected


def test_a_selector_sees_nested_parameters_with_dots() -> None:
    result = expanded(
        """
        goTemplate: true
        generators:
        - list: {elements: [{name: a, in: {env: dev}, num: [7]}, {name: b, in: {env: prod}, num: [8]}]}
          selector: {matchLabels: {in.env: prod, num.0: "8"}}
        """,
        template=GO_TEMPLATE,
    )
    assert names(result) == ["x-b"]


@pytest.mark.parametrize(
    "selector",
    [
        "{matchLabels: {'path[0]': a}}",
        "{matchExpressions: [{key: a, operator: Is}]}",
        "{matchExpressions: [{key: a, operator: In}]}",
    ],
)
def test_a_selector_that_is_none_stops_the_set(selector: str) -> None:
    result = expanded(f"generators: [{{list: {{elements: [{{name: a}}]}}, selector: {selector}}}]")
    assert kinds(result) == [ProblemKind.GENERATOR_ERROR]
    assert result.problems[0].pointer == "/spec/generators/0/selector"


# -- what is not in the files


@pytest.mark.parametrize("name", ["clusters", "scmProvider", "pullRequest", "clusterDecisionResource", "plugin"])
def test_what_asks_somebody_else_is_not_known(name: str) -> None:
    result = expanded(f"generators: [{{{name}: {{}}}}, {{list: {{elements: [{{name: a}}]}}}}]")
    assert [one.pointer for one in result.unresolved] == [f"/spec/generators/0/{name}"]
    assert [made.name for made in result.applications if not made.is_open] == ["x-a"]
    # The names that repositories and pull requests give are known, and `name` is none of them.
    assert set(kinds(result)) == ({ProblemKind.UNKNOWN_PARAMETER} if name in ("scmProvider", "pullRequest") else set())


@pytest.mark.parametrize("go", [False, True])
@pytest.mark.parametrize(
    ("generator", "case"), [("scmProvider", "repositories of a forge, with"), ("pullRequest", "pull requests, with")]
)
def test_the_names_that_are_said_to_be_given_were_given_in_the_lab(generator: str, case: str, go: bool) -> None:
    (run,) = json.loads((LAB / "answers" / "asking-others.json").read_text("utf-8"))["runs"]
    (shown,) = run[f"{case}{'' if go else 'out'} goTemplate"]["end"]["shown"].values()
    given = json.loads(shown["all"]) if go else {key: text for key, text in shown.items() if "{{" not in text}
    names = {name if go else name.replace("_", "-").lower() for name in names_given(generator, go)}
    assert names == {name for name in given if not name.startswith("values")}


def test_supplied_parameters_take_the_place_of_clusters() -> None:
    clusters: list[Mapping[str, Value]] = [
        {"name": "EU_1", "server": "https://eu", "metadata": {"labels": {"env": "prod"}}},
        {"name": "us", "server": "https://us"},
    ]
    spec = """
        goTemplate: true
        generators:
        - clusters: {selector: {matchLabels: {env: prod}}, values: {url: '{{ .server }}/x'}}
        template:
          metadata: {name: '{{ .nameNormalized }}'}
          spec: {project: '{{ index .metadata.labels "env" }}', source: {path: '{{ .values.url }}'}}
        """
    result = expanded(spec, supplied=clusters)
    assert names(result) == ["eu-1"]
    assert spec_of(result) == {"project": "prod", "source": {"path": "https://eu/x"}}
    assert not result.unresolved


def test_supplied_parameters_are_flattened_without_go_templates() -> None:
    spec = """
        generators: [{clusters: {}}]
        template:
          metadata: {name: '{{name}}-{{metadata.labels.env}}'}
          spec: {project: default}
        """
    assert names(expanded(spec, supplied=[{"name": "eu", "metadata": {"labels": {"env": "dev"}}}])) == ["eu-dev"]


# -- templates


def test_a_generators_own_template_is_filled_up_from_the_sets() -> None:
    result = expanded(
        """
        generators:
        - list:
            elements: [{name: a}]
            template:
              metadata: {labels: {own: "{{name}}"}}
              spec: {source: {path: own/path}, syncPolicy: {automated: {prune: false}}}
        template:
          metadata: {name: "x-{{name}}", labels: {base: b, own: no}}
          spec:
            project: default
            source: {repoURL: r, path: base/path}
            syncPolicy: {automated: {prune: true}}
        """
    )
    generated = result.applications[0]
    assert cast(Map, generated.value["metadata"])["labels"] == {"own": "a", "base": "b"}
    assert spec_of(result)["source"] == {"path": "own/path", "repoURL": "r"}
    # A false counts as not set at all.
    assert spec_of(result)["syncPolicy"] == {"automated": {"prune": True}}
    assert generated.origin("/spec/source/path") == "/spec/generators/0/list/template/spec/source/path"
    assert generated.origin("/spec/source/repoURL") == "/spec/template/spec/source/repoURL"
    assert generated.origin("/spec/source/helm/values") == "/spec/template/spec/source"


PATCHED = """
goTemplate: true
generators: [{list: {elements: [{name: a, auto: true, files: [x.yaml]}]}}]
templatePatch: |
%s
template:
  metadata: {name: "{{ .name }}", annotations: {keep: me, go: away}, finalizers: [one]}
  spec:
    project: default
    source: {repoURL: r, helm: {valueFiles: [base.yaml], valuesObject: {a: {b: 1}, c: 2}}}
"""


def patched(patch: str) -> Expansion:
    indented = "\n".join(f"  {line}" for line in dedent(patch).strip().split("\n"))
    return expanded(PATCHED % indented)


def test_a_patch_is_merged_into_each_application() -> None:
    result = patched(
        """
        metadata:
          annotations: {go: null, new: "{{ .name }}"}
          finalizers: [two]
        spec:
          project: other
          {{- if .auto }}
          syncPolicy: {automated: {prune: true}}
          {{- end }}
          source:
            helm:
              valueFiles:
              {{- range .files }}
              - {{ . }}
              {{- end }}
              valuesObject: {c: 3, d: {e: f}}
        """
    )
    assert not result.problems
    generated = result.applications[0]
    metadata = cast(Map, generated.value["metadata"])
    assert metadata["annotations"] == {"keep": "me", "new": "a"}
    assert metadata["finalizers"] == ["one", "two"]
    assert spec_of(result) == {
        "project": "default",
        "source": {
            "repoURL": "r",
            "helm": {"valueFiles": ["x.yaml"], "valuesObject": {"a": {"b": 1}, "c": 3, "d": {"e": "f"}}},
        },
        "syncPolicy": {"automated": {"prune": True}},
    }
    assert generated.origin("/spec/syncPolicy/automated/prune") == "/spec/templatePatch"
    assert generated.origin("/spec/source/helm/valueFiles/0") == "/spec/templatePatch"
    assert generated.origin("/spec/source/repoURL") == "/spec/template/spec/source/repoURL"


@pytest.mark.parametrize("patch", ["- a", "a: [", "{a: 1}", "spec: {source: {helm: {valuesObject: {a: {b: 2}}}}}"])
def test_a_patch_that_cannot_be_applied_stops_the_set(patch: str) -> None:
    result = patched(patch)
    assert kinds(result) == [ProblemKind.PATCH_ERROR]
    assert result.fails


def test_a_patch_may_come_to_nothing_and_a_directive_is_not_known() -> None:
    assert names(patched("{{ if .nope }}x: y{{ end }}")) == ["a"]
    assert "$patch" in patched("spec: {$patch: replace}").unresolved[0].reason


# -- problems


def test_names_between_braces_that_nobody_gives_stay() -> None:
    result = expanded("generators: [{list: {elements: [{nmae: a}]}}]")
    assert names(result) == ["x-{{name}}"]
    assert [(one.kind, one.pointer) for one in result.problems] == [
        (ProblemKind.UNKNOWN_PARAMETER, "/spec/template/metadata/name"),
        (ProblemKind.UNKNOWN_PARAMETER, "/spec/template/spec/source/path"),
    ]


def test_go_syntax_without_go_templates_is_noticed_even_where_nothing_is_known() -> None:
    result = expanded("generators: [{clusters: {}}]", template=GO_TEMPLATE)
    assert [(one.kind, one.pointer) for one in result.problems] == [
        (ProblemKind.SYNTAX_MISMATCH, "/spec/template/metadata/name"),
        (ProblemKind.SYNTAX_MISMATCH, "/spec/template/spec/source/path"),
    ]


@pytest.mark.parametrize("tag", ["{{name}}", "{{path.basename}}", "{{path[0]}}", "{{ cluster }}"])
def test_plain_syntax_with_go_templates_is_noticed(tag: str) -> None:
    result = expanded("goTemplate: true\ngenerators: [{clusters: {}}]", template=TEMPLATE.replace("{{name}}", tag))
    assert set(kinds(result)) == {ProblemKind.SYNTAX_MISMATCH}


def test_a_function_that_does_not_exist_is_another_matter() -> None:
    spec = "goTemplate: true\ngenerators: [{list: {elements: [{name: a}]}}]"
    result = expanded(spec, template=TEMPLATE.replace("{{name}}", "{{ uper .name }}"))
    assert set(kinds(result)) == {ProblemKind.TEMPLATE_ERROR}
    assert result.fails


def test_a_missing_key_is_printed_or_stops_the_set() -> None:
    spec = "goTemplate: true\n{}generators: [{{list: {{elements: [{{name: a}}]}}}}]"
    template = GO_TEMPLATE.replace("project: default", 'project: "{{ .team }}"')
    lax = expanded(spec.format(""), template=template)
    assert spec_of(lax)["project"] == "<no value>"
    assert [(one.kind, one.pointer) for one in lax.problems] == [(ProblemKind.NO_VALUE, "/spec/template/spec/project")]
    strict = expanded(spec.format('goTemplateOptions: ["missingkey=error"]\n'), template=template)
    assert kinds(strict) == [ProblemKind.TEMPLATE_ERROR]
    assert 'map has no entry for key "team"' in strict.problems[0].message


def test_an_option_that_go_does_not_know_stops_the_set() -> None:
    spec = "goTemplate: {}\ngoTemplateOptions: [missingkey=eror]\ngenerators: [{{list: {{elements: [{{name: a}}]}}}}]"
    result = expanded(spec.format("true"), template=GO_TEMPLATE)
    assert [(one.kind, one.pointer) for one in result.problems] == [
        (ProblemKind.UNKNOWN_OPTION, "/spec/goTemplateOptions/0")
    ]
    assert result.fails
    assert not expanded(spec.format("false")).problems


@pytest.mark.parametrize(
    ("elements", "kind"),
    [
        ("[{name: a}, {name: a}]", ProblemKind.DUPLICATE_NAME),
        ("[{name: A_b}]", ProblemKind.INVALID_NAME),
        ("[{name: 'a.'}]", ProblemKind.INVALID_NAME),
        ("[{name: ''}]", ProblemKind.EMPTY_NAME),
    ],
)
def test_names_must_be_there_be_one_of_a_kind_and_be_names(elements: str, kind: ProblemKind) -> None:
    template = TEMPLATE.replace("x-{{name}}", "{{name}}")
    result = expanded(f"generators: [{{list: {{elements: {elements}}}}}]", template=template)
    assert [(one.kind, one.pointer) for one in result.problems] == [(kind, "/spec/template/metadata/name")]


@pytest.mark.parametrize("item", ["{lists: {elements: []}}", "{clusters: null}", "{}", "{selector: {}}"])
def test_an_item_that_is_no_generator_yields_nothing(item: str) -> None:
    result = expanded(f"generators: [{item}, {{list: {{elements: [{{name: a}}]}}}}]")
    assert kinds(result) == [ProblemKind.UNKNOWN_GENERATOR]
    assert names(result) == ["x-a"]


def test_what_a_template_cannot_know_is_unresolved() -> None:
    spec = "goTemplate: true\ngenerators: [{list: {elements: [{name: a}]}}]"
    result = expanded(spec, template=GO_TEMPLATE.replace("project: default", "project: '{{ now }}'"))
    assert [one.pointer for one in result.unresolved] == ["/spec/template/spec/project"]
    assert not result.applications
    assert not result.problems


def test_too_many_sets_are_not_expanded() -> None:
    many = ", ".join(f"{{n{i}: x}}" for i in range(60))
    matrix = f"{{matrix: {{generators: [{{list: {{elements: [{many}]}}}}, {{list: {{elements: [{many}]}}}}]}}}}"
    assert "more than 2,000" in expanded(f"goTemplate: true\ngenerators: [{matrix}]").unresolved[0].reason


# -- patterns


def test_files_match_as_git_ls_files_matches(tmp_path: Path) -> None:
    paths = ["a/x.json", "a/b/x.json", "c/y.json", "x.json", ".h/x.json", "a/bx.yaml", "b/a/x"]
    for path in paths:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    git = ["git", "-C", str(tmp_path)]
    try:
        subprocess.run([*git, "init", "-q"], check=True)
        subprocess.run([*git, "add", "-A"], check=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("git is not here to compare with")
    for pattern in (
        "a", "a/", "a/*", "*.json", "**/x.json", "a/**/x.json", "./a/x.json", "a/?.json", "a/[!x].json", "a/[a-c]x.*",
        "*/x.json", "a/*/", "a?x.json", "**/*.json", "*", "a/x", "a/*x*", "[ab]/*/x*", "x.json", ".", "*/*",
    ):  # fmt: skip
        listed = subprocess.run([*git, "ls-files", "-z", "--", pattern], capture_output=True, text=True, check=True)
        expected = sorted(filter(None, listed.stdout.split("\0")))
        assert sorted(path for path in paths if matches_file(pattern, path)) == expected, pattern


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("apps/*", "apps/a", True),
        ("apps/*", "apps/a/b", False),
        ("apps/**", "apps/a", True),
        ("apps/**", "apps/a/b", False),
        ("*/[^a]?", "x/bc", True),
        ("*/[^a]?", "x/ac", False),
        ("*/[!a]", "x/b", False),
        ("*/[!a]", "x/!", True),
        ("a\\*", "a*", True),
        ("a*c*e", "abcde", True),
        ("a*c*e", "abcdef", False),
    ],
)
def test_folders_match_as_gos_path_match(pattern: str, path: str, expected: bool) -> None:
    assert matches_folder(pattern, path) is expected


@given(st.text(alphabet="ab*?[]-\\/^!", max_size=12), st.text(alphabet="ab/", max_size=12))
def test_matching_never_throws_anything_else(pattern: str, path: str) -> None:
    for matches in (matches_folder, matches_file):
        with suppress(BadPattern):
            assert matches(pattern, path) in (True, False)


# -- anything at all

_keys = st.sampled_from(
    "spec generators list git matrix merge clusters elements elementsYaml directories files path exclude repoURL "
    "values selector matchLabels matchExpressions key operator template metadata name labels templatePatch goTemplate "
    "goTemplateOptions mergeKeys pathParamPrefix a b".split()
)
_leaves = st.sampled_from(
    [None, True, False, 1, 1.5, "", "a", URL, "*", "**", "a/*", "{{a}}", "{{ .a }}", "{{ .path.basename }}", "{{", "}}",
     "{{ now }}", "missingkey=error", "In", "a: 1", "[{a: b}]", "{{ range .a }}"]
)  # fmt: skip
_values = st.recursive(
    _leaves,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=4),
    max_leaves=25,
)


@settings(deadline=None, max_examples=300)
@given(st.dictionaries(_keys, _values, max_size=4), st.booleans())
def test_no_value_makes_it_throw(spec: dict[str, Value], go: bool) -> None:
    tree = Files({"a/b/c.yaml": "a: {b: [1, 2]}", "a/x.json": "[{}]", "b/y": ""})
    value: Map = {"metadata": {"name": "shop"}, "spec": {**spec, "goTemplate": go}}
    result = expand(value, tree, lambda url: True, {"shop": [{"name": "c"}]})
    assert all(isinstance(one.name, str) for one in result.applications)
    for one in result.applications:
        assert one.origin("/spec/source/path").startswith("/spec/")
