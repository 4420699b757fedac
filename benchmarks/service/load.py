"""Clients that ask a service: what they saw, and whether it was right.

The clients share the machine with the service; each asks again when it has its answer. Every plan is another text, so
that no answer is one that was computed before. A valid plan has 20 steps; a broken one lacks one of them, and the
nearest plan is the one with it: the answer is known by construction.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from statistics import quantiles
from typing import Any, NamedTuple

from benchmarks.models import DOMAIN, ring
from benchmarks.service.process import Service
from benchmarks.service.wire import ask, exchange, message

__all__ = ["SHARE", "STEPS", "Job", "Load", "Request", "body", "fault", "load"]

STEPS = 20
SHARE = 20
"""one request in so many needs a planner"""

_MODEL = ring(10, 5, STEPS)
_NUMBERS = count()
_TURNS = count()
_ENDED = ("done", "failed", "cancelled", "interrupted")


class Request(NamedTuple):
    """A request as it is sent, and what stands in the right answer to it."""

    sent: bytes
    right: bytes


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

    @property
    def cpu_ms(self) -> float:
        """Return the CPU milliseconds that the service takes for a request."""
        return 1000 * self.cpu / max(1, self.number)

    def percentile(self, percent: int, *, of_repairs: bool = False) -> float:
        times = self.repairs if of_repairs else self.checks
        return quantiles(times, n=100)[percent - 1] if len(times) > 1 else float("nan")


def body(*, is_broken: bool, has_new_model: bool = False) -> dict[str, object]:
    """Return a plan that no request had before: valid, or with a step left out."""
    number = next(_NUMBERS)
    steps = list(_MODEL.steps)
    if is_broken:
        del steps[number % len(steps)]
    new = f"; {number}\n" if has_new_model else ""
    plan = "\n".join((*steps, f"; request {number}"))
    return {"domain": f"{new}{DOMAIN}", "problem": f"{new}{_MODEL.problem}", "plan": plan}


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


async def load(
    service: Service,
    clients: int,
    seconds: float,
    *,
    mixed: bool = False,
    jobs: int = 0,
    request: Callable[[], Request] | None = None,
) -> Load:
    """Return what clients saw that ask for some seconds; ``jobs`` of them start jobs, and cancel one in three.

    If they are given their requests, they have addresses of their own, as those of many users have.
    """
    seen = Load()
    begun, cpu = time.monotonic(), service.cpu()
    end = begun + seconds
    asking = [
        _client(service.port, end, seen, mixed=mixed, request=request, number=number) for number in range(clients)
    ]
    await asyncio.gather(*asking, *(_jobs(service.port, end, seen) for _ in range(jobs)))
    seen.seconds = time.monotonic() - begun
    seen.cpu = service.cpu() - cpu
    return seen


async def _client(
    port: int, end: float, seen: Load, *, mixed: bool, request: Callable[[], Request] | None, number: int
) -> None:
    address = None if request is None else (f"127.0.{1 + number // 250}.{1 + number % 250}", 0)
    while time.monotonic() < end:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=address)
        except OSError:
            seen.lost += 1
            await asyncio.sleep(0.05)
            continue
        try:
            while time.monotonic() < end:
                is_broken = mixed and next(_TURNS) % SHARE == 0
                await _one(reader, writer, seen, request() if request else _check(is_broken=is_broken), is_broken)
        except (OSError, asyncio.IncompleteReadError):
            seen.lost += 1
        finally:
            writer.close()


def _check(*, is_broken: bool) -> Request:
    return Request(message("POST", "/v1/validations", body(is_broken=is_broken)), b'"determination": true')


async def _one(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, seen: Load, request: Request, is_broken: bool
) -> None:
    begun = time.monotonic()
    status, answer = await exchange(reader, writer, request.sent)
    (seen.repairs if is_broken else seen.checks).append(time.monotonic() - begun)
    if status == 200:
        if not is_broken and request.right in answer:
            return  # reading each answer whole would be a good part of the time
        if said := fault(json.loads(answer), is_broken=is_broken):
            seen.wrong.append(f"{said}: {answer[:200]!r}")
    elif status in (202, 429, 503, 500):
        seen.refused += 1
    else:
        seen.wrong.append(f"status {status}: {answer[:200]!r}")


async def _jobs(port: int, end: float, seen: Load) -> None:
    """Start jobs one after the other, and note each as it was last seen."""
    while time.monotonic() < end:
        number = next(_TURNS)
        is_broken = number % 2 == 0
        sent = message("POST", "/v1/validations", body(is_broken=is_broken), "Prefer: respond-async\r\n")
        try:
            status, answer = await ask(port, sent)
        except OSError:
            seen.lost += 1
            await asyncio.sleep(0.05)
            continue
        if status != 202:
            seen.refused += status != 200  # 200: it was answered at once
            continue
        name = json.loads(answer)["id"]
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
