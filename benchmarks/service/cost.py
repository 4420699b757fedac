"""What a request costs the service in CPU time, beside an empty endpoint and beside the library alone, in one run.

Every request brings a domain, a problem and a plan that no other had, so nothing is remembered from another one. The
clients have addresses of their own, as those of many users have.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from statistics import quantiles

from benchmarks.models import DOMAIN, ring
from benchmarks.service.load import STEPS
from benchmarks.service.process import Service
from benchmarks.service.wire import exchange, message
from benchmarks.table import Cell, Goal, Table

__all__ = ["CLIENTS", "FACTOR", "cost", "costs", "large", "library", "new_model"]

CLIENTS = (8, 64, 256)
SECONDS = 6.0
FACTOR = 3.0
"""times the CPU time of an empty endpoint, beside that of the library, that a request may cost"""
LARGE = 70_000, 25.0
"""rooms of a problem of 5.5 MB, and the CPU seconds that it may not take"""

_MODEL = ring(10, 5, STEPS)
_NUMBERS = count()


@dataclass(kw_only=True)
class Seen:
    """What clients saw: the seconds of each answer, and what was wrong, in words."""

    times: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def _body(kind: str) -> dict[str, object]:
    """Return a request with a new plan, and by its kind with a new problem or a new model too."""
    number = next(_NUMBERS)
    domain = f"; {number}\n{DOMAIN}" if kind == "model" else DOMAIN
    problem = _MODEL.problem if kind == "plan" else f"; {number}\n{_MODEL.problem}"
    return {"domain": domain, "problem": problem, "plan": "\n".join((*_MODEL.steps, f"; {number}")), "repair": False}


def costs(service: Service) -> Table:
    """Return the CPU time of a request with the workers' share, by what is new in it and how many ask."""
    rows: list[tuple[Cell, ...]] = []
    wrong: list[str] = []
    empty: dict[int, float] = {}
    for clients in CLIENTS:
        row, faults = _row(service, f"an empty endpoint, {clients} clients", clients, lambda: message("GET", "/health"))
        rows.append(row)
        wrong += faults
        empty[clients] = float(str(row[4]))
    alone = {kind: library(kind) for kind in ("model", "problem", "plan")}
    goals = []
    for kind, clients in [("model", number) for number in CLIENTS] + [("problem", 8), ("plan", 8)]:
        name = f"a new {kind} each, {clients} clients"
        row, faults = _row(service, name, clients, partial(_sent, kind), alone[kind])
        rows.append(row)
        wrong += faults
        if kind == "model":
            limit = FACTOR * empty[clients] + alone[kind]
            what = f"CPU of a request, {clients} clients"
            goals.append(Goal(what=what, measured=float(str(row[4])), limit=limit, unit="ms"))
    return Table(
        title="service: what a request costs",
        about=f"POST /v1/validations of valid {STEPS}-step plans, {SECONDS:g} s each, a client an address",
        columns=("load", "requests", "p50 s", "p99 s", "cpu ms a request", "library alone ms"),
        rows=tuple(rows),
        goals=tuple(goals),
        notes=(
            "CPU of the service and its workers",
            "the goal is three times the empty endpoint with as many clients, and once the library",
        ),
        wrong=tuple(wrong),
    )


def _sent(kind: str) -> bytes:
    return message("POST", "/v1/validations", _body(kind), "Prefer: wait=60\r\n")


def new_model() -> bytes:
    """Return a request with a model and a plan that no other had."""
    return _sent("model")


def _row(
    service: Service, name: str, clients: int, make: Callable[[], bytes], alone: float | None = None
) -> tuple[tuple[Cell, ...], list[str]]:
    """Return a row of the table, and what was wrong."""
    seen, spent = cost(service, clients, make, SECONDS)
    cuts = quantiles(seen.times, n=100) if len(seen.times) > 1 else [float("nan")] * 99
    return (name, len(seen.times), cuts[49], cuts[98], spent, alone), seen.wrong


def cost(service: Service, clients: int, make: Callable[[], bytes], seconds: float) -> tuple[Seen, float]:
    """Let clients ask for some seconds; return what they saw, and the CPU milliseconds of a request."""
    seen = Seen()
    cpu, end = service.cpu(), time.monotonic() + seconds

    async def load() -> None:
        await asyncio.gather(*(_client(service.port, number, end, make, seen) for number in range(clients)))

    asyncio.run(load())
    return seen, 1000 * (service.cpu() - cpu) / max(1, len(seen.times))


async def _client(port: int, number: int, end: float, make: Callable[[], bytes], seen: Seen) -> None:
    """Ask from an address of its own until the time is over."""
    address = f"127.0.{1 + number // 250}.{1 + number % 250}"
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    try:
        while time.monotonic() < end:
            sent, begun = make(), time.monotonic()
            status, body = await exchange(reader, writer, sent)
            seen.times.append(time.monotonic() - begun)
            if status != 200 or (b'"determination"' in body and b'"determination": true' not in body):
                seen.wrong.append(f"status {status}: {body[:200]!r}")
    finally:
        writer.close()


def library(kind: str, seconds: float = 2.0) -> float:
    """Return the CPU milliseconds of the same check in this process, its answer written as the service writes it."""
    from validator import check

    number, begun = 0, time.process_time()
    while time.process_time() - begun < seconds:
        given = _body(kind)
        report = check(str(given["domain"]), str(given["problem"]), str(given["plan"]), repair=False)
        json.dumps({**report.to_json(), "feedback": report.feedback()})
        number += 1
    return 1000 * (time.process_time() - begun) / number


def large(service: Service) -> Table:
    """Return what a request with a problem of 5.5 MB costs."""
    rooms, limit = LARGE
    model = ring(rooms, 5, STEPS)
    given = {"domain": DOMAIN, "problem": model.problem, "plan": model.plan, "repair": False}
    sent = message("POST", "/v1/validations", given, "Prefer: wait=60\r\n")
    cpu, begun = service.cpu(), time.monotonic()

    async def one() -> tuple[int, bytes]:
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        try:
            return await exchange(reader, writer, sent)
        finally:
            writer.close()

    status, body = asyncio.run(one())
    spent = service.cpu() - cpu
    wrong = () if status == 200 and b'"determination": true' in body else (f"status {status}: {body[:200]!r}",)
    return Table(
        title="service: a large problem",
        about="a problem of many rooms and a plan of a few steps, once",
        columns=("MB", "s", "cpu s"),
        rows=((len(sent) / 1e6, time.monotonic() - begun, spent),),
        goals=(Goal(what="CPU of the request", measured=spent, limit=limit, unit="s"),),
        wrong=wrong,
    )
