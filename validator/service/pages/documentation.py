"""The HTTP interface as a page: what each request takes and answers, with a command that sends it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse

from validator.render.html.elements import Element, code, element, folded, listed, page, table
from validator.service.http.replies import service_of

__all__ = ["router"]

router = APIRouter(include_in_schema=False)


@router.get("/docs")
def documentation(request: Request) -> Response:
    document = request.app.state.document.value
    settings = service_of(request).settings
    host = "localhost" if settings.host in ("0.0.0.0", "::") else settings.host
    base = f"http://{f'[{host}]' if ':' in host else host}:{settings.port}"
    about = (
        element("a", "The same as a document for programs", href="/openapi.json"),
        ". Errors are ",
        code("application/problem+json"),
        " (RFC 9457); a plan that is not valid is a result. ",
        element("a", "The workbench", href="/"),
        " asks the same questions.",
    )
    operations = (
        folded(
            (element("b", method.upper()), " ", code(path), f" {operation['summary']}"),
            _operation(path, operation, document["components"]["schemas"], base),
        )
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    )
    heading = element("h1", "HTTP interface")
    return HTMLResponse(page("HTTP interface", heading, element("p", about), operations, link="/style.css"))


def _operation(path: str, operation: Mapping[str, Any], schemas: Mapping[str, Any], base: str) -> Iterator[Element]:
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        name = content.get("schema", {}).get("$ref", "").rpartition("/")[2]
        if rows := list(_fields(schemas.get(name, {}))):
            yield table(("Field", "Default", "What it is"), rows, "lines")
        example = content["examples"]["example"]["value"]
        shown = example if isinstance(example, str) else json.dumps(example, indent=2, ensure_ascii=False)
        yield element("pre", f"curl {base}{path} -H 'Content-Type: {media}' --data @request", tabindex=0)
        yield folded("An example of request", element("pre", shown, tabindex=0))
    responses = operation["responses"].items()
    yield listed(element("li", f"{status}: {response['description']}") for status, response in responses)


def _fields(schema: Mapping[str, Any]) -> Iterator[Element]:
    needed = schema.get("required", ())
    for name, field in schema.get("properties", {}).items():
        default = "" if field.get("default") is None else json.dumps(field["default"])
        cells = (code(name), "needed" if name in needed else default, field.get("description", ""))
        yield element("tr", (element("td", cell) for cell in cells))
