"""What planners leave on the machine, processes and files, and the end of it, whoever was killed.

Every directory is locked by the process that made it. The lock goes with that process, whichever way it ends, so that
who finds a directory without one may end what works there and remove it.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from validator.records import dataclass

_RUN = "plan-validator-run-"


@dataclass(frozen=True, slots=True)
class Own:
    """A directory of a living process: its lock goes when the process does, whichever way it ends."""

    path: Path
    lock: int

    @classmethod
    def make(cls, prefix: str) -> Own:
        """Make a directory and lock it. Raises OSError."""
        while True:
            path = Path(tempfile.mkdtemp(prefix=prefix))
            lock = _locked(path)
            if lock is not None and path.exists():  # nobody took it for an abandoned one in between
                return cls(path, lock)

    def remove(self) -> None:
        """Remove the directory with all that is in it, and end what still works there."""
        clear(self.path)
        os.close(self.lock)


@contextmanager
def private_directory() -> Iterator[Path]:
    """Yield a directory for one run of a planner; the first one of a process removes what killed ones left."""
    _clear_once(tempfile.gettempdir())
    own = Own.make(_RUN)
    try:
        yield own.path
    finally:
        shutil.rmtree(own.path, ignore_errors=True)  # where nothing works any more
        os.close(own.lock)


@cache
def _clear_once(folder: str) -> None:
    clear_abandoned(_RUN)


def clear_abandoned(prefix: str) -> None:
    """Remove the directories that nobody has locked any more, and end the planners that work there."""
    for path in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        lock = _locked(path)
        if lock is not None:
            clear(path)
            os.close(lock)


def clear_own() -> None:
    """Remove the directories of this process, which it has open, and end the planners that work there."""
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            path = handle.readlink()
            if path.name.startswith(_RUN):
                clear(path)


def clear(directory: Path) -> None:
    """End every process that works below a directory, and remove it."""
    for _ in range(2):  # without the directory no planner can be started: the second time there is no new one
        _end_all(directory)
        shutil.rmtree(directory, ignore_errors=True)


def _locked(path: Path) -> int | None:
    """Return the lock of a directory; None when another process has it, or the directory is not one of ours."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_uid == os.getuid():
            return handle
    except OSError:
        pass
    os.close(handle)
    return None


def _end_all(directory: Path) -> None:
    for pid in processes_of(directory):
        with suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def processes_of(directory: Path) -> list[int]:
    """Return the other processes that work below a directory, or whose temporary files go there."""
    mark, found = os.fsencode(f"TMPDIR={directory}"), list[int]()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with suppress(OSError):
                is_below = (entry / "cwd").readlink().is_relative_to(directory)
                if is_below or mark in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found
