"""Builds what is released: wheel, sdist and bill of materials, the same to the bit whoever builds them: `make dist`."""

from __future__ import annotations

import gzip
import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import make_sbom

ROOT = Path(__file__).parents[1]
EPOCH = "1700000000"
"""A time of day in an archive would make no two of them equal."""


def main(folder: Path) -> None:
    environment = {"SOURCE_DATE_EPOCH": EPOCH, **os.environ}
    command = [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    for sdist in folder.glob("*.tar.gz"):
        sdist.write_bytes(repacked(sdist.read_bytes(), int(environment["SOURCE_DATE_EPOCH"])))
    wheel = next(folder.glob("*.whl"))
    name, version, *_ = wheel.name.split("-")
    (folder / f"{name}-{version}.cdx.json").write_text(make_sbom.text(), "utf-8")


def repacked(sdist: bytes, moment: int) -> bytes:
    """The same files, without who packed them and when: setuptools puts both into every sdist."""
    packed = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(sdist), mode="r:gz") as old,
        gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=moment) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for entry in sorted(old.getmembers(), key=lambda entry: entry.name):
            content = old.extractfile(entry) if entry.isfile() else None
            entry.mtime, entry.uid, entry.gid, entry.uname, entry.gname = moment, 0, 0, "", ""
            entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
            entry.pax_headers = {}
            new.addfile(entry, content)
    return packed.getvalue()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
