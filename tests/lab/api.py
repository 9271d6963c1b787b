"""The Kubernetes API, as JSON over HTTPS: as much of a client as the lab needs."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import urlencode

from .processes import LOOPBACK

Object = dict[str, Any]


class ApiError(Exception):
    def __init__(self, status: int, message: str, causes: list[Object] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.causes = causes or []
        """Field by field, if the server says so."""


class Kind(NamedTuple):
    """A kind as the API server serves it."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool
    verbs: tuple[str, ...]

    def path(self, namespace: str = "", name: str = "") -> str:
        root = f"/apis/{self.api_version}" if "/" in self.api_version else f"/api/{self.api_version}"
        within = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{root}{within}/{self.plural}" + (f"/{name}" if name else "")


class Api:
    """One connection a thread, to one user's view of the cluster."""

    def __init__(self, port: int, token: str) -> None:
        self._port, self._token = port, token
        self._local = threading.local()
        self._tls = ssl.create_default_context()
        self._tls.check_hostname = False
        self._tls.verify_mode = ssl.CERT_NONE  # the server made its certificate itself, a moment ago

    def request(
        self, verb: str, path: str, body: object = None, content: str = "application/json", **query: str
    ) -> Object:
        """Raises ApiError on anything but success."""
        url = path + (f"?{urlencode(query)}" if query else "")
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": content, "Accept": "application/json"}
        for attempt in range(30):
            connection = self._connection()
            try:
                connection.request(verb, url, data, headers)
                answer = connection.getresponse()
                text = answer.read()
            except (http.client.HTTPException, OSError):
                connection.close()
                self._local.connection = None
                if attempt >= 2:
                    raise
                continue
            if answer.status != 429:  # too much at once, or a CRD of a moment ago: ask again
                break
            time.sleep(0.5)
        found = json.loads(text) if text[:1] == b"{" else {"text": text.decode("utf-8", "replace")}
        if answer.status >= 400:
            message = found.get("message") or found.get("text") or str(answer.status)
            raise ApiError(answer.status, message, (found.get("details") or {}).get("causes"))
        return found

    def _connection(self) -> http.client.HTTPSConnection:
        held: http.client.HTTPSConnection | None = getattr(self._local, "connection", None)
        if held is None:
            held = http.client.HTTPSConnection(LOOPBACK, self._port, context=self._tls, timeout=60)
            self._local.connection = held
        return held

    @cached_property
    def core(self) -> dict[str, Kind]:
        """The kinds that every cluster has, by name and plural; asked for once."""
        return {kind.kind: kind for kind in self.kinds()}

    def kinds(self) -> Iterator[Kind]:
        """What is served now, each kind in the version that its group prefers."""
        versions = ["v1", *(one["preferredVersion"]["groupVersion"] for one in self.request("GET", "/apis")["groups"])]
        for version in versions:
            root = f"/apis/{version}" if "/" in version else f"/api/{version}"
            try:
                listed = self.request("GET", root)["resources"]
            except ApiError:
                continue  # an aggregated API that is not up, a CRD just removed
            for one in listed:
                if "/" not in one["name"]:
                    yield Kind(version, one["kind"], one["name"], one["namespaced"], tuple(one["verbs"]))

    def kind(self, api_version: str, kind: str) -> Kind:
        root = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        for one in self.request("GET", root)["resources"]:
            if one["kind"] == kind and "/" not in one["name"]:
                return Kind(api_version, kind, one["name"], one["namespaced"], tuple(one["verbs"]))
        raise ApiError(404, f"{api_version} {kind} is not served")

    def list(self, kind: Kind, namespace: str = "", **query: str) -> list[Object]:
        return self.request("GET", kind.path(namespace), **query).get("items") or []

    def get(self, kind: Kind, name: str, namespace: str = "") -> Object | None:
        try:
            return self.request("GET", kind.path(namespace, name))
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def create(self, kind: Kind, what: Object, **query: str) -> Object:
        namespace = what.get("metadata", {}).get("namespace", "default" if kind.namespaced else "")
        return self.request("POST", kind.path(namespace), what, **query)

    def patch(self, kind: Kind, name: str, what: object, namespace: str = "", subresource: str = "") -> Object:
        path = kind.path(namespace, name) + (f"/{subresource}" if subresource else "")
        return self.request("PATCH", path, what, "application/merge-patch+json")

    def delete(self, kind: Kind, name: str, namespace: str = "", **query: str) -> None:
        try:
            self.request("DELETE", kind.path(namespace, name), **query)
        except ApiError as error:
            if error.status not in (404, 409):
                raise
