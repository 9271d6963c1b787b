"""The proxy that a fetch goes through, and who may be asked."""

from __future__ import annotations

import base64
import gzip
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from gitops_lint.linter.facts import limits
from gitops_lint.linter.fetch import guard as guard_module
from gitops_lint.linter.fetch.getting import Getter, NotFetched
from gitops_lint.linter.fetch.guard import Guard, Resolve, Upstream
from gitops_lint.linter.fetch.permission import NotAllowed, Permission, Target, is_public, target_of
from gitops_lint.linter.fetch.wanted import chart_wanted, file_wanted, repository_wanted
from loopback import Answer, Handler, free_port, serving
from real_tools import helm3


@contextmanager
def guarded(tmp_path: Path, *hosts: str, resolve: Resolve | None = None) -> Iterator[Guard]:
    scratch = tmp_path / "scratch"
    scratch.mkdir(exist_ok=True)
    more = {"resolve": resolve} if resolve else {}
    with Guard(Permission.of(hosts), str(scratch), **more) as guard:
        yield guard


def said(guard: Guard, request: str, *, with_token: bool = True) -> str:
    token = base64.b64encode(guard.proxy.removeprefix("http://").rpartition("@")[0].encode()).decode()
    own = f"Proxy-Authorization: Basic {token}\r\n" if with_token else ""
    with socket.create_connection(("127.0.0.1", guard.port), 10) as one:
        one.sendall(f"{request}\r\n{own}\r\n".encode())
        found = b""
        while data := one.recv(65536):
            found += data
        return found.decode()


# -- who may be asked


@pytest.mark.parametrize(
    "address",
    "10.0.0.1 172.16.5.4 192.168.1.1 127.0.0.1 169.254.169.254 0.0.0.0 100.64.0.1 224.0.0.1 ::1 fe80::1 fd00::1 ff02::1"
    " ::ffff:10.0.0.1 ::ffff:127.0.0.1 2002:7f00:1:: 64:ff9b::a00:1 nonsense".split(),
)
def test_addresses_inside_of_a_network_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "140.82.121.4", "2606:50c0:8000::153", "::ffff:8.8.8.8"])
def test_addresses_of_the_internet_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    ("hosts", "target", "is_allowed"),
    [
        ("charts.example.com", "charts.example.com", True),
        ("charts.example.com", "charts.example.com:443", True),
        ("charts.example.com", "charts.example.com:8443", False),
        ("charts.example.com:8443", "charts.example.com:8443", True),
        ("charts.example.com", "evil-charts.example.com", False),
        ("charts.example.com", "charts.example.com.evil.org", False),
        ("*.example.com", "charts.example.com", True),
        ("*.example.com", "example.com", False),
        ("*.example.com", "evilexample.com", False),
        ("CHARTS.example.com", "charts.EXAMPLE.com", True),
        ("localhost", "localhost:8080", False),
        ("127.0.0.1:8080", "127.0.0.1:8080", True),
        ("127.0.0.1:8080", "127.0.0.1:8081", False),
        ("", "charts.example.com", False),
    ],
)
def test_a_host_is_asked_only_if_it_is_named(hosts: str, target: str, is_allowed: bool) -> None:
    permission = Permission.of(hosts.split())
    if is_allowed:
        permission.demand(target_of(target))
    else:
        with pytest.raises(NotAllowed):
            permission.demand(target_of(target))


@pytest.mark.parametrize("text", ["a b", "host:0", "host:99999", "http://host", "host/path", "[::1", "", "a@b:c"])
def test_what_is_no_host_is_none(text: str) -> None:
    with pytest.raises(NotAllowed):
        target_of(text)


def test_a_name_with_a_private_address_has_to_be_named_by_itself() -> None:
    Permission.of(["git.example.com"]).demand_address(Target("git.example.com", 443), "10.1.2.3")
    with pytest.raises(NotAllowed, match="private address"):
        Permission.of(["*.example.com"]).demand_address(Target("git.example.com", 443), "10.1.2.3")


# -- the proxy


def test_the_proxy_goes_to_allowed_servers_only(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("here")
    with serving(tmp_path) as server, serving(tmp_path) as other, guarded(tmp_path, server.host) as guard:
        assert said(guard, f"GET {server.url}/a.yaml HTTP/1.1\r\nHost: x").endswith("here")
        assert "403 Forbidden" in said(guard, f"GET {other.url}/a.yaml HTTP/1.1\r\nHost: x")
        assert "403 Forbidden" in said(guard, f"CONNECT {other.host} HTTP/1.1")
        assert other.asked == []
        assert guard.problems


def test_the_proxy_is_for_nobody_else(tmp_path: Path) -> None:
    with serving(tmp_path) as server, guarded(tmp_path, server.host) as guard:
        assert "407" in said(guard, f"GET {server.url}/ HTTP/1.1", with_token=False)
        assert server.asked == []


def test_a_name_that_leads_inside_is_refused_however_often_it_is_looked_up(tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        port = int(server.host.rpartition(":")[2])
        names = {"inside.example.com": ["127.0.0.1"], "both.example.com": ["8.8.8.8", "127.0.0.1"]}
        with guarded(tmp_path, "*.example.com", resolve=lambda host, _: names[host]) as guard:
            for name in names:
                assert "403 Forbidden" in said(guard, f"CONNECT {name}:443 HTTP/1.1")
            assert "403 Forbidden" in said(guard, f"CONNECT inside.example.com:{port} HTTP/1.1")
        assert server.asked == []


def test_another_proxy_is_asked_where_one_has_to_be(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("through the proxy")

    def as_proxy(handler: Handler) -> bool:
        assert handler.path == "http://charts.example.com/a.yaml"
        handler.reply(200, b"from outside")
        return True

    (tmp_path / "scratch").mkdir()
    with serving(tmp_path, answer=as_proxy) as proxy:
        upstream = Upstream.of(proxy.url)
        with Guard(Permission.of(["charts.example.com"]), str(tmp_path / "scratch"), upstream=upstream) as guard:
            assert said(guard, "GET http://charts.example.com/a.yaml HTTP/1.1\r\nHost: x").endswith("from outside")
            assert "403" in said(guard, "GET http://other.example.com/a.yaml HTTP/1.1\r\nHost: x")


# -- bad servers


def slow(handler: Handler) -> bool:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.server.released.wait(20)
    return True


def endless(handler: Handler) -> bool:
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b"x" * 65536)
    except OSError:
        return True


def wishes(url: str) -> list[object]:
    return [
        chart_wanted(url, "shop", "1.0.0"),
        repository_wanted(f"{url}/team/other", "v1"),
        file_wanted(f"{url}/a.yaml"),
    ]


@pytest.mark.parametrize("number", range(3), ids=["chart", "repository", "file"])
def test_a_server_that_never_ends_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(limits, "FETCHED_BYTES", 1024**2)
    monkeypatch.setattr(limits, "FETCHED_FILE_BYTES", 1024**2)
    with (
        serving(tmp_path, answer=endless) as server,
        guarded(tmp_path, server.host) as guard,
        pytest.raises(NotFetched) as reason,
    ):
        Getter(guard, str(helm3())).get(wishes(server.url)[number])  # type: ignore[arg-type]
    assert "more than 1 MB" in str(reason.value)


@pytest.mark.parametrize("number", range(3), ids=["chart", "repository", "file"])
def test_a_server_that_says_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(limits, "FETCH_SECONDS", 3.0)
    monkeypatch.setattr(guard_module, "_SILENCE", 1.0)
    with serving(tmp_path, answer=slow) as server, guarded(tmp_path, server.host) as guard:
        with pytest.raises(NotFetched) as reason:
            Getter(guard, str(helm3())).get(wishes(server.url)[number])  # type: ignore[arg-type]
        server.released.set()
    assert "said nothing" in str(reason.value) or "took longer" in str(reason.value)


def a_byte_now_and_then(handler: Handler) -> bool:
    handler.send_response(200)
    handler.end_headers()
    try:
        while not handler.server.released.wait(0.1):
            handler.wfile.write(b"x")
    except OSError:
        pass
    return True


def a_header_now_and_then(handler: Handler) -> bool:
    handler.connection.sendall(b"HTTP/1.1 200 OK\r\n")
    try:
        while not handler.server.released.wait(0.1):
            handler.connection.sendall(b"X-More: y\r\n")
    except OSError:
        pass
    return True


@pytest.mark.parametrize("answer", [a_byte_now_and_then, a_header_now_and_then], ids=["body", "head"])
@pytest.mark.parametrize("number", range(3), ids=["chart", "repository", "file"])
def test_a_server_that_is_never_done_and_never_silent_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, answer: Answer
) -> None:
    monkeypatch.setattr(limits, "FETCH_SECONDS", 1.5)
    with serving(tmp_path, answer=answer) as server, guarded(tmp_path, server.host) as guard:
        with pytest.raises(NotFetched, match=r"took longer than 1\.5 s"):
            Getter(guard, str(helm3())).get(wishes(server.url)[number])  # type: ignore[arg-type]
        server.released.set()


def a_long_header(handler: Handler) -> bool:
    handler.connection.sendall(b"HTTP/1.1 200 OK\r\nX: " + b"y" * 2_000_000 + b"\r\n\r\n")
    return True


def no_http(handler: Handler) -> bool:
    handler.connection.sendall(b"\x1b[31m::error::obeyed\n\n")
    return True


def in_a_circle(handler: Handler) -> bool:
    handler.reply(302, b"", {"Location": handler.path})
    return True


@pytest.mark.parametrize("answer", [a_long_header, no_http, in_a_circle])
@pytest.mark.parametrize("number", range(3), ids=["chart", "repository", "file"])
def test_an_answer_that_is_none_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, answer: Answer
) -> None:
    monkeypatch.setattr(guard_module, "_SILENCE", 1.0)
    with (
        serving(tmp_path, answer=answer) as server,
        guarded(tmp_path, server.host) as guard,
        pytest.raises(NotFetched),
    ):
        Getter(guard, str(helm3())).get(wishes(server.url)[number])  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform != "linux", reason="addresses are bounded on Linux")
def test_an_answer_that_unpacks_to_much_in_git_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "GIT_ADDRESSES", 128 * 1024**2)
    bomb = gzip.compress(b"\0" * 256 * 1024**2, 1)

    def answer(handler: Handler) -> bool:
        kind = "application/x-git-upload-pack-advertisement"
        handler.reply(200, bomb, {"Content-Encoding": "gzip", "Content-Type": kind})
        return True

    with (
        serving(tmp_path, answer=answer) as server,
        guarded(tmp_path, server.host) as guard,
        pytest.raises(NotFetched, match="git needs more memory"),
    ):
        Getter(guard, None).get(repository_wanted(f"{server.url}/team/other", "v1"))  # type: ignore[arg-type]


@pytest.mark.skipif(sys.platform != "linux", reason="addresses are bounded on Linux")
def test_an_index_that_helm_cannot_hold_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "HELM_ADDRESSES", 1_400 * 1024**2)
    entries = b"".join(b"  - {name: shop, version: 1.0.%d, urls: [a, b, c, d]}\n" % i for i in range(400_000))
    (tmp_path / "index.yaml").write_bytes(b"apiVersion: v1\nentries:\n  shop:\n" + entries)
    with (
        serving(tmp_path) as server,
        guarded(tmp_path, server.host) as guard,
        pytest.raises(NotFetched, match="needs more memory than it may have"),
    ):
        Getter(guard, str(helm3())).get(chart_wanted(server.url, "shop", "1.0.0"))  # type: ignore[arg-type]


def test_what_is_not_there_is_said_without_a_secret(tmp_path: Path) -> None:
    with guarded(tmp_path, f"127.0.0.1:{free_port()}") as guard:
        url = f"http://{min(guard._permission.hosts)}"
        for wanted in wishes(url):
            with pytest.raises(NotFetched) as reason:
                Getter(guard, str(helm3())).get(wanted)  # type: ignore[arg-type]
            assert guard.proxy not in str(reason.value)
            assert guard.proxy.split(":")[2].split("@")[0] not in str(reason.value)
