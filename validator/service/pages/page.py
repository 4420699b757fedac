"""The pages for people: the forms, which work without JavaScript, and what all pages are made with."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from validator import __version__
from validator.errors import ValidatorError
from validator.model.bundled import bundle, bundles, first_comment
from validator.questions.check import Check
from validator.questions.reading import Reading
from validator.questions.recognition import Recognition
from validator.render.html.style import REPORT_STYLE
from validator.service.http.replies import answered, service_of
from validator.service.operations.operations import OPERATIONS
from validator.service.operations.requests import read_request
from validator.service.pages.forms import Control, controls, read_form
from validator.service.problems import Problem, ProblemError
from validator.texts import decimal

__all__ = ["FORMS", "MODEL", "fields", "filled", "router", "see", "show", "start_check"]

router = APIRouter(include_in_schema=False)
MODEL = ("domain", "problem", "flow")
"""The fields of a model: PDDL or a flow."""
_CHECK = tuple(controls(Check))
_RECOGNITION = tuple(controls(Recognition))
_READING = tuple(controls(Reading))
_ABOVE = frozenset((*MODEL, "plan", "quality", "repair", "text", "observations", "goals"))
"""fields that stand in a form itself, and not among its options"""
_WITH_OPTIONS = frozenset(("check", "recognition", "reading"))
_ADHERENCE = ("plan", "trace", "domain", "problem")
_MODEL_REPAIR = ("domain", "problem", "plans", "must_fail", "protect")
_WHY_NOT = ("domain", "problem", "plan", "foil", "questions")
FORMS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "validations": ("check", _CHECK),
    "check-page": ("check", _CHECK),
    "recognition-page": ("recognition", _RECOGNITION),
    "reading-page": ("reading", _READING),
    "adherence-page": ("adherence", _ADHERENCE),
    "model-repair-page": ("model-repair", _MODEL_REPAIR),
    "why-not-page": ("why-not", _WHY_NOT),
}
"""The form by the operation that it starts: its template, and its fields, named as those of the request."""
_RULE = re.compile(r"^---+[ \t]*$", re.MULTILINE)
"""what stands between two plans of a field"""


@cache
def _templates() -> Environment:
    found = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["written"] = lambda value: json.dumps(value, indent=2, ensure_ascii=False)
    return found


def show(template: str, code: int = 200, headers: Mapping[str, str] | None = None, /, **values: Any) -> Response:
    """Return a page made of a template."""
    text = _templates().get_template(f"{template}.html").render(version=__version__, **values)
    return HTMLResponse(text, status_code=code, headers=dict(headers or {}))


@router.get("/style.css")
async def style() -> Response:
    return Response(REPORT_STYLE, media_type="text/css", headers={"Cache-Control": "max-age=3600"})


@router.get("/edit.js")
def edit_script() -> Response:
    text = (Path(__file__).parent / "edit.js").read_text(encoding="utf-8")
    return Response(text, media_type="text/javascript", headers={"Cache-Control": "max-age=3600"})


# --- forms ---------------------------------------------------------------------------------------


@router.get("/")
def form(request: Request, model: str = "", plan: str = "good") -> Response:
    """Show the form, filled with a bundled model where one is picked."""
    values = _empty(Check)
    known = bundles()
    plans: list[tuple[str, str]] = []
    if model:
        try:
            found = bundle(model)
        except ValidatorError as error:
            raise ProblemError(Problem(kind="domain", status=404, title="No such model", detail=str(error))) from None
        plans = [(path.stem, first_comment(path)) for path in found.plans]
        chosen = next((path for path in found.plans if path.stem == plan), found.plans[0])
        read = (path.read_text(encoding="utf-8") for path in (found.domain, found.problem, chosen))
        values |= dict(zip(("domain", "problem", "plan"), read, strict=True))
    more = {"models": known, "model": model, "plans": plans, "chosen": plan}
    return show("check", values=values, **_options(Check, values), **more)


def _empty(kind: Any) -> dict[str, Any]:
    """Return what stands in a form that nobody has filled in."""
    return {name: one.default if one.kind in ("flag", "choice") else "" for name, one in controls(kind).items()}


def _options(kind: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that stand among the options of a form, and whether one of them is another than by default."""
    options = [one for name, one in controls(kind).items() if name not in _ABOVE]
    return {"options": options, "changed": any(_is_changed(one, values[one.name]) for one in options)}


def _is_changed(one: Control, value: Any) -> bool:
    default = one.default
    known = decimal(Fraction(str(default))) if isinstance(default, float) else default
    return value not in (None, "", default) and str(value) != str(known)


@router.get("/recognition")
def recognition_form(example: str = "model") -> Response:
    from validator.service.http.examples import examples, flow_example

    values = _empty(Recognition) | (flow_example() if example == "flow" else examples()["recognitions"])
    return show("recognition", values=values, **_options(Recognition, values))


@router.get("/reading")
def reading_form(example: str = "") -> Response:
    from validator.service.http.examples import examples

    values = _empty(Reading) | (examples()["readings"] if example else {})
    return show("reading", values=values, **_options(Reading, values))


@router.get("/adherence")
def adherence_form() -> Response:
    return show("adherence", values=dict.fromkeys(_ADHERENCE, ""))


@router.get("/model-repair")
def model_repair_form(example: str = "") -> Response:
    from validator.service.http.examples import examples

    values = dict.fromkeys(_MODEL_REPAIR, "")
    if example:
        shown = examples()["model-repairs"]
        values |= {"domain": shown["domain"], "problem": shown["problem"], "plans": shown["plans"][0]}
    return show("model-repair", values=values)


@router.get("/why-not")
def why_not_form(example: str = "") -> Response:
    from validator.service.http.examples import examples

    values = dict.fromkeys(_WHY_NOT, "")
    if example:
        shown = examples()["why-not"]
        values |= {**{name: shown[name] for name in ("domain", "problem", "plan")}, "questions": shown["questions"][0]}
    return show("why-not", values=values)


@router.get("/batch")
def batch_form() -> Response:
    return show("batch")


# --- forms as they were ----------------------------------------------------------------------------


def filled(operation: str, asked: Mapping[str, Any]) -> Response:
    """Return the form of an operation, filled with what was asked."""
    template, names = FORMS[operation]
    values = {name: _written(name, asked.get(name)) for name in names}
    options = _options(OPERATIONS[operation].request, values) if template in _WITH_OPTIONS else {}
    more = {"models": bundles(), "model": "", "plans": [], "chosen": ""} if template == "check" else {}
    return show(template, values=values, **options, **more)


def _written(name: str, value: Any) -> Any:
    """Return what was asked as it stands in a form: programs may have sent lists, objects and numbers."""
    if isinstance(value, bool):
        return value
    if isinstance(value, float):
        return decimal(Fraction(str(value)))
    if name in ("plans", "must_fail"):
        return "---\n".join(f"{one.strip()}\n" for one in map(_lines, value or ()))
    if name == "protect":
        return " ".join(value or ())
    return _lines(value)


def _lines(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "".join(f"{one}\n" for one in value)
    return json.dumps(value, indent=2, ensure_ascii=False) if isinstance(value, dict | list) else value or ""


async def fields(request: Request, *known: str) -> dict[str, str]:
    """Return the fields of a form. Raises ProblemError for a body that is none."""
    try:
        pairs = parse_qsl((await request.body()).decode("utf-8"), True, max_num_fields=50, errors="strict")
    except ValueError as error:
        raise _unreadable(error) from None
    given = {name: value.replace("\r\n", "\n") for name, value in pairs}
    return {name: given.get(name, "") for name in known}


def _some(given: Mapping[str, str], *names: str) -> dict[str, str]:
    """Return the fields that are filled in."""
    return {name: given[name] for name in names if given[name].strip()}


@router.post("/check")
async def check(request: Request) -> Response:
    return await start_check(request, await _read(request, Check))


async def _read(request: Request, kind: Any) -> dict[str, Any]:
    """Return what a form asks. Raises ProblemError for one that cannot be read."""
    given = await fields(request, *controls(kind))
    try:
        return read_form(kind, given)
    except ValueError as error:
        raise _unreadable(error) from None


async def start_check(request: Request, body: Mapping[str, Any]) -> Response:
    """Start a check as the form asks for one, and show its page."""
    more = {} if "flow" in body else {"explain": True, "states": True}
    return await _start(request, "check-page", {**body, **more})


@router.post("/recognition")
async def recognition(request: Request) -> Response:
    return await _start(request, "recognition-page", await _read(request, Recognition))


@router.post("/reading")
async def reading(request: Request) -> Response:
    return await _start(request, "reading-page", await _read(request, Reading))


@router.post("/adherence")
async def adherence(request: Request) -> Response:
    given = await fields(request, *_ADHERENCE)
    return await _start(
        request, "adherence-page", {"trace": given["trace"], **_some(given, "plan", "domain", "problem")}
    )


@router.post("/model-repair")
async def model_repair(request: Request) -> Response:
    given = await fields(request, *_MODEL_REPAIR)
    plans = {name: [part for part in _RULE.split(given[name]) if part.strip()] for name in ("plans", "must_fail")}
    body = {**plans, "domain": given["domain"], "problem": given["problem"], "protect": given["protect"].split()}
    return await _start(request, "model-repair-page", body)


@router.post("/why-not")
async def why_not(request: Request) -> Response:
    given = await fields(request, *_WHY_NOT)
    body: dict[str, Any] = _some(given, "domain", "problem", "plan", "foil")
    body["questions"] = [line.strip() for line in given["questions"].splitlines() if line.strip()]
    return await _start(request, "why-not-page", body)


def _unreadable(error: ValueError) -> ProblemError:
    return ProblemError(Problem(kind="form", status=400, title="The form cannot be read", detail=str(error)))


@router.post("/batch")
async def batch(request: Request) -> Response:
    given = await fields(request, "records")
    job = service_of(request).batches.start(given["records"].encode(), request.state.client)
    return see(job.id)


async def _start(request: Request, name: str, body: Mapping[str, Any]) -> Response:
    """Start a job that is kept, wait a little for it, and show its page."""
    service = service_of(request)
    asked = read_request(OPERATIONS[name].request, json.dumps(body))
    job = await asyncio.to_thread(service.jobs.submit, name, asked, request.state.client, keep=True)
    await answered(job, request, service.jobs, service.settings.wait)
    return see(job.id)


def see(name: str) -> Response:
    """Send a browser to the page of a result."""
    return RedirectResponse(f"/results/{quote(name)}", status_code=303)
