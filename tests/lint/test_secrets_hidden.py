"""A marker in many places that are nobody's business, looked for in everything that is printed or written."""

from __future__ import annotations

import base64
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import NoReturn

import pytest
import yaml
from click.testing import CliRunner
from git_repository import Checkout
from gitops_lint.linter.cli import main
from gitops_lint.linter.lint.redaction import without_values
from gitops_lint.linter.lint.rule import Rule
from gitops_lint.linter.report.formats import FINDINGS
from jsonschema import ValidationError
from real_tools import helm3
from support import rule_named, run_rules

COMMAND = Path(sys.executable).with_name("gitops-lint")
NUMBER = [0]
SHOWN = (21, 22)
"""Those of the Deployment: `render` shows what stands in a manifest, and hides what Secrets hold."""


def marker() -> str:
    """Another one each time, so that a leak tells where it comes from."""
    NUMBER[0] += 1
    return f"mArKeR{NUMBER[0]:02d}x7Kq9Zt2Wv5"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def secret(name: str, *, old: str = "") -> str:
    return f"""\
apiVersion: v1
kind: Secret
metadata: {{name: {name}}}
type: Opaque
stringData:
  plain: {marker()}{old}
  quoted: "{marker()}"
  block: |
    first
    {marker()}
  password: {marker()}
  twice: {marker()}
  twice: {marker()}
  unknown: [{marker()}]
data:
  token: {encoded(marker())}
  wrong: {marker()}
  wave: {{deep: {marker()}}}
data2: {{}}
"""


def files(old: str = "") -> dict[str, str]:
    NUMBER[0] = 0
    return {
        "secret.yaml": secret("a", old=old),
        "flow.yaml": f'{{"apiVersion": "v1", "kind": "Secret", "metadata": {{"name": "b"}}, "stringData": {{"a": "{marker()}"}}}}\n',
        "list.yaml": f"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {{name: c}}\n  stringData:\n    a: {marker()}\n",
        "broken.yaml": f"apiVersion: v1\nkind: Secret\nmetadata: {{name: d}}\nstringData:\n  a: {marker()}\n  b: [\n",
        "sealed.yaml": f"""\
apiVersion: bitnami.com/v1alpha1
kind: SealedSecret
metadata: {{name: e, annotations: {{argocd.argoproj.io/sync-wave: x}}}}
spec:
  encryptedData: {{a: AgB}}
  template:
    data:
      config: {marker()}
""",
        "app.yaml": f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: app, namespace: argocd}}
spec:
  project: default
  source:
    repoURL: https://git.example.com/x.git
    path: chart
    targetRevision: HEAD
    helm:
      parameters:
      - name: db.password
        value: {marker()}
      values: |
        password: {marker()}
      valuesObject:
        apiToken: {marker()}
      unknownField: 1
  destination: {{server: https://kubernetes.default.svc, namespace: a}}
  syncPolicy: {{automated: {{prune: false}}}}
""",
        "set.yaml": f"""\
apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {{name: set, namespace: argocd}}
spec:
  generators: [{{list: {{elements: [{{name: a, token: {marker()}}}]}}}}]
  template:
    metadata: {{name: '{{{{name}}}}-{{{{token}}}}'}}
    spec:
      project: default
      source: {{repoURL: https://git.example.com/x.git, path: p, helm: {{parameters: [{{name: password, value: {marker()}}}]}}}}
      destination: {{server: https://kubernetes.default.svc, namespace: a}}
""",
        "kust/kustomization.yaml": f"secretGenerator:\n- name: gen\n  literals:\n  - password={marker()}\n  unknown: 1\n",
        "deployment.yaml": f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: d}}
spec:
  replicas: x
  selector: {{matchLabels: {{a: b}}}}
  template:
    metadata: {{labels: {{a: b}}}}
    spec:
      containers:
      - name: a
        image: a
        env:
        - name: DB_PASSWORD
          value: {marker()}
          unknown: 1
        args: [--password, {marker()}]
""",
        **chart(),
        "far/app.yaml": f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: far, namespace: argocd}}
spec:
  project: default
  source:
    repoURL: https://me:{marker()}@git.example.com/x.git
    path: chart
    targetRevision: HEAD
    helm: {{valueFiles: ["https://values.example.com/x.yaml?token={marker()}"]}}
  destination: {{server: https://kubernetes.default.svc, namespace: a}}
""",
        "far/kustomization.yaml": f"resources:\n- https://bases.example.com/x.yaml?X-Goog-Signature={marker()}\n",
    }


def chart() -> dict[str, str]:
    """Which carries what its values hold into objects that are no Secrets, under names that say nothing."""
    wave = "argocd.argoproj.io/sync-wave"
    return {
        "charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
        "charts/web/values.yaml": f"""\
database:
  password: {marker()}
  url: postgres://me:{marker()}@db/x
auth: {{clientSecret: "{marker()}"}}
extra: |
  token = {marker()}
parts: [{{name: apiKey, value: {marker()}}}]
long: {{password: {marker()}{sha256(b"long").hexdigest()}}}
odd: {{password: '{marker()}<&"\\é>'}}
""",
        "charts/web/templates/plain.yaml": f"""\
apiVersion: v1
kind: ConfigMap
metadata: {{name: plain, annotations: {{{wave}: {{{{ .Values.database.password | quote }}}}}}}}
data:
  one: {{{{ .Values.database.password | quote }}}}
  two: {{{{ .Values.database.password | b64enc | quote }}}}
  three: {{{{ .Values.database.url | quote }}}}
  four: {{{{ .Values.extra | quote }}}}
  five: {{{{ (index .Values.parts 0).value | quote }}}}
  six: {{{{ .Values.long.password | quote }}}}
  seven: {{{{ .Values.odd.password | quote }}}}
""",
        "charts/web/templates/job.yaml": f"""\
apiVersion: batch/v1
kind: Job
metadata: {{name: job, annotations: {{argocd.argoproj.io/hook: {{{{ .Values.auth.clientSecret }}}}, {wave}: {{{{ .Values.long.password }}}}}}}}
spec: {{backoffLimit: {{{{ .Values.odd.password | quote }}}}}}
""",
        "charts/broken/Chart.yaml": "apiVersion: v2\nname: broken\nversion: 1.0.0\n",
        "charts/broken/values.yaml": f"token: {marker()}\n",
        "charts/broken/templates/x.yaml": "{{ fail .Values.token }}\n",
        "over/kustomization.yaml": f"""\
resources: [map.yaml]
secretGenerator:
- name: gen
  literals: [token={marker()}]
replacements:
- source: {{kind: Secret, name: gen, fieldPath: data.token}}
  targets: [{{select: {{kind: ConfigMap}}, fieldPaths: [metadata.annotations.wave, data.x], options: {{create: true}}}}]
""",
        "over/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {}\n",
    }


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path / "repo")
    made.commit(files())
    made.write(files(old="changed"))
    return made


def leaked(text: str) -> list[str]:
    """Markers in it, plain or in base64."""
    wanted = [f"mArKeR{number:02d}x7Kq9Zt2Wv5" for number in range(1, NUMBER[0] + 1)]
    found = [one for one in wanted if one in text or encoded(one)[:-4] in text]
    return found + (["environment"] if "eNvIrOnMeNt" in text else [])


CHECKS = [("check", "--output-format", style, "--select", "ALL") for style in (*FINDINGS, "html")]
PLANS = [("plan", "--output-format", style) for style in ("text", "json", "mermaid", "html")]
CHANGED = [("plan", "--diff-base", "HEAD", "--output-format", style) for style in ("text", "json", "markdown", "html")]
OTHERS = [
    ("check", "--diff", "--unsafe-fixes", "--select", "ALL"),
    ("check", "--diff-base", "HEAD", "--select", "ALL"),
    ("check", "--statistics"),
    ("apps",),
    ("apps", "--output-format", "json"),
    ("check", "--write-baseline", "--select", "ALL"),
]


@pytest.mark.parametrize("words", [*CHECKS, *PLANS, *CHANGED, *OTHERS], ids=" ".join)
def test_no_marker_comes_out(checkout: Checkout, tmp_path: Path, words: tuple[str, ...]) -> None:
    environment = {**os.environ, "TOKEN": "eNvIrOnMeNt", "XDG_CACHE_HOME": str(tmp_path / "cache")}
    done = subprocess.run([COMMAND, *words], cwd=checkout.root, capture_output=True, text=True, env=environment)
    assert done.returncode in (0, 1), done.stderr
    assert done.stdout or done.stderr
    assert leaked(done.stdout) == []
    assert leaked(done.stderr) == []
    written = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    for path in (*written, checkout.root / ".gitops-lint-baseline.json"):
        if path.exists():
            assert leaked(path.read_text("utf-8", "replace")) == [], path


def errors_about(root: Path) -> list[Exception]:
    """An exception may carry whatever was read, in any words."""
    texts = [path.read_text("utf-8") for path in sorted(root.rglob("*.yaml"))]
    words = [word for text in texts for word in re.findall(r"\S*mArKeR\S*", text)]
    assert len(words) > 30
    return [
        *map(ValueError, texts),
        *map(ValueError, words),
        *(ValueError(f"it's {word}\n{word}") for word in words),
        KeyError(texts[0]),
        yaml.YAMLError(f"while parsing a value\n{texts[0]}"),
        ValidationError(f"{texts[0]} is not of type 'integer'", instance=texts[0], schema={"type": "integer"}),
    ]


def test_no_marker_comes_out_of_a_run_that_fails(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(checkout.root)
    monkeypatch.setattr("sys.argv", ["gitops-lint", "--no-cache"])
    for error in errors_about(checkout.root):
        monkeypatch.setattr(main.cli, "invoke", failing_with([error]))
        assert main._run() == 2
        told = capsys.readouterr()
        assert type(error).__name__ in told.err
        assert "internal error in gitops-lint" in told.err
        assert leaked(told.out + told.err) == []


@pytest.mark.parametrize("style", ["full", "json", "sarif", "junit", "html"])
def test_no_marker_comes_out_of_rules_that_fail(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, style: str
) -> None:
    own = Rule.findings
    fail = failing_with(errors_about(checkout.root))
    monkeypatch.setattr(Rule, "findings", lambda rule, one: own(rule, one) if rule.code == "GL000" else fail())
    words = ["check", str(checkout.root), "--no-cache", "--output-format", style, "--select", "ALL"]
    done = CliRunner().invoke(main.cli, words)
    assert done.exit_code == 2
    assert done.output.count("internal error: rule ") > (10 if style == "full" else 50)  # which folds what is alike
    assert leaked(done.output) == []


def failing_with(errors: Sequence[Exception]) -> Callable[..., NoReturn]:
    """Another one each time."""
    turns = itertools.cycle(errors)

    def fail(*_: object) -> NoReturn:
        raise next(turns)

    return fail


@pytest.mark.parametrize("words", [*CHECKS, *PLANS, *CHANGED, *OTHERS, ("render",)], ids=" ".join)
def test_no_marker_comes_out_of_a_chart(tmp_path: Path, words: tuple[str, ...]) -> None:
    """What its templates copy into other objects, and what Helm says of it."""
    checkout = Checkout(tmp_path / "repo")
    NUMBER[0] = 0
    made = chart()
    checkout.commit(made)
    checkout.write({"charts/web/values.yaml": made["charts/web/values.yaml"].replace("é", "è")})
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    command = [COMMAND, *words, "--helm", str(helm3())]
    done = subprocess.run(command, cwd=checkout.root, capture_output=True, text=True, env=environment)
    assert done.returncode in (0, 1), done.stderr
    assert leaked(done.stdout) == []
    assert leaked(done.stderr) == []
    if words == ("render",) or words[:3] == ("check", "--output-format", "json"):
        assert "*" * 19 in done.stdout
    for path in (*(tmp_path / "cache").rglob("*.json"), checkout.root / ".gitops-lint-baseline.json"):
        if path.exists():
            assert leaked(path.read_text("utf-8", "replace")) == [], path


def test_render_hides_what_secrets_hold_unless_asked(checkout: Checkout) -> None:
    (checkout.root / "broken.yaml").unlink()
    for style in ("yaml", "json"):
        words = [COMMAND, "render", "--output-format", style]
        hidden = subprocess.run(words, cwd=checkout.root, capture_output=True, text=True).stdout
        assert "(hidden)" in hidden
        assert leaked(hidden) == [f"mArKeR{number:02d}x7Kq9Zt2Wv5" for number in SHOWN]
        shown = subprocess.run([*words, "--show-secrets"], cwd=checkout.root, capture_output=True, text=True).stdout
        assert leaked(shown)


def test_columns_stay_what_they_are(checkout: Checkout) -> None:
    done = subprocess.run([COMMAND, "check", "--select", "ALL"], cwd=checkout.root, capture_output=True, text=True)
    assert "*" * len("mArKeR01x7Kq9Zt2Wv5") in done.stdout


def test_a_value_that_is_a_name_takes_nothing_out_of_a_sentence() -> None:
    text = (
        "apiVersion: v1\nkind: Secret\nmetadata: {name: postgresql}\n"
        "stringData: {username: postgres, password: password, token: Hq7-wZ3n_Rb58tYc}\n"
    )
    (found,) = run_rules({"a.yaml": text}, [rule_named("secret-plaintext")])
    message = without_values(found).finding.message
    assert "Secret 'postgresql' has a credential (token)" in message
    assert "***" not in message
