"""A service in a process of its own: started, its processes and what they take, and that nothing is left of it."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.process import PROGRAM, family
from benchmarks.service.wire import ask, message

__all__ = ["Service", "alive", "left_of", "patiently", "running", "start"]

_PATIENCE = 10.0
"""seconds in which what belongs to a service has to end after it"""


@dataclass(frozen=True, kw_only=True)
class Service:
    """A running service; its file of results is in ``folder``, its temporary files are in ``temporary``."""

    process: subprocess.Popen[bytes]
    port: int
    folder: Path

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    def family(self) -> list[int]:
        """Return the process and those that it started, and they."""
        return family(self.process.pid)

    def workers(self) -> list[int]:
        """Return the processes that requests are handed to."""
        return [pid for pid in self.family()[1:] if "spawn_main" in _command(pid)]

    def planners(self) -> set[int]:
        """Return the planner processes."""
        return {pid for pid in self.family() if "--search" in _command(pid) or "translate" in _command(pid)}

    def cpu(self) -> float:
        """Return the CPU seconds of its processes so far, those of finished children included."""
        total = 0
        for pid in self.family():
            with suppress(OSError):
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                total += sum(map(int, fields[11:15] if pid != self.process.pid else fields[11:13]))
        return total / os.sysconf("SC_CLK_TCK")


def _command(pid: int) -> str:
    """Return the command line of a process; nothing of one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def alive(folder: Path, family: list[int]) -> list[str]:
    """Return what still runs of a family, or below a folder."""
    below = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with suppress(OSError):
                if (entry / "cwd").readlink().is_relative_to(folder):
                    below.append(int(entry.name))
    found = ((pid, _command(pid)) for pid in sorted({*family, *below}))
    return [f"{pid} {command[:100]}" for pid, command in found if command]  # a zombie has no command line


@contextmanager
def running(folder: Path) -> Iterator[Service]:
    """Yield a service that is ended as its users end it. Raises RuntimeError where it leaves something."""
    service = start(folder)
    try:
        yield service
    finally:
        family = service.family()
        service.process.terminate()
        service.process.wait(30)
    if left := left_of(service, family, directories=0):  # who follows its pipe sees its end only now
        raise RuntimeError("; ".join(left))


def left_of(service: Service, family: list[int], *, directories: int | None = None) -> list[str]:
    """Return what still runs of a service that has ended, and its files if there are not so many directories."""

    def left() -> list[str]:
        processes = [f"a process is left: {process}" for process in alive(service.temporary, family)]
        files = [str(path) for path in service.temporary.iterdir()]
        return processes or ([] if directories in (None, len(files)) else [f"files are left: {', '.join(files)}"])

    return patiently(left)


def patiently(left: Callable[[], list[str]]) -> list[str]:
    """Return what is left after some patience."""
    end = time.monotonic() + _PATIENCE
    while (found := left()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def start(folder: Path) -> Service:
    """Start a service with two workers of each kind and wait until it can answer."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    arguments = ["serve", "--port", str(port), "--workers", "2", "--store", str(folder / "jobs.db"), "--queue", "1024"]
    (folder / "tmp").mkdir(exist_ok=True)
    process = subprocess.Popen([*PROGRAM, *arguments], env={**os.environ, "TMPDIR": str(folder / "tmp")})
    service = Service(process=process, port=port, folder=folder)
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            if asyncio.run(ask(port, message("GET", "/ready")))[0] == 200:
                return service
        except OSError:
            pass
        time.sleep(0.1)
    process.kill()
    raise RuntimeError("the service does not start")
