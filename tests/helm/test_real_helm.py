"""Charts rendered by a real Helm: the same as it prints by itself, and never more than it may."""

from __future__ import annotations

import io
import json
import os
import resource
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest
from gitops_lint.linter.files.disk import Reader
from gitops_lint.linter.helm.answer import MissingDependency, Rendering
from gitops_lint.linter.helm.helm_request import Request, arguments
from gitops_lint.linter.helm.run import chart_copy, real_helm
from gitops_lint.linter.helm.run.real_helm import HelmBinary, RealHelm, find_helm
from gitops_lint.linter.programs.outcomes import Failed, Printed, Refused
from gitops_lint.linter.programs.processes import NoBinary
from real_tools import helm as helm4
from real_tools import helm3


@pytest.fixture(params=["Helm 3", "Helm 4"])
def binary(request: pytest.FixtureRequest) -> HelmBinary:
    found = find_helm(str(helm3() if request.param == "Helm 3" else helm4()))
    assert found is not None
    return found


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def chart(name: str, files: dict[str, str], more: str = "") -> dict[str, str]:
    own = {"Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: 0.1.0\n{more}", **files}
    return {f"{name}/{path}": text for path, text in own.items()}


def object_named(name: str, more: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{more}"


def render(binary: HelmBinary, root: Path, request: Request) -> Rendering:
    return RealHelm(binary, Reader(root)).template(request)


def text(rendering: Rendering) -> str:
    assert isinstance(rendering.outcome, Printed), rendering.outcome
    return rendering.outcome.text


def refusal(rendering: Rendering) -> str:
    assert isinstance(rendering.outcome, Refused), rendering.outcome
    return rendering.outcome.message


def plain(binary: HelmBinary, root: Path, *words: str) -> str:
    """What Helm prints when nobody stands between."""
    done = subprocess.run([binary.program, *words], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


# -- the same as Helm


LIBRARY = {
    "Chart.yaml": "apiVersion: v2\nname: common\nversion: 1.0.0\ntype: library\n",
    "templates/_labels.tpl": '{{- define "common.labels" -}}\napp: {{ .Chart.Name }}\nteam: {{ .Values.global.team }}\n{{- end }}\n',
}
UMBRELLA = {
    **{f"libs/common/{path}": content for path, content in LIBRARY.items()},
    "apps/shop/Chart.yaml": (
        "apiVersion: v2\nname: shop\nversion: 1.0.0\ndependencies:\n"
        "  - {name: common, version: 1.x.x, repository: 'file://../../libs/common'}\n"
        "  - {name: web, version: 0.1.0, alias: front, condition: front.enabled}\n"
        "  - {name: queue, version: 2.0.0, condition: queue.enabled}\n"
    ),
    "apps/shop/values.yaml": (
        "global: {team: none}\nqueue: {enabled: false}\nfront: {enabled: true}\nmessage: 'for {{ .Release.Name }}'\n"
    ),
    "apps/shop/.helmignore": "*.bak\n",
    "apps/shop/templates/old.yaml.bak": "{{ this is ignored",
    "apps/shop/templates/config.yaml": (
        object_named("{{ .Release.Name }}", '  labels: {{- include "common.labels" . | nindent 4 }}\n')
        + "data:\n  a: {{ tpl .Values.message . | quote }}\n  file: {{ .Files.Get \"files/motd\" | quote }}\n"
        "  set: {{ .Values.one | quote }}\n  text: {{ .Values.two | quote }}\n  lent: {{ .Values.three | quote }}\n"
        "  namespace: {{ .Release.Namespace }}\n  kube: {{ .Capabilities.KubeVersion.Version }}\n"
        '  monitors: {{ .Capabilities.APIVersions.Has "monitoring.coreos.com/v1" | quote }}\n'
    ),
    "apps/shop/templates/hook.yaml": object_named("hook", "  annotations:\n    helm.sh/hook: pre-install\n"),
    "apps/shop/templates/tests/test.yaml": object_named("test", "  annotations:\n    helm.sh/hook: test\n"),
    "apps/shop/templates/NOTES.txt": "Thank you\n",
    "apps/shop/crds/crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: x\n",
    "apps/shop/files/motd": "hello\n",
    "apps/shop/charts/web-folder/Chart.yaml": "apiVersion: v2\nname: web\nversion: 0.1.0\n",
    "apps/shop/charts/web-folder/templates/web.yaml": object_named("{{ .Chart.Name }}-{{ .Values.global.team }}"),
    "values/team.yaml": "global:\n  team: blue\n",
    "values/other.yaml": "global:\n  team: red\n",
    "values/lent.txt": "lent, indeed",
}  # fmt: skip


def archive(path: Path, files: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as packed:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content.encode())
            packed.addfile(member, io.BytesIO(content.encode()))


@pytest.fixture
def umbrella(tmp_path: Path) -> Path:
    root = write(tmp_path / "repo", UMBRELLA)
    queue = chart("queue", {"templates/queue.yaml": object_named("queue")})
    queue["queue/Chart.yaml"] = "apiVersion: v2\nname: queue\nversion: 2.0.0\n"
    archive(root / "apps/shop/charts/queue-2.0.0.tgz", queue)
    return root


FULL = Request(
    chart="apps/shop",
    release="store",
    namespace="shops",
    value_files=("values/team.yaml", "values/other.yaml"),
    values="queue: {enabled: true}\n",
    set=(("one", "a,b"), ("front.enabled", "true")),
    set_string=(("two", "1"),),
    set_file=(("three", "values/lent.txt"),),
    kube_version="v1.31",
    api_versions=("monitoring.coreos.com/v1",),
)


def test_the_output_is_that_of_a_plain_helm(binary: HelmBinary, umbrella: Path) -> None:
    before = tree(umbrella)
    ours = render(binary, umbrella, FULL)
    assert tree(umbrella) == before, "nothing is written into the repository"
    assert (ours.missing, ours.left_out, ours.schema_unchecked) == ((), (), "")

    (umbrella / "inline.yaml").write_text(FULL.values)
    # As it lies in git the library is not in charts/, and Argo CD has it built.
    write(umbrella, {f"apps/shop/charts/common/{path}": content for path, content in LIBRARY.items()})
    theirs = plain(binary, umbrella, *arguments(FULL, "inline.yaml"))
    assert text(ours) == theirs

    for words in (
        "name: store", "team: red", 'a: "for store"', "file: \"hello\\n\"", 'set: "a,b"', 'text: "1"',
        'lent: "lent, indeed"', "namespace: shops", "kube: v1.31.0", 'monitors: "true"', "name: front-red",
        "name: queue", "kind: CustomResourceDefinition", "name: hook", "name: test",
    ):  # fmt: skip
        assert words in theirs
    assert "Thank you" not in theirs


def test_options_switch_parts_off(binary: HelmBinary, umbrella: Path) -> None:
    request = Request("apps/shop", "store", include_crds=False, skip_tests=True, set=(("front.enabled", "false"),))
    printed = text(render(binary, umbrella, request))
    assert "# Source: shop/templates/config.yaml" in printed
    assert "CustomResourceDefinition" not in printed
    assert "name: test" not in printed
    assert "# Source: shop/charts" not in printed


def test_a_schema_is_checked_unless_it_is_not_wanted(binary: HelmBinary, tmp_path: Path) -> None:
    files = {"templates/a.yaml": object_named("a"), "values.schema.json": '{"required": ["name"]}'}
    write(tmp_path, chart("c", files))
    assert "name" in refusal(render(binary, tmp_path, Request("c", "r")))
    assert text(render(binary, tmp_path, Request("c", "r", skip_schema_validation=True))).endswith(object_named("a"))


def test_a_chart_at_the_root_of_the_repository(binary: HelmBinary, tmp_path: Path) -> None:
    write(
        tmp_path,
        {path.removeprefix("c/"): t for path, t in chart("c", {"templates/a.yaml": object_named("a")}).items()},
    )
    write(tmp_path, {".git/config": "[remote]\n"})
    assert (
        text(render(binary, tmp_path, Request(".", "r"))) == f"---\n# Source: c/templates/a.yaml\n{object_named('a')}"
    )


def test_requirements_of_old_charts_are_read(binary: HelmBinary, tmp_path: Path) -> None:
    write(tmp_path, chart("c", {"templates/a.yaml": object_named("a")}))
    write(tmp_path, chart("lib", {"templates/b.yaml": object_named("b")}))
    write(
        tmp_path,
        {
            "c/Chart.yaml": "apiVersion: v1\nname: c\nversion: 0.1.0\n",
            "c/requirements.yaml": (
                "dependencies:\n  - {name: lib, version: 0.1.0, repository: 'file://../lib'}\n"
                "  - {name: far, version: 1.0.0, repository: 'https://charts.example.com'}\n"
            ),
        },
    )
    rendering = render(binary, tmp_path, Request("c", "r"))
    assert rendering.missing == (MissingDependency("far", "1.0.0", "https://charts.example.com"),)
    assert "# Source: c/charts/lib/templates/b.yaml" in text(rendering)


def test_what_a_borrowed_chart_needs_is_not_built_as_helm_does_not_build_it(binary: HelmBinary, tmp_path: Path) -> None:
    needs = "dependencies:\n  - {{name: {0}, version: 0.1.0, repository: 'file://../{0}'}}\n"
    write(tmp_path, chart("top", {"templates/a.yaml": object_named("a")}, needs.format("middle")))
    write(tmp_path, chart("middle", {"templates/b.yaml": object_named("b")}, needs.format("leaf")))
    write(tmp_path, chart("leaf", {"templates/c.yaml": object_named("c")}))
    ours = render(binary, tmp_path, Request("top", "r"))
    plain(binary, tmp_path, "dependency", "build", "top")
    assert text(ours) == plain(binary, tmp_path, "template", "top", "--name-template", "r", "--include-crds")
    assert ours.missing == ()


# -- what is missing


NEEDS_FAR = (
    "dependencies:\n  - name: far\n    version: ^1\n    repository: https://charts.example.com\n"
    "    condition: far.enabled\n"
)
FAR = MissingDependency("far", "^1", "https://charts.example.com")


def test_what_can_be_rendered_without_a_missing_chart_is(binary: HelmBinary, tmp_path: Path) -> None:
    files = {
        "values.yaml": "far: {enabled: false}\n",
        "templates/a.yaml": object_named("a"),
        "templates/b.yaml": object_named('{{ include "far.name" . }}'),
        "templates/c.yaml": object_named('{{ template "far.name" . }}'),
        "templates/d.yaml": object_named('{{ include "c.name" . }}'),
        "templates/e.yaml": object_named("{{ .Values.far.deep.name }}"),
        "templates/_names.tpl": '{{ define "c.name" }}{{ include "far.name" . }}{{ end }}',
    }
    write(tmp_path, chart("c", files, NEEDS_FAR))
    rendering = render(binary, tmp_path, Request("c", "r"))
    assert text(rendering) == f"---\n# Source: c/templates/a.yaml\n{object_named('a')}"
    assert rendering.missing == (FAR,)
    assert sorted(one.path for one in rendering.left_out) == [f"c/templates/{name}.yaml" for name in "bcde"]
    reasons = {one.path: one.reason for one in rendering.left_out}
    assert reasons["c/templates/b.yaml"].startswith("needs a missing chart: ")
    assert 'no template "far.name"' in reasons["c/templates/b.yaml"]


def test_templates_of_charts_in_charts_are_left_out_too(binary: HelmBinary, tmp_path: Path) -> None:
    needs = NEEDS_FAR + "  - {name: near, version: 0.1.0, repository: 'file://../near'}\n"
    write(tmp_path, chart("c", {"templates/a.yaml": object_named("a")}, needs))
    near = {"templates/n.yaml": object_named('{{ include "far.name" . }}'), "templates/m.yaml": object_named("m")}
    write(tmp_path, chart("near", near))
    rendering = render(binary, tmp_path, Request("c", "r"))
    assert [one.path for one in rendering.left_out] == ["near/templates/n.yaml"]
    assert "c/charts/near/templates/m.yaml" in text(rendering)


def test_another_fault_is_not_blamed_on_a_missing_chart(binary: HelmBinary, tmp_path: Path) -> None:
    write(tmp_path, chart("c", {"templates/a.yaml": 'a: 1\nb: {{ required "say b" .Values.b }}\n'}, NEEDS_FAR))
    rendering = render(binary, tmp_path, Request("c", "r"))
    assert refusal(rendering) == "execution error at (c/templates/a.yaml:2:6): say b"
    assert rendering.missing == (FAR,)


def test_an_archive_that_is_something_else_counts_as_missing(binary: HelmBinary, tmp_path: Path) -> None:
    write(tmp_path, chart("c", {"templates/a.yaml": object_named("a")}, NEEDS_FAR))
    archive(tmp_path / "c/charts/far-1.0.0.tgz", chart("near", {"templates/n.yaml": object_named("n")}))
    rendering = render(binary, tmp_path, Request("c", "r"))
    assert rendering.missing == (FAR,)
    assert "c/charts/near/templates/n.yaml" in text(rendering)


# -- messages


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("a: 1\nb: {{ fail \"no good\" }}\n", "execution error at (c/templates/a.yaml:2:6): no good"),
        ("a: {{ .Values.x.y }}\n", "c/templates/a.yaml:1:13"),
        ("a: {{ nope }}\n", 'parse error at (c/templates/a.yaml:1): function "nope" not defined'),
        ("a: {{ env \"HOME\" }}\n", 'parse error at (c/templates/a.yaml:1): function "env" not defined'),
        ("a: 1\n b: 2\n", "YAML parse error on c/templates/a.yaml"),
    ],
)  # fmt: skip
def test_a_refusal_is_one_line_with_its_place(binary: HelmBinary, tmp_path: Path, template: str, said: str) -> None:
    write(tmp_path, chart("c", {"templates/a.yaml": template}))
    message = refusal(render(binary, tmp_path, Request("c", "r")))
    assert said in message
    assert "\n" not in message
    assert "--debug" not in message


def test_no_path_of_this_machine_is_told(binary: HelmBinary, tmp_path: Path) -> None:
    write(tmp_path, {**chart("c", {"templates/a.yaml": object_named("a")}), "v.yaml": "a: [\n"})
    assert refusal(render(binary, tmp_path, Request("c", "r", value_files=("v.yaml",)))).startswith(
        "failed to parse v.yaml:"
    )
    assert refusal(render(binary, tmp_path, Request("c", "r", values="a: ["))).startswith(
        "failed to parse the inline values:"
    )


# -- hostile charts


HOSTILE = {
    "recursion of include": ('{{ define "x" }}{{ include "x" . }}{{ end }}{{ include "x" . }}', "nested reference name"),
    "recursion of template": ('{{ define "x" }}{{ template "x" . }}{{ end }}{{ template "x" . }}', "maximum template depth"),
    "a gigabyte at once": ('a: {{ repeat 1000000000 "x" }}\n', "needed more memory than it may have"),
    "a gigabyte in pieces": ('{{ range until 1000000 }}{{ repeat 1000 "x" }}\n{{ end }}', "needed more memory than it may have"),
    "recursion of tpl": ('{{ tpl .Values.x . }}', "needed more memory than it may have"),
}  # fmt: skip


@pytest.mark.skipif(sys.platform != "linux", reason="only there the memory of another process can be limited")
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_chart_ends_quickly(binary: HelmBinary, tmp_path: Path, name: str) -> None:
    template, reason = HOSTILE[name]
    write(tmp_path, chart("c", {"templates/a.yaml": template, "values.yaml": "x: '{{ tpl .Values.x . }}'\n"}))
    before = largest_child()
    outcome = render(binary, tmp_path, Request("c", "r")).outcome
    assert isinstance(outcome, Refused | Failed)
    # On a machine that is busy the clock may be first.
    assert reason in outcome[0] or outcome == Failed("took longer than 30 seconds", True)
    assert len(outcome[0]) < 1100
    assert largest_child() <= max(before, 1.2 * 1024**2)


def largest_child() -> int:
    """In kilobytes, of all so far."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss


def test_an_endless_range_is_ended(binary: HelmBinary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_helm, "HELM_SECONDS", 0.5)
    loop = "{{ range until 100000 }}{{ range until 100000 }}{{ end }}{{ end }}"
    write(tmp_path, chart("c", {"templates/a.yaml": loop}))
    start = time.monotonic()
    assert render(binary, tmp_path, Request("c", "r")).outcome == Failed("took longer than 0.5 seconds", True)
    assert time.monotonic() - start < 5


def test_too_much_output_is_cut(binary: HelmBinary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(real_helm, "MAX_OUTPUT", 1024**2)
    write(tmp_path, chart("c", {"templates/a.yaml": '{{ range until 2000 }}---\na: {{ repeat 1000 "x" }}\n{{ end }}'}))
    assert render(binary, tmp_path, Request("c", "r")).outcome == Failed("printed more than 1 MB", True)


def test_nothing_outside_the_repository_is_read(binary: HelmBinary, tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/word.yaml").write_text("word: hush\n")
    template = "".join(
        f"{key}: {{{{ .Files.Get {path!r} | quote }}}}\n".replace("'", '"')
        for key, path in enumerate(("../../secret/word.yaml", "/etc/passwd", "link", "folder/word.yaml"))
    )
    root = write(tmp_path / "repo", chart("c", {"templates/a.yaml": template}))
    (root / "c/link").symlink_to(tmp_path / "secret/word.yaml")
    (root / "c/folder").symlink_to(tmp_path / "secret")
    (root / "c/templates/link.yaml").symlink_to(tmp_path / "secret/word.yaml")
    (root / "values.yaml").symlink_to(tmp_path / "secret/word.yaml")
    rendering = render(binary, root, Request("c", "r"))
    assert text(rendering).splitlines()[2:] == ['0: ""', '1: ""', '2: ""', '3: ""']
    assert sorted(one.path for one in rendering.left_out) == ["c/folder", "c/link", "c/templates/link.yaml"]
    assert all("a link that leads out of the repository" in one.reason for one in rendering.left_out)
    outcome = render(binary, root, Request("c", "r", value_files=("values.yaml",))).outcome
    assert isinstance(outcome, Failed)
    assert outcome.reason.startswith("values.yaml cannot be read: a link that leads out")


def test_links_inside_the_repository_are_followed(binary: HelmBinary, tmp_path: Path) -> None:
    write(tmp_path, {**chart("c", {"templates/a.yaml": object_named("a")}), "shared/b.yaml": object_named("b")})
    (tmp_path / "c/templates/shared").symlink_to(tmp_path / "shared")
    (tmp_path / "shared/circle").symlink_to(tmp_path / "shared")
    rendering = render(binary, tmp_path, Request("c", "r"))
    assert "# Source: c/templates/shared/b.yaml" in text(rendering)
    assert rendering.left_out == ()


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (Request("c", '{{ getHostByName "example.com" }}'), "the release name is a template"),
        (Request("c", "r", value_files=("x,/etc/passwd",)), "a comma or a quote"),
        (Request("c", "r", set_file=(("a=/etc/passwd,b", "c/Chart.yaml"),)), "a comma or an equals sign"),
        (Request("../c", "r"), "leads out of the repository"),
        (Request("c", "r", value_files=("/etc/passwd",)), "leads out of the repository"),
        (Request("c", "r", set_file=(("a", "c/../../x"),)), "leads out of the repository"),
        (Request("c", "r\0"), "cannot be started"),
    ],
)
def test_words_that_helm_would_take_for_something_else(
    binary: HelmBinary, tmp_path: Path, request_: Request, reason: str
) -> None:
    write(tmp_path, chart("c", {"templates/a.yaml": object_named("a")}))
    outcome = render(binary, tmp_path, request_).outcome
    assert isinstance(outcome, Failed)
    assert reason in outcome.reason


SCHEMAS = {
    "an address": '{"properties": {"a": {"$ref": "http://127.0.0.1:9/a.json"}}}',
    "an escaped key": '{"properties": {"a": {"\\u0024ref": "http://127.0.0.1:9/a.json"}}}',
    "the first of two": '{"$ref": "http://127.0.0.1:9/a.json", "$ref": "#/b"}',
    "a file": '{"$ref": "file:///etc/hostname"}',
    "a draft nobody knows": '{"$schema": "http://127.0.0.1:9/draft"}',
}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_fetches_nothing(binary: HelmBinary, tmp_path: Path, name: str) -> None:
    write(tmp_path, chart("c", {"templates/a.yaml": object_named("a"), "values.schema.json": SCHEMAS[name]}))
    inner = chart("d", {"templates/d.yaml": object_named("d"), "values.schema.json": SCHEMAS[name]})
    write(tmp_path, chart("packed", {"templates/a.yaml": object_named("a")}))
    archive(tmp_path / "packed/charts/d-0.1.0.tgz", inner)
    for folder in ("c", "packed"):
        rendering = render(binary, tmp_path, Request(folder, "r"))
        assert rendering.schema_unchecked.startswith("a values.schema.json refers to what is not in the chart")
        assert text(rendering).endswith(object_named("a"))


def test_an_ordinary_schema_is_no_reason(binary: HelmBinary, tmp_path: Path) -> None:
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "https://example.com/x.json",
        "properties": {"a": {"$ref": "#/definitions/a"}},
        "definitions": {"a": {"type": "string"}},
    }
    write(tmp_path, chart("c", {"templates/a.yaml": object_named("a"), "values.schema.json": json.dumps(schema)}))
    assert render(binary, tmp_path, Request("c", "r")).schema_unchecked == ""
    assert "c:" in refusal(render(binary, tmp_path, Request("c", "r", set=(("a", "1"),))))


def test_a_chart_that_is_too_large_is_cut_and_it_is_said(
    binary: HelmBinary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chart_copy, "MAX_BYTES", 1000)
    monkeypatch.setattr(chart_copy, "MAX_FILES", 6)
    files = {f"files/{number}": "x" * 600 for number in range(9)}
    write(tmp_path, chart("c", {"templates/a.yaml": object_named("a"), **files}))
    rendering = render(binary, tmp_path, Request("c", "r"))
    assert {(one.path, one.reason) for one in rendering.left_out} >= {
        ("c", "has more than 6 files"),
        ("c/files/1", "the chart has more than 0 MB"),
    }
    assert isinstance(rendering.outcome, Printed | Refused)


def test_names_of_dependencies_lead_nowhere(binary: HelmBinary, tmp_path: Path) -> None:
    needs = "dependencies:\n  - {name: ../../../../escaped, version: 0.1.0, repository: 'file://../d'}\n"
    root = write(tmp_path / "repo", chart("c", {"templates/a.yaml": object_named("a")}, needs))
    write(root, chart("d", {"templates/d.yaml": object_named("d")}))
    render(binary, root, Request("c", "r"))
    assert not list(tmp_path.rglob("escaped*"))


def test_helm_gets_nothing_of_our_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "helm"
    program.write_text('#!/bin/sh\nif [ "$1" = version ]; then echo v3.17.3; exit; fi\nenv | sort\npwd\n')
    program.chmod(0o755)
    write(tmp_path / "repo", chart("c", {}))
    for name in (
        "HELM_PLUGINS",
        "HELM_REPOSITORY_CONFIG",
        "KUBERNETES_SERVICE_HOST",
        "AWS_SECRET_ACCESS_KEY",
        "NO_PROXY",
    ):
        monkeypatch.setenv(name, "ours")
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.com")
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    found = find_helm(str(program))
    assert found is not None
    *lines, cwd = text(render(found, tmp_path / "repo", Request("c", "r"))).splitlines()
    variables = dict(line.split("=", 1) for line in lines)
    assert "ours" not in variables.values()
    assert variables["HTTPS_PROXY"] == variables["http_proxy"] == "http://127.0.0.1:9"
    assert all(os.path.isabs(folder) for folder in variables["PATH"].split(os.pathsep))
    scratch = os.path.dirname(cwd)
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        assert variables[name].startswith(f"{scratch}/home")
    assert not Path(scratch).exists()


# -- several, and once


def test_each_request_is_run_once(tmp_path: Path) -> None:
    log = tmp_path / "log"
    program = tmp_path / "helm"
    program.write_text(
        f'#!/bin/sh\nif [ "$1" = version ]; then echo v4.0.0; exit; fi\necho s >> {log}\nsleep 0.3\necho e >> {log}\n'
    )
    program.chmod(0o755)
    write(tmp_path / "repo", chart("c", {}))
    found = find_helm(str(program))
    assert found is not None
    helm = RealHelm(found._replace(confined=False), Reader(tmp_path / "repo"))  # behind walls it could write no log
    requests = [Request("c", f"r{number}") for number in range(6)]
    helm.prepare([*requests, *requests])
    assert [helm.template(request).outcome for request in requests] == [Printed("")] * 6
    words = log.read_text().split()
    assert words.count("s") == 6
    assert os.cpu_count() == 1 or words[:2] == ["s", "s"]


def test_marks_are_put_into_the_templates_of_the_copy(binary: HelmBinary, umbrella: Path) -> None:
    seen: dict[int, str] = {}

    def mark(source: str, number: int) -> str:
        seen[number] = source
        return f"# file {number}\n{source}"

    helm = RealHelm(binary, Reader(umbrella), mark=mark)
    rendering = helm.template(FULL, marked=True)
    paths = {
        "apps/shop/charts/web-folder/templates/web.yaml", "apps/shop/templates/config.yaml", "apps/shop/templates/hook.yaml",
        "apps/shop/templates/old.yaml.bak", "apps/shop/templates/tests/test.yaml", "libs/common/templates/_labels.tpl",
    }  # fmt: skip
    assert set(rendering.marked) == paths
    assert {rendering.marked[number]: source for number, source in seen.items()} == {
        path: UMBRELLA[path] for path in paths
    }
    number = rendering.marked.index("apps/shop/templates/hook.yaml")
    assert f"# Source: shop/templates/hook.yaml\n# file {number}\n" in text(rendering)
    assert "# file" not in text(helm.template(FULL))


# -- which Helm


def fake(path: Path, version: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho {version}\n")
    path.chmod(0o755)
    return path


def test_the_helm_on_the_path_comes_before_the_one_beside_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside = fake(tmp_path / "scripts/helm", "v3.17.3")
    monkeypatch.setattr(real_helm.sysconfig, "get_path", lambda name: str(tmp_path / name))
    monkeypatch.setenv("PATH", f"/usr/bin{os.pathsep}/bin{os.pathsep}{tmp_path}/bin")
    assert find_helm("auto") == HelmBinary(str(beside), "v3.17.3")
    ours = fake(tmp_path / "bin/helm", "v4.1.0+g123")
    assert find_helm("auto") == HelmBinary(str(ours), "v4.1.0+g123")
    fake(ours, "v2.17.0")
    assert find_helm("auto") == HelmBinary(str(beside), "v3.17.3")
    beside.unlink()
    assert find_helm("auto") is None
    assert find_helm("off") is None


def test_a_relative_folder_of_the_path_is_not_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path / "helm", "v3.17.3")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(real_helm.sysconfig, "get_path", lambda name: str(tmp_path / "nowhere"))
    monkeypatch.setenv("PATH", f".{os.pathsep}/usr/bin")
    assert find_helm("auto") is None


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("v2.17.0", "is Helm v2.17.0; only Helm 3 and Helm 4 render charts"),
        ("v5.0.0", "is Helm v5.0.0; only"),
        ("hello", "does not tell its version as a helm would"),
        ("; exit 1", "does not tell its version as a helm would"),
    ],
)
def test_another_program_is_refused_in_words(tmp_path: Path, version: str, reason: str) -> None:
    with pytest.raises(NoBinary, match=reason):
        find_helm(str(fake(tmp_path / "helm", version)))


def test_a_path_without_a_program(tmp_path: Path) -> None:
    with pytest.raises(NoBinary, match="no such program"):
        find_helm(str(tmp_path / "helm"))
