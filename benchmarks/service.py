"""The HTTP service under load, on loopback: requests a second and times of answers, a soak, and what a kill loses.

The load comes from this process, which shares the machine with the service; each client asks again when it has its
answer. Every plan is another text, so that no answer is one that was computed before.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from statistics import quantiles

from benchmarks.models import DOMAIN, ring
from benchmarks.options import Options
from benchmarks.table import Goal, Table

__all__ = ["run"]

STEPS = 20
SECONDS = 8.0
SOAK = 60.0
CLIENTS = (1, 8, 64)
RATE, P99, P99_MIXED = 300.0, 0.150, 0.500
_SHARE = 20
"""one request in so many needs a planner"""


@dataclass(kw_only=True)
class Load:
    """What clients saw: seconds of each answer, by whether it needed a planner; wrong answers in words."""

    checks: list[float] = field(default_factory=list)
    repairs: list[float] = field(default_factory=list)
    refused: int = 0
    lost: int = 0
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0
    cpu: float = 0.0

    @property
    def rate(self) -> float:
        return (len(self.checks) + len(self.repairs)) / self.seconds

    def percentile(self, percent: int, *, of_repairs: bool = False) -> float:
        times = self.repairs if of_repairs else self.checks
        return quantiles(times, n=100)[percent - 1] if len(times) > 1 else float("nan")


def run(options: Options) -> list[Table]:
    """Measure the service in a process of its own, with two workers of each kind."""
    tables = []
    with tempfile.TemporaryDirectory() as folder, _service(Path(folder)) as service:
        rows, goals, wrong = [], [], []
        for clients, mixed in [(clients, False) for clients in CLIENTS] + [(8, True)]:
            load = asyncio.run(_load(service, clients, SECONDS, mixed=mixed))
            name = f"{clients} client{'s' * (clients > 1)}" + (f", one in {_SHARE} needs a planner" if mixed else "")
            rows.append(_row(name, load))
            wrong += load.wrong
            if clients == 8:
                limit = P99_MIXED if mixed else P99
                what = f"p99 of checks, {name}"
                goals.append(Goal(what=what, measured=load.percentile(99), limit=limit, unit="s", at_least=False))
            if clients == 8 and not mixed:
                goals.append(
                    Goal(what=f"requests, {name}", measured=load.rate, limit=RATE, unit="a second", at_least=True)
                )
        tables.append(
            Table(
                title="service",
                about=f"POST /v1/validations of valid {STEPS}-step plans, {SECONDS:g} s each, loopback, keep-alive",
                columns=("load", "requests", "a second", "p50 s", "p99 s", "planner p99 s", "service cpu ms a request"),
                rows=tuple(rows),
                goals=tuple(goals),
                notes=("the clients run on the same processor cores as the service",),
                wrong=tuple(wrong),
            )
        )
        tables.append(_soak(service))
    tables.append(_kills())
    return tables


def _row(name: str, load: Load) -> tuple[object, ...]:
    number = len(load.checks) + len(load.repairs)
    return (
        *(name, number, load.rate, load.percentile(50), load.percentile(99)),
        load.percentile(99, of_repairs=True) if load.repairs else None,
        1000 * load.cpu / max(1, number),
    )


# --- the service ---------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Service:
    """A running service."""

    process: subprocess.Popen[bytes]
    port: int
    folder: Path

    def family(self) -> list[int]:
        """Return the process and those that it started, and they."""
        found = [self.process.pid]
        for pid in found:
            for task in Path(f"/proc/{pid}/task").glob("*/children"):
                found += [int(child) for child in task.read_text().split()]
        return found

    def resident(self) -> int:
        """Return the resident bytes of all its processes."""
        return sum(int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in self.family()) * 4096

    def cpu(self) -> float:
        """Return the CPU seconds of its processes so far, those of finished children included."""
        total = 0
        for pid in self.family():
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += sum(map(int, fields[11:15] if pid != self.process.pid else fields[11:13]))
        return total / os.sysconf("SC_CLK_TCK")


@contextmanager
def _service(folder: Path) -> Iterator[Service]:
    service = _start(folder)
    try:
        yield service
    finally:
        service.process.terminate()
        service.process.wait(30)


def _start(folder: Path) -> Service:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", "from validator.cli import main; raise SystemExit(main())", "serve"]
    arguments = ["--port", str(port), "--workers", "2", "--store", str(folder / "jobs.db"), "--queue", "1024"]
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    process = subprocess.Popen([*command, *arguments], env={**os.environ, "TMPDIR": str(temporary)})
    service = Service(process=process, port=port, folder=folder)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if asyncio.run(_ask(port, _request("GET", "/ready")))[0] == 200:
                return service
        except OSError:
            pass
        time.sleep(0.1)
    process.kill()
    raise RuntimeError("the service does not start")


# --- the clients ---------------------------------------------------------------------------------

_MODEL = ring(10, 5, STEPS)
_NUMBERS = count()


def _request(method: str, path: str, value: object = None, headers: str = "") -> bytes:
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


async def _ask(port: int, request: bytes) -> tuple[int, bytes]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        return await _exchange(reader, writer, request)
    finally:
        writer.close()


async def _exchange(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> tuple[int, bytes]:
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
    return int(head[9:12]), await reader.readexactly(length)


async def _load(service: Service, clients: int, seconds: float, *, mixed: bool) -> Load:
    load = Load()
    start, cpu = time.monotonic(), service.cpu()
    await asyncio.gather(*(_client(service.port, start + seconds, load, mixed=mixed) for _ in range(clients)))
    load.seconds = time.monotonic() - start
    load.cpu = service.cpu() - cpu
    return load


async def _client(port: int, end: float, load: Load, *, mixed: bool) -> None:
    while time.monotonic() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            load.lost += 1
            await asyncio.sleep(0.05)
            continue
        try:
            while time.monotonic() < end:
                await _one(reader, writer, load, is_broken=mixed and next(_TURNS) % _SHARE == 0)
        except (OSError, asyncio.IncompleteReadError):
            load.lost += 1
        finally:
            writer.close()


_TURNS = count()


async def _one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, load: Load, *, is_broken: bool) -> None:
    request = _request("POST", "/v1/validations", _body(is_broken=is_broken))
    start = time.monotonic()
    status, body = await _exchange(reader, writer, request)
    (load.repairs if is_broken else load.checks).append(time.monotonic() - start)
    if status != 200:
        load.refused += 1
        return
    value = json.loads(body) if is_broken else None
    right = b'"determination": true' in body if value is None else _is_repaired(value)
    if not right:
        load.wrong.append(f"a wrong answer: {body[:200]!r}")


def _is_repaired(value: dict[str, object]) -> bool:
    """Return whether a plan without one step is said to be what it is."""
    return value["determination"] is True or bool(value["plan_diff_obj"]) or value["determination"] is None


# --- soak and kills ------------------------------------------------------------------------------


def _soak(service: Service) -> Table:
    seconds = float(os.environ.get("SERVICE_SOAK", SOAK))
    sizes = []
    refused = 0
    wrong: list[str] = []
    for _ in range(6):
        load = asyncio.run(_load(service, 8, seconds / 6, mixed=True))
        sizes.append(service.resident() / 2**20)
        refused += load.refused
        wrong += load.wrong
    time.sleep(1)
    left = [path for path in (service.folder / "tmp").rglob("*") if path.is_file()]
    wrong += [f"a file is left: {path}" for path in left]
    growth = sizes[-1] / sizes[1] - 1
    return Table(
        title="service: soak",
        about=f"8 clients for {seconds:g} s, one request in {_SHARE} needs a planner",
        columns=("sixth", "resident MiB of all processes"),
        rows=tuple((number, size) for number, size in enumerate(sizes, 1)),
        goals=(Goal(what="growth after the second sixth", measured=growth, limit=0.05, unit="", at_least=False),),
        notes=(f"{refused} refused, {len(service.family())} processes at the end",),
        wrong=tuple(wrong),
    )


def _kills() -> Table:
    """Kill workers, then the service, under load, and look for every result that was reported as finished."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        service = _start(folder)
        load, finished = asyncio.run(_killing(service))
        service.process.kill()
        service.process.wait()
        time.sleep(3)
        left = _working_in(folder)
        with _service(folder) as again:
            missing = asyncio.run(_missing(again.port, finished))
    wrong = [*load.wrong, *(f"lost: {job}" for job in missing), *(f"a process is left: {pid}" for pid in left)]
    return Table(
        title="service: kills",
        about="a worker killed every half second for 10 s under load of 8 clients, then the service itself",
        columns=("requests", "refused", "connections lost", "jobs reported as done", "of them lost"),
        rows=((len(load.checks) + len(load.repairs), load.refused, load.lost, len(finished), len(missing)),),
        wrong=tuple(wrong),
    )


async def _killing(service: Service) -> tuple[Load, list[str]]:
    finished: list[str] = []
    under = asyncio.create_task(_load_lightly(service, 10.0))
    jobs = asyncio.create_task(_jobs(service.port, finished, time.monotonic() + 10))
    for turn in range(18):
        await asyncio.sleep(0.5)
        workers = [pid for pid in service.family()[1:] if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        if workers:
            os.kill(workers[turn % len(workers)], signal.SIGKILL)
    load = await under
    await jobs
    return load, finished


async def _load_lightly(service: Service, seconds: float) -> Load:
    load = Load()
    end = time.monotonic() + seconds
    await asyncio.gather(*(_client(service.port, end, load, mixed=True) for _ in range(8)))
    load.seconds = seconds
    return load


async def _jobs(port: int, finished: list[str], end: float) -> None:
    """Start jobs one after the other, and note those that are said to be done."""
    while time.monotonic() < end:
        request = _request("POST", "/v1/validations", _body(is_broken=True), "Prefer: respond-async\r\n")
        status, body = await _ask(port, request)
        if status != 202:
            continue
        name = json.loads(body)["id"]
        for _ in range(100):
            value = json.loads((await _ask(port, _request("GET", f"/v1/jobs/{name}")))[1])
            if value["status"] not in ("queued", "running"):
                if value["status"] == "done":
                    finished.append(name)
                break
            await asyncio.sleep(0.05)


async def _missing(port: int, names: list[str]) -> list[str]:
    missing = []
    for name in names:
        _, body = await _ask(port, _request("GET", f"/v1/jobs/{name}"))
        value = json.loads(body)
        if value.get("status") != "done" or "determination" not in value.get("result", {}):
            missing.append(name)
    return missing


def _working_in(folder: Path) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if (entry / "cwd").readlink().is_relative_to(folder):
                    found.append(int(entry.name))
            except OSError:
                continue
    return found
