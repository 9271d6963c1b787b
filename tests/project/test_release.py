"""What a release consists of besides the program: files for others, kept in step with it."""

from __future__ import annotations

import io
import re
import runpy
import sys
import tarfile
from pathlib import Path

import pytest
import yaml
from checkout import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

HOME = "https://github.com/gitops-lint/gitops-lint/blob/main/"
OURS = {"baseline.schema.json", "config.schema.json", "findings.schema.json"}
"""Schemas that are part of the program itself."""
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_links_of_the_readme_work_on_a_package_index() -> None:
    """There is no folder beside it there."""
    links = re.findall(r"\]\(([^)\s]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert [link for link in links if not link.startswith(("https://", "#"))] == []
    ours = [link.removeprefix(HOME).partition("#")[0] for link in links if link.startswith(HOME)]
    assert ours
    assert [path for path in ours if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("name", ["action.txt", "action-helm.txt"])
def test_what_the_action_installs_is_pinned_with_sums(name: str) -> None:
    text = (ROOT / "requirements" / name).read_text("utf-8").replace("\\\n", " ")
    for line in filter(None, (line for line in text.splitlines() if not line.startswith("#"))):
        assert re.match(r"[\w.-]+==[\w.]+ ", line), line
        assert re.findall(r"--hash=sha256:[0-9a-f]{64}", line), line
        assert "index-url" not in line


def test_it_pins_all_that_the_program_needs() -> None:
    def name(text: str) -> str:
        return re.split(r"[^\w.-]", text)[0].lower().replace("_", "-").replace(".", "-")

    pinned = {
        name(line) for line in (ROOT / "requirements" / "action.txt").read_text("utf-8").splitlines() if "==" in line
    }
    assert {name(one) for one in PROJECT["dependencies"]} | {"setuptools"} <= pinned


def test_the_bill_of_materials_lists_all_that_is_pinned() -> None:
    made = runpy.run_path(str(ROOT / "scripts" / "make_sbom.py"))
    bill = made["bill"]()
    assert (bill["bomFormat"], bill["metadata"]["component"]["version"]) == ("CycloneDX", PROJECT["version"])
    lines = [
        line.split()[0]
        for name in ("action.txt", "action-helm.txt")
        for line in (ROOT / "requirements" / name).read_text("utf-8").splitlines()
        if "==" in line and not line.startswith("setuptools")
    ]
    listed = {f"{one['name']}=={one['version']}" for one in bill["components"] if one["type"] == "library"}
    assert listed == {
        re.sub("[-_.]+", "-", line.partition("==")[0]).lower() + "==" + line.partition("==")[2] for line in lines
    }
    data = {one["name"].removeprefix("schemas/") for one in bill["components"] if one["type"] == "data"}
    assert data == {path.name for path in (ROOT / "schemas").glob("*.json*")} - {"SOURCES.json"} - OURS
    references = [one["bom-ref"] for one in bill["components"]]
    assert len(references) == len(set(references))
    assert made["text"]() == made["text"]()


def test_an_sdist_does_not_tell_who_packed_it_and_when(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    repacked = runpy.run_path(str(ROOT / "scripts" / "make_dist.py"))["repacked"]

    def sdist(moment: int, user: str, names: list[str]) -> bytes:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for name in names:
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime, entry.uname, entry.uid = 3, moment, user, moment % 1000
                archive.addfile(entry, io.BytesIO(b"abc"))
        return packed.getvalue()

    first = repacked(sdist(1_600_000_000, "a", ["p/x", "p/y"]), 1_700_000_000)
    assert first == repacked(sdist(1_600_000_001, "b", ["p/y", "p/x"]), 1_700_000_000)
    with tarfile.open(fileobj=io.BytesIO(first)) as archive:
        assert [(one.name, one.uname, archive.extractfile(one).read()) for one in archive] == [  # type: ignore[union-attr]
            ("p/x", "", b"abc"),
            ("p/y", "", b"abc"),
        ]


def test_the_site_shows_every_page() -> None:
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    shown = {page for entry in site["nav"] for page in entry.values()}
    assert shown == {path.name for path in (ROOT / "docs").glob("*.md")}


def instructions() -> list[tuple[str, str]]:
    text = (ROOT / "Containerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines]


def test_the_container_has_no_rights_and_only_pinned_packages() -> None:
    found = instructions()
    assert [
        word for word, _ in found if word not in {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT"}
    ] == []
    last = found[[word for word, _ in found].index("USER") :]
    assert last[0] == ("USER", "10001")
    assert "RUN" not in [word for word, _ in last]
    for word, rest in found:
        if word == "FROM":
            assert re.match(r"docker\.io/library/python:\d+\.\d+-slim", rest)
        for install in re.findall(r"pip install ([^&]*)", rest):
            assert "--require-hashes" in install or "--no-index --no-deps" in install
        if word == "COPY" and not rest.startswith("--from"):
            *sources, _ = rest.split()
            assert [path for path in sources if not (ROOT / path).exists()] == []


def test_the_container_copies_what_the_wheel_is_made_of() -> None:
    copied = {
        path
        for word, rest in instructions()
        if word == "COPY" and not rest.startswith("--from")
        for path in rest.split()[:-1]
    }
    assert {"pyproject.toml", "README.md", "LICENSE", "NOTICE", "__main__.py", "linter", "rules", "schemas"} <= copied


def test_the_formula_names_the_release() -> None:
    formula = (ROOT / "packaging" / "homebrew" / "gitops-lint.rb").read_text("utf-8")
    assert f"gitops_lint-{PROJECT['version']}.tar.gz" in formula
    assert f'desc "{PROJECT["description"]}"' in formula
    assert f'license "{PROJECT["license"]}"' in formula


def test_the_descriptor_calls_what_there_is() -> None:
    from click.testing import CliRunner
    from gitops_lint.linter.cli.main import cli

    path = ROOT / "packaging" / "megalinter" / "gitops-lint.megalinter-descriptor.yml"
    (linter,) = yaml.safe_load(path.read_text("utf-8"))["linters"]
    said = CliRunner().invoke(cli, ["check", "--help"]).output
    options = [linter["cli_config_arg_name"], *linter["cli_lint_extra_args"], linter["cli_lint_fix_arg_name"]]
    for option in (*options, *(word for word in linter["cli_sarif_args"] if word.startswith("--"))):
        assert option in said
    assert Path(linter["cli_executable"]).name == PROJECT["name"]
