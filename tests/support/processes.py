"""What planner processes leave behind: looked up in /proc by their working directory."""

from __future__ import annotations

import os
import time
from pathlib import Path


def running_in(folder: Path, patience: float = 3.0) -> list[str]:
    """Return the command lines of processes that still run below a folder, after some patience."""
    end = time.monotonic() + patience
    while (found := _running(folder)) and time.monotonic() < end:
        time.sleep(0.05)
    return found


def _running(folder: Path) -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                if str((entry / "cwd").readlink()).startswith(str(folder)):
                    found.append((entry / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
    return found


def children() -> list[int]:
    """Return the processes, zombies too, whose parent is this one."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == os.getpid():
                found.append(int(entry.name))
    return found
