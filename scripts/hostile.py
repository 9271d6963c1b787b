"""Tries hostile repositories in full size, one after another: `hostile.py [NAME…]`.

They are those of the tests, which take smaller ones. Each line says how long `check` took, how much memory it
needed, and whether the rest was still judged. The exit code is 1 when one of them ended or held the run.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
TOOL: Final = Path(sys.executable).with_name("gitops-lint")
MOST_SECONDS: Final = 120
"""Of the processor."""
MOST_MEMORY: Final = 1024


def main() -> int:
    sys.path.insert(0, str(ROOT / "tests"))
    from hostile_repositories import FULL_SIZE, GOOD, SLOW, put

    faults = 0
    for name in sys.argv[1:] or SLOW:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            put(root, "good/good.yaml", GOOD)
            make = SLOW[name].make
            make(root, FULL_SIZE[name]) if name in FULL_SIZE else make(root)  # type: ignore[call-arg]
            faults += not tried(name, root, SLOW[name].says)
    return 1 if faults else 0


def tried(name: str, root: Path, says: str) -> bool:
    began = time.monotonic()
    command = [str(TOOL), "check", ".", "--no-progress", "--output-format", "concise"]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, cwd=root, stdout=out, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = code = os.waitstatus_to_exitcode(status)
        out.seek(0), errors.seek(0)
        text, complaint = (file.read().decode("utf-8", "replace") for file in (out, errors))
    seconds, megabytes = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    is_well = (
        code in (0, 1, 2)
        and "Traceback" not in complaint
        and "good/good.yaml" in text
        and says in text
        and seconds <= MOST_SECONDS
        and megabytes <= MOST_MEMORY
    )
    real = time.monotonic() - began
    print(f"{name}: {seconds:.0f} s ({real:.0f} s), {megabytes:.0f} MB, exit code {code}, {is_well=}", flush=True)
    return is_well


if __name__ == "__main__":
    sys.exit(main())
