"""Walls around a program that is not ours: this file runs by itself, puts them up, and becomes the program.

    python -I -S confine.py LIMITS WRITABLE -- PROGRAM ARGUMENT…
    python -I -S confine.py LIMITS guard=PATH:PORT,PORT -- PROGRAM ARGUMENT…

LIMITS are `name=number` pairs of the system's limits, WRITABLE is the folder
that the program works in. The second form is for a program that fetches: it has its
files, and of the network only the doors of a guard, who listens at PATH for
them. It is a process of its own, since a process with
threads cannot put them up between fork and exec. What a system does not have or does not
allow is left out without a word: the program then runs behind fewer walls.
"""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from typing import Final

NEW_USER: Final = 0x10000000
NEW_NETWORK: Final = 0x40000000
_NO_NEW_PRIVILEGES: Final = 38
_DIE_WITH_PARENT: Final = 1
_KILL: Final = 9
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_PLEASE: Final = 1
_BENEATH: Final = 1
_PORT: Final = 2
_CONNECT: Final = 1 << 1
_GUARD: Final = "guard="
_SET_FLAGS: Final = 0x8914
_UP: Final = 0x1
_RUNNING: Final = 0x40
_READ: Final = 1 << 0 | 1 << 2 | 1 << 3
"""Execute, read a file, list a folder."""
_FILE: Final = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14
"""What may be allowed for something that is no folder."""
_RIGHTS: Final = {1: 13, 2: 14, 3: 15, 4: 15}
"""Version of Landlock → how many rights on files it knows; one more in each later one that we use."""
_ALL_TCP: Final = 1 << 0 | 1 << 1
_SYSTEM: Final = ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/nix/store", "/gnu/store", "/etc/ld.so.cache")
"""Where the libraries of a program that is not in one piece are."""
_DEVICES: Final = ("/dev/null", "/dev/urandom", "/dev/zero")


def _main(words: str, folder: str, program: list[str]) -> None:
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(_DIE_WITH_PARENT, _KILL, 0, 0, 0)
    has_own_users = not library.unshare(NEW_USER | NEW_NETWORK)
    if not has_own_users:
        library.unshare(NEW_NETWORK)  # an administrator may without
    _limit(words, has_own_users)
    if folder.startswith(_GUARD):
        path, _, ports = folder.removeprefix(_GUARD).rpartition(":")
        _only_doors(library, path, [int(port) for port in ports.split(",")])
        os.execv(program[0], program)
    if not library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        with suppress(OSError):
            _close_folders(library, os.path.dirname(os.path.realpath(program[0])), folder)
    os.execv(program[0], program)


def _limit(words: str, has_own_users: bool) -> None:
    import resource

    for word in words.split(","):
        name, _, number = word.partition("=")
        # Elsewhere all that the user runs would count, and Helm could start no thread.
        if name == "NPROC" and not has_own_users:
            continue
        with suppress(AttributeError, OSError, ValueError):
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (int(number), int(number)))


# -- a guard instead of the network


def _only_doors(library: ctypes.CDLL, path: str, ports: list[int]) -> None:
    """In a network of its own nothing is there but what is made here; else Landlock closes all other ports."""
    library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    if not os.path.exists("/proc/self/ns/net") or os.stat("/proc/self/ns/net").st_ino == _network_of_parent():
        with suppress(OSError):
            _close_ports(library, ports)
        return
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        import fcntl
        import struct

        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14s", b"lo", _UP | _RUNNING, b""))
    doors = [socket.create_server(("127.0.0.1", port)) for port in ports]
    with socket.socket(socket.AF_UNIX) as guard:
        guard.settimeout(20)
        guard.connect(path)
        socket.send_fds(guard, [",".join(map(str, ports)).encode()], [door.fileno() for door in doors])
        guard.recv(16)
    for door in doors:
        door.close()


def _network_of_parent() -> int:
    try:
        return os.stat(f"/proc/{os.getppid()}/ns/net").st_ino
    except OSError:
        return -1


def _close_ports(library: ctypes.CDLL, ports: list[int]) -> None:
    if library.syscall(_CREATE_RULESET, None, 0, _VERSION_PLEASE) < 4:
        return
    ruleset = _Ruleset(0, _CONNECT)
    rules = library.syscall(_CREATE_RULESET, ctypes.byref(ruleset), ctypes.c_size_t(ctypes.sizeof(ruleset)), 0)
    if rules < 0:
        return
    for port in ports:
        library.syscall(_ADD_RULE, rules, _PORT, ctypes.byref(_ToPort(_CONNECT, port)), 0)
    library.syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)


# -- Landlock


class _Ruleset(ctypes.Structure):
    _fields_ = [("files", ctypes.c_uint64), ("network", ctypes.c_uint64)]


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32)]


class _ToPort(ctypes.Structure):
    _fields_ = [("allowed", ctypes.c_uint64), ("port", ctypes.c_uint64)]


def _close_folders(library: ctypes.CDLL, beside: str, folder: str) -> None:
    """Only the program, its libraries and its folder can be opened, and no connection be made."""
    version = library.syscall(_CREATE_RULESET, None, 0, _VERSION_PLEASE)
    if version < 1:
        return
    handled = (1 << _RIGHTS.get(version, 16)) - 1
    ruleset = _Ruleset(handled, _ALL_TCP if version >= 4 else 0)
    size = ctypes.c_size_t(ctypes.sizeof(ruleset) if version >= 4 else 8)
    rules = library.syscall(_CREATE_RULESET, ctypes.byref(ruleset), size, 0)
    if rules < 0:
        return
    for path, rights in (
        *((path, _READ) for path in (beside, *_SYSTEM)),
        *((path, _FILE) for path in _DEVICES),
        (folder, handled),
    ):
        with suppress(OSError):
            _allow(library, rules, path, rights & handled)
    library.syscall(_RESTRICT_SELF, rules, 0)
    os.close(rules)


def _allow(library: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        beneath = _Beneath(rights if os.path.isdir(path) else rights & _FILE, handle)
        library.syscall(_ADD_RULE, rules, _BENEATH, ctypes.byref(beneath), 0)
    finally:
        os.close(handle)


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2], sys.argv[4:])
