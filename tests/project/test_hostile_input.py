"""A repository from a stranger: each bad file is a finding, the rest goes on, nothing breaks."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).with_name("gitops-lint")
GOOD = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: good\n"
MEMORY = 1_500 * 1024**2


def limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def findings(root: Path, *args: str) -> dict[str, list[str]]:
    done = subprocess.run(
        [str(COMMAND), ".", "--isolated", "--output-format", "json", *args],
        cwd=root, capture_output=True, text=True, timeout=60, preexec_fn=limit_memory,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, list[str]] = {}
    for finding in json.loads(done.stdout)["findings"]:
        assert finding["range"]["start"]["line"] >= 1
        found.setdefault(finding["path"], []).append(finding["code"])
    return found


def bomb() -> str:
    return "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 30))


BAD = {
    "bomb.yaml": bomb(),
    "cycle.yaml": "a: &a\n  b: *a\n",
    "deep-flow.yaml": "[" * 10_000,
    "deep-block.yaml": "".join(f"{' ' * level}a:\n" for level in range(10_000 // 8)),
    "deep-dashes.yaml": "- " * 10_000 + "x",
    "nul.yaml": "kind: Secret\x00\n",
    "merge-cycle.yaml": "a: &a\n  <<: *a\n",
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_a_finding_and_the_others_are_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(BAD[name])
    (tmp_path / "good.yaml").write_text(GOOD)
    assert findings(tmp_path) == {name: ["GL800"], "good.yaml": ["GL501"]}


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes("kind: caf\xe9\n".encode("latin-1"))
    (tmp_path / "utf16.yaml").write_bytes(GOOD.encode("utf-16"))
    (tmp_path / "binary.yaml").write_bytes(bytes(range(256)) * 100)
    (tmp_path / "good.yaml").write_text(GOOD)
    assert findings(tmp_path) == {
        "binary.yaml": ["GL800"], "good.yaml": ["GL501"], "latin.yaml": ["GL800"], "utf16.yaml": ["GL802"],
    }  # fmt: skip


def test_a_file_of_50_megabytes_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "big.yaml").open("w") as file:
        file.truncate(50 * 1024**2)
    (tmp_path / "good.yaml").write_text(GOOD)
    assert findings(tmp_path) == {"big.yaml": ["GL802"], "good.yaml": ["GL501"]}


def test_a_million_documents(tmp_path: Path) -> None:
    (tmp_path / "many.yaml").write_text("---\n" * 1_000_000)
    (tmp_path / "good.yaml").write_text(GOOD)
    assert findings(tmp_path)["good.yaml"] == ["GL501"]


def test_links_and_folders_with_the_names_of_files(tmp_path: Path) -> None:
    repo = tmp_path / "repo"
    repo.mkdir()
    (tmp_path / "outside.yaml").write_text(GOOD)
    (repo / "link.yaml").symlink_to("../outside.yaml")
    (repo / "etc.yaml").symlink_to("/etc/passwd")
    (repo / "folder.yaml").mkdir()
    (repo / "loop.yaml").symlink_to("loop.yaml")
    os.mkfifo(repo / "pipe.yaml")
    (repo / "good.yaml").write_text(GOOD)
    assert findings(repo) == {
        "etc.yaml": ["GL802"],
        "good.yaml": ["GL501"],
        "link.yaml": ["GL802"],
        "loop.yaml": ["GL802"],
    }


@pytest.mark.parametrize("format", ["full", "concise", "github", "markdown", "sarif", "json"])
def test_what_is_printed_is_escaped(tmp_path: Path, format: str) -> None:
    name = "x\x1b[31m\u202e::error::%0A<script>|`"
    (tmp_path / "a.yaml").write_text(json.dumps({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}))
    (tmp_path / "b\x1b[2J\n::error::x.yaml").write_text(GOOD)
    done = subprocess.run(
        [str(COMMAND), ".", "--isolated", "--output-format", format], cwd=tmp_path, capture_output=True
    )
    assert done.returncode == 0, done.stderr
    assert b"\x1b" not in done.stdout
    if format in ("full", "concise"):
        assert "\u202e".encode() not in done.stdout
    if format == "github":
        lines = done.stdout.splitlines()
        assert [line.split(b" ")[0] for line in lines[:3]] == [b"Read", b"Judged", b"Found"]
        assert not any(b"::" in line or b"##[" in line for line in lines[:3])
        assert lines[3:]
        assert all(line.startswith(b"::notice file=") for line in lines[3:])


def test_names_that_are_no_unicode(tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/caf\xe9.yaml", "w") as file:
        file.write(GOOD)
    for format in ("full", "concise", "json", "sarif", "github", "markdown"):
        done = subprocess.run(
            [str(COMMAND), ".", "--isolated", "--output-format", format], cwd=tmp_path, capture_output=True
        )
        assert done.returncode == 0, done.stderr.decode()


def test_fixing_leaves_bad_files_alone(tmp_path: Path) -> None:
    for name, text in BAD.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "good.yaml").write_text(GOOD)
    subprocess.run([str(COMMAND), ".", "--isolated", "--fix", "--unsafe-fixes"], cwd=tmp_path, capture_output=True)
    assert {name: (tmp_path / name).read_text() for name in BAD} == BAD
    assert "Prune=false" in (tmp_path / "good.yaml").read_text()
