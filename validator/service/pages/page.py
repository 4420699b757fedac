"""The page for people: one workbench of static files, whose forms are data, and what answers its questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response

from validator.model.bundled import Bundle, bundles
from validator.render.html.elements import style
from validator.service.http.api import respond
from validator.service.http.examples import examples, over_time_example
from validator.service.operations.requests import not_understood
from validator.service.pages.answers import PAGES, Page
from validator.service.pages.forms import controls, read_form
from validator.service.problems import Problem, ProblemError

router = APIRouter(include_in_schema=False)
STATIC = Path(__file__).parent / "static"
_MODEL = ("domain", "problem", "animation", "flow")
_MEDIA = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".json": "application/json"}


def _route(name: str) -> None:
    made: dict[str, Callable[[], str]] = {"style.css": style, "workbench.json": lambda: json.dumps(workbench())}
    read = made.get(name, lambda: _read(STATIC / name))

    def static() -> Response:
        return Response(read(), media_type=_MEDIA[Path(name).suffix], headers={"Cache-Control": "max-age=3600"})

    router.add_api_route("/" if name == "index.html" else f"/{name}", static, methods=["GET"])


for _name in (*sorted(path.name for path in STATIC.iterdir()), "style.css", "workbench.json"):
    _route(_name)


@router.post("/ask/{name}")
async def ask(name: str, request: Request) -> Response:
    """Answer a question, whose fields come as the texts that stand in the form."""
    if name not in PAGES:
        raise ProblemError(Problem(kind="http", status=404, title="Not Found"))
    given = read_texts(await request.body())
    try:
        body = read_form(PAGES[name].question, given)
    except ValueError as error:
        raise not_understood([{"pointer": "", "detail": str(error)}]) from None
    return await respond(request, f"{name}-page", json.dumps(body))


def read_texts(body: bytes) -> dict[str, str]:
    """Return an object of texts. Raises ProblemError."""
    try:
        given = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProblemError(Problem(kind="json", status=400, title="The body is not JSON", detail=str(error))) from None
    if not isinstance(given, dict) or not all(isinstance(text, str) for text in given.values()):
        raise not_understood([{"pointer": "", "detail": "an object of texts was expected"}])
    return given


# --- what the workbench shows --------------------------------------------------------------------


@cache
def workbench() -> dict[str, Any]:
    """Return the questions with their fields and examples, and the models of these, as the workbench reads them."""
    found = _examples()
    return {
        "models": {one.name: _model(one) for one in bundles()},
        "pages": [_page(name, page, found[name]) for name, page in PAGES.items()],
    }


def _model(one: Bundle) -> dict[str, str]:
    profile = one.domain.parent / "animation.ap"
    pictures = {"animation": _read(profile)} if profile.is_file() else {}
    return {"domain": _read(one.domain), "problem": _read(one.problem), **pictures}


def _page(name: str, page: Page, shown: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    kind: Any = page.question
    fields: list[dict[str, Any]] = [
        {
            "name": one.name,
            "label": one.label,
            "words": one.words,
            "kind": one.kind.value,
            "choices": one.choices,
            "value": _text(one.default),
            "part": "model" if one.name in _MODEL else "main" if one.name in page.fields else "option",
        }
        for one in controls(kind).values()
    ]
    order = {field: place for place, field in enumerate((*_MODEL, *page.fields))}
    fields.sort(key=lambda field: order.get(field["name"], len(order)))
    texts = [
        {"name": title, "fields": {key: _text(value) for key, value in one.items()}} for title, one in shown.items()
    ]
    about = {"name": name, "title": page.title, "about": page.about, "action": page.action, "live": page.is_live}
    return {**about, "fields": fields, "examples": texts}


def _text(value: Any) -> str:
    """Return a value as it stands in a form."""
    if value is None or value == ():
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "---\n".join(value) if any("\n" in one for one in value) else "".join(f"{one}\n" for one in value)
    if isinstance(value, list):
        return "[\n" + ",\n".join(f" {json.dumps(one)}" for one in value) + "\n]\n"
    return json.dumps(value) if isinstance(value, dict) else str(value)


def _examples() -> dict[str, dict[str, Mapping[str, Any]]]:
    known = examples()
    return {
        "check": {**dict(_bundled()), "oven: a plan over time": {**over_time_example(), "repair": True}},
        "read": {"a plan in a text": known["readings"]},
        "why-not": {"blocks: must not (lower b)": {**known["why-not"], "time_limit": ""}},
        "follow": {"a step that was skipped": known["adherence"]},
        "recognize": {"goals of a PDDL model": known["recognitions"]},
        "repair-model": {"blocks: an effect is missing": known["model-repairs"]},
    }


def _bundled() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the plans of the bundled models; blocks, with a broken one, come first."""
    for found in sorted(bundles(), key=lambda each: each.name != "blocks"):
        for plan in sorted(found.plans, key=lambda path: (path.stem != "broken-order", path.stem)):
            yield f"{found.name}: {plan.stem.replace('-', ' ')}", {"model": found.name, "plan": _read(plan)}


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")
