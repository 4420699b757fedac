"""The HTTP interface as a page: what each request takes and answers, and a form that sends one, without JavaScript."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from fastapi import APIRouter, Request, Response

from validator.service.http.api import PUBLIC
from validator.service.http.replies import answered, job_value, service_of
from validator.service.operations.operations import OPERATIONS
from validator.service.operations.requests import read_request
from validator.service.pages.page import fields, show
from validator.service.problems import Problem, ProblemError

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/docs")
def documentation(request: Request) -> Response:
    document = request.app.state.document.value
    schemas = document["components"]["schemas"]
    rows = [
        (method.upper(), path, operation, list(_taken(operation, schemas)))
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    settings = service_of(request).settings
    host = "localhost" if settings.host in ("0.0.0.0", "::") else settings.host
    base = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
    return show("docs", rows=rows, base=base, tried={f"/v1/{name}": name for name in PUBLIC})


def _taken(operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield the fields of a body: the name, whether it may be left out, what it is."""
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = schemas.get(body.get("schema", {}).get("$ref", "").rpartition("/")[2], {})
    needed = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        default = "" if field.get("default") is None else json.dumps(field["default"])
        yield name, "needed" if name in needed else default, field.get("description", "")


@router.post("/docs/try")
async def attempt(request: Request) -> Response:
    """Send a request as a program would, and show the answer beside it."""
    given = await fields(request, "operation", "body")
    name = given["operation"]
    if name not in PUBLIC:
        raise ProblemError(Problem(kind="form", status=404, title="No such request"))
    status, value = await _answer(request, name, given["body"])
    shown = json.dumps(value, indent=2, ensure_ascii=False)
    said = f"{status} {HTTPStatus(status).phrase}"
    return show("tried", name=name, about=OPERATIONS[name].about, said=said, answer=shown, body=given["body"])


async def _answer(request: Request, name: str, body: str) -> tuple[int, Any]:
    service = service_of(request)
    try:
        job = service.jobs.submit(name, read_request(OPERATIONS[name].request, body), request.state.client)
        answer = await answered(job, request, service.jobs, service.settings.wait)
        if answer is None:
            await asyncio.to_thread(service.jobs.keep, job)
            return 202, job_value(job)
    except ProblemError as error:
        return error.problem.status, error.problem.value()
    return answer.status, json.loads(answer.body)
