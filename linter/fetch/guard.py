"""The one way to the network: a proxy of our own, for as long as a fetch lasts.

The programs that fetch reach nothing but this, and it reaches nobody but those
who are allowed. It looks up names itself and connects to the very address that
it has judged: a redirect, a second answer of a name server or a link in an
index lead nowhere else. It counts what comes in.
"""

from __future__ import annotations

import base64
import os
import secrets
import select
import socket
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from time import monotonic
from types import TracebackType
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from ..facts import limits
from .permission import NotAllowed, Permission, Target, is_this_machine, target_of

_HEAD: Final = 64 * 1024
_CHUNK: Final = 64 * 1024
_WAIT: Final = 20.0
"""Seconds for a connection to come about, and for a request to be said."""
_SILENCE: Final = 60.0
"""Seconds that a server may say nothing."""
_DOORS: Final = 64

_WHO_ARE_YOU: Final = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nConnection: close\r\n\r\n"
)

Resolve = Callable[[str, int], Iterable[str]]


class Upstream(NamedTuple):
    """A proxy that has to be used to get out at all; it looks up names itself."""

    target: Target
    authorization: str = ""

    @classmethod
    def of(cls, url: str) -> Upstream | None:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        if parts.scheme != "http" or not parts.hostname:
            return None
        said = f"{parts.username or ''}:{parts.password or ''}".encode()
        authorization = f"Basic {base64.b64encode(said).decode()}" if parts.username else ""
        return cls(Target(parts.hostname, parts.port or 80), authorization)


def addresses(host: str, port: int) -> list[str]:
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


class Guard:
    """Use it as a context; `problems` says whom it did not let through, and what was too much."""

    def __init__(
        self, permission: Permission, scratch: str, *, upstream: Upstream | None = None, resolve: Resolve = addresses
    ) -> None:
        self._permission = permission
        self._upstream = upstream
        self._resolve = resolve
        self._token = secrets.token_urlsafe(24)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        self.hatch = os.path.join(scratch, "guard")
        """Where a walled program hands over the doors that it has made for us."""
        self._hatch = socket.socket(socket.AF_UNIX) if hasattr(socket, "AF_UNIX") else None
        self.problems: list[str] = []
        self._connections = 0
        self._end = float("inf")
        self._is_over = False
        self._open: set[socket.socket] = set()

    @property
    def proxy(self) -> str:
        """With a secret of this run: nobody else on the machine can use it."""
        return f"http://fetch:{self._token}@127.0.0.1:{self.port}"

    @property
    def doors(self) -> tuple[int, ...]:
        """The ports that a walled program needs: the proxy's, and of allowed servers on this machine."""
        return (self.port, *self._permission.local_ports)

    def begin(self) -> None:
        """One more thing is going to be fetched. It has its time, however slowly somebody talks."""
        self.problems.clear()
        self._connections = 0
        self._end = monotonic() + limits.FETCH_SECONDS

    def __enter__(self) -> Guard:
        self._serve(self._listening, self._answer)
        if self._hatch is not None:
            self._hatch.bind(self.hatch)
            os.chmod(self.hatch, 0o600)
            self._hatch.listen()
            self._serve(self._hatch, self._take_doors)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over = True
        for one in (self._listening, self._hatch, *tuple(self._open)):
            if one is not None:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()

    # -- listening

    def _serve(self, listening: socket.socket, handle: Callable[[socket.socket], None]) -> None:
        threading.Thread(target=self._accept, args=(listening, handle), daemon=True).start()

    def _accept(self, listening: socket.socket, handle: Callable[[socket.socket], None]) -> None:
        while not self._is_over:
            try:
                one, _ = listening.accept()
            except OSError:
                return
            threading.Thread(target=self._handled, args=(one, handle), daemon=True).start()

    def _handled(self, one: socket.socket, handle: Callable[[socket.socket], None]) -> None:
        self._open.add(one)
        try:
            with one:
                handle(one)
        except (OSError, ValueError):
            return  # whoever asked sees that nothing comes
        finally:
            self._open.discard(one)

    def _take_doors(self, one: socket.socket) -> None:
        """A walled program has no network; the sockets that it listens on come to us, and we answer there."""
        one.settimeout(_WAIT)
        words, handles, _, _ = socket.recv_fds(one, _CHUNK, _DOORS)
        for word, door in zip(words.decode("ascii").split(","), handles, strict=True):
            listening = socket.socket(fileno=door)
            self._open.add(listening)
            port = int(word)
            handle = self._answer if port == self.port else partial(self._pass_on, port)
            self._serve(listening, handle)
        one.sendall(b"taken")

    def _pass_on(self, port: int, one: socket.socket) -> None:
        """To an allowed server on this machine."""
        if self._is_one_more():
            with socket.create_connection(("127.0.0.1", port), _WAIT) as other:
                self._relay(one, other, f"127.0.0.1:{port}")

    # -- one request

    def _answer(self, one: socket.socket) -> None:
        one.settimeout(_WAIT)
        head = _read_head(one)
        first, _, rest = head.partition(b"\r\n")
        method, url, _ = first.decode("ascii").split(" ", 2)
        lines = [line for line in rest.split(b"\r\n") if line]
        if not self._is_ours(lines):
            one.sendall(_WHO_ARE_YOU)
            return
        if method == "CONNECT":
            target, path = target_of(url), ""
        else:
            parts = urlsplit(url)
            if parts.scheme != "http":
                raise ValueError(url)
            target = target_of(parts.netloc.rpartition("@")[2], 80)
            path = url[len("http://") + len(parts.netloc) :] or "/"
        if not self._is_one_more():
            _refuse(one, "too many connections")
            return
        try:
            other = self.connect(target, tunnels=method == "CONNECT")
        except NotAllowed as reason:
            self.problems.append(str(reason))
            _refuse(one, str(reason))
            return
        except OSError as error:
            self.problems.append(f"{target} cannot be reached: {error.strerror or error}")
            _refuse(one, "cannot be reached", b"502 Bad Gateway")
            return
        with other:
            if method == "CONNECT":
                one.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                other.sendall(_forwarded(method, url if self._upstream else path, lines, self._upstream))
            self._relay(one, other, str(target))

    def _is_ours(self, lines: Iterable[bytes]) -> bool:
        wanted = base64.b64encode(f"fetch:{self._token}".encode())
        said = (line.split(b":", 1)[1].strip() for line in lines if line.lower().startswith(b"proxy-authorization:"))
        return any(secrets.compare_digest(one.partition(b" ")[2], wanted) for one in said)

    def _is_one_more(self) -> bool:
        self._connections += 1
        if self._connections <= limits.FETCHED_CONNECTIONS:
            return True
        self.problems.append(f"more than {limits.FETCHED_CONNECTIONS} connections for one thing")
        return False

    def connect(self, target: Target, *, tunnels: bool = True) -> socket.socket:
        """To the address that was judged. Raises NotAllowed."""
        self._permission.demand(target)
        if self._upstream is not None and not is_this_machine(target.host):
            return self._through(self._upstream, target, tunnels)
        found = list(dict.fromkeys(self._resolve(target.host, target.port)))
        for address in found:
            self._permission.demand_address(target, address)
        problem: OSError = OSError("no such host")
        for address in found:
            try:
                return socket.create_connection((address, target.port), _WAIT)
            except OSError as error:
                problem = error
        raise problem

    def _through(self, upstream: Upstream, target: Target, tunnels: bool) -> socket.socket:
        if _is_address(target.host):
            self._permission.demand_address(target, target.host)
        other = socket.create_connection(upstream.target, _WAIT)
        if not tunnels:
            return other
        said = f"Proxy-Authorization: {upstream.authorization}\r\n" if upstream.authorization else ""
        name = f"{target.host}:{target.port}"
        other.sendall(f"CONNECT {name} HTTP/1.1\r\nHost: {name}\r\n{said}\r\n".encode())
        status = _read_head(other).split(b" ", 2)
        if len(status) < 2 or status[1] != b"200":
            other.close()
            raise OSError(f"the proxy {upstream.target} does not let it through")
        return other

    def _relay(self, one: socket.socket, other: socket.socket, name: str) -> None:
        """Both ways, until one of them ends, nothing is said for long, or it is too much or takes too long."""
        came = 0
        self._open.add(other)
        try:
            last = monotonic()
            while not self._is_over:
                ready, _, _ = select.select([one, other], [], [], 1.0)
                if monotonic() > self._end:
                    self.problems.append(f"{name} took longer than {limits.FETCH_SECONDS:g} s")
                    return
                if not ready and monotonic() - last > _SILENCE:
                    self.problems.append(f"{name} said nothing for {_SILENCE:g} s")
                    return
                for source in ready:
                    last = monotonic()
                    data = source.recv(_CHUNK)
                    if not data:
                        return
                    if source is other:
                        came += len(data)
                    if came > limits.FETCHED_BYTES:
                        self.problems.append(f"{name} sends more than {limits.FETCHED_BYTES // 1024**2} MB")
                        return
                    (one if source is other else other).sendall(data)
        finally:
            self._open.discard(other)


def _is_address(host: str) -> bool:
    with suppress(OSError):
        return bool(socket.getaddrinfo(host, None, flags=socket.AI_NUMERICHOST))
    return False


def _read_head(one: socket.socket) -> bytes:
    """Up to the empty line. Nobody sends more before there is an answer, but a body, which is looked at in place."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        byte = one.recv(1)
        head += byte
        if not byte or len(head) > _HEAD:
            raise ValueError("no request")
    return head[:-4]


def _forwarded(method: str, path: str, lines: Iterable[bytes], upstream: Upstream | None) -> bytes:
    """A request for this server alone: the next one may be for another."""
    own = (b"proxy-authorization:", b"proxy-connection:", b"connection:")
    kept = [line for line in lines if not line.lower().startswith(own)]
    if upstream is not None and upstream.authorization:
        kept.append(f"Proxy-Authorization: {upstream.authorization}".encode())
    return b"\r\n".join([f"{method} {path} HTTP/1.1".encode(), *kept, b"Connection: close", b"", b""])


def _refuse(one: socket.socket, reason: str, status: bytes = b"403 Forbidden") -> None:
    text = f"gitops-lint: {reason}\n".encode("ascii", "replace")
    length = f"Content-Length: {len(text)}\r\n".encode()
    one.sendall(b"HTTP/1.1 " + status + b"\r\nConnection: close\r\n" + length + b"\r\n" + text)
