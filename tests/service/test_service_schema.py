"""The service against its own OpenAPI document: what it allows is answered as it says, the rest is refused."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")
pytest.importorskip("schemathesis")

import jsonschema_rs
import schemathesis
from starlette.testclient import TestClient

from tests.support.processes import wait_for
from validator.questions.job import Bounds
from validator.service import application
from validator.service.http.api import PUBLIC
from validator.service.settings import Settings

PATHS = tuple(f"/v1/{name}" for name in PUBLIC)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    bounds = Bounds(time_limit=2.0, memory_limit=2**30)
    app = application(Settings(workers=1, bounds=bounds, grace=0.5))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as found:
        wait_for(lambda: found.get("/ready").status_code == 200)
        yield found


@pytest.fixture(scope="module")
def operations(client: TestClient) -> Any:
    return schemathesis.openapi.from_dict(client.app.state.document.value)  # type: ignore[attr-defined]


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("mode", ["POSITIVE", "NEGATIVE"])
def test_answers_are_as_the_document_says(client: TestClient, operations: Any, path: str, mode: str) -> None:
    document = client.app.state.document.value  # type: ignore[attr-defined]
    cases = operations[path]["POST"].as_strategy(generation_mode=schemathesis.GenerationMode[mode])

    @cache
    def described(status: int) -> tuple[str, Any]:
        ((media, answer),) = document["paths"][path]["post"]["responses"][str(status)]["content"].items()
        return media, jsonschema_rs.validator_for({**answer["schema"], "components": document["components"]})

    @settings(max_examples=3, phases=[Phase.generate], suppress_health_check=list(HealthCheck), deadline=None)
    @given(data=st.data())
    def asked(data: st.DataObject) -> None:
        case = data.draw(cases)
        sent = case.as_transport_kwargs(base_url="http://localhost")
        body = sent.get("json") if "json" in sent else sent.get("data")
        given_as = (
            {"json": body} if "json" in sent else {"content": body, "headers": {"Content-Type": "application/json"}}
        )
        answer = client.post(path, **given_as)
        assert str(answer.status_code) in document["paths"][path]["post"]["responses"], answer.text
        assert mode == "POSITIVE" or answer.status_code in (400, 422)
        media, schema = described(answer.status_code)
        assert answer.headers["content-type"].startswith(media)
        schema.validate(answer.json())

    asked()
