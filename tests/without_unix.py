"""Runs gitops-lint in a Python that lacks what Windows lacks: `python without_unix.py ARGUMENTS`.

No replacement for a run on Windows: paths are still those of Unix. It shows that
nothing is imported or called that is not there.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import sysconfig
import tempfile

MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "syslog", "readline")
CALLS = (
    "fork killpg getpgid setsid getuid geteuid getgid chown lchown fchown fchmod mkfifo sysconf uname "
    "O_NOFOLLOW O_DIRECTORY O_TMPFILE O_NONBLOCK O_CLOEXEC pread prlimit sched_getaffinity statvfs"
).split()
SIGNALS = "SIGALRM SIGKILL SIGHUP SIGPIPE SIGXCPU SIGUSR1 setitimer getitimer ITIMER_REAL alarm pthread_sigmask".split()


def main() -> None:
    import click.termui
    import gitops_lint

    # Packages of others have chosen their system by now; ours has not been imported.
    assert all((click, subprocess, gitops_lint, sysconfig.get_config_vars()))
    tempfile._O_TMPFILE_WORKS = False  # type: ignore[attr-defined]
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for module, names in ((os, CALLS), (signal, SIGNALS)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    sys.platform = "win32"
    sys.argv[0] = "gitops-lint"
    from gitops_lint.linter.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
