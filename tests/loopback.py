"""Real servers on this machine: a Helm repository, git over HTTP, a registry; and bad ones."""

from __future__ import annotations

import base64
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from git_repository import ENVIRONMENT
from real_tools import helm3, tools_folder

USER, PASSWORD = "reader", "not-a-real-password"
BASIC = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()

Answer = Callable[["Handler"], bool]
"""Answers a request by itself; False leaves it to the server."""


class Handler(BaseHTTPRequestHandler):
    """Files of a folder, and what git's own backend says."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        if self.server.password and self.headers.get("Authorization") != BASIC:
            self.reply(401, b"", {"WWW-Authenticate": 'Basic realm="test"'})
        elif not self.server.answer(self):
            self._git() if self.server.git else self._file()

    do_POST = do_GET

    def _file(self) -> None:
        path = self.server.folder / self.path.lstrip("/").partition("?")[0]
        if path.is_file():
            self.reply(200, path.read_bytes(), {"Content-Type": "application/octet-stream"})
        else:
            self.reply(404, b"")

    def _git(self) -> None:
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        told = {
            "GIT_PROJECT_ROOT": str(self.server.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": self.command,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        backend = ["git", "http-backend"]
        done = subprocess.run(backend, input=body, env={**ENVIRONMENT, **told}, capture_output=True, check=False)
        head, _, rest = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
        status = int(headers.pop("Status", "200").split()[0])
        self.reply(status, rest, headers)

    def reply(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(
        self, folder: Path, *, git: bool = False, password: bool = False, answer: Answer | None = None
    ) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder = folder
        self.git = git
        self.password = password
        self.answer = answer or (lambda handler: False)
        self.asked: list[str] = []
        self.released = threading.Event()

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.server_address[1]}"

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    def handle_error(self, request: object, client_address: object) -> None:
        pass  # whoever asked went away


@contextmanager
def serving(
    folder: Path, *, git: bool = False, password: bool = False, answer: Answer | None = None
) -> Iterator[Server]:
    server = Server(folder, git=git, password=password, answer=answer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def written(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return root


def helm(*words: str, cwd: Path) -> str:
    home = {"PATH": os.environ["PATH"], "HOME": str(cwd), "HELM_CACHE_HOME": str(cwd / ".helm-cache")}
    done = subprocess.run([str(helm3()), *words], cwd=cwd, env=home, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def packaged(folder: Path, name: str, version: str, files: Mapping[str, str], more: str = "") -> Path:
    """A chart as `helm package` makes it, in the folder."""
    source = folder / "sources" / f"{name}-{version}" / name
    chart = f"apiVersion: v2\nname: {name}\nversion: {version}\n{more}"
    written(source, {"Chart.yaml": chart, "values.yaml": "", **files})
    helm("package", str(source), "--destination", str(folder), cwd=folder)
    return folder / f"{name}-{version}.tgz"


def indexed(folder: Path) -> None:
    helm("repo", "index", str(folder), cwd=folder)


# -- a registry


@cache
def registry_program() -> Path | str:
    """Debian's, as it is installed, or unpacked from its package; else why there is none."""
    found = shutil.which("docker-registry")
    if found:
        return Path(found)
    kept = tools_folder() / "docker-registry"
    if kept.exists():
        return kept
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return "there is no docker-registry on the PATH, and no Debian to get it from"
    scratch = kept.parent / "docker-registry.download"
    scratch.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["apt-get", "download", "docker-registry"], cwd=scratch, capture_output=True, timeout=120, check=False
    )
    packages = sorted(scratch.glob("*.deb"))
    if not packages:
        return "the package docker-registry cannot be downloaded"
    subprocess.run(["dpkg-deb", "-x", str(packages[0]), str(scratch / "all")], check=True, capture_output=True)
    os.replace(scratch / "all" / "usr" / "bin" / "docker-registry", kept)
    shutil.rmtree(scratch)
    return kept


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


@contextmanager
def registry(folder: Path) -> Iterator[str]:
    """Its host and port."""
    program = registry_program()
    if isinstance(program, str):
        pytest.skip(f"an OCI registry: {program}")
    port = free_port()
    config = f"version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {folder}}}}}\nhttp: {{addr: '127.0.0.1:{port}'}}\n"
    (folder / "config.yml").write_text(config, "utf-8")
    log = (folder / "log").open("wb")
    process = subprocess.Popen([str(program), "serve", str(folder / "config.yml")], stdout=log, stderr=log)
    try:
        for _ in range(100):
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()
        log.close()
