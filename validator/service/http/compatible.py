"""The routes in the shapes of others, so that their clients work by configuration alone.

``/solve`` is that of solver.planning.domains, ``/validate`` and ``/parse`` are what the PDDL extension of VS Code sends
plans and models to.
"""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request, Response

from validator.service.http.replies import Service, answered, response_of, service_of
from validator.service.jobs.worker import Answer
from validator.service.operations.operations import OPERATIONS
from validator.service.operations.requests import read_request
from validator.service.problems import Problem, ProblemError

__all__ = ["router"]

_PARTS = ("plan-happenings-effect-evaluation", "final-state-evaluation", "plan-function-evaluation")
"""What a plan may be asked for beside its validation (the header ``evaluations``)."""

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
