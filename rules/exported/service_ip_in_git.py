"""A Service in git has the cluster IP that a cluster once gave it.

The server gives every Service an address of its own range. One that is written in git is refused
where the range is another ("the provided network does not match the current range") or the address is taken
("provided IP is already allocated"), and it cannot change later.

People write clusterIP on purpose, for the DNS of a cluster and the like; clusterIPs beside it is what an
export leaves, and only that is told. Silent: None, which makes a Service headless.

Fix: leave clusterIP and clusterIPs out. The fix offered is unsafe: with Replace=true the Service
gets another address.

See: argo-cd#2150

Bad:
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      clusterIP: 10.96.14.7  # <- here
      clusterIPs:
        - 10.96.14.7
      ports:
        - port: 80
Good:
    apiVersion: v1
    kind: Service
    metadata:
      name: shop
    spec:
      ports:
        - port: 80
"""

from collections.abc import Iterator
from ipaddress import ip_address

from ...linter.api import Finding, Fix, Moment, Resource, Severity, rule


@rule("GL047", Severity.NOTE, Moment.INSTALL, kinds="Service")
def check(service: Resource) -> Iterator[Finding]:
    address = service["spec"]["clusterIP"]
    several = service["spec"]["clusterIPs"]
    if service.group == "" and several.present and _is_address(address.text):
        yield Finding(
            address,
            headline=f"{service} asks for the address {address.text}",
            happens="A cluster with another range, or where it is taken, refuses the Service.",
            do="Leave clusterIP and clusterIPs out.",
            fixes=(Fix("leave the address out", address.remove().also(several.remove())),),
        )


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
