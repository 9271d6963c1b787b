"""Writes what the Action and the container install: every package pinned, each file with its sum.

From the dependencies of pyproject.toml, for all Pythons and systems at once. Needs the network: uv is
installed into a folder that is thrown away.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
HEAD = "# Written by `make requirements`.\n"


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    needed = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        run(f"{folder}/bin/pip", "install", "--quiet", "--disable-pip-version-check", "uv")
        write(Path(folder), needed, "action.txt")
        write(Path(folder), project["project"]["optional-dependencies"]["helm"], "action-helm.txt")


def write(folder: Path, needed: list[str], name: str) -> None:
    (folder / "in.txt").write_text("".join(f"{one}\n" for one in needed), "utf-8")
    options = [
        "--universal",
        "--python-version",
        "3.10",
        "--generate-hashes",
        "--no-header",
        "--no-annotate",
        "--quiet",
    ]
    out = folder / name
    run(f"{folder}/bin/uv", "pip", "compile", *options, "--no-emit-index-url", f"{folder}/in.txt", "-o", str(out))
    (ROOT / "requirements" / name).write_text(HEAD + out.read_text("utf-8"), "utf-8")


def run(*command: str) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
