"""Hostile input: each request gets an answer in bounded time, and the next one is served."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from tests.support.processes import PATIENCE, wait_for, working_in
from validator.questions.job import Bounds
from validator.service import application
from validator.service.http.api import PUBLIC
from validator.service.operations.operations import OPERATIONS, operate
from validator.service.pages.answers import PAGES
from validator.service.pages.forms import controls
from validator.service.problems import problem_of
from validator.service.settings import Settings

LIMIT = 2.0
DOMAIN = "(define (domain d) (:predicates (p) (q ?a ?b)) (:action a :parameters ({}) :precondition {} :effect (p)))"
PROBLEM = "(define (problem x) (:domain d) (:objects {}) (:init) (:goal (p)))"
MANY = " ".join(f"o{number}" for number in range(300))
PLAIN = {"domain": DOMAIN.format("", "()"), "problem": PROBLEM.format("o"), "plan": "(a)"}


@contextmanager
def serving(time_limit: float) -> Iterator[TestClient]:
    bounds = Bounds(time_limit=time_limit, memory_limit=512 * 2**20)
    settings = Settings(workers=1, bounds=bounds, max_body=2**21, body_time=1.0, grace=0.5, wait=max(30.0, time_limit))
    app, kind = application(settings), {"Content-Type": "application/json"}
    with TestClient(app, base_url="http://localhost", headers=kind, raise_server_exceptions=False) as found:
        wait_for(lambda: found.get("/ready").status_code == 200)
        yield found


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with serving(LIMIT) as found:
        yield found


BOMBS: dict[str, tuple[str, str, str]] = {
    "nested": ("(" * 200_000, PLAIN["problem"], "(a)"),
    "nested condition": (DOMAIN.format("", "(not " * 5000 + "(p)" + ")" * 5000), PLAIN["problem"], "(a)"),
    "10,000 parameters": (DOMAIN.format(" ".join(f"?x{i}" for i in range(10_000)), "()"), PLAIN["problem"], "(a)"),
    "quantifier over a huge type": (
        DOMAIN.format("", "(forall (?a ?b ?c ?d) (or (p) (q ?a ?b) (q ?c ?d)))"),
        PROBLEM.format(MANY),
        "(a)",
    ),
    "huge grounding": (DOMAIN.format("?a ?b ?c ?d ?e ?f", "()"), PROBLEM.format(MANY), "(a)"),
    "terminal escapes": (PLAIN["domain"].replace("domain d", "domain \x1b[2Jd"), PLAIN["problem"], "(\x1b[31mb)"),
    "a long word": ("(define (domain d) " + "a" * 1_000_000 + ")", PLAIN["problem"], "(a)"),
    "many steps": (PLAIN["domain"], PLAIN["problem"], "(a)\n" * 150_000),
    "zero bytes": (PLAIN["domain"], "\0(" * 1000, "\0" * 1000),
}


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_gets_an_answer_and_the_next_request_is_served(client: TestClient, name: str) -> None:
    domain, problem, plan = BOMBS[name]
    answer = client.post("/v1/validations", json={"domain": domain, "problem": problem, "plan": plan})
    assert answer.status_code in (200, 422), answer.text
    assert len(answer.content) < 2**21
    value = answer.json()
    assert value.get("title") or value["determination"] is not True
    assert client.post("/v1/validations", json=PLAIN).json()["determination"] is True
    directory = client.app.state.service.lanes.directory  # type: ignore[attr-defined]
    wait_for(lambda: not any("translate" in command for command in working_in(directory).values()))


@pytest.mark.deep
@pytest.mark.planner
def test_a_check_does_not_wait_for_planners() -> None:
    domain, problem, plan = BOMBS["huge grounding"]
    body = {"domain": domain, "problem": problem, "plan": plan}
    with ThreadPoolExecutor(3) as threads, serving(PATIENCE) as client:  # a limit that no load can use up before
        slow = [
            threads.submit(client.post, "/v1/validations", json=body | {"plan": f"(a) ; {number}"})
            for number in range(3)
        ]
        directory = client.app.state.service.lanes.directory  # type: ignore[attr-defined]
        wait_for(lambda: any("translate" in command for command in working_in(directory).values()))
        served = []
        while len(served) < 20 and not all(future.done() for future in slow):
            served.append(client.post("/v1/validations", json=PLAIN | {"plan": f"(a) ; {len(served)}"}).json())
        assert all(answer["determination"] is True for answer in served)
        assert len(served) > 2 * len(slow)  # one that waited for each of them would be answered once for each
        assert {future.result().status_code for future in slow} <= {200}


def _gate(messages: list[dict[str, Any]], headers: list[tuple[bytes, bytes]], **limits: Any) -> tuple[int, bytes]:
    """Return what the gate answers to a request that arrives in these pieces."""
    import asyncio

    from validator.service.http.middleware import Gate

    sent: list[Any] = []

    async def receive() -> Any:
        if messages:
            return messages.pop(0)
        await asyncio.sleep(60)
        return None

    async def send(message: Any) -> None:
        sent.append(message)

    async def app(scope: Any, receive: Any, send: Any) -> None:
        body = (await receive())["body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    named = [(b"host", b"localhost"), (b"content-type", b"application/json"), *headers]
    scope = {"type": "http", "method": "POST", "path": "/", "headers": named, "client": ("1.2.3.4", 5)}
    gate = Gate(app, Settings(**limits))
    asyncio.run(gate(scope, receive, send))
    assert gate._held == 0
    return sent[0]["status"], sent[1]["body"]


def _piece(body: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.request", "body": body, "more_body": more}


def test_the_gate_hands_on_a_whole_body() -> None:
    assert _gate([_piece(b"a", more=True), _piece(b"b", more=False)], [], max_body=2) == (200, b"ab")


@pytest.mark.parametrize("headers", [[], [(b"content-length", b"100000000000000000000")]])
def test_the_gate_refuses_what_is_too_large_however_it_is_declared(headers: list[tuple[bytes, bytes]]) -> None:
    status, body = _gate([_piece(b"abc", more=True), _piece(b"", more=False)], headers, max_body=2)
    assert (status, json.loads(body)["title"]) == (413, "The body is too large")


def test_the_gate_does_not_wait_for_ever() -> None:
    status, body = _gate([_piece(b"a", more=True)], [], body_time=0.05)
    assert (status, json.loads(body)["type"]) == (408, "urn:plan-validator:problem:slow")


# --- any body at all -------------------------------------------------------------------------------

WORDS = st.sampled_from(
    ["(", ")", "define", "domain", "problem", ":action", "?x", "a", "and", "not", "\n", " ", "é", "\0"]
)
TEXTS = st.text(max_size=30) | st.lists(WORDS, max_size=30).map(" ".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
FIELDS = sorted({name for operation in OPERATIONS.values() for name in operation.request.__dataclass_fields__})


@pytest.mark.parametrize("name", PUBLIC)
@given(data=st.data())
def test_whatever_an_operation_is_asked_is_answered_or_refused(name: str, data: st.DataObject) -> None:
    """Each operation is called as a worker calls it, with no service around it to catch what it raises."""
    known = OPERATIONS[name].request.__dataclass_fields__
    values = st.fixed_dictionaries({}, optional=dict.fromkeys(known, VALUES | TEXTS))
    value = data.draw(values | st.dictionaries(st.sampled_from(FIELDS) | TEXTS, VALUES, max_size=4))
    try:
        operate(name, value, bounds=Bounds(time_limit=5.0))
    except Exception as error:
        assert problem_of(error).status in (400, 422), (value, error)


@pytest.mark.planner
@pytest.mark.parametrize("name", PAGES)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(data=st.data())
def test_whatever_a_form_is_filled_with_has_an_answer(client: TestClient, name: str, data: st.DataObject) -> None:
    fields = st.fixed_dictionaries({}, optional=dict.fromkeys(controls(PAGES[name].question), TEXTS))
    body = data.draw(fields.map(lambda given: json.dumps(given).encode()) | st.binary(max_size=40))
    answer = client.post(f"/ask/{name}", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code in (200, 400, 422), (body, answer.text)
    assert answer.json()["body" if answer.status_code == 200 else "title"]


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.parametrize("path", [f"/v1/{name}" for name in PUBLIC])
@pytest.mark.parametrize("mode", ["POSITIVE", "NEGATIVE"])
def test_answers_are_as_the_document_says(client: TestClient, path: str, mode: str) -> None:
    """What the document allows is answered as it says, the rest is refused."""
    schemathesis = pytest.importorskip("schemathesis")
    import jsonschema_rs

    document = client.app.state.document.value  # type: ignore[attr-defined]
    operations = schemathesis.openapi.from_dict(document)
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
