"""Whatever a small repository uses of Kustomize: our build is the real one.

    GITOPS_LINT_EXAMPLES=5000 pytest tests/kustomize/test_kustomize_properties.py

builds more of them, other ones each time.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, settings
from kustomize_yardstick import differences, open_repository, our_build, real_build
from made_up_overlays import repositories
from real_tools import kubectl

MORE = os.environ.get("GITOPS_LINT_EXAMPLES")


@pytest.fixture(scope="module")
def real() -> Path:
    return kubectl()


@settings(
    max_examples=int(MORE or 150),
    derandomize=not MORE,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(files=repositories())
def test_our_build_is_the_real_one(real: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        note(f"# {path}\n{text}")
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        for path, text in files.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(text, "utf-8")
        theirs = real_build(real, root / "overlay")
        ours = our_build(open_repository(root), "overlay")
    if theirs.refusals:
        assert ours.refusals, theirs.refusals[0].message
    else:
        assert not ours.refusals, ours.refusals
        assert not differences(ours.objects, theirs.objects)
