"""Config management plugins that are a known tool in disguise, and generators that only decrypt."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from chart_repositories import REPO_URL, application, chart, linted, write
from gitops_lint.linter.argocd.config_plugins import plugins_in, understood
from gitops_lint.linter.repo.app import App
from gitops_lint.linter.yaml.source import SourceFile
from real_tools import helm3
from support import CONFIG, repo_of


@pytest.mark.parametrize(
    ("script", "tool"),
    [
        ("kustomize build --enable-helm", "kustomize"),
        ("kubectl kustomize . | argocd-vault-plugin generate -", "kustomize"),
        ("kustomize build . | envsubst", "kustomize"),
        ("set -o pipefail && kustomize build --enable-helm . | envsub", "kustomize"),
        ("set -euo pipefail\nkustomize build .", "kustomize"),
        (r"kustomize build . | perl -pe 's{\$(\{)?(\w+)(?(1)\})}{$ENV{$2} // $&}ge'", "kustomize"),
        ("kustomize build . | perl -pe 's/\\$(\\w+)/$ENV{$1}/g'", "kustomize"),
        ("kustomize build . | perl -pe 's/Deployment/Rollout/'", ""),
        ("kustomize build . | perl -ne 'print if /x/'", ""),
        ("set -e && rm -r x && kustomize build .", ""),
        ("helm template $ARGOCD_APP_NAME . | argocd-vault-plugin generate - -s ns:secret", "helm"),
        ("helm dependency build && helm template x .", "helm"),
        ("argocd-vault-plugin generate ./", "directory"),
        ("kustomize build ../other", ""),
        ("helm template . > all.yaml && kustomize build", ""),
        ("kustomize build . | sed s/a/b/", ""),
        ("kustomize build $(pwd)", ""),
        ("jsonnet main.jsonnet", ""),
        ("kustomize build 'unclosed", ""),
        ("", ""),
    ],
)
def test_what_a_plugin_comes_to(script: str, tool: str) -> None:
    assert understood(script).tool == tool


OBJECT = """\
apiVersion: argoproj.io/v1alpha1
kind: ConfigManagementPlugin
metadata: {name: built}
spec: {version: v1, generate: {command: [sh, -c, kustomize build --enable-helm]}}
"""
IN_CONFIGMAP = (
    f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: cmp}}\ndata: {{plugin.yaml: {json.dumps(OBJECT)}}}\n"
)
IN_ARGOCD_CM = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: argocd-cm}
data:
  configManagementPlugins: |
    - name: built
      generate: {command: [kustomize], args: [build, --enable-helm]}
"""
IN_VALUES = "configs:\n  cmp:\n    plugins: {built: {generate: {command: [kustomize, build]}}}\n"


@pytest.mark.parametrize("text", [OBJECT, IN_CONFIGMAP, IN_ARGOCD_CM, IN_VALUES])
def test_where_plugins_are_defined(text: str) -> None:
    assert plugins_in([SourceFile("x.yaml", text)])["built"].tool == "kustomize"


def test_a_sentence_about_plugins_defines_none() -> None:
    text = "kind: CustomResourceDefinition\ndescription: A ConfigManagementPlugin generates manifests\n"
    assert plugins_in([SourceFile("x.yaml", text)]) == plugins_in([])


SHOP = {
    "shop/kustomization.yaml": "resources: [a.yaml]\n",
    "shop/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: <path:secret/data/x#y>}\n",
}


def only(files: dict[str, str]) -> App:
    (app,) = repo_of(files).applications
    return app


def with_plugin(name: str, **more: object) -> str:
    source = {"repoURL": REPO_URL, "path": "shop", "plugin": {"name": name, **more}}
    return application("shop", "shop", source=source)


@pytest.mark.parametrize("name", ["built", "built-v1", "argocd-vault-plugin-kustomize"])
def test_an_application_is_built_by_the_tool_in_its_plugin(name: str) -> None:
    app = only({"argocd/cmp.yaml": IN_CONFIGMAP, "apps/shop.yaml": with_plugin(name), **SHOP})
    assert ([r.name for r in app.resources], app.is_complete) == (["a"], True)


def test_one_that_is_not_understood_is_named() -> None:
    app = only({"apps/shop.yaml": with_plugin("cdk8s"), **SHOP})
    assert app.rendered[0].unresolved == (
        "a config management plugin cdk8s makes the manifests: `plugins:` in the config can say what it runs",
    )


def test_without_a_name_it_is_the_one_for_folders_of_this_kind() -> None:
    """Not where two would do, and none that only others are known to define."""
    files = {"apps/shop.yaml": with_plugin(""), **SHOP}
    assert only({"cmp.yaml": OBJECT, **files}).is_complete
    assert not only(files).is_complete
    another = OBJECT.replace("built", "other").replace("--enable-helm", ".")
    assert not only({"cmp.yaml": OBJECT, "other.yaml": another, **files}).is_complete
    assert not only(
        {"cmp.yaml": OBJECT.replace("kustomize build --enable-helm", "helm template ."), **files}
    ).is_complete


def test_the_config_says_what_a_plugin_runs() -> None:
    files = {"apps/shop.yaml": with_plugin("cdk8s"), **SHOP}
    app = only({CONFIG: "plugins: {cdk8s: kustomize build . | envsubst}", **files})
    assert ([r.name for r in app.resources], app.is_complete) == (["a"], True)
    assert not only({CONFIG: "plugins: {cdk8s: cdk8s synth}", **files}).is_complete


def test_a_plugin_that_calls_helm_gives_its_values(tmp_path: Path) -> None:
    more = "--release-name $ARGOCD_APP_NAME --api-versions $KUBE_API_VERSIONS --kube-version $KUBE_VERSION"
    cmp = OBJECT.replace("kustomize build --enable-helm", f"'helm template {more} ${{ARGOCD_ENV_args}} .'")
    template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}-{{ .Values.x }}'}\n"
    files = chart("shop", {"templates/a.yaml": template, "prod.yaml": "x: blue\n"})
    asked = with_plugin("built", env=[{"name": "args", "value": "-f prod.yaml"}])
    write(tmp_path, {"cmp.yaml": cmp, "apps/shop.yaml": asked, **files})
    (app,) = linted(tmp_path, helm3()).repo.applications
    assert ([r.name for r in app.resources], app.is_complete) == (["shop-blue"], True)


@pytest.mark.parametrize(
    ("given", "name", "is_seen"),
    [
        ('-f <(echo "$ARGOCD_ENV_HELM_VALUES")', "shop-red", True),
        ('-f prod.yaml -f <(echo "${ARGOCD_ENV_HELM_VALUES}")', "shop-red", True),
        ("-f <(echo $ARGOCD_ENV_NOTHING) -f prod.yaml", "shop-blue", True),
        ('-f <(echo "$ARGOCD_ENV_HELM_VALUES") -f prod.yaml', "shop-red", False),
    ],
)
def test_a_plugin_may_hand_on_values_that_stand_in_the_application(
    tmp_path: Path, given: str, name: str, is_seen: bool
) -> None:
    script = json.dumps(f"helm template $ARGOCD_APP_NAME {given} . | argocd-vault-plugin generate -")
    cmp = OBJECT.replace("kustomize build --enable-helm", script)
    template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}-{{ .Values.x }}'}\n"
    files = chart("shop", {"templates/a.yaml": template, "prod.yaml": "x: blue\n"})
    asked = with_plugin("built", env=[{"name": "HELM_VALUES", "value": "x: red\n"}])
    write(tmp_path, {"cmp.yaml": cmp, "apps/shop.yaml": asked, **files})
    (app,) = linted(tmp_path, helm3()).repo.applications
    assert ([r.name for r in app.resources], app.is_complete) == ([name], is_seen)


# -- generators that decrypt

KSOPS = "apiVersion: viaduct.ai/v1\nkind: ksops\nmetadata: {name: x}\n"
ENCRYPTED = """\
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: shop}
stringData: {password: 'ENC[AES256_GCM,data:abc,type:str]'}
sops: {mac: 'ENC[AES256_GCM,data:abc,type:str]'}
"""


def built(generator: str, **files: str) -> App:
    return only(
        {
            "apps/shop.yaml": application("shop", "shop"),
            "shop/kustomization.yaml": "generators: [ksops.yaml]\n",
            "shop/ksops.yaml": generator,
            **{f"shop/{name}": text for name, text in files.items()},
        }
    )


def test_an_encrypted_file_is_its_secret_without_values() -> None:
    app = built(f"{KSOPS}files: [./login.enc.yaml]\n", **{"login.enc.yaml": ENCRYPTED})
    (secret,) = app.resources
    assert app.is_complete
    assert secret.node.value["stringData"] == {"password": "<sealed>"}
    assert "sops" not in secret.node.value
    assert secret.node.origin.file.path == "shop/login.enc.yaml"


def test_an_encrypted_file_may_ask_to_be_merged_into_what_is_there() -> None:
    plain = "apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: shop}\ndata: {user: c2hvcA==}\n"
    merging = "namespace: shop, annotations: {kustomize.config.k8s.io/behavior: merge}"
    app = only(
        {
            "apps/shop.yaml": application("shop", "shop"),
            "shop/kustomization.yaml": "resources: [plain.yaml]\ngenerators: [ksops.yaml]\n",
            "shop/plain.yaml": plain,
            "shop/ksops.yaml": f"{KSOPS}files: [./login.enc.yaml]\n",
            "shop/login.enc.yaml": ENCRYPTED.replace("namespace: shop", merging).replace("stringData", "data"),
        }
    )
    (secret,) = app.resources
    assert app.is_complete
    assert secret.node.value["data"] == {"user": "c2hvcA==", "password": "<sealed>"}
    assert not secret.metadata["annotations"].value


def test_secrets_made_of_encrypted_files_have_their_keys() -> None:
    entry = "secretFrom: [{metadata: {name: made}, files: [a.txt, k=b.txt], envs: [c.env]}]\n"
    env = "TOKEN=ENC[AES256_GCM,data:x]\n# a word\nsops_mac=ENC[x]\n"
    app = built(f"{KSOPS}{entry}", **{"c.env": env, "a.txt": "x", "b.txt": "x"})
    (secret,) = app.resources
    assert (secret.name, sorted(secret.node.value["stringData"])) == ("made", ["TOKEN", "a.txt", "k"])


def test_names_that_are_encrypted_are_not_known() -> None:
    hidden = ENCRYPTED.replace("name: login", "name: 'ENC[AES256_GCM,data:x]'")
    app = built(f"{KSOPS}files: [login.enc.yaml]\n", **{"login.enc.yaml": hidden})
    assert not app.is_complete


def test_another_program_is_not_guessed_at() -> None:
    app = built("apiVersion: example.com/v1\nkind: Maker\nmetadata: {name: x}\n")
    assert app.rendered[0].unresolved == ("a plugin makes or changes objects: nothing is executed: Maker",)


def test_a_text_that_only_speaks_of_plugins_ends() -> None:
    """It is read as YAML, and what comes out is the same text again."""
    text = "kind: ConfigMap\ndata:\n  note: see ConfigManagementPlugin\n"
    assert "see" not in plugins_in([SourceFile("a.yaml", text)])


# -- value files that helm-secrets decrypts

SEALED_VALUES = """\
user: shop
password: ENC[AES256_GCM,data:abc=,iv:x,tag:y,type:str]
hosts: ['ENC[AES256_GCM,data:abc=,iv:x,tag:y,type:str]']
sops: {mac: 'ENC[AES256_GCM,data:abc=,iv:x,tag:y,type:str]'}
"""
HOLDS_IT = """\
apiVersion: v1
kind: Secret
metadata: {name: login}
stringData: {user: '{{ .Values.user }}', password: '{{ .Values.password }}', keys: '{{ keys .Values | sortAlpha | join "," }}'}
"""


def with_sealed_values(folder: Path, entry: str, values: str = SEALED_VALUES) -> App:
    files = chart("shop", {"templates/a.yaml": HOLDS_IT, "env/secrets.yaml": values})
    write(folder, {"apps/shop.yaml": application("shop", "shop", {"valueFiles": [entry]}), **files})
    (app,) = linted(folder, helm3()).repo.applications
    return app


@pytest.mark.parametrize(
    "entry",
    [
        "secrets://env/secrets.yaml",
        "secrets+gpg-import:///keys/key.asc?env/secrets.yaml",
        "secrets+age-import-kubernetes://argocd/keys#key.txt?./env/secrets.yaml",
        "env/secrets.yaml",  # decrypted by a wrapper around Helm
    ],
)
def test_encrypted_values_are_placeholders_and_their_keys_are_known(tmp_path: Path, entry: str) -> None:
    app = with_sealed_values(tmp_path, entry)
    assert app.is_complete
    (secret,) = app.resources
    assert secret.node.value["stringData"] == {"user": "shop", "password": "<sealed>", "keys": "hosts,password,user"}


def test_what_an_encrypted_number_comes_to_is_a_guess(tmp_path: Path) -> None:
    app = with_sealed_values(tmp_path, "secrets://env/secrets.yaml", SEALED_VALUES.replace("type:str", "type:int", 1))
    assert not app.is_complete
    (one,) = app.rendered
    assert one.unresolved == ("its options have blanks that are not known: password",)
    assert len(app.resources) == 1


@pytest.mark.parametrize("entry", ["secrets://gone.yaml", "secrets:///keys/values.yaml", "secrets+literal://ref+vault"])
def test_encrypted_values_that_are_not_here_are_told(tmp_path: Path, entry: str) -> None:
    app = with_sealed_values(tmp_path, entry)
    assert not app.is_complete
    (one,) = app.rendered
    assert "an address of a kind" in one.unresolved[0]
    assert not one.failures
