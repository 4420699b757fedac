"""The routes for programs: an operation each, jobs, batches, models, and the state of the service."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from validator import __version__
from validator.errors import ValidatorError
from validator.model.bundled import Bundle, bundle, bundles, first_comment
from validator.service.http.replies import (
    job_of,
    job_value,
    response_of,
    service_of,
    shown_status,
    wait_for_answer,
    wait_of,
)
from validator.service.jobs.jobs import BATCHES, Job
from validator.service.operations.operations import OPERATIONS
from validator.service.operations.requests import read_request
from validator.service.problems import Problem, ProblemError

PUBLIC = (
    *("validations", "readings", "diffs", "plans", "recognitions", "adherence", "metrics-of-plans", "redundancies"),
    "tool-calls",
    "model-repairs",
    "why-not",
    "under-way",
)
"""The operations with a path below /v1."""

router = APIRouter()


def _post(name: str) -> Callable[[Request], Any]:
    async def route(request: Request) -> Response:
        return await respond(request, name, await request.body())

    route.__name__ = name.replace("-", "_")
    return route


async def respond(request: Request, name: str, body: str | bytes) -> Response:
    """Return the answer of an operation, or the job that it becomes where it takes longer than the client waits."""
    service = service_of(request)
    asked = read_request(OPERATIONS[name].request, body)
    job = service.jobs.submit(name, asked, request.state.client)
    answer = await wait_for_answer(job, request, service.jobs, wait_of(request, service.settings))
    if answer is None:
        await asyncio.to_thread(service.jobs.keep, job)
        return _accepted(job)
    return response_of(answer)


ROUTES = {f"/v1/{name}": _post(name) for name in PUBLIC}
"""What answers a POST to a path: what most requests are, so that the application looks it up before its router."""
for _name in PUBLIC:
    router.add_api_route(f"/v1/{_name}", ROUTES[f"/v1/{_name}"], methods=["POST"], summary=OPERATIONS[_name].about)


def _accepted(job: Job) -> Response:
    location = f"/v1/jobs/{job.id}"
    body = json.dumps(job_value(job))
    return Response(body, status_code=202, media_type="application/json", headers={"Location": location})


# --- batches and jobs ----------------------------------------------------------------------------


@router.post("/v1/batches", status_code=202, summary="Check the records of a JSONL body")
async def batches(request: Request) -> Response:
    service = service_of(request)
    return _accepted(service.batches.start(await request.body(), request.state.client))


@router.get("/v1/jobs/{name}", summary="Say how far a job is, and its result")
async def job(request: Request, name: str) -> Response:
    found = job_of(request, name)
    return Response(json.dumps(job_value(found), ensure_ascii=False), media_type="application/json")


@router.delete("/v1/jobs/{name}", status_code=204, summary="Cancel a job; its planner is ended")
async def cancel(request: Request, name: str) -> Response:
    service = service_of(request)
    found = job_of(request, name)
    if isinstance(found, Job) and not found.answer.done():
        await asyncio.to_thread(service.jobs.cancel, found)
        return Response(status_code=204)
    raise ProblemError(Problem(kind="job", status=409, title=f"The job is {shown_status(found)} already"))


@router.get("/v1/jobs/{name}/results", summary="The results of a batch so far, as JSONL")
async def results(request: Request, name: str) -> Response:
    if job_of(request, name).operation != BATCHES:
        said = f"this job is not a batch; its result is in GET /v1/jobs/{name}"
        raise ProblemError(Problem(kind="job", status=404, title="No such batch", detail=said))
    lines = (f"{line}\n" for line in service_of(request).store.lines(name))
    return StreamingResponse(lines, media_type="application/jsonl")


# --- models --------------------------------------------------------------------------------------


@router.get("/v1/domains", summary="List the bundled models")
def domains() -> list[dict[str, str]]:
    return [{"name": model.name, "about": model.about} for model in bundles()]


@router.get("/v1/domains/{name}", summary="A bundled model with its plans")
def domain(name: str) -> dict[str, Any]:
    model = _bundle(name)
    return {
        "name": model.name,
        "about": model.about,
        "domain": _read(model.domain),
        "problem": _read(model.problem),
        "plans": [{"name": path.stem, "about": first_comment(path), "plan": _read(path)} for path in model.plans],
    }


def _bundle(name: str) -> Bundle:
    try:
        return bundle(name)
    except ValidatorError as error:
        problem = Problem(kind="domain", status=404, title="No such model", detail=str(error))
        raise ProblemError(problem) from None


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# --- the state of the service ----------------------------------------------------------------------


@router.get("/health", summary="Whether the service lives")
async def health() -> dict[str, str]:
    return {"status": "ok", "version": __version__}


@router.get("/ready", summary="Whether the service can answer")
async def ready(request: Request) -> Response:
    is_ready = service_of(request).lanes.is_ready
    body = json.dumps({"status": "ready" if is_ready else "starting"})
    return Response(body, status_code=200 if is_ready else 503, media_type="application/json")


@router.get("/metrics", summary="Figures for Prometheus")
async def metrics(request: Request) -> Response:
    return Response(request.app.state.measures.text(), media_type="text/plain; version=0.0.4; charset=utf-8")
