"""The routes in the shapes of others, so that their clients work by configuration alone.

``/solve`` is that of solver.planning.domains, ``/validate`` and ``/parse`` are what the PDDL extension of VS Code sends
plans and models to, ``/package`` is planning-as-a-service.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request, Response

from validator import __version__
from validator.service.http.replies import Service, answered, job_of, no_job, response_of, service_of, shown_status
from validator.service.jobs.jobs import Job
from validator.service.jobs.worker import Answer
from validator.service.operations.operations import OPERATIONS
from validator.service.operations.requests import read_request
from validator.service.problems import Problem, ProblemError

__all__ = ["router"]

_PARTS = ("plan-happenings-effect-evaluation", "final-state-evaluation", "plan-function-evaluation")
"""What a plan may be asked for beside its validation (the header ``evaluations``)."""
_PACKAGE = "plan-validator"
_SERVICES = {"solve": "solve", "validate": "validate"}
"""service of the package -> operation"""

_EXPONENT = re.compile(r"\d{1,20}(?:\.\d{1,20})?e-?\d{1,2}")

router = APIRouter()


@router.post("/solve", summary=OPERATIONS["solve"].about)
async def solve(request: Request) -> Response:
    answer = await _compatible(request, "solve", await _body(request))
    if answer.status == 422:
        said = json.loads(answer.body)
        result = {"error": _told(said), "output": _told(said), "parseStatus": "err"}
        return _json({"status": "error", "result": result})
    return response_of(answer)


@router.post("/validate", summary=OPERATIONS["validate"].about)
async def validate(request: Request) -> Response:
    """Answer with the epsilon that the body, a header or the query has, in this order."""
    body = await _body(request)
    epsilon = request.headers.get("epsilon") or request.query_params.get("epsilon")
    answer = await _compatible(request, "validate", _with(body, "epsilon", _plain(epsilon)))
    if answer.status not in (200, 422):
        return response_of(answer)
    value = json.loads(answer.body) if answer.status == 200 else _unread(json.loads(answer.body))
    asked = request.headers.get("evaluations", "")
    more = {part: {"error": "this service answers 'validation' alone"} for part in _PARTS if part in asked}
    return _json({**value, **more})


def _unread(said: dict[str, Any]) -> dict[str, Any]:
    """Return what is answered to a model, plan or option that cannot be read."""
    place = {"line": said.get("line", 1), "character": said.get("column", 1)}
    location = {"domain": "DOMAIN", "problem": "PROBLEM"}.get(said.get("source", ""), "PLAN")
    fault = {"location": location, "message": said.get("detail", ""), "position": place, "severity": "error"}
    result = {"val_status": "err", "val_stdout": "", "error": _told(said)}
    return {"status": "error", "result": result, "validation": {"error": _told(said), "problems": [fault]}}


@router.post("/parse", summary=OPERATIONS["parse"].about)
async def parse(request: Request) -> Response:
    answer = await _compatible(request, "parse", await _body(request))
    return _json(json.loads(answer.body)["problems"]) if answer.status == 200 else response_of(answer)


# --- planning-as-a-service -----------------------------------------------------------------------


@router.get("/package", summary="The package of this service, in the shape of planning-as-a-service")
async def packages() -> dict[str, Any]:
    return {_PACKAGE: _manifest()}


@router.get("/package/{package}/{service}", summary="What a service of the package takes")
async def package(package: str, service: str) -> dict[str, Any]:
    return _manifest() if package == _PACKAGE else _refused("That package does not exist")


@router.post("/package/{package}/{service}", summary="Start a service of the package; its result is at /check")
async def run_package(request: Request, package: str, service: str) -> Response:
    if package != _PACKAGE:
        return _json(_refused(f"That package does not exist; this service has {_PACKAGE}"))
    if service not in _SERVICES:
        return _json(_refused(f"That package does not contain service {service}; it has {', '.join(_SERVICES)}"))
    found = service_of(request)
    try:
        asked = read_request(OPERATIONS[_SERVICES[service]].request, await request.body())
    except ProblemError as error:
        if error.problem.status != 422:
            raise
        return _json(_refused(str(error.problem.detail)))
    job = found.jobs.submit(_SERVICES[service], asked, request.state.client, keep=True)
    return _json({"result": f"/check/{job.id}"})


@router.get("/check/{name}", summary="The result of a service of the package, or that there is none yet")
@router.post("/check/{name}", include_in_schema=False)
async def check(request: Request, name: str) -> dict[str, Any]:
    job = job_of(service_of(request), name)
    if job.operation not in _SERVICES.values():
        raise no_job(name)
    if shown_status(job) in ("queued", "running"):
        return {"status": "PENDING"}
    done = job.answer.result() if isinstance(job, Job) else job
    value = json.loads(done.body)
    if (done.status if isinstance(done, Answer) else done.http) != 200:
        return {"status": "error", "result": _ran(job.operation, "", _told(value), {})}
    result = value["result"]
    output = {"plan": f"{result['output']}\n"} if value["status"] == "ok" and job.operation == "solve" else {}
    said = result.get("val_stdout") or result.get("output", "")
    return {"status": "ok", "result": _ran(job.operation, said, "", output)}


def _ran(service: str, said: str, error: str, output: Mapping[str, str]) -> dict[str, Any]:
    """Return what a run of a package comes to: what it would have printed, and the files it would have written."""
    shown = {"stdout": said, "stderr": error, "error": error, "call": f"{_PACKAGE} {service}"}
    return {**shown, "output": dict(output), "output_type": "generic"}


def _refused(said: str) -> dict[str, Any]:
    return {"Error": said}


def _manifest() -> dict[str, Any]:
    def service(call: str, *names: str) -> dict[str, Any]:
        files = [{"name": name, "type": "file", "description": f"{name} file"} for name in names]
        return {"args": files, "call": call, "return": {"type": "generic", "files": "plan"}}

    services = {
        "solve": service("plan-validator plan {domain} {problem}", "domain", "problem"),
        "validate": service("plan-validator check {domain} {problem} {plan}", "domain", "problem", "plan"),
    }
    return {
        "name": "plan-validator",
        "package_name": _PACKAGE,
        "description": f"Finds a cheapest plan, and says what is wrong with a plan (version {__version__}).",
        "runnable": True,
        "install-size": "0",
        "dependencies": [],
        "endpoint": {"services": services},
    }


# --- what they share -----------------------------------------------------------------------------


async def _body(request: Request) -> bytes:
    """Return the body as JSON; a form may stand for it."""
    body = await request.body()
    if request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        return json.dumps(dict(parse_qsl(body.decode("utf-8", "replace"), max_num_fields=100))).encode()
    return body


def _with(body: bytes, name: str, given: str | None) -> bytes:
    """Return a JSON body with a field that stood elsewhere; one that it has itself comes first."""
    try:
        value = None if given is None else json.loads(body)
    except (ValueError, RecursionError):
        return body  # whoever reads it says what is wrong
    return json.dumps({name: given, **value}).encode() if isinstance(value, dict) else body


def _plain(number: str | None) -> str | None:
    """Return a number as JavaScript writes it without its exponent: ``1e-7``."""
    found = None if number is None else _EXPONENT.fullmatch(number)
    return number if found is None else format(Decimal(found[0]), "f")


async def _compatible(request: Request, name: str, body: bytes) -> Answer:
    """Return an answer however long it takes, within the service's limit."""
    service: Service = service_of(request)
    job = service.jobs.submit(name, read_request(OPERATIONS[name].request, body), request.state.client)
    answer = await answered(job, request, service.jobs, 4 * service.settings.bounds.time_limit + 60)
    if answer is None:
        raise ProblemError(Problem(kind="busy", status=503, title="No answer in time", retry_after=10))
    return answer


def _json(value: Any) -> Response:
    return Response(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), media_type="application/json")


def _told(problem: dict[str, Any]) -> str:
    place = ":".join(str(problem[name]) for name in ("source", "line", "column") if name in problem)
    return f"{place}: {problem.get('detail', '')}" if place else problem.get("detail") or problem["title"]
