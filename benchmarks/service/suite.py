"""The HTTP service under load, on loopback: requests a second and times of answers, a soak, and what a kill loses."""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path

from benchmarks.options import Options
from benchmarks.process import resident
from benchmarks.service.kills import kills
from benchmarks.service.load import SHARE, STEPS, Load, load
from benchmarks.service.process import Service, patiently, running
from benchmarks.table import Cell, Goal, Table

__all__ = ["run"]

SECONDS = 8.0
SOAK = 60.0
CLIENTS = (1, 8, 64)
RATE, P99, P99_MIXED = 300.0, 0.150, 0.500
GROWTH = 0.05
_PARTS = 6


def run(options: Options) -> list[Table]:
    """Measure the service in a process of its own, with two workers of each kind."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as service:
        tables = [_rates(service)]
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as service:
        tables.append(soak(service, options.soak or SOAK))
    return [*tables, kills()]


def _rates(service: Service) -> Table:
    rows: list[tuple[Cell, ...]] = []
    goals, wrong = [], []
    for clients, mixed in [(clients, False) for clients in CLIENTS] + [(8, True)]:
        seen = asyncio.run(load(service, clients, SECONDS, mixed=mixed))
        name = f"{clients} client{'s' * (clients > 1)}" + (f", one in {SHARE} needs a planner" if mixed else "")
        rows.append(_row(name, seen))
        wrong += seen.wrong
        if clients == 8:
            limit = P99_MIXED if mixed else P99
            goals.append(Goal(what=f"p99 of checks, {name}", measured=seen.percentile(99), limit=limit, unit="s"))
        if clients == 8 and not mixed:
            goals.append(Goal(what=f"requests, {name}", measured=seen.rate, limit=RATE, unit="a second", at_least=True))
    return Table(
        title="service",
        about=f"POST /v1/validations of valid {STEPS}-step plans, {SECONDS:g} s each, loopback, keep-alive",
        columns=("load", "requests", "a second", "p50 s", "p99 s", "planner p99 s", "service cpu ms a request"),
        rows=tuple(rows),
        goals=tuple(goals),
        notes=("the clients run on the same processor cores as the service",),
        wrong=tuple(wrong),
    )


def _row(name: str, seen: Load) -> tuple[Cell, ...]:
    return (
        *(name, seen.number, seen.rate, seen.percentile(50), seen.percentile(99)),
        seen.percentile(99, of_repairs=True) if seen.repairs else None,
        seen.cpu_ms,
    )


# --- the soak ------------------------------------------------------------------------------------


def soak(service: Service, seconds: float) -> Table:
    """Ask a service for so many seconds; its memory is to stay flat, and nothing to be left of what was asked."""
    before = len(service.family())
    rows: list[tuple[Cell, ...]] = [_state(service, 0.0, Load())]
    wrong: list[str] = []
    begun = time.monotonic()
    for _ in range(_PARTS):
        seen = asyncio.run(load(service, 8, seconds / _PARTS, mixed=True, jobs=1))
        rows.append(_state(service, time.monotonic() - begun, seen))
        wrong += seen.wrong
    wrong += patiently(lambda: _left(service, before))  # the last job may be at a planner
    sizes = [float(row[1]) + float(row[2]) for row in rows]  # type: ignore[arg-type]
    return Table(
        title="service: soak",
        about=f"8 clients for {seconds:g} s, one request in {SHARE} needs a planner; one more starts and cancels jobs",
        columns=("s", "service MiB", "workers MiB", "processes", "requests", "jobs", "refused", "lost"),
        rows=tuple(rows),
        goals=(Goal(what="growth after the second sixth", measured=sizes[-1] / sizes[2] - 1, limit=GROWTH, unit=""),),
        notes=("resident memory; up to 8 MiB of answers are remembered",),
        wrong=tuple(wrong),
    )


def _left(service: Service, before: int) -> list[str]:
    """Return what is left: processes and files. A worker whose job was cancelled is back only for its next."""
    after = len(service.family())
    said = [f"{after} processes at the end, {before} before"] if after > before else []
    files = [f"{folder}/{name}" for folder, _, names in os.walk(service.temporary) for name in names]
    return said + [f"a file is left: {path}" for path in files]


def _state(service: Service, at: float, seen: Load) -> tuple[Cell, ...]:
    family = service.family()
    sizes = list(map(resident, family))
    return (at, sizes[0], sum(sizes[1:]), len(family), seen.number, len(seen.jobs), seen.refused, seen.lost)
