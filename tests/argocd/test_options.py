"""The tables of sync options and zero values, as Argo CD has them."""

import pytest
from gitops_lint.linter.argocd import sync_options
from gitops_lint.linter.argocd.sync_options import Level
from gitops_lint.linter.argocd.zero_values import dropped_values, removed_blocks
from gitops_lint.linter.dialects.spelling import is_placeholder, nearest, respelled, without
from gitops_lint.linter.facts.tables import table
from gitops_lint.linter.facts.versions import Version, Versions
from gitops_lint.linter.yaml.source import Node, SourceFile

APPLICATION, RESOURCE = Level.APPLICATION, Level.RESOURCE
NO_VERSION = Versions()


def spec_of(text: str) -> Node:
    return SourceFile("spec.yaml", text).documents[0].root


@pytest.mark.parametrize(
    ("option", "application", "resource"),
    [
        ("Prune=false", "3.4", ""),
        ("Prune=confirm", "3.4", "2.14"),
        ("Delete=false", "3.4", "2.7"),
        ("Force=true", None, "2.12"),
        ("ServerSideApply=true", "", ""),
        ("ServerSideApply=false", None, "2.14"),
        ("CreateNamespace=true", "", None),
        ("PrunePropagationPolicy=orphan", "", None),
        ("SkipDryRunOnMissingResource=true", "3.1", ""),
        ("CreateNamespace=false", None, None),
    ],
)
def test_since_when_an_option_counts_at_a_level(option: str, application: str | None, resource: str | None) -> None:
    assert sync_options.since(option, APPLICATION) == application
    assert sync_options.since(option, RESOURCE) == resource


def test_an_option_is_unknown_only_if_it_means_nothing_anywhere() -> None:
    assert not sync_options.is_unknown("Force=true", APPLICATION)
    assert not sync_options.is_unknown("ServerSideDiff=true", APPLICATION)
    assert not sync_options.is_unknown("Replace=false", RESOURCE)
    assert sync_options.is_unknown("Prune=true", APPLICATION)
    assert not sync_options.is_unknown("Prune=true", RESOURCE)
    assert sync_options.is_unknown("replace=true", RESOURCE)
    assert sync_options.is_unknown(" Replace=true", APPLICATION)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("createnamespace = TRUE", "CreateNamespace=true"),
        ("CreateNamespace", "CreateNamespace=true"),
        ("ApplyOutOfSyncOnly=flase", "ApplyOutOfSyncOnly=false"),
        ("RespectIgnoreDifference=true", "RespectIgnoreDifferences=true"),
        ("PrunePropagationPolicy=Foreground", "PrunePropagationPolicy=foreground"),
        ("Prune=true", None),
        ("Atomic=true", None),
    ],
)
def test_a_guess_never_turns_the_meaning_round(written: str, meant: str | None) -> None:
    assert sync_options.meant(written, APPLICATION) == meant


def test_versions_decide_what_is_too_new() -> None:
    old, new = Versions(Version(3, 3)), Versions(Version(3, 4))
    assert sync_options.is_too_new("Prune=false", APPLICATION, old)
    assert not sync_options.is_too_new("Prune=false", APPLICATION, new)
    assert not sync_options.is_too_new("Prune=false", APPLICATION, NO_VERSION)
    assert sync_options.may_be_too_new("Prune=false", APPLICATION, NO_VERSION)
    assert not sync_options.may_be_too_new("Prune=false", APPLICATION, old)
    assert not sync_options.may_be_too_new("SkipDryRunOnMissingResource=true", APPLICATION, NO_VERSION)


def test_every_harmless_option_exists() -> None:
    names = {sync_options.name_of(option) for option in table("sync-options.json")["options"]}
    assert set(table("sync-options.json")["harmless"]) <= names


def test_nothing_that_counts_at_a_level_also_restates_the_default_there() -> None:
    for level in Level:
        for option, levels in table("sync-options.json")["options"].items():
            assert not (level.value in levels and sync_options.restates_the_default(option, level)), option


def test_lists_keep_their_form() -> None:
    assert respelled("A=b, C=d ,E", {"C=d": "c"}) == "A=b, c ,E"
    assert without("A=b, C=d, E", {"C=d"}) == "A=b, E"
    assert without("A=b", {"A=b"}) == ""


def test_nearest_prefers_what_differs_only_in_case_and_punctuation() -> None:
    assert nearest("pre-sync", ["PostSync", "PreSync"]) == "PreSync"
    assert nearest("whatever", ["PostSync", "PreSync"]) is None


@pytest.mark.parametrize("text", ["{{ x }}", "a-${B}", "$B", "<NAME>", "{% x %}", "$(B)"])
def test_placeholders(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize("text", ["5", "< 5", "PreSync", "{x}", "100 $", "a<=b"])
def test_no_placeholders(text: str) -> None:
    assert not is_placeholder(text)


def test_dropped_values_follow_lists_and_all_three_kinds_of_source() -> None:
    spec = spec_of(
        """
        source: {path: "", helm: {parameters: [{name: a, value: ""}]}}
        sources: [{chart: ""}]
        sourceHydrator: {drySource: {path: "", helm: {skipCrds: false}}}
        ignoreDifferences: [{group: ""}, {group: apps}]
        """
    )
    assert {dropped.node.pointer for dropped in dropped_values(spec, NO_VERSION)} == {
        "/source/path",
        "/source/helm/parameters/0/value",
        "/sources/0/chart",
        "/sourceHydrator/drySource/helm/skipCrds",
        "/ignoreDifferences/0/group",
    }


@pytest.mark.parametrize(("version", "count"), [(None, 2), (Version(3, 3), 2), (Version(3, 4), 0)])
def test_the_flags_of_automated_sync_are_kept_since_3_4(version: Version | None, count: int) -> None:
    spec = spec_of("syncPolicy: {automated: {selfHeal: false, allowEmpty: false, prune: false}}")
    assert len(list(dropped_values(spec, Versions(version)))) == count


@pytest.mark.parametrize(
    ("text", "removed"),
    [
        ("syncPolicy: {}", ["/syncPolicy"]),
        ("syncPolicy: {syncOptions: [], automated: null}", ["/syncPolicy"]),
        ("syncPolicy: {automated: {}}", []),
        ("syncPolicy: {retry: {}}", []),
        ("source: {helm: {}}", ["/source/helm"]),
        ("source: {helm: {valuesObject: {}}}", []),
        ("source: {helm: {skipCrds: true}}", []),
        ("source: {kustomize: {labelWithoutSelector: true}}", ["/source/kustomize"]),
        ("source: {kustomize: {ignoreMissingComponents: true}}", []),
        ("source: {directory: {jsonnet: {libs: []}}}", ["/source/directory"]),
        ("source: {directory: {jsonnet: {libs: [x]}}}", []),
        ("source: {directory: {include: a}}", []),
        ("source: {helm: {valuesObject: null}}", []),
        ("source: {directory: {jsonnet: {libs: null}}}", []),
        ("sources: [{helm: {}}]", ["/sources/0/helm"]),
        ("sources: [{helm: {skipCrds: false}}]", []),
        ("source:", []),
    ],
)
def test_removed_blocks(text: str, removed: list[str]) -> None:
    assert [block.node.pointer for block in removed_blocks(spec_of(text), NO_VERSION)] == removed
