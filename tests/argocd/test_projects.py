"""What an AppProject permits: patterns and URLs as Argo CD compares them, lists as it evaluates them."""

from __future__ import annotations

import re
from fnmatch import translate
from textwrap import indent

import pytest
from gitops_lint.linter.argocd.applications import Destination
from gitops_lint.linter.argocd.projects import AppProject
from gitops_lint.linter.argocd.verdicts import Answer, Verdict
from gitops_lint.linter.dialects.git_urls import normal_git_url
from gitops_lint.linter.dialects.project_patterns import matches_glob, matches_or_not_denied, matches_word
from gitops_lint.linter.facts.versions import Version
from gitops_lint.linter.kubernetes.resource import WRITTEN, Provenance, resources_in
from gitops_lint.linter.yaml.source import SourceFile
from hypothesis import given
from hypothesis import strategies as st

IN_CLUSTER = "https://kubernetes.default.svc"
REMOTE = "https://prod.example.com:6443"


def project(spec: str, provenance: Provenance = WRITTEN) -> AppProject:
    head = "apiVersion: argoproj.io/v1alpha1\nkind: AppProject\nmetadata: {name: team, namespace: argocd}\nspec:\n"
    root = SourceFile("project.yaml", head + indent(spec, "  ")).documents[0].root
    return AppProject.read(resources_in(root, provenance=provenance)[0])


def answer(verdict: Verdict) -> str:
    return verdict.answer.value


def pointer(verdict: Verdict) -> str:
    assert verdict.at is not None
    return verdict.at.pointer


# -- patterns


@pytest.mark.parametrize(
    ("pattern", "text", "separators", "expected"),
    [
        ("", "", "", True),
        ("", "a", "", False),
        ("abc", "abc", "", True),
        ("a*c", "abbc", "", True),
        ("*", "a/b", "/", False),
        ("**", "a/b", "/", True),
        ("a/*", "a/b", "/", True),
        ("a/*", "a/b/c", "/", False),
        ("a/**", "a/b/c", "/", True),
        ("a/**", "a/", "/", True),
        ("**/c", "a/b/c", "/", True),
        ("*", "a/b", "", True),
        ("a?c", "abc", "", True),
        ("a?c", "a/c", "/", False),
        ("[abc]d", "bd", "", True),
        ("[!abc]d", "bd", "", False),
        ("[a-c]d", "bd", "", True),
        ("[!a-c]d", "xd", "", True),
        ("[!a]", "/", "/", True),
        ("{a,b}c", "bc", "", True),
        ("{a,b*}c", "bxxc", "", True),
        ("{a,}c", "c", "", True),
        ("{{a,b},c}d", "bd", "", True),
        ("{a*,b}c", "abc", ".", True),
        ("a,b", "a,b", "", True),
        ("a}b", "a}b", "", True),
        (r"a\*", "a*", "", True),
        (r"a\*", "ab", "", False),
        (r"{a\,b}", "a,b", "", True),
        ("a\\", "a", "", True),
        ("{a,b", "b", "", True),
        ("*is*a*", "this is a test", "", True),
        ("a*a*a*a*b", "a" * 100, "", False),
        ("**a*b", "axc.ab", ".", True),
        ("!a", "!a", "", True),
        # What cannot be parsed matches nothing.
        ("[a-cx]", "a", "", False),
        ("[c-a]", "b", "", False),
        ("[]", "[]", "", False),
        ("[abc", "a", "", False),
        ("[!]", "!", "", False),
    ],
)
def test_a_glob(pattern: str, text: str, separators: str, expected: bool) -> None:
    assert matches_glob(pattern, text, separators) is expected


def test_a_glob_from_a_stranger_takes_no_time() -> None:
    assert not matches_glob("*a" * 1000, "a" * 900 + "b")
    assert not matches_glob("{*,*a}" * 300 + "c", "a" * 200)


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("!a", "b", True),
        ("!a", "a", False),
        ("*", "a/b", True),
        ("!*", "a/b", True),
        ("!*", "a", False),
        ("![", "x", True),
    ],
)
def test_a_pattern_that_may_deny(pattern: str, text: str, expected: bool) -> None:
    """The lone star goes over slashes; behind an exclamation mark it does not."""
    assert matches_or_not_denied(pattern, text, "/") is expected


@pytest.mark.parametrize(
    ("pattern", "word", "expected"),
    [("*", "", True), ("", "", True), ("", "apps", False), ("*.io", "argoproj.io", True),
     ("Cluster*", "ClusterRole", True), ("cluster*", "ClusterRole", False), ("[A-M]ap", "Map", True),
     ("[^a-z]x", "Ax", True), ("{a,b}", "a", False), ("[", "x", False)],
)  # fmt: skip
def test_a_pattern_of_kinds(pattern: str, word: str, expected: bool) -> None:
    assert matches_word(pattern, word) is expected


@given(st.text("ab/*?", max_size=8), st.text("ab/", max_size=8))
def test_globs_without_separators_agree_with_fnmatch(pattern: str, text: str) -> None:
    assert matches_glob(pattern, text) is (re.match(translate(pattern), text) is not None)


@given(st.text("ab/*?", max_size=8), st.text("ab/", max_size=8))
def test_globs_with_separators_agree_with_a_regular_expression(pattern: str, text: str) -> None:
    signs = {"*": "[^/]*", "?": "[^/]", "**": ".*"}
    expression = re.sub(r"\*\*|\*|\?", lambda match: signs[match[0]], pattern)
    assert matches_glob(pattern, text, "/") is (re.fullmatch(expression, text) is not None)


@given(st.text("ab*?[]{}!,-\\/", max_size=12), st.text("ab,-/", max_size=6))
def test_any_text_can_be_a_glob(pattern: str, text: str) -> None:
    assert matches_glob(pattern, text, "/") in (True, False)


# -- URLs


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://github.com/Org/Repo.git", "https://github.com/org/repo"),
        ("  https://github.com/org/repo ", "https://github.com/org/repo"),
        ("git@github.com:Org/Repo.git", "git@github.com/org/repo"),
        ("git@host:a:b", "git@host/a:b"),
        ("ssh://git@github.com/org/repo.git", "git@github.com/org/repo"),
        ("ssh://git@github.com:22/org/repo", "git@github.com:22/org/repo"),
        ("ssh://git@github.com:org/repo", ""),
        ("https://user:secret@git.example.com/a/b.git", "https://user:secret@git.example.com/a/b"),
        ("https://us*r@git.example.com/a", "https://us%2Ar@git.example.com/a"),
        ("https://git.example.com:8443/a/b/", "https://git.example.com:8443/a/b/"),
        ("oci://ghcr.io/org/charts", "oci://ghcr.io/org/charts"),
        ("ghcr.io/org/charts", "ghcr.io/org/charts"),
        ("localhost:5000/charts", "localhost:5000/charts"),
        ("10.0.0.1:5000/charts", ""),
        ("file:///srv/repo.git", "file:///srv/repo"),
        ("https://[::1]:8443/a", "https://[::1]:8443/a"),
        ("https://host:port/a", ""),
        ("https://ho st/a", ""),
        (":nothing", ""),
        ("https://host/a?b=c", "https://host/a?b=c"),
        ("https://host/a?", "https://host/a?"),
        ("https://host/a%2", ""),
        ("https://host/a%20b", "https://host/a%20b"),
        ("https://host/a b", "https://host/a%20b"),
        ("https://host/\u00fc", "https://host/%C3%BC"),
        ("https://host", "https://host"),
        ("//host/x", "//host/x"),
        ("a\x01b", ""),
        ("", ""),
        # Patterns take the same way.
        ("*", "*"),
        ("https://github.com/org/*.git", "https://github.com/org/*"),
        ("https://*.example.com/**", "https://*.example.com/**"),
        ("git@github.com:org/*", "git@github.com/org/*"),
        ("https://github.com/{a,b}/*", "https://github.com/%7Ba,b%7D/%2A"),
        ("https://{a,b}.example.com/x", ""),
        ("*://github.com/x", ""),
        ("https://github.com/[ab]", "https://github.com/[ab]"),
    ],
)
def test_a_url_in_normal_form(url: str, expected: str) -> None:
    assert normal_git_url(url) == expected


@given(st.text(max_size=30))
def test_any_text_can_be_a_url(url: str) -> None:
    assert isinstance(normal_git_url(url), str)
    assert isinstance(normal_git_url(f"https://{url}"), str)


# -- sources


@pytest.mark.parametrize(
    ("repos", "url", "expected"),
    [
        ("['*']", "https://github.com/org/repo", "allowed"),
        ("['**']", "https://github.com/org/repo", "allowed"),
        ("[]", "https://github.com/org/repo", "denied"),
        ("null", "https://github.com/org/repo", "denied"),
        ("['https://github.com/org/repo.git']", "https://GitHub.com/org/repo", "allowed"),
        ("['git@github.com:org/repo']", "ssh://git@github.com/org/repo.git", "allowed"),
        ("['git@github.com:org/repo']", "https://github.com/org/repo", "denied"),
        ("['https://github.com/org/*']", "https://github.com/org/repo", "allowed"),
        ("['https://github.com/*']", "https://github.com/org/repo", "denied"),
        ("['https://github.com/**']", "https://github.com/org/repo", "allowed"),
        ("['*github.com*']", "https://github.com/org/repo", "denied"),
        ("['https://github.com/{org,other}/*']", "https://github.com/org/repo", "denied"),
        ("['https://github.com/org/repo']", "https://github.com/org/repo/", "denied"),
        # A pattern that denies, and what else it does.
        ("['*', '!https://github.com/org/*']", "https://github.com/org/repo", "denied"),
        ("['!https://github.com/org/*', '*']", "https://github.com/other/repo", "allowed"),
        ("['!https://github.com/org/*']", "https://github.com/other/repo", "allowed"),
        ("['!https://github.com/org/*']", "https://github.com/org/repo", "denied"),
        ("['!https://github.com/a', '!https://github.com/b']", "https://github.com/b", "denied"),
        # Whatever is filled in later.
        ("['<REPO_URL>']", "https://github.com/org/repo", "unknown"),
        ("['*', '!${SECRET_REPO}']", "https://github.com/org/repo", "unknown"),
        ("['https://github.com/org/*']", "https://github.com/{{ org }}/repo", "unknown"),
    ],
)
def test_whether_a_source_is_permitted(repos: str, url: str, expected: str) -> None:
    assert answer(project(f"sourceRepos: {repos}").permits_source(url)) == expected


def test_the_verdict_on_a_source_says_which_line_decided() -> None:
    denying = project("sourceRepos:\n- '*'\n- '!https://github.com/org/*'").permits_source(
        "https://github.com/org/repo"
    )
    assert pointer(denying) == "/spec/sourceRepos/1"
    assert denying.why == "sourceRepos of AppProject 'team' denies it with '!https://github.com/org/*'"
    assert denying.explicit

    missing = project("sourceRepos: [https://example.com/a]").permits_source("https://github.com/org/repo")
    assert pointer(missing) == "/spec/sourceRepos"
    assert not missing.explicit

    short = project("sourceRepos: [https://example.com/a, 'https://github.com/*']")
    verdict = short.permits_source("https://github.com/org/repo")
    assert pointer(verdict) == "/spec/sourceRepos/1"
    assert "'https://github.com/**' would match" in verdict.why


# -- destinations


@pytest.mark.parametrize(
    ("rules", "server", "name", "namespace", "expected"),
    [
        ("[{server: '*', namespace: '*'}]", REMOTE, "", "shop", "allowed"),
        ("[{server: '*', namespace: '*'}]", "", "prod", "shop", "allowed"),
        ("[{name: '*', namespace: '*'}]", REMOTE, "", "shop", "allowed"),
        ("[]", REMOTE, "", "shop", "denied"),
        (f"[{{server: '{REMOTE}', namespace: shop}}]", REMOTE, "", "shop", "allowed"),
        (f"[{{server: '{REMOTE}', namespace: shop}}]", f"{REMOTE}/", "", "shop", "allowed"),
        (f"[{{server: '{REMOTE}', namespace: shop}}]", REMOTE, "", "blog", "denied"),
        (f"[{{server: '{REMOTE}', namespace: 'shop-*'}}]", REMOTE, "", "shop-api", "allowed"),
        ("[{server: 'https://*', namespace: shop}]", REMOTE, "", "shop", "allowed"),
        (f"[{{server: '{REMOTE}', namespace: shop}}]", "https://other", "", "shop", "denied"),
        # A namespace that is left out is the empty one.
        (f"[{{server: '{REMOTE}'}}]", REMOTE, "", "shop", "denied"),
        (f"[{{server: '{REMOTE}'}}]", REMOTE, "", "", "allowed"),
        (f"[{{server: '{REMOTE}', namespace: '*'}}]", REMOTE, "", "", "allowed"),
        (f"[{{server: '{REMOTE}', namespace: 'shop-*'}}]", REMOTE, "", "", "denied"),
        ("[{namespace: '*'}]", REMOTE, "", "shop", "denied"),
        # The local cluster has two names, and a Secret may give it a third.
        (f"[{{server: '{IN_CLUSTER}', namespace: '*'}}]", "", "in-cluster", "shop", "allowed"),
        ("[{name: in-cluster, namespace: '*'}]", IN_CLUSTER, "", "shop", "allowed"),
        ("[{name: prod, namespace: '*'}]", "", "in-cluster", "shop", "denied"),
        ("[{name: hub, namespace: '*'}]", IN_CLUSTER, "", "shop", "unknown"),
        ("[{name: hub, namespace: blog}]", IN_CLUSTER, "", "shop", "denied"),
        # Git shows a name or a URL, and the project has the other one.
        (f"[{{server: '{REMOTE}', namespace: '*'}}]", "", "prod", "shop", "unknown"),
        ("[{name: prod, namespace: '*'}]", REMOTE, "", "shop", "unknown"),
        (f"[{{server: '{REMOTE}', namespace: blog}}]", "", "prod", "shop", "denied"),
        ("[{name: prod, namespace: '*'}]", "", "prod", "shop", "allowed"),
        (f"[{{name: prod, server: '{REMOTE}', namespace: '*'}}]", "", "prod", "shop", "allowed"),
        (f"[{{name: prod, server: '{REMOTE}', namespace: '*'}}]", "", "dev", "shop", "unknown"),
        (f"[{{server: '{REMOTE}', namespace: '*'}}]", "https://other", "prod", "shop", "denied"),
        # Denials.
        ("[{server: '*', namespace: '!sys'}, {server: '*', namespace: '*'}]", REMOTE, "", "sys", "denied"),
        ("[{server: '*', namespace: '*'}, {server: '*', namespace: '!sys'}]", REMOTE, "", "sys", "denied"),
        ("[{server: '*', namespace: '!kube-system'}]", REMOTE, "", "shop", "allowed"),
        ("[{server: 'https://x', namespace: '!shop'}, {server: '*', namespace: '*'}]", REMOTE, "", "shop", "allowed"),
        (f"[{{server: '!{REMOTE}', namespace: '*'}}, {{server: '*', namespace: '*'}}]", REMOTE, "", "shop", "denied"),
        (f"[{{server: '!{REMOTE}', namespace: blog}}, {{server: '*', namespace: '*'}}]", REMOTE, "", "shop", "allowed"),
        (f"[{{server: '!{REMOTE}', namespace: '*'}}]", "https://other", "", "shop", "allowed"),
        (f"[{{server: '!{REMOTE}', namespace: '*'}}, {{server: '*', namespace: '*'}}]", "", "prod", "shop", "unknown"),
        ("[{name: '!prod', namespace: blog}, {server: '*', namespace: '*'}]", "", "prod", "shop", "denied"),
        ("[{name: '!prod', namespace: '*'}, {server: '*', namespace: '*'}]", "", "dev", "shop", "allowed"),
        ("[{name: '!prod', namespace: '*'}, {server: '*', namespace: '*'}]", REMOTE, "", "shop", "unknown"),
        (f"[{{name: '!prod', server: '{REMOTE}', namespace: '*'}}]", "", "prod", "shop", "unknown"),
        # The rule as a whole matches, and so does not deny.
        ("[{name: '!prod', server: '*', namespace: '*'}]", "", "prod", "shop", "allowed"),
        # Whatever is filled in later.
        ("[{server: '*', namespace: shop}]", REMOTE, "", "{{ namespace }}", "unknown"),
        ("[{server: '*', namespace: '*'}]", REMOTE, "", "{{ namespace }}", "allowed"),
        ("[{name: <CLUSTER>, namespace: '*'}]", "", "prod", "shop", "unknown"),
        (f"[{{server: '{REMOTE}', namespace: '*'}}]", "{{ server }}", "", "shop", "unknown"),
        ("[{server: '*', namespace: '*'}]", "", "", "shop", "allowed"),
    ],
)  # fmt: skip
def test_whether_a_destination_is_permitted(rules: str, server: str, name: str, namespace: str, expected: str) -> None:
    assert answer(project(f"destinations: {rules}").permits_destination(server, name, namespace)) == expected


def test_the_verdict_on_a_destination_says_which_line_decided() -> None:
    one = project(
        f"destinations:\n- {{server: '{IN_CLUSTER}', namespace: shop}}\n- server: '{REMOTE}'\n"
        "- {server: '*', namespace: '!kube-*'}\n"
    )
    denied = one.permits_destination(REMOTE, "", "kube-system")
    assert (pointer(denied), denied.explicit) == ("/spec/destinations/2/namespace", True)
    assert denied.why == "a destination of AppProject 'team' denies this namespace"
    incomplete = project(f"destinations:\n- {{server: '{IN_CLUSTER}', namespace: shop}}\n- server: '{REMOTE}'\n")
    verdict = incomplete.permits_destination(REMOTE, "", "shop")
    assert (pointer(verdict), verdict.explicit) == ("/spec/destinations/1", False)
    assert "has no namespace" in verdict.why
    nothing = incomplete.permits_destination("https://other", "", "shop")
    assert pointer(nothing) == "/spec/destinations"


def test_only_clusters_of_the_project_itself_cannot_be_seen() -> None:
    one = project("destinations: [{server: '*', namespace: shop}]\npermitOnlyProjectScopedClusters: true")
    assert one.permits_destination(REMOTE, "", "shop").is_unknown
    assert one.permits_destination(REMOTE, "", "blog").is_denied


# -- kinds


def test_cluster_scoped_kinds_have_to_be_listed() -> None:
    for spec in ("description: none", "clusterResourceWhitelist: []", "clusterResourceWhitelist: null"):
        verdict = project(spec).permits_kind("", "Namespace", "shop", cluster_scoped=True)
        assert verdict.is_denied
        assert not verdict.explicit
    assert pointer(project("description: none").permits_kind("", "Namespace", "x", cluster_scoped=True)) == (
        "/spec/clusterResourceWhitelist"
    )


@pytest.mark.parametrize(
    ("rules", "group", "kind", "expected"),
    [
        ("[{group: '*', kind: '*'}]", "", "Namespace", "allowed"),
        ("[{group: '', kind: Namespace}]", "", "Namespace", "allowed"),
        ("[{kind: Namespace}]", "", "Namespace", "allowed"),
        ("[{kind: ClusterRole}]", "rbac.authorization.k8s.io", "ClusterRole", "denied"),
        ("[{group: '*.k8s.io', kind: 'Cluster*'}]", "rbac.authorization.k8s.io", "ClusterRole", "allowed"),
        ("[{group: '*', kind: 'cluster*'}]", "rbac.authorization.k8s.io", "ClusterRole", "denied"),
        ("[{group: '*', kind: '<KIND>'}]", "", "Namespace", "unknown"),
        ("[{group: '*', kind: '<KIND>'}, {kind: Namespace}]", "", "Namespace", "allowed"),
        ("[{group: '*', kind: '['}]", "", "Namespace", "denied"),
    ],
)
def test_a_list_of_cluster_scoped_kinds(rules: str, group: str, kind: str, expected: str) -> None:
    one = project(f"clusterResourceWhitelist: {rules}")
    assert answer(one.permits_kind(group, kind, "x", cluster_scoped=True)) == expected


def test_the_blacklist_goes_before_the_whitelist() -> None:
    one = project(
        "clusterResourceWhitelist: [{group: '*', kind: '*'}]\n"
        "clusterResourceBlacklist: [{group: '', kind: Namespace}]\n"
        "namespaceResourceWhitelist: [{group: '*', kind: '*'}]\n"
        "namespaceResourceBlacklist: [{group: '', kind: Secret}]\n"
    )
    denied = one.permits_kind("", "Namespace", "shop", cluster_scoped=True)
    assert (answer(denied), pointer(denied), denied.explicit) == ("denied", "/spec/clusterResourceBlacklist/0", True)
    assert one.permits_kind("", "Node", "n", cluster_scoped=True).answer is Answer.ALLOWED
    assert pointer(one.permits_kind("", "Secret", "s", cluster_scoped=False)) == "/spec/namespaceResourceBlacklist/0"
    assert one.permits_kind("", "ConfigMap", "c", cluster_scoped=False).answer is Answer.ALLOWED


NAMED = "clusterResourceWhitelist: [{group: '', kind: Namespace, name: 'team-*'}]"
NAMED_DENIAL = (
    "clusterResourceWhitelist: [{group: '*', kind: '*'}]\n"
    "clusterResourceBlacklist: [{group: '', kind: Namespace, name: 'kube-*'}]"
)


@pytest.mark.parametrize(
    ("spec", "name", "argocd", "expected"),
    [
        (NAMED, "team-a", Version(3, 3), "allowed"),
        (NAMED, "team-a", None, "allowed"),
        (NAMED, "other", Version(3, 3), "denied"),
        # Older ones do not know the field, and so permit all names.
        (NAMED, "other", Version(3, 2), "allowed"),
        (NAMED, "other", None, "unknown"),
        (NAMED, "", Version(3, 3), "unknown"),
        (NAMED, "", Version(3, 2), "allowed"),
        (NAMED_DENIAL, "kube-system", Version(3, 3), "denied"),
        (NAMED_DENIAL, "kube-system", None, "denied"),
        (NAMED_DENIAL, "shop", Version(3, 3), "allowed"),
        (NAMED_DENIAL, "shop", Version(3, 2), "denied"),
        (NAMED_DENIAL, "shop", None, "unknown"),
        (NAMED_DENIAL, "", Version(3, 5), "unknown"),
    ],
)
def test_names_count_since_argo_cd_3_3(spec: str, name: str, argocd: Version | None, expected: str) -> None:
    verdict = project(spec).permits_kind("", "Namespace", name, cluster_scoped=True, argocd=argocd)
    assert answer(verdict) == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("description: none", "allowed"),
        ("namespaceResourceWhitelist: null", "allowed"),
        ("namespaceResourceWhitelist: []", "denied"),
        ("namespaceResourceWhitelist: [{group: apps, kind: Deployment}]", "allowed"),
        ("namespaceResourceWhitelist: [{group: '', kind: Deployment}]", "denied"),
        ("namespaceResourceBlacklist: [{group: '*', kind: '*'}]", "denied"),
        ("namespaceResourceBlacklist: [{group: '', kind: Secret}]", "allowed"),
        # Names are only for kinds of the cluster.
        ("namespaceResourceWhitelist: [{group: apps, kind: Deployment, name: other}]", "allowed"),
    ],
)
def test_namespaced_kinds(spec: str, expected: str) -> None:
    one = project(spec)
    assert answer(one.permits_kind("apps", "Deployment", "api", cluster_scoped=False, argocd=Version(3, 5))) == expected


# -- the rest


def test_an_empty_project_permits_nothing_but_namespaced_kinds() -> None:
    one = project("description: none")
    assert one.permits_source("https://github.com/org/repo").is_denied
    assert one.permits_destination(REMOTE, "", "shop").is_denied
    assert one.permits_kind("apps", "Deployment", "api", cluster_scoped=False).answer is Answer.ALLOWED


def test_a_project_that_a_kustomization_changes_denies_nothing_for_certain() -> None:
    one = project("description: none", Provenance(unsure=True))
    assert one.permits_source("https://github.com/org/repo").is_unknown
    assert one.permits_destination(REMOTE, "", "shop").is_unknown
    assert one.permits_kind("", "Namespace", "shop", cluster_scoped=True).is_unknown


def test_a_global_project_is_joined_in() -> None:
    own = project("sourceRepos: ['https://github.com/org/*']\nsyncWindows: [{kind: deny, applications: ['*']}]")
    world = project(
        "sourceRepos: ['!https://github.com/org/secret', 'https://example.com/**']\n"
        "clusterResourceWhitelist: [{group: '', kind: Namespace}]\n"
        "namespaceResourceWhitelist: [{group: apps, kind: '*'}]\nsyncWindows: [{kind: allow, applications: ['*']}]"
    )
    both = own.joined(world)
    assert both.permits_source("https://example.com/a/b").answer is Answer.ALLOWED
    assert both.permits_source("https://github.com/org/secret").is_denied
    assert both.permits_kind("", "Namespace", "shop", cluster_scoped=True).answer is Answer.ALLOWED
    # The list of the global project is one now, where the project itself had none.
    assert both.permits_kind("", "ConfigMap", "c", cluster_scoped=False).is_denied
    assert [window.kind for window in both.windows_for("a", Destination(REMOTE, "", ""))] == ["deny", "allow"]
    assert own.joined(project("namespaceResourceWhitelist: []")).namespace_resource_whitelist is None
    assert project("namespaceResourceWhitelist: []").joined(own).namespace_resource_whitelist == ()


def test_repositories_and_clusters_of_the_project_are_joined_in() -> None:
    one = project("description: none").with_scoped(["https://github.com/org/repo.git"], [REMOTE])
    assert one.permits_source("https://github.com/org/repo").answer is Answer.ALLOWED
    assert one.permits_destination(REMOTE, "", "shop").answer is Answer.ALLOWED
    assert one.permits_destination("https://other", "", "shop").is_denied


def test_values_of_the_wrong_type_are_passed_over() -> None:
    one = project("sourceRepos: [1, null, {a: b}, 'https://a/b']\ndestinations: [x, null]\nsyncWindows: [x]")
    assert [pattern.text for pattern in one.source_repos] == ["https://a/b"]
    assert one.destinations == one.sync_windows == ()
