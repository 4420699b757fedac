"""What the routes share, how jobs are told, and how long one is waited for."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from fastapi import Request, Response

from validator.service.jobs.batches import Batches
from validator.service.jobs.jobs import Job, Jobs, owner
from validator.service.jobs.store import Kept, Store
from validator.service.jobs.worker import Answer
from validator.service.problems import MEDIA_TYPE, Problem, ProblemError
from validator.service.settings import Settings
from validator.workers.lanes import Lanes

_SOON = 1.0
"""seconds after which it is looked whether the client still waits"""
_LONGEST_WAIT = 60.0
_PREFER_WAIT = re.compile(r"\bwait=(\d{1,4})\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What the routes share."""

    settings: Settings
    lanes: Lanes
    store: Store
    jobs: Jobs
    batches: Batches


def service_of(request: Request) -> Service:
    """Return the service that a request is for."""
    service: Service = request.app.state.service
    return service


def response_of(answer: Answer) -> Response:
    media = "application/json" if answer.status == 200 else MEDIA_TYPE
    return Response(answer.body, status_code=answer.status, media_type=media)


def wait_of(request: Request, settings: Settings) -> float:
    """Return how many seconds a client wants to wait (RFC 7240)."""
    preferred = request.headers.get("prefer", "")
    if "respond-async" in preferred and "wait" not in preferred:
        return 0.0
    found = _PREFER_WAIT.search(preferred)
    return settings.wait if found is None else min(float(found[1]), _LONGEST_WAIT)


async def wait_for_answer(job: Job, request: Request, jobs: Jobs, seconds: float) -> Answer | None:
    """Wait for the answer of a job; None when it takes longer. A client that left takes its job along."""
    woken = asyncio.Event()
    job.answer.add_done_callback(_waking(woken))
    if seconds:
        await _until(woken, min(seconds, _SOON))
    if not job.answer.done() and seconds > _SOON:
        woken.clear()
        leaving = asyncio.create_task(_left(request))
        leaving.add_done_callback(lambda _: woken.set())
        await _until(woken, seconds - _SOON)
        left = leaving.done()
        leaving.cancel()
        if left and not job.answer.done() and not job.is_kept:
            await asyncio.to_thread(jobs.cancel, job)
    return job.answer.result() if job.answer.done() else None


def _waking(woken: asyncio.Event) -> Callable[..., None]:
    """Return what sets an event of this thread's loop, from any thread, whatever it is called with."""
    loop, here = asyncio.get_running_loop(), threading.get_ident()

    def wake(*_: object) -> None:
        if threading.get_ident() == here:
            woken.set()
        else:
            loop.call_soon_threadsafe(woken.set)

    return wake


async def _until(woken: asyncio.Event, seconds: float) -> None:
    """Wait for an event, or so long; a third of the cost of asyncio.wait."""
    late = asyncio.get_running_loop().call_later(seconds, woken.set)
    try:
        await woken.wait()
    finally:
        late.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def job_of(request: Request, name: str) -> Job | Kept:
    """Return a job that a client may come back for. Raises ProblemError for one that it may not see."""
    service = service_of(request)
    live = service.jobs.live(name)
    found = live if live is not None and live.is_kept else service.store.get(name)
    if found is None or owner(found.client) != owner(request.state.client):
        said = "its name is misspelt, its time is over (serve --keep), or another token asked for it"
        raise ProblemError(Problem(kind="job", status=404, title="No such job", detail=said))
    return found


def shown_status(job: Job | Kept) -> str:
    """Return the status of a job as clients see it; it has ended when its result can be had, and not before."""
    if isinstance(job, Job) and not job.answer.done():
        return "queued" if job.status == "queued" else "running"
    return {"limited": "done", "unfinished": "running"}.get(job.status, job.status)


def job_value(job: Job | Kept) -> dict[str, Any]:
    """Return a job as plain values, its result included where there is one."""
    value: dict[str, Any] = {
        "id": job.id,
        "operation": job.operation,
        "status": shown_status(job),
        "created": _time(job.created),
    }
    links = {"self": f"/v1/jobs/{job.id}"}
    if job.operation == "batches":
        links["results"] = f"/v1/jobs/{job.id}/results"
    if isinstance(job, Kept):
        if job.finished is not None:
            value["finished"] = _time(job.finished)
        status, body = job.http, job.body
    else:
        value["progress"] = dict(job.progress)
        ended = value["status"] not in ("queued", "running")
        status, body = (job.answer.result().status, job.answer.result().body) if ended else (None, b"")
    if body:
        value["result" if status == 200 else "problem"] = json.loads(body)
    return value | {"links": links}


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
