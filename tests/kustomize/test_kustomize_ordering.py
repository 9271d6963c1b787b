"""The order in which Kustomize writes objects. Every expectation here was tried on the real tool."""

from __future__ import annotations

import pytest
from gitops_lint.linter.kustomize.kind_order import ordered
from gitops_lint.linter.kustomize.kustomize_errors import BuildError, Cause
from gitops_lint.linter.kustomize.objects import Object
from gitops_lint.linter.kustomize.objects_in_file import objects_in
from gitops_lint.linter.yaml.source import Node, SourceFile

FIFO = "sortOptions: {order: fifo}"


def objects(names: str) -> list[Object]:
    """From words like apps/v1/Deployment/name or v1/Service/name@namespace."""
    texts = []
    for word in names.split():
        api_version, kind, name = word.rsplit("/", 2)
        name, _, namespace = name.partition("@")
        place = f", namespace: {namespace}" if namespace else ""
        texts.append(f"{{apiVersion: {api_version}, kind: {kind}, metadata: {{name: {name}{place}}}}}\n")
    return list(objects_in(SourceFile("objects.yaml", "---\n".join(texts))))


def options(text: str = "namespace: a") -> Node:
    return SourceFile("kustomization.yaml", text).documents[0].root["sortOptions"]


def words(made: list[Object]) -> str:
    return " ".join(f"{one.gvk.kind}/{one.name}" + (f"@{one.namespace}" if one.namespace else "") for one in made)


def order(names: str, text: str = "namespace: a") -> str:
    return words(ordered(objects(names), options(text)))


def test_kinds_that_others_need_come_first_and_webhooks_last_by_default() -> None:
    names = (
        "admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration/v apps/v1/Deployment/d batch/v1/Job/j "
        "admissionregistration.k8s.io/v1/MutatingWebhookConfiguration/m v1/Service/s v1/Namespace/n v1/ConfigMap/c"
    )
    expected = (
        "Namespace/n ConfigMap/c Service/s Deployment/d Job/j "
        "MutatingWebhookConfiguration/m ValidatingWebhookConfiguration/v"
    )
    for text in ("namespace: a", "sortOptions: null", "sortOptions: {order: legacy, legacySortOptions: null}"):
        assert order(names, text) == expected


def test_other_kinds_go_by_group_then_version_and_those_without_a_group_come_last() -> None:
    names = "v1/Pod/p zz.io/v1/A/a a.io/v1beta1/A/a a.io/v1/B/b a.io/v1/A/a batch/v1/Job/j"
    assert order(names) == "A/a B/b A/a Job/j A/a Pod/p"


def test_one_kind_goes_by_namespace_then_name_and_those_without_a_namespace_come_last() -> None:
    names = "v1/Service/b v1/Service/a@z v1/Service/a@Z v1/Service/A v1/Service/zz@a v1/Service/a@a v1/Service/z@a-a"
    assert order(names) == "Service/a@Z Service/z@a-a Service/a@a Service/zz@a Service/a@z Service/A Service/b"


def test_fifo_leaves_objects_as_they_came() -> None:
    assert order("v1/Service/s v1/Namespace/n v1/ConfigMap/c", FIFO) == "Service/s Namespace/n ConfigMap/c"


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ("{}", "Deployment/d ConfigMap/c Namespace/n Service/s"),
        ("{orderFirst: [Service, Namespace]}", "Service/s Namespace/n Deployment/d ConfigMap/c"),
        ("{orderLast: [Deployment, ConfigMap]}", "Namespace/n Service/s Deployment/d ConfigMap/c"),
        ("{orderFirst: [Service], orderLast: [Service]}", "Deployment/d ConfigMap/c Namespace/n Service/s"),
    ],
)
def test_lists_of_ones_own_take_the_place_of_the_default_ones(lists: str, expected: str) -> None:
    names = "v1/Service/s v1/Namespace/n v1/ConfigMap/c apps/v1/Deployment/d"
    assert order(names, f"sortOptions: {{order: legacy, legacySortOptions: {lists}}}") == expected


@pytest.mark.parametrize(
    "text", ["{}", "{order: other}", "{order: fifo, legacySortOptions: {}}", "{legacySortOptions: {}}"]
)
def test_an_order_must_be_named_and_only_legacy_has_lists(text: str) -> None:
    with pytest.raises(BuildError) as caught:
        order("v1/Service/s", f"sortOptions: {text}")
    assert caught.value.cause is Cause.UNKNOWN_FIELD
    assert caught.value.at.pointer.startswith("/sortOptions")


@pytest.mark.parametrize("text", ["namespace: a", FIFO])
def test_two_objects_with_one_id_are_refused_in_the_end(text: str) -> None:
    for names in ("v1/Service/s v1/Service/s@default", "v1/Namespace/n@a v1/Namespace/n@b"):
        with pytest.raises(BuildError) as caught:
            order(names, text)
        assert caught.value.cause is Cause.DUPLICATE_ID
    assert order("v1/Service/s v1/Service/s@other", text)
