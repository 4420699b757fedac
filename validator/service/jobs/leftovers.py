"""What a service leaves on the machine, planner processes and their files, and the end of it, whoever was killed."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import tempfile
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Own", "clear", "clear_abandoned"]

_PREFIX = "plan-validator-service-"


@dataclass(frozen=True, slots=True)
class Own:
    """A directory of a living process: its lock goes when the process does, whichever way it ends."""

    path: Path
    lock: int

    @classmethod
    def make(cls) -> Own:
        """Make a directory and lock it."""
        while True:
            path = Path(tempfile.mkdtemp(prefix=_PREFIX))
            lock = _locked(path)
            if lock is not None and path.exists():  # nobody took it for an abandoned one in between
                return cls(path, lock)

    def remove(self) -> None:
        """Remove the directory with all that is in it, and end what still works there."""
        clear(self.path)
        os.close(self.lock)


def clear_abandoned() -> None:
    """Remove what services left that were killed together with their workers, and end their planners."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        lock = _locked(path)
        if lock is not None:
            clear(path)
            os.close(lock)


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
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if (entry / "cwd").readlink().is_relative_to(directory):
                    os.kill(int(entry.name), signal.SIGKILL)
            except OSError:
                continue
