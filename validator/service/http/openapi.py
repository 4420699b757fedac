"""The OpenAPI document: the routes as they are, with the schemas of requests and results and examples that work."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from fastapi import FastAPI, Response
from fastapi.openapi.utils import get_openapi

from validator.render.json import SCHEMA, output_schemas
from validator.service.http.api import PUBLIC
from validator.service.http.examples import examples, over_time_example
from validator.service.operations.operations import OPERATIONS
from validator.service.operations.requests import reader
from validator.service.problems import MEDIA_TYPE

Schema: TypeAlias = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_FLAG: Schema = {"type": "boolean"}
_WHOLE: Schema = {"type": "integer"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}


def an_object(properties: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    return {"type": "object", "required": list(properties), "properties": {**properties, **(optional or {})}}


def a_list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


OUTPUTS = output_schemas()

RESULTS: Mapping[str, Schema] = {
    "validations": OUTPUTS["report"],
    "tool-calls": OUTPUTS["report"],
    "readings": OUTPUTS["reading"],
    "diffs": an_object({"plan": _TEXTS, "diff": _TEXT}),
    "plans": an_object(
        {
            **dict.fromkeys(("status", "reason"), _TEXT),
            "proven": _FLAG,
            "lower_bound": or_null({"type": "number"}),
            "plans": a_list(an_object({"cost": {"type": "number"}, "steps": _TEXTS})),
        }
    ),
    "recognitions": an_object(
        {
            "feedback": _TEXT,
            "recognition": or_null(OUTPUTS["recognition"]),
            "completion": or_null(OUTPUTS["completion"]),
        }
    ),
    "under-way": an_object(
        {
            "feedback": _TEXT,
            "report": OUTPUTS["report"],
        }
    ),
    "adherence": OUTPUTS["adherence"],
    "metrics-of-plans": OUTPUTS["comparison"],
    "redundancies": an_object({"steps": a_list(_WHOLE), "proven": _FLAG, "reason": _TEXT}),
    "model-repairs": OUTPUTS["domain_repair"],
    "why-not": an_object({"feedback": _TEXT, "answer": OUTPUTS["answer"]}),
}
"""operation -> the schema of its result, without the version that it states"""

PROBLEM = an_object(
    {"type": _TEXT, "title": _TEXT, "status": _WHOLE},
    {
        **dict.fromkeys(("detail", "source", "excerpt"), _TEXT),
        **dict.fromkeys(("line", "column"), _WHOLE),
        "errors": a_list(an_object({"pointer": _TEXT, "detail": _TEXT})),
    },
)

_PROBLEM = {"$ref": "#/components/schemas/Problem"}
_JOB: dict[str, Any] = {
    "type": "object",
    "required": ["id", "operation", "status", "created", "links"],
    "properties": {
        "id": {"type": "string"},
        "operation": {"type": "string"},
        "status": {"enum": ["queued", "running", "done", "failed", "cancelled", "interrupted"]},
        "created": {"type": "string", "format": "date-time"},
        "finished": {"type": "string", "format": "date-time"},
        "progress": {"type": "object"},
        "result": {"type": "object"},
        "problem": _PROBLEM,
        "links": {"type": "object"},
    },
}
_REFUSALS = {
    "400": "The body is not JSON",
    "401": "A token is needed",
    "403": "Sent by another site",
    "408": "The body is too slow",
    "413": "The body is too large",
    "415": "The body is of another type than application/json",
    "421": "The request names a host that is not here",
    "422": "The request is not understood",
    "429": "Too many of your requests are waiting",
    "503": "Too many requests are waiting, or a limit was met",
}


class Document:
    """The document of an application, made when it is first asked for."""

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._value: dict[str, Any] | None = None

    async def answer(self) -> Response:
        """Return the document as a response."""
        return Response(json.dumps(self.value, ensure_ascii=False), media_type="application/json")

    @property
    def value(self) -> dict[str, Any]:
        if self._value is None:
            self._value = self._made()
        return self._value

    def _made(self) -> dict[str, Any]:
        app = self._app
        value = get_openapi(
            title=app.title,
            version=app.version,
            description="Says what is wrong with a plan, and the smallest change that makes it right.",
            routes=app.routes,
        )
        schemas: dict[str, Any] = {"Problem": PROBLEM, "Job": _JOB}
        given = examples()
        for path, methods in value["paths"].items():
            name = path.rsplit("/", 1)[-1]
            for operation in methods.values():
                self._describe(path, name, operation, schemas, given)
        value["components"] = {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "where one is demanded"}},
        }
        value["security"] = [{}, {"token": []}]
        return value

    def _describe(
        self, path: str, name: str, operation: dict[str, Any], schemas: dict[str, Any], given: dict[str, Any]
    ) -> None:
        responses = operation["responses"]
        responses.pop("422", None)
        refusals = (
            dict(_REFUSALS) if "{name}" not in path else {**_REFUSALS, "404": "There is none", "409": "It is over"}
        )
        if name in RESULTS:
            schema = reader(OPERATIONS[name].request).json_schema(ref_template="#/components/schemas/{model}")
            schemas.update(schema.pop("$defs", {}))
            schemas[schema["title"]] = schema
            ref = {"$ref": f"#/components/schemas/{schema['title']}"}
            shown = {"example": {"value": given[name]}}
            if name == "validations":
                shown["over-time"] = {"value": over_time_example()}
            content = {"schema": ref, "examples": shown}
            operation["requestBody"] = {"required": True, "content": {"application/json": content}}
            title = f"{name.title().replace('-', '')}Result"  # two operations take a request of one type
            schemas[title] = _stating_its_version(RESULTS[name])
            result = {"schema": {"$ref": f"#/components/schemas/{title}"}}
            responses["200"] = {"description": OPERATIONS[name].about, "content": {"application/json": result}}
        if name in PUBLIC:
            operation["parameters"] = [_PREFER]
        if name in PUBLIC or name == "batches":
            responses["202"] = {**_json("It takes longer; the job is at Location", "Job"), "links": _LINKS}
        if name == "batches":
            line = {"schema": {"type": "string"}, "examples": {"example": {"value": given["batches"]}}}
            operation["requestBody"] = {"required": True, "content": {"application/jsonl": line}}
        if path == "/v1/jobs/{name}" and "200" in responses:
            responses["200"] = _json("The job", "Job")
        for suffix, (media, kind) in _MEDIA.items():
            if path.endswith(suffix):
                responses["200"] = {"description": "Successful Response", "content": {media: {"schema": kind}}}
        for status, about in refusals.items():
            responses[status] = {"description": about, "content": {MEDIA_TYPE: {"schema": _PROBLEM}}}
        if path == "/ready":
            responses["503"] = {"description": "The workers are starting", "content": {"application/json": {}}}


_MEDIA = {
    "/results": ("application/jsonl", _TEXT),
    "/metrics": ("text/plain", _TEXT),
}
_PREFER = {
    "name": "Prefer",
    "in": "header",
    "required": False,
    "schema": {"type": "string"},
    "description": "`wait=N`: seconds to wait before a job is made of the request (RFC 7240); `respond-async`: none",
    "examples": {"wait": {"value": "wait=10"}, "job": {"value": "respond-async"}},
}
_LINKS = {
    name: {"operationRef": f"#/paths/~1v1~1jobs~1{{name}}{path}", "parameters": {"path.name": "$response.body#/id"}}
    for name, path in (("job", "/get"), ("cancel", "/delete"))
}
"""What can be done with a job, by its id."""


def _stating_its_version(schema: Schema) -> Schema:
    return an_object(
        {"schema": {"const": SCHEMA}, **{name: schema["properties"][name] for name in schema["required"]}},
        schema["properties"],
    )


def _json(about: str, schema: str) -> dict[str, Any]:
    ref = {"$ref": f"#/components/schemas/{schema}"}
    return {"description": about, "content": {"application/json": {"schema": ref}}}
