"""A real Chromium, and a reader of pages."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

VOID = {"meta", "br", "input", "link", "img", "hr"}
HOSTILE = '<img src=x onerror="alert(1)">\' & </script><script>alert(2)</script> \u202e\x1b[31m'


class Page(HTMLParser):
    """Every element with its attributes and text; complains about tags that do not match."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {key: value or "" for key, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] not in ("style", "script"):
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]

    def values(self, attribute: str) -> list[str]:
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]


def find_chromium() -> str | None:
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next(filter(None, map(shutil.which, names)), None)


def browse(chromium: str, folder: Path, page: str, *args: str, at: str = "") -> str:
    (folder / "plan.html").write_text(page, "utf-8")
    done = subprocess.run(
        [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=5000", "--enable-logging=stderr", *args,
            f"{(folder / 'plan.html').as_uri()}{at}",
        ],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "CONSOLE" not in done.stderr, "the page complains"
    return done.stdout


TIMING = """
const paint = performance.getEntriesByName('first-contentful-paint')[0];
return {
  complete: performance.getEntriesByType('navigation')[0].domComplete,
  paint: paint ? paint.startTime : Infinity,
  elements: document.getElementsByTagName('*').length,
};
"""


def find_driver() -> str | None:
    return shutil.which("chromedriver")


class Driven:
    """A Chromium that chromedriver holds: opens pages, runs scripts in them, presses keys, asks what a screen reader gets."""

    def __init__(self, driver: str, chromium: str, profile: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        quiet = subprocess.DEVNULL
        self.process = subprocess.Popen([driver, f"--port={self.port}"], stdout=quiet, stderr=quiet)
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
        arguments += ["--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}"]
        arguments += ["--window-size=1400,900"]
        wanted = {"alwaysMatch": {"goog:chromeOptions": {"binary": chromium, "args": arguments}}}
        self.session = _ask(self.port, "POST", "/session", {"capabilities": wanted})["sessionId"]

    def __enter__(self) -> Driven:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            _ask(self.port, "DELETE", f"/session/{self.session}")
        finally:
            self.process.terminate()
            self.process.wait(20)

    def _do(self, what: str, data: object) -> Any:
        return _ask(self.port, "POST", f"/session/{self.session}/{what}", data)

    def open(self, address: str) -> None:
        self._do("url", {"url": address})

    def run(self, script: str) -> Any:
        return self._do("execute/sync", {"script": script, "args": []})

    def press(self, key: str) -> None:
        steps = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._do("actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def heard(self) -> list[tuple[str, str]]:
        """Role and name of all that a screen reader gets to know."""
        nodes = self._do("goog/cdp/execute", {"cmd": "Accessibility.getFullAXTree", "params": {}})["nodes"]
        told = [node for node in nodes if not node["ignored"]]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in told]


def _ask(port: int, method: str, path: str, data: object = None) -> Any:
    body = None if data is None else json.dumps(data).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", body, headers, method=method)
    for _ in range(100):
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            with error:
                raise AssertionError(error.read().decode()) from None
        except urllib.error.URLError:
            time.sleep(0.1)  # it is not up yet
    raise AssertionError("chromedriver does not answer")
