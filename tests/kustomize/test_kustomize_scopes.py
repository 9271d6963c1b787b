"""Which kinds Kustomize takes for cluster-wide."""

from __future__ import annotations

import pytest
from gitops_lint.linter.kustomize.objects import gvk
from gitops_lint.linter.kustomize.scopes import is_cluster_scoped


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "Namespace"),
        ("v1", "PersistentVolume"),
        ("rbac.authorization.k8s.io/v1", "ClusterRole"),
        ("apiextensions.k8s.io/v1beta1", "CustomResourceDefinition"),
        ("policy/v1beta1", "PodSecurityPolicy"),
    ],
)
def test_kinds_of_its_openapi_document_are_cluster_wide(api_version: str, kind: str) -> None:
    assert is_cluster_scoped(gvk(api_version, kind))


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "ConfigMap"),
        ("apps/v1", "Deployment"),
        # Younger than the document, so that Kustomize puts them into a namespace.
        ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
        ("flowcontrol.apiserver.k8s.io/v1", "FlowSchema"),
        # Of another version than those in the document.
        ("rbac.authorization.k8s.io/v1alpha1", "ClusterRole"),
        ("v2", "Namespace"),
        ("example.com/v1", "Namespace"),
        # Nobody knows them.
        ("gateway.networking.k8s.io/v1", "GatewayClass"),
        ("", ""),
    ],
)
def test_all_other_kinds_count_as_namespaced(api_version: str, kind: str) -> None:
    assert not is_cluster_scoped(gvk(api_version, kind))
