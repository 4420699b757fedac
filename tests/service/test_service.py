"""The HTTP service: every operation, problems, jobs, batches, and what is kept."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

pytest.importorskip("fastapi")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from tests.support.pages import body
from tests.support.processes import running_in, wait_for
from validator.certificates.plan_certify import certified
from validator.errors import ValidatorError, WorkerError
from validator.model.bundled import bundle
from validator.questions.check import Check
from validator.questions.job import Bounds
from validator.render.json import SCHEMA
from validator.service import application
from validator.service.http.examples import examples, over_time_example
from validator.service.jobs.store import Store
from validator.service.operations.operations import OPERATIONS
from validator.service.operations.requests import read_request, reader
from validator.service.pages.page import STATIC, workbench
from validator.service.problems import ProblemError
from validator.service.settings import Settings
from validator.workers.lanes import Lane

MODEL = bundle("blocks")
DOMAIN, PROBLEM = (path.read_text(encoding="utf-8") for path in (MODEL.domain, MODEL.problem))
PLANS = {path.stem: path.read_text(encoding="utf-8") for path in MODEL.plans}
PDDL = {"domain": DOMAIN, "problem": PROBLEM}
SETTINGS = Settings(
    hosts=frozenset(("testserver",)),
    workers=1,
    bounds=Bounds(time_limit=20.0, memory_limit=2**30),
    max_body=2**20,
    grace=2.0,
    wait=100.0,
)

# A puzzle whose cheapest plan takes long to prove: a counter of n bits that is to be full.
BITS = 40
COUNTER = (
    "(define (domain counter) (:predicates "
    + " ".join(f"(b{i})" for i in range(BITS))
    + ")"
    + "".join(
        f" (:action s{i} :parameters () :precondition (and {' '.join(f'(b{j})' for j in range(i))}) :effect (and (b{i})"
        + "".join(f" (not (b{j}))" for j in range(i))
        + "))"
        for i in range(BITS)
    )
    + ")"
)
FULL = (
    "(define (problem full) (:domain counter) (:init) (:goal (and " + " ".join(f"(b{i})" for i in range(BITS)) + ")))"
)


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    app = application(SETTINGS)
    with TestClient(app, headers={"Content-Type": "application/json"}, raise_server_exceptions=False) as found:
        _await_ready(found)
        yield found


def _await_ready(client: TestClient) -> None:
    wait_for(lambda: client.get("/ready").status_code == 200)


def check(client: TestClient, plan: str, **more: object) -> Any:
    answer = client.post("/v1/validations", json={**PDDL, "plan": plan, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def ended(client: TestClient, location: str) -> Any:
    """Return a job when it has ended."""
    wait_for(lambda: client.get(location).json()["status"] not in ("queued", "running"))
    return client.get(location).json()


# --- operations ----------------------------------------------------------------------------------


def test_a_proof_is_certified(client: TestClient) -> None:
    plan = PLANS["broken-order"].strip()
    found = check(client, plan, certify=True)
    said = certified(DOMAIN, PROBLEM, plan, json.dumps(found["certificate"]))
    assert said == "certified: no valid plan within 3 changed lines"


def test_the_answer_is_that_of_the_library(client: TestClient) -> None:
    from validator import check as library

    found = check(client, PLANS["broken-order"], repair=False)
    report = library(DOMAIN, PROBLEM, PLANS["broken-order"], repair=False)
    wanted = json.loads(json.dumps(report.to_json())) | {"feedback": report.feedback(), "schema": SCHEMA}
    assert {**found, "timings": {}} == {**wanted, "timings": {}}


@pytest.mark.planner
@pytest.mark.parametrize("name", sorted(set(examples()) - {"batches"}))
def test_the_answer_to_an_example_is_as_the_document_says(client: TestClient, name: str) -> None:
    asked, document = examples()[name], client.app.state.document.value  # type: ignore[attr-defined]
    patient = {"time_limit": SETTINGS.bounds.time_limit} if "time_limit" in asked else {}  # on a busy machine
    answer = client.post(f"/v1/{name}", json={**asked, **patient})
    assert answer.status_code == 200, answer.text
    described = document["paths"][f"/v1/{name}"]["post"]["responses"]["200"]["content"]["application/json"]
    schema = {**described["schema"], "components": document["components"]}
    Draft202012Validator(schema).validate(answer.json())


# --- questions of the page -------------------------------------------------------------------------


def answer(client: TestClient, name: str, **fields: str) -> tuple[str, str]:
    """Return the title of an answer, and what is in it as HTML."""
    found = client.post(f"/ask/{name}", json=fields)
    assert found.status_code == 200, found.text
    return found.json()["title"], body(found.json()["body"])


@pytest.mark.planner
@pytest.mark.parametrize("page", workbench()["pages"], ids=lambda page: page["name"])
def test_the_first_example_of_each_question_has_an_answer(client: TestClient, page: dict[str, Any]) -> None:
    if page["name"] == "repair-model":
        pytest.importorskip("pysat")
    example = {**page["examples"][0]["fields"]}
    example |= workbench()["models"].get(example.pop("model", ""), {})
    title, shown = answer(client, page["name"], **example)
    expected = {
        "check": "NOT VALID",
        "read": "partial: 7 steps read",
        "why-not": "Asked: (lower b) must not happen.",
        "follow": "Accomplished 0.667, adherence 0.75: 3 of 4 planned steps executed as planned, 1 missing.",
        "recognize": "Best of 2 goals (proven): (on a b), (on b c)",
        "repair-model": "1 edit (proven",
    }
    assert title.startswith(expected[page["name"]]) and len(shown) > 100


@pytest.mark.planner
def test_the_texts_of_a_form_are_read_by_the_kind_of_each_field(client: TestClient) -> None:
    pytest.importorskip("pysat")
    asked = examples()["model-repairs"]
    good, bad = asked["plans"][0], asked["plans"][0].replace("(lower b)\n", "")
    given = {"domain": asked["domain"], "problem": asked["problem"], "plans": f"{good}---\n{good}", "must_fail": bad}
    assert "take" not in answer(client, "repair-model", **given, protect="take,lift")[1].partition("--- ")[0]
    asked = examples()["recognitions"]
    found = answer(client, "recognize", **asked, method="linear")
    assert found[0].startswith("Best of")
    assert client.post("/ask/recognize", json={**asked, "beta": "much"}).status_code == 422
    assert client.post("/ask/recognize", json={**asked, "beta": "-1"}).status_code == 422
    assert client.post("/ask/recognize", json={**asked, "goals": ["a"]}).status_code == 422
    assert client.post("/ask/nothing", json={}).status_code == 404
    foil = examples()["why-not"]
    given = {name: foil[name] for name in ("domain", "problem", "plan")}
    assert "The foil is not valid" in answer(client, "why-not", **given, foil=bad)[1]


def test_the_page_shows_the_verdict_first_and_marks_lines(client: TestClient) -> None:
    form = {**PDDL, "plan": f"{UNREAD}<b>\n", "quality": "valid", "repair": "no"}
    found = client.post("/ask/check", json=form).json()
    assert found["title"] == "UNKNOWN" and "UNKNOWN" in body(found["body"][:1])
    assert '<span class="missed"' in body(found["reading"]) and {kind for _, _, kind in found["marks"]} == {"missed"}
    assert answer(client, "check", **form, strict="yes")[0] == "NOT VALID"


def test_every_file_of_the_workbench_is_served(client: TestClient) -> None:
    page = client.get("/")
    assert "default-src 'none'; style-src 'self'; script-src 'self'" in page.headers["content-security-policy"]
    scripts = "".join(path.read_text(encoding="utf-8") for path in STATIC.glob("*.js"))
    named = re.findall(r'(?:href|src)="([\w.]+)"', page.text) + re.findall(
        r'(?:from|fetch\() ?"(?:\./)?([\w.]+)"', scripts
    )
    assert {"workbench.js", "editor.js", "backend.js", "workbench.json", "style.css"} <= set(named)
    assert [name for name in named if client.get(f"/{name}").status_code != 200] == []
    assert "innerHTML" not in scripts
    assert client.get("/nothing", headers={"Accept": "text/html"}).text.startswith("<!DOCTYPE html>")


def test_epsilon_decides_and_the_trace_tells_what_happens_when(client: TestClient) -> None:
    asked = over_time_example()
    found = client.post("/v1/validations", json=asked).json()
    assert (found["determination"], found["failures"][0]["kind"]) == (False, "mutex")
    assert "0.005 apart, less than 0.01" in found["feedback"]
    bars = [(bar["label"], bar["start"], bar["end"]) for bar in found["timeline"]["bars"]]
    assert bars[:2] == [("(bake rye)", 0, 5), ("(bake oat)", 5.005, 10.005)]
    assert found["timeline"]["series"][0]["points"][-1] == [5.02, 3, False]
    for epsilon in (None, 0, "0.0", 0.001, "0.005", ".005"):
        other = client.post("/v1/validations", json={**asked, "epsilon": epsilon, "timeline": False}).json()
        assert (other["determination"], other["timeline"]) == (True, None), epsilon


@pytest.mark.parametrize("path", ["validations", "plans"])
def test_a_flow_as_a_text_is_no_path(client: TestClient, path: str) -> None:
    for text in ("/etc/passwd", "flow.yaml"):
        answer = client.post(f"/v1/{path}", json={"flow": text, **({} if path == "plans" else {"plan": ""})})
        assert answer.status_code == 422
        assert answer.json()["detail"] == f"the document: an object was expected, not '{text}'"


# --- problems ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "status", "kind", "words"),
    [
        (b"{", 400, "json", "EOF"),
        (b'{"plan": "\xff"}', 400, "json", "unicode"),
        (b'{"plan": "\\ud800"}', 400, "json", "hex escape"),
        (b'{"flow":' + b'{"a":' * 10_000, 400, "json", "recursion limit"),
        (b"[]", 422, "request", "an object"),
        (b'{"domain": "(", "problem": "("}', 422, "request", "/plan"),
        (b'{"plan": "", "qualty": "valid"}', 422, "request", "did you mean 'quality'?"),
        (b'{"plan": 1}', 422, "request", "/plan"),
        (b'{"plan": "", "time_limit": NaN}', 422, "request", "finite"),
        (b'{"plan": "", "time_limit": 1e6}', 422, "request", "at most 20"),
        (b'{"plan": "", "domain": "(", "problem": "(", "time_limit": 99}', 422, "request", '"pointer": "/time_limit"'),
        (b'{"plan": "", "time_limit": 0}', 422, "request", "/time_limit: Input should be greater than 0"),
        (b'{"plan": "", "context": -1}', 422, "request", "/context"),
        (b'{"plan": "", "epsilon": -0.5}', 422, "request", "/epsilon: epsilon must be a number, 0 or more"),
        (b'{"plan": "", "epsilon": "1/1000"}', 422, "request", "not '1/1000'"),
        (b'{"plan": "", "epsilon": "-0.1"}', 422, "request", "not '-0.1'"),
        (b'{"plan": "", "epsilon": "0.1\\n"}', 422, "request", "/epsilon: epsilon must be a number, 0 or more"),
        (b'{"plan": "", "epsilon": true}', 422, "request", "/epsilon"),
        (b'{"plan": "", "tolerance": -1}', 422, "request", "/tolerance: tolerance must be a number, 0 or more"),
        (b'{"plan": "", "tolerance": 1, "epsilon": 1}', 422, "request", "give one of them"),
        (b'{"plan": "", "timeline": "yes"}', 422, "request", "/timeline"),
        (b'{"plan": "", "flow": {}, "epsilon": 1}', 422, "request", "'epsilon' is for PDDL models"),
        (b'{"plan": "", "flow": {}, "timeline": true}', 422, "request", "'timeline' is for PDDL models"),
        (b'{"plan": "", "domain": "("}', 422, "request", "'problem' is missing"),
        (b'{"plan": "", "problem": "("}', 422, "request", '"pointer": "/domain"'),
    ],
)
def test_what_is_no_request_is_a_problem_with_its_place(
    client: TestClient, body: bytes, status: int, kind: str, words: str
) -> None:
    answer = client.post("/v1/validations", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    value = answer.json()
    assert value["type"].endswith(f":{kind}")
    assert words in json.dumps(value, ensure_ascii=False)


def test_an_unreadable_model_tells_line_and_column(client: TestClient) -> None:
    answer = client.post("/v1/validations", json={**PDDL, "domain": "(define (domain d)\n (:foo))", "plan": ""})
    value = answer.json()
    assert (answer.status_code, value["source"], value["line"], value["column"]) == (422, "domain", 2, 2)


@pytest.mark.parametrize("name", ["/etc/passwd", "../../etc/passwd", str(MODEL.domain), "C:\\x"])
def test_no_text_is_taken_for_a_path(client: TestClient, name: str) -> None:
    answer = client.post("/v1/validations", json={"domain": name, "problem": name, "plan": name})
    assert answer.status_code == 422
    assert (
        client.post("/v1/metrics-of-plans", json={"plans": [str(MODEL.plans[0])] * 2}).json()["plans"][0]["steps"] <= 1
    )
    found = check(client, str(MODEL.plans[0]), repair=False)
    assert (found["determination"], found["is_understood"]) == (None, False)
    answer = client.post("/v1/adherence", json={"plan": str(MODEL.plans[0]), "trace": [{"name": "a", "arguments": {}}]})
    assert "lower" not in answer.text


def test_a_trace_may_be_a_text(client: TestClient) -> None:
    trace = 'Action: take\nAction Input: {"x": "b", "y": "d"}\nObservation: done\n'
    answer = client.post("/v1/adherence", json={"plan": 'take(x="b", y="d")', "trace": trace})
    assert (answer.status_code, answer.json()["score"]) == (200, 1.0)


def test_not_even_one_that_exists_and_looks_like_pddl(client: TestClient, tmp_path: Path) -> None:
    files = {name: tmp_path / f"{name} (1)" for name in ("domain", "problem", "plan")}
    for name, text in {**PDDL, "plan": PLANS["good"]}.items():
        files[name].write_text(text, encoding="utf-8")
    given = {name: str(path) for name, path in files.items()}
    answer = client.post("/v1/validations", json=given)
    assert answer.status_code == 422, "read as PDDL, which it is not"
    assert check(client, given["plan"], repair=False)["determination"] is not True
    body = json.dumps({"id": 1, **given, "plan": PLANS["good"]}).encode()
    job = ended(client, client.post("/v1/batches", content=body).headers["location"])
    assert json.loads(client.get(job["links"]["results"]).text)["verdict"] == "error"


# --- what was not understood ---------------------------------------------------------------------


UNREAD = "Here it is:\n(take b d)\n(lower\n"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "/v1/validations", 405),
        ("GET", "/v1/jobs/nothing", 404),
        ("DELETE", "/v1/jobs/nothing", 404),
        ("GET", "/v1/jobs/nothing/results", 404),
        ("GET", "/v1/domains/kichen", 404),
        ("GET", "/v1/domains/..%2F..%2Fetc", 404),
    ],
)
def test_what_is_not_there_is_a_problem(client: TestClient, method: str, path: str, status: int) -> None:
    answer = client.request(method, path)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert answer.json()["status"] == status


@pytest.mark.parametrize("path", ["/", "/health", "/v1/domains/blocks", "/openapi.json"])
def test_head_is_get_without_the_body(client: TestClient, path: str) -> None:
    answer, whole = client.head(path), client.get(path)
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == whole.headers["content-length"]


def test_a_wrong_method_is_told_the_right_ones(client: TestClient) -> None:
    assert client.put("/v1/jobs/x").headers["allow"] == "DELETE, GET, HEAD"
    answer = client.get("/v1/plans")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json()["detail"] == "/v1/plans takes POST, not GET"


def test_a_body_that_is_too_large_is_refused(client: TestClient) -> None:
    answer = client.post("/v1/validations", content=b"x" * (2**20 + 1))
    assert (answer.status_code, answer.json()["type"]) == (413, "urn:plan-validator:problem:size")


# --- jobs ----------------------------------------------------------------------------------------


def _slow(client: TestClient, seconds: float, number: int = 0) -> str:
    """Start a job that its planner does not finish, and return where it is."""
    body = {"domain": COUNTER, "problem": FULL + f"; {number}", "time_limit": seconds}
    answer = client.post("/v1/plans", json=body, headers={"Prefer": "respond-async"})
    assert answer.status_code == 202, answer.text
    return str(answer.headers["location"])


@pytest.mark.planner
def test_a_job_has_its_result_when_it_is_done(client: TestClient) -> None:
    body = {**PDDL, "plan": PLANS["broken-too-short"], "nearest": "keep"}
    answer = client.post("/v1/validations", json=body, headers={"Prefer": "respond-async"})
    assert answer.status_code == 202
    job = ended(client, answer.headers["location"])
    assert (job["status"], job["result"]["determination"]) == ("done", False)
    assert "its result is in GET /v1/jobs/" in client.get(f"{answer.headers['location']}/results").json()["detail"]


@pytest.mark.planner
def test_a_time_limit_is_a_result_with_its_reason(client: TestClient) -> None:
    found = ended(client, _slow(client, 1.0, 1))["result"]
    assert (found["status"], found["plans"], found["proven"]) == ("time limit", [], False)


@pytest.mark.deep
@pytest.mark.planner
def test_cancel_ends_the_job_and_its_planner(client: TestClient) -> None:
    location = _slow(client, 20.0, 2)
    directory = client.app.state.service.lanes.directory  # type: ignore[attr-defined]
    wait_for(lambda: any("downward" in command or "translate" in command for command in running_in(directory, 0)))
    assert client.delete(location).status_code == 204
    assert client.get(location).json()["status"] == "cancelled"
    assert client.delete(location).status_code == 409
    wait_for(lambda: not any("downward" in command for command in running_in(directory, 0)))
    assert check(client, PLANS["broken-missing-step"])["repaired_plan"]  # the next one is served


@pytest.mark.planner
def test_equal_requests_are_computed_once(client: TestClient) -> None:
    jobs = client.app.state.service.jobs  # type: ignore[attr-defined]
    before = jobs.counts["plans", "shared"]
    first, second = _slow(client, 2.0, 3), _slow(client, 2.0, 3)
    assert first != second
    assert client.delete(first).status_code == 204
    assert ended(client, second)["status"] == "done"  # the one that goes does not take the other along
    assert jobs.counts["plans", "shared"] == before + 1


@pytest.mark.deep
@pytest.mark.planner
def test_a_killed_worker_is_replaced_and_its_request_answered(client: TestClient) -> None:
    pool = client.app.state.service.lanes  # type: ignore[attr-defined]
    deadline = time.monotonic() + 60
    while any(lane._process is None for lane in pool.lanes) and time.monotonic() < deadline:
        time.sleep(0.05)  # one that a test before killed may still be starting
    replaced = pool.replaced
    for lane in pool.lanes:
        os.kill(lane._process.pid, signal.SIGKILL)
    assert check(client, PLANS["broken-unknown-block"])["repaired_plan"]
    assert pool.replaced == replaced + 2


class FullDisk:
    """A database in which nothing can be written that begins with some word."""

    in_transaction = False

    def __init__(self, base: sqlite3.Connection, refused: str) -> None:
        self._base, self._refused = base, refused

    def execute(self, statement: str, values: Any) -> Any:
        if statement.startswith(self._refused):
            raise sqlite3.OperationalError("database or disk is full")
        return self._base.execute(statement, values)


@pytest.mark.planner
def test_a_result_that_cannot_be_kept_is_not_called_done(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    store = client.app.state.service.store  # type: ignore[attr-defined]
    monkeypatch.setattr(store, "_base", FullDisk(store._base, "UPDATE"))
    body = {**PDDL, "plan": PLANS["broken-order"] + "; the disk is full", "nearest": "keep"}
    answer = client.post("/v1/validations", json=body, headers={"Prefer": "respond-async"})
    job = ended(client, answer.headers["location"])
    assert (job["status"], job["problem"]["detail"]) == ("failed", "database or disk is full")
    assert client.delete(answer.headers["location"]).status_code == 409
    monkeypatch.undo()
    assert check(client, PLANS["broken-order"] + "; next")["repaired_plan"]  # the worker's thread lives


# --- batches -------------------------------------------------------------------------------------


@pytest.mark.deep
@pytest.mark.planner
def test_a_batch_has_a_line_for_each_record(client: TestClient) -> None:
    records = [
        {"id": "good", **PDDL, "plan": PLANS["good"], "model": "x"},
        {"id": "bad", **PDDL, "plan": PLANS["broken-order"]},
        {"id": "path", "domain": "/etc/passwd", "problem": "/etc/passwd", "plan": "(a)"},
        {"id": "file", **PDDL, "plan": str(MODEL.plans[0])},
    ]
    body = "\n".join([*map(json.dumps, records), "[]", '{"'])
    answer = client.post("/v1/batches", content=body.encode())
    assert answer.status_code == 202
    job = ended(client, answer.headers["location"])
    assert (job["result"]["done"], job["result"]["verdicts"]["error"]) == (6, 3)
    lines = [json.loads(line) for line in client.get(job["links"]["results"]).text.splitlines()]
    assert [line["line"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert [line["verdict"] for line in lines] == ["valid", "precondition", "error", "not_understood", "error", "error"]
    assert lines[0]["tags"] == {"model": "x"}


@pytest.mark.parametrize(("body", "status"), [(b"", 422), (b"\n \n", 422), (b"\xff", 400)])
def test_a_body_without_records_is_refused(client: TestClient, body: bytes, status: int) -> None:
    assert client.post("/v1/batches", content=body).status_code == status


# --- the state of the service ----------------------------------------------------------------------


def test_health_metrics_and_models(client: TestClient) -> None:
    check(client, PLANS["good"])
    assert client.get("/health").json()["status"] == "ok"
    assert "plan_validator_jobs_total{" in client.get("/metrics").text
    names = [model["name"] for model in client.get("/v1/domains").json()]
    model = client.get(f"/v1/domains/{names[0]}").json()
    assert model["plans"][0]["name"] == "good"


# --- services of their own -----------------------------------------------------------------------


def test_a_token_is_demanded_where_there_are_tokens() -> None:
    app = application(Settings(workers=1, tokens=(("ann", "secret"), ("bob", "hidden")), grace=0.1))
    with TestClient(app, base_url="http://localhost") as client:
        assert client.get("/health").status_code == 200
        answer = client.get("/v1/domains")
        assert (answer.status_code, "Bearer" in answer.headers["www-authenticate"]) == (401, True)
        assert client.get("/v1/domains", headers={"Authorization": "Bearer wrong"}).status_code == 401
        assert client.get("/v1/domains", headers={"Authorization": "Bearer secret"}).status_code == 200
        assert client.get("/", auth=("anyone", "secret")).status_code == 200
        ann, bob = ({"Authorization": f"Bearer {token}"} for token in ("secret", "hidden"))
        asked = {"json": {**PDDL, "plan": ""}, "headers": {**ann, "Prefer": "respond-async"}}
        job, other = (client.post("/v1/validations", **asked).headers["location"] for _ in range(2))
        assert job[-4:] != other[-4:], "a name tells nobody whose the job is"
        for _ in range(2):  # as the job runs, and as it is kept
            for path in (job, f"{job}/results"):
                assert client.get(path, headers=bob).json()["title"] == "No such job"
            assert client.delete(job, headers=bob).status_code == 404
            assert client.get(job, headers=ann).status_code == 200
            wait_for(lambda: client.get(job, headers=ann).json()["status"] == "done")


def test_a_file_of_results_of_an_earlier_version_is_used(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    _filled(path, 2)
    with closing(sqlite3.connect(path)) as base:
        base.execute("ALTER TABLE jobs DROP COLUMN client")
        base.commit()
    for _ in range(2):
        store = Store(path, 60.0)
        kept = store.get("job 1")
        assert kept is not None and (kept.status, kept.client) == ("done", "")
        store.close()


@pytest.mark.deep
def test_a_worker_that_has_grown_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.workers.lanes._LARGEST", 1)
    app = application(Settings(workers=1, grace=0.1))
    with TestClient(app, base_url="http://localhost") as client:
        _await_ready(client)
        pool = client.app.state.service.lanes  # type: ignore[attr-defined]
        for number in range(2):
            assert check(client, f"{PLANS['good']}; {number}", repair=False)["determination"] is True
        wait_for(lambda: pool.replaced >= 2)


@pytest.mark.deep
@pytest.mark.planner
def test_a_restart_loses_no_result_and_marks_what_was_not_finished(tmp_path: Path) -> None:
    settings = Settings(workers=1, store=tmp_path / "jobs.db", grace=0.2, bounds=Bounds(time_limit=30.0))
    with TestClient(application(settings), base_url="http://localhost") as client:
        body = {**PDDL, "plan": PLANS["good"]}
        done = client.post("/v1/validations", json=body, headers={"Prefer": "respond-async"}).headers["location"]
        assert ended(client, done)["status"] == "done"
        running = _slow(client, 30.0)
        wait_for(lambda: client.get(running).json()["status"] == "running")
        directory = client.app.state.service.lanes.directory  # type: ignore[attr-defined]
    assert running_in(directory) == []
    assert not directory.exists()
    with TestClient(application(settings), base_url="http://localhost") as client:
        assert client.get(done).json()["result"]["determination"] is True
        job = client.get(running).json()
        assert job["status"] == "interrupted"


def test_a_file_of_results_belongs_to_one_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.service.jobs.store._PATIENCE", 0.1)
    first = Store(tmp_path / "jobs.db", 60.0)
    with pytest.raises(ValidatorError, match=r"jobs\.db: results cannot be kept there: another service uses it"):
        Store(tmp_path / "jobs.db", 60.0)
    first.close()
    Store(tmp_path / "jobs.db", 60.0).close()


# --- a store in trouble --------------------------------------------------------------------------


def _filled(path: Path, number: int = 400) -> None:
    store = Store(path, 60.0)
    for job in range(number):
        store.add(f"job {job}", f"key {job}", "plans", "token ann", time.time(), b"x" * 200)
        store.finish(f"job {job}", "done", 200, b"y" * 200)
    store.close()


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database" * 100)
    with pytest.raises(ValidatorError, match=r"text: results cannot be kept there: .*not a database; .*move it away"):
        Store(tmp_path / "text", 60.0)


def test_a_broken_file_is_named_when_it_is_opened_or_when_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "jobs.db"
    _filled(path)
    whole = path.read_bytes()
    for start in range(100, len(whole), len(whole) // 12):
        path.write_bytes(whole[:start] + b"\xff" * 8192 + whole[start + 8192 :])
        try:
            store = Store(path, 60.0)
        except ValidatorError as error:
            assert "move it away" in str(error)
            continue
        for job in range(400):
            try:
                found = store.get(f"job {job}")
            except ProblemError as error:
                assert error.problem.status == 503 and "move it away" in error.problem.detail
            else:
                assert found is None or found.operation == "plans"
            store.find(f"key {job}")  # never fails: the answer is computed again
        store.close()
    path.write_bytes(whole[:5000])
    with pytest.raises(ValidatorError, match="move it away"):
        Store(path, 60.0)


@pytest.mark.deep  # starts a service
def test_a_full_disk_refuses_jobs_answers_checks_and_is_over_when_there_is_room(tmp_path: Path) -> None:
    settings = Settings(workers=1, store=tmp_path / "jobs.db", bounds=Bounds(time_limit=20.0))
    body = {**PDDL, "plan": PLANS["good"]}
    later = {"Prefer": "respond-async"}
    with TestClient(application(settings), base_url="http://localhost") as client:
        store = client.app.state.service.store  # type: ignore[attr-defined]
        pages = store._base.execute("PRAGMA page_count").fetchone()[0]
        store._base.execute(f"PRAGMA max_page_count = {pages}")  # what the system says of a full disk, SQLite says too
        refused = [client.post("/v1/plans", json={**PDDL, "time_limit": n / 4}, headers=later) for n in range(1, 60)][
            -1
        ]
        assert (refused.status_code, refused.json()["title"]) == (503, "Results cannot be kept")
        assert "full" in refused.json()["detail"] and refused.headers["retry-after"]
        assert client.post("/v1/validations", json=body).json()["determination"] is True
        store.forget()
        store._base.execute("PRAGMA max_page_count = 100000")
        done = client.post("/v1/validations", json={**body, "repair": False}, headers=later)
        assert ended(client, done.headers["location"])["status"] == "done"


def test_results_expire(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _filled(tmp_path / "jobs.db", 2)
    store = Store(tmp_path / "jobs.db", 60.0)
    store.add_lines("job 0", [(1, "a line")])
    assert store.get("job 0") and store.find("key 0")
    now = time.time()
    monkeypatch.setattr("validator.service.jobs.store.time.time", lambda: now + 61.0)
    assert store.get("job 0") is None and store.find("key 0") is None
    store.forget()
    assert store._base.execute("SELECT (SELECT count(*) FROM jobs), (SELECT count(*) FROM lines)").fetchone() == (0, 0)
    store.close()


@pytest.mark.deep  # starts a service
def test_no_token_is_kept(tmp_path: Path) -> None:
    token = "a-token-that-nobody-may-read"
    settings = Settings(workers=1, store=tmp_path / "jobs.db", tokens=(("ada", token),), bounds=Bounds(time_limit=20.0))
    shown = {"Authorization": f"Bearer {token}", "Prefer": "respond-async"}
    with TestClient(application(settings), base_url="http://localhost") as client:
        body = {**PDDL, "plan": PLANS["good"]}
        location = client.post("/v1/validations", json=body, headers=shown).headers["location"]
        wait_for(lambda: client.get(location, headers=shown).json()["status"] == "done")
        client.get("/v1/jobs/x", headers={"Authorization": b"Basic " + base64.b64encode(f"x:{token}".encode())})
        kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"good" not in token.encode() and PLANS["good"].splitlines()[0].encode() in kept
    assert token.encode() not in kept


# --- workers that cannot be started --------------------------------------------------------------


def _dying(monkeypatch: pytest.MonkeyPatch, names: Callable[[str], bool]) -> None:
    """Let some workers end as soon as they are started."""
    start = Lane._start

    async def dies(lane: Lane) -> None:
        if names(lane.name):
            raise WorkerError("it ends at once")
        await start(lane)

    monkeypatch.setattr(Lane, "_start", dies)


@pytest.mark.deep  # starts a service
def test_a_worker_that_dies_while_starting_hands_its_request_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.workers.lanes._PAUSE", 0.05)
    with TestClient(application(replace(SETTINGS, workers=2)), base_url="http://localhost") as client:
        lanes = client.app.state.service.lanes.lanes  # type: ignore[attr-defined]
        wait_for(lambda: all(lane.is_ready for lane in lanes))
        _dying(monkeypatch, lambda name: name == "quick-0")
        os.kill(next(lane for lane in lanes if lane.name == "quick-0")._process.pid, signal.SIGKILL)
        for number in range(12):
            assert check(client, f"{PLANS['good']}; {number}", repair=False)["determination"] is True
        monkeypatch.undo()


@pytest.mark.deep  # starts a service
def test_a_worker_goes_on_after_what_should_not_happen(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(lane: Lane) -> None:
        raise KeyError("no thread is left")

    monkeypatch.setattr("validator.workers.lanes._PAUSE", 0.01)
    monkeypatch.setattr(Lane, "_start", fails)
    with TestClient(application(SETTINGS), base_url="http://localhost") as client:
        answer = client.post("/v1/validations", json={**PDDL, "plan": PLANS["good"]})
        assert (answer.status_code, answer.json()["title"]) == (500, "The worker failed")
        monkeypatch.undo()
        assert check(client, PLANS["good"])["determination"] is True


def test_where_no_worker_can_be_started_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.workers.lanes._PAUSE", 0.01)
    _dying(monkeypatch, lambda name: True)
    with TestClient(application(SETTINGS), base_url="http://localhost") as client:
        answer = client.post("/v1/validations", json={**PDDL, "plan": PLANS["good"]})
        assert (answer.status_code, answer.json()["title"]) == (503, "No worker can be started")


@pytest.mark.deep
@pytest.mark.planner
def test_a_full_queue_says_when_to_come_back() -> None:
    settings = Settings(workers=1, queue=2, grace=0.1, bounds=Bounds(time_limit=30.0))
    with TestClient(application(settings), base_url="http://localhost") as client:
        _await_ready(client)
        answers = []
        for number in range(6):
            body = {"domain": COUNTER, "problem": f"{FULL}; {number}"}
            answers.append(client.post("/v1/plans", json=body, headers={"Prefer": "respond-async"}))
        refused = [answer for answer in answers if answer.status_code != 202]
        assert len(refused) >= 3
        assert {answer.status_code for answer in refused} <= {429, 503}
        assert all(int(answer.headers["retry-after"]) >= 1 for answer in refused)
        assert check(client, PLANS["good"])["determination"] is True  # who needs no planner does not wait


# --- requests on their way -----------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(set(examples()) - {"batches"}))
def test_a_request_that_is_written_for_a_worker_is_read_as_the_same(name: str) -> None:
    kind = OPERATIONS[name].request
    request = read_request(kind, json.dumps(examples()[name]))
    assert read_request(kind, reader(kind).dump_json(request)) == request


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e400", "1" * 310 + ".0"])
def test_what_is_no_number_is_not_lost_on_the_way(number: str) -> None:
    with pytest.raises(ProblemError) as error:
        read_request(Check, f'{{"plan": "", "flow": {{"cost": {number}}}}}')
    assert error.value.problem.status == 400
    assert number[:20] in str(error.value.problem.detail)
