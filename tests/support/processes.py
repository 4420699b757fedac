"""Processes that tests start, looked up in /proc: by number, by group, by parent, by the directory they work in.

The machine may be busy, and who adopts what is left of a killed process may be slow to bury it: what is waited for is
waited for long, and a process that has ended counts as gone, buried or not.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

PATIENCE = 120.0
"""seconds: many times what anything that is waited for takes on a machine with nothing else to do"""


def wait_for(condition: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait until something holds. Raises AssertionError when it does not for so many seconds."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, f"it does not hold after {patience:g} s"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    return pid in (number for number, _, _ in _processes())


def group_of(leader: int) -> list[int]:
    """Return the processes that run in a group."""
    return [number for number, _, group in _processes() if group == leader]


def children(parent: int | None = None) -> list[int]:
    """Return the processes, zombies too, whose parent is this one."""
    return [number for number, found, _ in _processes(ended=True) if found == (parent or os.getpid())]


def running_in(folder: Path, patience: float = 60.0) -> list[str]:
    """Return the command lines of processes that still run below a folder, after some patience."""
    end = time.monotonic() + patience
    while (found := working_in(folder)) and time.monotonic() < end:
        time.sleep(0.05)
    return list(found.values())


def working_in(folder: Path) -> dict[int, str]:
    """Return the processes whose working directory is below a folder, with their command lines."""
    found = {}
    for number, _, _ in _processes():
        with suppress(OSError):
            if number != os.getpid() and Path(f"/proc/{number}/cwd").readlink().is_relative_to(folder):
                found[number] = Path(f"/proc/{number}/cmdline").read_text().replace("\0", " ")
    return found


def _processes(*, ended: bool = False) -> Iterator[tuple[int, int, int]]:
    """Yield number, parent and group of each process; of those that have ended and are not buried only if asked to."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent, group, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if ended or state not in "ZX":
                yield int(entry.name), int(parent), int(group)
