"""A route leads to a port that its Service does not have.

An HTTPRoute, GRPCRoute or Ingress names a Service and one of its ports. Where the Service is part
of the same Application and has no such port, the route is accepted and leads nowhere: the gateway
answers with an error (RefInvalid, 500 or 503), while everything is Synced. The number is the
Service's own `port`, not the targetPort of its pods.

Only Services that the same app brings, and that name their ports in git, are compared.

Fix: write a port that the Service has. The fix offered does so where it has only one; it is unsafe.

See: https://gateway-api.sigs.k8s.io/api-types/httproute/, https://kubernetes.io/docs/concepts/services-networking/ingress/

Bad:
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      ports:
        - port: 80
          targetPort: 8080
    ---
    apiVersion: gateway.networking.k8s.io/v1
    kind: HTTPRoute
    metadata:
      name: shop
    spec:
      rules:
        - backendRefs:
            - name: shop
              port: 8080  # <- here
Good:
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      ports:
        - port: 80
          targetPort: 8080
    ---
    apiVersion: gateway.networking.k8s.io/v1
    kind: HTTPRoute
    metadata:
      name: shop
    spec:
      rules:
        - backendRefs:
            - name: shop
              port: 80
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from ...linter.api import App, Finding, Fix, Moment, Node, Note, Repo, Resource, Severity, by_line, listed, rule

ROUTES: Final = ("gateway.networking.k8s.io/HTTPRoute", "gateway.networking.k8s.io/GRPCRoute")
INGRESS: Final = "networking.k8s.io/Ingress"


class Backend(NamedTuple):
    name: str
    namespace: str
    port: Node
    """A number, or the name of a port."""


@rule("GL030", Severity.WARNING, Moment.SYNC)
def check(repo: Repo) -> Iterator[Finding]:
    for place, ((route, service), *_) in by_line(one for app in repo.apps for one in _astray(app)):
        ports = [port["port"].value for port in service["spec"]["ports"]]
        fixes = (Fix(f"write {ports[0]}", place.set(ports[0])),) if len(ports) == 1 and ports[0] else ()
        yield Finding(
            place,
            headline=f"{route} leads to port {place.scalar_text} of {service}, which has none such",
            happens="The route is accepted and leads nowhere: requests are answered with an error.",
            do=f"Write a port that the Service has: {listed(ports)}.",
            fixes=fixes,
            related=(Note(service["spec"]["ports"], "its ports"),),
        )


def _astray(app: App) -> Iterator[tuple[Node, tuple[Resource, Resource]]]:
    services = {
        (one.namespace or app.namespace, one.name): one
        for one in app.resources
        if one.group_kind == "Service" and not one.patched and any(True for _ in one["spec"]["ports"])
    }
    for route in app.resources if services else ():
        if route.patched or route.group_kind not in (*ROUTES, INGRESS):
            continue
        for backend in _backends(route):
            service = services.get((backend.namespace or route.namespace or app.namespace, backend.name))
            if service is not None and service["spec"]["type"].text != "ExternalName" and not _has(service, backend):
                yield backend.port, (route, service)


def _backends(route: Resource) -> Iterator[Backend]:
    spec = route["spec"]
    if route.group_kind in ROUTES:
        for rule_ in spec["rules"]:
            for ref in rule_["backendRefs"]:
                if ref["kind"].text in ("", "Service") and isinstance(ref["port"].value, int):
                    yield Backend(ref["name"].text, ref["namespace"].text, ref["port"])
        return
    named = [spec["defaultBackend"]["service"]]
    named += [path["backend"]["service"] for rule_ in spec["rules"] for path in rule_["http"]["paths"]]
    for service in named:
        for key in ("number", "name"):
            if service["port"][key].value:
                yield Backend(service["name"].text, "", service["port"][key])


def _has(service: Resource, backend: Backend) -> bool:
    wanted = backend.port.value
    ports = list(service["spec"]["ports"])
    known = {port["port"].value for port in ports} | {port["name"].text for port in ports}
    return wanted in known or any(not isinstance(port["port"].value, int) for port in ports)
