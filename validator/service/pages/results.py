"""The results for people: each with a link of its own, downloads, and what can be done next."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from validator.questions.check import Check
from validator.render.html.listing import listing
from validator.render.html.page import parts
from validator.render.html.report import report_body, report_page
from validator.service.http.replies import job_of, no_job, service_of, shown_status
from validator.service.jobs.jobs import BATCHES, Job
from validator.service.jobs.store import Kept
from validator.service.pages.forms import controls
from validator.service.pages.page import FORMS, filled, see, show, start_check
from validator.service.problems import Problem, ProblemError

__all__ = ["router"]

router = APIRouter(include_in_schema=False)
_CHECKS = ("validations", "check-page")
"""The operations whose results are shown as a report."""
_ALONE = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'"
"""The policy of pages that carry their style with them."""
_WITH_STYLE = (
    "default-src 'none'; style-src 'self' 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


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
            problem = json.loads(found.answer.result().body)
            return show("failed", status=status, problem=problem, again="", listing="")
        return show("waiting", job=found, status=status, progress=dict(found.progress))
    if found.http != 200:
        again = name if found.operation in FORMS else ""
        problem = json.loads(found.body) if found.body else {}
        marked = _listing(problem, json.loads(found.request))
        return show("failed", status=status, problem=problem, again=again, listing=marked)
    value = json.loads(found.body)
    if found.operation == BATCHES:
        return _shown(request, name, _summary(request, name), has_lines=True)
    if "html" in value:
        return _shown(request, name, value["html"], is_form=True)
    if found.operation not in _CHECKS:
        return Response(found.body, media_type="application/json")
    asked = json.loads(found.request)
    values = {"value": value, "asked": asked, "name": name, "link": _link(request, name), "body": report_body(value)}
    return show("result", **values)


def _listing(problem: Mapping[str, Any], asked: Mapping[str, Any]) -> str:
    """Return the text in which an error is, with its line marked; empty where no line is to blame."""
    text = asked.get(problem.get("source", ""))
    line = problem.get("line")
    return listing(text, line, problem.get("column")) if isinstance(text, str) and line else ""


def _link(request: Request, name: str) -> str:
    """Return the path of a result; by what name the service was reached, only its reader knows for certain."""
    return str(request.url_for("result", name=name).path)


def _shown(
    request: Request,
    name: str,
    document: str,
    *,
    has_lines: bool = False,
    is_form: bool = False,
    template: str = "document",
) -> Response:
    """Return a document that stands alone among the service's pages."""
    title, own_style, body = parts(document)
    link = _link(request, name)
    values = {"title": title, "own_style": own_style, "body": body, "name": name, "link": link}
    offered = {"has_lines": has_lines, "is_form": is_form}
    return show(template, 200, {"Content-Security-Policy": _WITH_STYLE}, **values, **offered)


def _summary(request: Request, name: str) -> str:
    from tempfile import TemporaryDirectory

    from validator.grading.summary.rows import read_rows
    from validator.grading.summary.tables import summarize, table_page

    with TemporaryDirectory() as folder:
        path = Path(folder) / "results.jsonl"
        path.write_text("".join(f"{line}\n" for line in service_of(request).store.lines(name)), encoding="utf-8")
        return table_page(summarize(read_rows([path]), ["model"]), "Batch")


@router.post("/results/{name}/repair")
async def repair(request: Request, name: str) -> Response:
    """Check the repaired plan of a result, as if it had been written into the form."""
    found = _done(request, name)
    value, asked = json.loads(found.body), json.loads(found.request)
    if not value.get("repaired_plan"):
        raise ProblemError(Problem(kind="result", status=409, title="This result has no repaired plan"))
    kept = (name for name in controls(Check) if name not in ("plan", "dialect", "strict"))
    body = {name: asked[name] for name in kept if asked[name] is not None}
    return await start_check(request, {**body, "plan": "".join(f"{step}\n" for step in value["repaired_plan"])})


@router.post("/results/{name}/cancel")
async def cancel(request: Request, name: str) -> Response:
    service = service_of(request)
    live = service.jobs.live(name)
    if live is not None and live.is_kept:
        await asyncio.to_thread(service.jobs.cancel, live)
    return see(name)


@router.post("/results/{name}/edit")
async def edit(request: Request, name: str) -> Response:
    """Show the form again, filled with what was asked."""
    found = job_of(service_of(request), name)
    if found.operation not in FORMS:
        raise no_job(name)
    asked = json.loads(found.request)
    if isinstance(found, Kept) and found.operation in _CHECKS and found.http == 200 and not asked.get("templates"):
        asked["templates"] = json.loads(found.body).get("words")  # for what was not understood, to be completed
    return filled(found.operation, asked)


DOWNLOADS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], str]]] = {
    "report.json": (
        "application/json",
        lambda value: json.dumps({key: value[key] for key in value if key != "sarif"}, indent=2, ensure_ascii=False),
    ),
    "report.html": ("text/html", report_page),
    "repaired.plan": (
        "text/plain",
        lambda value: "".join(f"{step}\n" for step in value["repaired_plan"] or value["reference"]),
    ),
    "plan.diff": ("text/x-diff", lambda value: value["plan_diff_str"]),
    "report.sarif": ("application/sarif+json", lambda value: value["sarif"]),
}
"""What can be taken home of a report: its file's name, the media type, and what writes it."""


@router.get("/results/{name}/{file}")
def download(request: Request, name: str, file: str) -> Response:
    found = _done(request, name)
    value = json.loads(found.body)
    if file == "page.html" and (found.operation == BATCHES or "html" in value):
        text = _summary(request, name) if found.operation == BATCHES else value["html"]
        return HTMLResponse(text, headers={**_attached(file), "Content-Security-Policy": _ALONE})
    if file not in DOWNLOADS or found.operation not in _CHECKS or (file == "report.sarif" and "sarif" not in value):
        raise no_job(name)
    media, write = DOWNLOADS[file]
    return Response(write(value), media_type=media, headers={**_attached(file), "Content-Security-Policy": _ALONE})


def _attached(file: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{file}"'}
