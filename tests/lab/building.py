"""The programs of the lab, built from released Go modules and kept in the cache of the user.

A program is built inside a module of ours that requires nothing but its release and repeats the
`replace` lines of its own go.mod: Go ignores those of a dependency. Where such a line points to a
folder of their repository, which no released module contains, it is turned into the version that
was published of that folder (Kubernetes: v0.X.Y of the same release; Argo CD: see versions.json).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
ARGOCD, KUBERNETES = "github.com/argoproj/argo-cd/v3", "k8s.io/kubernetes"
_REPLACEMENT = re.compile(r"^\s*(?:replace\s+)?(?P<path>[\w./~-]+) => (?P<target>\S+)(?: (?P<version>v\S+))?", re.M)


class NotBuilt(Exception):
    """Why a program cannot be had here."""


@dataclass(frozen=True)
class Release:
    """Programs of one released module."""

    name: str
    module: str
    version: str
    packages: dict[str, str]
    """The program's name → the package that is its main; a folder of the lab for a main of our own."""
    folders: str = ""
    """The version that the module's own folders were published as."""
    variables: tuple[str, ...] = ()
    """What a release build sets, as `package.name=value`: a server says its version to whoever asks."""

    @property
    def folder(self) -> Path:
        return cache_folder() / f"{self.name}-{self.version}"

    def program(self, name: str) -> Path:
        """The path of a program, built now if it is not there yet."""
        path = self.folder / name
        if not path.exists():
            self._build()
        return path

    @property
    def source(self) -> Path:
        """Where its files are, for what is no program: CRDs, say."""
        return Path(_download(self.module, self.version)["Dir"])

    def _build(self) -> None:
        if not shutil.which("go"):
            raise NotBuilt("Go is not installed")
        module = self.folder / "module"
        module.mkdir(parents=True, exist_ok=True)
        (module / "go.mod").write_text(self._go_mod())
        for package in self.packages.values():
            if package.startswith("./"):
                shutil.copytree(HERE / package, module / package, dirs_exist_ok=True)
        theirs = [package for package in self.packages.values() if not package.startswith("./")]
        imports = "".join(f'\t_ "{package}"\n' for package in theirs)
        (module / "programs.go").write_text(f"//go:build tools\n\npackage programs\n\nimport (\n{imports})\n")
        _go(module, "mod", "tidy")
        for name, package in self.packages.items():
            print(f"building {name} {self.version}", file=sys.stderr)
            flags = " ".join(["-ldflags=-s -w", *(f"-X {variable}" for variable in self.variables)])
            _go(module, "build", flags, "-o", str(self.folder / f"{name}.new"), package)
            (self.folder / f"{name}.new").rename(self.folder / name)

    def _go_mod(self) -> str:
        text = Path(_download(self.module, self.version)["GoMod"]).read_text("utf-8")
        go = re.search(r"^go (\S+)", text, re.M)
        lines = []
        for found in _REPLACEMENT.finditer(text):
            path, target, version = found["path"], found["target"], found["version"]
            if version is None and not self.folders:
                continue  # its go.mod requires what was published of the folder
            if version is None:
                target, version = path, self.folders
            lines.append(f"\t{path} => {target} {version}\n")
        return (
            f"module lab/{self.name}\n\ngo {go[1] if go else '1.24'}\n\n"
            f"require {self.module} {self.version}\n\nreplace (\n{''.join(lines)})\n"
        )


def _download(module: str, version: str) -> dict[str, str]:
    found: dict[str, str] = json.loads(_go(cache_folder(), "mod", "download", "-json", f"{module}@{version}"))
    return found


def _go(folder: Path, *arguments: str) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    environment = {
        **os.environ,
        "CGO_ENABLED": "0",
        "GOGC": "400",
        "GOFLAGS": "-mod=mod -buildvcs=false",
        "GOWORK": "off",
    }
    done = subprocess.run(
        ["nice", "-n", "5", "go", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise NotBuilt(f"go {arguments[0]} in {folder.name}: {(done.stderr or done.stdout).strip()[-2000:]}")
    return done.stdout


@cache
def cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "gitops-lint-lab"


@cache
def known() -> dict[str, dict[str, dict[str, str]]]:
    found: dict[str, dict[str, dict[str, str]]] = json.loads((HERE / "versions.json").read_text("utf-8"))
    return found


def argocd(line: str) -> Release:
    entry = known()["argocd"][line]
    return Release("argocd", ARGOCD, entry["version"], {"argocd": "./argocd_program"}, entry.get("engine", ""))


def kubernetes(line: str) -> Release:
    version = known()["kubernetes"][line]["version"]
    programs = {name: f"{KUBERNETES}/cmd/{name}" for name in ("kube-apiserver", "kube-controller-manager")}
    major, minor, _ = version.removeprefix("v").split(".")
    says = {"gitVersion": version, "gitMajor": major, "gitMinor": minor}
    variables = tuple(f"k8s.io/component-base/version.{name}={value}" for name, value in says.items())
    return Release("kubernetes", KUBERNETES, version, programs, "v0" + version.removeprefix("v1"), variables)


def etcd() -> Release:
    module = "go.etcd.io/etcd/server/v3"
    return Release("etcd", module, str(known()["etcd"]["version"]), {"etcd": module})


def kustomize(line: str) -> Release:
    version = _shipped(line, "kustomize")
    module = f"sigs.k8s.io/kustomize/kustomize/{_major(version)}"
    return Release("kustomize", module, version, {"kustomize": module})


def helm(line: str) -> Release:
    version = _shipped(line, "helm")
    module = f"helm.sh/helm/{_major(version)}"
    says = f"{module}/internal/version.version={version}"
    return Release("helm", module, version, {"helm": f"{module}/cmd/helm"}, variables=(says,))


def _shipped(line: str, tool: str) -> str:
    """The version that the image of this Argo CD has, as its own source says: 3.5 renders with Helm 4, 3.2 with Helm 3."""
    text = (argocd(line).source / "hack" / "tool-versions.sh").read_text("utf-8")
    found = re.search(rf"^{tool}\d+_version=(\S+)$", text, re.M)
    if found is None:
        raise NotBuilt(f"Argo CD {line} does not say which {tool} it ships")
    return f"v{found[1]}"


def _major(version: str) -> str:
    return version.partition(".")[0]


def redis() -> Path:
    """Debian's, or whichever is installed: Argo CD ships none of its own either."""
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if not found:
        raise NotBuilt("redis-server is not installed (apt-get install redis-server)")
    return Path(found)
