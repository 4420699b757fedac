"""A service in a process of its own, and clients that ask it: what they saw, and whether it was right.

The clients share the machine with the service; each asks again when it has its answer. Every plan is another text, so
that no answer is one that was computed before. A valid plan has 20 steps; a broken one lacks one of them, and the
nearest plan is the one with it: the answer is known by construction.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import quantiles
from typing import Any

from benchmarks.models import DOMAIN, ring

__all__ = [
    "SHARE",
    "STEPS",
    "Job",
    "Load",
    "Service",
    "alive",
    "ask",
    "exchange",
    "fault",
    "load",
    "message",
    "running",
    "start",
]

STEPS = 20
SHARE = 20
"""one request in so many needs a planner"""

_MODEL = ring(10, 5, STEPS)
_NUMBERS = count()
_TURNS = count()
_PATIENCE = 10.0
"""seconds in which what belongs to a service has to end after it"""
_ENDED = ("done", "failed", "cancelled", "interrupted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job that the service took; ``status`` is the last that it said of it."""

    name: str
    is_broken: bool
    status: str


@dataclass(kw_only=True)
class Load:
    """What clients saw: seconds of each answer, by whether it needed a planner; wrong answers in words; jobs."""

    checks: list[float] = field(default_factory=list)
    repairs: list[float] = field(default_factory=list)
    jobs: list[Job] = field(default_factory=list)
    refused: int = 0
    lost: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0
    cpu: float = 0.0

    @property
    def number(self) -> int:
        return len(self.checks) + len(self.repairs)

    @property
    def rate(self) -> float:
        return self.number / self.seconds

    def percentile(self, percent: int, *, of_repairs: bool = False) -> float:
        times = self.repairs if of_repairs else self.checks
        return quantiles(times, n=100)[percent - 1] if len(times) > 1 else float("nan")


# --- the service ---------------------------------------------------------------------------------


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
        found = [self.process.pid]
        for pid in found:
            for task in Path(f"/proc/{pid}/task").glob("*/children"):
                with suppress(OSError):
                    found += [int(child) for child in task.read_text().split()]
        return found

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
    end = time.monotonic() + _PATIENCE
    while (left := _left(service, family)) and time.monotonic() < end:  # who follows its pipe sees its end only now
        time.sleep(0.1)
    if left:
        raise RuntimeError(f"the service leaves {', '.join(left)}")


def _left(service: Service, family: list[int]) -> list[str]:
    return [*alive(service.temporary, family), *map(str, service.temporary.iterdir())]


def start(folder: Path) -> Service:
    """Start a service with two workers of each kind and wait until it can answer."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", "from validator.cli import main; raise SystemExit(main())", "serve"]
    arguments = ["--port", str(port), "--workers", "2", "--store", str(folder / "jobs.db"), "--queue", "1024"]
    (folder / "tmp").mkdir(exist_ok=True)
    process = subprocess.Popen([*command, *arguments], env={**os.environ, "TMPDIR": str(folder / "tmp")})
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


# --- the clients ---------------------------------------------------------------------------------


def message(method: str, path: str, value: object = None, headers: str = "") -> bytes:
    """Return a request as it is sent."""
    body = b"" if value is None else json.dumps(value).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}Content-Length: {len(body)}\r\n"
    return f"{head}Content-Type: application/json\r\n\r\n".encode() + body


def _body(*, is_broken: bool) -> dict[str, str]:
    """Return a plan that no request had before: valid, or with a step left out."""
    number = next(_NUMBERS)
    steps = list(_MODEL.steps)
    if is_broken:
        del steps[number % len(steps)]
    return {"domain": DOMAIN, "problem": _MODEL.problem, "plan": "\n".join((*steps, f"; request {number}"))}


def fault(value: Mapping[str, Any], *, is_broken: bool) -> str:
    """Return what is wrong with an answer; nothing for the right one, and for one that a limit cut off."""
    if not is_broken:
        return "" if value["determination"] is True else "a valid plan is said to be invalid"
    if value["determination"] is not False:
        return "an invalid plan is not said to be one"
    if "limit" in str(value["planner_response"]["status"]):
        return ""
    changes = [row for row in value["plan_diff_obj"] or () if row["diff_type"]]
    whole = sorted(value["repaired_plan"] or ()) == sorted(_MODEL.steps)
    return "" if value["proven"] and whole and len(changes) == 1 else "the repair is not the nearest"


async def ask(port: int, sent: bytes) -> tuple[int, bytes]:
    """Return the status and the body of an answer. Raises OSError without one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        return await exchange(reader, writer, sent)
    except asyncio.IncompleteReadError as error:
        raise ConnectionError("the answer is cut off") from error
    finally:
        writer.close()


async def exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, sent: bytes) -> tuple[int, bytes]:
    writer.write(sent)
    head = await reader.readuntil(b"\r\n\r\n")
    length = [int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return int(head[9:12]), await reader.readexactly(length[0]) if length else b""


async def load(service: Service, clients: int, seconds: float, *, mixed: bool, jobs: int = 0) -> Load:
    """Return what clients saw that ask for some seconds; ``jobs`` of them start jobs, and cancel one in three."""
    seen = Load()
    begun, cpu = time.monotonic(), service.cpu()
    end = begun + seconds
    asking = [_client(service.port, end, seen, mixed=mixed) for _ in range(clients)]
    await asyncio.gather(*asking, *(_jobs(service.port, end, seen) for _ in range(jobs)))
    seen.seconds = time.monotonic() - begun
    seen.cpu = service.cpu() - cpu
    return seen


async def _client(port: int, end: float, seen: Load, *, mixed: bool) -> None:
    while time.monotonic() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            seen.lost += 1
            await asyncio.sleep(0.05)
            continue
        try:
            while time.monotonic() < end:
                await _one(reader, writer, seen, is_broken=mixed and next(_TURNS) % SHARE == 0)
        except (OSError, asyncio.IncompleteReadError):
            seen.lost += 1
        finally:
            writer.close()


async def _one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seen: Load, *, is_broken: bool) -> None:
    sent = message("POST", "/v1/validations", _body(is_broken=is_broken))
    begun = time.monotonic()
    status, body = await exchange(reader, writer, sent)
    (seen.repairs if is_broken else seen.checks).append(time.monotonic() - begun)
    if status == 200:
        if not is_broken and b'"determination": true' in body:
            return  # reading each answer whole would be a good part of the time
        if said := fault(json.loads(body), is_broken=is_broken):
            seen.wrong.append(f"{said}: {body[:200]!r}")
    elif status in (202, 429, 503, 500):
        seen.refused += 1
    else:
        seen.wrong.append(f"status {status}: {body[:200]!r}")


async def _jobs(port: int, end: float, seen: Load) -> None:
    """Start jobs one after the other, and note each as it was last seen."""
    while time.monotonic() < end:
        number = next(_TURNS)
        is_broken = number % 2 == 0
        sent = message("POST", "/v1/validations", _body(is_broken=is_broken), "Prefer: respond-async\r\n")
        try:
            status, body = await ask(port, sent)
        except OSError:
            seen.lost += 1
            await asyncio.sleep(0.05)
            continue
        if status != 202:
            seen.refused += status != 200  # 200: it was answered at once
            continue
        name = json.loads(body)["id"]
        if number % 3 == 0:
            with suppress(OSError):
                await ask(port, message("DELETE", f"/v1/jobs/{name}"))
        seen.jobs.append(Job(name=name, is_broken=is_broken, status=await _last(port, name, end)))


async def _last(port: int, name: str, end: float) -> str:
    """Return the last that is said of a job until it has ended or the time is over."""
    status = "queued"
    while status not in _ENDED and time.monotonic() < end:
        try:
            status = json.loads((await ask(port, message("GET", f"/v1/jobs/{name}")))[1])["status"]
        except OSError:
            break
        await asyncio.sleep(0.02)
    return status
