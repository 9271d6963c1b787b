"""Everything that must hold of a release, tried on what is built: `make release-check`.

The wheel, the sdist and the bill of materials are made twice and must be the same to the bit; the
metadata must render on PyPI; for every Python from 3.10 on that is here, the wheel is installed
into a fresh environment, with the pinned and hashed dependencies of the
Action, and finds in the example what it should.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
EPOCH = "1700000000"
"""A time of day in a wheel would make no two of them equal."""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        first, second = build(scratch / "first"), build(scratch / "second")
        for one, other in zip(first, second, strict=True):
            same = one.read_bytes() == other.read_bytes()
            say(f"{one.name}: {'the same in two builds' if same else 'differs between two builds'}")
            if not same:
                return 1
        packages = [str(path) for path in first if path.suffix in (".whl", ".gz")]
        run([sys.executable, "-m", "twine", "check", "--strict", *packages])
        wheel = next(path for path in first if path.suffix == ".whl")
        tried = [version for version in PYTHONS if try_out(version, wheel, scratch)]
    say(f"Installed and run with Python {', '.join(tried)}")
    missing = [version for version in PYTHONS if version not in tried]
    if missing:
        say(f"Not here, so not tried: Python {', '.join(missing)}")
    return 0 if tried else 1


def build(folder: Path) -> list[Path]:
    """From a copy without what earlier builds left behind."""
    source = folder / "source"
    left = shutil.ignore_patterns(".git", ".venv", ".types", "build", "dist", "*.egg-info", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, source, ignore=left)
    environment = {**os.environ, "SOURCE_DATE_EPOCH": EPOCH}
    run([sys.executable, str(source / "scripts" / "make_dist.py"), str(folder / "dist")], environment)
    return sorted((folder / "dist").iterdir())


def try_out(version: str, wheel: Path, scratch: Path) -> bool:
    """False where there is no such Python."""
    python = _python(version)
    if python is None:
        return False
    folder = scratch / f"python{version}"
    run([python, "-m", "venv", str(folder)])
    inside = folder / "bin" / "python"
    pip = [str(inside), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--require-hashes", "-r", str(ROOT / "requirements" / "action.txt")])
    run([*pip, "--no-deps", str(wheel)])
    run([*pip[:3], "check"])
    command = [str(inside), "-I", "-m", "gitops_lint", str(ROOT / "examples" / "shop"), "--output-format", "concise"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=scratch)
    if done.returncode != 1 or "GL102 hook-without-deadline" not in done.stdout:
        raise SystemExit(f"Python {version} does not find what is in the example:\n{done.stdout}{done.stderr}")
    return True


def _python(version: str) -> str | None:
    if f"{sys.version_info[0]}.{sys.version_info[1]}" == version:
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    found = [shutil.which(f"python{version}"), *map(str, sorted(pyenv.glob(f"{version}.*/bin/python")))]
    works = (path for path in found if path and subprocess.run([path, "-c", ""], capture_output=True).returncode == 0)
    return next(works, None)


def run(command: list[str], environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def say(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
