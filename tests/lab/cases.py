"""A case of the lab: files in git, what is done with them, and where both come from.

A page of cases is Markdown as in tests/cases: a heading is a case, a fenced block a file, a block
`yaml cluster` what is in the cluster already. A block `lab` says in YAML what is special about it:

    app:      fields of the spec of the Application that the files are wrapped in
    apps:     false, if the Applications in the files are to be created as they are, without a root
    namespaces: false, if those of destinations are not there already
    crds:     false, if kinds that the files do not bring are not there already
    argocd:   the versions it is about, as `>=3.3`
    root:     the files whose Applications the root brings, if not all
    pods:     a pattern of pod names → ready, succeed, fail, hang, pending or crash
    settings: entries of argocd-cm
    answers:  a path below https://api.example.com → what a forge, or a plugin, says there; a number for a status
    steps:    what is done, one after another (see steps.py); without it, one sync

`FILLER-1000` in a file stands for a text of 1000 letters.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

PAGES = Path(__file__).parent / "cases"
_FENCE = re.compile(r"^```(?P<head>[^\n]*)\n(?P<body>.*?)^```$", re.M | re.S)


@dataclass(eq=False)
class Case:
    name: str
    files: dict[str, str] = field(default_factory=dict)
    before: dict[str, str] | None = None
    """The files as they were when all was well, for a case about a change."""
    revisions: dict[str, dict[str, str]] = field(default_factory=dict)
    """Further states of the repository, by the word that a step `commit` names them with."""
    cluster: list[dict[str, Any]] = field(default_factory=list)
    app: dict[str, Any] = field(default_factory=dict)
    apps: bool = True
    pods: dict[str, str] = field(default_factory=dict)
    settings: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)
    steps: list[Any] = field(default_factory=list)
    root: list[str] = field(default_factory=list)
    """The files whose Applications the root brings, if not all."""
    namespaces: bool = True
    crds: bool = True
    argocd: str = ""
    """The Argo CD line that it needs, as `>=3.3`."""

    def say(self, block: Mapping[str, Any]) -> None:
        for key, value in block.items():
            if key not in (
                "answers",
                "app",
                "apps",
                "pods",
                "settings",
                "steps",
                "argocd",
                "namespaces",
                "crds",
                "root",
            ):
                raise ValueError(f"{self.name}: a lab block has no {key!r}")
            setattr(self, key, value)

    @property
    def digest(self) -> str:
        """What a record was made of: another text, or other steps, need another run."""
        said = {name: value for name, value in sorted(vars(self).items()) if value}
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]

    def runs_on(self, line: str) -> bool:
        wanted = re.fullmatch(r"(>=|<)(\d+)\.(\d+)", self.argocd)
        if not wanted:
            return True
        here = tuple(int(part) for part in line.split("."))
        least = int(wanted[2]), int(wanted[3])
        return here >= least if wanted[1] == ">=" else here < least


def read_page(text: str) -> Iterator[Case]:
    """The cases of a page that have a `lab` block."""
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        case = Case(section.partition("\n")[0].strip())
        is_lab = False
        for fence in _FENCE.finditer(section):
            language, *words = fence["head"].split() or [""]
            body = re.sub(r"[ \t]*# <- here.*$", "", fence["body"], flags=re.M)
            body = re.sub(r"FILLER-(\d+)", lambda size: "x" * int(size[1]), body)
            if language == "lab":
                case.say(yaml.safe_load(body) or {})
                is_lab = True
            elif language in ("yaml", "json", "text"):
                _add(case, words, body)
        if is_lab:
            yield case


def _add(case: Case, words: list[str], body: str) -> None:
    word = words[0] if words and words[0] in ("before", "both", "cluster", "fixed", "then") else ""
    path = words[1] if word and len(words) > 1 else words[0] if words and not word else "manifest.yaml"
    if word == "cluster":
        case.cluster += [one for one in yaml.safe_load_all(body) if one]
    elif word == "then":
        state, _, name = path.partition(":")
        case.revisions.setdefault(state, {})[name or "manifest.yaml"] = body
    elif word != "fixed":
        if word in ("before", "both"):
            case.before = {**(case.before or {}), path: body}
        if word != "before":
            case.files[path] = body


def pages(folder: Path = PAGES) -> Iterator[tuple[str, list[Case]]]:
    for path in sorted(folder.glob("*.md")):
        yield path.stem, list(read_page(path.read_text("utf-8")))
