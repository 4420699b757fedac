"""The application: the routes, what they share, and its beginning and end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.exceptions import HTTPException
from starlette.routing import Route

from validator import __version__
from validator.render.html import elements
from validator.render.html.elements import element
from validator.service.http import api, openapi
from validator.service.http.middleware import App, Gate, Receive, Scope, Send
from validator.service.http.replies import Service
from validator.service.jobs.batches import Batches
from validator.service.jobs.jobs import Jobs
from validator.service.jobs.store import Store
from validator.service.jobs.worker import answer, prepare
from validator.service.pages import page
from validator.service.problems import MEDIA_TYPE, Problem, ProblemError, problem_of
from validator.service.settings import Settings
from validator.workers.lanes import Lanes
from validator.workers.limits import memory_in_use

_ROUTERS = (api.router, page.router)
_FORGET = 3600.0
"""seconds between two looks for results that were kept for long enough"""


def build(settings: Settings) -> FastAPI:
    """Return the application; its workers start and end with its lifespan."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        lanes = Lanes(
            partial(answer, settings.bounds),
            prepare,
            quick=settings.workers,
            slow=settings.workers,
            most=settings.queue,
            eager=True,
        )
        store = Store(settings.store, settings.keep)
        jobs = Jobs(settings, lanes, store)
        batches = Batches(settings, jobs)
        app.state.service = Service(settings=settings, lanes=lanes, store=store, jobs=jobs, batches=batches)
        app.state.measures = Measures(app.state.service)
        lanes.start()
        forgetting = asyncio.create_task(_forget(store))
        try:
            yield
        finally:
            forgetting.cancel()
            await batches.stop()
            await lanes.close(settings.grace)
            await asyncio.to_thread(jobs.stop)
            store.close()

    app = FastAPI(
        title="plan-validator",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        telemetry={"auto_configure": False},
    )
    for router in _ROUTERS:
        app.include_router(router)
    document = openapi.Document(app)
    app.add_api_route("/openapi.json", document.answer, include_in_schema=False)
    app.state.document = document
    app.add_middleware(_Straight)
    app.add_middleware(Gate, settings=settings)
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _problem)
    return app


class _Straight:
    """Hands a request for an operation to its route, past the router and its layers, which cost as much again."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = api.ROUTES.get(scope["path"]) if scope["type"] == "http" and scope["method"] == "POST" else None
        if route is None:
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive, send)
        try:
            answer = await route(request)
        except ProblemError as error:
            answer = _told(request, error.problem)
        await answer(scope, receive, send)


async def _forget(store: Store) -> None:
    while True:
        await asyncio.sleep(_FORGET)
        with suppress(ProblemError):  # the disk may be full for a while; what is too old is not shown anyway
            await asyncio.to_thread(store.forget)


def _told(request: Request, problem: Problem) -> Response:
    """Return a problem, as a page where a browser asks for one."""
    headers = {} if problem.retry_after is None else {"Retry-After": str(problem.retry_after)}
    if "text/html" in request.headers.get("accept", ""):
        told = element("h1", problem.title), element("p", problem.detail), element("a", "The workbench", href="/")
        text = elements.page(problem.title, told, link="/style.css")
        return HTMLResponse(text, status_code=problem.status, headers=headers)
    body = json.dumps(problem.value(), ensure_ascii=False).encode("utf-8", "replace")
    return Response(body, status_code=problem.status, media_type=MEDIA_TYPE, headers=headers)


async def _problem(request: Request, error: Exception) -> Response:
    return _told(request, problem_of(error))


async def _refused(request: Request, error: Any) -> Response:
    """Answer for what no route takes."""
    path = request.url.path
    allowed = ", ".join(sorted(_methods(path)))  # the router tells of the first route of the path only
    details = {
        404: "/ is the workbench, /openapi.json lists what programs can ask for, results of jobs are at /v1/jobs/ID",
        405: f"{path} takes {allowed}, not {request.method}",
    }
    detail = details.get(error.status_code, "")
    problem = Problem(
        kind="http", status=error.status_code, title=str(error.detail), detail=detail, more={"path": path}
    )
    answer = _told(request, problem)
    answer.headers.update(error.headers or {})
    if error.status_code == 405:
        answer.headers["Allow"] = allowed
    return answer


def _methods(path: str) -> set[str]:
    """Return the methods that the routes of a path take."""
    found: set[str] = set()
    for route in (route for router in _ROUTERS for route in router.routes):
        if isinstance(route, Route) and route.path_regex.match(path):
            found |= route.methods or set()
    return found | {"HEAD"} if "GET" in found else found


# --- figures for Prometheus -------------------------------------------------------------------------


class Measures(Collector):
    """What is read off the service when it is asked for."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def text(self) -> bytes:
        """Return the figures in Prometheus' text format."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        service = self._service
        yield GaugeMetricFamily("plan_validator_info", f"version {__version__}", value=1)
        jobs = CounterMetricFamily("plan_validator_jobs", "finished jobs", labels=("operation", "status"))
        for (operation, status), number in sorted(service.jobs.counts.items()):
            jobs.add_metric((operation, status), number)
        yield jobs
        seconds = CounterMetricFamily("plan_validator_job_seconds", "seconds of finished jobs", labels=("operation",))
        for operation, total in sorted(service.jobs.seconds.items()):
            seconds.add_metric((operation,), total)
        yield seconds
        waiting = GaugeMetricFamily("plan_validator_waiting", "requests that wait", labels=("for",))
        for is_quick, queue in service.lanes.queues.items():
            waiting.add_metric(("check" if is_quick else "planner",), len(queue))
        yield waiting
        yield GaugeMetricFamily("plan_validator_running", "requests at a worker", value=service.lanes.running)
        yield CounterMetricFamily("plan_validator_workers_replaced", "replaced workers", value=service.lanes.replaced)
        yield GaugeMetricFamily("plan_validator_resident_bytes", "of the serving process", value=memory_in_use())
