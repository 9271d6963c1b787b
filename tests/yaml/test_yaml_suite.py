"""The documents of yaml-test-suite, held against what Kubernetes makes of them.

`data/yaml-test-suite.json` has, by the hash of each case, the hash of what Kubernetes' reader of documents and
sigs.k8s.io/yaml read (or that they refuse it). The cases themselves are not kept: YAML_TEST_SUITE names a
checkout of yaml/yaml-test-suite, and without one this is skipped.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import yaml
from gitops_lint.linter.yaml.source import SourceFile

RECORD = Path(__file__).parents[1] / "data" / "yaml-test-suite.json"
REFUSED = "refused"
SPELLED = (("␣", " "), ("⇔", "\ufeff"), ("↵", ""), ("←", "\r"))


def cases(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each."""
    for file in sorted((folder / "src").glob("*.yaml")):
        for number, case in enumerate(yaml.safe_load(file.read_text("utf-8"))):
            if "yaml" in case:
                text = re.sub("—*»", "\t", case["yaml"])
                for sign, meant in SPELLED:
                    text = text.replace(sign, meant)
                yield f"{file.stem}/{number}", re.sub(r"∎\n\Z", "", text)


def fingerprint(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def documents(values: list[Any]) -> str:
    """An empty document is none for whoever applies objects, and numbers are what JSON makes of them."""
    return fingerprint([_plain(value) for value in values if value is not None])


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(member) for member in value]
    is_whole = isinstance(value, float) and value.is_integer() and abs(value) < 1e15
    return int(value) if is_whole else value


def read(text: str) -> str:
    file = SourceFile("case.yaml", text)
    if file.problems or any(one.refused for one in file.oddities):
        return REFUSED
    return documents([document.root.value for document in file.documents])


def test_what_kubernetes_reads_is_read_as_it_does() -> None:
    folder = os.environ.get("YAML_TEST_SUITE")
    if not folder:
        pytest.skip("YAML_TEST_SUITE names no checkout of yaml/yaml-test-suite")
    record = json.loads(RECORD.read_text("utf-8"))
    known = {name for names in record["otherwise"].values() for name in names}
    seen, other = 0, []
    for name, text in cases(Path(folder)):
        answer = record["answers"].get(fingerprint(text))
        if answer is not None:
            seen += 1
            if (read(text) != answer) != (name in known):
                other.append(name)
    assert seen > 300
    assert not other
