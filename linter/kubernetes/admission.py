"""Webhooks that the API server asks before it takes an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..yaml.source import Node
    from .resource import Resource

GROUP: Final = "admissionregistration.k8s.io"
KINDS: Final = ("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration")
ANY: Final = "*"


def refusing_webhook(configuration: Resource, resource: Resource, crd: Resource) -> bool:
    """Whether it has a webhook in the cluster without whose answer a custom resource is not taken."""
    if configuration.group != GROUP or configuration.kind not in KINDS:
        return False
    plural = crd["spec"]["names"]["plural"].text
    return any(
        webhook["failurePolicy"].text in ("", "Fail")
        and webhook["clientConfig"]["service"].present
        and any(_is_meant(rule, resource.group, plural) for rule in webhook["rules"])
        for webhook in configuration["webhooks"]
    )


def _is_meant(rule: Node, group: str, plural: str) -> bool:
    groups, resources, operations = (
        {item.text for item in rule[field]} for field in ("apiGroups", "resources", "operations")
    )
    return (
        not groups.isdisjoint((group, ANY))
        and not resources.isdisjoint((plural, ANY, "*/*"))
        and not operations.isdisjoint(("CREATE", ANY))
    )
