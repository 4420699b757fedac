"""The pages for people: forms that work without JavaScript, results with a link of their own, downloads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from validator import __version__
from validator.bundled import bundle, bundles, first_comment
from validator.errors import ValidatorError
from validator.render.report_html import report_body, report_page
from validator.render.report_style import REPORT_STYLE
from validator.service import requests
from validator.service.jobs import BATCHES, Job
from validator.service.operations import OPERATIONS
from validator.service.problems import Problem, ProblemError
from validator.service.replies import answered, job_of, no_job, service_of, shown_status
from validator.service.store import Kept

__all__ = ["problem_page", "router"]

router = APIRouter(include_in_schema=False)
_ALONE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
"""The policy of pages that carry their style with them."""


@cache
def _templates() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _page(template: str, code: int = 200, headers: Mapping[str, str] | None = None, /, **values: Any) -> Response:
    text = _templates().get_template(f"{template}.html").render(version=__version__, **values)
    return HTMLResponse(text, status_code=code, headers=dict(headers or {}))


def problem_page(request: Request, problem: Problem, headers: Mapping[str, str]) -> Response:
    """Return a problem as a page."""
    return _page("problem", problem.status, headers, problem=problem)


@router.get("/style.css")
async def style() -> Response:
    return Response(REPORT_STYLE, media_type="text/css", headers={"Cache-Control": "max-age=3600"})


# --- forms ---------------------------------------------------------------------------------------


@router.get("/")
def form(request: Request, model: str = "", plan: str = "good") -> Response:
    """Show the form, filled with a bundled model where one is picked."""
    values = {"domain": "", "problem": "", "plan": "", "quality": "valid"}
    known = bundles()
    plans: list[tuple[str, str]] = []
    if model:
        try:
            found = bundle(model)
        except ValidatorError as error:
            raise ProblemError(Problem(kind="domain", status=404, title="No such model", detail=str(error))) from None
        plans = [(path.stem, first_comment(path)) for path in found.plans]
        chosen = next((path for path in found.plans if path.stem == plan), found.plans[0])
        texts = (path.read_text(encoding="utf-8") for path in (found.domain, found.problem, chosen))
        values |= dict(zip(("domain", "problem", "plan"), texts, strict=True))
    return _page("check", models=known, model=model, plans=plans, chosen=plan, values=values)


@router.get("/recognition")
def recognition_form() -> Response:
    from validator.service.examples import examples

    return _page("recognition", values=examples()["recognitions"])


@router.get("/adherence")
def adherence_form() -> Response:
    return _page("adherence")


@router.get("/batch")
def batch_form() -> Response:
    return _page("batch")


@router.get("/docs")
def documentation(request: Request) -> Response:
    document = request.app.state.document.value
    rows = [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    return _page("docs", rows=rows, base=str(request.base_url).rstrip("/"))


async def _fields(request: Request, *known: str) -> dict[str, str]:
    """Return the fields of a form. Raises ProblemError for a body that is none."""
    try:
        pairs = parse_qsl((await request.body()).decode("utf-8"), True, max_num_fields=50, errors="strict")
    except ValueError as error:
        raise ProblemError(
            Problem(kind="form", status=400, title="The form cannot be read", detail=str(error))
        ) from None
    given = {name: value.replace("\r\n", "\n") for name, value in pairs}
    return {name: given.get(name, "") for name in known}


@router.post("/check")
async def check(request: Request) -> Response:
    given = await _fields(request, "domain", "problem", "plan", "quality", "repair")
    body = {
        **{name: given[name] for name in ("domain", "problem", "plan")},
        "quality": given["quality"] or "valid",
        "repair": given["repair"] != "no",
    }
    return await _validation(request, body)


async def _validation(request: Request, body: Mapping[str, Any]) -> Response:
    return await _start(request, "validations", {**body, "explain": True, "states": True})


@router.post("/recognition")
async def recognition(request: Request) -> Response:
    given = await _fields(request, "domain", "problem", "observations", "goals")
    body = {name: text for name, text in given.items() if text or name != "goals"}
    return await _start(request, "recognition-page", body)


@router.post("/adherence")
async def adherence(request: Request) -> Response:
    given = await _fields(request, "plan", "trace", "domain", "problem", "flow")
    optional = ("plan", "domain", "problem", "flow")
    body = {"trace": given["trace"], **{name: given[name] for name in optional if given[name].strip()}}
    return await _start(request, "adherence-page", body)


@router.post("/batch")
async def batch(request: Request) -> Response:
    given = await _fields(request, "records")
    job = service_of(request).batches.start(given["records"].encode(), request.state.client)
    return _see(job.id)


async def _start(request: Request, name: str, body: Mapping[str, Any]) -> Response:
    """Start a job that is kept, wait a little for it, and show its page."""
    service = service_of(request)
    asked = requests.read_request(OPERATIONS[name].request, json.dumps(body))
    job = await asyncio.to_thread(service.jobs.submit, name, asked, request.state.client, keep=True)
    await answered(job, request, service.jobs, service.settings.wait)
    return _see(job.id)


def _see(name: str) -> Response:
    return RedirectResponse(f"/results/{quote(name)}", status_code=303)


# --- results -------------------------------------------------------------------------------------


def _done(request: Request, name: str) -> Kept:
    found = job_of(service_of(request), name)
    if not isinstance(found, Kept) or found.http != 200:
        raise no_job(name)
    return found


@router.get("/results/{name}")
def result(request: Request, name: str) -> Response:
    found = job_of(service_of(request), name)
    status = shown_status(found)
    if isinstance(found, Job):
        if status == "failed":
            return _page("failed", status=status, problem=json.loads(found.answer.result().body))
        return _page("waiting", job=found, status=status, progress=dict(found.progress))
    if found.http != 200:
        return _page("failed", status=status, problem=json.loads(found.body) if found.body else {})
    value = json.loads(found.body)
    if "html" in value:
        return HTMLResponse(value["html"], headers={"Content-Security-Policy": _ALONE})
    if found.operation == BATCHES:
        return _summary(request, name)
    if found.operation != "validations":
        return Response(found.body, media_type="application/json")
    asked = json.loads(found.request)
    link = str(request.url_for("result", name=name))
    values = {"value": value, "asked": asked, "name": name, "link": link, "body": report_body(value)}
    return _page("result", **values)


def _summary(request: Request, name: str) -> Response:
    from tempfile import TemporaryDirectory

    from validator.summary import read_rows, summarize
    from validator.summary.html import page

    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"
        path.write_text("".join(f"{line}\n" for line in service_of(request).store.lines(name)), encoding="utf-8")
        text = page(summarize(read_rows([path]), ["model"]), None, "Batch")
    return HTMLResponse(text, headers={"Content-Security-Policy": _ALONE})


@router.post("/results/{name}/repair")
async def repair(request: Request, name: str) -> Response:
    """Check the repaired plan of a result, as if it had been written into the form."""
    found = _done(request, name)
    value, asked = json.loads(found.body), json.loads(found.request)
    if not value.get("repaired_plan"):
        raise ProblemError(Problem(kind="result", status=409, title="This result has no repaired plan"))
    body = {key: asked[key] for key in ("domain", "problem", "quality", "repair")}
    return await _validation(request, {**body, "plan": "".join(f"{step}\n" for step in value["repaired_plan"])})


@router.post("/results/{name}/cancel")
async def cancel(request: Request, name: str) -> Response:
    service = service_of(request)
    live = service.jobs.live(name)
    if live is not None and live.is_kept:
        await asyncio.to_thread(service.jobs.cancel, live)
    return _see(name)


@router.post("/results/{name}/edit")
async def edit(request: Request, name: str) -> Response:
    """Show the form again, filled with what was asked."""
    asked = json.loads(_done(request, name).request)
    values = {key: asked[key] or "" for key in ("domain", "problem", "plan", "quality")}
    return _page("check", models=bundles(), model="", plans=[], chosen="", values=values)


DOWNLOADS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "report.json": ("application/json", lambda value: json.dumps(value, indent=2, ensure_ascii=False)),
    "report.html": ("text/html", report_page),
    "repaired.plan": (
        "text/plain",
        lambda value: "".join(f"{step}\n" for step in value["repaired_plan"] or value["reference"]),
    ),
    "plan.diff": ("text/x-diff", lambda value: value["plan_diff_str"]),
}
"""What can be taken home of a report: its file's name, the media type, and what writes it."""


@router.get("/results/{name}/{file}")
def download(request: Request, name: str, file: str) -> Response:
    found = _done(request, name)
    if file not in DOWNLOADS or found.operation != "validations":
        raise no_job(name)
    media, write = DOWNLOADS[file]
    headers = {"Content-Disposition": f'attachment; filename="{file}"', "Content-Security-Policy": _ALONE}
    return Response(write(json.loads(found.body)), media_type=media, headers=headers)
