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
from itertools import count

from benchmarks.models import DOMAIN, ring
from benchmarks.service.load import STEPS
from benchmarks.service.process import Service
from benchmarks.service.wire import exchange, message

__all__ = ["CLIENTS", "FACTOR", "cost", "library", "new_model"]

CLIENTS = (8, 64, 256)
SECONDS = 6.0
FACTOR = 3.0
"""times the CPU time of an empty endpoint, beside that of the library, that a request may cost"""

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


def _sent(kind: str) -> bytes:
    return message("POST", "/v1/validations", _body(kind), "Prefer: wait=60\r\n")


def new_model() -> bytes:
    """Return a request with a model and a plan that no other had."""
    return _sent("model")


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
