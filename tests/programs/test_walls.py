"""What a chart makes Helm do: no connection, no file but its own, however the chart asks for it."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from gitops_lint.linter.files.disk import Reader
from gitops_lint.linter.helm.helm_request import Request
from gitops_lint.linter.helm.run import chart_copy
from gitops_lint.linter.helm.run.real_helm import HelmBinary, RealHelm, find_helm
from gitops_lint.linter.helm.run.remote_schemas import looks_elsewhere
from gitops_lint.linter.programs.outcomes import Printed
from gitops_lint.linter.programs.processes import confined
from real_tools import helm as helm4
from real_tools import helm3

BOM = b"\xef\xbb\xbf"
CHART = b"apiVersion: v2\nname: sub\nversion: 1.0.0\n"
OBJECT = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"
REGULAR, UNKNOWN = tarfile.REGTYPE, b"Z"


@pytest.fixture(params=["Helm 3", "Helm 4"])
def binary(request: pytest.FixtureRequest) -> HelmBinary:
    found = find_helm(str(helm3() if request.param == "Helm 3" else helm4()))
    assert found is not None
    return found


def schema(address: str) -> bytes:
    return json.dumps({"properties": {"a": {"$ref": address}}}).encode()


def tar(*members: tuple[str, bytes, bytes], end: bool = True) -> bytes:
    found = b""
    for name, data, kind in members:
        header = tarfile.TarInfo(name)
        header.size, header.type = len(data), kind
        found += header.tobuf(tarfile.USTAR_FORMAT) + data + b"\0" * (-len(data) % 512)
    return found + (b"\0" * 1024 if end else b"")


def archives(evil: bytes) -> dict[str, bytes]:
    """An archive of a chart with that schema, packed in ways that not everybody reads alike."""
    head, named = ("sub/Chart.yaml", CHART, REGULAR), "sub/values.schema.json"
    whole = tar(head, (named, evil, REGULAR))
    plain = gzip.compress(whole)
    return {
        "as usual": plain,
        "two members": gzip.compress(tar(head, end=False)) + gzip.compress(tar((named, evil, REGULAR))),
        "a type nobody knows": gzip.compress(tar(head, (named, evil, UNKNOWN))),
        "a mark of byte order": gzip.compress(tar(head, (named, BOM + evil, REGULAR))),
        "a name that is cleaned": gzip.compress(tar(head, (f"{named}/.", evil, REGULAR))),
        "backslashes": gzip.compress(tar(head, ("sub\\values.schema.json", evil, REGULAR))),
        "an archive in it": gzip.compress(tar(head, ("sub/charts/x-1.0.0.tgz", plain, REGULAR))),
        "a header that Python skips": gzip.compress(whole[:512].replace(b"0000644", b"\xff000644") + whole[512:]),
        "more after the end": gzip.compress(whole + b"x" * 512),
        "cut short": plain[:-12],
    }


def charts(root: Path, address: str) -> list[str]:
    """A chart for each way to bring a schema that refers to the address."""
    evil = schema(address)
    plain = {
        "plain": evil,
        "bom": BOM + evil,
        "garbage": evil + b" garbage",
        "utf16": evil.decode().encode("utf-16"),
        "latin": evil[:-1] + b', "title": "\xff"}',
        "constant": evil[:-1] + b', "default": NaN}',
    }
    for name, data in plain.items():
        put(root / name / "values.schema.json", data)
        put(root / f"{name}-sub/charts/sub/values.schema.json", data)
        put(root / f"{name}-sub/charts/sub/Chart.yaml", CHART)
    for name, data in archives(evil).items():
        put(root / name.replace(" ", "-") / "charts/sub-1.0.0.tgz", data)
    names = sorted(path.name for path in root.iterdir())
    for name in names:
        put(root / name / "Chart.yaml", f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n".encode())
        put(root / name / "values.yaml", b"a: 1\nsub: {a: 1}\n")
        put(root / name / "templates/a.yaml", OBJECT)
    return names


def put(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


@contextmanager
def listener() -> Iterator[tuple[str, list[bytes]]]:
    """An address, and what arrives there."""
    heard: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)

        def listen() -> None:
            while not over:
                try:
                    connection, _ = server.accept()
                except OSError:
                    continue
                with connection:
                    heard.append(connection.recv(1000))

        over: list[bool] = []
        thread = Thread(target=listen)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/evil.json", heard
        finally:
            over.append(True)
            thread.join()


# -- the schema


@pytest.mark.parametrize("name", archives(b""))
def test_an_archive_that_can_be_read_in_two_ways_is_not_clean(name: str) -> None:
    assert looks_elsewhere("c/charts/sub-1.0.0.tgz", archives(schema("http://127.0.0.1:9/x.json"))[name])


def test_an_ordinary_archive_is_clean() -> None:
    ordinary = archives(b'{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"$ref": "#/b"}}}')
    for name in ("as usual", "two members", "a type nobody knows", "a mark of byte order", "an archive in it"):
        assert not looks_elsewhere("c/charts/sub-1.0.0.tgz", ordinary[name]), name
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        long = tarfile.TarInfo(f"sub/{'templates/' * 30}a.yaml")
        archive.addfile(long, io.BytesIO())
        archive.addfile(tarfile.TarInfo("sub/values.schema.json"), io.BytesIO())
    assert not looks_elsewhere("c/charts/sub-1.0.0.tgz", buffer.getvalue())


def test_what_is_no_json_and_refers_to_nothing_is_for_helm_to_say() -> None:
    assert not looks_elsewhere("c/values.schema.json", b"{")
    assert looks_elsewhere("c/values.schema.json", b'{"$ref": "x"} {')


def test_no_schema_makes_helm_connect(binary: HelmBinary, tmp_path: Path) -> None:
    with listener() as (address, heard):
        for name in charts(tmp_path, address):
            RealHelm(binary, Reader(tmp_path)).template(Request(name, "r"))
    assert heard == []


# -- the walls behind it


def needs_walls(tmp_path: Path) -> None:
    """Skips where the system has none."""
    command = confined(("/bin/cat", "/etc/passwd"), str(tmp_path))
    if subprocess.run(command, capture_output=True).returncode == 0:
        pytest.skip("this system puts up no walls: no Landlock, or no Linux")


def test_a_schema_that_gets_through_meets_a_wall(
    binary: HelmBinary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_walls(tmp_path)
    monkeypatch.setattr(chart_copy, "looks_elsewhere", lambda name, data: False)
    with listener() as (address, heard):
        put(tmp_path / "net/values.schema.json", schema(address))
        put(tmp_path / "file/values.schema.json", schema("file:///etc/passwd"))
        outcomes = {}
        for name in ("net", "file"):
            put(tmp_path / name / "Chart.yaml", f"apiVersion: v2\nname: {name}\nversion: 1.0.0\n".encode())
            put(tmp_path / name / "values.yaml", b"a: 1\n")
            put(tmp_path / name / "templates/a.yaml", OBJECT)
            outcomes[name] = RealHelm(binary, Reader(tmp_path)).template(Request(name, "r")).outcome
    assert heard == []
    assert not any(isinstance(outcome, Printed) for outcome in outcomes.values()), outcomes
    assert "permission denied" in str(outcomes["file"])


def test_limits_hold_behind_the_walls(tmp_path: Path) -> None:
    needs_walls(tmp_path)
    limits = {"AS": 2**31, "CPU": 7, "FSIZE": 1000, "CORE": 0}
    command = confined(("/bin/sh", "-c", "ulimit -v; ulimit -t; ulimit -c; echo > x; echo > ../y"), ".", **limits)
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout.split() == [str(2**21), "7", "0"]
    assert (tmp_path / "x").exists()
    assert not (tmp_path.parent / "y").exists()


def test_a_program_that_does_not_run_behind_walls_runs_without(tmp_path: Path) -> None:
    needs_walls(tmp_path)
    other = tmp_path / "elsewhere/answer"
    put(other, b"v3.17.3\n")
    program = tmp_path / "bin/helm"
    put(program, f"#!/bin/sh\nexec cat {other}\n".encode())
    program.chmod(0o755)
    found = find_helm(str(program))
    assert found is not None
    assert not found.confined


STRACE = shutil.which("strace")


@pytest.mark.skipif(STRACE is None, reason="there is no strace here")
def test_strace_sees_no_connection_and_no_other_file(tmp_path: Path) -> None:
    program, root, log = helm3(), tmp_path / "repo", tmp_path / "log"
    charts(root, "http://127.0.0.1:9/evil.json")
    put(root / "file/values.schema.json", BOM + schema("file:///etc/passwd"))
    put(root / "file/Chart.yaml", b"apiVersion: v2\nname: file\nversion: 1.0.0\n")
    put(root / "file/templates/a.yaml", OBJECT + b'data: {a: {{ .Files.Get "../../etc/passwd" | quote }}}\n')
    assert STRACE is not None
    watch = [STRACE, "-f", "-qq", "-e", "trace=execve,connect,sendto,open,openat", "-o", str(log)]
    start = "from gitops_lint.linter.cli.main import main; main()"
    lint = [sys.executable, "-c", start, "check", str(root), "--helm", str(program), "--no-cache", "--exit-zero"]
    done = subprocess.run([*watch, *lint], capture_output=True, text=True)
    if "ptrace" in done.stderr or not log.exists():
        pytest.skip(f"strace may not watch here: {done.stderr[:100]}")
    assert done.returncode == 0, done.stderr
    seen = log.read_text()
    started = re.findall(r'execve\("([^"]+)".*\) = 0', seen)
    assert started.count(str(program)) > 10
    assert set(started) <= {str(program), sys.executable, os.path.realpath(sys.executable)}
    assert not re.findall(r".* (?:connect|sendto)\(.*", seen)
    assert not re.findall(r'.*"/etc/passwd".*\) = \d', seen)
