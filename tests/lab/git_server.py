"""Git over HTTP from a folder: `git http-backend`, called as the CGI program that it is.

What else the generators of an ApplicationSet ask over HTTP, the API of a forge or a plugin, is answered here, too.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from .processes import LOOPBACK

_WHO = {
    "GIT_AUTHOR_NAME": "lab",
    "GIT_AUTHOR_EMAIL": "lab@lab.invalid",
    "GIT_COMMITTER_NAME": "lab",
    "GIT_COMMITTER_EMAIL": "lab@lab.invalid",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}


class GitServer:
    """Repositories by name, each with one branch `main`; other files below `charts/` are served as they are."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.answers: dict[str, Any] = {}
        """Path, without what it is asked for → what is said as JSON; a number for a status without a word."""
        self._server = ThreadingHTTPServer((LOOPBACK, 0), _handler(folder, lambda path: self.answers.get(path)))
        threading.Thread(target=self._server.serve_forever, daemon=True, name="git").start()

    @property
    def root(self) -> str:
        return f"http://{LOOPBACK}:{self._server.server_address[1]}"

    def url(self, name: str) -> str:
        return f"{self.root}/{name}.git"

    @property
    def charts(self) -> Path:
        """The folder that is served as a Helm repository, at `root`/charts."""
        return self._folder / "charts"

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def commit(self, name: str, files: Mapping[str, str | bytes], message: str = "change") -> None:
        """The repository has exactly these files from now on."""
        bare, tree = self._folder / f"{name}.git", self._folder / f"{name}.tree"
        if not bare.exists():
            _git(None, "init", "--quiet", "--bare", "--initial-branch=main", str(bare))
        index = self._folder / f"{name}.index"
        index.unlink(missing_ok=True)
        _clear(tree)
        for path, content in files.items():
            target = tree / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())
        place = {"GIT_DIR": str(bare), "GIT_WORK_TREE": str(tree), "GIT_INDEX_FILE": str(index)}
        _git(place, "add", "--all", "--force", ".")
        _git(place, "symbolic-ref", "HEAD", "refs/heads/main")
        _git(place, "commit", "--quiet", "--allow-empty", "--message", message)


def _clear(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True) if folder.exists() else []:
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink()
    folder.mkdir(parents=True, exist_ok=True)


def _git(place: Mapping[str, str] | None, *arguments: str) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": os.devnull, **_WHO, **(place or {})}
    cwd = place["GIT_WORK_TREE"] if place else None
    subprocess.run(["git", *arguments], cwd=cwd, env=environment, check=True, capture_output=True)


def _handler(folder: Path, answer: Callable[[str], Any]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(b"")

        def do_POST(self) -> None:
            self._answer(self._body())

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = []
            while size := int(self.rfile.readline().strip() or b"0", 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def _answer(self, body: bytes) -> None:
            path, _, query = self.path.partition("?")
            if path.startswith("/charts/"):
                self._file(folder / path.lstrip("/"))
                return
            if (said := answer(path)) is not None:
                is_status = isinstance(said, int)
                self._send(said if is_status else 200, b"{}" if is_status else json.dumps(said).encode())
                return
            environment = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "safe.directory",
                "GIT_CONFIG_VALUE_0": "*",
                "REQUEST_METHOD": self.command,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "REMOTE_ADDR": LOOPBACK,
            }
            done = subprocess.run(
                ["git", "http-backend"], input=body, env=environment, capture_output=True, check=False
            )
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            headers = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
            status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
            self.send_response(status)
            for name, value in headers:
                if name != "Status":
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def _file(self, path: Path) -> None:
            found = path.is_file() and path.resolve().is_relative_to(folder.resolve())
            self._send(200 if found else 404, path.read_bytes() if found else b"not found")

        def _send(self, status: int, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            """Quiet."""

    return Handler
