"""What is lost when workers, a service, and a service with its workers are killed under load: nothing may be."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from benchmarks.service.load import Load, fault, load
from benchmarks.service.process import Service, alive, left_of, running, start
from benchmarks.service.wire import ask, message
from benchmarks.table import Cell, Table

__all__ = ["Killed", "kill", "kills"]

_CLIENTS, _JOBS = 8, 4
_EVERY = 0.2, 1.0
"""seconds between two kills of a worker"""


@dataclass(kw_only=True)
class Killed:
    """What was seen before and after a service was killed; ``after`` counts its jobs by what they are said to be then.

    ``orphans`` are planners that nobody was left to end.
    """

    seen: Load
    workers: int
    family: list[int]
    orphans: int = 0
    after: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


def kills() -> Table:
    """Return the table of both ways to kill a service."""
    rows: list[tuple[Cell, ...]] = []
    wrong = []
    for whole in (False, True):
        with tempfile.TemporaryDirectory() as name:
            found = kill(Path(name), 10.0, whole=whole)
        what = "the service and its workers at once" if whole else "the service"
        done = sum(job.status == "done" for job in found.seen.jobs)
        numbers = (found.workers, found.seen.number, found.seen.refused, len(found.seen.jobs), done)
        rows.append((what, *numbers, found.after["lost"], found.after["interrupted"], found.orphans))
        wrong += found.wrong
    counted = ("workers killed", "requests", "refused", "jobs", "said to be done", "of them lost", "interrupted")
    return Table(
        title="service: kills",
        about=f"{_CLIENTS} clients and {_JOBS} that start jobs, 10 s; workers are killed all the time, and at last",
        columns=("at last", *counted, "planners left to the next service"),
        rows=tuple(rows),
        wrong=tuple(wrong),
    )


def kill(folder: Path, seconds: float, *, whole: bool) -> Killed:
    """Kill workers at random under load, then the service in the middle of it, and look what is left and kept.

    ``whole`` kills the workers together with the service, as a machine short of memory does: then nobody is left to end
    their planners and to remove their files but the service that is started next.
    """
    service = start(folder)
    try:
        found = asyncio.run(_killing(service, seconds, whole=whole))
    finally:
        service.process.kill()
        service.process.wait()
    found.wrong += found.seen.wrong
    if not whole:  # the workers end with the service, but for the directory of one that was about to start
        found.wrong += left_of(service, found.family)
    with running(folder) as again:
        found.wrong += left_of(service, found.family, directories=1)
        asyncio.run(_look(again.port, found))
    return found


async def _killing(service: Service, seconds: float, *, whole: bool) -> Killed:
    chance = Random(8)
    end = time.monotonic() + seconds
    under = asyncio.create_task(load(service, _CLIENTS, seconds + 2, mixed=True, jobs=_JOBS))
    killed = 0
    while time.monotonic() < end:
        await asyncio.sleep(chance.uniform(*_EVERY))
        if workers := service.workers():
            killed += _kill((chance.choice(workers),))
    if whole:
        await _ground(service)
    family = service.family()
    workers = service.workers()
    orphans = 0
    if whole:
        for pid in workers:  # none sees the others go
            os.kill(pid, signal.SIGSTOP)
        _kill((service.process.pid, *workers))
        await asyncio.sleep(0.5)
        orphans = len(alive(service.temporary, []))
    _kill((service.process.pid,))
    return Killed(seen=await under, workers=killed, family=family, orphans=orphans)


def _kill(processes: Iterable[int]) -> int:
    """Kill processes, and return how many there were."""
    killed = 0
    for pid in processes:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            killed += 1
    return killed


_DOMAIN = (
    "(define (domain many) (:predicates (p) (q ?a ?b)) (:action a :parameters (?a ?b ?c ?d ?e ?f)"
    " :precondition (and (q ?a ?b) (q ?c ?d) (q ?e ?f)) :effect (p)))"
)
_OBJECTS = [f"o{number}" for number in range(100)]
_PROBLEM = (
    f"(define (problem many) (:domain many) (:objects {' '.join(_OBJECTS)})"
    f" (:init {' '.join(f'(q {one} {other})' for one in _OBJECTS for other in _OBJECTS)}) (:goal (p)))"
)
"""what takes longer to ground than anybody waits, and says nothing while it does"""


async def _ground(service: Service) -> None:
    """Let a planner be at what does not end by itself when its worker does."""
    body = {"domain": _DOMAIN, "problem": _PROBLEM}
    await ask(service.port, message("POST", "/v1/plans", body, "Prefer: respond-async\r\n"))
    end = time.monotonic() + 30
    while time.monotonic() < end:
        before = service.planners()
        await asyncio.sleep(1)
        if before & service.planners():
            return
    raise RuntimeError("no planner is started")


async def _look(port: int, found: Killed) -> None:
    """Ask the next service for each job that the killed one had taken."""
    for job in found.seen.jobs:
        _, body = await ask(port, message("GET", f"/v1/jobs/{job.name}"))
        value = json.loads(body)
        status = value["status"] if "id" in value else "unknown"
        found.after[status] += 1
        if status == "done" and (said := fault(value["result"], is_broken=job.is_broken)):
            found.wrong.append(f"job {job.name}: {said}")
        if job.status == "done" != status:
            found.after["lost"] += 1
            found.wrong.append(f"lost: {job.name} was done and is {status}")
        if status in ("unknown", "queued", "running"):
            found.wrong.append(f"job {job.name} is {status} and nobody works on it")
