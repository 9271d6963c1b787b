"""Where the spec of an Application stands: in an Application, or in the template of an ApplicationSet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ..kubernetes.resource import Resource
    from ..yaml.source import Node

GROUP: Final = "argoproj.io"


def application_spec(resource: Resource) -> Node | None:
    """None for an object that is neither."""
    if resource.group != GROUP:
        return None
    if resource.kind == "Application":
        return resource["spec"]
    if resource.kind == "ApplicationSet":
        return resource["spec"]["template"]["spec"]
    return None
